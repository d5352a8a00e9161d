//! Completion: fields and words of the schemas, names of the site, labels that clusters carry.

use std::collections::{BTreeMap, BTreeSet};

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, MarkupContent, MarkupKind, Position, Range, TextEdit,
};

use crate::delivery::policy::inside::template::functions;
use crate::document::KINDS;
use crate::kit::safe::clean;
use crate::source::Source;
use crate::{gotemplate, schema};

use super::context::{Context, context, pairs_below};
use super::fields::{Fields, Form};
use super::labels::Inventory;
use super::names::{self, LABEL};
use super::position::Lines;
use super::view::View;

/// The completions at a place of a text, which may be newer than the site.
pub(super) fn answer(view: &View, text: &str, position: Position) -> Vec<CompletionItem> {
    let source = Source::new(String::new(), text.to_owned());
    let lines = Lines::new(&source, view.client.encoding, true);
    let at = lines.offset(position);
    let before = text.get(..at as usize).unwrap_or("");
    let mut context = context(before);
    for (key, value) in pairs_below(before, text.get(at as usize..).unwrap_or("")) {
        context.pairs.entry(key).or_insert(value);
    }
    let typed = match &context.template {
        Some(word) => word,
        None => context.typed.trim_start_matches(['"', '\'']),
    };
    let from = u32::try_from(before.len() - typed.len()).unwrap_or(at);
    let range = Range::new(lines.position(from), position);
    if context.template.is_some() {
        return functions(range);
    }
    let quoted = context.typed.starts_with(['"', '\'']);
    let mut items = Items {
        range,
        quoted,
        all: Vec::new(),
    };
    let kind = context
        .object
        .get("kind")
        .or_else(|| context.object.get("schema"));
    let kind = kind
        .or_else(|| context.object.get("type"))
        .map_or("", String::as_str);
    let kind = kind.split('/').nth(1).unwrap_or(kind);
    let path: Vec<Option<&str>> = context.path.iter().map(Option::as_deref).collect();
    items.labels(view, kind, &path, &context);
    items.names(view, kind, (&path, &context.pairs), before);
    items.of_schema(&path, &context);
    items.all
}

/// The functions of templates, with their forms.
fn functions(range: Range) -> Vec<CompletionItem> {
    let functions = functions::all();
    let item = |function: &'static gotemplate::Function| CompletionItem {
        label: function.name.to_owned(),
        kind: Some(CompletionItemKind::Function),
        detail: Some(function.to_string()),
        documentation: gotemplate::about(function.name).map(Into::into),
        text_edit: Some(TextEdit::new(range, function.name.to_owned()).into()),
        ..CompletionItem::default()
    };
    functions.map(item).collect()
}

/// Completions for a range.
struct Items {
    range: Range,
    /// Whether a quote was typed before.
    quoted: bool,
    all: Vec<CompletionItem>,
}

