//! ConfigurationPolicies that their controller refuses.

use crate::delivery::policy::inside::{Report, first_line, is_hub_template, kinds, selector};
use crate::delivery::rules::{CONFIGURATION_POLICY_NAMESPACE, CONFIGURATION_POLICY_OBJECT};
use crate::ocm::lower::{at, get, items, text};
use crate::source::SourceId;
use crate::yaml::{Limits, Node, parse};

pub(super) fn check(spec: Node<'_>, report: &mut Report<'_, '_>) {
    selector::namespaces(spec, report);
    let selects = selects_namespaces(spec);
    for template in items(get(spec, "object-templates")) {
        if let Some(selector) = get(template, "objectSelector") {
            selector::labels(selector, report);
        }
        let definition = get(template, "objectDefinition").filter(|one| one.is_mapping());
        if let Some(definition) = definition {
            object(definition, selects, report);
        }
    }
    let mut fields = spec.entries();
    if let Some((key, raw)) = fields.find(|(key, _)| key.text() == Some("object-templates-raw")) {
        list(key, raw, report);
    }
}

/// Whether `namespaceSelector` selects a namespace: `exclude` alone selects none.
fn selects_namespaces(spec: Node<'_>) -> bool {
    get(spec, "namespaceSelector").is_some_and(|selector| {
        let has = |key| get(selector, key).is_some();
        has("matchLabels") || has("matchExpressions") || items(get(selector, "include")).count() > 0
    })
}

fn object(definition: Node<'_>, selects: bool, report: &mut Report<'_, '_>) {
    for key in ["apiVersion", "kind"] {
        let value = get(definition, key);
        let Some(written) = value.filter(|value| value.text().is_some_and(|text| !text.is_empty()))
        else {
            if value.is_none_or(Node::is_scalar) {
                let message = format!("the object has no `{key}`");
                let help = format!("add `{key}`: it is read before templates are resolved");
                let at = (first_line(definition), "cannot be looked for");
                report.say(&CONFIGURATION_POLICY_OBJECT, at, message, help);
            }
            return;
        };
        if is_hub_template(written) {
            return;
        }
        if written.text().is_some_and(|text| text.contains("{{")) {
            let message =
                format!("`{key}` is a template, but it is read before templates are resolved");
            let help = "write it out, or use `object-templates-raw`";
            let at = (written.place(), "not resolved");
            return report.say(&CONFIGURATION_POLICY_OBJECT, at, message, help);
        }
    }
    let (api, kind) = (text(definition, "apiVersion"), text(definition, "kind"));
    let namespace = at(definition, &["metadata", "namespace"]);
    let is_written = namespace.is_some_and(|node| node.text() != Some(""));
    if selects || is_written || !kinds::is_namespaced(api, kind) {
        return;
    }
    let name = at(definition, &["metadata", "name"]).and_then(Node::text);
    let name = name.map_or(String::new(), |name| format!(" `{name}`"));
    let message = format!("the {kind}{name} has no namespace, and none is selected");
    let help = "set it, or `namespaceSelector.include`";
    let at = (first_line(definition), "always NonCompliant");
    report.say(&CONFIGURATION_POLICY_NAMESPACE, at, message, help);
}

/// A list of objects that is written as a text and is no template.
fn list(key: Node<'_>, raw: Node<'_>, report: &mut Report<'_, '_>) {
    let text = raw.text().filter(|text| !text.contains("{{"));
    let Some(text) = text.filter(|_| !report.is_faulty(raw.place())) else {
        return;
    };
    let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
    let first = parsed.documents.first();
    let root = first.map(|root| parsed.tree.node(text, *root));
    let is_list = |root: Node<'_>| {
        root.is_null() || root.is_sequence() && root.items().all(|item| item.is_mapping())
    };
    if !parsed.faults.is_empty() || !root.is_none_or(is_list) {
        let message = "`object-templates-raw` is not a list of objects";
        let help = "write a list as in `object-templates`: `- complianceType: musthave`";
        let at = (key.place(), "not a list of mappings");
        report.say(&CONFIGURATION_POLICY_OBJECT, at, message, help);
    }
}
