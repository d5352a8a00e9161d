//! What the sections of a page are made of: a plan that was just made, or one that was saved.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::hybrid::decision;
use crate::ogc::engine::Change;
use crate::ogc::inheritance::effective_sorted;
use crate::plan::Plan;
use crate::render::json::{Items, PlanAnswer};
use crate::render::text::delivery;
use crate::render::text::layout::Mark;
use crate::source::{Place, Sources};

use super::item::{Held, Kind, Section, list, text, texts};
use super::kinds::{APPLICATIONS, DELIVERIES, LEGACY, PLACEMENTS, REGIONS, RULES};
use super::map::{self, Boxes};

/// What happens to an item, by its data.
type Marking = fn(&Value) -> Mark;

/// The sections of a page.
pub(super) struct Contents<'p> {
    /// What is decided, kind by kind; kinds without items are not there.
    pub(super) sections: Vec<Section<'p>>,
    /// The deployment groups.
    pub(super) strategy: Option<Value>,
    /// What is planned on each cluster.
    pub(super) sums: Vec<Value>,
    /// The next steps of rollouts.
    pub(super) rollouts: Vec<Value>,
    /// The waves of rollouts.
    pub(super) waves: Vec<Value>,
    /// The clusters, racks and regions.
    pub(super) boxes: Boxes,
}

impl<'p> Contents<'p> {
    /// Those of a plan.
    pub(super) fn of<'a>(plan: &'p Plan<'p, 'a>, answer: &'p PlanAnswer<'p, 'a>) -> Self {
        let Some(shown) = plan.shown() else {
            return Self::saved(&EMPTY);
        };
        let all = [
            applications(shown, answer),
            placements(shown, answer),
            deliveries(shown, answer),
            legacy(shown, answer),
            rules(shown, answer),
            regions(answer.whole("regionPlacements")),
        ];
        let whole = |section: &str| match answer.whole(section) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let every = |section: &str| {
            let items = answer.items(section);
            (0..items.len()).map(|at| items.get(at)).collect()
        };
        Self {
            sections: all.into_iter().flatten().collect(),
            strategy: answer.whole("deploymentStrategy"),
            sums: whole("clusters"),
            rollouts: every("rollouts"),
            waves: waves(shown, every("rolloutWaves")),
            boxes: map::of_plan(shown),
        }
    }

    /// Those of a saved plan.
    pub(super) fn saved(outcome: &'p Map<String, Value>) -> Self {
        let rows = |key: &str| -> &'p [Value] {
            let rows = outcome.get(key).and_then(Value::as_array);
            rows.map_or(&[], Vec::as_slice)
        };
        let known: [(&'static Kind, &str, Marking); 5] = [
            (&APPLICATIONS, "applications", application_mark),
            (&PLACEMENTS, "placements", |_| Mark::Same),
            (&DELIVERIES, "deliveries", delivery_mark),
            (&LEGACY, "legacyRules", delivery_mark),
            (&RULES, "placementRules", rule_mark),
        ];
        let mut sections = Vec::new();
        for (kind, key, mark) in known {
            let rows = rows(key);
            if !rows.is_empty() {
                let marks = rows.iter().map(mark).collect();
                let mut section = Section::of(kind, marks, Items::of(rows));
                if matches!(key, "placements" | "deliveries") {
                    let field = if key == "placements" {
                        "decisions"
                    } else {
                        "clusters"
                    };
                    section.clusters = Some(Box::new(move |at| Held {
                        now: texts(&rows[at], field),
                        was: rows[at]
                            .get("was")
                            .filter(|was| was.is_array())
                            .map(|_| texts(&rows[at], "was")),
                    }));
                }
                sections.push(section);
            }
        }
        sections.extend(regions(outcome.get("regionPlacements").cloned()));
        Self {
            boxes: map::of_rows(rows("clusters"), rows("applications"), rows("placements")),
            sections,
            strategy: outcome.get("deploymentStrategy").cloned(),
            sums: rows("clusters").to_vec(),
            rollouts: rows("rollouts").to_vec(),
            waves: rows("rolloutWaves").to_vec(),
        }
    }
}

static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

fn put(value: &mut Value, sources: &Sources, place: Place) {
    let source = sources.get(place.source);
    value["path"] = source.name.as_str().into();
    value["line"] = source.position(place.span.start).line.into();
}

fn applications<'p>(plan: &'p Plan<'p, '_>, answer: &'p PlanAnswer<'p, '_>) -> Option<Section<'p>> {
    let outcome = plan.applications.as_ref()?;
    let (model, sources) = (&*plan.site.ogc, plan.site.documents.sources);
    let mark = |change: Change| match change {
        Change::Unchanged => Mark::Same,
        Change::Place => Mark::New,
        Change::Move => Mark::Changed,
        Change::Withdraw => Mark::Gone,
        Change::Unplaceable => Mark::Failed,
    };
    let marks: Vec<Mark> = outcome.items.iter().map(|item| mark(item.change)).collect();
    let section = Section::of(&APPLICATIONS, marks, answer.items("applications"));
    let section = section.with(move |at, row| {
        let Some(application) = outcome.items[at].of(model) else {
            return;
        };
        put(row, sources, application.place);
        let rules = effective_sorted(model, application).into_iter();
        let rows = row["effectiveRules"].as_array_mut().into_iter().flatten();
        for ((rule, _), row) in rules.zip(rows) {
            put(row, sources, rule.place);
        }
    });
    (!section.marks.is_empty()).then_some(section)
}

