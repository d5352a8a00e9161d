//! The file of a saved plan: where it may be written, and what it was made of.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::Sink;
use crate::document::DocumentKind;
use crate::kit::path::lexical;
use crate::kit::safe::shell_word;
use crate::load::{Loaded, read_file, room};
use crate::plan::{Answer, Plan, Quality, Section};
use crate::render::{clean, json, text};
use crate::saved::{self, Basis, Chosen, Documents, Fault, Made, SavedPlan};
use crate::systems;

use super::super::args::{CommonArgs, Compat, OrderArg, PlanArgs};
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::proceed::can_proceed;
use super::super::revision::revision;
use super::super::site::Site;
use super::super::write::{self, Readers};

/// Bytes of a saved plan, at most.
const LIMIT: u64 = 64 << 20;
/// How many times the memory of a document's byte one of its bytes takes.
const TIMES: u64 = 3;

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
                "--out needs PATHs: `planner proceed` could not read standard input again",
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
    if plan.verdict() > Quality::Ready {
        console.err(&format!(
            "planner: {name} was not written: a plan that failed is not saved\n"
        ));
        return Ok(());
    }
    // What was found is not saved.
    let found = Sink::default();
    let answer = json::PlanAnswer::new(plan, &found, &loaded.sources).saved(plan);
    let mut written = Bounded::default();
    let failed =
        |error: anyhow::Error| Failure::of(Exit::Fault, error).context("cannot save the plan");
    answer
        .write_json(session.request.jobs, &mut written)
        .map_err(|error| failed(error.into()))?;
    check_size(written.bytes, &name)?;
    let here = env::current_dir().unwrap_or_default();
    let paths = session
        .request
        .paths
        .iter()
        .map(|path| relative(path, &here))
        .collect();
    let made = Made {
        directory: directory(target.path, &here),
        paths,
        options: chosen(&args.common, &args.package, &here),
        basis: basis(plan, session.seen),
        documents: documents(loaded),
        revision: revision(session, loaded),
    };
    let saved = SavedPlan::of(&written.kept, made).map_err(|error| failed(error.into()))?;
    drop(written);
    let text = json::text(&saved);
    check_size(text.len() as u64, &name)?;
    write::replace(target.path, Readers::Owner, |out| {
        out.write_all(text.as_bytes())
    })
    .map_err(|fault| fault.of(&name))?;
    let is_told = on_screen && args.section.is_none() && plan.quality == Quality::Ready;
    let lines = if can_proceed(plan) {
        let flags = saved.options.flags();
        let words = flags.iter().flatten().map(|word| shell_word(word));
        let flags = words.map(|word| format!("{word} "));
        let flags = flags.collect::<String>();
        let word = shell_word(&name);
        format!(
            "\nSaved {name}. To show it, and to proceed with it:\n    planner show {word}\n    \
             planner proceed {word} {}--digest {}\n",
            clean(&flags),
            saved.digest
        )
    } else if is_told {
        format!("\nSaved {name}.\n")
    } else {
        format!("\nSaved {name}. {}\n", text::unrecorded(plan))
    };
    if on_screen {
        console.out(&lines)?;
    } else {
        console.note(lines.trim_start());
    }
    Ok(())
}

/// Keeps what is written as long as it is no more than a saved plan may have, and counts the rest.
#[derive(Debug, Default)]
struct Bounded {
    kept: Vec<u8>,
    bytes: u64,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes <= LIMIT {
            self.kept.extend_from_slice(bytes);
        } else {
            self.kept = Vec::new();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses to write a plan that could not be read again.
fn check_size(bytes: u64, name: &str) -> Result<(), Failure> {
    if bytes <= LIMIT {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Fault,
        format!(
            "{name} was not written: it would have {bytes} bytes, but a saved plan may have at \
             most {LIMIT}; plan fewer PATHs or Packages at once"
        ),
    ))
}

/// The basis of the plan: the newest record, and the newest Deployment of each Package.
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
        hub: plan.site.hub.as_ref().map(|_| current(plan)),
    }
}

/// The digest over the clusters and the current decisions that a plan over a hub starts from.
fn current(plan: &Plan<'_, '_>) -> String {
    let mut digest = Documents::default();
    let documents = plan.site.documents.all.iter();
    let clusters = documents.filter(|document| document.kind == DocumentKind::ManagedCluster);
    let names: BTreeSet<&str> = clusters.filter_map(|cluster| cluster.name()).collect();
    for name in names {
        digest.add(name, b"");
    }
    let rows = systems::rows(plan);
    for row in rows.filter(|row| row.section == Section::Placements) {
        digest.add(&row.name.to_string(), b"placement");
        let was = row.facts.was();
        for name in was.iter().flat_map(Answer::names) {
            digest.add(name, b"decision");
        }
    }
    digest.finish()
}

