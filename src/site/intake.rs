//! What the systems make of documents before they read them: whose a document is where its kind
//! alone does not tell, and which YAML they do not take.

use std::collections::BTreeSet;

use crate::diagnostic::{Severity, Sink};
use crate::document::{DocumentKind, Documents};
use crate::load::{Loaded, rules};
use crate::source::SourceId;
use crate::yaml::{Dialect, QuirkKind};
use crate::{airship, senlin};

/// Takes the documents in.
pub(super) fn take(loaded: &Loaded, documents: &mut Documents<'_>, sink: &mut Sink) {
    senlin::recognise_profiles(&mut documents.all);
    let strict = airship::strict_files(&documents.all);
    quirks(loaded, &strict, documents, sink);
    for source in strict {
        let text = &documents.sources.get(source).text;
        if text.contains('\t')
            && let Some(at) = rules::first_tab(text, loaded.quoted_spans(source))
        {
            sink.push(rules::tab(source, at));
        }
    }
}

/// Repeated keys, foreign tags and `=`: what they mean depends on who reads the document.
fn quirks(
    loaded: &Loaded,
    strict: &BTreeSet<SourceId>,
    documents: &mut Documents<'_>,
    sink: &mut Sink,
) {
    for (within, source, quirk) in loaded.quirks() {
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
                _ if strict.contains(&source) => {
                    Some(rules::unsafe_yaml(source, quirk, Severity::Error))
                }
                QuirkKind::EqualsSign | QuirkKind::Refused(_) => None,
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
