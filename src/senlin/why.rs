//! Why a region gets the nodes it gets: the arithmetic of a policy step by step.

use crate::document::System;
use crate::kit::plural::plural;
use crate::why::{Candidate, DecidedBy, Verdict, Why};

use super::engine::allot::{Allotment, Direction, Distribution};
use super::engine::resize::Resize;
use super::engine::{Basis, Check, CheckStatus, Outcome, PlanCheck};
use super::{Planned, Regions};

/// The subjects that can be asked about: the files that hold a plan.
pub fn subjects<'m>(regions: &'m Regions<'_, '_>) -> impl Iterator<Item = &'m str> {
    regions.planned.iter().map(|planned| planned.set.path)
}

/// The reasons for the policy of a file; `None` for a file without a plan. If the question names
/// one region, only that region is checked.
#[must_use]
pub fn why(
    regions: &Regions<'_, '_>,
    path: &str,
    asked: Option<&str>,
    plan: PlanCheck,
) -> Option<Why> {
    let named = |planned: &&Planned<'_, '_>| planned.set.path == path;
    let planned = regions.planned.iter().find(named)?;
    let (check, outcome) = (planned.check, &planned.outcome);
    Some(Why {
        steps: steps(check, outcome),
        candidates: candidates(check, outcome, asked, plan),
        decided_by: decided_by(outcome),
        placed: outcome.answer == CheckStatus::Done,
        ..Why::new(System::Senlin, path)
    })
}

fn steps(check: Check<'_, '_>, outcome: &Outcome) -> Vec<String> {
    let mut steps = number(check, outcome);
    if let Some(found) = &outcome.distribution {
        steps.extend(sums(found, outcome.number));
    }
    match &outcome.answer {
        CheckStatus::Error(reason) => steps.push(format!("answer: ERROR, {reason}")),
        CheckStatus::Done => steps.push("answer: OK".to_owned()),
    }
    steps
}

/// How many nodes, and where the number comes from.
fn number(check: Check<'_, '_>, outcome: &Outcome) -> Vec<String> {
    let name = check.action.name;
    let n = outcome.number;
    match &outcome.basis {
        Basis::NotTriggered => vec![format!("{name}: the policy does not apply to this action")],
        Basis::Data { side, counted } => {
            let entry = side.entry();
            let whence = if *counted {
                format!("data.{entry}.count")
            } else {
                format!("data.{entry} has no count, which means 1")
            };
            vec![format!("{name}: N = {n}, from {whence}")]
        }
        Basis::Inputs { counted } => {
            let whence = if *counted {
                "inputs.count"
            } else {
                "no count, which means 1"
            };
            vec![format!("{name}: N = {n}, from {whence}")]
        }
        Basis::Node { region: true } => {
            vec![format!(
                "{name}: the profile names a region, so there is nothing to choose"
            )]
        }
        Basis::Node { region: false } => {
            vec![format!("{name}: N = 1, the profile names no region")]
        }
        Basis::Resize(resize) => resized(check, resize),
    }
}

fn resized(check: Check<'_, '_>, resize: &Resize) -> Vec<String> {
    let Resize {
        current,
        percentage,
        asked,
        target,
        change,
    } = resize;
    let whence = if check.cluster.size == 0 {
        "desired_capacity"
    } else {
        "the current number of nodes"
    };
    let mut steps = vec![format!(
        "{}: current = {current}, {whence}",
        check.action.name
    )];
    if let Some(step) = percentage {
        let cut = if step.change == step.rounded {
            String::new()
        } else {
            format!(", by min_step {}", step.change)
        };
        steps.push(format!(
            "change = {} nodes, rounded {}{cut}",
            decimals(step.delta),
            step.rounded
        ));
    }
    let limited = if target == asked {
        ""
    } else {
        ", cut to the limits"
    };
    steps.push(if target == asked {
        format!("target = {target}")
    } else {
        format!("target = {asked}{limited}: {target}")
    });
    if let Ok(change) = change {
        steps.push(format!("N = {target} - {current} = {change}"));
    }
    steps
}

