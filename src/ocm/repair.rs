//! The obstacles between a cluster and a placement, and the edits that would remove them.

mod selection;
mod touched;

use serde_json::json;

use super::engine::cel::{Evaluation, explain};
use super::engine::select::{self, Cel as _, judge, tolerates};
use super::model::{
    Effect, ManagedCluster, Model, Placement, Predicate, SetSelector, Skipped, Taint, Toleration,
};
use super::study::Study;
use crate::document::{Document, DocumentKind, Documents};
use crate::repair::selector::{Asking, label, unmet};
use crate::repair::{Edit, Obstacle, Remedy, Side, Target, all_of};

pub use touched::touched;

/// Ways to satisfy one predicate that are offered, at most.
const WAYS: usize = 40;

const DISABLED: &str =
    "/metadata/annotations/cluster.open-cluster-management.io~1experimental-scheduling-disable";
const SET_LABEL: &str = "/metadata/labels/cluster.open-cluster-management.io~1clusterset";

/// The obstacles that keep a cluster out of a placement: empty if it is decided, `None` if unknown.
#[must_use]
pub fn obstacles<'a>(
    study: &Study<'_, 'a>,
    documents: &Documents<'a>,
    cluster: &str,
) -> Option<Vec<Obstacle>> {
    let clusters = &study.hub.model.clusters;
    let at = clusters.iter().position(|one| one.name == cluster)?;
    let id = u32::try_from(at).ok()?;
    let mut groups = study.placed.groups.iter();
    if groups.any(|group| group.clusters.contains(&id)) {
        return Some(Vec::new());
    }
    let target = |place, side| Target::holding(documents, place, side);
    let finder = ObstacleFinder {
        study,
        documents,
        id,
        cluster: &clusters[at],
        on_subject: made(study, documents)
            .or_else(|| target(study.placement.place, Side::Subject))?,
        on_candidate: target(clusters[at].place, Side::Candidate)?,
    };
    let mut found = finder.whole();
    found.extend(finder.set());
    found.extend(finder.predicates());
    found.extend(finder.taints());
    if let Some(obstacle) = finder.prioritizers() {
        found.push(obstacle);
    } else {
        found.extend(finder.selection());
    }
    if study.placed.selected.contains(&id) {
        found.extend(finder.groups(&study.placed.selected));
    }
    if found.is_empty() {
        found.push(Obstacle::new("placement", "to be decided"));
    }
    Some(found)
}

/// The document of a Placement that a generator makes.
fn made<'a>(study: &Study<'_, 'a>, documents: &Documents<'a>) -> Option<Target<'a>> {
    let Placement {
        namespace, name, ..
    } = study.placement;
    let mut all = documents.all.iter();
    let own = all.find(|document| {
        document.generator().is_some()
            && document.kind == DocumentKind::Placement
            && (document.namespace(), document.name()) == (Some(*namespace), Some(*name))
    })?;
    Some(Target::of(own, Side::Subject))
}

/// Whether the answer for a cluster depends on a document, the other clusters and what is decided
/// apart.
#[must_use]
pub fn needs(document: &Document<'_>, subject: &str, cluster: &str) -> bool {
    let (namespace, name) = subject.split_once('/').unwrap_or(("", subject));
    match document.kind {
        DocumentKind::ManagedClusterSet => true,
        // A document without a namespace is in one anyway: that is not asked here.
        DocumentKind::ManagedClusterSetBinding => {
            document.namespace().is_none_or(|own| own == namespace)
        }
        DocumentKind::Placement => {
            document.name() == Some(name) && document.namespace().is_none_or(|own| own == namespace)
        }
        DocumentKind::ManagedCluster => document.name() == Some(cluster),
        DocumentKind::AddOnPlacementScore => document.namespace() == Some(cluster),
        _ => false,
    }
}

struct ObstacleFinder<'h, 'm, 'a> {
    study: &'h Study<'m, 'a>,
    documents: &'h Documents<'a>,
    id: u32,
    cluster: &'h ManagedCluster<'a>,
    on_subject: Target<'a>,
    on_candidate: Target<'a>,
}

