//! The hover over the place under the pointer.

use std::cell::RefCell;

use gen_lsp_types::{Hover, MarkupContent, MarkupKind, TextDocumentPositionParams};

use crate::delivery::policy::inside::template::functions;
use crate::diagnostic::Severity;
use crate::gotemplate;
use crate::kit::plural::plural;
use crate::render::text::{self, Screen};
use crate::source::{SourceId, Span};
use crate::systems::Asked;
use crate::why::Ways;
use crate::workspace::Snapshot;
use crate::yaml::Node;

use super::context::context;
use super::fields::Fields;
use super::labels::{Inventory, Requirement, requirement};
use super::lens;
use super::markdown::{block, code};
use super::names::{self, LABEL, Name};
use super::tree::{self, Step, Tree, holds};
use super::view::View;

/// Columns of the texts that are shown.
const WIDTH: usize = 100;
/// Names that are listed at most.
const NAMES: usize = 12;

/// The hover at a place of a file.
pub(super) fn answer(view: &View, params: &TextDocumentPositionParams) -> Option<Hover> {
    let source = view.file(&params.text_document.uri.0)?;
    let lines = view.lines(source);
    let at = lines.offset(params.position);
    let (markdown, span) = said(view, source, at)?;
    Some(Hover {
        contents: MarkupContent::new(MarkupKind::Markdown, markdown).into(),
        range: Some(lines.range(span)),
    })
}

/// The text about a byte, and the bytes that it is about.
fn said(view: &View, source: SourceId, at: u32) -> Option<(String, Span)> {
    let checked = view.snapshot.checked();
    let tree = Tree::new(view.source(source));
    let root = tree.root_at(at)?;
    let way = tree::way(root, at);
    let kind = names::kind_of(root);
    if let Some((text, span)) = selection(view, kind, &way, at) {
        return Some((text, span));
    }
    if let Some((text, span)) = of_function(view, source, at) {
        return Some((text, span));
    }
    let names = names::of_site(checked);
    let here = |name: &&Name<'_>| name.place.source == source && holds(name.place.span, at);
    if let Some(name) = names.iter().find(here)
        && let Some(text) = of_name(view, name, &names)
    {
        return Some((text, name.place.span));
    }
    let last = way.last()?;
    let on_kind = last.key.filter(|_| way.len() == 1).and_then(Node::text);
    if on_kind.is_some_and(|key| ["kind", "schema", "type"].contains(&key))
        && let Some(text) = of_document(view, source, root.span())
    {
        return Some((text, last.value.span()));
    }
    let key = last.key.filter(|key| holds(key.span(), at))?;
    // An object within the document has fields of its own, as in a Policy.
    let object = way
        .iter()
        .rposition(|step| tree::stem_of(step.value).is_some());
    let holder = object.map_or(root, |at| way[at].value);
    let fields = Fields::new(tree::stem_of(holder)?)?;
    let path: Vec<Option<&str>> = way[object.map_or(0, |at| at + 1)..]
        .iter()
        .map(|step| step.key.and_then(Node::text))
        .collect();
    Some((fields.description(&path)?, key.span()))
}

/// The form of the function of templates under the pointer, and what it gives and may read.
fn of_function(view: &View, source: SourceId, at: u32) -> Option<(String, Span)> {
    let text = view.source(source).text.as_str();
    let (before, after) = text.split_at_checked(at as usize)?;
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let start = before.rfind(is_other).map_or(0, |other| {
        other + text[other..].chars().next().map_or(0, char::len_utf8)
    });
    let end = before.len() + after.find(is_other).unwrap_or(after.len());
    let word = &text[start..end];
    context(&text[..end])
        .template
        .filter(|typed| typed == word)?;
    let function = functions::all().find(|function| function.name == word)?;
    let about = gotemplate::about(word)?;
    let span = Span {
        start: u32::try_from(start).ok()?,
        end: u32::try_from(end).ok()?,
    };
    Some((format!("{}\n\n{about}", code(&function.to_string())), span))
}

