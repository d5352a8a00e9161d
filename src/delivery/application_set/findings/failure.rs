//! Why Argo CD leaves ApplicationSets as they are.

use crate::delivery::application_set::argo::generate::Why;
use crate::delivery::application_set::argo::set::Decisions;
use crate::delivery::application_set::findings::{Seen, readers};
use crate::delivery::findings::elsewhere::{has_placements, is_here, named_by};
use crate::delivery::findings::placement::{Missing, missing};
use crate::delivery::findings::say::say;
use crate::delivery::policy::read::Selects;
use crate::delivery::rules::{
    DECISION_SELECTOR, DECISION_SOURCE, EMPTIED, GENERATOR, ROLLING_STEPS, STATUS_LIST_KEY,
    TEMPLATE_LANGUAGE, TEMPLATE_PARAMETER, UNKNOWN_PLACEMENT,
};
use crate::diagnostic::{Severity, Sink};

/// Why a set is left as it is.
pub(super) fn failure(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, set) = (&seen.row.id, seen.set);
    let Some(failure) = &seen.about.failure else {
        return;
    };
    let config_maps = &seen.model.foreign.config_maps;
    let config_map = config_maps.get(&(id.namespace, config_of(seen)));
    let rule = match failure.why {
        Why::NoDecision => return no_decision(seen, sink),
        // What is not among the documents may be elsewhere, as Placements then are.
        Why::Source if !has_placements(seen.hub) && config_map.is_none() => return,
        Why::Source => &DECISION_SOURCE,
        Why::Selector => &DECISION_SELECTOR,
        Why::ListKey => &STATUS_LIST_KEY,
        Why::Generator => &GENERATOR,
        Why::Parameter => &TEMPLATE_PARAMETER,
        Why::Language => &TEMPLATE_LANGUAGE,
        Why::Steps => &ROLLING_STEPS,
    };
    let message = format!(
        "{}: the Applications of `{}` are left as they are",
        failure.message, set.id.name
    );
    let found = say(
        rule,
        id,
        (failure.place, "at fault"),
        message,
        failure.help.clone(),
    );
    let found = found.severity(Severity::Error).not_refusing();
    let read = config_map.filter(|_| matches!(failure.why, Why::Source));
    sink.push(match read {
        Some(map) => found.related(map.place, "the ConfigMap"),
        None => found,
    });
}

/// The name of the ConfigMap of the first reader of decisions.
fn config_of<'m>(seen: Seen<'m, '_>) -> &'m str {
    readers(seen.set)
        .next()
        .map_or("", |asks| asks.config_map.text)
}

/// A selector that finds no decision.
fn no_decision(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, failure) = (&seen.row.id, &seen.about.failure);
    let Some(failure) = failure else { return };
    let at_fault = |asks: &&Decisions<'_>| {
        asks.selector
            .as_ref()
            .map_or(asks.place, |(_, place)| *place)
            == failure.place
    };
    let mut readers = readers(seen.set);
    let labels = readers
        .find(at_fault)
        .and_then(|asks| asks.selector.as_ref());
    let mut labels = labels
        .into_iter()
        .flat_map(|(selector, _)| &selector.match_labels);
    let outcome = format!("the Applications of `{}` stay as they are", id.name);
    let here = |what, name: &str| is_here(seen.model, seen.hub, what, id.namespace, name);
    match labels.find_map(named_by) {
        Some((what, name)) if !here(what, name) => {
            let missed = Missing {
                id,
                what,
                name,
                place: failure.place,
                outcome,
                held: false,
            };
            missing(&missed, (seen.model, seen.hub), sink);
        }
        Some((Selects::Rule, name)) => {
            // The operator writes no decision for a rule without clusters.
            let chosen = seen
                .deliveries
                .ground
                .chosen(Selects::Rule, id.namespace, name);
            if chosen.is_some() && seen.hub.holds_clusters {
                let message = format!("PlacementRule `{name}` selects no cluster: {outcome}");
                let at = (failure.place, "finds nothing");
                let help = "widen the PlacementRule, or remove the ApplicationSet on purpose";
                sink.push(say(&EMPTIED, id, at, message, help));
            }
        }
        _ if has_placements(seen.hub) => {
            let message = format!("{}: {outcome}", failure.message);
            let at = (failure.place, "finds nothing");
            sink.push(say(
                &UNKNOWN_PLACEMENT,
                id,
                at,
                message,
                failure.help.clone(),
            ));
        }
        _ => {}
    }
}