impl<'a> ObstacleFinder<'_, '_, 'a> {
    fn model(&self) -> &Model<'a> {
        self.study.hub.model
    }

    /// A placement that is left alone, a cluster that is being deleted.
    fn whole(&self) -> Vec<Obstacle> {
        let mut found = Vec::new();
        if let Some(skipped) = self.study.placement.skipped {
            let mut obstacle = Obstacle::new("placement", "a placement that is scheduled");
            obstacle.one(match skipped {
                Skipped::Deleting => self.on_subject.remove("/metadata/deletionTimestamp"),
                Skipped::SchedulingDisabled => self.on_subject.remove(DISABLED),
            });
            found.push(obstacle);
        }
        if self.cluster.terminating {
            let mut obstacle = Obstacle::new("cluster set", "not being deleted");
            obstacle.one(self.on_candidate.remove("/metadata/deletionTimestamp"));
            found.push(obstacle);
        }
        found
    }

    fn label(&self, key: &str) -> Option<&'a str> {
        let mut labels = self.cluster.labels.iter().rev();
        labels.find(|(own, _)| *own == key).map(|(_, value)| *value)
    }

    fn claim(&self, key: &str) -> Option<&'a str> {
        let mut claims = self.cluster.claims.iter().rev();
        claims.find(|(own, _)| *own == key).map(|(_, value)| *value)
    }

    fn change_claim(&self, key: &str, value: Option<&str>) -> Option<Edit> {
        const LIST: &str = "/status/clusterClaims";
        let at = self.cluster.claims.iter().rposition(|(own, _)| *own == key);
        match (at, value) {
            (Some(at), Some(value)) => self.on_candidate.set(format!("{LIST}/{at}/value"), value),
            (None, Some(value)) => self
                .on_candidate
                .append(LIST, json!({"name": key, "value": value})),
            (Some(at), None) => self.on_candidate.remove(format!("{LIST}/{at}")),
            (None, None) => None,
        }
    }

    fn set(&self) -> Option<Obstacle> {
        let (bound, eligible) = (&self.study.bound, &self.study.eligible);
        let is_member = |set: &str| {
            let members = self.study.hub.members(set);
            members.is_ok_and(|members| members.contains(self.id as usize))
        };
        if eligible.iter().any(|set| is_member(set)) {
            return None;
        }
        let asked = match eligible.as_slice() {
            [] => {
                let namespace = self.study.placement.namespace;
                format!(
                    "a ManagedClusterSetBinding of one of its sets in the namespace {namespace}"
                )
            }
            names => format!("a member of one of {}", names.join(", ")),
        };
        let mut obstacle = Obstacle::new("cluster set", asked);
        let joining = if eligible.is_empty() { bound } else { eligible };
        let admitted = |set: &str| -> Vec<Edit> {
            if eligible.contains(&set) {
                Vec::new()
            } else {
                self.on_subject
                    .append("/spec/clusterSets", set)
                    .into_iter()
                    .collect()
            }
        };
        for set in joining {
            for remedy in self.join(set) {
                let mut edits = remedy.edits;
                edits.extend(admitted(set));
                obstacle.way(edits, remedy.blunt);
            }
        }
        for set in bound
            .iter()
            .filter(|set| !eligible.contains(*set) && is_member(set))
        {
            obstacle.way(admitted(set), false);
        }
        if bound.iter().any(|set| is_member(set)) {
            obstacle.blunt(self.on_subject.remove("/spec/clusterSets"));
        }
        let own = self.model().sets.iter().filter(|set| is_member(set.name));
        for set in own.filter(|set| !bound.contains(&set.name)) {
            self.bind(set.name, &mut obstacle);
        }
        Some(obstacle)
    }

    /// The ways for the cluster to become a member of a set.
    fn join(&self, name: &str) -> Vec<Remedy> {
        let sets = &self.model().sets;
        let Some(set) = sets.iter().find(|set| set.name == name) else {
            return Vec::new();
        };
        match &set.selector {
            SetSelector::Exclusive => {
                let edit = self.on_candidate.set(SET_LABEL, name);
                let edits = edit.into_iter().collect();
                vec![Remedy {
                    edits,
                    blunt: false,
                }]
            }
            SetSelector::Labels(Some(selector), _) if selector.compile().is_ok() => {
                let ways = unmet(selector, None, &|key| self.label(key), &|key, value| {
                    label(&self.on_candidate, key, value)
                });
                let ways: Vec<Vec<Remedy>> = ways.into_iter().map(|(_, ways)| ways).collect();
                all_of(&ways, WAYS)
            }
            SetSelector::Labels(..) => Vec::new(),
        }
    }

    /// A binding of the namespace for another set instead.
    fn bind(&self, set: &str, obstacle: &mut Obstacle) {
        let bindings = self.model().bindings.iter();
        for binding in bindings.filter(|one| one.namespace == self.study.placement.namespace) {
            let Some(target) = Target::holding(self.documents, binding.place, Side::Subject) else {
                continue;
            };
            let edits = [
                target.set("/metadata/name", set),
                target.set("/spec/clusterSet", set),
            ];
            let mut edits: Vec<Edit> = edits.into_iter().flatten().collect();
            if !self.study.placement.cluster_sets.is_empty()
                && !self
                    .study
                    .placement
                    .cluster_sets
                    .iter()
                    .any(|one| one.text == set)
            {
                edits.extend(self.on_subject.append("/spec/clusterSets", set));
            }
            obstacle.way(edits, true);
        }
    }

    /// Predicates are alternatives: every way to satisfy one of them will do.
    fn predicates(&self) -> Vec<Obstacle> {
        let predicates = &self.study.placement.predicates;
        let faulty = |predicate: &Predicate<'a>| {
            let selectors = [&predicate.selector.labels, &predicate.selector.claims];
            selectors.into_iter().any(|one| one.compile().is_err())
                || predicate
                    .cel
                    .iter()
                    .any(|text| self.study.cel.check(text.text).is_err())
        };
        let mut found = Vec::new();
        let mut unmet: Vec<Vec<(String, Vec<Remedy>)>> = Vec::new();
        for (predicate, at) in predicates.iter().zip(0..) {
            let missing = self.missing(predicate, at);
            // A predicate that cannot be read stops them all.
            if faulty(predicate) {
                let mut obstacle =
                    Obstacle::new("predicates", "predicates that can be read".to_owned());
                let lists: Vec<Vec<Remedy>> =
                    missing.iter().map(|(_, ways)| ways.clone()).collect();
                for remedy in all_of(&lists, WAYS) {
                    obstacle.way(remedy.edits, remedy.blunt);
                }
                if predicates.len() > 1 {
                    obstacle.one(self.on_subject.remove(format!("/spec/predicates/{at}")));
                }
                obstacle.blunt(self.on_subject.remove("/spec/predicates"));
                found.push(obstacle);
            }
            unmet.push(missing);
        }
        if predicates.is_empty() || unmet.iter().any(Vec::is_empty) {
            return found;
        }
        if let [only] = unmet.as_slice() {
            // Each requirement is an obstacle of its own.
            for (needs, ways) in only {
                let mut obstacle = Obstacle::new("predicate", needs);
                obstacle.remedies.clone_from(ways);
                obstacle.blunt(self.on_subject.append("/spec/predicates", json!({})));
                found.push(obstacle);
            }
            return found;
        }
        let mut obstacle = Obstacle::new("predicates", "one of the predicates to hold");
        for missing in &unmet {
            let lists: Vec<Vec<Remedy>> = missing.iter().map(|(_, ways)| ways.clone()).collect();
            for remedy in all_of(&lists, WAYS) {
                obstacle.way(remedy.edits, remedy.blunt);
            }
        }
        obstacle.blunt(self.on_subject.append("/spec/predicates", json!({})));
        found.push(obstacle);
        found
    }

    /// The requirements of a predicate that the cluster does not meet.
    fn missing(&self, predicate: &Predicate<'a>, at: usize) -> Vec<(String, Vec<Remedy>)> {
        let base = format!("/spec/predicates/{at}/requiredClusterSelector");
        let asking = |at| Asking {
            target: &self.on_subject,
            at,
        };
        let labels = format!("{base}/labelSelector");
        let claims = format!("{base}/claimSelector");
        let mut all = unmet(
            &predicate.selector.labels,
            Some(asking(&labels)),
            &|key| self.label(key),
            &|key, value| label(&self.on_candidate, key, value),
        );
        all.extend(unmet(
            &predicate.selector.claims,
            Some(asking(&claims)),
            &|key| self.claim(key),
            &|key, value| self.change_claim(key, value),
        ));
        for (expression, number) in predicate.cel.iter().zip(0..) {
            let holds = explain(self.model(), expression.text, self.id as usize);
            if holds == Evaluation::Holds {
                continue;
            }
            let pointer = format!("{base}/celSelector/celExpressions/{number}");
            let edits: Vec<Edit> = self.on_subject.remove(pointer).into_iter().collect();
            let ways = vec![Remedy {
                edits,
                blunt: false,
            }];
            all.push((
                format!("the expression {} to give true", expression.text),
                ways,
            ));
        }
        all
    }

    fn taints(&self) -> Vec<Obstacle> {
        const LIST: &str = "/spec/tolerations";
        let mut found = Vec::new();
        for (toleration, at) in self.study.placement.tolerations.iter().zip(0..) {
            let own = std::slice::from_ref(toleration);
            let Some((_, fault)) = select::toleration_fault(own) else {
                continue;
            };
            let mut obstacle = Obstacle::new("taints", fault);
            obstacle.one(
                self.on_subject
                    .set(format!("{LIST}/{at}/operator"), "Exists")
                    .filter(|_| toleration.key.is_empty() && toleration.value.is_empty()),
            );
            obstacle.one(
                self.on_subject
                    .remove(format!("{LIST}/{at}/value"))
                    .filter(|_| toleration.operator == "Exists"),
            );
            obstacle.one(self.on_subject.remove(format!("{LIST}/{at}")));
            found.push(obstacle);
        }
        let is_decided = self.study.own.count(self.id) > 0;
        for (taint, at) in self.cluster.taints.iter().zip(0..) {
            let alone = ManagedCluster {
                taints: vec![taint.clone()],
                ..ManagedCluster::default()
            };
            if judge(&alone, self.study.placement, is_decided, self.study.hub.now).is_err() {
                found.push(self.taint(taint, at));
            }
        }
        found
    }

    fn taint(&self, taint: &Taint<'_>, at: usize) -> Obstacle {
        const LIST: &str = "/spec/tolerations";
        let Taint {
            key, value, effect, ..
        } = taint;
        let name = format!(
            "{key}{}{value}:{}",
            if value.is_empty() { "" } else { "=" },
            effect.word()
        );
        let mut obstacle = Obstacle::new("taints", format!("no {name}, or a toleration of it"));
        obstacle.one(self.on_candidate.remove(format!("/spec/taints/{at}")));
        for (toleration, number) in self.study.placement.tolerations.iter().zip(0..) {
            if tolerates(toleration, taint) {
                let pointer = format!("{LIST}/{number}/tolerationSeconds");
                obstacle.one(self.on_subject.remove(pointer));
            }
        }
        let mut exact = json!({"key": key, "operator": "Equal", "value": value});
        if value.is_empty() {
            exact = json!({"key": key, "operator": "Exists"});
        }
        let others = self.cluster.taints.iter().filter(|other| other.key == *key);
        if others.count() > 1 {
            let whole = json!({"key": key, "operator": "Exists"});
            obstacle.one(self.on_subject.append(LIST, whole));
        }
        if *effect != Effect::PreferNoSelect {
            exact["effect"] = json!(effect.word());
        }
        obstacle.one(self.on_subject.append(LIST, exact));
        for (toleration, number) in self.study.placement.tolerations.iter().zip(0..) {
            self.turn(
                toleration,
                &format!("{LIST}/{number}"),
                taint,
                &mut obstacle,
            );
        }
        obstacle.blunt(self.on_subject.append(LIST, json!({"operator": "Exists"})));
        obstacle
    }

    /// A toleration of another taint, with one field made to fit.
    fn turn(
        &self,
        own: &Toleration<'_>,
        pointer: &str,
        taint: &Taint<'_>,
        obstacle: &mut Obstacle,
    ) {
        if tolerates(own, taint) {
            return;
        }
        let (key, value, effect) = (taint.key, taint.value, Some(taint.effect));
        let turned = [
            ("key", key, Toleration { key, ..*own }),
            ("value", value, Toleration { value, ..*own }),
            ("effect", taint.effect.word(), Toleration { effect, ..*own }),
        ];
        for (field, text, turned) in turned {
            let sound = select::toleration_fault(std::slice::from_ref(&turned)).is_none();
            if sound && tolerates(&turned, taint) {
                obstacle.one(self.on_subject.set(format!("{pointer}/{field}"), text));
            }
        }
    }
}
