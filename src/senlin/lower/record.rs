//! Records of earlier plans: the data of an action, laid over the site's own.

use std::collections::BTreeMap;

use crate::diagnostic::Sink;
use crate::document::{DocumentKind, Documents};
use crate::senlin::model::Action;
use crate::senlin::records::{FILE, file_of};

/// The newest record of each file, by the file's name.
pub(super) fn newest<'a>(documents: &Documents<'a>) -> BTreeMap<String, Action<'a>> {
    let mut found: BTreeMap<String, (u64, Action<'a>)> = BTreeMap::new();
    for document in documents.of(DocumentKind::Senlin) {
        let Some(number) = document.record() else {
            continue;
        };
        let file = document
            .node
            .at(&["metadata", "annotations", FILE])
            .and_then(|n| n.text());
        let Some(file) = file else { continue };
        // The form of a record was checked when it was written.
        let Some(action) = super::action::lower(document.node, &mut Sink::default()) else {
            continue;
        };
        let file = file_of(&documents.sources.get(document.source()).name, file);
        if found.get(&file).is_none_or(|(known, _)| *known < number) {
            found.insert(file, (number, action));
        }
    }
    found
        .into_iter()
        .map(|(file, (_, action))| (file, action))
        .collect()
}

/// A record answers one request: for another action or other inputs it says nothing.
pub(super) fn lay_over<'a>(action: &mut Action<'a>, record: &Action<'a>) {
    if action.name == record.name && action.asked == record.asked {
        action.data.clone_from(&record.data);
        action.creation = record.creation;
        action.deletion = record.deletion;
    }
}
