//! The changes of a saved plan, by cause.

use serde_json::Value;

use crate::plan::changes::{Change, Changes, Effect, Subject};
use crate::plan::row::{At, Cause};
use crate::plan::{Mark, Section};
use crate::systems::outcome::{list, text, texts};

/// The changes that these values hold, of a plan in which so many rows change.
#[must_use]
pub fn changes(values: &[Value], rows: usize) -> Changes<'_> {
    Changes {
        all: values.iter().filter_map(read).collect(),
        rows,
    }
}

fn read(value: &Value) -> Option<Change<'_>> {
    let mark = text(value, "mark");
    let cluster = |key| value.get(key).map(|name| name.as_str().map(str::to_owned));
    let effect = match section(value) {
        Some(section) => Effect::Answers {
            section,
            clusters: cluster("was").zip(cluster("now")),
        },
        None => Effect::Places {
            join: subjects(value, "join"),
            leave: subjects(value, "leave"),
        },
    };
    let line = value["line"].as_u64();
    let line = line.and_then(|line| usize::try_from(line).ok());
    let because = value.get("because").and_then(Value::as_str);
    Some(Change {
        mark: Mark::ALL.into_iter().find(|one| one.word() == mark)?,
        names: texts(value, "names")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        effect,
        cause: because.map(|words| Cause {
            words: words.to_owned(),
            at: line.map_or(At::Nowhere, |line| At::Line(text(value, "path"), line)),
        }),
    })
}

fn section(value: &Value) -> Option<Section> {
    let key = text(value, "section");
    Section::ALL.into_iter().find(|one| one.key() == key)
}

fn subjects<'v>(value: &'v Value, key: &str) -> Vec<Subject<'v>> {
    let subjects = list(value, key).iter().filter_map(|subject| {
        Some(Subject {
            section: section(subject)?,
            kind: text(subject, "kind"),
            name: text(subject, "name").to_owned(),
        })
    });
    subjects.collect()
}
