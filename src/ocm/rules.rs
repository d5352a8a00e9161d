//! The rules for OCM's documents: the table of codes and the checks across documents.

mod bindings;
mod names;
mod orphans;
mod review;
mod sets;
mod unsatisfied;

pub(super) use review::{operators, review};
pub use unsatisfied::{Doubt, unsatisfied};

use jiff::Timestamp;

use super::engine::rollout::deadline;
use super::engine::{Rollout, groups, score, select};
use super::model::{
    ClusterSelector, Configuration, CoordinateKind, IntOrText, Model, Placement, Strategy,
    StrategyKind,
};
use crate::diagnostic::{Diagnostic, Object, Sink, rule_table};
use crate::document::Reported;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::selector::{FaultAt, LabelSelector, SelectorError, help_with_key};
use crate::source::Place;

rule_table! {
    pages "rules/";
    "ocm" {
        AMBIGUOUS_COORDINATE Warning "ambiguous_coordinate"
            "a score coordinate with both a built-in and an add-on score";
        BINDING_NAME Error "binding_name" "a binding whose name differs from its cluster set";
        CEL_UNSUPPORTED Error "cel_unsupported" "a CEL expression that planner cannot evaluate";
        DECISION_STATUS Error "decision_status"
            "a PlacementDecision whose status has no decisions";
        DUPLICATE Error "duplicate" tells SpareTwin
            "an object that is defined twice, or a score listed twice";
        DURATION Error "duration" "text that is not a duration";
        EMPTY_SET Note "empty_set" tells NoKind("ManagedCluster") "a cluster set without members";
        EXPIRED_SCORE Warning "expired_score" "add-on scores that have expired";
        IGNORED_SELECTOR Warning "ignored_selector"
            "a cluster set with a labelSelector that its selectorType ignores";
        LONG_NAME Error "long_name" "a placement name that is too long for a label";
        MISCONFIGURED Error "misconfigured" "a placement that the hub finds misconfigured";
        NAME Error "name" "a name or a label that Kubernetes does not allow";
        NEVER_SETTLES Error "never_settles"
            "a placement that selects other clusters at every reconcile";
        NO_HUB Note "no_hub" tells NoKind("ManagedCluster")
            "placements or bindings without the hub's clusters or sets";
        ORPHAN_DECISION Warning "orphan_decision" "a decision that belongs to no placement";
        QUANTITY Error "quantity" "text that is not a quantity";
        ROLLOUT_FAULTS Error "rollout_faults" "rollout faults that are not in the expected format";
        ROLLOUT_STEP Error "rollout_step" "a rollout step that cannot be answered";
        ROLLOUT_STRATEGY Warning "rollout_strategy" "a rollout strategy whose steps will fail";
        SELECTS_NOTHING Warning "selects_nothing" tells NoLabel
            "a selector that matches no cluster";
        SET_SELECTOR Error "set_selector" "a cluster set whose selector cannot be parsed";
        TIME Error "time" "text that is not an RFC 3339 time";
        TOLERATION_OPERATOR Warning "toleration_operator"
            "a toleration operator that the hub does not know";
        TOLERATION_SECONDS Warning "toleration_seconds"
            "toleration seconds beyond what the hub can represent";
        UNBOUND_NAMESPACE Warning "unbound_namespace"
            "a placement in a namespace that binds none of its cluster sets";
        UNBOUND_SET Note "unbound_set" tells NoName "a cluster set that no namespace binds";
        UNKNOWN_CLUSTER Warning "unknown_cluster" tells NoName
            "a decision for a cluster that does not exist";
        UNKNOWN_LABEL Warning "unknown_label" tells NoLabel
            "a selector with a label that no cluster has";
        UNKNOWN_NAME Warning "unknown_name"
            "a name that is probably a typo for a known one";
        UNKNOWN_SET Warning "unknown_set" tells NoName
            "a reference to a cluster set that does not exist";
        UNSATISFIED Warning "unsatisfied" "a placement that finds too few clusters";
        UNUSED_TOLERATION Note "unused_toleration" "a toleration that matches no taint";
        WITHOUT_EFFECT Note "without_effect" "a field that the hub accepts but ignores";
    }
}