/// Total and sum of weights.
fn sums(found: &Distribution, number: i128) -> Vec<String> {
    let Distribution {
        weights,
        nodes,
        total,
        ..
    } = found;
    let sign = if number < 0 { '-' } else { '+' };
    let (order, rounding) = match Direction::of(number) {
        Direction::Grow => ("the heaviest first", "up, then cut to the cap"),
        Direction::Shrink => ("the lightest first", "down; caps do not count"),
    };
    let mut steps = vec![
        format!(
            "total = {} there {sign} {} = {total}",
            plural(*nodes, "node"),
            number.abs()
        ),
        format!("share = {total} x weight / {weights}, rounded {rounding}"),
        format!("regions are processed in turn, {order}; equal weights in the order of the policy"),
    ];
    if found.remain > 0 {
        steps.push(format!("{} left over after the last region", found.remain));
    }
    steps
}

/// Every region of the policy: the usable ones in the order they were asked, then the others, as
/// they would fare if they were known.
fn candidates(
    check: Check<'_, '_>,
    outcome: &Outcome,
    only: Option<&str>,
    plan: PlanCheck,
) -> Vec<Candidate> {
    let regions = &check.policy.regions;
    let only = only.filter(|name| regions.iter().any(|region| region.name == *name));
    let is_wanted = |name: &str| only.is_none_or(|only| only == name);
    let asked: Vec<usize> = match &outcome.distribution {
        Some(found) => found.order.iter().map(|at| *at as usize).collect(),
        None => (0..outcome.usable.len()).collect(),
    };
    let mut all: Vec<Candidate> = Vec::with_capacity(check.policy.regions.len());
    for at in asked {
        let region = &regions[outcome.usable[at] as usize];
        if !is_wanted(&region.name) {
            continue;
        }
        let mut verdicts = vec![Verdict::new("Known Region", true, "the region exists")];
        verdicts.extend(stages(check, outcome, at));
        let chosen = outcome.change(at) != 0;
        all.push(Candidate::new(&*region.name, chosen, verdicts));
    }
    let known = check.cluster.known.iter().zip(regions).zip(0_u32..);
    let unknown = known.filter(|((known, _), _)| !**known);
    for ((_, region), position) in unknown.filter(|((_, region), _)| is_wanted(&region.name)) {
        let mut verdict = Verdict::new(
            "Known Region",
            false,
            "the region is not among the known regions",
        )
        .at(region.place, "the policy names it here");
        if let Some(place) = check.cluster.known_place {
            verdict = verdict.at(place, "the regions that exist");
        }
        let mut verdicts = vec![verdict];
        verdicts.extend(if_known(check, position, plan));
        all.push(Candidate::new(&*region.name, false, verdicts));
    }
    all
}

/// The further obstacles for an unknown region: checks again as if it were known.
fn if_known(check: Check<'_, '_>, position: u32, plan: PlanCheck) -> Vec<Verdict> {
    let mut cluster = check.cluster.clone();
    cluster.known[position as usize] = true;
    let check = Check {
        cluster: &cluster,
        ..check
    };
    match plan(check) {
        Ok(outcome) => {
            let at = outcome.usable.iter().position(|usable| *usable == position);
            at.map_or_else(Vec::new, |at| stages(check, &outcome, at))
        }
        Err(_) => {
            let reason = "with it the weights would add up to 0, so there is no plan";
            vec![Verdict::new(CHECK, false, reason)]
        }
    }
}

/// The stage that says whether there is anything to distribute.
const NUMBER: &str = "Number";
/// The stage that says whether the whole check succeeds.
const CHECK: &str = "Policy Check";

/// All stages after the first for the usable region at `at`.
fn stages(check: Check<'_, '_>, outcome: &Outcome, at: usize) -> Vec<Verdict> {
    let action = check.action;
    let number = |passes: bool, reason: String| {
        Verdict::new(NUMBER, passes, reason).at(action.name_place, action.name.to_owned())
    };
    let mut verdicts = Vec::new();
    match (&outcome.basis, &outcome.distribution) {
        (Basis::NotTriggered, _) => {
            let reason = format!("N = 0: the policy does not apply to {}", action.name);
            verdicts.push(number(false, reason));
        }
        (Basis::Resize(Resize { change: Err(_), .. }), _) => {}
        (Basis::Node { region: true }, _) => {
            let reason = "N = 0: the profile names a region, so there is nothing to choose";
            verdicts.push(number(false, reason.to_owned()));
        }
        (_, None) => verdicts.push(number(false, "N = 0: nothing to distribute".to_owned())),
        (_, Some(found)) => {
            verdicts.push(number(true, format!("N = {}", outcome.number)));
            verdicts.extend(distribution(
                check,
                outcome.number,
                found,
                &outcome.usable,
                at,
            ));
        }
    }
    if let CheckStatus::Error(reason) = &outcome.answer {
        verdicts.push(failed(check, outcome, reason));
    }
    verdicts
}

