//! Which document is layered over which, and which replaces which. Source: Deckhand,
//! `doc/source/users/layering.rst` and `replacement.rst`.

use rustc_hash::FxHashMap;

use super::value::Value;
use crate::airship::raw::Raw;
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::yaml::Node;

/// Documents by one of their labels, to look for candidates.
pub(super) struct ByLabel<'a>(FxHashMap<(&'a str, &'a str), Vec<u32>>);

impl<'a> ByLabel<'a> {
    pub(super) fn new(raws: &[Raw<'a>]) -> Self {
        let mut found: FxHashMap<_, Vec<u32>> = FxHashMap::default();
        for (raw, number) in raws.iter().zip(0..).filter(|(raw, _)| raw.layer.is_some()) {
            for (key, value) in raw.labels().into_iter().flat_map(Node::entries) {
                let pair = (key.text().unwrap_or(""), value.text().unwrap_or(""));
                found.entry(pair).or_default().push(number);
            }
        }
        Self(found)
    }

    /// The documents that have every pair of the selector among their labels.
    pub(super) fn candidates(&self, raws: &[Raw<'a>], number: usize) -> Vec<u32> {
        let Some(selector) = raws[number].selector() else {
            return Vec::new();
        };
        let pair = |(key, value): (Node<'a>, Node<'a>)| {
            (key.text().unwrap_or(""), value.text().unwrap_or(""))
        };
        let Some(first) = selector.entries().next() else {
            return Vec::new();
        };
        let has_all = |other: &&u32| {
            **other as usize != number
                && selector.entries().all(|(key, value)| {
                    let labels = raws[**other as usize].labels();
                    let label = labels.and_then(|labels| labels.get(key.text().unwrap_or("")));
                    label.is_some_and(|label| Value::Node(label).equals(&Value::Node(value)))
                })
        };
        self.0
            .get(&pair(first))
            .into_iter()
            .flatten()
            .filter(has_all)
            .copied()
            .collect()
    }
}

/// The parent of each document.
pub(super) fn parents<'a>(
    raws: &[Raw<'a>],
    layers: &[Option<usize>],
    sink: &mut Sink,
) -> Vec<Option<u32>> {
    let index = ByLabel::new(raws);
    let layer = |number: u32| layers[number as usize];
    let mut parents = vec![None; raws.len()];
    for (number, raw) in raws.iter().enumerate() {
        let (Some(selector), Some(own)) = (raw.selector(), layers[number]) else {
            continue;
        };
        let all = index.candidates(raws, number);
        let place = raw
            .root
            .at(&["metadata", "layeringDefinition"])
            .and_then(|definition| definition.entry("parentSelector"))
            .map_or(selector.place(), |(key, _)| key.place());
        let proper = |other: &&u32| {
            raws[**other as usize].schema == raw.schema
                && layer(**other).is_some_and(|layer| layer < own)
        };
        for other in all.iter().filter(|other| !proper(other)) {
            let other = &raws[*other as usize];
            let message = if other.schema == raw.schema {
                format!(
                    "{} selects {} as a parent, which is not in a more general layer",
                    raw.describe(),
                    other.describe()
                )
            } else {
                format!(
                    "{} selects {} as a parent, which has another schema",
                    raw.describe(),
                    other.describe()
                )
            };
            sink.push(
                Diagnostic::new(&rules::INVALID_PARENT, message)
                    .at(place, "this selector")
                    .related(other.place, "has all these labels")
                    .help("select by a label that only the parent has")
                    .upstream("InvalidDocumentParent")
                    .object(raw.object()),
            );
        }
        let mut good: Vec<u32> = all.iter().filter(proper).copied().collect();
        good.sort_by_key(|other| layer(*other));
        let twin = good
            .windows(2)
            .find(|pair| layer(pair[0]) == layer(pair[1]));
        if let Some([one, two]) = twin {
            let (one, two) = (&raws[*one as usize], &raws[*two as usize]);
            let message = format!(
                "{} has two parents of layer `{}`",
                raw.describe(),
                one.layer.unwrap_or("")
            );
            sink.push(
                Diagnostic::new(&rules::AMBIGUOUS_PARENT, message)
                    .at(place, "this selector")
                    .related(one.place, "has all these labels")
                    .related(two.place, "this one has them too")
                    .help("add a label that only one of them has")
                    .upstream("IndeterminateDocumentParent")
                    .object(raw.object()),
            );
        }
        parents[number] = good.last().copied();
        if all.is_empty() && !raw.replacement {
            let message = format!("no document has the labels that {} selects", raw.describe());
            sink.push(
                Diagnostic::new(&rules::NO_PARENT, message)
                    .at(place, "selects nothing")
                    .help("the document is used without a parent; correct the labels if it has one")
                    .object(raw.object()),
            );
        }
    }
    parents
}

/// The replacement of each document.
pub(super) fn replacements(
    raws: &[Raw<'_>],
    parents: &[Option<u32>],
    sink: &mut Sink,
) -> Vec<Option<u32>> {
    let mut replaced_by = vec![None; raws.len()];
    let mut plain: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    for ((raw, parent), number) in raws.iter().zip(parents).zip(0..) {
        if raw.control {
            continue;
        }
        let mut fault = |message: String, other: Option<&Raw<'_>>| {
            let mut found = Diagnostic::new(&rules::INVALID_REPLACEMENT, message)
                .at(raw.place, "this document")
                .upstream("InvalidDocumentReplacement")
                .object(raw.object());
            if let Some(other) = other {
                found = found.related(other.place, "the other one");
            }
            sink.push(found.help(
                "a replacement has `replacement: true`, selects its parent, and has the \
                 same schema and name",
            ));
        };
        let same = |other: &Raw<'_>| (other.schema, other.name) == (raw.schema, raw.name);
        let above = parent.map(|parent| &raws[parent as usize]);
        match (raw.replacement, above) {
            (true, None) => {
                fault(
                    format!("{} replaces nothing: it has no parent", raw.describe()),
                    None,
                );
            }
            (true, Some(other)) if !same(other) => {
                let message = format!(
                    "{} cannot replace {}: schema and name differ",
                    raw.describe(),
                    other.describe()
                );
                fault(message, Some(other));
            }
            (true, Some(other)) => {
                if other.replacement {
                    let message = format!(
                        "{} replaces {}, which is itself a replacement",
                        raw.describe(),
                        other.describe()
                    );
                    fault(message, Some(other));
                }
                if let Some(parent) = parent {
                    replaced_by[*parent as usize] = Some(number);
                }
            }
            (false, Some(other)) if same(other) => {
                let message = format!(
                    "{} has the schema and name of its parent but does not replace it",
                    raw.describe()
                );
                fault(message, Some(other));
            }
            (false, _) => {
                if let Some(other) = plain.insert((raw.schema, raw.name), number) {
                    let other = &raws[other as usize];
                    if other.layer != raw.layer {
                        let message = format!(
                            "{} and {} have the same schema and name, and neither replaces the \
                             other",
                            other.describe(),
                            raw.describe()
                        );
                        fault(message, Some(other));
                    }
                }
            }
        }
    }
    replaced_by
}

/// Where substitutions take values from: concrete documents by schema and name, each by its
/// replacement where it has one.
pub(super) fn sources<'a>(
    raws: &[Raw<'a>],
    replaced_by: &[Option<u32>],
) -> FxHashMap<(&'a str, &'a str), u32> {
    let mut sources = FxHashMap::default();
    for ((raw, replacement), number) in raws.iter().zip(replaced_by).zip(0..) {
        if !raw.is_abstract {
            sources.insert((raw.schema, raw.name), replacement.unwrap_or(number));
        }
    }
    sources
}
