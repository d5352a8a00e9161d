//! The Go templates of policies: which texts are templates, and what is wrong with them.
//!
//! A resolver writes an object as YAML and parses that as one template. So each scalar is parsed
//! alone first; where that fails all scalars of the object are, in the order in which they are
//! written.

mod calls;
pub(crate) mod functions;
mod order;
mod requoted;

use std::ops::Range;

use crate::delivery::policy::inside::place::Parts;
use crate::delivery::policy::inside::template::calls::Finding;
use crate::delivery::policy::inside::{Around, HUB_LEFT, Report};
use crate::delivery::rules::{
    TEMPLATE_FUNCTION, TEMPLATE_REQUOTED, TEMPLATE_SYNTAX, TEMPLATE_UNRESOLVED,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::DocumentKind;
use crate::gotemplate::{Delimiters, FaultKind, parse};
use crate::source::Place;
use crate::yaml::Node;

const HUB: Delimiters = Delimiters {
    left: HUB_LEFT,
    right: "hub}}",
};

/// The resolver of a text.
#[derive(Clone, Copy)]
pub(super) enum Level<'a> {
    /// The hub: an object in a Policy.
    Hub(Around<'a>),
    /// The cluster: an object of a ConfigurationPolicy.
    Managed,
    /// The cluster: the list of objects as one text.
    Raw,
    /// The cluster: parts of an OperatorPolicy.
    Operator,
    /// The cluster: a message.
    Message,
}

impl Level<'_> {
    fn delimiters(self) -> Delimiters {
        match self {
            Self::Hub(_) => HUB,
            _ => Delimiters::BRACES,
        }
    }

    /// Whether the text is written anew as YAML before it is parsed.
    fn is_rewritten(self) -> bool {
        matches!(self, Self::Hub(_) | Self::Managed | Self::Operator)
    }

    fn severity(self, certain: bool) -> Severity {
        match self {
            // A message that cannot be made is replaced by the usual one.
            Self::Message => Severity::Warning,
            _ if certain => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// A scalar of an object.
#[derive(Clone, Copy)]
struct Scalar<'a> {
    node: Node<'a>,
    text: &'a str,
}

/// The scalars of a node: keys and values, keys in the order that `order` gives them.
fn scalars<'a>(node: Node<'a>, ordered: bool) -> Vec<Scalar<'a>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if let Some(text) = node.text() {
            found.push(Scalar { node, text });
            continue;
        }
        let from = open.len();
        if ordered {
            let mut entries: Vec<(Node<'a>, Node<'a>)> = node.entries().collect();
            let name = |node: Node<'a>| node.text().unwrap_or("");
            entries.sort_by(|one, other| order::compare(name(one.0), name(other.0)));
            open.extend(entries.into_iter().flat_map(<[_; 2]>::from));
        } else {
            open.extend(node.entries().flat_map(<[_; 2]>::from));
        }
        open.extend(node.items());
        open[from..].reverse();
    }
    found
}

/// Checks the templates of one text: an object, or a scalar.
pub(super) fn check<'a>(
    level: Level<'a>,
    node: Node<'a>,
    report: &mut Report<'_, 'a>,
    labels: &mut Vec<(&'a str, Place)>,
) {
    let Delimiters { left, .. } = level.delimiters();
    let source = node.source_text();
    // An escape may hide a delimiter, and an alias stands for a text elsewhere.
    let is_as_written = !source.is_empty() && !source.contains(['\\', '*']);
    if is_as_written && !source.contains(left) {
        return;
    }
    let all = scalars(node, false);
    let hub = matches!(level, Level::Hub(_));
    // What the hub fills in first is unknown.
    if !hub
        && (!is_as_written || source.contains(HUB_LEFT))
        && all.iter().any(|one| one.text.contains(HUB_LEFT))
    {
        return;
    }
    let mut failed = Vec::new();
    let mut parsed = Vec::new();
    for scalar in all.iter().filter(|one| one.text.contains(left)) {
        if level.is_rewritten()
            && let Some((why, action)) = requoted::find(scalar.text, level.delimiters())
        {
            let message =
                format!("because of {why} this text is rewritten with `\\\"` and no longer parses");
            let found = Diagnostic::new(&TEMPLATE_REQUOTED, message)
                .at(
                    Parts::of(scalar.node, report.sources).place(action),
                    "rewritten",
                )
                .help("remove it, or use back quotes in the template");
            report.push(found);
            continue;
        }
        let known = |name: &str| functions::find(level, name).is_some();
        match parse(scalar.text, level.delimiters(), &known) {
            Ok(template) => parsed.push((*scalar, template)),
            Err(fault) => failed.push((*scalar, fault)),
        }
    }
    if !failed.is_empty() && level.is_rewritten() && spans_scalars(level, node) {
        failed.retain(|(_, fault)| matches!(fault.kind, FaultKind::UnknownFunction(_)));
        if failed.is_empty() {
            return joined(level, node, report, labels);
        }
        // A block may begin in any of them.
        parsed.clear();
    }
    for (scalar, fault) in failed {
        let place = Parts::of(scalar.node, report.sources).place(fault.span);
        say_fault(level, place, &fault.kind, report);
    }
    let sources = report.sources;
    for (scalar, template) in parsed {
        let mut parts = None;
        calls::check(level, scalar.text, &template, &mut |at, finding| {
            let parts = parts.get_or_insert_with(|| Parts::of(scalar.node, sources));
            take(level, parts.place(at), finding, report, labels);
        });
    }
}

