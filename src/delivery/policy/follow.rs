//! Which policy reaches which cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::about::{About, Remediation};
use super::read::{Action, Dependency, Exclusion, GROUP, Path, Policy, PolicySet};
use crate::delivery::ground::{Chosen, Ground};
use crate::delivery::model::Model;
use crate::delivery::names::Clusters;
use crate::delivery::row::{Extra, Row, Via};

/// The bindings that name each policy, directly or by a set.
pub(crate) struct Bound<'m, 'a> {
    by_policy: FxHashMap<(&'a str, &'a str), Vec<Path<'m, 'a>>>,
    sets: FxHashMap<(&'a str, &'a str), &'m PolicySet<'a>>,
}

impl<'m, 'a> Bound<'m, 'a> {
    pub(crate) fn new(model: &'m Model<'a>) -> Self {
        let sets: FxHashMap<_, _> = model
            .sets
            .iter()
            .map(|set| ((set.id.namespace, set.id.name), set))
            .collect();
        let mut by_policy: FxHashMap<(&str, &str), Vec<Path<'m, 'a>>> = FxHashMap::default();
        for binding in &model.bindings {
            let namespace = binding.id.namespace;
            for subject in &binding.subjects {
                let name = subject.name.text;
                if subject.set {
                    let Some(set) = sets.get(&(namespace, name)).copied() else {
                        continue;
                    };
                    for policy in &set.policies {
                        let set = Some(set);
                        let path = Path { binding, set };
                        by_policy
                            .entry((namespace, policy.text))
                            .or_default()
                            .push(path);
                    }
                } else {
                    let path = Path { binding, set: None };
                    by_policy.entry((namespace, name)).or_default().push(path);
                }
            }
        }
        for paths in by_policy.values_mut() {
            paths.sort_by_key(|path| {
                let set = path.set.map(|set| set.id.name);
                (path.binding.restricted.is_some(), path.binding.id.name, set)
            });
            paths.dedup_by_key(|path| (path.binding.id.name, path.set.map(|set| set.id.name)));
        }
        Self { by_policy, sets }
    }

    /// The ways from a policy, open ones first.
    pub(crate) fn paths(&self, policy: &Policy<'a>) -> &[Path<'m, 'a>] {
        let key = (policy.id.namespace, policy.id.name);
        self.by_policy.get(&key).map_or(&[], Vec::as_slice)
    }
}

impl<'m, 'a> Path<'m, 'a> {
    /// The selection of its placement, if that exists.
    pub(crate) fn chosen<'g>(&self, ground: &'g Ground<'a>) -> Option<&'g Chosen> {
        let binding = self.binding;
        let (namespace, name) = (binding.id.namespace, binding.placement_name.text);
        ground.chosen(binding.placement, namespace, name)
    }

    /// The exclusion of a policy on this way.
    pub(crate) fn exclusion(&self, policy: &str) -> Option<&'m Exclusion<'a>> {
        self.set?.exclusion(policy)
    }

    /// A set of clusters without those that are excluded on this way.
    pub(crate) fn without_excluded(
        &self,
        set: &Clusters,
        policy: &str,
        ground: &Ground<'_>,
    ) -> Clusters {
        let excluded = self.exclusion(policy).into_iter();
        let excluded = excluded.flat_map(|exclusion| &exclusion.clusters);
        let excluded = excluded.filter_map(|cluster| ground.names.find(cluster.text));
        let mut left = None;
        for cluster in excluded {
            if set.contains(cluster as usize) {
                left.get_or_insert_with(|| FixedBitSet::clone(set))
                    .remove(cluster as usize);
            }
        }
        left.map_or_else(|| set.clone(), Arc::new)
    }
}

/// The clusters of a policy, and those of them where a binding enforces it.
#[derive(Default)]
struct Reached {
    clusters: Clusters,
    enforced: Clusters,
}

impl Reached {
    /// Adds the clusters of open ways.
    fn open(&mut self, clusters: &Clusters, overrides: bool) {
        join(&mut self.clusters, clusters);
        if overrides {
            join(&mut self.enforced, clusters);
        }
    }
}

/// Adds clusters to a set, which stays shared where it is the same as either.
fn join(all: &mut Clusters, more: &Clusters) {
    if all.is_clear() {
        *all = more.clone();
    } else if !more.is_subset(all) {
        Arc::make_mut(all).union_with(more);
    }
}

/// The row of each policy but of copies.
pub(in crate::delivery) fn follow<'a>(model: &Model<'a>, ground: &Ground<'a>) -> Vec<Row<'a>> {
    let bound = Bound::new(model);
    let mut rows = Vec::with_capacity(model.policies.len());
    let policies = model.policies.iter().enumerate();
    let policies = policies.filter(|(_, policy)| !policy.replica);
    rows.extend(policies.map(|(at, policy)| row(at, policy, &bound, ground)));
    rows
}

