//! Each cause is reported once: findings that repeat another one become places of it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Levels, Object, Sink};
use crate::source::Place;

/// Codes of findings, and those of the findings about the same object that they tell with them.
/// What stands earlier goes first.
const TELLS: [(&str, &[&str]); 17] = [
    ("misconfigured", &["emptied", "policy_nowhere"]),
    (
        "unknown_placement",
        &["emptied", "not_registered", "orphan_decision"],
    ),
    ("addon_placement", &["orphan_decision"]),
    ("work_placement", &["orphan_decision"]),
    ("other_namespace", &["emptied", "not_registered"]),
    ("placement_reference", &["emptied", "not_registered"]),
    ("match_key", &["emptied"]),
    ("duplicate_application", &["emptied"]),
    ("application_name", &["emptied"]),
    ("destination", &["emptied"]),
    (
        "emptied",
        &[
            "addon_by_hand",
            "emptied",
            "not_registered",
            "policy_nowhere",
            "unsatisfied",
        ],
    ),
    ("rule_selector", &["policy_nowhere"]),
    ("rule_names", &["policy_nowhere"]),
    ("rule_identity", &["policy_nowhere"]),
    ("rule_field", &["policy_nowhere"]),
    ("policy_nowhere", &["unsatisfied"]),
    ("unsatisfied", &["not_registered", "selects_nothing"]),
];

/// The code of a finding about Open Cluster Management, without its family.
fn code(found: &Diagnostic) -> &'static str {
    let code = found.rule.code.strip_prefix("planner::ocm::");
    code.unwrap_or_default()
}

type Key<'f> = (&'f str, Option<&'f str>, &'f str);

fn key(object: &Object) -> Key<'_> {
    (&object.kind, object.namespace.as_deref(), &object.name)
}

/// The object that a finding is about.
fn own(found: &Diagnostic) -> Option<Key<'_>> {
    found.object.as_ref().map(key)
}

/// The object whose fault it is.
fn cause(found: &Diagnostic) -> Option<Key<'_>> {
    found.because.as_deref().map(key)
}

fn places(found: &Diagnostic) -> impl Iterator<Item = Place> {
    let all = found.primary.iter().chain(&found.related);
    all.map(|label| label.place)
}

/// Whether two findings have a cause in common: one is about the object whose fault the other is,
/// or both are about one.
fn is_one_cause(lead: &Diagnostic, other: &Diagnostic) -> bool {
    let meet = |one: Option<Key<'_>>, two: Option<Key<'_>>| one.is_some() && one == two;
    // What one finding says of an object, another of the same code does not say again.
    if lead.rule.code == other.rule.code {
        return meet(own(lead), cause(other)) && lead.because.is_none();
    }
    // One predicate may match nothing while others do.
    if code(other) == "selects_nothing" {
        let told: Vec<Place> = places(lead).collect();
        return meet(own(lead), own(other)) && places(other).all(|place| told.contains(&place));
    }
    meet(own(lead), own(other))
        || meet(own(lead), cause(other))
        || meet(cause(lead), own(other))
        || meet(cause(lead), cause(other))
}

/// Which findings are told by which others, by their numbers.
fn told_by(levels: &Levels, all: &[Diagnostic]) -> BTreeMap<usize, usize> {
    let ranks: Vec<Option<usize>> = all
        .iter()
        .map(|found| TELLS.iter().position(|(lead, _)| *lead == code(found)))
        .collect();
    let is_told = |code: &str| TELLS.iter().any(|(_, told)| told.contains(&code));
    let mut about: FxHashMap<Key<'_>, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
    for (at, found) in all.iter().enumerate() {
        if levels.is_off(found.rule.code) {
            continue;
        }
        let told = is_told(code(found));
        if ranks[at].is_none() && !told {
            continue;
        }
        for object in own(found).into_iter().chain(cause(found)) {
            let (leads, others) = about.entry(object).or_default();
            leads.extend(ranks[at].map(|_| at));
            others.extend(told.then_some(at));
        }
    }
    let mut told_by: BTreeMap<usize, usize> = BTreeMap::new();
    for (leads, others) in about.values() {
        for at in others.iter().copied() {
            let tells = |lead: &usize| {
                let (_, told) = TELLS[ranks[*lead].unwrap_or_default()];
                *lead != at && told.contains(&code(&all[at])) && is_one_cause(&all[*lead], &all[at])
            };
            let leads = leads.iter().copied().filter(tells);
            let before = told_by.get(&at).copied();
            let best = leads.chain(before).min_by_key(|lead| (ranks[*lead], *lead));
            if let Some(lead) = best {
                told_by.insert(at, lead);
            }
        }
    }
    told_by
}

/// Puts what is told again into the finding that tells it. Findings of a code that is off tell
/// nothing.
pub(super) fn fold(levels: &Levels, sink: &mut Sink) {
    let told_by = told_by(levels, &sink.diagnostics);
    let root = |mut at: usize| {
        while let Some(lead) = told_by.get(&at) {
            at = *lead;
        }
        at
    };
    let mut known: BTreeMap<usize, BTreeSet<Place>> = BTreeMap::new();
    for at in told_by.keys() {
        let other = sink.diagnostics[*at].clone();
        let lead = &mut sink.diagnostics[root(*at)];
        let known = known
            .entry(root(*at))
            .or_insert_with(|| places(lead).collect());
        // The name that was probably meant.
        let is_predicate = code(&other) == "selects_nothing";
        let near = other.help.as_deref();
        let near = near.filter(|help| is_predicate && help.starts_with("did you mean"));
        if let Some(help) = near {
            *lead = lead.clone().add_help(help);
        }
        let labels = other.primary.iter().chain(&other.related);
        let labels = labels.filter(|label| known.insert(label.place));
        lead.related.extend(labels.cloned());
    }
    let mut at = 0..;
    sink.diagnostics
        .retain(|_| at.next().is_none_or(|at| !told_by.contains_key(&at)));
}
