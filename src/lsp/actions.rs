//! Code actions: fixes, comments that ignore a finding, all safe fixes of a file at once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gen_lsp_types::{
    CodeAction, CodeActionKind, Diagnostic, DocumentChange, Edit,
    OptionalVersionedTextDocumentIdentifier, Range, SnippetTextEdit, StringValue, TextDocumentEdit,
    TextDocumentIdentifier, TextEdit, WorkspaceEdit,
};

use serde::Deserialize;

use crate::diagnostic::{self, Applicability, Diagnostic as Finding, Fix, short_code};
use crate::fix;
use crate::kit::safe::clean;
use crate::source::{Place, SourceId, Span};

use super::client::FIX_ALL;
use super::diagnostics;
use super::position::Lines;
use super::view::View;

/// The parameters that actions depend on; clients write the diagnostics beside them in many ways.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    text_document: TextDocumentIdentifier,
    range: Range,
    #[serde(default)]
    context: Context,
}

#[derive(Debug, Default, Deserialize)]
struct Context {
    #[serde(default)]
    only: Option<Vec<String>>,
}

/// The actions for a range of a file.
pub(super) fn answer(view: &View, params: &Params) -> Vec<CodeAction> {
    let Some(source) = view.file(&params.text_document.uri.0) else {
        return Vec::new();
    };
    // A kind is asked for by its beginning.
    let only = params.context.only.as_ref();
    let wants = |kind: &str, by_default: bool| match &only {
        None => by_default,
        Some(only) => only.iter().any(|asked| {
            let rest = kind.strip_prefix(asked.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }),
    };
    let lines = view.lines(source);
    let mut actions = Vec::new();
    if wants("quickfix", true) {
        let from = lines.offset(params.range.start);
        let to = lines.offset(params.range.end);
        let here = |finding: &&Finding| {
            let primary = finding.primary.as_ref();
            primary.is_some_and(|label| {
                let Place { source: of, span } = label.place;
                of == source && span.start <= to && from <= span.end
            })
        };
        let findings = view.snapshot.findings.diagnostics.iter();
        let here: Vec<&Finding> = findings.filter(here).collect();
        let fixes = here
            .iter()
            .filter_map(|finding| quick_fix(view, &lines, finding));
        actions.extend(fixes);
        let ignores = here
            .iter()
            .filter_map(|finding| ignore(view, &lines, finding));
        actions.extend(ignores);
    }
    if wants(FIX_ALL, false) {
        actions.extend(fix_all(view, source));
    }
    actions
}

/// A finding as the editor has it.
fn shown(view: &View, lines: &Lines<'_>, finding: &Finding) -> Option<Vec<Diagnostic>> {
    let shown = diagnostics::diagnostic(view, lines, finding, "")?;
    Some(vec![Diagnostic {
        data: None,
        ..shown
    }])
}

/// The action that makes a finding's fix.
fn quick_fix(view: &View, lines: &Lines<'_>, finding: &Finding) -> Option<CodeAction> {
    let fix = finding.fix.as_ref().filter(|fix| is_possible(view, fix))?;
    let is_safe = fix.applicability == Applicability::Safe;
    Some(CodeAction {
        title: sentence(&fix.title),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: shown(view, lines, finding),
        is_preferred: is_safe.then_some(true),
        edit: Some(edits(view, &fix.edits)?),
        ..CodeAction::default()
    })
}

/// A title begins with a capital.
fn sentence(title: &str) -> String {
    let title = clean(title);
    let mut letters = title.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Whether a fix can be made where the editor would make it: in files, not in records, and not
/// where several values share a text.
fn is_possible(view: &View, fix: &Fix) -> bool {
    let request = &view.snapshot.request;
    let records = request.records.as_ref();
    let records = records.map(|records| request.directory.join(records));
    let shared = view.snapshot.loaded().shared();
    fix.edits.iter().all(|edit| {
        let Place { source, span } = edit.place;
        let path = view.path(source);
        let inside = |records: &PathBuf| path.is_some_and(|path| path.starts_with(records));
        let is_record = records.as_ref().is_some_and(inside);
        let meets = |place: &Place| {
            place.source == source && place.span.start < span.end && span.start < place.span.end
        };
        view.uri(source).is_some() && !is_record && !shared.iter().any(meets)
    })
}

/// Edits of documents as edits of texts.
fn edits(view: &View, edits: &[diagnostic::Edit]) -> Option<WorkspaceEdit> {
    let mut files: Vec<(SourceId, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let source = edit.place.source;
        let text = fix::written(edit, view.snapshot.sources());
        let edit = TextEdit::new(view.range(source, edit.place.span), text.into_owned());
        match files.iter_mut().find(|(of, _)| *of == source) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((source, vec![edit])),
        }
    }
    in_files(view, files)
}

/// Edits of files, of the versions that they were made for where the client reads those.
fn in_files(view: &View, files: Vec<(SourceId, Vec<TextEdit>)>) -> Option<WorkspaceEdit> {
    if view.client.versioned {
        let changes = files.into_iter().map(|(source, edits)| {
            let edits = edits.into_iter().map(Edit::TextEdit);
            of_version(view, source, edits.collect())
        });
        return Some(WorkspaceEdit {
            document_changes: Some(changes.collect::<Option<_>>()?),
            ..WorkspaceEdit::default()
        });
    }
    let changes = files
        .into_iter()
        .map(|(source, edits)| Some((view.uri(source)?.0, edits)));
    Some(WorkspaceEdit {
        changes: Some(changes.collect::<Option<_>>()?),
        ..WorkspaceEdit::default()
    })
}

/// Edits of a file and its version.
fn of_version(view: &View, source: SourceId, edits: Vec<Edit>) -> Option<DocumentChange> {
    let (uri, version) = view.uri(source)?;
    let document = OptionalVersionedTextDocumentIdentifier {
        version,
        text_document_identifier: TextDocumentIdentifier::new(uri),
    };
    let change = TextDocumentEdit::new(document, edits);
    Some(DocumentChange::TextDocumentEdit(change))
}

/// The action that ignores a finding by a comment above its line, where one can stand there.
fn ignore(view: &View, lines: &Lines<'_>, finding: &Finding) -> Option<CodeAction> {
    let place = finding.primary.as_ref()?.place;
    let source = view.source(place.source);
    // JSON has no comments, and findings of the configuration cannot be ignored.
    if !is_yaml(&source.name) || finding.rule.code.starts_with("planner::config::") {
        return None;
    }
    let line = source.line_of(place.span.start);
    let start = *source.line_starts().get(line)?;
    if view
        .snapshot
        .loaded()
        .inside_scalars(place.source, &[start])
        == [true]
    {
        return None;
    }
    let text = source.line_text(line);
    let mark = if start == 0 && text.starts_with('\u{feff}') {
        3
    } else {
        0
    };
    let text = &text[mark..];
    let indent = &text[..text.len() - text.trim_start_matches([' ', '\t']).len()];
    let start = start + u32::try_from(mark).ok()?;
    let end = if source.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let code = short_code(finding.rule.code);
    let range = lines.range(Span { start, end: start });
    let edit = if view.client.versioned && view.client.snippets {
        let snippet = format!("{indent}# planner: ignore[{code}]: ${{1:reason}}{end}");
        let snippet = SnippetTextEdit {
            range,
            snippet: StringValue::new(snippet),
            annotation_id: None,
        };
        let edits = vec![Edit::SnippetTextEdit(snippet)];
        WorkspaceEdit {
            document_changes: Some(vec![of_version(view, place.source, edits)?]),
            ..WorkspaceEdit::default()
        }
    } else {
        let text = format!("{indent}# planner: ignore[{code}]: {end}");
        in_files(view, vec![(place.source, vec![TextEdit::new(range, text)])])?
    };
    Some(CodeAction {
        title: format!("Ignore {code} here with a reason"),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: shown(view, lines, finding),
        edit: Some(edit),
        ..CodeAction::default()
    })
}

/// Whether a file is YAML, by its name.
fn is_yaml(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .map(|ending| ending.to_string_lossy());
    let ending = ending.unwrap_or(Cow::Borrowed(""));
    !ending.eq_ignore_ascii_case("json") && !ending.eq_ignore_ascii_case("toml")
}

/// The action that makes all safe fixes of a file which do not meet.
fn fix_all(view: &View, source: SourceId) -> Option<CodeAction> {
    let inside = |fix: &Fix| fix.edits.iter().all(|edit| edit.place.source == source);
    let findings = view.snapshot.findings.diagnostics.iter();
    let fixes = findings.filter_map(|finding| finding.fix.as_ref());
    let fixes = fixes.filter(|fix| {
        fix.applicability == Applicability::Safe && inside(fix) && is_possible(view, fix)
    });
    let edits = fix::compatible(fixes, view.snapshot.sources());
    if edits.is_empty() {
        return None;
    }
    Some(CodeAction {
        title: "Make all safe fixes of planner".to_owned(),
        kind: Some(CodeActionKind::from(FIX_ALL.to_owned())),
        edit: Some(self::edits(view, &edits)?),
        ..CodeAction::default()
    })
}