/// Checks what only several documents, or the scheduler's own reading, bring to light.
pub(super) fn check(model: &Model<'_>, now: Timestamp, sink: &mut Sink) {
    sets::check(model, sink);
    bindings::check(model, sink);
    orphans::check(model, sink);
    names::check(model, sink);
    for placement in &model.placements {
        if placement.skipped.is_none() {
            misconfigurations(placement, model, sink);
            long_name(placement, sink);
        }
        ambiguous_coordinates(placement, sink);
    }
    refused(model, sink);
    for score in &model.scores {
        if score.valid_until.is_some_and(|until| now > until) {
            let mut object = Object::new("AddOnPlacementScore", score.name);
            object.namespace = Some(score.cluster.to_owned());
            sink.push(
                Diagnostic::new(
                    &EXPIRED_SCORE,
                    format!(
                        "the scores `{}` of {} have expired",
                        score.name, score.cluster
                    ),
                )
                .at(score.valid_until_place, "valid until then")
                .help("they count as 0 until the add-on writes new ones")
                .object(object),
            );
        }
    }
    let exists = |name: &&&str| {
        let clusters = &model.clusters;
        clusters
            .binary_search_by_key(*name, |cluster| cluster.name)
            .is_ok()
    };
    let decisions = model.decisions.iter();
    for decision in decisions.filter(|_| !model.clusters.is_empty()) {
        let unknown = decision.clusters.iter().find(|name| !exists(name));
        if let Some(name) = unknown {
            let mut object = Object::new("PlacementDecision", decision.name);
            object.namespace = Some(decision.namespace.to_owned());
            let message = format!(
                "`{}` names the cluster `{name}`, which does not exist",
                decision.name
            );
            sink.push(
                Diagnostic::new(&UNKNOWN_CLUSTER, message)
                    .at(decision.place, "named here")
                    .help("it still counts for Balance; the next plan of its placement drops it")
                    .object(object),
            );
        }
    }
    for replica_set in &model.replica_sets {
        let mut object = Object::new("ManifestWorkReplicaSet", replica_set.name);
        object.namespace = Some(replica_set.namespace.to_owned());
        for reference in &replica_set.placements {
            strategy(&reference.strategy, &object, sink);
        }
    }
}

/// The other faults of refused placements, so that one run reports all.
fn refused(model: &Model<'_>, sink: &mut Sink) {
    if model.refused_placements.is_empty() {
        return;
    }
    let reported = Reported::new(sink);
    for placement in &model.refused_placements {
        let mut rest = Sink::default();
        misconfigurations(placement, model, &mut rest);
        long_name(placement, &mut rest);
        reported.others(&object_of(placement), &mut rest.diagnostics);
        sink.append(rest);
    }
}

/// Questions to rollouts that get no answer.
pub fn planned(model: &Model<'_>, rollouts: &[Rollout<'_>], sink: &mut Sink) {
    for rollout in rollouts {
        let Err(error) = &rollout.answer else {
            continue;
        };
        let step = &model.rollout_steps[rollout.step];
        let message = format!(
            "the rollout step `{}` cannot be planned: {error}",
            step.name
        );
        sink.push(
            Diagnostic::new(&ROLLOUT_STEP, message)
                .at(step.place, "this step")
                .related(step.replica_set.place, "the replica set it names")
                .related(step.placement.place, "the placement it names")
                .help("correct the step, or the strategy and the placement it names")
                .object(Object::new("RolloutStep", step.name).in_namespace(step.namespace))
                .not_refusing(),
        );
    }
}

/// Placements with an expression over its budget, which only planning brings to light.
pub fn exhausted(model: &Model<'_>, placements: &super::engine::Placements<'_>, sink: &mut Sink) {
    for placed in &placements.placed {
        let placement = &model.placements[placed.placement];
        let Some(message) = placed.misconfigured() else {
            continue;
        };
        let all = placement.predicates.iter();
        let expressions = all.flat_map(|predicate| &predicate.cel);
        let over = |text: &str| message.contains(&format!("the expression `{text}`: "));
        let Some(expression) = { expressions }.find(|expression| over(expression.text)) else {
            continue;
        };
        sink.push(
            Diagnostic::new(
                &MISCONFIGURED,
                format!(
                    "the placement `{}` is misconfigured: {}",
                    placement.name,
                    message.trim_start_matches("Predicate:")
                ),
            )
            .at(expression.place, "here")
            .upstream(format!("PlacementMisconfigured: {message}"))
            .help("simplify the expression; the hub also limits the cost of expressions")
            .object(object_of(placement))
            .not_refusing(),
        );
    }
}

