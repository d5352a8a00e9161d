//! The rows of a saved plan.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::kit::keeps::{Keeps, Way};
use crate::kit::named::Name;
use crate::plan::row::{At, Facts, Moved, Volume};
use crate::plan::section::Form;
use crate::plan::{Answer, Assignment, Mark, Row, Section};
use crate::systems::outcome::{list, names, text};

use super::sections::{ROWS, Sections};

/// A row as it was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRow {
    section: Section,
    kind: String,
    namespace: String,
    name: String,
    at: Option<(String, usize)>,
    mark: Mark,
    was: Option<Assignment>,
    now: Option<Assignment>,
    because: String,
    keeps: Keeps<'static>,
    left: Vec<[String; 3]>,
    /// The places that each of its ways gives, where [`with_ways`] reads them.
    ways: Vec<(Way<'static>, Vec<String>)>,
}

/// The rows of a saved plan, in its order.
pub fn rows(outcome: &Sections) -> impl Iterator<Item = SavedRow> {
    outcome.rows(ROWS).filter_map(|row| SavedRow::read(&row))
}

/// The same rows, those of consumers with what each of their ways gives.
pub(super) fn with_ways(outcome: &Sections) -> Vec<SavedRow> {
    let mut ways: BTreeMap<[String; 3], Vec<(Way<'static>, Vec<String>)>> = BTreeMap::new();
    for item in outcome.rows(Section::Deliveries.key()) {
        let via = list(&item, "via").iter();
        let via = via.map(|via| (way(&via["placement"]), names(via, "clusters")));
        ways.insert(identity(&item), via.collect());
    }
    let with_ways = |mut row: SavedRow| {
        if row.section == Section::Deliveries {
            let id = [&row.kind, &row.namespace, &row.name].map(Clone::clone);
            row.ways = ways.remove(&id).unwrap_or_default();
        }
        row
    };
    rows(outcome).map(with_ways).collect()
}

fn identity(item: &Value) -> [String; 3] {
    ["kind", "namespace", "name"].map(|key| text(item, key).to_owned())
}

fn way(placement: &Value) -> Way<'static> {
    identity(placement).map(Cow::Owned)
}

impl SavedRow {
    fn read(row: &Value) -> Option<Self> {
        let (section, mark) = (text(row, "section"), text(row, "mark"));
        let section = Section::ALL.into_iter().find(|one| one.key() == section)?;
        let line = row["line"]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok());
        let volume =
            |volume: &Value| ["kind", "name", "cluster"].map(|key| text(volume, key).to_owned());
        Some(Self {
            section,
            kind: text(row, "kind").to_owned(),
            namespace: text(row, "namespace").to_owned(),
            name: text(row, "name").to_owned(),
            at: line.map(|line| (text(row, "path").to_owned(), line)),
            mark: Mark::ALL.into_iter().find(|one| one.word() == mark)?,
            was: row.get("was").map(|was| answer(section, was)),
            now: row.get("now").map(|now| answer(section, now)),
            because: text(row, "because").to_owned(),
            keeps: match row.get("keeps") {
                None => Keeps::Nothing,
                Some(Value::Array(ways)) => Keeps::Ways(ways.iter().map(way).collect()),
                Some(_) => Keeps::All,
            },
            left: list(row, "left").iter().map(volume).collect(),
            ways: Vec::new(),
        })
    }

    /// Whether some of an earlier answer stays as it was.
    pub(super) fn keeps(&self) -> bool {
        self.keeps != Keeps::Nothing
    }

    /// The row.
    #[must_use]
    pub fn row(&self) -> Row<'_> {
        let all = |answer: &Option<Assignment>| answer.as_ref().map_or(0, |one| one.names().len());
        let was = self.was.as_ref().map_or(&[][..], Answer::names);
        let now = self.now.as_ref().map_or(&[][..], Answer::names);
        let kept = now.iter().filter(|name| was.binary_search(name).is_ok());
        let kept = kept.count();
        Row {
            section: self.section,
            kind: &self.kind,
            name: Name::new(&self.namespace, &self.name),
            at: match &self.at {
                Some((path, line)) => At::Line(path, *line),
                None => At::Nowhere,
            },
            mark: self.mark,
            moved: match (&self.was, &self.now) {
                (_, None) => Moved::default(),
                (None, Some(_)) if self.section == Section::Deliveries => Moved {
                    kept: now.len(),
                    ..Moved::default()
                },
                _ => Moved::of(all(&self.was), all(&self.now), kept),
            },
            // A plan that fails is not saved.
            fails: false,
            facts: Box::new(self),
        }
    }
}

impl<'p> Facts<'p> for &'p SavedRow {
    fn was(&self) -> Option<Answer<'p>> {
        self.was.clone()
    }

    fn now(&self) -> Option<Answer<'p>> {
        self.now.clone()
    }

    fn because(&self) -> String {
        self.because.clone()
    }

    fn keeps(&self) -> Keeps<'p> {
        self.keeps.clone()
    }

    fn given(&self, by: &Way<'_>) -> Vec<Cow<'p, str>> {
        let ways = self.ways.iter().filter(|(way, _)| way == by);
        let places = ways.flat_map(|(_, places)| places);
        places.map(|place| Cow::Borrowed(place.as_str())).collect()
    }

    fn left(&self) -> Vec<Volume<'p>> {
        let left = self.left.iter();
        let volume = left.map(|[kind, name, cluster]| Volume {
            kind,
            name,
            cluster,
            held: true,
        });
        volume.collect()
    }
}

/// An answer as a plan as data has it.
fn answer(section: Section, value: &Value) -> Assignment {
    let list = |names: Vec<String>| names.into_iter().map(Cow::Owned).collect();
    match (section.info().form, value) {
        (Form::Place, value) => {
            Answer::Cluster(value.as_str().map(|name| Cow::Owned(name.to_owned())))
        }
        (Form::Group, group) => Answer::Group {
            position: group["position"]
                .as_u64()
                .map_or(0, |at| usize::try_from(at).unwrap_or(0)),
            nodes: list(names(group, "nodes")),
            // The terms of a group are not compared with a saved plan.
            terms: Vec::new(),
        },
        (Form::Count, Value::Number(number)) => Answer::Count(number.as_i128().unwrap_or_default()),
        (Form::Count, digits) => {
            let digits = digits.as_str().and_then(|digits| digits.parse().ok());
            Answer::Count(digits.unwrap_or_default())
        }
        (Form::Places, names) => {
            let names = names.as_array().into_iter().flatten();
            let names = names.filter_map(Value::as_str);
            Answer::decisions(names.map(str::to_owned))
        }
    }
}
