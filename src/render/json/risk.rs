//! `planner risk` as data.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::diagnostic::Sink;
use crate::render::diagnostics;
use crate::risk::part::Sweep;
use crate::risk::{
    DeliveriesLost, Loss, Margin, MovedApplication, PlacementLost, RegionLost, Remedies, Remedy,
    Risk, RuleLost, Together, Volume,
};
use crate::site::Counts;
use crate::source::Sources;

use super::envelope::{DocumentCounts, FORMAT_VERSION};
use super::why::{JsonEdit, kind};
use crate::senlin::engine::data::integer;

/// The whole answer; without a plan only its findings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RiskAnswer<'r> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    documents: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    losses: Option<Losses<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<Vec<MarginRow<'r>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    together: Vec<TogetherRow<'r>>,
    diagnostics: Vec<Value>,
}

impl<'r> RiskAnswer<'r> {
    /// The answer over these findings.
    #[must_use]
    pub fn new(
        risk: Option<&'r Risk>,
        now: Timestamp,
        counts: Counts,
        found: &'r Sink,
        sources: &'r Sources,
    ) -> Self {
        let found = serde_json::to_value(diagnostics::json(found, sources)).unwrap_or_default();
        let found = match found {
            Value::Array(found) => found,
            _ => Vec::new(),
        };
        let counts = serde_json::to_value(DocumentCounts::from(counts)).unwrap_or_default();
        Self::made(risk, now.to_string(), counts, found)
    }

    /// The answer put together of the parts of a sweep.
    #[must_use]
    pub fn merged(risk: &'r Risk, sweep: &Sweep) -> Self {
        let (documents, found) = (sweep.documents.clone(), sweep.diagnostics.clone());
        Self::made(Some(risk), sweep.now.clone(), documents, found)
    }

    fn made(risk: Option<&'r Risk>, now: String, documents: Value, found: Vec<Value>) -> Self {
        Self {
            api_version: "planner/v1",
            kind: "Risk",
            format_version: FORMAT_VERSION,
            now,
            documents,
            losses: risk.map(|risk| Losses(&risk.losses)),
            margins: risk.map(|risk| risk.margins.iter().map(MarginRow::of).collect()),
            together: risk
                .into_iter()
                .flat_map(|risk| risk.together.iter().map(TogetherRow::of))
                .collect(),
            diagnostics: found,
        }
    }

    /// The time, the counts of documents and the findings.
    #[must_use]
    pub fn common(self) -> (String, Value, Vec<Value>) {
        (self.now, self.documents, self.diagnostics)
    }
}

/// Losses as rows, each made when it is written: there may be very many.
#[derive(Debug)]
struct Losses<'r>(&'r [Loss]);

impl Serialize for Losses<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(LossRow::of))
    }
}

#[derive(Debug, Serialize)]
struct MarginRow<'r> {
    system: &'r str,
    subject: &'r str,
    margin: Value,
    unit: &'r str,
}

