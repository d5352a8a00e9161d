//! `planner export`: the deployment strategy as files that an engine runs.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::airship::Strategy;
use crate::export::{self, File, Sheet, airflow, ansible, argo};
use crate::kit::nearest::{hint, nearest};
use crate::kit::plural::{first_names, plural};
use crate::load::read_file;
use crate::options::CheckOptions;
use crate::render::clean;

use super::answer::{Answer, Outcome, Run};
use super::args::{Engine, ExportArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::GraphFormat;
use super::output::{self, Outputs};
use super::session::Session;
use super::site::Site;
use super::write;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, files that were edited, a file that cannot be written.
pub(super) fn run(args: &ExportArgs, console: &Console) -> Result<Exit, Failure> {
    check(args)?;
    let outputs = Outputs::stdout(GraphFormat::Dot);
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let session = Session::new(&args.input.paths, &args.common, console)?;
        refuse_compat(&session.settings)?;
        let site = Site::read(session, &run)?.without(&args.without.without)?;
        let plan = site.plan(console);
        let found = site.report(&[&plan.findings]);
        let outcome = Outcome::of(plan.verdict(), false);
        let answer = match plan.strategy.as_ref().filter(|_| plan.complete) {
            Some(strategy) => {
                let inputs = site.session.inputs(site.loaded);
                let said = export(args, strategy, &inputs)?;
                if !console.quiet {
                    console.out(&said)?;
                }
                Answer::without_data(outcome)
            }
            None if plan.refused() => Answer::without_data(Outcome::Fault),
            None => Answer::without_data(Outcome::nothing(
                "nothing to export: there is no deployment strategy",
            )),
        };
        Ok(answer.found(found, site.sources()))
    })
}

fn check(args: &ExportArgs) -> Result<(), Failure> {
    if args.network.is_some() && args.engine != Engine::Ansible {
        return Err(Failure::usage("--network is for ansible only"));
    }
    let Some(name) = &args.name else {
        return Ok(());
    };
    let (longest, is_good): (usize, fn(char) -> bool) = match args.engine {
        Engine::Ansible => return Err(Failure::usage("--name is for airflow and argo only")),
        Engine::Airflow => (200, |c| c.is_ascii_alphanumeric() || "-_.".contains(c)),
        Engine::Argo => (50, |c| {
            c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
        }),
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts || name.len() > longest || !name.chars().all(is_good) {
        let what = match args.engine {
            Engine::Argo => "lower-case letters, digits and hyphens",
            _ => "letters, digits, hyphens, underscores and dots",
        };
        return Err(Failure::usage(format!(
            "--name takes at most {longest} {what}, the first one a letter or digit"
        )));
    }
    Ok(())
}

fn refuse_compat(settings: &CheckOptions) -> Result<(), Failure> {
    if settings.upstream {
        Err(Failure::usage(
            "export follows only the specification: leave out --compat upstream",
        ))
    } else {
        Ok(())
    }
}

/// Writes the files; what was done, a line a file.
fn export(
    args: &ExportArgs,
    strategy: &Strategy<'_, '_>,
    inputs: &[PathBuf],
) -> Result<String, Failure> {
    let sheet = Sheet::of(strategy);
    let name = args.name.as_deref().unwrap_or("planner");
    let mut notes = String::new();
    let files = match args.engine {
        Engine::Ansible => {
            let network = args.network.as_deref();
            network.map_or(Ok(()), |network| check_network(strategy, network))?;
            let (files, without) = ansible::files(&sheet, network);
            if !without.is_empty() {
                let names = without.iter().map(|one| node(strategy, *one));
                notes = format!(
                    "\nNo IP address on that network, so Ansible reaches them by name: {}\n",
                    clean(&first_names(names, 3))
                );
            }
            files
        }
        Engine::Airflow => airflow::files(&sheet, name),
        Engine::Argo => {
            let files = argo::files(&sheet, name);
            if files.iter().any(|file| file.text.len() > argo::LARGEST) {
                notes = "\nThe workflow is larger than 1 MB: most clusters refuse it\n".to_owned();
            }
            files
        }
    };
    let said = write_all(&args.to, &files, args.force, inputs)?;
    let groups = plural(strategy.site.groups.len(), "group");
    let nodes = plural(strategy.site.nodes.len(), "node");
    Ok(format!(
        "{said}{notes}\n{groups}, {nodes}. Next: {}\n",
        clean(&readme(&args.to))
    ))
}

fn node<'a>(strategy: &Strategy<'_, 'a>, number: u32) -> &'a str {
    strategy.site.nodes[number as usize].name.text
}

fn readme(directory: &Path) -> String {
    directory.join("README.md").display().to_string()
}

/// Refuses a network on which no node has an address.
fn check_network(strategy: &Strategy<'_, '_>, network: &str) -> Result<(), Failure> {
    let nodes = strategy.site.nodes.iter();
    let known: BTreeSet<&str> = nodes
        .flat_map(|node| node.addresses.iter().map(|one| one.0))
        .collect();
    if known.contains(network) {
        return Ok(());
    }
    let near = nearest(network, known);
    let hint = hint(near.as_slice());
    Err(Failure::usage(format!(
        "no node has an address on the network \"{network}\"{hint}"
    )))
}

/// So much of a file is read to see who wrote it; ours are smaller than what they are made of.
const MOST_BYTES: u64 = 1 << 30;

/// Writes all files, or none if one of them was edited or is read by this run.
fn write_all(
    directory: &Path,
    files: &[File],
    force: bool,
    inputs: &[PathBuf],
) -> Result<String, Failure> {
    let path = |file: &File| directory.join(file.name);
    let failed = |file: &File, error| {
        Failure::system(error, format!("cannot read {}", path(file).display()))
    };
    let mut edited = Vec::new();
    let mut said = String::new();
    let mut to_write = Vec::new();
    for file in files {
        let shown = path(file).display().to_string();
        let shown = clean(&shown).into_owned();
        let way = write::leads_out(directory, Path::new(file.name));
        if let Some(why) = way.map_err(|error| failed(file, error))? {
            let failure = Failure::new(Exit::Fault, why);
            return Err(failure.context(shown).context("nothing was written"));
        }
        match read_file(&path(file), MOST_BYTES) {
            Ok(_) if file.is_users => said.push_str(&format!("Kept  {shown}\n")),
            Ok(text) if text == file.text.as_bytes() => said.push_str(&format!("Same  {shown}\n")),
            Ok(text) if !force && !export::is_untouched(&text) => edited.push(shown),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(file, error)),
            Ok(_) | Err(_) => {
                said.push_str(&format!("Wrote {shown}\n"));
                to_write.push(file);
            }
        }
    }
    if !edited.is_empty() {
        return Err(Failure::new(
            Exit::Fault,
            format!(
                "nothing was written: {} not as planner wrote {}; --force replaces {}",
                match edited.as_slice() {
                    [one] => format!("{one} is"),
                    all => format!("{} are", all.join(", ")),
                },
                if edited.len() == 1 { "it" } else { "them" },
                if edited.len() == 1 { "it" } else { "them" },
            ),
        ));
    }
    let paths: Vec<PathBuf> = to_write.iter().map(|file| path(file)).collect();
    output::guard(paths.iter().map(PathBuf::as_path), inputs)?;
    let set = paths.iter().zip(&to_write);
    let set = set.map(|(path, file)| write::Entry {
        path,
        text: file.text.as_bytes(),
        is_new: false,
    });
    let written = write::replace_all(&set.collect::<Vec<_>>());
    written.map_err(|(path, fault)| fault.of(&path.display().to_string()))?;
    Ok(said)
}