fn row<'a>(at: usize, policy: &Policy<'a>, bound: &Bound<'_, 'a>, ground: &Ground<'a>) -> Row<'a> {
    let name = policy.id.name;
    let in_cluster = ground.has_cluster(policy.id.namespace);
    let error = policy.refused.clone().or_else(|| {
        let namespace = policy.id.namespace;
        in_cluster.then(|| {
            format!(
                "`{namespace}` is the namespace of ManagedCluster `{namespace}`: the hub deletes \
                 policies there"
            )
        })
    });
    let goes = error.is_none() && !policy.disabled;
    let mut reached = Reached::default();
    let mut was: Option<Clusters> = None;
    let paths = bound.paths(policy);
    let mut via = Vec::with_capacity(paths.len());
    let nothing = Chosen::default();
    for path in paths {
        let binding = path.binding;
        let restricted = binding.restricted.is_some();
        let chosen = path.chosen(ground).unwrap_or(&nothing);
        let mut clusters = if goes {
            path.without_excluded(&chosen.planned, name, ground)
        } else {
            Clusters::default()
        };
        if restricted {
            Arc::make_mut(&mut clusters).intersect_with(&reached.clusters);
            if binding.overrides.is_some() {
                join(&mut reached.enforced, &clusters);
            }
        } else {
            reached.open(&clusters, binding.overrides.is_some());
            if let Some(held) = chosen.held.as_ref().filter(|_| error.is_none()) {
                let held = if goes {
                    path.without_excluded(held, name, ground)
                } else {
                    Clusters::default()
                };
                join(was.get_or_insert_default(), &held);
            }
        }
        via.push(Via {
            binding: Some(binding.id),
            set: path.set.map(|set| set.id.name),
            placement: (
                binding.placement.kind(),
                binding.id.namespace,
                binding.placement_name.text,
            ),
            clusters,
            restricted,
        });
    }
    let remediation = (!reached.clusters.is_clear()).then(|| remediation(policy, &reached));
    let about = About {
        disabled: policy.disabled,
        remediation,
        after: after(policy, bound),
        generator: policy.generator,
        policy: at,
    };
    Row {
        id: policy.id,
        via,
        clusters: reached.clusters,
        was,
        error,
        extra: Extra::Policy(about),
    }
}

fn remediation(policy: &Policy<'_>, reached: &Reached) -> Remediation {
    if policy.action == Some(Action::Enforce) {
        return Remediation {
            enforce: reached.clusters.clone(),
            ..Remediation::default()
        };
    }
    let mut rest = reached.clusters.clone();
    if !reached.enforced.is_clear() {
        Arc::make_mut(&mut rest).difference_with(&reached.enforced);
    }
    let enforce = reached.enforced.clone();
    match policy.action {
        Some(_) => Remediation {
            inform: rest,
            enforce,
            unset: None,
        },
        None => Remediation {
            inform: Clusters::default(),
            enforce,
            unset: (!rest.is_clear()).then_some(rest),
        },
    }
}

/// The object that a dependency waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Awaited<'a> {
    /// Policies, by their canonical names and the part of it that is the namespace and the name.
    Policies(Vec<(String, &'a str, &'a str)>),
    /// A set that does not exist, which is never met.
    NoSet(&'a str, &'a str),
    /// Something that is looked for on the managed cluster as it is written.
    Object,
}

/// The object that a dependency refers to, resolved.
pub(crate) fn awaited<'a>(
    dependency: &Dependency<'a>,
    own: &'a str,
    bound: &Bound<'_, 'a>,
) -> Awaited<'a> {
    let name = dependency.name.text;
    let version = dependency.api_version.text.strip_prefix(GROUP);
    let namespace = match dependency.namespace {
        "" => own,
        namespace => namespace,
    };
    match (dependency.kind, version) {
        ("Policy", Some("/v1")) => {
            let dotted = name
                .split_once('.')
                .filter(|_| dependency.namespace.is_empty());
            let (namespace, name) = dotted.unwrap_or((namespace, name));
            Awaited::Policies(vec![(format!("{namespace}.{name}"), namespace, name)])
        }
        ("PolicySet", Some("/v1beta1")) => match bound.sets.get(&(namespace, name)) {
            None => Awaited::NoSet(namespace, name),
            Some(set) => {
                let policies = set.policies.iter();
                let named = policies.map(|policy| {
                    let name = policy.text;
                    (format!("{namespace}.{name}"), namespace, name)
                });
                Awaited::Policies(named.collect())
            }
        },
        _ => Awaited::Object,
    }
}

fn after<'a>(policy: &Policy<'a>, bound: &Bound<'_, 'a>) -> Vec<String> {
    let mut after = BTreeMap::new();
    for dependency in &policy.dependencies {
        if let Awaited::Policies(policies) = awaited(dependency, policy.id.namespace, bound) {
            after.extend(policies.into_iter().map(|(name, ..)| (name, ())));
        }
    }
    after.into_keys().collect()
}