impl Items {
    fn push(&mut self, label: &str, written: String, detail: String, kind: CompletionItemKind) {
        if self.all.iter().any(|known| known.label == label) {
            return;
        }
        let order = self.all.len();
        self.all.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then_some(detail),
            // In the order given.
            sort_text: Some(format!("{order:05}")),
            filter_text: Some(label.to_owned()),
            text_edit: Some(TextEdit::new(self.range, written).into()),
            ..CompletionItem::default()
        });
    }

    /// Keys and values of labels, those that most clusters carry first.
    fn labels(&mut self, view: &View, kind: &str, path: &[Option<&str>], context: &Context) {
        let inventory = Inventory::new(view.snapshot.checked(), kind);
        let total = inventory.len();
        let detail = |count: usize| format!("carried by {count} of {total} clusters");
        let last = |at: usize| path.len().checked_sub(at).and_then(|at| path[at]);
        if names::class_at(kind, path, !context.is_value, &context.pairs) == Some(LABEL) {
            let end = if context.is_value { "" } else { ": " };
            for (key, count) in by_count(inventory.keys()) {
                let written = format!("{}{end}", self.written(key));
                self.push(key, written, detail(count), CompletionItemKind::Property);
            }
            return;
        }
        let key = match (last(2), last(1)) {
            (Some("matchLabels"), key) if context.is_value => key,
            (Some("values"), None) | (_, Some("values")) => {
                context.pairs.get("key").map(String::as_str)
            }
            _ => None,
        };
        if let Some(key) = key {
            for (value, count) in by_count(inventory.values(key)) {
                let written = self.written(value);
                self.push(value, written, detail(count), CompletionItemKind::Value);
            }
        }
    }

    /// Names of the site that fit.
    fn names(
        &mut self,
        view: &View,
        kind: &str,
        (path, beside): (&[Option<&str>], &BTreeMap<String, String>),
        before: &str,
    ) {
        let class = names::class_at(kind, path, false, beside);
        let Some(class) = class.filter(|class| *class != LABEL) else {
            return;
        };
        let begin = before.rfind("\n---").unwrap_or(0);
        let mut given: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let names = names::of_site(view.snapshot.checked());
        for name in names
            .iter()
            .filter(|name| name.gives && name.class == class)
        {
            given.entry(name.text).or_default().insert(name.scope);
        }
        // Names of the scope that the document says come first.
        let is_near = |scopes: &BTreeSet<&str>| {
            scopes
                .iter()
                .any(|scope| scope.is_empty() || before[begin..].contains(scope))
        };
        let (near, far): (Vec<_>, Vec<_>) = given.iter().partition(|(_, scopes)| is_near(scopes));
        for (name, scopes) in near.into_iter().chain(far) {
            let scopes: Vec<&str> = scopes
                .iter()
                .copied()
                .filter(|scope| !scope.is_empty())
                .collect();
            let detail = match scopes.as_slice() {
                [] => class.to_owned(),
                scopes => format!("{class} of {}", clean(&scopes.join(", "))),
            };
            let written = self.written(name);
            self.push(name, written, detail, CompletionItemKind::Reference);
        }
    }

    /// Fields and words that the schema of the object names.
    fn of_schema(&mut self, path: &[Option<&str>], context: &Context) {
        let object = |key: &str| context.object.get(key).map(String::as_str);
        if context.is_value && path == [Some("kind")] {
            for info in KINDS {
                self.push(
                    info.name,
                    info.name.to_owned(),
                    info.api_version.to_owned(),
                    CompletionItemKind::Class,
                );
            }
            return;
        }
        if context.is_value && path == [Some("apiVersion")] {
            let versions: BTreeSet<&str> = KINDS.iter().map(|info| info.api_version).collect();
            for version in versions {
                self.push(
                    version,
                    version.to_owned(),
                    String::new(),
                    CompletionItemKind::Value,
                );
            }
            return;
        }
        let stem = schema::stem_of(
            object("apiVersion"),
            object("kind"),
            object("schema"),
            object("type"),
        );
        let Some(fields) = stem.and_then(Fields::new) else {
            return;
        };
        for value in fields.values(path) {
            let written = self.written(&value);
            self.push(
                &value,
                written,
                String::new(),
                CompletionItemKind::EnumMember,
            );
        }
        if self.all.is_empty() {
            for value in fields.examples(path) {
                let written = self.written(&value);
                let detail = "an example".to_owned();
                self.push(&value, written, detail, CompletionItemKind::Value);
            }
        }
        if context.is_value {
            return;
        }
        let known = fields.fields(path);
        let mut known: Vec<_> = known.iter().collect();
        known.sort_by_key(|(_, field)| !field.is_required);
        for (name, field) in known {
            if context.pairs.contains_key(*name) {
                continue;
            }
            let end = match field.form {
                Form::Scalar => ": ",
                Form::Mapping | Form::Sequence => ":",
            };
            let detail = if field.is_required { "required" } else { "" };
            self.push(
                name,
                format!("{name}{end}"),
                detail.to_owned(),
                CompletionItemKind::Field,
            );
            if let Some(item) = self.all.last_mut().filter(|item| item.label == *name) {
                let text = field.description.clone();
                item.documentation = Some(MarkupContent::new(MarkupKind::Markdown, text).into());
            }
        }
    }

    /// A text as a scalar.
    fn written(&self, text: &str) -> String {
        let word = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
        let plain = text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(word);
        let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
        if self.quoted || plain && !reserved.contains(&text.to_lowercase().as_str()) {
            return text.to_owned();
        }
        serde_json::Value::from(text).to_string()
    }
}

/// Texts with how many carry them, the most first.
fn by_count<'v>(all: BTreeMap<&'v str, BTreeSet<&'v str>>) -> Vec<(&'v str, usize)> {
    let mut counts: Vec<(&str, usize)> = all.iter().map(|(key, by)| (*key, by.len())).collect();
    counts.sort_by_key(|(_, count)| usize::MAX - count);
    counts
}
