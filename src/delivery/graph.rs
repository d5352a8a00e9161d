//! The graph from placements through bindings and sets to deliveries, and the policies that wait
//! for each other.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::Deliveries;
use super::model::Model;
use super::policy::follow::{Awaited, Bound, awaited};
use super::policy::read::Selects;
use super::row::Extra;

/// Something that is drawn. What is drawn sorts from placements to what is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node<'a> {
    /// Its role between the placement and the delivery.
    pub role: Role,
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace, empty where it has none.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// The role of an object between a placement and a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It selects clusters.
    Placement,
    /// It binds policies.
    Binding,
    /// It holds policies.
    Set,
    /// It is delivered.
    Delivered,
}

/// How one leads to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Link {
    /// It says where the other goes.
    Leads,
    /// It places nothing: the binding is restricted.
    Restricted,
    /// The other waits for it, on every cluster.
    Waits,
    /// The other waits for it on clusters that it does not reach.
    WaitsInVain,
}

/// The nodes with the clusters of those that exist, and the edges by the places of their ends.
#[derive(Debug, Default)]
pub struct Graph<'a> {
    /// The nodes, sorted.
    pub nodes: Vec<(Node<'a>, Option<usize>)>,
    /// The edges, sorted.
    pub edges: Vec<(usize, usize, Link)>,
}

/// Draws deliveries.
#[must_use]
pub fn graph<'a>(model: &Model<'a>, deliveries: &Deliveries<'a>) -> Graph<'a> {
    let mut nodes: BTreeMap<Node<'a>, Option<usize>> = BTreeMap::new();
    let mut edges: BTreeSet<(Node<'a>, Node<'a>, Link)> = BTreeSet::new();
    let ground = &deliveries.ground;
    for row in &deliveries.rows {
        let delivered = Node {
            role: Role::Delivered,
            kind: row.id.kind,
            namespace: row.id.namespace,
            name: row.id.name,
        };
        nodes.insert(delivered, Some(row.clusters.count_ones(..)));
        for via in &row.via {
            let (kind, namespace, name) = via.placement;
            let placement = Node {
                role: Role::Placement,
                kind,
                namespace,
                name,
            };
            nodes.entry(placement).or_insert_with(|| {
                let what = match kind {
                    "PlacementRule" => Selects::Rule,
                    _ => Selects::Placement,
                };
                let chosen = ground.chosen(what, namespace, name);
                chosen.map(|chosen| chosen.planned.count_ones(..))
            });
            let mut last = placement;
            let mut link = if via.restricted {
                Link::Restricted
            } else {
                Link::Leads
            };
            let binding = via
                .binding
                .map(|binding| (Role::Binding, binding.kind, binding.name));
            let set = via.set.map(|set| (Role::Set, "PolicySet", set));
            for (role, kind, name) in binding.into_iter().chain(set) {
                let next = Node {
                    role,
                    kind,
                    namespace,
                    name,
                };
                nodes.entry(next).or_insert(None);
                edges.insert((last, next, link));
                (last, link) = (next, Link::Leads);
            }
            edges.insert((last, delivered, link));
        }
    }
    waits(model, deliveries, &mut edges);
    let sorted: BTreeMap<Node<'a>, usize> = nodes.keys().copied().zip(0..).collect();
    let edges = edges.into_iter();
    let edges =
        edges.filter_map(|(from, to, link)| Some((*sorted.get(&from)?, *sorted.get(&to)?, link)));
    Graph {
        edges: edges.collect(),
        nodes: nodes.into_iter().collect(),
    }
}

/// The policies that wait for others.
fn waits<'a>(
    model: &Model<'a>,
    deliveries: &Deliveries<'a>,
    edges: &mut BTreeSet<(Node<'a>, Node<'a>, Link)>,
) {
    let bound = Bound::new(model);
    let policies = deliveries.rows.iter().filter_map(|row| match &row.extra {
        Extra::Policy(about) => Some((&model.policies[about.policy], row)),
        _ => None,
    });
    let rows: BTreeMap<(&str, &str), _> = policies
        .map(|(policy, row)| ((policy.id.namespace, policy.id.name), (policy, row)))
        .collect();
    let node = |namespace, name| Node {
        role: Role::Delivered,
        kind: "Policy",
        namespace,
        name,
    };
    for ((namespace, name), (policy, row)) in &rows {
        for dependency in &policy.dependencies {
            let Awaited::Policies(policies) = awaited(dependency, namespace, &bound) else {
                continue;
            };
            for (_, other_namespace, other_name) in policies {
                let Some((_, other)) = rows.get(&(other_namespace, other_name)) else {
                    continue;
                };
                let link = if row.clusters.is_subset(&other.clusters) {
                    Link::Waits
                } else {
                    Link::WaitsInVain
                };
                edges.insert((
                    node(other_namespace, other_name),
                    node(namespace, name),
                    link,
                ));
            }
        }
    }
}
