//! Selection: prioritizers, weights, scores and decision groups.

use serde_json::json;

use super::super::engine::contest::Contest;
use super::super::engine::resource::Resource;
use super::super::engine::score::{Prioritizer, Weighted, prioritizers, resolve};
use super::super::engine::select;
use super::super::model::Placement;
use super::ObstacleFinder;
use crate::repair::{Obstacle, Side, Target};

impl<'a> ObstacleFinder<'_, '_, 'a> {
    pub(super) fn prioritizers(&self) -> Option<Obstacle> {
        const POLICY: &str = "/spec/prioritizerPolicy";
        let fault = prioritizers(self.study.placement).err()?;
        let mut obstacle = Obstacle::new("prioritizers", fault);
        if !["Additive", "", "Exact"].contains(&self.study.placement.mode.text) {
            obstacle.one(self.on_subject.set(format!("{POLICY}/mode"), "Additive"));
            obstacle.one(self.on_subject.set(format!("{POLICY}/mode"), "Exact"));
        }
        for (configuration, at) in self.study.placement.configurations.iter().zip(0..) {
            if configuration.weight != 0 && resolve(&configuration.coordinate).is_err() {
                let pointer = format!("{POLICY}/configurations/{at}");
                obstacle.one(self.on_subject.set(format!("{pointer}/weight"), 0));
                obstacle.one(self.on_subject.remove(pointer));
            }
        }
        obstacle.blunt(self.on_subject.remove(POLICY));
        Some(obstacle)
    }

    /// The place among the feasible clusters: a larger number, other weights, higher scores.
    pub(super) fn selection(&self) -> Option<Obstacle> {
        const NUMBER: &str = "/spec/numberOfClusters";
        let wanted = self.study.placement.number_of_clusters? as usize;
        let available = self.study.hub.available(&self.study.eligible).ok()?;
        let passing = select::predicates(
            &self.study.hub,
            &self.study.cel,
            self.study.placement,
            &available,
        )
        .ok()?;
        let passing = select::tolerated(
            &self.study.hub,
            self.study.placement,
            &self.study.own,
            &passing,
        )
        .ok()?;
        let feasible = self.study.hub.feasible(&passing);
        let weighted = prioritizers(self.study.placement).ok()?;
        let ranking = |weighted: &[Weighted<'a>]| {
            let contest = Contest::new(
                &self.study.hub,
                &self.study.decisions,
                &self.study.own,
                weighted,
                &feasible,
                Some(wanted),
            );
            contest.ranking(self.id)
        };
        let now = ranking(&weighted);
        if now.is_selected() {
            return None;
        }
        let needs = match now.last {
            None => format!("numberOfClusters of at least {}", now.place),
            Some((_, lowest)) => format!("a total of {lowest} or more; it has {}", now.total),
        };
        let mut obstacle = Obstacle::new("selection", needs);
        if wanted > 0 {
            self.scores(&weighted, &now, &mut obstacle);
            self.weights(&ranking, &mut obstacle);
        }
        obstacle.one(self.on_subject.set(NUMBER, now.place));
        obstacle.blunt(self.on_subject.remove(NUMBER));
        Some(obstacle)
    }

