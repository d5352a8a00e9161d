//! The file of a saved plan: where it may be written, and what it was made of.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::load::Loaded;
use crate::plan::{Plan, Quality};
use crate::render::{clean, json};
use crate::saved::{self, Basis, Documents, Fault, SavedPlan};

use super::super::args::{CommonArgs, Compat, OrderArg, PlanArgs};
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::site::Site;
use super::super::write;
use super::earlier;

/// Bytes of a saved plan, at most.
const LIMIT: u64 = 512 << 20;

/// Where a plan is to be saved.
#[derive(Debug)]
pub(in crate::cli) struct Target<'t> {
    /// Its name.
    pub(in crate::cli) path: &'t Path,
    /// A plan was saved there before: it is not a document of the site, and may be replaced.
    pub(in crate::cli) there: bool,
}

impl<'t> Target<'t> {
    /// Looks at the file of `--out`.
    ///
    /// # Errors
    /// A plan of standard input (64): it cannot be read again.
    pub(in crate::cli) fn of(path: &'t Path, args: &PlanArgs) -> Result<Self, Failure> {
        if args.input.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(Failure::usage(
                "--out needs PATHs: `planner apply` could not read standard input again",
            ));
        }
        Ok(Self {
            path,
            there: is_saved_plan(path),
        })
    }
}

/// Writes the plan and the lines to copy.
///
/// # Errors
/// A file that cannot be written (1).
pub(in crate::cli) fn save(
    target: &Target<'_>,
    plan: &Plan<'_, '_>,
    site: Site,
    args: &PlanArgs,
    console: &Console,
    on_screen: bool,
) -> Result<(), Failure> {
    let (session, loaded) = (site.session, site.loaded);
    let name = clean(&target.path.to_string_lossy()).into_owned();
    if matches!(plan.result(), Quality::Invalid | Quality::Unplaceable) {
        console.err(&format!(
            "planner: {name} was not written: a plan that cannot be applied is not saved\n"
        ));
        return Ok(());
    }
    let found = site.report(&[&plan.findings]);
    let answer = json::PlanAnswer::new(plan, &found, &loaded.sources);
    let answer = serde_json::to_value(&answer)
        .map_err(|error| Failure::new(Exit::Fault, format!("cannot save the plan: {error}")))?;
    let here = env::current_dir().unwrap_or_default();
    let paths = session
        .request
        .paths
        .iter()
        .map(|path| relative(path, &here))
        .collect();
    let saved = SavedPlan::of(
        &answer,
        paths,
        options(&args.common, &args.package, &here),
        basis(plan, session.seen),
        documents(loaded),
        earlier::revision(session, loaded),
    );
    let text = json::pretty(&saved.written());
    write::private(target.path, text.as_bytes())
        .map_err(|error| Failure::system(error, format!("cannot write {name}")))?;
    let mut lines = String::from("\n");
    if saved.result == "unchanged" || !plan.recordable {
        lines.push_str(&format!(
            "Saved {name}. No changes: there is nothing to apply.\n"
        ));
    } else {
        lines.push_str(&format!("Saved {name}. To show and apply it:\n"));
    }
    lines.push_str(&format!("    planner show {name}\n"));
    lines.push_str(&format!(
        "    planner apply {name} --digest {}\n",
        saved.digest
    ));
    if on_screen {
        console.out(&lines)?;
    } else {
        console.note(lines.trim_start());
    }
    Ok(())
}

/// What the plan is built on: the newest record, and the newest Deployment of each Package.
pub(super) fn basis(plan: &Plan<'_, '_>, records: u64) -> Basis {
    let model = &plan.site.ogc;
    // The newest is last.
    let newest: BTreeMap<&str, &str> = model
        .deployments
        .iter()
        .map(|deployment| (deployment.package, deployment.name))
        .collect();
    let planned = plan
        .applications
        .iter()
        .flat_map(|outcome| &outcome.packages);
    let deployment = |name: &str| newest.get(name).map(|name| (*name).to_owned());
    Basis {
        records,
        packages: planned
            .map(|package| (package.name.to_owned(), deployment(package.name)))
            .collect(),
    }
}

