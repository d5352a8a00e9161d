//! A rule and a Placement over invented clusters, each decided by its own engine.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::invent::{self, Cluster};
use crate::delivery::placement_rule::read::{Resource, Rule};
use crate::document::System;
use crate::options::Options;
use crate::plan;
use crate::site::{Changes, Checked};
use crate::source::SourceId;
use crate::yaml::{self, Dialect, Limits, Node, Op, Tree, TreeBuilder, edited, parse};

/// Clusters with which a rule and its Placement come apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// The clusters that the rule has.
    pub held: Vec<String>,
    /// The decisions of the rule.
    pub rule: Vec<String>,
    /// The decisions of the Placement.
    pub placement: Vec<String>,
}

/// A rule and a Placement to be held against each other.
pub(super) struct Pair<'p, 'a> {
    pub(super) site: &'p Checked<'a>,
    pub(super) options: &'p Options,
    pub(super) rule: &'p Rule<'a>,
    pub(super) node: Node<'a>,
    /// The text of the Placement.
    pub(super) placement: &'p str,
    pub(super) namespace: Option<&'p str>,
}

type Names = BTreeSet<String>;

impl Pair<'_, '_> {
    /// How many clusters were invented, and the least of those over which the two come apart.
    pub(super) fn prove(&self, clusters: &[Cluster]) -> Option<(usize, Option<Example>)> {
        let (rule, placement) = self.decided(clusters, None)?;
        let differs =
            |cluster: &&Cluster| rule.contains(&cluster.name) != placement.contains(&cluster.name);
        let least = clusters
            .iter()
            .filter(differs)
            .min_by_key(|cluster| cluster.weight());
        let example = least.map(|cluster| {
            let own = |names: &Names| {
                if names.contains(&cluster.name) {
                    vec!["a".to_owned()]
                } else {
                    Vec::new()
                }
            };
            Example {
                clusters: vec![Cluster {
                    name: "a".to_owned(),
                    ..cluster.clone()
                }],
                held: Vec::new(),
                rule: own(&rule),
                placement: own(&placement),
            }
        });
        Some((clusters.len(), example))
    }

    /// The least clusters over which the two come apart, for a rule that is limited.
    pub(super) fn counterexample(&self, number: Option<i64>) -> Option<Example> {
        let labels = invent::matching(self.rule).unwrap_or_default();
        let number = number.and_then(|number| usize::try_from(number).ok());
        // Where very many are wanted, nobody reads an example.
        let number = number.unwrap_or(1).min(50);
        let resource = self.rule.hint.and_then(|hint| hint.resource);
        let families = match resource {
            Some(resource) => {
                let resource = match resource {
                    Resource::Cpu => "cpu",
                    Resource::Memory => "memory",
                };
                invent::by_resource(resource, &labels, number)
            }
            None => {
                let one = |at: usize| Cluster::of(&name(at), &labels);
                let some = match self.rule.replicas {
                    Some(1..) => number + 1,
                    _ => 1,
                };
                vec![(0..some).map(one).collect()]
            }
        };
        let mut found = families.iter().filter_map(|clusters| {
            let held = match (self.rule.left_alone(), resource) {
                (true, _) | (_, Some(_)) => Vec::new(),
                _ => clusters
                    .last()
                    .map(|last| last.name.clone())
                    .into_iter()
                    .collect(),
            };
            let (rule, placement) = self.decided(clusters, Some(&held))?;
            (rule != placement).then(|| Example {
                clusters: clusters.clone(),
                held,
                rule: rule.into_iter().collect(),
                placement: placement.into_iter().collect(),
            })
        });
        found.next()
    }

    /// The decisions of the rule and of the Placement; `None` if either cannot be planned.
    fn decided(&self, clusters: &[Cluster], held: Option<&[String]>) -> Option<(Names, Names)> {
        let site = self.site;
        let file = SourceId(u32::try_from(site.documents.sources.files.len()).ok()?);
        let mut binding = json!({
            "apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding",
            "metadata": {"name": "global"},
            "spec": {"clusterSet": "global"},
        });
        if let Some(namespace) = self.namespace {
            binding["metadata"]["namespace"] = namespace.into();
        }
        let mut text = String::new();
        for cluster in clusters {
            text.push_str(&serde_json::to_string(&cluster.document()).ok()?);
            text.push_str("\n---\n");
        }
        text.push_str(&binding.to_string());
        text.push_str("\n---\n");
        text.push_str(self.placement);
        let rule = match held {
            None => copy(self.node),
            Some(held) => {
                let one = |name: &String| json!({"clusterName": name, "clusterNamespace": name});
                let held: Vec<_> = held.iter().map(one).collect();
                let op = Op::Set(json!({"decisions": held}));
                copy(self.node.instead(&edited(self.node, "/status", &op).ok()?))
            }
        };
        let mut added = trees(file, &text)?;
        added.push(rule);
        let all = site.documents.all.iter();
        let changed = site.changed(Changes {
            replaced: all.map(|document| (document.index, None)).collect(),
            added,
            files: vec!["invented".to_owned()],
            ..Changes::default()
        });
        let changed = changed.ok()?;
        let checked = changed.check();
        let plan = plan::make(&checked, &self.options.trial(System::Ocm));
        let rule = plan.deliveries.as_ref()?.ground.rules.first()?;
        let outcome = plan.placements.as_ref()?;
        let placed = outcome.placements.placed.first()?;
        let own = outcome.placements.decided(placed).map(str::to_owned);
        let of_rule = rule.clusters.iter().map(|name| (*name).to_owned());
        Some((of_rule.collect(), own.collect()))
    }
}

/// `a` to `z`, then `z1` and so on.
fn name(at: usize) -> String {
    let letter = |at: usize| char::from(b'a' + u8::try_from(at.min(25)).unwrap_or(25));
    match at {
        0..26 => letter(at).to_string(),
        more => format!("z{:03}", more - 25),
    }
}

fn copy(node: Node<'_>) -> Tree {
    let mut builder = TreeBuilder::new();
    builder.copy(node);
    builder.finish()
}

/// The spec of a text's only document.
pub(super) fn spec_of(text: &str) -> Option<Value> {
    let trees = trees(SourceId(0), text)?;
    let [tree] = trees.as_slice() else {
        return None;
    };
    let spec = tree.root("").get("spec")?;
    Some(yaml::json(spec, Dialect::Kubernetes))
}

/// The documents of a text, which the file of this number stands for.
fn trees(file: SourceId, text: &str) -> Option<Vec<Tree>> {
    let parsed = parse(file, text, 0..text.len(), Limits::default());
    if !parsed.faults.is_empty() {
        return None;
    }
    let documents = parsed.documents.iter();
    let copied = documents.map(|position| copy(parsed.tree.node(text, *position)));
    Some(copied.collect())
}
