//! Checks across all documents of hybrid placement, and their codes.

use super::engine::{Finding, Outcome, State};
use super::model::{BuiltIn, Model, PlacementRule, Source};
use super::{object_of, subject};
use crate::diagnostic::{Diagnostic, Severity, Sink, rule_table};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::safe::shell_word;
use crate::kit::selector::Test;
use crate::kit::vocabulary::Vocabulary;

rule_table! {
    pages "rules/";
    "hybrid" {
        ADVISOR_OPTION Warning "advisor_option"
            "an option in an advisor's `rules` that a built-in advisor cannot use";
        AMBIGUOUS_RECOMMENDATION Error "ambiguous_recommendation"
            "a recommendation that matches several candidates";
        ANSWER_FORM Error "answer_form"
            "an entry of AdvisorAnswers without exactly one kind of answer";
        COMMAND_ANSWER Error "command_answer" "a command whose output is not an answer";
        COMMAND_FAILED Error "command_failed" "a command that fails";
        COMMAND_NOT_RUN Warning "command_not_run"
            "a command that was not run because commands are not allowed";
        DUPLICATE_ADVISOR Warning "duplicate_advisor" "two advisors with the same name in a rule";
        DUPLICATE_IDENTITY Error "duplicate_identity" tells AppliedTwin
            "two documents with the same kind, namespace and name";
        EQUAL_ANSWERS Error "equal_answers" "two answers of the same rank for one advisor";
        NO_INVENTORY Note "no_inventory" "rules without any object to choose from";
        NOT_A_CANDIDATE Warning "not_a_candidate"
            "a recommendation for something that is not a candidate";
        SELECTOR Error "selector" "a label selector that Kubernetes refuses";
        UNANSWERED_ADVISOR Warning "unanswered_advisor" "an advisor without an answer";
        UNKNOWN_LABEL Warning "unknown_label" tells NoLabel
            "a selector with a label that nothing in the inventory has";
        UNKNOWN_TARGET Warning "unknown_target" tells NoName
            "a target that names nothing in the inventory";
        UNPLACEABLE Warning "unplaceable" "a rule without a decision";
        UNUSED_ANSWER Warning "unused_answer" tells NoName
            "an answer for an advisor or a rule that does not exist";
    }
}

/// Everything that needs more than one document.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    for rule in &model.placement_rules {
        let object = || object_of(rule);
        for target in &rule.targets {
            let unknown = model.inventory.fitting(target).next().is_none();
            if unknown && !model.candidates_from_status && !model.incomplete {
                let name = [target.kind, target.namespace, target.name];
                let name = name.into_iter().filter(|part| !part.is_empty());
                let name = name.collect::<Vec<_>>().join("/");
                let message = format!("target `{name}` names nothing in the inventory");
                let mut found = Diagnostic::new(&UNKNOWN_TARGET, message)
                    .at(target.place, "no such object")
                    .object(object());
                let names = model.inventory.objects().iter().map(|object| object.name);
                if let Some(near) = nearest(target.name, names) {
                    found = found.help(did_you_mean(near));
                }
                sink.push(found);
            }
        }
        for (index, advisor) in rule.advisors.iter().enumerate() {
            let shared = rule.advisors[..index]
                .iter()
                .any(|a| a.name == advisor.name);
            if shared || !matches!(advisor.source, Source::Silent) {
                continue;
            }
            let message = format!("advisor `{}` has no answer", advisor.name);
            sink.push(
                Diagnostic::new(&UNANSWERED_ADVISOR, message)
                    .at(advisor.place, "the rule waits for it forever")
                    .help(
                        "answer for it in an AdvisorAnswers document, which `planner explain \
                         hybrid::unanswered_advisor` shows, or remove it",
                    )
                    .pointer(format!("/spec/advisors/{index}"))
                    .object(object()),
            );
        }
    }
    if !model.incomplete {
        unused(model, sink);
        no_inventory(model, sink);
    }
    if !model.incomplete && !model.candidates_from_status {
        vetoes(model, sink);
        labels(model, sink);
    }
}

/// Documents without anything that a rule could choose: one note, as nothing can be said of the
/// rules themselves.
fn no_inventory(model: &Model<'_>, sink: &mut Sink) {
    let without = |rule: &&PlacementRule<'_>| rule.candidates.is_empty();
    let rule = model.placement_rules.iter().find(without);
    let Some(rule) = rule.filter(|_| model.candidates_from_status) else {
        return;
    };
    sink.push(
        Diagnostic::new(
            &NO_INVENTORY,
            "these documents contain nothing for a PlacementRule to choose from",
        )
        .at(
            rule.place,
            "chooses from the clusters or deployers of the hub",
        )
        .help(
            "export them with `kubectl get managedclusters,deployers.core.hybridapp.io -A -o yaml`",
        )
        .object(object_of(rule)),
    );
}

/// Vetoes of something in a namespace where it can only be found without one.
fn vetoes(model: &Model<'_>, sink: &mut Sink) {
    for rule in &model.placement_rules {
        for advisor in &rule.advisors {
            let Source::BuiltIn(BuiltIn::Veto(resources)) = &advisor.source else {
                continue;
            };
            for resource in resources.iter().filter(|r| !r.namespace.is_empty()) {
                let named = model.inventory.named(resource.name);
                if named.is_empty() || model.inventory.fitting(resource).next().is_some() {
                    continue;
                }
                let clustered = |id: &u32| model.inventory.object(*id).namespace.is_empty();
                let (why, help) = if named.iter().any(clustered) {
                    ("it has no namespace", "leave `namespace` out")
                } else {
                    ("it is in another namespace", "correct `namespace`")
                };
                let message = format!(
                    "{}: {}/{} is not a candidate: {why}",
                    advisor.name, resource.namespace, resource.name
                );
                sink.push(
                    Diagnostic::new(&NOT_A_CANDIDATE, message)
                        .severity(Severity::Note)
                        .at(resource.place, "vetoes nothing")
                        .help(help)
                        .object(object_of(rule)),
                );
            }
        }
    }
}