/// Reports placements whose decision changes at every reconcile.
pub fn never_settles(
    model: &Model<'_>,
    placements: &super::engine::Placements<'_>,
    sink: &mut Sink,
) {
    for placed in &placements.placed {
        let placement = &model.placements[placed.placement];
        let Some(weight) = placed.flips else {
            continue;
        };
        let steady = |one: &&Configuration<'_>| one.coordinate.built_in == "Steady";
        let configuration = placement.configurations.iter().rfind(steady);
        let place = configuration.map_or(placement.place, |one| one.place);
        sink.push(
            Diagnostic::new(
                &NEVER_SETTLES,
                format!(
                    "{}/{} never settles: Steady weighs {weight}, so each reconcile takes other \
                     clusters than the one before",
                    placement.namespace, placement.name
                ),
            )
            .at(place, "drives the decided clusters out")
            .help("give Steady a weight of 0 or more, or remove it")
            .object(object_of(placement))
            .not_refusing(),
        );
    }
}

fn object_of(placement: &Placement<'_>) -> Object {
    Object::new("Placement", placement.name).in_namespace(placement.namespace)
}

/// The place of the requirement at fault.
fn fault_place(
    error: &SelectorError,
    selector: &LabelSelector<'_>,
    places: &[Place],
    whole: Place,
) -> Place {
    let at = match error.at {
        FaultAt::Label(at) => at,
        FaultAt::Expression(at) => selector.match_labels.len() + at,
    };
    places.get(at).copied().unwrap_or(whole)
}

/// Findings about what makes `PlacementMisconfigured` true.
struct Misconfigured<'s, 'm, 'a> {
    placement: &'s Placement<'a>,
    model: &'m Model<'a>,
    sink: &'s mut Sink,
}

impl Misconfigured<'_, '_, '_> {
    fn push(&mut self, plugin: &str, message: &str, place: Place, help: &str) {
        let placement = self.placement;
        let subject = placement.full_name().to_string();
        // Counted only where something is wrong: a hub may hold many decisions.
        let decisions = self.model.decisions.iter();
        let decided: usize = decisions
            .filter(|d| d.namespace == placement.namespace && d.placement == Some(placement.name))
            .map(|decision| decision.clusters.len())
            .sum();
        let mut help = help.to_owned();
        if decided > 0 {
            help = format!("{help}; until then the hub drops the {decided} selected clusters");
        }
        self.sink.push(
            Diagnostic::new(
                &MISCONFIGURED,
                format!("{subject} is misconfigured: {message}"),
            )
            .at(place, "here")
            .upstream(format!("PlacementMisconfigured: {plugin}:{message}"))
            .help(help)
            .object(object_of(placement))
            .not_refusing(),
        );
    }

    fn selector(&mut self, plugin: &str, selector: &ClusterSelector<'_>, whole: Place) {
        let one = |selector: &LabelSelector<'_>, places: &[Place]| {
            let error = selector.compile().err()?;
            let place = fault_place(&error, selector, places, whole);
            Some((error.message, place))
        };
        let fault = one(&selector.labels, &selector.label_places)
            .or_else(|| one(&selector.claims, &selector.claim_places));
        if let Some((message, place)) = fault {
            let help = help_with_key(&message)
                .unwrap_or("use In, NotIn, Exists or DoesNotExist with valid label values");
            self.push(plugin, &message, place, help);
        }
    }

    fn priorities(&mut self) {
        const KNOWN: [&str; 4] = [
            "Balance",
            "Steady",
            "ResourceAllocatableCPU",
            "ResourceAllocatableMemory",
        ];
        let placement = self.placement;
        if !matches!(placement.mode.text, "Additive" | "Exact" | "") {
            let message = format!("incorrect prioritizer policy mode: {}", placement.mode.text);
            self.push(
                "",
                &message,
                placement.mode.place,
                "write Additive or Exact",
            );
        }
        for configuration in placement.configurations.iter().filter(|c| c.weight != 0) {
            let coordinate = &configuration.coordinate;
            if let Err(message) = score::resolve(coordinate) {
                let help = match nearest(coordinate.built_in, KNOWN) {
                    Some(near) if coordinate.kind == CoordinateKind::BuiltIn => did_you_mean(near),
                    _ if coordinate.kind == CoordinateKind::AddOn => {
                        "add `addOn: {resourceName: …, scoreName: …}`".to_owned()
                    }
                    _ => format!("the built-in ones are {}", KNOWN.join(", ")),
                };
                self.push("", &message, configuration.place, &help);
            }
        }
    }
}