/// The digest over all files that were read.
pub(super) fn documents(loaded: &Loaded) -> String {
    let mut all = Documents::default();
    for source in &loaded.sources.files {
        all.add(&source.name, source.text.as_bytes());
    }
    all.finish()
}

/// The options that change an outcome, where they are not the defaults.
fn options(common: &CommonArgs, packages: &[String], here: &Path) -> Map<String, Value> {
    let mut all = Map::new();
    let mut set = |key: &str, value: Value, there: bool| {
        if there {
            all.insert(key.to_owned(), value);
        }
    };
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| relative(path, here));
    set("allowCommands", json!(true), common.allow_commands);
    set(
        "compat",
        json!("upstream"),
        common.compat == Some(Compat::Upstream),
    );
    set(
        "config",
        json!(path(&common.config)),
        common.config.is_some(),
    );
    set("order", json!("stack"), common.order == OrderArg::Stack);
    set("packages", json!(packages), !packages.is_empty());
    set(
        "records",
        json!(path(&common.records)),
        common.records.is_some(),
    );
    set("rendered", json!(true), common.rendered);
    set("sameNode", json!(true), common.same_node);
    set("site", json!(common.site), common.site.is_some());
    all
}

/// The flags a plan was saved with, put among those that were typed.
///
/// # Errors
/// Flags that were typed and are others (64).
pub(super) fn with_options(
    saved: &SavedPlan,
    typed: &CommonArgs,
    name: &str,
) -> Result<(CommonArgs, Vec<String>), Failure> {
    let here = env::current_dir().unwrap_or_default();
    let now = options(typed, &[], &here);
    for (key, value) in &now {
        if saved.options.get(key) != Some(value) {
            return Err(Failure::usage(format!(
                "{name} was saved with other options: {} is not among them; plan again",
                flag(key)
            )));
        }
    }
    if typed.keep_going {
        return Err(Failure::usage(
            "--keep-going: such a plan is never saved or applied",
        ));
    }
    let mut args = typed.clone();
    let mut packages = Vec::new();
    for (key, value) in &saved.options {
        let text = || value.as_str().map(str::to_owned);
        match key.as_str() {
            // A file must not make anybody run a command.
            "allowCommands" if !typed.allow_commands => {
                return Err(Failure::usage(format!(
                    "{name} was saved with --allow-commands; give it again to let advisors run \
                     commands"
                )));
            }
            "allowCommands" => {}
            "compat" => args.compat = Some(Compat::Upstream),
            "config" => args.config = text().map(PathBuf::from),
            "order" => args.order = OrderArg::Stack,
            "records" => args.records = text().map(PathBuf::from),
            "rendered" => args.rendered = true,
            "sameNode" => args.same_node = true,
            "site" => args.site = text(),
            "packages" => {
                let all = value.as_array().into_iter().flatten();
                packages = all
                    .filter_map(|one| one.as_str().map(str::to_owned))
                    .collect();
            }
            other => {
                return Err(Failure::usage(format!(
                    "{name} was saved with an option that this planner does not know: {}",
                    clean(other)
                )));
            }
        }
    }
    Ok((args, packages))
}

fn flag(key: &str) -> &str {
    match key {
        "allowCommands" => "--allow-commands",
        "compat" => "--compat",
        "config" => "--config",
        "order" => "--order",
        "records" => "--records",
        "rendered" => "--rendered",
        "sameNode" => "--same-node",
        "site" => "--site",
        other => other,
    }
}

/// Reads a saved plan.
///
/// # Errors
/// No such file (66); not a saved plan, or not all of one (1); a newer format (78).
pub(super) fn read(path: &Path) -> Result<SavedPlan, Failure> {
    let name = clean(&path.to_string_lossy()).into_owned();
    let value = read_value(path).map_err(|error| match error {
        NotRead::System(error) if error.kind() == ErrorKind::NotFound => {
            Failure::new(Exit::NoInput, format!("{name}: there is no such file"))
        }
        NotRead::System(error) => Failure::system(error, format!("cannot read {name}")),
        NotRead::Fault(fault) => Failure::new(Exit::Fault, format!("{name}: {fault}")),
    })?;
    SavedPlan::from_value(value).map_err(|fault| {
        let exit = match fault {
            Fault::Newer(_) => Exit::Config,
            _ => Exit::Fault,
        };
        Failure::new(exit, format!("{name}: {fault}"))
    })
}