/// The digest over all files that were read.
pub(super) fn documents(loaded: &Loaded) -> String {
    digest(loaded, None)
}

/// The same with the configuration.
pub(in crate::cli) fn digest(loaded: &Loaded, config: Option<&[u8]>) -> String {
    let mut all = Documents::default();
    for source in &loaded.sources.files {
        all.add(&source.name, source.text.as_bytes());
    }
    if let Some(config) = config {
        all.add("", config);
    }
    all.finish()
}

/// The flags that change an outcome, as a saved plan has them.
pub(in crate::cli) fn options(common: &CommonArgs) -> Vec<String> {
    let here = env::current_dir().unwrap_or_default();
    let flags = chosen(common, &[], &here).flags();
    flags.iter().map(|flag| flag.join(" ")).collect()
}

/// The directory a plan is made in, as seen from that of its file; none where the file is a stream,
/// which is in no directory.
fn directory(file: &Path, here: &Path) -> Option<String> {
    if file.exists() && !file.is_file() {
        return None;
    }
    let home = match file.canonicalize() {
        Ok(file) => file.parent()?.to_path_buf(),
        Err(_) => here.join(file).parent()?.canonicalize().ok()?,
    };
    Some(relative(&here.canonicalize().ok()?, &home))
}

/// The options that change an outcome, where they are not the defaults.
fn chosen(common: &CommonArgs, packages: &[String], here: &Path) -> Chosen {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| relative(path, here));
    Chosen {
        allow_commands: common.allow_commands,
        compat: (common.compat == Some(Compat::Upstream)).then_some(saved::Compat::Upstream),
        config: path(&common.config),
        hub: path(&common.hub),
        no_prune: common.no_prune,
        order: (common.order == OrderArg::Stack).then_some(saved::Order::Stack),
        packages: packages.to_vec(),
        records: path(&common.records),
        rendered: common.rendered,
        same_node: common.same_node,
        site: common.site.clone(),
    }
}

/// Where a plan was made, and where this program was started.
#[derive(Debug, Clone)]
pub(super) struct Homes {
    /// The directory the plan was made in.
    pub(super) theirs: PathBuf,
    /// The working directory as it was at first.
    pub(super) ours: PathBuf,
}

impl Homes {
    /// Whether a path of the plan and one that was typed are the same place.
    fn same(&self, saved: &str, typed: &Path) -> bool {
        let real = |path: PathBuf| path.canonicalize().unwrap_or_else(|_| lexical(&path));
        real(self.theirs.join(saved)) == real(self.ours.join(typed))
    }
}

/// Refuses other options than those a plan was saved with: what a file says is no consent. Gives
/// the flags with their paths as seen from where the plan was made.
///
/// # Errors
/// Options that are others (64).
pub(super) fn with_options(
    saved: &SavedPlan,
    typed: &CommonArgs,
    packages: &[String],
    homes: &Homes,
    name: &str,
) -> Result<CommonArgs, Failure> {
    if typed.keep_going {
        return Err(Failure::usage(
            "--keep-going: such a plan is never saved or applied",
        ));
    }
    let mut args = typed.clone();
    let theirs = &saved.options;
    for (typed, saved) in [
        (&mut args.config, &theirs.config),
        (&mut args.hub, &theirs.hub),
        (&mut args.records, &theirs.records),
    ] {
        let Some(path) = typed else {
            continue;
        };
        *typed = match saved {
            Some(saved) if homes.same(saved, path) => Some(saved.into()),
            _ => Some(homes.ours.join(&*path)),
        };
    }
    let (wanted, given) = (
        theirs.flags(),
        chosen(&args, packages, &homes.theirs).flags(),
    );
    let missing = wanted.iter().filter(|flag| !given.contains(flag));
    let missing: Vec<String> = missing.map(|flag| flag.join(" ")).collect();
    if let Some(other) = given.iter().find(|flag| !wanted.contains(flag)) {
        return Err(Failure::usage(format!(
            "{name} was saved without {}; leave it out, or plan again",
            clean(&other.join(" "))
        )));
    }
    if !missing.is_empty() {
        return Err(Failure::usage(format!(
            "{name} was saved with {}; give it again: options are not taken from the file",
            clean(&missing.join(" "))
        )));
    }
    Ok(args)
}