/// Everything that makes `PlacementMisconfigured` true, whether or not clusters are there.
fn misconfigurations<'a>(placement: &Placement<'a>, model: &Model<'a>, sink: &mut Sink) {
    let mut found = Misconfigured {
        placement,
        model,
        sink,
    };
    for predicate in &placement.predicates {
        found.selector("Predicate", &predicate.selector, predicate.place);
        for (at, message) in &predicate.cel_faults {
            let place = predicate.cel[*at].place;
            found.push("Predicate", message, place, "correct the expression");
        }
    }
    if let Some((index, message)) = select::toleration_fault(&placement.tolerations) {
        let place = placement.tolerations[index].place;
        let help = "write `operator: Exists` without a value, or a key";
        found.push("TaintToleration", message, place, help);
    }
    found.priorities();
    if let Some((cap, place)) = placement.cap
        && let Err(message) = groups::cap(Some(cap), 0)
    {
        let help = "write a number without quotes, or a percentage";
        found.push("", &message, place, help);
    }
    for group in &placement.groups {
        found.selector("", &group.selector, group.place);
    }
}

/// A name with which the hub writes nothing.
fn long_name(placement: &Placement<'_>, sink: &mut Sink) {
    if placement.name.len() > 63 {
        let message = format!(
            "the name has {} bytes; a label value may have at most 63",
            placement.name.len()
        );
        sink.push(
            Diagnostic::new(&LONG_NAME, message)
                .at(placement.place, "too long")
                .help("the hub accepts the name but then writes neither status nor decisions")
                .object(object_of(placement))
                .not_refusing(),
        );
    }
}

/// Reports coordinates that the hub accepts but does not read as they look.
fn ambiguous_coordinates(placement: &Placement<'_>, sink: &mut Sink) {
    for configuration in &placement.configurations {
        let coordinate = &configuration.coordinate;
        let Some((resource, score)) = coordinate.add_on else {
            continue;
        };
        let (used, ignored) = match coordinate.kind {
            CoordinateKind::BuiltIn => (
                "the built-in one, in addition to the default one",
                format!("AddOn/{resource}/{score}"),
            ),
            CoordinateKind::AddOn if !coordinate.built_in.is_empty() => {
                ("the add-on's", coordinate.built_in.to_owned())
            }
            CoordinateKind::AddOn => continue,
        };
        let message = "the coordinate names both a built-in and an add-on score";
        sink.push(
            Diagnostic::new(&AMBIGUOUS_COORDINATE, message)
                .at(configuration.place, format!("the hub uses {used}"))
                .help(format!("remove one of them; `{ignored}` has no effect"))
                .object(object_of(placement)),
        );
    }
    for toleration in &placement.tolerations {
        let limit = i64::MAX / 1_000_000_000;
        if toleration
            .seconds
            .is_some_and(|seconds| !(-limit..=limit).contains(&seconds))
        {
            sink.push(
                Diagnostic::new(
                    &TOLERATION_SECONDS,
                    format!("tolerationSeconds beyond {limit} wrap around on the hub"),
                )
                .at(toleration.place, "this toleration")
                .help("leave tolerationSeconds out to tolerate it forever")
                .object(object_of(placement)),
            );
        }
    }
    for (field, place) in &placement.ignored {
        sink.push(
            Diagnostic::new(
                &WITHOUT_EFFECT,
                format!("`{field}` is accepted but has no effect"),
            )
            .at(*place, "the scheduler does not read this")
            .help("remove it")
            .object(object_of(placement)),
        );
    }
}

/// Deadlines and thresholds that pass admission and fail each step.
fn strategy(strategy: &Strategy<'_>, object: &Object, sink: &mut Sink) {
    let mut push = |message: String, upstream: String, help: &'static str| {
        sink.push(
            Diagnostic::new(&ROLLOUT_STRATEGY, message)
                .at(strategy.place, "this strategy")
                .upstream(upstream)
                .help(help)
                .object(object.clone()),
        );
    };
    if let Err(error) = deadline(strategy.progress_deadline) {
        let message = format!(
            "progressDeadline `{}` passes admission, but every step fails",
            strategy.progress_deadline
        );
        push(message, error, "write None, or a duration such as 10m");
    }
    if strategy.kind == StrategyKind::All {
        return;
    }
    for (name, value) in [
        ("maxFailures", strategy.max_failures),
        ("maxConcurrency", strategy.max_concurrency),
    ] {
        if let Some(IntOrText::Text(text)) = value
            && let Err(error) = groups::percent_of(text)
        {
            let message = format!("{name} \"{text}\" passes admission, but every step fails");
            push(
                message,
                error,
                "write the number without quotes, or a percentage",
            );
        }
    }
}
