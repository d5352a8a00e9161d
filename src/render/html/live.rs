//! The data of the sections of a page: the rows of a plan that was just made, or of one that was
//! saved, and each item as data.

use serde_json::Value;

use crate::kit::named::Name;
use crate::ogc::inheritance::effective_sorted;
use crate::plan::row::{At, Facts, Moved, Row, Rows};
use crate::plan::{self, Answer, Mark, Plan};
use crate::render::json::{Items, PlanAnswer};
use crate::saved::{SavedRow, Sections};
use crate::source::{Place, Sources};
use crate::systems;

use super::item::{Kind, Section, text};
use super::kinds::{APPLICATIONS, DELIVERIES, LEGACY, PLACEMENTS, REGIONS, RULES};
use super::map::{self, Boxes};

/// The kinds of items, in the order of the page.
const KINDS: [(&Kind, plan::Section); 6] = [
    (&APPLICATIONS, plan::Section::Applications),
    (&PLACEMENTS, plan::Section::Placements),
    (&DELIVERIES, plan::Section::Deliveries),
    (&LEGACY, plan::Section::LegacyRules),
    (&RULES, plan::Section::Rules),
    (&REGIONS, plan::Section::Regions),
];

/// The sections of a page.
#[derive(Default)]
pub(super) struct Contents<'p> {
    /// The decisions, kind by kind; kinds without items are not there.
    pub(super) sections: Vec<Section<'p>>,
    /// The deployment groups.
    pub(super) strategy: Option<Value>,
    /// The load of each cluster.
    pub(super) sums: Vec<Value>,
    /// The next steps of rollouts.
    pub(super) rollouts: Vec<Value>,
    /// The waves of rollouts.
    pub(super) waves: Vec<Value>,
    /// The clusters, racks and regions.
    pub(super) boxes: Boxes,
}

impl<'p> Contents<'p> {
    /// Those of a plan; of a plan that is none (documents were refused) nothing.
    pub(super) fn of<'a>(plan: &'p Plan<'p, 'a>, answer: &'p PlanAnswer<'p, 'a>) -> Self {
        let Some(shown) = plan.shown() else {
            return Self::default();
        };
        let sources = plan.site.documents.sources;
        let whole = |section: &str| match answer.whole(section) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let items = |section: &str| match section {
            "regionPlacements" => Items::made_of(whole(section)),
            section => answer.items(section),
        };
        let every = |section: &str| {
            let items = answer.items(section);
            (0..items.len()).map(|at| items.get(at)).collect()
        };
        let mut sections = sections(systems::rows(shown), items, Some(sources));
        for section in &mut sections {
            if section.kind.key == APPLICATIONS.key {
                section.more = Some(Box::new(move |at, row| rules(shown, at, row)));
            }
        }
        Self {
            sections,
            strategy: answer.whole("deploymentStrategy"),
            sums: whole("clusters"),
            rollouts: every("rollouts"),
            waves: waves(shown, every("rolloutWaves")),
            boxes: map::of_plan(shown),
        }
    }

    /// Those of a saved plan.
    pub(super) fn saved(outcome: &'p Sections, rows: &'p [SavedRow]) -> Self {
        let rows = Box::new(rows.iter().map(SavedRow::row));
        Self {
            boxes: map::of_saved(outcome),
            sections: sections(rows, |key| Items::read(outcome.items(key)), None),
            strategy: outcome.get("deploymentStrategy"),
            sums: outcome.rows("clusters").collect(),
            rollouts: outcome.rows("rollouts").collect(),
            waves: outcome.rows("rolloutWaves").collect(),
        }
    }
}

