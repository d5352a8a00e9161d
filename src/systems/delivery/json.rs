//! `deliveries` and `legacyRules` of a plan.

use fixedbitset::FixedBitSet;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::delivery::application_set::argo::rolling::{Ask, MaxUpdate, Step};
use crate::delivery::application_set::rollout::ApplicationRollout;
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::pages::Gap;
use crate::delivery::row::Via;
use crate::plan::Partial;
use crate::source::Sources;

use crate::data::{Marked, Rows};

/// `deliveries[]`: what each consumer reaches.
pub struct Delivered<'p, 'a> {
    model: &'p Model<'a>,
    deliveries: &'p Deliveries<'a>,
    sources: &'p Sources,
    partial: Option<&'p Partial>,
}

impl<'p, 'a> Delivered<'p, 'a> {
    /// The rows of a plan; `None` where it has none.
    #[must_use]
    pub fn new(
        model: &'p Model<'a>,
        deliveries: &'p Deliveries<'a>,
        sources: &'p Sources,
    ) -> Option<Self> {
        let any = !deliveries.rows.is_empty();
        any.then_some(Self {
            model,
            deliveries,
            sources,
            partial: None,
        })
    }

    /// Each with what is missing for it.
    #[must_use]
    pub fn without(self, partial: Option<&'p Partial>) -> Self {
        Self { partial, ..self }
    }
}

/// The subject of a row, and its place.
#[derive(Serialize)]
struct Who<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'p str,
    name: &'p str,
    path: &'p str,
    line: usize,
}

impl<'p> Who<'p> {
    fn of(id: &Id<'p>, sources: &'p Sources) -> Self {
        let source = sources.get(id.place.source);
        Self {
            kind: Some(id.kind),
            namespace: id.namespace,
            name: id.name,
            path: &source.name,
            line: source.position(id.place.span.start).line,
        }
    }
}

#[derive(Serialize)]
struct PlacementForm<'p> {
    kind: &'static str,
    namespace: &'p str,
    name: &'p str,
}

#[derive(Serialize)]
struct ViaForm<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<&'p str>,
    placement: PlacementForm<'p>,
    clusters: Vec<&'p str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    restricted: bool,
}

#[derive(Serialize)]
struct ApplicationForm<'p> {
    name: Option<String>,
    cluster: Option<&'p str>,
}

#[derive(Serialize)]
struct RowForm<'p> {
    #[serde(flatten)]
    who: Who<'p>,
    via: Vec<ViaForm<'p>>,
    clusters: Vec<&'p str>,
    was: Option<Vec<&'p str>>,
    added: Vec<&'p str>,
    removed: Vec<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applications: Option<Vec<ApplicationForm<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'p str>,
    #[serde(flatten)]
    data: Map<String, Value>,
}

impl Rows for Delivered<'_, '_> {
    fn count(&self) -> usize {
        self.deliveries.rows.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        let row = &self.deliveries.rows[at];
        let names = |set: &FixedBitSet| self.deliveries.ground.names.of(set);
        let via = |via| {
            let via: &Via<'_> = via;
            let (kind, namespace, name) = via.placement;
            ViaForm {
                binding: via.binding.map(|binding| binding.name),
                set: via.set,
                placement: PlacementForm {
                    kind,
                    namespace,
                    name,
                },
                clusters: names(&via.clusters),
                restricted: via.restricted,
            }
        };
        let application = |(name, cluster)| ApplicationForm { name, cluster };
        let (added, removed) = row.moved();
        let without = self.partial.map(|partial| {
            let id = &row.id;
            partial.without_for(id.kind, id.namespace, id.name)
        });
        let row = RowForm {
            who: Who::of(&row.id, self.sources),
            via: row.via.iter().map(via).collect(),
            clusters: names(&row.clusters),
            was: row.was.as_ref().map(|was| names(was)),
            added: names(&added),
            removed: names(&removed),
            applications: row
                .describe()
                .applications(self.deliveries, self.model)
                .map(|made| made.into_iter().map(application).collect()),
            error: row.error.as_deref(),
            data: row.describe().data(&self.deliveries.ground.names),
        };
        Marked {
            row,
            without: without.unwrap_or_default(),
        }
    }
}