enum NotRead {
    System(io::Error),
    Fault(Fault),
}

fn read_value(path: &Path) -> Result<Value, NotRead> {
    let meta = fs::metadata(path).map_err(NotRead::System)?;
    if !meta.is_file() {
        return Err(NotRead::Fault(Fault::NotJson(
            "it is not a regular file".into(),
        )));
    }
    let file = File::open(path).map_err(NotRead::System)?;
    if meta.len() > LIMIT {
        let why = format!("it has {} bytes, a saved plan at most {LIMIT}", meta.len());
        return Err(NotRead::Fault(Fault::NotJson(why)));
    }
    // Read as a stream: what is not JSON is seen before all of it is in memory.
    serde_json::from_reader(BufReader::new(file.take(LIMIT)))
        .map_err(|error| NotRead::Fault(Fault::NotJson(error.to_string())))
}

/// Whether a file calls itself a saved plan.
pub(super) fn is_saved_plan(path: &Path) -> bool {
    path.is_file() && matches!(read_value(path), Ok(value) if saved::is_one(&value))
}

/// The directory that the PATHs of a saved plan are relative to: the working directory, the one
/// the file lies in, or one above it.
///
/// # Errors
/// The PATHs are in none of them (1).
fn home(saved: &SavedPlan, file: &Path) -> Result<PathBuf, Failure> {
    let here =
        env::current_dir().map_err(|error| Failure::system(error, "no working directory"))?;
    let all_there = |home: &Path| saved.paths.iter().all(|path| home.join(path).exists());
    if all_there(&here) {
        return Ok(here);
    }
    let file = file.canonicalize().unwrap_or_else(|_| here.join(file));
    let above = file.ancestors().skip(1).find(|home| all_there(home));
    above.map(Path::to_path_buf).ok_or_else(|| {
        Failure::new(
            Exit::Fault,
            format!(
                "{}: the site it was made from ({}) is not here; run this where \
             it was made",
                clean(&file.to_string_lossy()),
                clean(&saved.paths.join(" "))
            ),
        )
    })
}

/// Makes that directory the working directory.
///
/// # Errors
/// There is none, or it cannot be entered (1).
pub(super) fn go_home(saved: &SavedPlan, file: &Path) -> Result<(), Failure> {
    let home = home(saved, file)?;
    if env::current_dir().ok().as_ref() == Some(&home) {
        return Ok(());
    }
    env::set_current_dir(&home)
        .map_err(|error| Failure::system(error, format!("cannot go to {}", home.display())))
}

/// A path as seen from a directory, with `/`.
pub(super) fn relative(path: &Path, here: &Path) -> String {
    let path = if path.is_absolute() {
        from(path, here)
    } else {
        path.to_path_buf()
    };
    let parts: Vec<String> = path
        .components()
        .filter(|part| !matches!(part, Component::CurDir))
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}

fn from(path: &Path, here: &Path) -> PathBuf {
    let (mut own, mut theirs) = (path.components().peekable(), here.components().peekable());
    while own.peek().is_some() && own.peek() == theirs.peek() {
        own.next();
        theirs.next();
    }
    let mut way: PathBuf = theirs.map(|_| Component::ParentDir).collect();
    way.extend(own);
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_where_one_stands() {
        let here = Path::new("/home/ci/repo");
        for (path, shown) in [
            ("site", "site"),
            ("./site/", "site"),
            (".", "."),
            ("../other", "../other"),
            ("/home/ci/repo/site", "site"),
            ("/home/ci/repo", "."),
            ("/home/other/site", "../../other/site"),
        ] {
            assert_eq!(relative(Path::new(path), here), shown, "{path}");
        }
    }
}