/// Selectors that name labels which nothing in the inventory has.
fn labels(model: &Model<'_>, sink: &mut Sink) {
    if model.inventory.objects().is_empty() || model.placement_rules.is_empty() {
        return;
    }
    let words: Vocabulary<'_> = model.inventory.labels().labels().collect();
    for rule in &model.placement_rules {
        let own = rule.labels.iter().map(|selector| (rule.place, selector));
        let advisors = rule.advisors.iter();
        let of_advisors = advisors.filter_map(|advisor| match &advisor.source {
            Source::BuiltIn(BuiltIn::Labels(selector)) => Some((advisor.place, selector)),
            _ => None,
        });
        for (place, selector) in own.chain(of_advisors) {
            for asked in &selector.requirements {
                let (values, excludes): (&[&str], _) = match &asked.test {
                    Test::In(values) => (values, false),
                    Test::NotIn(values) => (values, true),
                    Test::Exists => (&[], false),
                    Test::DoesNotExist => (&[], true),
                };
                let Some(unknown) = words.unknown(asked.key, values, excludes) else {
                    continue;
                };
                let message = unknown.message(asked.key, "possible target", "label");
                let help = unknown.help();
                sink.push(
                    Diagnostic::new(&UNKNOWN_LABEL, message)
                        .at(place, "used here")
                        .help(help.unwrap_or_else(|| "correct the selector".to_owned()))
                        .object(object_of(rule)),
                );
            }
        }
    }
}

/// Rules that place nothing although they do not wait for an advisor.
pub fn unplaceable(model: &Model<'_>, outcome: &Outcome, sink: &mut Sink) {
    // Without any object the documents do not hold the inventory.
    if model.inventory.objects().is_empty() {
        return;
    }
    for (rule, answer) in model.placement_rules.iter().zip(&outcome.ended) {
        let (why, label) = match answer.state {
            State::NoCandidates => (
                "nothing in the inventory is a candidate",
                "matches no object",
            ),
            State::NoPlacement => ("no candidate is left", "has no decision"),
            State::Decided | State::HubDefault | State::Waiting => continue,
        };
        let subject = subject(rule);
        let place = rule
            .targets
            .first()
            .map_or(rule.place, |target| target.place);
        sink.push(
            Diagnostic::new(&UNPLACEABLE, format!("{subject} cannot be placed: {why}"))
                .at(place, label)
                .help(format!(
                    "`planner why {}` gives every reason",
                    shell_word(&subject)
                ))
                .object(object_of(rule)),
        );
    }
}

fn unused(model: &Model<'_>, sink: &mut Sink) {
    for entry in &model.answers {
        let concerned = model.placement_rules.iter().filter(|rule| {
            entry.rule.is_none_or(|named| {
                named.name == rule.name
                    && (named.namespace.is_empty() || named.namespace == rule.namespace)
            })
        });
        let mut rules = concerned.peekable();
        let (message, place, near) = if let (None, Some(named)) = (rules.peek(), entry.rule) {
            let names = model.placement_rules.iter().map(|rule| rule.name);
            let message = format!("no PlacementRule is named `{}`", named.name);
            (message, named.place, nearest(named.name, names))
        } else {
            let advisors = rules.flat_map(|rule| &rule.advisors);
            let names: Vec<&str> = advisors.map(|advisor| advisor.name).collect();
            if names.contains(&entry.advisor) {
                continue;
            }
            let message = format!("no rule has an advisor `{}`", entry.advisor);
            (message, entry.place, nearest(entry.advisor, names))
        };
        let found = Diagnostic::new(&UNUSED_ANSWER, message).at(place, "this answer is not used");
        sink.push(match near {
            Some(near) => found.help(did_you_mean(near)),
            None => found,
        });
    }
}

/// The faults found while planning.
pub fn planned(model: &Model<'_>, outcome: &Outcome, sink: &mut Sink) {
    for (rule, ended) in model.placement_rules.iter().zip(&outcome.ended) {
        for finding in &ended.findings {
            let found = match finding {
                Finding::NotACandidate { place, .. } => {
                    Diagnostic::new(&NOT_A_CANDIDATE, warning(rule, finding))
                        .at(*place, "never a candidate")
                        .help(format!("{} continues without it", subject(rule)))
                }
                Finding::Ambiguous { fits, place, .. } => {
                    let keys = fits.iter().map(|&id| model.inventory.object(id).key());
                    let keys = keys.collect::<Vec<_>>().join(", ");
                    Diagnostic::new(&AMBIGUOUS_RECOMMENDATION, warning(rule, finding))
                        .not_refusing()
                        .at(*place, format!("matches {keys}"))
                        .help("add `kind` or `namespace`; until then there is no answer")
                }
            };
            sink.push(found.object(object_of(rule)));
        }
    }
}

/// The sentence for a finding.
#[must_use]
pub fn warning(rule: &super::model::PlacementRule<'_>, finding: &Finding) -> String {
    match finding {
        Finding::NotACandidate { advisor, name, .. } => {
            format!(
                "{}: {name} is not a candidate",
                rule.advisors[*advisor].name
            )
        }
        Finding::Ambiguous { advisor, name, .. } => {
            format!(
                "{}: {name} matches several candidates",
                rule.advisors[*advisor].name
            )
        }
    }
}
