//! OperatorPolicies that their controller refuses.

use crate::delivery::policy::inside::{Report, first_line};
use crate::delivery::rules::OPERATOR_POLICY_SUBSCRIPTION;
use crate::kit::name::{correction, label};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::lower::get;
use crate::yaml::{Dialect, Node, Scalar};

/// The fields in which templates are resolved.
pub(super) const RESOLVED: [&str; 3] = ["subscription", "operatorGroup", "versions"];

const SUBSCRIPTION: [&str; 7] = [
    "name",
    "namespace",
    "source",
    "sourceNamespace",
    "channel",
    "startingCSV",
    "config",
];

const OPERATOR_GROUP: [&str; 7] = [
    "name",
    "namespace",
    "selector",
    "targetNamespaces",
    "serviceAccountName",
    "staticProvidedAPIs",
    "upgradeStrategy",
];

pub(super) fn check(spec: Node<'_>, report: &mut Report<'_, '_>) {
    let mapping = |key| get(spec, key).filter(|node| node.is_mapping());
    let subscription = mapping("subscription");
    if let Some(subscription) = subscription {
        fields(subscription, "subscription", &SUBSCRIPTION, report);
        named(subscription, "subscription", 1, report);
        for key in ["name", "namespace"] {
            is_label(subscription, key, report);
        }
    }
    if let Some(group) = mapping("operatorGroup") {
        fields(group, "operatorGroup", &OPERATOR_GROUP, report);
        // The group's may be empty.
        named(group, "operatorGroup", 0, report);
        let own = subscription.and_then(|node| known(node, "namespace"));
        let other = known(group, "namespace");
        if let (Some((own, _)), Some((other, node))) = (own, other)
            && own != other
            && !own.is_empty()
            && !other.is_empty()
        {
            let message =
                format!("the operator group is in `{other}`, the subscription in `{own}`");
            let help = format!("write `namespace: {own}`, or leave it out");
            let at = (node.place(), "another namespace");
            report.say(&OPERATOR_POLICY_SUBSCRIPTION, at, message, help);
        }
    }
}

/// A field whose name may be written in any case, as Go reads JSON.
fn field<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    let is = |key: Node<'_>| key.text().is_some_and(|key| key.eq_ignore_ascii_case(name));
    let all = node
        .entries()
        .filter(|(key, value)| is(*key) && !value.is_null());
    // The last one counts.
    all.last().map(|(_, value)| value)
}

/// A text that is written and no template.
fn known<'a>(node: Node<'a>, name: &str) -> Option<(&'a str, Node<'a>)> {
    let value = field(node, name)?;
    let text = as_text(value).filter(|text| !text.contains("{{"))?;
    Some((text, value))
}

/// The text of a value that is no number and no boolean, as the controllers want it.
fn as_text(value: Node<'_>) -> Option<&str> {
    let is_text = matches!(value.scalar(Dialect::Kubernetes), Some(Scalar::Text(_)));
    value.text().filter(|_| is_text)
}

fn named(node: Node<'_>, owner: &str, least: usize, report: &mut Report<'_, '_>) {
    let name = field(node, "name").and_then(as_text);
    if name.is_none_or(|name| name.len() < least) {
        let message = format!("`{owner}` has no name");
        let at = (first_line(node), "no `name`");
        report.say(&OPERATOR_POLICY_SUBSCRIPTION, at, message, "add `name`");
    }
}

fn is_label(node: Node<'_>, name: &str, report: &mut Report<'_, '_>) {
    let Some((text, value)) = known(node, name) else {
        return;
    };
    // An empty name is told of as missing.
    if text.is_empty() && name == "name" {
        return;
    }
    if let Err(error) = label(text) {
        let message = match text {
            "" => format!("`subscription.{name}` is empty"),
            _ => format!("`subscription.{name}` is `{text}`, but {error}"),
        };
        let help = correction(text, label);
        let at = (value.place(), "not a name");
        report.say(&OPERATOR_POLICY_SUBSCRIPTION, at, message, help);
    }
}

fn fields(node: Node<'_>, owner: &str, known: &[&str], report: &mut Report<'_, '_>) {
    for (key, _) in node.entries() {
        let Some(name) = key.text() else { continue };
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        if name.contains("{{") || known.iter().any(is) {
            continue;
        }
        let approval = name.eq_ignore_ascii_case("installPlanApproval");
        let (message, help) = match nearest(name, known.iter().copied()) {
            _ if approval && owner == "subscription" => (
                "`installPlanApproval` is not allowed in `subscription`".to_owned(),
                "remove it, and set `upgradeApproval` of the OperatorPolicy".to_owned(),
            ),
            Some(near) => (unknown(name, owner), did_you_mean(near)),
            None => (unknown(name, owner), "remove it".to_owned()),
        };
        let at = (key.place(), "refused");
        report.say(&OPERATOR_POLICY_SUBSCRIPTION, at, message, help);
    }
}

fn unknown(name: &str, owner: &str) -> String {
    format!("`{name}` is not a field of `{owner}`")
}
