//! Templates: documents that Helm, Go, Jinja or a script fill in before they are YAML.
//!
//! Planner renders none of them. A document whose only fault is its template syntax is counted
//! apart. One note for each directory that holds a kind of ours says how to render it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memchr::{memchr_iter, memrchr_iter};

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::kind_in_text;
use crate::kit::template::{expressions, fill};
use crate::source::{Place, SourceId, Sources, Span};
use crate::yaml::{Fault, FaultKind, Limits, parse};

use super::placeholder;
use super::rules::TEMPLATE;
use super::store::Store;

/// A document that somebody fills in before it is YAML, or before its values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Where its first template expression is.
    pub place: Place,
    /// The kind of ours that its text names, and where.
    pub kind: Option<(&'static str, Place)>,
}

/// The template that an unreadable document is; `None` where it would be just as unreadable
/// with everything filled in.
pub(super) fn recognise(
    source: SourceId,
    text: &str,
    fault: &Fault,
    limits: Limits,
) -> Option<Template> {
    if !matches!(
        fault.kind,
        FaultKind::Syntax(_)
            | FaultKind::CollectionKey
            | FaultKind::BadMerge
            | FaultKind::UndefinedAlias(_)
    ) {
        return None;
    }
    let range = document_around(text, fault.span.start as usize);
    let own = &text[range.clone()];
    let marks = with_placeholders(own, expressions(own));
    let first = marks.iter().find(|mark| !in_comment(own, mark.start))?;
    let filled = fill(own, &marks);
    let again = parse(source, &filled, 0..filled.len(), limits);
    let unchanged = again.faults.first().is_some_and(|other| {
        other.kind == fault.kind
            && other.span.start as usize + range.start == fault.span.start as usize
    });
    if unchanged {
        return None;
    }
    let place = |at: Range<usize>| Place {
        source,
        span: Span {
            start: offset(range.start + at.start),
            end: offset(range.start + at.end),
        },
    };
    let line_end = own[first.start..]
        .find('\n')
        .map_or(own.len(), |at| first.start + at);
    Some(Template {
        place: place(first.start..first.end.min(line_end)),
        kind: kind_in_text(own).map(|(name, at)| (name, place(at))),
    })
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The document around an offset, its `---` line included.
pub(crate) fn document_around(text: &str, at: usize) -> Range<usize> {
    let is_mark = |start: usize| {
        text[start..]
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']))
    };
    // From the offset both ways: a file may have many documents at fault.
    let turn = at.saturating_sub(1).min(text.len());
    let (before, after) = text.as_bytes().split_at(turn);
    let mut before = memrchr_iter(b'\n', before).map(|newline| newline + 1);
    let mut after = memchr_iter(b'\n', after).map(|newline| turn + newline + 1);
    let start = before.find(|line| is_mark(*line)).unwrap_or(0);
    let end = after.find(|line| is_mark(*line)).unwrap_or(text.len());
    start..end
}

/// The expressions of a text and its placeholders, in order.
fn with_placeholders(text: &str, mut marks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    marks.extend(placeholder::all(text));
    marks.sort_unstable_by_key(|mark| (mark.start, Reverse(mark.end)));
    let mut end = 0;
    marks.retain(|mark| {
        let apart = mark.start >= end;
        end = end.max(mark.end);
        apart
    });
    marks
}

fn in_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    before.trim_start().starts_with('#') || before.contains(" #")
}

/// One note for each directory that holds templates: first those where a text names a kind of
/// ours, then the others.
pub(super) fn notes(
    templates: &[Template],
    sources: &Sources,
    store: Store<'_>,
    paths: &BTreeMap<SourceId, PathBuf>,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let mut directories: BTreeMap<String, Vec<&Template>> = BTreeMap::new();
    for template in templates {
        let name = &sources.get(template.place.source).name;
        let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
        let known = directories.entry(directory.to_owned()).or_default();
        known.push(template);
    }
    let note = |(directory, templates): (String, Vec<&Template>)| {
        let mut files: Vec<SourceId> = templates.iter().map(|one| one.place.source).collect();
        files.dedup();
        let message = match files.len() {
            1 => "1 file here is a template".to_owned(),
            many => format!("{many} files here are templates"),
        };
        let path = paths.get(&templates[0].place.source);
        let home = path.and_then(|path| path.parent());
        let render = match home.and_then(|home| renderer(store, home, &directory)) {
            Some(command) => format!("render first, e.g. `{command} | planner validate -`"),
            None => "render first and give the result to `planner validate -`".to_owned(),
        };
        let them = if files.len() == 1 { "it" } else { "them" };
        let exclude = exclude(sources, &directory, &files);
        let exclude = format!("or leave {them} out with `exclude = [{exclude}]` in planner.toml");
        Diagnostic::new(&TEMPLATE, message)
            .at(templates[0].place, "template syntax")
            .help(format!("{render}, {exclude}"))
            .severity(Severity::Note)
    };
    let ours = |(_, templates): &(String, Vec<&Template>)| {
        let mut templates = templates.iter();
        templates.any(|template| template.kind.is_some())
    };
    let (ours, others): (Vec<_>, Vec<_>) = directories.into_iter().partition(ours);
    (
        ours.into_iter().map(note).collect(),
        others.into_iter().map(note).collect(),
    )
}

