//! `--fix` and `--diff`: fixes that hold, written whole or not at all.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fix::{self, Fixed, Texts};
use crate::kit::plural::plural;
use crate::render::{clean, patch};
use crate::workspace;

use super::args::ValidateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::progress;
use super::session::Session;
use super::write::{self, Change, Refused};

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
    if args.diff && args.output.words.iter().any(|output| !output.contains('=')) {
        return Err(Failure::usage(
            "--diff replaces the findings; give --output a file, FORMAT=FILE",
        ));
    }
    Ok(())
}

/// Works out the edits; with `--fix` writes them. Gives the diff if one is wanted.
///
/// # Errors
/// Files that cannot be written or have changed meanwhile.
pub(super) fn run(
    args: &ValidateArgs,
    session: &Session,
    console: &Console,
) -> Result<Option<String>, Failure> {
    let round = AtomicUsize::new(0);
    let say = || {
        let round = round.load(Ordering::Relaxed);
        progress::Doing::from(format!("Trying the fixes: round {round}…"))
    };
    let edited = progress::watch(console, say, || fixed(args, session, &round))?;
    if args.fix {
        let before = |name: &str| edited.before.get(name).cloned().unwrap_or_default();
        let texts = edited.texts.iter();
        let texts = texts.map(|(name, text)| (name.clone(), (before(name), text.clone())));
        write(&texts.collect(), console)?;
    }
    report(args, &edited, console);
    Ok(args.diff.then(|| diff(&edited, console)))
}

/// Tries the fixes in memory; each round is counted.
fn fixed(args: &ValidateArgs, session: &Session, round: &AtomicUsize) -> Result<Fixed, Failure> {
    let records = session.request.records.as_deref();
    let frozen = |name: &str| records.is_some_and(|records| Path::new(name).starts_with(records));
    let judge = |texts: &Texts, of: Option<&[u32]>| {
        round.fetch_add(1, Ordering::Relaxed);
        let loaded = session.again(texts.clone())?;
        let others = loaded.builds.other_sites.clone();
        let (settings, options) = (&session.settings, &session.options);
        let first = |of: Option<&[u32]>, count: usize| {
            let below = |at: &&u32| (**at as usize) < count;
            of.map(|of| of.iter().filter(below).copied().collect::<Vec<u32>>())
        };
        let own = first(of, loaded.documents().all.len());
        let mut judged = workspace::judged(loaded, settings, options, own.as_deref());
        for name in others {
            let mut other = session.clone();
            other.request.site = vec![name];
            let loaded = other.again(texts.clone())?;
            let before = u32::try_from(judged.documents).unwrap_or(u32::MAX);
            let of: Option<Vec<u32>> = of.map(|of| {
                let later = of.iter().filter_map(|at| at.checked_sub(before));
                later.collect()
            });
            let own = first(of.as_deref(), loaded.documents().all.len());
            let site = workspace::judged(loaded, settings, options, own.as_deref());
            judged = judged.and(site);
        }
        Ok(judged.settled())
    };
    fix::apply_all(judge, args.unsafe_fixes, &frozen)
}

/// Writes the files, each with the text that was read and the new one: all of them or none.
pub(super) fn write(
    texts: &BTreeMap<String, (String, String)>,
    console: &Console,
) -> Result<(), Failure> {
    let refused = |name: &str, why: Refused| {
        let name = clean(name);
        let message = match why {
            Refused::Changed => format!("{name} has changed since it was read; run again"),
            Refused::Because(why) => {
                return Failure::of(Exit::Fault, why).context(format!("cannot write {name}"));
            }
            Refused::Unsure(error) => return Failure::system(error, write::unsure(&name)),
        };
        Failure::new(Exit::Fault, message)
    };
    let mut changes = Vec::new();
    for (name, (before, after)) in texts {
        let change = Change::of(Path::new(name), before.as_bytes());
        let change = change.map_err(|why| refused(name, why))?;
        changes.push((name.as_str(), change, after.as_bytes()));
    }
    write::all(changes).map_err(|(name, why)| refused(name, why))?;
    for name in texts.keys() {
        console.note(&format!("Wrote {}\n", clean(name)));
    }
    Ok(())
}

fn report(args: &ValidateArgs, edited: &Fixed, console: &Console) {
    let option = if args.unsafe_fixes {
        "--fix --unsafe-fixes"
    } else {
        "--fix"
    };
    console.note(&match edited.edits.values().sum() {
        0 if edited.unasked > 0 => "No safe edits to make.\n".to_owned(),
        0 => "No edits to make.\n".to_owned(),
        count if args.fix => format!("{} made.\n", plural(count, "edit")),
        1 => format!("1 edit: {option} writes it.\n"),
        count => format!("{count} edits: {option} writes them.\n"),
    });
    if edited.unasked > 0 {
        let edits = plural(edited.unasked, "more edit");
        console.note(&format!(
            "{edits} with --unsafe-fixes, which may change what documents mean.\n"
        ));
    }
    if edited.overlapping > 0 {
        let count = edited.overlapping;
        console.note(&format!(
            "{count} left, because they overlap others; run again.\n"
        ));
    }
    for (name, title, why) in &edited.left {
        let (name, title, why) = (clean(name), clean(title), clean(why));
        console.note(&format!("{name}: not fixed ({title}): {why}\n"));
    }
}

fn diff(edited: &Fixed, console: &Console) -> String {
    let before = |name: &str| edited.before.get(name).map_or("", String::as_str);
    let texts = edited.texts.iter();
    let texts = texts.map(|(name, text)| (&**name, before(name), &**text));
    patch(texts, console.terminal().as_ref())
}