/// Reads a saved plan.
///
/// # Errors
/// No such file (66); not a saved plan, or not all of one (1); a newer format (78).
pub(super) fn read(path: &Path) -> Result<SavedPlan, Failure> {
    let name = clean(&path.to_string_lossy()).into_owned();
    let text = read_text(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Failure::new(Exit::NoInput, format!("{name}: there is no such file"))
        }
        _ => Failure::system(error, format!("cannot read {name}")),
    })?;
    SavedPlan::read(&text).map_err(|fault| {
        let exit = match fault {
            Fault::Newer(_) => Exit::Config,
            _ => Exit::Fault,
        };
        Failure::new(exit, fault.to_string()).context(name)
    })
}

fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len().min(LIMIT);
    room::check(|| size * TIMES).map_err(io::Error::other)?;
    let text = read_file(path, LIMIT)?;
    if text.len() as u64 > LIMIT {
        Err(io::Error::other(format!(
            "it is larger than a saved plan may be ({LIMIT} bytes)"
        )))
    } else {
        Ok(text)
    }
}

/// Whether a file calls itself a saved plan.
pub(super) fn is_saved_plan(path: &Path) -> bool {
    path.is_file() && read_text(path).is_ok_and(|text| saved::is_one(&text))
}

/// The directory that a saved plan was made in.
///
/// The file says where that is as seen from its own; it counts if it is the working directory, or
/// lies above or below that of the file. Where the file has been moved, the PATHs have to be there
/// by their names: `.` is everywhere, so it says nothing.
///
/// # Errors
/// There is none (1).
pub(super) fn homes(saved: &SavedPlan, file: &Path) -> Result<Homes, Failure> {
    let here = env::current_dir().and_then(|here| here.canonicalize());
    let here = here.map_err(|error| Failure::system(error, "no working directory"))?;
    let file = file.canonicalize().unwrap_or_else(|_| here.join(file));
    let above = || file.ancestors().skip(1);
    let all_there = |home: &Path| saved.paths.iter().all(|path| home.join(path).exists());
    let said = saved.directory.as_deref().zip(file.parent());
    let said = said.and_then(|(directory, home)| home.join(directory).canonicalize().ok());
    let near = |home: &PathBuf| {
        let below = file.parent().is_some_and(|own| home.starts_with(own));
        *home == here || below || above().any(|above| above == home)
    };
    let said = said.filter(near);
    let named = |path: &String| Path::new(path).components().any(is_name);
    let by_name = || {
        let mut homes = std::iter::once(here.as_path()).chain(above());
        let all_named = saved.paths.iter().all(named);
        homes.find(|home| all_named && all_there(home))
    };
    let found = said.filter(|home| all_there(home));
    match found.or_else(|| by_name().map(Path::to_path_buf)) {
        Some(theirs) => Ok(Homes { theirs, ours: here }),
        None => Err(Failure::new(
            Exit::Fault,
            format!(
                "{}: the site it was made from ({}) is not here; run this where the plan was made",
                clean(&file.to_string_lossy()),
                clean(&saved.paths.join(" "))
            ),
        )),
    }
}

/// The same; the working directory where nothing says better: nothing will be written.
///
/// # Errors
/// There is no working directory (1).
pub(super) fn homes_or_here(saved: &SavedPlan, file: &Path) -> Result<Homes, Failure> {
    homes(saved, file).or_else(|_| {
        let here = env::current_dir();
        let here = here.map_err(|error| Failure::system(error, "no working directory"))?;
        let ours = here.clone();
        Ok(Homes { theirs: here, ours })
    })
}

fn is_name(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(_))
}

/// The file without links, which stays what it is wherever the program goes.
pub(super) fn own(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_path_buf())
}

/// Makes the directory that a plan was made in the working directory.
///
/// # Errors
/// It cannot be entered (1).
pub(super) fn go_home(homes: &Homes) -> Result<(), Failure> {
    let home = &homes.theirs;
    env::set_current_dir(home)
        .map_err(|error| Failure::system(error, format!("cannot change to {}", home.display())))
}

/// Refuses other PATHs than those that a plan was made of.
///
/// # Errors
/// PATHs that are others (64).
pub(super) fn same_paths(
    saved: &SavedPlan,
    typed: &[PathBuf],
    homes: &Homes,
    name: &str,
) -> Result<(), Failure> {
    let same = |(saved, typed): (&String, &PathBuf)| homes.same(saved, typed);
    let all = || saved.paths.iter().zip(typed).all(same);
    if typed.is_empty() || (typed.len() == saved.paths.len() && all()) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{name} was made from other PATHs: {}",
        clean(&saved.paths.join(" "))
    )))
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
    fn what_is_written_can_be_read() {
        assert!(check_size(LIMIT, "shop.plan").is_ok());
        let refused = check_size(LIMIT + 1, "shop.plan").unwrap_err();
        assert_eq!(refused.exit, Exit::Fault);
    }

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