/// The clusters that a requirement leaves, where the pointer is on one.
fn selection(view: &View, kind: &str, way: &[Step<'_>], at: u32) -> Option<(String, Span)> {
    let last = way.last()?;
    let inside = |key: &str| {
        way.iter()
            .any(|step| step.key.and_then(Node::text) == Some(key))
    };
    let (wanted, span) = if inside("matchLabels") && last.value.text().is_some() {
        let value = last.value.text()?;
        let wanted = Requirement {
            key: last.key?.text()?,
            operator: "In",
            values: vec![value],
        };
        let span = if holds(last.value.span(), at) {
            last.value.span()
        } else {
            last.key?.span()
        };
        (wanted, span)
    } else {
        let holders = way.iter().rev().map(|step| step.holder);
        let is_listed = inside("matchExpressions") || inside("rules");
        let holder = holders
            .filter(|_| is_listed)
            .find(|node| node.get("operator").is_some())?;
        let span = last.key.filter(|key| holds(key.span(), at));
        (
            requirement(holder)?,
            span.map_or(last.value.span(), Node::span),
        )
    };
    let inventory = Inventory::new(view.snapshot.checked(), kind);
    let matching = inventory.matching(&wanted)?;
    let values = wanted.values.join(", ");
    let shown = if wanted.values.is_empty() {
        format!("{} {}", wanted.key, wanted.operator)
    } else {
        format!("{} {} [{values}]", wanted.key, wanted.operator)
    };
    let mut text = format!(
        "{}: {} of {} clusters",
        code(&shown),
        matching.len(),
        inventory.len()
    );
    text.push_str(&listed(&matching));
    let carried = inventory.values(wanted.key);
    let carried = carried
        .iter()
        .map(|(value, by)| format!("{} ({})", code(value), by.len()));
    let carried: Vec<String> = carried.take(NAMES).collect();
    if !carried.is_empty() {
        text.push_str(&format!("\n\nValues there are: {}", carried.join(", ")));
    }
    Some((text, span))
}

/// Names after a colon; of many the first.
fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let first = names.iter().take(NAMES).map(|name| code(name));
    let first = first.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => format!(": {first}"),
        more => format!(": {first}, and {more} more"),
    }
}

/// The facts about the thing with a name.
fn of_name(view: &View, name: &Name<'_>, names: &[Name<'_>]) -> Option<String> {
    if name.class == LABEL {
        let document = view
            .snapshot
            .checked()
            .documents
            .all
            .get(name.document as usize)?;
        let inventory = Inventory::new(view.snapshot.checked(), names::kind_of(document.node));
        let keys = inventory.keys();
        let carrying: Vec<&str> = keys.get(name.text).into_iter().flatten().copied().collect();
        let mut text = format!(
            "{}: {} of {} clusters",
            code(name.text),
            carrying.len(),
            inventory.len()
        );
        text.push_str(&listed(&carrying));
        return Some(text);
    }
    let given = names.iter().find(|other| other.gives && other.is_of(name));
    if let Some(given) = given
        && let Some(text) = of_document(view, given.place.source, given.place.span)
    {
        return Some(text);
    }
    let written = match name.scope {
        "" => name.text.to_owned(),
        scope => format!("{scope}/{}", name.text),
    };
    let planned = view.decided();
    if let Some(text) = planned.and_then(|planned| why(planned, &written, None).ok()) {
        return Some(block(&text));
    }
    let uses = names
        .iter()
        .filter(|other| !other.gives && other.is_of(name));
    let uses = plural(uses.count(), "use");
    let place = given.map(|given| view.snapshot.sources().describe(given.place));
    Some(match place {
        Some(place) => format!(
            "{} {}: {uses}, named in {}",
            name.class,
            code(&written),
            code(&place)
        ),
        None => format!(
            "{} {}: {uses}; nothing here has this name",
            name.class,
            code(&written)
        ),
    })
}

/// Why what is declared in some bytes is decided as it is.
fn of_document(view: &View, source: SourceId, span: Span) -> Option<String> {
    let planned = view.decided()?;
    let rows = lens::rows_in(planned, view, source);
    let row = lens::nearest(&rows, view, source, span)?;
    let system = row.section.system().name();
    let text = why(planned, &format!("{system}:{}", row.asked()), None).ok()?;
    let mut markdown = block(&text);
    if let Some(change) = lens::change_of(view, row) {
        markdown = format!("{change}\n\n{markdown}");
    }
    Some(markdown)
}

/// The page of `planner why`.
///
/// # Errors
/// There is no such subject, or no plan.
pub(super) fn why(
    planned: &Snapshot,
    subject: &str,
    candidate: Option<&str>,
) -> Result<String, String> {
    let plan = planned.plan();
    if !plan.complete {
        return Err("documents were refused; their errors come first".to_owned());
    }
    let asked = Asked {
        plan,
        options: planned.options(),
        candidate,
        said: RefCell::default(),
    };
    let (_, why) = asked.answer(subject).map_err(|why| why.to_string())?;
    let screen = Screen::columns(WIDTH);
    Ok(text::why(&why, planned.sources(), &screen).write(&screen))
}

/// The text of a plan.
pub(super) fn plan(planned: &Snapshot) -> String {
    let screen = Screen::columns(WIDTH);
    match planned.plan().shown() {
        Some(plan) => text::plan(plan, &Ways::new(), &screen, None, "").write(&screen),
        None => text::refused(planned.findings.count(Severity::Error), &screen).write(&screen),
    }
}
