//! `--without`: the site as if some of its things were not there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Object};
use crate::diff::{self, Cause, Diff, decisions};
use crate::options::Options;
use crate::plan::{self, Plan, Quality};
use crate::render::{Review, diagnostics, json, markdown, text};
use crate::site::{Changes, Checked, Thing};

use super::args::PlanArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::WithoutFormat;
use super::output::Outputs;
use super::progress;
use super::session::{self, Session, keep};
use super::unanswered::Inputs;

/// The site without the things that `--without` names; as it is if there are none.
///
/// # Errors
/// A name that is not understood or not there (64), with the nearest.
pub(super) fn left(
    site: &'static Checked<'static>,
    names: &[String],
) -> Result<&'static Checked<'static>, Failure> {
    if names.is_empty() {
        return Ok(site);
    }
    let things = names.iter().map(|name| {
        Thing::parse(name).map_err(|why| Failure::usage(format!("--without {name}: {why}")))
    });
    let things = things.collect::<Result<Vec<Thing>, Failure>>()?;
    let changed = site
        .changed(Changes::without(things))
        .map_err(|why| Failure::usage(format!("--without: {why}")))?;
    Ok(keep(keep(changed).check()))
}

/// `planner plan --without`: what moves against the plan of the whole site. A preview: nothing
/// is asked or written.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn plan(args: &PlanArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::parse(&args.output.words)?;
    let inputs = Inputs::of(&args.common, &args.input.paths);
    outputs.answer(&inputs, console, || moved(args, &outputs, console))
}

fn moved(
    args: &PlanArgs,
    outputs: &Outputs<WithoutFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    session.options.trace = args.trace;
    session.options.packages.clone_from(&args.package);
    let session = keep(session);
    let loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let whole = keep(progress::check(loaded, &session.rules, console));
    session::check_packages(whole, &args.package)?;
    let rest = left(whole, &args.without)?;
    let before = progress::plan(whole, &session.options, console);
    let after = progress::plan(rest, &session.options, console);
    let found = rest.report(&[&after.findings]);
    let sources = rest.documents.sources;
    let mut diff = diff::between(&decisions(&before), &decisions(&after));
    let lost = distinct(&args.without);
    give_reasons(&mut diff, &lost);
    if lost.len() > 1 && lost.len() <= ALONE {
        narrow(&mut diff, whole, &before, &lost, &session.options);
    }
    diff.add_failures(&after);
    let title = format!("Plan without {}", args.without.join(", "));
    let shown = after.shown().is_some().then_some(&diff);
    for output in outputs.answered() {
        output.emit(console, |out| {
            let data = || -> std::io::Result<Value> {
                let answer = json::PlanAnswer::new(&after, &found, sources);
                let mut value = serde_json::to_value(&answer)?;
                value["without"] = args.without.as_slice().into();
                value["moves"] = json::moves(&diff).into();
                Ok(value)
            };
            let screen = output.screen(console);
            match (output.format, shown) {
                (WithoutFormat::Json, _) => json::write_json(&data()?, out),
                (WithoutFormat::Yaml, _) => json::write_yaml(&data()?, out),
                (WithoutFormat::Markdown, Some(diff)) => {
                    let names: Vec<String> =
                        args.without.iter().map(|one| markdown::code(one)).collect();
                    let title = format!("Plan without {}", names.join(", "));
                    out.write_all(markdown::titled(diff, &title).as_bytes())
                }
                (WithoutFormat::Markdown, None) => {
                    let errors = found.count(crate::diagnostic::Severity::Error);
                    out.write_all(markdown::invalid(&title, errors, &Review::default()).as_bytes())
                }
                (WithoutFormat::Text, Some(diff)) => {
                    let mut page = text::titled(diff, &title, &screen);
                    for line in remarks(&before, &after, diff) {
                        page.line(line);
                    }
                    out.write_all(page.write(&screen).as_bytes())
                }
                (WithoutFormat::Text, None) => {
                    let page = text::invalid(&found, &screen);
                    out.write_all(page.write(&screen).as_bytes())
                }
            }
        })?;
    }
    if outputs.for_people() {
        // What was found before, and what only remarks that something is gone, is not said.
        let known = whole.report(&[&before.findings]);
        let known: Vec<&str> = known.diagnostics.iter().map(|one| &*one.message).collect();
        let reported = |one: &Diagnostic| one.is_error() && !known.contains(&&*one.message);
        let new = found.filtered(reported);
        console.err(&diagnostics::full(&new, sources, console.look_on_stderr()));
    }
    if session::nothing(whole, &before) {
        console.err("planner: nothing to plan: no document of ours was found\n");
        return Ok(Exit::NoInput);
    }
    Ok(match after.result() {
        Quality::Invalid => Exit::Fault,
        Quality::Unplaceable => Exit::Unplaceable,
        _ if !diff.moves.is_empty() && args.detailed_exitcode => Exit::Changes,
        _ => Exit::Success,
    })
}