fn placements<'p>(plan: &'p Plan<'p, '_>, answer: &'p PlanAnswer<'p, '_>) -> Option<Section<'p>> {
    let placements = &plan.placements.as_ref()?.placements;
    let (model, sources) = (&*plan.site.ocm, plan.site.documents.sources);
    let names = &placements.names;
    let marks = placements.placed.iter().map(|placed| match placed {
        placed if placed.skipped.is_some() => Mark::Same,
        placed if !placed.is_satisfied() => Mark::Failed,
        placed if placed.is_unchanged() => Mark::Same,
        placed if placed.was.is_empty() => Mark::New,
        _ => Mark::Changed,
    });
    let section = Section::of(&PLACEMENTS, marks.collect(), answer.items("placements"));
    let mut section = section.with(move |at, row| {
        let placed = &placements.placed[at];
        put(row, sources, model.placements[placed.placement].place);
        let mut was: Vec<&str> = placed.was.iter().map(|id| names[*id as usize]).collect();
        was.sort_unstable();
        row["was"] = json!(was);
    });
    section.clusters = Some(Box::new(move |at| {
        let placed = &placements.placed[at];
        let name = |id: &u32| names[*id as usize];
        Held {
            now: placements.decided(placed).collect(),
            was: Some(placed.was.iter().map(name).collect()),
        }
    }));
    (!section.marks.is_empty()).then_some(section)
}

fn deliveries<'p>(plan: &'p Plan<'p, '_>, answer: &'p PlanAnswer<'p, '_>) -> Option<Section<'p>> {
    let deliveries = plan.deliveries.as_ref()?;
    let rows = &deliveries.rows;
    let marks = rows.iter().map(delivery::mark).collect();
    let mut section = Section::of(&DELIVERIES, marks, answer.items("deliveries"));
    let names = &deliveries.ground.names;
    section.clusters = Some(Box::new(move |at| Held {
        now: names.of(&rows[at].clusters),
        was: rows[at].was.as_ref().map(|was| names.of(was)),
    }));
    (!section.marks.is_empty()).then_some(section)
}

fn legacy<'p>(plan: &'p Plan<'p, '_>, answer: &'p PlanAnswer<'p, '_>) -> Option<Section<'p>> {
    plan.deliveries.as_ref()?;
    let items = answer.items("legacyRules");
    let marks: Vec<Mark> = (0..items.len())
        .map(|at| delivery_mark(&items.get(at)))
        .collect();
    (!marks.is_empty()).then(|| Section::of(&LEGACY, marks, items))
}

fn rules<'p>(plan: &'p Plan<'p, '_>, answer: &'p PlanAnswer<'p, '_>) -> Option<Section<'p>> {
    let outcome = plan.placement_rules.as_ref()?;
    let (model, sources) = (&*plan.site.hybrid, plan.site.documents.sources);
    let marks = outcome.ended.iter().map(|ended| match ended {
        ended if ended.state.is_unplaced() => Mark::Failed,
        ended if !ended.changed => Mark::Same,
        ended if ended.previous.is_empty() => Mark::New,
        _ => Mark::Changed,
    });
    let section = Section::of(&RULES, marks.collect(), answer.items("placementRules"));
    let section = section.with(move |at, row| {
        let rule = &model.placement_rules[at];
        put(row, sources, rule.place);
        let was = outcome.ended[at].previous.iter();
        row["was"] = was.map(|one| decision(model, rule, *one)).collect();
    });
    (!section.marks.is_empty()).then_some(section)
}

fn regions<'p>(rows: Option<Value>) -> Option<Section<'p>> {
    let Some(Value::Array(rows)) = rows else {
        return None;
    };
    let mark = |row: &Value| {
        let changes = |region: &Value| region["change"].as_i64() != Some(0);
        match text(&row["data"], "status") {
            "OK" if list(row, "regions").iter().any(changes) => Mark::Changed,
            "OK" => Mark::Same,
            _ => Mark::Failed,
        }
    };
    let marks: Vec<Mark> = rows.iter().map(mark).collect();
    (!marks.is_empty()).then(|| Section {
        kind: &REGIONS,
        marks,
        row: Box::new(move |at| rows[at].clone()),
        clusters: None,
    })
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

fn application_mark(row: &Value) -> Mark {
    match text(row, "change") {
        "unchanged" => Mark::Same,
        "place" => Mark::New,
        "move" => Mark::Changed,
        "withdraw" => Mark::Gone,
        _ => Mark::Failed,
    }
}

fn delivery_mark(row: &Value) -> Mark {
    let key = if row.get("decisions").is_some() {
        "decisions"
    } else {
        "clusters"
    };
    let (now, was) = (texts(row, key), texts(row, "was"));
    let known = row.get("was").is_some_and(Value::is_array);
    match () {
        () if row.get("error").is_some() => Mark::Failed,
        () if !known || now == was => Mark::Same,
        () if now.is_empty() => Mark::Failed,
        () if was.is_empty() => Mark::New,
        () => Mark::Changed,
    }
}

fn rule_mark(row: &Value) -> Mark {
    match (text(row, "state"), row["changed"].as_bool()) {
        ("NoPlacement" | "NoCandidates" | "Waiting", _) => Mark::Failed,
        (_, Some(true)) => Mark::Changed,
        _ => Mark::Same,
    }
}