    /// Other weights with which the cluster would be selected: of each sign the nearest.
    pub(super) fn weights(
        &self,
        ranking: &dyn Fn(&[Weighted<'a>]) -> super::super::engine::contest::Ranking,
        obstacle: &mut Obstacle,
    ) {
        const LIST: &str = "/spec/prioritizerPolicy/configurations";
        let selects = |configurations: Vec<super::super::model::Configuration<'a>>, mode| {
            let placement = Placement {
                mode,
                configurations,
                ..Placement::default()
            };
            prioritizers(&placement).is_ok_and(|weighted| ranking(&weighted).is_selected())
        };
        let own = &self.study.placement.configurations;
        for (configuration, at) in own.iter().zip(0..) {
            let old = configuration.weight;
            let with = |weight| {
                let mut all = own.clone();
                all[at].weight = weight;
                selects(all, self.study.placement.mode)
            };
            let up = (old + 1..=10).find(|weight| with(*weight));
            let down = (-10..old).rev().find(|weight| with(*weight));
            for weight in up.into_iter().chain(down) {
                obstacle.one(self.on_subject.set(format!("{LIST}/{at}/weight"), weight));
            }
            let mut rest = own.clone();
            rest.remove(at);
            if selects(rest, self.study.placement.mode) {
                obstacle.one(self.on_subject.remove(format!("{LIST}/{at}")));
            }
        }
        let mode = |text| super::super::model::Text {
            text,
            ..self.study.placement.mode
        };
        let other = if self.study.placement.mode.text == "Exact" {
            "Additive"
        } else {
            "Exact"
        };
        if selects(own.clone(), mode(other)) {
            obstacle.one(self.on_subject.set("/spec/prioritizerPolicy/mode", other));
        }
    }

    /// Scores of the cluster's own that would be enough.
    pub(super) fn scores(
        &self,
        weighted: &[Weighted<'a>],
        now: &super::super::engine::contest::Ranking,
        obstacle: &mut Obstacle,
    ) {
        let Some((last, lowest)) = now.last else {
            return;
        };
        // Of equal totals the first name goes first.
        let wanted = if self.id < last { lowest } else { lowest + 1 };
        for (one, score) in weighted.iter().zip(&now.scores) {
            let missing = wanted - now.total;
            let needed = score.unwrap_or(0) + ceil(missing, one.weight);
            match one.prioritizer {
                Prioritizer::AddOn(resource, name) if (-100..=100).contains(&needed) => {
                    self.add_on(resource, name, needed, obstacle);
                }
                Prioritizer::Resource(resource) => {
                    self.resource(resource, one.weight > 0, obstacle);
                }
                Prioritizer::Balance | Prioritizer::Steady | Prioritizer::AddOn(..) => {}
            }
        }
    }

    pub(super) fn add_on(&self, resource: &str, name: &str, value: i64, obstacle: &mut Obstacle) {
        let Some(object) = self.study.hub.score_object(resource, self.cluster.name) else {
            return;
        };
        let Some(target) = Target::holding(self.documents, object.place, Side::Candidate) else {
            return;
        };
        if object
            .valid_until
            .is_some_and(|until| self.study.hub.now > until)
        {
            obstacle.one(target.remove("/status/validUntil"));
            return;
        }
        match object.scores.iter().position(|(own, _)| *own == name) {
            Some(at) => obstacle.one(target.set(format!("/status/scores/{at}/value"), value)),
            None => {
                obstacle
                    .one(target.append("/status/scores", json!({"name": name, "value": value})));
            }
        }
    }

    /// As much of a resource as any feasible cluster has, and twice that.
    pub(super) fn resource(&self, resource: Resource, more: bool, obstacle: &mut Obstacle) {
        let values = self.study.hub.resource(resource);
        let key = match resource {
            Resource::Cpu => "cpu",
            Resource::Memory => "memory",
        };
        let pointer = format!("/status/allocatable/{key}");
        if self
            .on_candidate
            .node
            .pointer(&format!("/status/capacity/{key}"))
            .is_none()
        {
            return;
        }
        let best = values.iter().zip(&self.model().clusters);
        let best = best.filter_map(|(value, cluster)| {
            let written = match resource {
                Resource::Cpu => &cluster.allocatable.cpu,
                Resource::Memory => &cluster.allocatable.memory,
            };
            Some(((*value)?, written.as_deref()?))
        });
        let best = if more {
            best.max_by(|a, b| a.0.total_cmp(&b.0))
        } else {
            best.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        if let Some((value, text)) = best {
            if values[self.id as usize] != Some(value) {
                obstacle.one(self.on_candidate.set(&*pointer, text));
            }
            let beyond = if more { value * 2.0 + 1.0 } else { 0.0 };
            obstacle.blunt(self.on_candidate.set(pointer, format!("{beyond:.0}")));
        }
    }

    /// Decision groups that keep the cluster from being published.
    pub(super) fn groups(&self, selected: &[u32]) -> Option<Obstacle> {
        const GROUPS: &str = "/spec/decisionStrategy/groupStrategy";
        let (_, fault) =
            super::super::engine::groups::divide(&self.study.hub, self.study.placement, selected);
        let mut obstacle = Obstacle::new("decision groups", fault?);
        let cap = self.study.placement.cap.map(|(cap, _)| cap);
        if super::super::engine::groups::cap(cap, selected.len()).is_err() {
            let pointer = format!("{GROUPS}/clustersPerDecisionGroup");
            obstacle.one(self.on_subject.remove(pointer));
        }
        for (group, at) in self.study.placement.groups.iter().zip(0..) {
            if self.study.hub.matching_both(&group.selector).is_err() {
                let pointer = format!("{GROUPS}/decisionGroups/{at}");
                obstacle.one(self.on_subject.remove(pointer));
            }
        }
        Some(obstacle)
    }
}

/// The least whole number that times `weight` is at least `missing` (which is more than 0).
fn ceil(missing: i64, weight: i64) -> i64 {
    match weight {
        0 => 0,
        weight if weight > 0 => (missing + weight - 1).div_euclid(weight),
        weight => -((missing + -weight - 1).div_euclid(-weight)),
    }
}