/// Things of which each is looked at alone, at most.
const ALONE: usize = 16;

/// The names, each once.
fn distinct(names: &[String]) -> Vec<&str> {
    let mut lost: Vec<&str> = Vec::new();
    for name in names {
        if !lost.contains(&name.as_str()) {
            lost.push(name);
        }
    }
    lost
}

/// What is lost is why it moves: all of it together, for with nothing lost nothing moves.
fn give_reasons(diff: &mut Diff, lost: &[&str]) {
    let cause = |name: &&str| {
        let (kind, name) = name.split_once('/').unwrap_or(("", name));
        Cause {
            what: kind.to_owned(),
            object: Object::new(kind, name),
            pointer: String::new(),
            path: String::new(),
            before: Some(Value::from(name)),
            after: None,
            at: None,
        }
    };
    diff.causes = lost.iter().map(cause).collect();
    for moved in &mut diff.moves {
        moved.because = (0..lost.len()).collect();
        moved.confirmed = true;
    }
}

/// Of several things the one that moves something: with it there and the others lost, the move is
/// none.
fn narrow(
    diff: &mut Diff,
    whole: &Checked<'_>,
    before: &Plan<'_, '_>,
    lost: &[&str],
    options: &Options,
) {
    let old = decisions(before);
    for back in 0..lost.len() {
        let others = lost.iter().enumerate().filter(|(at, _)| *at != back);
        let others: Result<Vec<Thing>, String> =
            others.map(|(_, name)| Thing::parse(name)).collect();
        let Ok(others) = others else { continue };
        let Ok(changed) = whole.changed(Changes::without(others)) else {
            continue;
        };
        let site = changed.check();
        let now = decisions(&plan::make(&site, options));
        let open = diff
            .moves
            .iter_mut()
            .filter(|moved| moved.because.len() > 1);
        for moved in open {
            if old.get(&moved.subject) == now.get(&moved.subject) {
                moved.because = vec![back];
            }
        }
    }
}

/// Volumes that are left behind by the loss, and what no system has any more.
fn remarks(before: &Plan<'_, '_>, after: &Plan<'_, '_>, diff: &Diff) -> Vec<String> {
    let mut lines = Vec::new();
    // Those of what moves are said with the moves.
    let moves = diff
        .moves
        .iter()
        .filter(|moved| !moved.volumes_left.is_empty());
    let reported: BTreeSet<&str> = moves.map(|moved| moved.subject.name.as_str()).collect();
    let volumes = |plan: &Plan<'_, '_>| {
        let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
        let mut all = BTreeMap::new();
        for item in items {
            let name = format!("{}/{}", item.package, item.application);
            if reported.contains(name.as_str()) {
                continue;
            }
            for volume in &item.out_of_bounds {
                let key = format!(
                    "{}/{} of {}/{}",
                    volume.cluster, volume.name, item.package, item.application
                );
                all.insert(key, volume.removed_by.word());
            }
        }
        all
    };
    let known = volumes(before);
    for (volume, removed) in volumes(after) {
        if known.get(&volume) != Some(&removed)
            && (removed == "gone" || !known.contains_key(&volume))
        {
            lines.push(format!("Volume left behind: {volume}"));
        }
    }
    let none = |had: usize, has: usize, what: &str| {
        (had > 0 && has == 0).then(|| format!("No {what} left."))
    };
    let nodes = |plan: &Plan<'_, '_>| plan.strategy.as_ref().map_or(0, |one| one.site.nodes.len());
    let (had, has) = (before.site, after.site);
    lines.extend(none(
        had.ogc.clusters.len(),
        has.ogc.clusters.len(),
        "Cluster",
    ));
    lines.extend(none(
        had.ocm.clusters.len(),
        has.ocm.clusters.len(),
        "ManagedCluster",
    ));
    lines.extend(none(nodes(before), nodes(after), "node"));
    lines.extend(none(had.regions(), has.regions(), "region"));
    lines
}
