//! `planner migrate`: PlacementRules to Placements, as a diff or in the files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Sink;
use crate::document::System;
use crate::kit::nearest::{hint, nearest};
use crate::kit::plural::first_names;
use crate::load::git::GitFault;
use crate::load::{Snapshot, repository};
use crate::migrate::{Asked, Migration, migrate};
use crate::render::text::Screen;
use crate::render::{self, clean, json, text};
use crate::source::{Source, SourceId};
use crate::workspace::git;
use crate::{plan, site};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::MigrateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::MigrateFormat;
use super::session::Session;
use super::site::{Planned, Site};
use super::{fixes, progress};

/// Files that a message names.
const NAMED: usize = 3;
/// Said where there is nothing to migrate.
const NOTHING: &str = "nothing to migrate: there is no PlacementRule of \
                       apps.open-cluster-management.io/v1";

/// Runs the command.
///
/// # Errors
/// Bad arguments, uncommitted changes, files that cannot be written.
pub(super) fn run(args: &MigrateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    if args.write && args.input.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage(
            "--write writes files; for standard input planner can only show the diff",
        ));
    }
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        // It edits the files as they stand.
        session.request.unbuilt = true;
        session.options.systems = vec![System::Ocm];
        session.options.keep_going = true;
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        check_allowed(args, site)?;
        let asked = Asked {
            by_taints: args.by_taints,
            allow: args.allow.clone(),
        };
        let prove = || proven(site, plan, &asked);
        let migration = progress::watch(console, || progress::Doing::from("Proving…"), prove)?;
        let texts = migration.texts();
        let writes = args.write && !migration.is_harmful() && !texts.is_empty();
        if writes {
            let unread = unread(site);
            if !args.allow_unread {
                refuse_unread(&unread)?;
            }
            if !args.allow_dirty {
                refuse_uncommitted(site, &texts)?;
            }
            fixes::write(&texts, console)?;
            if !unread.is_empty() {
                let named = unread.iter().map(|name| clean(name));
                console.note(&format!(
                    "Not read, and may still name a PlacementRule: {}\n",
                    named.collect::<Vec<_>>().join(", ")
                ));
            }
        }
        let mut outputs = run.outputs.all().iter();
        let says_why = outputs.any(|output| output.format != MigrateFormat::Diff);
        if !(says_why || migration.rules.is_empty() || migration.is_whole()) {
            console.note(
                "The diff does not migrate everything: `planner migrate` without `-o diff` says \
                 what is left, and why.\n",
            );
        }
        let found = site.report(&[&plan.findings]);
        let outcome = outcome(&migration, found.refused());
        let (sources, checked) = (site.sources(), site.checked);
        let answer = Migrated {
            site,
            plan,
            migration,
            written: writes,
            shows: !args.write,
            terminal: console.stdout,
            found: found.clone(),
        };
        Ok(Answer::new(answer, outcome)
            .errors(&found, sources)
            .of_hub(checked))
    })
}

/// Refuses rules to be allowed that are not there.
fn check_allowed(args: &MigrateArgs, site: Site) -> Result<(), Failure> {
    let rules = &site.checked.delivery.rules;
    for name in &args.allow {
        let whole = |id: &crate::delivery::id::Id<'_>| id.full_name().to_string();
        let names: Vec<String> = rules
            .iter()
            .flat_map(|rule| [rule.id.name.to_owned(), whole(&rule.id)])
            .collect();
        if !names.contains(name) {
            let near = nearest(name, names.iter().map(String::as_str));
            let hint = hint(near.as_slice());
            let message = format!("--allow {name}: there is no such PlacementRule{hint}");
            return Err(Failure::usage(message));
        }
    }
    Ok(())
}

/// The Placements for the rules, as planned over generated clusters and over those at hand.
fn proven(site: Site, plan: Planned, asked: &Asked) -> Result<Migration, Failure> {
    let options = &site.session.options;
    let mut migration = migrate(site.checked, asked, options);
    loop {
        let texts = migration.texts();
        if texts.is_empty() {
            return Ok(migration);
        }
        let after = texts.into_iter().map(|(name, (_, after))| (name, after));
        let loaded = site.session.again(after.collect())?;
        let checked = site::check(&loaded, &site.session.settings);
        let again = plan::make(&checked, options);
        if !migration.settle(plan, &again) {
            return Ok(migration);
        }
    }
}

fn outcome(migration: &Migration, refused: bool) -> Outcome {
    if migration.rules.is_empty() {
        return if refused {
            Outcome::Fault
        } else {
            Outcome::nothing(NOTHING)
        };
    }
    if refused || !migration.is_whole() {
        Outcome::Fault
    } else {
        Outcome::Fine
    }
}

/// The names of the files that may name a rule in documents that were not read. A text without
/// these words has no reference, whatever fills it in.
fn unread(site: Site) -> Vec<&'static str> {
    let may_name = |(source, is_known): (&SourceId, &bool)| {
        let file = site.sources().get(*source);
        let text = file.text.to_lowercase();
        let named = text.contains("placement") || text.contains("clusterdecisionresource");
        (named || !is_known).then_some(file.name.as_str())
    };
    site.loaded.unread.iter().filter_map(may_name).collect()
}