/// `pages[]`: placements some of whose clusters are in no page for a moment.
#[must_use]
pub fn pages(deliveries: &Deliveries<'_>) -> Option<Value> {
    let gap = |gap: &Gap<'_>| {
        let moves = gap.moves.iter();
        let clusters: Vec<&str> = moves.clone().map(|moved| moved.cluster).collect();
        let moves = moves
            .map(|moved| json!({ "cluster": moved.cluster, "from": moved.from, "to": moved.to }));
        let deliveries = gap.deliveries.iter().map(|id| match id.namespace {
            "" => json!({ "kind": id.kind, "name": id.name }),
            namespace => json!({ "kind": id.kind, "namespace": namespace, "name": id.name }),
        });
        json!({
            "namespace": gap.namespace,
            "placement": gap.placement,
            "clusters": clusters,
            "moves": moves.collect::<Vec<Value>>(),
            "deliveries": deliveries.collect::<Vec<Value>>(),
        })
    };
    (!deliveries.gaps.is_empty()).then(|| deliveries.gaps.iter().map(gap).collect())
}

/// `applicationRollouts[]` of a simulation.
#[must_use]
pub fn rollouts(rollouts: &[ApplicationRollout<'_, '_>], sources: &Sources) -> Option<Value> {
    let entry = |rollout: &ApplicationRollout<'_, '_>| {
        let names = |all: &[usize]| -> Vec<Value> {
            all.iter().map(|at| rollout.name(*at).into()).collect()
        };
        let step = |(at, (step, ask)): (usize, (&Step, &Ask<'_>))| {
            let waves = step.waves.iter().map(|wave| names(wave).into());
            json!({
                "step": at + 1,
                "maxUpdate": match ask.max_update {
                    None => Value::Null,
                    Some(MaxUpdate::Int(most)) => most.into(),
                    Some(MaxUpdate::Text(most)) => most.into(),
                },
                "atOnce": step.at_once,
                "reached": step.reached,
                "applications": names(&step.applications),
                "also": names(&step.also),
                "waves": waves.collect::<Vec<Value>>(),
            })
        };
        let source = sources.get(rollout.id.place.source);
        let steps = rollout.rollout.steps.iter().zip(rollout.asks).enumerate();
        json!({
            "namespace": rollout.id.namespace,
            "name": rollout.id.name,
            "path": source.name,
            "line": source.position(rollout.id.place.span.start).line,
            "steps": steps.map(step).collect::<Vec<Value>>(),
            "never": names(&rollout.rollout.never),
        })
    };
    (!rollouts.is_empty()).then(|| rollouts.iter().map(entry).collect())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleForm<'p> {
    #[serde(flatten)]
    who: Who<'p>,
    decisions: &'p [&'p str],
    was: Option<&'p [&'p str]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    arbitrary: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left_alone: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'p str>,
}

/// `legacyRules[]`: what PlacementRules decide, by namespace and name.
pub struct LegacyRules<'p, 'a> {
    deliveries: &'p Deliveries<'a>,
    order: Vec<usize>,
    sources: &'p Sources,
}

impl<'p, 'a> LegacyRules<'p, 'a> {
    /// The rules of a plan; `None` where it has none.
    #[must_use]
    pub fn new(deliveries: &'p Deliveries<'a>, sources: &'p Sources) -> Option<Self> {
        let rules = &deliveries.ground.rules;
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by_key(|at| (rules[*at].id.namespace, rules[*at].id.name));
        (!rules.is_empty()).then_some(Self {
            deliveries,
            order,
            sources,
        })
    }
}

impl Rows for LegacyRules<'_, '_> {
    fn count(&self) -> usize {
        self.order.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        let rule = &self.deliveries.ground.rules[self.order[at]];
        let who = Who {
            kind: None,
            ..Who::of(&rule.id, self.sources)
        };
        RuleForm {
            who,
            decisions: &rule.clusters,
            was: rule.was.as_deref(),
            arbitrary: rule.arbitrary.is_some(),
            left_alone: rule.left_alone,
            error: rule.error.as_deref(),
        }
    }
}
