//! Each cause is reported once: findings that repeat another one become places of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;

use rustc_hash::FxHashMap;

use crate::delivery::rules as delivery;
use crate::diagnostic::{Diagnostic, Levels, Object, Rule, Sink};
use crate::ocm::rules as ocm;
use crate::schema::rules as schema;
use crate::source::Place;

/// Rules, and the rules whose findings about the same object theirs tell with them. What stands
/// earlier goes first.
static TELLS: [(&Rule, &[&Rule]); 18] = [
    (&ocm::DECISION_STATUS, &[&schema::UNKNOWN_FIELD]),
    (
        &ocm::MISCONFIGURED,
        &[&delivery::EMPTIED, &delivery::POLICY_NOWHERE],
    ),
    (
        &delivery::UNKNOWN_PLACEMENT,
        &[
            &delivery::EMPTIED,
            &delivery::NOT_REGISTERED,
            &ocm::ORPHAN_DECISION,
        ],
    ),
    (&delivery::ADDON_PLACEMENT, &[&ocm::ORPHAN_DECISION]),
    (&delivery::WORK_PLACEMENT, &[&ocm::ORPHAN_DECISION]),
    (
        &delivery::OTHER_NAMESPACE,
        &[&delivery::EMPTIED, &delivery::NOT_REGISTERED],
    ),
    (
        &delivery::PLACEMENT_REFERENCE,
        &[&delivery::EMPTIED, &delivery::NOT_REGISTERED],
    ),
    (&delivery::MATCH_KEY, &[&delivery::EMPTIED]),
    (&delivery::DUPLICATE_APPLICATION, &[&delivery::EMPTIED]),
    (&delivery::APPLICATION_NAME, &[&delivery::EMPTIED]),
    (&delivery::DESTINATION, &[&delivery::EMPTIED]),
    (
        &delivery::EMPTIED,
        &[
            &delivery::ADDON_BY_HAND,
            &delivery::EMPTIED,
            &delivery::NOT_REGISTERED,
            &delivery::POLICY_NOWHERE,
            &ocm::UNSATISFIED,
        ],
    ),
    (&delivery::RULE_SELECTOR, &[&delivery::POLICY_NOWHERE]),
    (&delivery::RULE_NAMES, &[&delivery::POLICY_NOWHERE]),
    (&delivery::RULE_IDENTITY, &[&delivery::POLICY_NOWHERE]),
    (&delivery::RULE_FIELD, &[&delivery::POLICY_NOWHERE]),
    (&delivery::POLICY_NOWHERE, &[&ocm::UNSATISFIED]),
    (
        &ocm::UNSATISFIED,
        &[&delivery::NOT_REGISTERED, &ocm::SELECTS_NOTHING],
    ),
];

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

fn holds(rules: &[&Rule], rule: &Rule) -> bool {
    rules.iter().any(|one| ptr::eq(*one, rule))
}

/// Whether two findings have a cause in common: one is about the object whose fault the other is,
/// or both are about one.
fn is_one_cause(lead: &Diagnostic, other: &Diagnostic) -> bool {
    let meet = |one: Option<Key<'_>>, two: Option<Key<'_>>| one.is_some() && one == two;
    // What one finding says of an object, another of the same code does not say again.
    if ptr::eq(lead.rule, other.rule) {
        return meet(own(lead), cause(other)) && lead.because.is_none();
    }
    // Another part of the document has a fault of its own.
    if ptr::eq(other.rule, &schema::UNKNOWN_FIELD) {
        let pointer = other.pointer.as_deref();
        let of_status = pointer.is_some_and(|pointer| pointer.starts_with("/status/"));
        return of_status && meet(own(lead), own(other));
    }
    // One predicate may match nothing while others do.
    if ptr::eq(other.rule, &ocm::SELECTS_NOTHING) {
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
        .map(|found| {
            TELLS
                .iter()
                .position(|(lead, _)| ptr::eq(*lead, found.rule))
        })
        .collect();
    let is_told = |rule: &Rule| TELLS.iter().any(|(_, told)| holds(told, rule));
    let mut about: FxHashMap<Key<'_>, (Vec<usize>, Vec<usize>)> = FxHashMap::default();
    for (at, found) in all.iter().enumerate() {
        if levels.is_off(found.rule.code) {
            continue;
        }
        let told = is_told(found.rule);
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
                *lead != at && holds(told, all[at].rule) && is_one_cause(&all[*lead], &all[at])
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
        let is_predicate = ptr::eq(other.rule, &ocm::SELECTS_NOTHING);
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