/// Refuses to write where a reference could go on naming a rule that is gone.
fn refuse_unread(unread: &[&str]) -> Result<(), Failure> {
    if unread.is_empty() {
        return Ok(());
    }
    let count = unread.iter();
    let named = first_names(count.map(|name| clean(name)), NAMED);
    let message = format!(
        "nothing was written: planner cannot read these files, and they may name a \
         PlacementRule: {named}; correct or render them, leave them out with `exclude`, or pass \
         --allow-unread"
    );
    Err(Failure::new(Exit::Fault, message))
}

/// The real path of each file of a site that is in a repository, with the root of the innermost
/// one.
fn tracked(site: Site) -> Vec<(PathBuf, PathBuf, &'static Source)> {
    let hub = site.loaded.hub.as_ref().map(|hub| hub.source);
    let files = site.sources().files.iter().zip((0..).map(SourceId));
    let files = files.filter(|(_, source)| Some(*source) != hub);
    let file = |(file, _): (&'static Arc<Source>, SourceId)| {
        let path = site.session.request.directory.join(&file.name);
        let path = path.canonicalize().ok()?;
        let top = repository(&path)?.to_path_buf();
        Some((path, top, &**file))
    };
    files.filter_map(file).collect()
}

/// Refuses to write where files differ from what is committed: the change could not be told from
/// them, nor taken back. Outside of a repository nothing is known of that.
fn refuse_uncommitted(
    site: Site,
    texts: &BTreeMap<String, (String, String)>,
) -> Result<(), Failure> {
    let request = &site.session.request;
    let paths = request.paths.iter();
    let paths: Vec<PathBuf> = paths.filter_map(|path| path.canonicalize().ok()).collect();
    let files = tracked(site);
    let tops: BTreeSet<&PathBuf> = files.iter().map(|(_, top, _)| top).collect();
    let mut heads: BTreeMap<&PathBuf, Snapshot> = BTreeMap::new();
    for top in tops {
        let inside = paths.iter().filter(|path| path.starts_with(top));
        let mut asked: Vec<PathBuf> = inside.cloned().collect();
        // A repository below a PATH is asked for whole; so is one that links lead into.
        if files
            .iter()
            .any(|(path, own, _)| own == top && !asked.iter().any(|above| path.starts_with(above)))
        {
            asked = vec![top.clone()];
        }
        let git = git();
        match git.read("HEAD", &asked, top, request.limits.file_bytes) {
            Ok(head) => drop(heads.insert(top, head)),
            Err(GitFault::NoRepository(_)) => {}
            // A repository without a commit has nothing that is committed.
            Err(GitFault::NoRevision) => return Err(dirty(texts.keys())),
            Err(_) => {
                let message = format!(
                    "git cannot tell whether {} has uncommitted changes; --allow-dirty writes \
                     anyway",
                    clean(&asked[0].to_string_lossy())
                );
                return Err(Failure::new(Exit::Fault, message));
            }
        }
    }
    let mut changed: BTreeSet<&String> = BTreeSet::new();
    for (path, top, file) in &files {
        let Some(head) = heads.get(top) else {
            continue;
        };
        // Git may keep the ends of lines in another form.
        let same = |committed: &[u8]| {
            let own = file.text.bytes().filter(|byte| *byte != b'\r');
            own.eq(committed.iter().copied().filter(|byte| *byte != b'\r'))
        };
        let is_changed = match head.content(path) {
            Some(committed) => !same(committed),
            None => texts.contains_key(&file.name),
        };
        if is_changed {
            changed.insert(&file.name);
        }
    }
    if changed.is_empty() {
        Ok(())
    } else {
        Err(dirty(changed.into_iter()))
    }
}

fn dirty<'n>(files: impl ExactSizeIterator<Item = &'n String>) -> Failure {
    let named = first_names(files.map(|name| clean(name)), NAMED);
    let message = format!(
        "nothing was written: these files have uncommitted changes: {named}; commit or stash \
         them, or pass --allow-dirty"
    );
    Failure::new(Exit::Fault, message)
}

/// The Placements for the rules, and the changed texts.
struct Migrated {
    site: Site,
    plan: Planned,
    migration: Migration,
    written: bool,
    /// Whether the diff is part of the screen.
    shows: bool,
    terminal: bool,
    found: Sink,
}

impl Migrated {
    fn diff(&self, terminal: Option<&Screen>) -> String {
        let texts = self.migration.texts();
        let files = texts.iter();
        let files = files.map(|(name, (before, after))| (&**name, &**before, &**after));
        render::patch(files, terminal)
    }
}

impl Data<MigrateFormat> for Migrated {
    fn write(&self, format: MigrateFormat, out: &mut Out<'_>) -> io::Result<()> {
        let sources = self.site.sources();
        let now = self.plan.now.to_string();
        let data = || {
            let (written, found) = (self.written, &self.found);
            json::MigrationAnswer::new(&self.migration, written, now, found, sources)
        };
        let screen = out.screen;
        let terminal = Some(&screen).filter(|_| self.terminal && out.is_stdout);
        match format {
            MigrateFormat::Json => out.json(&data()),
            MigrateFormat::Yaml => out.yaml(&data()),
            MigrateFormat::Diff => out.text(&self.diff(terminal)),
            MigrateFormat::Text => {
                out.begin()?;
                if self.shows {
                    let diff = self.diff(terminal);
                    out.text(&diff)?;
                    if !diff.is_empty() {
                        out.text("\n")?;
                    }
                }
                out.page(&text::migration(&self.migration, sources, &out.screen))
            }
        }
    }
}
