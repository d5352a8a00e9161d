//! `--fix` and `--diff`: edits in rounds until nothing is left, written whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use similar::TextDiff;

use crate::diagnostic::Sink;
use crate::fix;
use crate::kit::plural::plural;
use crate::load::Loaded;
use crate::plan;
use crate::render::{clean, clean_lines};
use crate::site;
use crate::source::{SourceId, Sources};

use super::args::ValidateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::session::{self, Session};
use super::write::{Change, Refused};

/// Rounds after which the rest is left: edits that undo one another would go on for ever.
const ROUNDS: usize = 16;

/// Refuses what cannot be.
///
/// # Errors
/// Bad arguments.
pub(super) fn guard(args: &ValidateArgs) -> Result<(), Failure> {
    let stdin = args.input.paths.iter().any(|path| path.as_os_str() == "-");
    if args.fix && stdin {
        return Err(Failure::usage(
            "--fix writes files; standard input can only be shown with --diff",
        ));
    }
    if args.unsafe_fixes && !args.fix && !args.diff {
        return Err(Failure::usage("--unsafe-fixes needs --fix or --diff"));
    }
    if args.diff && args.output.iter().any(|output| !output.contains('=')) {
        return Err(Failure::usage(
            "--diff takes the place of the findings; give --output a file, FORMAT=FILE",
        ));
    }
    Ok(())
}

/// A site's files in the making.
#[derive(Default)]
struct Edited {
    /// The new texts, by name.
    texts: BTreeMap<String, String>,
    /// What they were.
    before: BTreeMap<String, String>,
    /// Files in which edits made a new fault; left as they are.
    frozen: BTreeSet<String>,
    /// How many edits each file has seen.
    applied: BTreeMap<String, usize>,
    overlapping: usize,
}

/// Works out the edits; with `--fix` writes them. Gives the diff if one is wanted.
///
/// # Errors
/// Files that cannot be written or have changed meanwhile.
pub(super) fn run(
    args: &ValidateArgs,
    session: &Session,
    loaded: &Loaded,
    console: &Console,
) -> Result<Option<String>, Failure> {
    let edited = rounds(args, session, loaded)?;
    if args.fix {
        write(&edited, console)?;
    }
    report(args, &edited, console);
    Ok(args.diff.then(|| diff(&edited, console)))
}

fn rounds(args: &ValidateArgs, session: &Session, loaded: &Loaded) -> Result<Edited, Failure> {
    let mut edited = Edited::default();
    let records = session.request.records.clone();
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    let mut last: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let again = match round {
            0 => None,
            _ => Some(session.again(edited.texts.clone())?),
        };
        let loaded = again.as_ref().unwrap_or(loaded);
        let checked = site::check(loaded, &session.rules);
        let plan = plan::make(&checked, &session.options);
        let sink = session::validated(&checked, &plan, &Sink::default());
        let sources = &loaded.sources;
        let now = faults(&sink, sources);
        let count = |of: &BTreeMap<String, usize>, name: &String| of.get(name).copied();
        let worse: Vec<String> = last
            .drain(..)
            .filter(|name| count(&now, name) > count(&errors, name))
            .collect();
        if !worse.is_empty() {
            for name in worse {
                edited.texts.remove(&name);
                edited.applied.remove(&name);
                edited.frozen.insert(name);
            }
            continue;
        }
        errors = now;
        let frozen = |source: SourceId| {
            let name = &sources.get(source).name;
            let recorded = records
                .as_deref()
                .is_some_and(|records| Path::new(name).starts_with(records));
            recorded || edited.frozen.contains(name)
        };
        let made = fix::apply(&sink.diagnostics, sources, args.unsafe_fixes, frozen);
        edited.overlapping = made.overlapping;
        if made.texts.is_empty() {
            break;
        }
        for (source, (text, count)) in made.texts {
            let source = sources.get(source);
            let before = || source.text.clone();
            edited
                .before
                .entry(source.name.clone())
                .or_insert_with(before);
            edited.texts.insert(source.name.clone(), text);
            *edited.applied.entry(source.name.clone()).or_default() += count;
            last.push(source.name.clone());
        }
    }
    Ok(edited)
}

/// How many faults of YAML itself each file has. Others may come up when one is fixed: a
/// document that is no longer refused is looked at more closely.
fn faults(sink: &Sink, sources: &Sources) -> BTreeMap<String, usize> {
    let mut faults = BTreeMap::new();
    for found in &sink.diagnostics {
        if let Some(label) = found.primary.as_ref()
            && found.rule.code.starts_with("planner::yaml::")
        {
            let name = sources.get(label.place.source).name.clone();
            *faults.entry(name).or_default() += 1;
        }
    }
    faults
}

/// Writes the files. All are looked at before the first is written.
fn write(edited: &Edited, console: &Console) -> Result<(), Failure> {
    let refused = |name: &str, why: Refused| {
        let name = clean(name);
        let message = match why {
            Refused::Changed => format!("{name} has changed since it was read; run again"),
            Refused::Because(why) => format!("cannot write {name}: {}", clean(&why)),
        };
        Failure::new(Exit::Fault, message)
    };
    let mut changes = Vec::new();
    for (name, text) in &edited.texts {
        let before = edited.before.get(name).map_or("", String::as_str);
        let change = Change::of(Path::new(name), before.as_bytes());
        changes.push((name, text, change.map_err(|why| refused(name, why))?));
    }
    for (name, text, change) in changes {
        change
            .write(text.as_bytes())
            .map_err(|why| refused(name, why))?;
        console.note(&format!("Wrote {}\n", clean(name)));
    }
    Ok(())
}

fn report(args: &ValidateArgs, edited: &Edited, console: &Console) {
    let how = if args.fix {
        "made"
    } else {
        "to be made with --fix"
    };
    console.note(&match edited.applied.values().sum() {
        0 => "No edits to make.\n".to_owned(),
        count => format!("{} {how}.\n", plural(count, "edit")),
    });
    if edited.overlapping > 0 {
        let count = edited.overlapping;
        console.note(&format!("{count} left: they overlap others; run again.\n"));
    }
    for name in &edited.frozen {
        console.note(&format!(
            "{}: left as it is; its fixes would have made a new fault.\n",
            clean(name)
        ));
    }
}

fn diff(edited: &Edited, console: &Console) -> String {
    let mut out = String::new();
    for (name, text) in &edited.texts {
        let before = edited.before.get(name).map_or("", String::as_str);
        let diff = TextDiff::from_lines(before, text);
        let mut diff = diff.unified_diff();
        let diff = diff.header(&format!("a/{name}"), &format!("b/{name}"));
        out.push_str(&diff.to_string());
    }
    // A patch in a pipe must stay what it is; a terminal must not be steered by it.
    if console.stdout {
        clean_lines(&out).into_owned()
    } else {
        out
    }
}