/// The scalars of an object in one text, and where each begins.
fn join(node: Node<'_>) -> (String, Vec<(usize, Scalar<'_>)>) {
    let (mut text, mut begins) = (String::new(), Vec::new());
    for scalar in scalars(node, true) {
        begins.push((text.len(), scalar));
        text.push_str(scalar.text);
        text.push('\n');
    }
    (text, begins)
}

/// Whether the scalars of an object parse as one text.
fn spans_scalars(level: Level<'_>, node: Node<'_>) -> bool {
    parse(&join(node).0, level.delimiters(), &|_| true).is_ok()
}

/// Checks the scalars of an object as one text.
fn joined<'a>(
    level: Level<'a>,
    node: Node<'a>,
    report: &mut Report<'_, 'a>,
    labels: &mut Vec<(&'a str, Place)>,
) {
    let (text, begins) = join(node);
    let sources = report.sources;
    let locate = |at: &Range<usize>| {
        let (begin, scalar) = begins[begins.partition_point(|(begin, _)| *begin <= at.start) - 1];
        let end = at.end.min(begin + scalar.text.len());
        (
            scalar,
            Parts::of(scalar.node, sources).place(at.start - begin..end - begin),
        )
    };
    let known = |name: &str| functions::find(level, name).is_some();
    let template = match parse(&text, level.delimiters(), &known) {
        Ok(template) => template,
        Err(fault) => return say_fault(level, locate(&fault.span).1, &fault.kind, report),
    };
    calls::check(level, &text, &template, &mut |at, finding| {
        let (scalar, place) = locate(&at);
        // A label is looked up in the scalar again, whose text lives on.
        let finding = match finding {
            Finding::Label(name) => {
                let Some(at) = scalar.text.find(name) else {
                    return;
                };
                Finding::Label(&scalar.text[at..at + name.len()])
            }
            Finding::Wrong(found) => Finding::Wrong(found),
        };
        take(level, place, finding, report, labels);
    });
}

fn take<'a>(
    level: Level<'_>,
    place: Place,
    finding: Finding<'a>,
    report: &mut Report<'_, '_>,
    labels: &mut Vec<(&'a str, Place)>,
) {
    match finding {
        Finding::Label(name) => labels.push((name, place)),
        Finding::Wrong(wrong) => {
            let found = Diagnostic::new(wrong.rule, wrong.message)
                .at(place, wrong.label)
                .help(wrong.help);
            let always = if wrong.always_warns {
                Severity::Warning
            } else {
                Severity::Error
            };
            let severity = match level.severity(wrong.certain) {
                Severity::Error => always,
                other => other,
            };
            report.push(found.severity(severity));
        }
    }
}

/// Tells why a text is no template.
fn say_fault(level: Level<'_>, place: Place, kind: &FaultKind, report: &mut Report<'_, '_>) {
    let (rule, label, help) = match kind {
        FaultKind::UnknownFunction(name) => (
            &TEMPLATE_FUNCTION,
            "no such function",
            functions::advice(level, name),
        ),
        kind => (&TEMPLATE_SYNTAX, "the whole text is refused", kind.advice()),
    };
    let found = Diagnostic::new(rule, kind.to_string())
        .at(place, label)
        .help(help);
    report.push(found.severity(level.severity(true)));
}

/// Templates where nothing resolves them.
pub(super) fn unresolved(object: Node<'_>, kind: DocumentKind, report: &mut Report<'_, '_>) {
    let source = object.source_text();
    if !source.is_empty() && !source.contains("{{") {
        return;
    }
    let mut open = vec![(object, Within::Root)];
    while let Some((node, within)) = open.pop() {
        let children = node.entries().flat_map(|(key, value)| {
            let below = within.below(key.text().unwrap_or(""), kind);
            [(key, below.map(|_| Within::Value)), (value, below)]
        });
        let children = children.filter_map(|(node, within)| Some((node, within?)));
        open.extend(children);
        open.extend(node.items().map(|item| (item, within.item())));
        let Some(text) = node.text().filter(|text| !text.contains(HUB_LEFT)) else {
            continue;
        };
        let Some(part) = action(text).filter(|_| !report.is_faulty(node.place())) else {
            continue;
        };
        let place = Parts::of(node, report.sources).place(part);
        let found = Diagnostic::new(&TEMPLATE_UNRESOLVED, "nothing resolves a template here")
            .at(place, "stays as it is")
            .help("write the value itself; a hub template is written `{{hub … hub}}`");
        report.push(found);
    }
}

/// The first action of a text.
fn action(text: &str) -> Option<Range<usize>> {
    let start = text.find("{{")?;
    let end = start + text[start..].find("}}")?;
    Some(start..end + 2)
}

/// Where in an object a value is, as far as it matters who resolves it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Root,
    Metadata,
    Spec,
    ObjectTemplates,
    Value,
}

impl Within {
    fn item(self) -> Self {
        self
    }

    /// The level below a key; `None` where templates are resolved, or nobody looks.
    fn below(self, key: &str, kind: DocumentKind) -> Option<Self> {
        let configuration = kind == DocumentKind::ConfigurationPolicy;
        let operator = kind == DocumentKind::OperatorPolicy;
        Some(match (self, key) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Root, "spec") => Self::Spec,
            (Self::Root, "status") | (Self::Metadata, "annotations") => return None,
            (Self::Spec, "object-templates") if configuration => Self::ObjectTemplates,
            (Self::Spec, "object-templates-raw" | "customMessage") if configuration => return None,
            (Self::Spec, key) if operator && super::operator::RESOLVED.contains(&key) => {
                return None;
            }
            (Self::ObjectTemplates, "objectDefinition") => return None,
            _ => Self::Value,
        })
    }
}