/// A check that failed as a whole, with what made it fail.
fn failed(check: Check<'_, '_>, outcome: &Outcome, reason: &str) -> Verdict {
    let Some(found) = &outcome.distribution else {
        let verdict = Verdict::new(CHECK, false, reason);
        return verdict.at(check.action.place, "this action");
    };
    let capped = |(allotment, _): &(&Allotment, &u32)| allotment.quota < allotment.rounded;
    let capped = found.allotments.iter().zip(&outcome.usable).filter(capped);
    let regions = capped.map(|(_, position)| &check.policy.regions[*position as usize]);
    let regions: Vec<_> = regions.collect();
    let names: Vec<&str> = regions.iter().map(|region| &*region.name).collect();
    let left = found.remain;
    let reason = match names.as_slice() {
        [] => format!("{reason} ({left} left over)"),
        [one] => format!("{reason} ({left} left over; the cap of {one} cuts its share)"),
        some => {
            let names = some.join(", ");
            format!("{reason} ({left} left over; caps cut the shares of {names})")
        }
    };
    let verdict = Verdict::new(CHECK, false, reason);
    regions.iter().fold(verdict, |verdict, region| {
        verdict.at(region.place, format!("cap {}", region.cap))
    })
}

/// The share of one region, and how much of it is left to give or take.
fn distribution(
    check: Check<'_, '_>,
    number: i128,
    found: &Distribution,
    usable: &[u32],
    at: usize,
) -> [Verdict; 2] {
    let position = usable[at] as usize;
    let region = &check.policy.regions[position];
    let now = check.cluster.nodes[position];
    let one = found.allotments[at];
    let before = found
        .order
        .iter()
        .take_while(|other| **other as usize != at);
    let left = number.abs()
        - before
            .map(|other| found.allotments[*other as usize].taken)
            .sum::<i128>();
    let (total, weights) = (found.total, found.weights);
    let capped = if one.quota == one.rounded {
        String::new()
    } else {
        format!(", cap {}", one.quota)
    };
    let full = match () {
        () if one.room > 0 => "",
        () if number < 0 => ": no more than its share",
        () if one.quota == 0 => ": a quota of 0",
        () if one.rounded > now => ": the cap leaves no room",
        () => ": it has its share already",
    };
    let share = format!(
        "{total} x {} / {weights} = {}, rounded {}{capped}; {} there{full}",
        region.weight,
        decimals(one.share),
        one.rounded,
        plural(now, "node")
    );
    let place = region.weight_place.unwrap_or(region.place);
    let share = Verdict::new("Share", one.room > 0, share)
        .compared(one.quota.to_string(), now.to_string())
        .at(place, format!("weight {}", region.weight));
    let verb = if number < 0 { "gives" } else { "takes" };
    let mut idle = false;
    let (passes, reason) = match one.taken {
        0 if left == 0 => (false, "nothing is left to distribute".to_owned()),
        0 => {
            idle = true;
            (false, format!("no room, so it {verb} none of {left}"))
        }
        taken => (
            true,
            format!("room for {}, so it {verb} {taken} of {left}", one.room),
        ),
    };
    let room = Verdict::new("Room", passes, reason);
    [share, Verdict { idle, ..room }]
}

fn decided_by(outcome: &Outcome) -> Option<DecidedBy> {
    let stage = |stage: &str, reason: &str| {
        Some(DecidedBy {
            stage: stage.to_owned(),
            reason: reason.to_owned(),
        })
    };
    match &outcome.answer {
        CheckStatus::Error(reason) => stage("Policy Check", reason),
        CheckStatus::Done if outcome.distribution.is_some() => {
            stage("Share", "each region's part of the total, by weight")
        }
        CheckStatus::Done => None,
    }
}

/// A number with four decimals at most; with all of them where fewer would make it whole, because
/// the result is rounded.
fn decimals(number: f64) -> String {
    let short = format!("{number:.4}");
    let short = short.trim_end_matches('0').trim_end_matches('.');
    if short.contains('.') || number.fract() == 0.0 {
        short.to_owned()
    } else {
        format!("{number}")
    }
}
