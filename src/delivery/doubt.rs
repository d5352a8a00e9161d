//! Consumers whose clusters are uncertain because something that leads to them was refused: a
//! binding, a set, a rule, a GitOpsCluster.

use rustc_hash::FxHashSet;

use super::gitops::read::GitOpsCluster;
use super::placement_rule::read::Rule;
use super::policy::read::{Binding, Path, Policy, PolicySet};

/// The refused consumers, by the placements that they would have named.
#[derive(Debug, Default)]
pub(in crate::delivery) struct Doubt<'a> {
    /// Policies that are named, by namespace and name.
    policies: FxHashSet<(&'a str, &'a str)>,
    /// Sets that are named or refused.
    sets: FxHashSet<(&'a str, &'a str)>,
    /// Rules that are refused.
    rules: FxHashSet<(&'a str, &'a str)>,
    /// Namespaces in which it cannot be read what is named.
    namespaces: FxHashSet<&'a str>,
    /// Namespaces of an Argo CD that a refused GitOpsCluster fills; the empty one stands for any.
    argo: FxHashSet<&'a str>,
}

impl<'a> Doubt<'a> {
    /// Takes a refused binding.
    pub(super) fn binding(&mut self, binding: &Binding<'a>) {
        let namespace = binding.id.namespace;
        let unread = |name: &str| name.is_empty();
        if binding.subjects.is_empty() || binding.subjects.iter().any(|one| unread(one.name.text)) {
            self.namespaces.insert(namespace);
        }
        for subject in &binding.subjects {
            let named = if subject.set {
                &mut self.sets
            } else {
                &mut self.policies
            };
            named.insert((namespace, subject.name.text));
        }
    }

    /// Takes a refused set.
    pub(super) fn set(&mut self, set: &PolicySet<'a>) {
        let namespace = set.id.namespace;
        if set.policies.is_empty() {
            self.namespaces.insert(namespace);
        }
        let policies = set.policies.iter();
        self.policies
            .extend(policies.map(|policy| (namespace, policy.text)));
    }

    /// Takes a refused rule.
    pub(super) fn rule(&mut self, rule: &Rule<'a>) {
        self.rules.insert((rule.id.namespace, rule.id.name));
    }

    /// Takes a refused GitOpsCluster.
    pub(super) fn gitops(&mut self, consumer: &GitOpsCluster<'a>) {
        self.argo.insert(consumer.argo.text);
    }

    /// Whether Argo CD of a namespace may know more clusters than the documents that were taken
    /// say.
    pub(in crate::delivery) fn registers(&self, namespace: &str) -> bool {
        self.argo.contains(namespace) || self.argo.contains("")
    }

    /// Takes the policies of sets that refused bindings name.
    pub(super) fn expand(&mut self, sets: &[PolicySet<'a>]) {
        for set in sets
            .iter()
            .filter(|set| self.sets.contains(&(set.id.namespace, set.id.name)))
        {
            let policies = set.policies.iter();
            self.policies
                .extend(policies.map(|policy| (set.id.namespace, policy.text)));
        }
    }

    /// Whether a policy may reach more clusters than the documents that were taken say.
    pub(in crate::delivery) fn holds(&self, policy: &Policy<'a>, paths: &[Path<'_, 'a>]) -> bool {
        let (namespace, name) = (policy.id.namespace, policy.id.name);
        self.namespaces.contains(namespace)
            || self.policies.contains(&(namespace, name))
            || paths.iter().any(|path| {
                let (namespace, name) =
                    (path.binding.id.namespace, path.binding.placement_name.text);
                self.rules.contains(&(namespace, name))
            })
    }
}
