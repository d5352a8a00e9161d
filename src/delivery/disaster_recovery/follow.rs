//! Where Ramen puts a workload that it moves in a disaster.

use std::borrow::Cow;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::Control;
use crate::delivery::application_set::argo::hub::{Decision, Object, Objects, Status};
use crate::delivery::decided::clusters;
use crate::delivery::model::Model;
use crate::delivery::names::{Clusters, Names};
use crate::delivery::row::{Extra, Row, Via};
use crate::ocm::model::{Model as Hub, PLACEMENT_LABEL};

/// The reason of a decision that only data still waits for.
const RETAINED: &str = "RetainedForFailover";

/// Why a control does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It refers to another namespace.
    Namespace,
    /// There is neither a Placement nor a rule of Ramen of that name.
    Missing,
    /// There are both.
    Both,
    /// The hub schedules the Placement itself.
    Scheduled,
    /// No preferred cluster.
    Preferred,
    /// A dry run of something else than a failover.
    DryRun,
    /// A failover to nowhere.
    Failover,
    /// Several decisions, which Ramen cannot tell apart.
    Decisions,
}

impl Refused {
    /// Why, in words.
    #[must_use]
    pub fn message(self, control: &Control<'_>) -> String {
        let name = control.placement.name.text;
        match self {
            Self::Namespace => {
                let namespace = control.placement.namespace.map_or("", |at| at.text);
                format!("`placementRef` names namespace `{namespace}`, but only its own is allowed")
            }
            Self::Missing => {
                format!(
                    "no Placement `{name}` in namespace `{}`",
                    control.id.namespace
                )
            }
            Self::Both => format!("a Placement and a PlacementRule are both named `{name}`"),
            Self::Scheduled => format!("Placement `{name}` does not leave its scheduling to Ramen"),
            Self::Preferred => "no `preferredCluster`".to_owned(),
            Self::DryRun => "`dryRun` without `action: Failover`".to_owned(),
            Self::Failover => "`action: Failover` without `failoverCluster`".to_owned(),
            Self::Decisions => format!("Placement `{name}` has more than one decision"),
        }
    }
}

/// The result of a control: where it puts the workload, or why it does nothing.
pub type Answer<'a> = Result<&'a str, Refused>;

/// Answers all controls, and changes the planned objects of the Placements that they decide.
pub(in crate::delivery) fn decide<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    held: &[Object<'a>],
    planned: &mut Vec<Object<'a>>,
    names: &mut Names<'a>,
) -> Vec<Answer<'a>> {
    let mut answers = Vec::new();
    let mut owned: FxHashSet<(&str, &str)> = FxHashSet::default();
    let placements: FxHashSet<(&str, &str)> = hub
        .placements
        .iter()
        .map(|one| (one.namespace, one.name))
        .collect();
    let mut of: FxHashMap<(&str, &str), Vec<&Object<'a>>> = FxHashMap::default();
    for object in held.iter().filter(|_| !model.controls.is_empty()) {
        if let Some(name) = object
            .labels
            .iter()
            .find(|(key, _)| *key == PLACEMENT_LABEL)
            && let Cow::Borrowed(name) = name.1
        {
            of.entry((object.namespace, name)).or_default().push(object);
        }
    }
    for control in &model.controls {
        let key = (control.id.namespace, control.placement.name.text);
        let held = of.get(&key).map_or(&[][..], Vec::as_slice);
        let is_placement = placements.contains(&key);
        let answer = answer(control, model, is_placement, held);
        if let Ok(target) = answer
            && is_placement
            && owned.insert(key)
        {
            put(control, target, held, planned, names);
        }
        answers.push(answer);
    }
    answers
}