/// The sections of rows, each with its items as data.
fn sections<'p>(
    rows: Rows<'p>,
    items: impl Fn(&str) -> Items<'p>,
    sources: Option<&'p Sources>,
) -> Vec<Section<'p>> {
    let mut of_kind: [Vec<Row<'p>>; 6] = Default::default();
    for row in rows {
        let at = KINDS
            .iter()
            .position(|(_, section)| *section == row.section);
        if let Some(at) = at {
            of_kind[at].push(row);
        }
    }
    let sections = KINDS
        .iter()
        .zip(of_kind)
        .map(|((kind, section), mut rows)| {
            if *section == plan::Section::Regions {
                rows = files(rows);
            }
            Section {
                kind,
                rows,
                items: items(section.key()),
                sources,
                more: None,
            }
        });
    sections
        .filter(|section| !section.rows.is_empty())
        .collect()
}

/// The regions of a file, as one row.
struct File<'p>(Vec<Row<'p>>);

fn files(regions: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut files: Vec<Vec<Row<'_>>> = Vec::new();
    for region in regions {
        match files.last_mut() {
            Some(file) if file[0].name.namespace == region.name.namespace => file.push(region),
            _ => files.push(vec![region]),
        }
    }
    files.into_iter().map(file).collect()
}

fn file(regions: Vec<Row<'_>>) -> Row<'_> {
    Row {
        section: regions[0].section,
        kind: "action",
        name: Name::new("", regions[0].name.namespace),
        at: At::Nowhere,
        mark: match () {
            () if regions.iter().any(|region| region.fails) => Mark::Failed,
            () if regions.iter().any(|one| one.facts.was() != one.facts.now()) => Mark::Changed,
            () => Mark::Same,
        },
        moved: Moved::default(),
        fails: regions[0].fails,
        facts: Box::new(File(regions)),
    }
}

impl File<'_> {
    fn nodes<'p>(&self, of: impl Fn(&Row<'_>) -> Option<i128>) -> Option<Answer<'p>> {
        Some(Answer::Count(self.0.iter().filter_map(of).sum()))
    }
}

/// The nodes of a region that can be used.
fn nodes(answer: Option<Answer<'_>>) -> Option<i128> {
    match answer {
        Some(Answer::Count(nodes)) => Some(nodes),
        _ => None,
    }
}

impl<'p> Facts<'p> for File<'p> {
    fn was(&self) -> Option<Answer<'p>> {
        self.nodes(|region| nodes(region.facts.now()).and(nodes(region.facts.was())))
    }

    fn now(&self) -> Option<Answer<'p>> {
        self.nodes(|region| nodes(region.facts.now()))
    }

    fn because(&self) -> String {
        String::new()
    }
}

/// Adds the lines of the rules of an Application.
fn rules(plan: &Plan<'_, '_>, at: usize, row: &mut Value) {
    let (model, sources) = (&*plan.site.ogc, plan.site.documents.sources);
    let item = plan.applications.as_ref().map(|outcome| &outcome.items[at]);
    let Some(application) = item.and_then(|item| item.of(model)) else {
        return;
    };
    let rules = effective_sorted(model, application).into_iter();
    let rows = row["effectiveRules"].as_array_mut().into_iter().flatten();
    for ((rule, _), row) in rules.zip(rows) {
        put(row, sources, rule.place);
    }
}

fn put(value: &mut Value, sources: &Sources, place: Place) {
    let source = sources.get(place.source);
    value["path"] = source.name.as_str().into();
    value["line"] = source.position(place.span.start).line.into();
}

/// How long each wave takes at least, where the documents say so.
fn waves(plan: &Plan<'_, '_>, mut waves: Vec<Value>) -> Vec<Value> {
    for row in &mut waves {
        let sets = plan.site.ocm.replica_sets.iter();
        let mut named = sets.filter(|set| {
            (set.namespace, set.name)
                == (text(row, "namespace"), text(row, "manifestWorkReplicaSet"))
        });
        let own = named.next().and_then(|set| {
            let mut own = set.placements.iter();
            own.find(|own| own.name.text == text(row, "placement"))
        });
        let seconds = own.map_or(0, |own| own.strategy.min_success_nanos / 1_000_000_000);
        if seconds > 0 {
            row["minSuccessSeconds"] = seconds.into();
        }
    }
    waves
}
