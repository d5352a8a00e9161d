//! Findings about PlacementRules.

use super::follow::{Decided, NAME_LABEL, label};
use super::read::Rule;
use crate::delivery::findings::say::object;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::rules::{
    RULE_ARBITRARY, RULE_FIELD, RULE_IDENTITY, RULE_LEFT_ALONE, RULE_LEGACY, RULE_NAMES,
    RULE_SELECTOR, RULE_UNREPORTED, SHARED_DECISIONS,
};
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;
use crate::source::{Place, Sources};

/// Reports the faults that the documents of rules show together.
pub(in crate::delivery) fn check(
    model: &Model<'_>,
    hub: &Hub<'_>,
    sources: &Sources,
    sink: &mut Sink,
) {
    if let Some(first) = model.rules.first() {
        let rules = plural(model.rules.len(), "PlacementRule");
        sink.push(
            Diagnostic::new(&RULE_LEGACY, format!("{rules}; the kind is deprecated"))
                .at(first.id.place, "the first of them")
                .help("`planner migrate` turns PlacementRules into Placements"),
        );
    }
    for rule in &model.rules {
        let placements = hub.placements.iter();
        let same = placements.filter(|placement| {
            (placement.namespace, placement.name) == (rule.id.namespace, rule.id.name)
                && directory(placement.place, sources) == directory(rule.id.place, sources)
        });
        for placement in same {
            let name = rule.id.name;
            let message = format!(
                "Placement and PlacementRule `{}/{name}` both write `{name}-decision-1`",
                rule.id.namespace
            );
            sink.push(
                Diagnostic::new(&SHARED_DECISIONS, message)
                    .at(rule.id.place, "this rule")
                    .related(placement.place, "this placement")
                    .help("rename one of them")
                    .object(object(&rule.id)),
            );
        }
        if rule.left_alone() {
            let message = format!(
                "the hub leaves the decisions to the scheduler `{}`",
                rule.scheduler.text
            );
            sink.push(
                Diagnostic::new(&RULE_LEFT_ALONE, message)
                    .at(rule.scheduler.place, "another scheduler")
                    .help("write `schedulerName: default`, or remove it, to let the hub decide")
                    .object(object(&rule.id)),
            );
        }
    }
}

/// The directory of a place: what lies in two of them need not be applied to one hub.
fn directory(place: Place, sources: &Sources) -> &str {
    let name = &sources.get(place.source).name;
    name.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Reports the faults of PlacementRules that only a plan shows.
pub(in crate::delivery) fn planned(
    model: &Model<'_>,
    deliveries: &Deliveries<'_>,
    hub: &Hub<'_>,
    sink: &mut Sink,
) {
    let mut unreported: Vec<Unreported<'_, '_>> = Vec::new();
    for (rule, decided) in model.rules.iter().zip(&deliveries.ground.rules) {
        if let Some(error) = &decided.error {
            sink.push(
                Diagnostic::new(&RULE_SELECTOR, error.clone())
                    .at(rule.selector_place, "this selector")
                    .help("correct it; until then the hub keeps the existing decisions")
                    .object(object(&rule.id))
                    .not_refusing(),
            );
        } else if !decided.left_alone {
            of_rule(rule, decided, hub, sink);
            let found = hub
                .holds_clusters
                .then(|| never_reported(rule, decided, model));
            unreported.extend(found.flatten());
        }
    }
    let Some(first) = unreported.first() else {
        return;
    };
    let (cluster, kind) = (first.cluster, first.condition);
    let passes = format!("`{cluster}` passes although it never reported `{kind}`");
    let message = match unreported.len() {
        1 => passes,
        many => format!(
            "{many} PlacementRules take clusters that never reported a condition they ask for: \
             {passes}"
        ),
    };
    let mut found = Diagnostic::new(&RULE_UNREPORTED, message)
        .at(first.rule.id.place, "this rule")
        .help("a condition that was never reported does not count against a cluster")
        .object(object(&first.rule.id));
    for other in &unreported[1..] {
        found = found.related(other.rule.id.place, "and this one");
    }
    sink.push(found);
}

/// A cluster that a rule takes although it never reported a condition that the rule asks for.
struct Unreported<'m, 'a> {
    rule: &'m Rule<'a>,
    cluster: &'a str,
    condition: &'a str,
}

fn never_reported<'m, 'a>(
    rule: &'m Rule<'a>,
    decided: &Decided<'a>,
    model: &Model<'a>,
) -> Option<Unreported<'m, 'a>> {
    let lacks = |kind: &str| {
        let of = |name: &&&str| {
            let reported = model.hub.conditions.get(**name);
            reported.is_none_or(|all| all.iter().all(|(reported, _)| *reported != kind))
        };
        decided.clusters.iter().find(of).copied()
    };
    let mut conditions = rule.conditions.iter();
    conditions.find_map(|(kind, _)| {
        Some(Unreported {
            rule,
            cluster: lacks(kind)?,
            condition: kind,
        })
    })
}

fn of_rule(rule: &Rule<'_>, decided: &Decided<'_>, hub: &Hub<'_>, sink: &mut Sink) {
    if let Some(place) = rule.cluster_names {
        let selects = if hub.holds_clusters {
            format!("it selects {}", plural(decided.clusters.len(), "cluster"))
        } else {
            "only its other fields select".to_owned()
        };
        let message = format!("a PlacementRule has no field `clusterNames`: {selects}");
        sink.push(
            Diagnostic::new(&RULE_FIELD, message)
                .at(place, "is dropped")
                .help("use `clusters`, or a selector")
                .object(object(&rule.id)),
        );
    }
    if !hub.holds_clusters {
        return;
    }
    for name in &rule.clusters {
        let mut clusters = hub.clusters.iter();
        let unlabelled = clusters.find(|cluster| {
            cluster.name == name.text && label(cluster, NAME_LABEL) != Some(name.text)
        });
        if unlabelled.is_some() {
            let message = format!(
                "`clusters` compares the label `name`; ManagedCluster `{0}` does not have `name: \
                 {0}`",
                name.text
            );
            sink.push(
                Diagnostic::new(&RULE_NAMES, message)
                    .at(name.place, "selects nothing")
                    .help("label the cluster")
                    .object(object(&rule.id)),
            );
        }
    }
    if let Some((taken, of)) = decided.arbitrary {
        let message = format!("the hub picks {taken} of {of} clusters in no fixed order");
        sink.push(
            Diagnostic::new(&RULE_ARBITRARY, message)
                .at(rule.id.place, "this rule")
                .help(
                    "the plan shows the first ones by name; the hub may pick others and then \
                     keeps them",
                )
                .object(object(&rule.id)),
        );
    }
    if let (Some(seen), Some(author)) = (decided.seen, &rule.author) {
        let message = format!(
            "limited to what user `{}` may see: the ClusterRoles in these documents allow {}",
            author.user,
            plural(seen, "cluster")
        );
        sink.push(
            Diagnostic::new(&RULE_IDENTITY, message)
                .at(rule.id.place, "this rule")
                .help("add the ClusterRoles and ClusterRoleBindings of the hub to the documents")
                .object(object(&rule.id)),
        );
    }
}
