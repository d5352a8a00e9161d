//! The answers that an original leaves as they were although this plan cannot decide them: what
//! fails takes nothing away.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::row::Rows;
use super::{Answer, Row, Section};
use crate::kit::keeps::Keeps;
use crate::kit::named::Name;

/// A subject that keeps places which it had and which its own plan does not give it.
#[derive(Debug)]
pub struct Kept {
    /// The section that decides about it.
    pub section: Section,
    /// The kind of the thing.
    pub kind: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// All its places then, sorted.
    pub places: Vec<String>,
}

type Key<'p> = (Section, &'p str, Name<'p>);

const fn key<'p>(row: &Row<'p>) -> Key<'p> {
    (row.section, row.kind, row.name)
}

/// The subjects that keep places between two plans, and all their places.
#[must_use]
pub fn kept<'b>(before: impl FnOnce() -> Rows<'b>, after: Rows<'_>) -> Vec<Kept> {
    let keeping = after.filter_map(|row| match row.facts.keeps() {
        Keeps::Nothing => None,
        keeps => Some((row, keeps)),
    });
    let keeping: Vec<(Row<'_>, Keeps<'_>)> = keeping.collect();
    if keeping.is_empty() {
        return Vec::new();
    }
    let wanted: BTreeSet<Key<'_>> = keeping.iter().map(|(row, _)| key(row)).collect();
    let known = before().filter(|row| wanted.contains(&key(row)));
    let known: BTreeMap<Key<'_>, Row<'_>> = known.map(|row| (key(&row), row)).collect();
    let mut all = Vec::new();
    for (row, keeps) in keeping {
        let Some(old) = known.get(&key(&row)) else {
            continue;
        };
        let Some(had) = old.facts.now() else {
            continue;
        };
        let stays: Vec<Cow<'_, str>> = match keeps {
            Keeps::Ways(ways) => {
                let given = ways.iter().flat_map(|way| old.facts.given(way));
                given.filter(|name| had.names().contains(name)).collect()
            }
            _ => had.names().to_vec(),
        };
        let now = row.facts.now();
        let now = now.as_ref().map(Answer::names);
        let known = now.unwrap_or_default();
        if now.is_some() && stays.iter().all(|name| known.contains(name)) {
            continue;
        }
        let places: BTreeSet<String> = stays
            .into_iter()
            .chain(known.iter().cloned())
            .map(Cow::into_owned)
            .collect();
        all.push(Kept {
            section: row.section,
            kind: row.kind.to_owned(),
            namespace: row.name.namespace.to_owned(),
            name: row.name.name.to_owned(),
            places: places.into_iter().collect(),
        });
    }
    all
}
