//! How the systems claim documents before reading them: the system of a document if its kind is not
//! enough, and the YAML that a system does not accept.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::airship;
use crate::delivery::policy::generate;
use crate::diagnostic::{Severity, Sink};
use crate::document::{Document, DocumentKind, Documents, kind_in_text};
use crate::kustomize::{Made, ReadDocuments};
use crate::load::{self, Loaded, rules};
use crate::source::SourceId;
use crate::yaml::{Dialect, Quirk, QuirkKind, Tree};

/// Takes the documents in.
pub(super) fn take(loaded: &Loaded, documents: &mut Documents<'_>, sink: &mut Sink) {
    super::recognise(&mut documents.all, &documents.repositories, sink);
    let strict = airship::strict_files(&documents.all);
    quirks(loaded, &strict, documents, sink);
    generated(documents, false, sink);
}

/// The Policies that a PolicyGenerator makes when a kustomization runs it.
pub fn policy_generator(generator: &Tree, read: &mut ReadDocuments<'_>) -> Made {
    generate::built(generator, read)
}

/// Puts in what generators make, behind each generator.
pub(super) fn generated(documents: &mut Documents<'_>, again: bool, sink: &mut Sink) {
    if !documents.has(DocumentKind::PolicyGenerator) {
        return;
    }
    let made = generate::generate(documents, again, sink);
    let made = documents.generated.get_or_init(|| made);
    let mut made = made.iter().peekable();
    let mut all = Vec::with_capacity(documents.all.len());
    for generator in std::mem::take(&mut documents.all) {
        all.push(generator);
        while let Some(one) = made.next_if(|one| one.by == generator.index) {
            let document = load::read(one.tree.root(""), sink);
            all.push(Document {
                build: Some(&one.build),
                ..document
            });
        }
    }
    for (document, index) in all.iter_mut().zip(0..) {
        document.index = index;
    }
    documents.all = all;
}

/// The keys that a document begins with.
const HEADS: [&str; 4] = ["apiVersion", "kind", "schema", "type"];

/// The documents that hold another one because no `---` divides them: what names the kind of a
/// document appears twice.
fn doubled(
    quirks: &[(Range<usize>, SourceId, &Quirk)],
    documents: &Documents<'_>,
) -> BTreeSet<(SourceId, u32)> {
    let mut found = BTreeSet::new();
    let mut typed = BTreeSet::new();
    for (_, source, quirk) in quirks {
        let file = documents.sources.get(*source);
        let top = || file.position(quirk.span.start).column == 1;
        if !matches!(quirk.kind, QuirkKind::RepeatedKey(_)) || !top() {
            continue;
        }
        let number = (*source, quirk.document);
        let whole = match file.slice(quirk.span) {
            "apiVersion" | "schema" => true,
            "type" => {
                typed.insert(number);
                false
            }
            // Documents of a type and a version.
            "version" => typed.contains(&number),
            _ => false,
        };
        if whole {
            found.insert(number);
        }
    }
    found
}

/// Repeated keys, foreign tags and `=`: what they mean depends on who reads the document.
fn quirks(
    loaded: &Loaded,
    strict: &BTreeSet<SourceId>,
    documents: &mut Documents<'_>,
    sink: &mut Sink,
) {
    let all = loaded.quirks();
    let several = doubled(&all, documents);
    // Where a second document begins without a mark, its other keys are repeated as well.
    let mut second: Option<(SourceId, u32)> = None;
    for (within, source, quirk) in all {
        if let QuirkKind::RepeatedKey(first) = quirk.kind {
            let number = (source, quirk.document);
            let file = documents.sources.get(source);
            let key = file.slice(quirk.span);
            let top = file.position(quirk.span.start).column == 1;
            if second == Some(number) && top {
                continue;
            }
            let ours = || {
                let mut all = documents.all[within.clone()].iter();
                let whole = documents.all.get(within.start).map(|one| one.node.span());
                all.any(|document| document.kind != DocumentKind::Foreign)
                    || whole.is_some_and(|whole| kind_in_text(file.slice(whole)).is_some())
            };
            if top && HEADS.contains(&key) && several.contains(&number) && ours() {
                second = Some(number);
                let found = rules::missing_mark(source, first, quirk.span);
                if let Some(document) = documents.all.get_mut(within.start) {
                    document.refused |= found.refuses;
                    // What two documents in one lack or have too much says nothing.
                    let span = document.node.span();
                    sink.diagnostics.retain(|found| {
                        let place = found.primary.as_ref().map(|label| label.place);
                        !place.is_some_and(|place| {
                            place.source == source
                                && (span.start..span.end).contains(&place.span.start)
                        }) || !found.rule.code.starts_with("planner::schema::")
                    });
                }
                sink.push(found);
                continue;
            }
        }
        let all = documents.all.iter_mut();
        for document in all.skip(within.start).take(within.len()) {
            let foreign = document.kind == DocumentKind::Foreign;
            let found = match quirk.kind {
                QuirkKind::RepeatedKey(_) if foreign => None,
                QuirkKind::RepeatedKey(first) => {
                    let key = documents.sources.get(source).slice(quirk.span);
                    let lenient = document.kind.dialect() == Dialect::PyYaml;
                    Some(rules::repeated_key(source, key, first, quirk.span, lenient))
                }
                QuirkKind::LateMerge(_) | QuirkKind::NoJson(_)
                    if foreign || document.kind.dialect() != Dialect::Kubernetes =>
                {
                    None
                }
                QuirkKind::LateMerge(first) => Some(rules::late_merge(source, first, quirk.span)),
                QuirkKind::NoJson(why) => Some(rules::no_json(source, why, quirk.span)),
                _ if strict.contains(&source) => {
                    Some(rules::unsafe_yaml(source, quirk, Severity::Error))
                }
                QuirkKind::EqualsSign | QuirkKind::Tab | QuirkKind::Refused(_)
                    if document.kind.is_of_its_file() =>
                {
                    Some(rules::unsafe_yaml(source, quirk, Severity::Error))
                }
                QuirkKind::EqualsSign | QuirkKind::Tab | QuirkKind::Refused(_) => None,
                _ if foreign => None,
                QuirkKind::ForeignTag => Some(rules::unsafe_yaml(source, quirk, Severity::Warning)),
            };
            let Some(found) = found else { continue };
            document.refused |= found.refuses;
            sink.push(found);
            break;
        }
    }
}
