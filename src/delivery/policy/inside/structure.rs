//! Faults of structure, by the schemas of the three kinds.

use crate::delivery::policy::inside::{Around, HUB_LEFT, Report, first_line, is_hub_template};
use crate::diagnostic::Severity;
use crate::document::KindInfo;
use crate::schema::rules::UNKNOWN_FIELD;
use crate::schema::{self, Fault, Policy};
use crate::yaml::{Dialect, Node};

/// Checks an object; in a Policy every field counts, since the add-on is strict.
pub(super) fn check<'a>(
    node: Node<'a>,
    info: &'static KindInfo,
    around: Option<Around<'a>>,
    report: &mut Report<'_, 'a>,
) {
    let policy = Policy {
        unknown_field: match around {
            Some(_) => Severity::Error,
            None => Severity::Warning,
        },
        upstream: None,
        admission: true,
        exact_fixes: true,
        deciding: &[],
    };
    let object = report.document.object();
    schema::check_each(info.schema, node, Dialect::Kubernetes, &mut |mut fault| {
        if is_unknown(&fault) || around.is_some_and(|around| is_settled(&fault, around)) {
            return;
        }
        // A value may be wrong in two ways; the first one says enough.
        let is_field = fault.rule.code == UNKNOWN_FIELD.code;
        if !is_field && report.structure.contains(&fault.place) && fault.keyword != "required" {
            return;
        }
        if let Some(Around { pointer, .. }) = around {
            // An object in a Policy has no line of its own before its first.
            if fault.pointer == "/spec" && fault.keyword == "required" {
                fault.place = first_line(node);
            }
            if let Some(at) = pointer {
                let object = format!("/spec/policy-templates/{at}/objectDefinition");
                fault.pointer.insert_str(0, &object);
            }
            if is_field {
                let kind = info.name;
                fault.message += &format!("; the cluster refuses the whole {kind}");
            }
        }
        report.structure.push(fault.place);
        let mut found = fault.diagnostic(policy, &object);
        if around.is_some() {
            // The hub takes the Policy.
            found = found.not_refusing();
        }
        report.findings.push(found);
    });
}

/// Whether the hub decides what stands there.
fn is_unknown(fault: &Fault<'_>) -> bool {
    let field = fault.rule.code == UNKNOWN_FIELD.code && fault.field.contains(HUB_LEFT);
    field || fault.node.is_some_and(is_hub_template)
}

/// Whether another rule reports the fault, or the add-on replaces the action.
fn is_settled(fault: &Fault<'_>, around: Around<'_>) -> bool {
    let required = fault.keyword == "required";
    let identity = ["/apiVersion", "/kind", "/metadata", "/metadata/name"];
    if required && identity.contains(&fault.pointer.as_str()) {
        return true;
    }
    let written = fault.node.and_then(Node::text);
    fault.pointer == "/spec/remediationAction"
        && fault.rule.code != UNKNOWN_FIELD.code
        && (around.action || written.is_some_and(|word| word.eq_ignore_ascii_case("informonly")))
}