/// Names of single files in the advice for one directory.
const SINGLE: usize = 5;

/// The globs that leave templates out: their directory where nothing else lies in it.
fn exclude(sources: &Sources, directory: &str, templates: &[SourceId]) -> String {
    let below = format!("{directory}/");
    let mut others = sources
        .files
        .iter()
        .zip(0..)
        .map(|(file, at)| (file, SourceId(at)));
    let alone = !directory.is_empty()
        && others.all(|(file, at)| !file.name.starts_with(&below) || templates.contains(&at));
    if alone {
        return format!("\"{below}\"");
    }
    let names = templates.iter().map(|at| &sources.get(*at).name);
    let mut globs: Vec<String> = names
        .take(SINGLE)
        .map(|name| format!("\"{name}\""))
        .collect();
    if templates.len() > SINGLE {
        globs.push("…".to_owned());
    }
    globs.join(", ")
}

/// Directories above a template in which its chart is looked for.
const ABOVE: usize = 4;

/// The command that renders a directory, by what is in it or above it; `name` is the
/// directory's name in messages.
fn renderer(store: Store<'_>, directory: &Path, name: &str) -> Option<String> {
    let here = |name: &str| match name {
        "" => ".".to_owned(),
        name => name.to_owned(),
    };
    if ["kustomization.yaml", "kustomization.yml", "Kustomization"]
        .iter()
        .any(|file| store.is_file(&directory.join(file)))
    {
        return Some(format!("kustomize build {}", here(name)));
    }
    let mut directory = directory.to_path_buf();
    let mut name = PathBuf::from(here(name));
    for _ in 0..ABOVE {
        if store.is_file(&directory.join("Chart.yaml")) {
            let shown = name.to_string_lossy().replace('\\', "/");
            return Some(format!("helm template {}", here(&shown)));
        }
        let named = name.file_name().is_some();
        name = if named {
            name.parent().map(Path::to_path_buf).unwrap_or_default()
        } else {
            name.join("..")
        };
        directory.push("..");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_template(text: &str) -> Vec<bool> {
        let limits = Limits::default();
        let parsed = parse(SourceId(0), text, 0..text.len(), limits);
        let one = |fault| recognise(SourceId(0), text, fault, limits).is_some();
        parsed.faults.iter().map(one).collect()
    }

    #[test]
    fn template_syntax_makes_a_template() {
        for text in [
            "{{- if .Values.on }}\na: 1\n{{- end }}\n",
            "{{if .On}}\nkind: Service\n{{end}}\n",
            "a: {{ .Values.a }}\n",
            "a:\n  {{- toYaml .Values.a | nindent 2 }}\nb: 1\n",
            "{% for a in b %}\n- {{ a }}\n{% endfor %}\n",
            "a: {{ x }}-{{ y }}\nb: [{{ z }}, 1]\n",
            "{{ x }}: 1\n",
            "{{/*\n a comment: with\n lines\n*/}}\na: 1\n",
            "{# jinja #}\na: 1\n",
            "a: 1\n${LINES}\nb: 2\n",
            "a: @VAR@\n",
            "name: [ID]-placement\n",
            "<% if a %>\na: 1\n<% end %>\n",
        ] {
            assert!(is_template(text).into_iter().all(|one| one), "{text}");
        }
    }

    #[test]
    fn other_faults_stay_faults() {
        for text in [
            "a: 'b\n# {{ x }}\n",
            "image:quay.io\na: \"{{ x }}\"\n",
            "a: \"{{ x }}\"\nb: [1, 2\nc: 3\n",
            "a: {b: {c: 1}\n",
            "a: [EU] US\n",
            "# <name>\na: 'b\n",
        ] {
            assert_eq!(is_template(text), [false], "{text}");
        }
    }

    #[test]
    fn each_document_is_judged_for_itself() {
        let text = "a: [\n---\na: {{ x }}\n---\na: 1\n---\nb: {{ y }}\n";
        assert_eq!(is_template(text), [false, true, true]);
    }
}