impl<'r> MarginRow<'r> {
    fn of(margin: &'r Margin) -> Self {
        Self {
            system: &margin.system,
            subject: &margin.subject,
            margin: integer(margin.margin),
            unit: &margin.unit,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LossRow<'r> {
    kind: &'r str,
    name: &'r str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    things: &'r [String],
    class: &'static str,
    applications: Vec<ApplicationRow<'r>>,
    volumes: Vec<VolumeRow<'r>>,
    placements: Vec<PlacementRow<'r>>,
    #[serde(skip_serializing_if = "DeliveriesLost::is_none")]
    deliveries: &'r DeliveriesLost,
    placement_rules: Vec<RuleRow<'r>>,
    region_placements: Vec<RegionsRow<'r>>,
    groups: GroupsRow<'r>,
    verdict: Option<&'r str>,
    #[serde(flatten)]
    remedies: Option<RemediesRow<'r>>,
}

impl<'r> LossRow<'r> {
    fn of(loss: &'r Loss) -> Self {
        let of_one_file = |one: &RegionLost, other: &RegionLost| one.path == other.path;
        Self {
            kind: &loss.kind,
            name: &loss.name,
            things: &loss.things,
            class: loss.class.word(),
            applications: loss.applications.iter().map(ApplicationRow::of).collect(),
            volumes: loss.volumes.iter().map(VolumeRow::of).collect(),
            placements: loss.placements.iter().map(PlacementRow::of).collect(),
            deliveries: &loss.deliveries,
            placement_rules: loss.rules.iter().map(RuleRow::of).collect(),
            region_placements: loss
                .regions
                .chunk_by(of_one_file)
                .map(RegionsRow::of)
                .collect(),
            groups: GroupsRow {
                failed: &loss.groups.failed,
                by_dependency: &loss.groups.by_dependency,
                critical: loss.groups.critical,
            },
            verdict: loss.verdict.as_deref(),
            remedies: loss.remedies.as_ref().map(RemediesRow::of),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RemediesRow<'r> {
    remedies: Vec<RemedyRow<'r>>,
    /// Absent where no edit was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    none_up_to: Option<Option<usize>>,
    offered: usize,
    plans: usize,
    stopped: bool,
}

impl<'r> RemediesRow<'r> {
    fn of(found: &'r Remedies) -> Self {
        Self {
            remedies: found.sets.iter().map(RemedyRow::of).collect(),
            none_up_to: (found.plans > 0).then_some(found.none_up_to),
            offered: found.offered,
            plans: found.plans,
            stopped: found.stopped,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RemedyRow<'r> {
    proven: bool,
    kind: &'r str,
    cost: usize,
    moves_today: usize,
    class: &'static str,
    edits: Vec<JsonEdit<'r>>,
}

impl<'r> RemedyRow<'r> {
    fn of(remedy: &'r Remedy) -> Self {
        Self {
            proven: true,
            kind: kind(&remedy.edits),
            cost: remedy.edits.len(),
            moves_today: remedy.moves_today,
            class: remedy.class.word(),
            edits: remedy.edits.iter().map(JsonEdit::of).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TogetherRow<'r> {
    kind: &'r str,
    all: usize,
    survived: usize,
    before: usize,
    left: &'r [String],
    proven: bool,
    cost: usize,
    moves_today: usize,
    plans: usize,
    stopped: bool,
    edits: Vec<JsonEdit<'r>>,
}

impl<'r> TogetherRow<'r> {
    fn of(found: &'r Together) -> Self {
        Self {
            kind: found.kind,
            all: found.all,
            survived: found.all - found.left.len(),
            before: found.all - found.before,
            left: &found.left,
            proven: true,
            cost: found.edits.len(),
            moves_today: found.moves_today,
            plans: found.plans,
            stopped: found.stopped,
            edits: found.edits.iter().map(JsonEdit::of).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct ApplicationRow<'r> {
    package: &'r str,
    application: &'r str,
    from: Option<&'r str>,
    to: Option<&'r str>,
}

impl<'r> ApplicationRow<'r> {
    fn of(moved: &'r MovedApplication) -> Self {
        Self {
            package: &moved.package,
            application: &moved.application,
            from: moved.from.as_deref(),
            to: moved.to.as_deref(),
        }
    }
}

#[derive(Debug, Serialize)]
struct VolumeRow<'r> {
    cluster: &'r str,
    kind: &'r str,
    name: &'r str,
    application: &'r str,
}

impl<'r> VolumeRow<'r> {
    fn of(volume: &'r Volume) -> Self {
        Self {
            cluster: &volume.cluster,
            kind: &volume.kind,
            name: &volume.name,
            application: &volume.application,
        }
    }
}

#[derive(Debug, Serialize)]
struct PlacementRow<'r> {
    namespace: &'r str,
    name: &'r str,
    satisfied: bool,
    removed: &'r [String],
    added: &'r [String],
}

impl<'r> PlacementRow<'r> {
    fn of(placement: &'r PlacementLost) -> Self {
        Self {
            namespace: &placement.namespace,
            name: &placement.name,
            satisfied: placement.satisfied,
            removed: &placement.removed,
            added: &placement.added,
        }
    }
}

#[derive(Debug, Serialize)]
struct RuleRow<'r> {
    namespace: Option<&'r str>,
    name: &'r str,
    state: &'r str,
    removed: &'r [String],
    added: &'r [String],
}

impl<'r> RuleRow<'r> {
    fn of(rule: &'r RuleLost) -> Self {
        Self {
            namespace: rule.namespace.as_deref(),
            name: &rule.name,
            state: &rule.state,
            removed: &rule.removed,
            added: &rule.added,
        }
    }
}

/// The regions of one policy.
#[derive(Debug, Serialize)]
struct RegionsRow<'r> {
    path: &'r str,
    failed: bool,
    regions: Vec<RegionRow<'r>>,
}

impl<'r> RegionsRow<'r> {
    fn of(regions: &'r [RegionLost]) -> Self {
        let row = |one: &'r RegionLost| RegionRow {
            name: &one.name,
            from: one.from.map(integer),
            to: one.to.map(integer),
        };
        Self {
            path: regions.first().map_or("", |one| &one.path),
            failed: regions.iter().any(|one| one.failed),
            regions: regions.iter().map(row).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct RegionRow<'r> {
    name: &'r str,
    from: Option<Value>,
    to: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupsRow<'r> {
    failed: &'r [String],
    by_dependency: &'r [String],
    critical: bool,
}
