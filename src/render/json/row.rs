//! The rows of a plan as data.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Value, json};

use crate::kit::keeps::{Keeps, Way};
use crate::plan::row::Volume;
use crate::plan::{Answer, Row};
use crate::source::Sources;

/// A row as a value, with why it fails.
#[must_use]
pub fn row<'p>(row: Row<'p>, sources: &'p Sources) -> Value {
    let failure = row.facts.failure();
    let mut form = serde_json::to_value(RowData(row, sources)).unwrap_or_default();
    if let Some(failure) = failure {
        form["failure"] = failure.into();
    }
    form
}

/// A row as a saved plan has it.
pub(super) struct RowData<'r>(pub(super) Row<'r>, pub(super) &'r Sources);

impl Serialize for RowData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(row, sources) = self;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("section", row.section.key())?;
        map.serialize_entry("kind", row.kind)?;
        if !row.name.namespace.is_empty() {
            map.serialize_entry("namespace", row.name.namespace)?;
        }
        map.serialize_entry("name", row.name.name)?;
        map.serialize_entry("mark", row.mark.word())?;
        for (key, value) in [("was", row.facts.was()), ("now", row.facts.now())] {
            if let Some(value) = value {
                map.serialize_entry(key, &answer(Some(&value)))?;
            }
        }
        map.serialize_entry("because", &row.facts.because())?;
        match row.facts.keeps() {
            Keeps::Nothing => {}
            Keeps::All => map.serialize_entry("keeps", "all")?,
            Keeps::Ways(ways) => {
                let way = |way: &Way<'_>| {
                    let [kind, namespace, name] = way;
                    json!({"kind": kind, "namespace": namespace, "name": name})
                };
                map.serialize_entry("keeps", &ways.iter().map(way).collect::<Vec<_>>())?;
            }
        }
        let left = row.facts.left();
        if !left.is_empty() {
            let volume = |one: &Volume<'_>| {
                let (kind, name, cluster) = (one.kind, one.name, one.cluster);
                json!({"kind": kind, "name": name, "cluster": cluster})
            };
            map.serialize_entry("left", &left.iter().map(volume).collect::<Vec<_>>())?;
        }
        if let Some((path, line)) = row.at.line(Some(sources)) {
            map.serialize_entry("path", path)?;
            map.serialize_entry("line", &line)?;
        }
        map.end()
    }
}

/// An answer; `null` where there is no place.
pub(super) fn answer(answer: Option<&Answer<'_>>) -> Value {
    match answer {
        None | Some(Answer::Cluster(None)) => Value::Null,
        Some(Answer::Cluster(Some(name))) => (&**name).into(),
        Some(Answer::Decisions(names)) => {
            let names = names.iter();
            names.map(|name| Value::from(&**name)).collect()
        }
        Some(Answer::Group {
            position,
            nodes,
            terms,
        }) => {
            let mut form = json!({"position": position, "nodes": nodes});
            if !terms.is_empty() {
                form["terms"] = terms.as_slice().into();
            }
            form
        }
        Some(Answer::Count(count)) => {
            i64::try_from(*count).map_or_else(|_| count.to_string().into(), Value::from)
        }
    }
}
