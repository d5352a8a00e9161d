//! What changes in a plan, by cause, as data.

use serde_json::{Map, Value, json};

use crate::plan::changes::{Change, Effect, Subject};
use crate::source::Sources;

/// A change with its cause and its place.
pub(super) fn change(change: &Change<'_>, sources: &Sources) -> Value {
    let mut form = Map::new();
    form.insert("mark".into(), change.mark.word().into());
    form.insert("names".into(), change.names.as_slice().into());
    match &change.effect {
        Effect::Places { join, leave } => {
            for (key, subjects) in [("join", join), ("leave", leave)] {
                if !subjects.is_empty() {
                    form.insert(key.into(), subjects.iter().map(subject).collect());
                }
            }
        }
        Effect::Answers { section, clusters } => {
            form.insert("section".into(), section.key().into());
            if let Some((was, now)) = clusters {
                form.insert("was".into(), was.as_deref().into());
                form.insert("now".into(), now.as_deref().into());
            }
        }
    }
    if let Some(cause) = &change.cause {
        form.insert("because".into(), cause.words.as_str().into());
        if let Some((path, line)) = cause.at.line(Some(sources)) {
            form.insert("path".into(), path.into());
            form.insert("line".into(), line.into());
        }
    }
    form.into()
}

fn subject(subject: &Subject<'_>) -> Value {
    json!({
        "section": subject.section.key(),
        "kind": subject.kind,
        "name": subject.name,
    })
}
