//! Templates among the documents, and template syntax left in values of ours.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::{Document, DocumentKind, Documents};
use crate::load::Loaded;
use crate::load::rules::{TEMPLATE, TEMPLATE_VALUE};
use crate::source::Place;
use crate::yaml::{Kind, Node};

/// With `--strict` every note on templates is an error that does not refuse.
pub(super) fn as_errors(sink: &mut Sink) {
    for found in &mut sink.diagnostics {
        if found.rule.code == TEMPLATE.code {
            found.severity = Severity::Error;
        }
    }
}

/// Reports the documents that a plan lacks: templates whose text names a kind of ours.
pub(super) fn lacking(loaded: &Loaded, sink: &mut Sink) {
    for template in &loaded.templates {
        let Some((kind, place)) = template.kind else {
            continue;
        };
        sink.push(
            Diagnostic::new(
                &TEMPLATE,
                format!("a {kind} is missing from the plan: its file is a template"),
            )
            .at(place, "not planned")
            .help("render the template and include the result")
            .severity(Severity::Warning),
        );
    }
}

/// Values of ours that hold template syntax although their document is YAML, one warning each.
pub(super) fn values(documents: &Documents<'_>, sink: &mut Sink) -> Vec<Place> {
    let hit = |document: &Document<'_>| {
        let span = document.node.span();
        let text = &documents.sources.get(document.source()).text;
        let own = text.get(span.start as usize..span.end as usize);
        own.is_none_or(|own| own.contains("{{"))
    };
    let mut places = Vec::new();
    for document in &documents.all {
        if document.kind.is_read_whole() && hit(document) {
            walk(document.node, document, &mut places, sink);
        }
    }
    places
}

/// Fields whose texts belong to others: programs and tools read templates there.
const FREE: [&str; 6] = [
    "annotations",
    "args",
    "command",
    "description",
    "env",
    "objectDefinition",
];

/// Fields of an ApplicationSet whose texts Argo CD fills in.
const FILLED_IN: [&str; 3] = ["generators", "template", "templatePatch"];

fn walk(node: Node<'_>, document: &Document<'_>, places: &mut Vec<Place>, sink: &mut Sink) {
    match node.kind() {
        Kind::Mapping => {
            for (key, value) in node.entries() {
                let free = |key: &str| {
                    let argo = document.kind == DocumentKind::ApplicationSet;
                    FREE.contains(&key) || argo && FILLED_IN.contains(&key)
                };
                if !key.text().is_some_and(free) {
                    walk(value, document, places, sink);
                }
            }
        }
        Kind::Sequence => {
            for item in node.items() {
                walk(item, document, places, sink);
            }
        }
        Kind::Scalar => {
            let template = |text: &str| text.contains("{{") && text.contains("}}");
            if !node.text().is_some_and(template) {
                return;
            }
            places.push(node.place());
            sink.push(
                Diagnostic::new(&TEMPLATE_VALUE, "the value contains an unrendered template")
                    .at(node.place(), "template syntax")
                    .help("render the file first, or write the final value")
                    .object(document.object()),
            );
        }
    }
}

/// Leaves nothing to be said about a value but that it is a template.
pub(super) fn leave_alone(places: &[Place], sink: &mut Sink) {
    if places.is_empty() {
        return;
    }
    let templated = |found: &Diagnostic| {
        let place = found.primary.as_ref().map(|label| label.place);
        found.rule.code != TEMPLATE_VALUE.code && place.is_some_and(|place| places.contains(&place))
    };
    sink.diagnostics.retain(|found| !templated(found));
}
