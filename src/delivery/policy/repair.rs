//! The obstacles between a policy and a cluster.

use serde_json::json;

use super::follow::Bound;
use super::read::{Binding, GROUP, Path, Policy, PolicySet, Selects};
use crate::delivery::repair::finder::{NAMES, ObstacleFinder, Way, any};
use crate::delivery::row::Row;
use crate::document::DocumentKind;
use crate::repair::{Edit, Obstacle, Target};

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn policy(&self, policy: &Policy<'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let mut found = Vec::new();
        let own = self.target(DocumentKind::Policy, policy.id.namespace, policy.id.name);
        if row.error.is_some() {
            let mut obstacle = Obstacle::new("policy", "a policy that the hub accepts");
            if policy.action.is_none() {
                for action in ["inform", "enforce"] {
                    let edit = own.and_then(|own| own.set("/spec/remediationAction", action));
                    obstacle.one(edit.filter(|_| policy.refused.is_some()));
                }
            }
            found.push(obstacle);
        }
        if policy.disabled {
            let mut obstacle = Obstacle::new("policy", "a policy that is not disabled");
            obstacle.one(own.and_then(|own| own.set("/spec/disabled", false)));
            found.push(obstacle);
        }
        let bound = Bound::new(self.site.model);
        let paths = bound.paths(policy);
        let mut ways: Vec<Way> = paths.iter().map(|path| self.path(path, policy)).collect();
        if ways.iter().all(|way| !way.is_empty()) {
            ways.extend(self.more_ways(policy, paths));
        }
        if ways.is_empty() {
            found.push(Obstacle::new("binding", "a PlacementBinding that names it"));
        }
        found.extend(any("binding", "a binding that leads to the cluster", ways));
        found
    }

    fn on_binding(&self, binding: &Binding<'a>) -> Option<Target<'a>> {
        let kind = DocumentKind::PlacementBinding;
        self.target(kind, binding.id.namespace, binding.id.name)
    }

    fn on_set(&self, set: &PolicySet<'a>) -> Option<Target<'a>> {
        self.target(DocumentKind::PolicySet, set.id.namespace, set.id.name)
    }

    /// The obstacles of a binding that names the policy.
    fn path(&self, path: &Path<'_, 'a>, policy: &Policy<'a>) -> Way {
        let binding = path.binding;
        let stage = format!("binding {}", binding.id.name);
        let mut way = Vec::new();
        if binding.restricted.is_some() {
            let mut obstacle = Obstacle::new(stage, "a binding without `subFilter`");
            let target = self.on_binding(binding);
            obstacle.one(target.and_then(|target| target.remove("/subFilter")));
            way.push(obstacle);
        }
        way.extend(self.selects(binding));
        if let Some(set) = path.set {
            way.extend(self.exclusion(set, policy));
        }
        way
    }

    /// The obstacles in the placement that a binding refers to.
    fn selects(&self, binding: &Binding<'a>) -> Way {
        let (namespace, name) = (binding.id.namespace, binding.placement_name.text);
        let ground = &self.site.deliveries.ground;
        let found = ground.chosen(binding.placement, namespace, name);
        match (found, binding.placement) {
            (Some(chosen), _) if chosen.planned.contains(self.number as usize) => Vec::new(),
            (Some(_), Selects::Placement) => self.placement(namespace, name),
            (Some(_), Selects::Rule) => self.rule(namespace, name),
            (None, what) => {
                let target = self.on_binding(binding);
                let pointer = "/placementRef/name";
                let mut obstacle = match what {
                    Selects::Placement => self.renamed(target, pointer, namespace, name),
                    Selects::Rule => Obstacle::new(
                        "placement",
                        format!("a PlacementRule {name} in namespace {namespace}"),
                    ),
                };
                let other = match what {
                    Selects::Placement => Selects::Rule,
                    Selects::Rule => Selects::Placement,
                };
                if ground.chosen(other, namespace, name).is_some()
                    && let Some(target) = target
                {
                    let edits = [
                        target.set("/placementRef/apiGroup", other.group()),
                        target.set("/placementRef/kind", other.kind()),
                    ];
                    obstacle.way(edits.into_iter().flatten().collect(), false);
                }
                vec![obstacle]
            }
        }
    }

    /// An exclusion of the cluster from a set, for one policy.
    fn exclusion(&self, set: &PolicySet<'a>, policy: &Policy<'a>) -> Way {
        let name = policy.id.name;
        let mut all = set.exclusions.iter();
        let Some(at) = all.position(|one| one.policy.text == name) else {
            return Vec::new();
        };
        let clusters = &set.exclusions[at].clusters;
        let target = self.on_set(set);
        let list = format!("/spec/exclusions/{at}");
        let hits = clusters.iter().enumerate();
        let hits = hits.filter(|(_, one)| one.text == self.name);
        hits.map(|(number, _)| {
            let needs = format!("set {} not to exclude the cluster", set.id.name);
            let mut obstacle = Obstacle::new("exclusion", needs);
            let pointer = match clusters.len() {
                1 => list.clone(),
                _ => format!("{list}/clusterNames/{number}"),
            };
            obstacle.one(target.and_then(|target| target.remove(pointer)));
            obstacle
        })
        .collect()
    }

    /// Bindings and sets that do not name the policy yet. Those that lead to the cluster already
    /// come first; others are of use only where nothing binds the policy.
    fn more_ways(&self, policy: &Policy<'a>, paths: &[Path<'_, 'a>]) -> Vec<Way> {
        let namespace = policy.id.namespace;
        let name = policy.id.name;
        let bindings = self.site.model.bindings.iter();
        let open = bindings.filter(|one| one.id.namespace == namespace && one.restricted.is_none());
        let mut ways: Vec<(usize, Way)> = Vec::new();
        for binding in open {
            let lacks = self.selects(binding);
            if !lacks.is_empty() && !paths.is_empty() {
                continue;
            }
            let mut add = |edit: Option<Edit>, needs: String| {
                let mut obstacle = Obstacle::new("binding", needs);
                obstacle.one(edit);
                let mut way = vec![obstacle];
                way.extend(lacks.iter().cloned());
                ways.push((way.len(), way));
            };
            let is_named = |set: Option<&PolicySet<'a>>| {
                let same = |path: &&Path<'_, 'a>| {
                    path.binding.id.name == binding.id.name
                        && path.set.map(|one| one.id.name) == set.map(|one| one.id.name)
                };
                paths.iter().any(|path| same(&path))
            };
            if !is_named(None) {
                let target = self.on_binding(binding);
                let subject = json!({"apiGroup": GROUP, "kind": "Policy", "name": name});
                add(
                    target.and_then(|target| target.append("/subjects", subject)),
                    format!("binding {} to name it", binding.id.name),
                );
            }
            for subject in binding.subjects.iter().filter(|subject| subject.set) {
                let mut sets = self.site.model.sets.iter();
                let set = sets
                    .find(|set| (set.id.namespace, set.id.name) == (namespace, subject.name.text));
                if let Some(set) = set.filter(|set| !is_named(Some(set))) {
                    let target = self.on_set(set);
                    add(
                        target.and_then(|target| target.append("/spec/policies", name)),
                        format!("set {} to list it", set.id.name),
                    );
                }
            }
        }
        ways.sort_by_key(|(links, _)| *links);
        let ways = ways.into_iter().map(|(_, way)| way);
        ways.take(NAMES).collect()
    }
}