fn answer<'a>(
    control: &Control<'a>,
    model: &Model<'a>,
    is_placement: bool,
    held: &[&Object<'a>],
) -> Answer<'a> {
    let (namespace, name) = (control.id.namespace, control.placement.name.text);
    let elsewhere = control.placement.namespace;
    if elsewhere.is_some_and(|other| other.text != namespace) {
        return Err(Refused::Namespace);
    }
    let is_rule = model.rules.iter().any(|rule| {
        (rule.id.namespace, rule.id.name, rule.scheduler.text) == (namespace, name, "ramen")
    });
    match (is_placement, is_rule) {
        (false, false) => return Err(Refused::Missing),
        (true, true) => return Err(Refused::Both),
        _ => {}
    }
    let mark = model.marks.get(&(namespace, name));
    if is_placement && mark.is_none_or(|mark| mark.text == "false") {
        return Err(Refused::Scheduled);
    }
    let fails_over = control.action.text == "Failover";
    match () {
        () if control.preferred.text.is_empty() => Err(Refused::Preferred),
        () if control.dry_run && !fails_over => Err(Refused::DryRun),
        () if fails_over && control.failover.text.is_empty() => Err(Refused::Failover),
        () if held.len() > 1 || left(held).count() > 1 => Err(Refused::Decisions),
        () if fails_over => Ok(control.failover.text),
        () => Ok(control.preferred.text),
    }
}

/// The decisions of objects that are more than kept.
fn left<'o, 'a>(held: &'o [&'o Object<'a>]) -> impl Iterator<Item = &'o Decision<'a>> {
    let decisions = held.iter().flat_map(|object| match &object.status {
        Status::Held(decisions) => decisions.as_slice(),
        Status::None | Status::Planned(_) => &[],
    });
    decisions.filter(|decision| decision.reason != Some(RETAINED))
}

/// Puts what Ramen writes in the place of what is there.
fn put<'a>(
    control: &Control<'a>,
    target: &'a str,
    held: &[&Object<'a>],
    planned: &mut Vec<Object<'a>>,
    names: &mut Names<'a>,
) {
    let (namespace, placement) = (control.id.namespace, control.placement.name.text);
    let mut decisions = Vec::new();
    let (name, labels) = match held {
        [] => {
            let labels = vec![(PLACEMENT_LABEL, Cow::Borrowed(placement))];
            (Cow::Owned(format!("{placement}-decision-1")), labels)
        }
        [object, ..] => {
            if let Status::Held(held) = &object.status {
                let retained = held.iter().filter(|one| one.reason == Some(RETAINED));
                decisions.extend(retained.cloned());
            }
            (object.name.clone(), object.labels.clone())
        }
    };
    let known = decisions
        .iter()
        .any(|one| one.cluster.is_some_and(|(_, name)| name == target));
    if !known {
        decisions.push(Decision::planned(names.number(target), target));
    }
    planned.retain(|object| (object.namespace, &object.name) != (namespace, &name));
    planned.push(Object {
        namespace,
        name,
        labels,
        status: Status::Held(decisions),
    });
}

/// The row of each control.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    answers: &[Answer<'a>],
    held: &Objects<'a>,
    names: &Names<'a>,
) -> Vec<Row<'a>> {
    let row = |(control, answer): (&Control<'a>, &Answer<'a>)| {
        let (namespace, name) = (control.id.namespace, control.placement.name.text);
        let objects = held.of_placement(namespace, name);
        let own: Vec<&Object<'a>> = objects.iter().map(|at| held.get(*at)).collect();
        let was = (!objects.is_empty()).then(|| {
            let left = left(&own).filter_map(|decision| decision.cluster);
            let mut set = FixedBitSet::new();
            for (number, _) in left {
                set.grow_and_insert(number as usize);
            }
            Arc::new(set)
        });
        let kept = || was.clone().unwrap_or_default();
        let clusters = match answer {
            Err(_) => kept(),
            Ok(target) => {
                let mut set = FixedBitSet::new();
                if let Some(number) = names.find(target) {
                    set.grow_and_insert(number as usize);
                }
                Arc::new(set)
            }
        };
        let via = Via {
            binding: None,
            set: None,
            placement: ("Placement", namespace, name),
            clusters: clusters_of(held, objects),
            restricted: false,
        };
        Row {
            id: control.id,
            via: vec![via],
            clusters,
            was,
            error: answer.err().map(|why| why.message(control)),
            extra: Extra::None,
        }
    };
    model.controls.iter().zip(answers).map(row).collect()
}

fn clusters_of(held: &Objects<'_>, objects: &[usize]) -> Clusters {
    clusters(held, objects)
}
