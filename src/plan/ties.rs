//! Checks across systems of a site to one another: objects of two systems that the documents call
//! by one name. Ties are only ever findings: no system's answer depends on another system.

pub mod rules;

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::{DocumentKind, Documents};
use crate::hybrid::engine::Decision;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ogc;
use crate::plan::Plan;
use crate::source::Place;

use rules::{
    IDLE_CLUSTER, OUTSIDE_PLACEMENT, TWIN_NOT_DEPLOYED, TWIN_NOT_UP, UNKNOWN_PLACEMENT,
    UNLABELLED_REGION,
};

/// The annotation of a Package that names the Placement its Applications are to keep to.
pub const ANNOTATION: &str = "planner/placement";

/// The word of a Cluster that Applications can run on.
const UP: &str = "Up";

/// Groups named in a message, at most.
const NAMED: usize = 3;

/// Holds the plan of each system against those of the others.
pub fn check(plan: &Plan<'_, '_>, sink: &mut Sink) {
    let documents = &plan.site.documents;
    let ties = Ties::of(plan);
    ties.twins(sink);
    ties.placements(documents, sink);
    ties.idle(sink);
    ties.regions(sink);
}

/// The plan by the names that tie its systems.
struct Ties<'p, 's, 'a> {
    plan: &'p Plan<'s, 'a>,
    /// The groups of each node that is in one, by the node's name.
    groups: BTreeMap<&'p str, Vec<u32>>,
}

impl<'p, 's, 'a> Ties<'p, 's, 'a> {
    fn of(plan: &'p Plan<'s, 'a>) -> Self {
        let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        // Without a strategy all machines come up at once, and none is left out. Clusters alone
        // are asked for their groups.
        let any = !plan.site.ogc.clusters.is_empty();
        let strategy = plan.strategy.as_ref().filter(|_| any);
        if let Some(strategy) = strategy.filter(|strategy| strategy.site.strategy.is_some()) {
            for (members, group) in strategy.deployment.members.iter().zip(0..) {
                for node in members {
                    let name = strategy.site.nodes[*node as usize].name.text;
                    groups.entry(name).or_default().push(group);
                }
            }
        }
        Self { plan, groups }
    }

    /// Placements that choose a cluster whose twin cannot run anything.
    fn twins(&self, sink: &mut Sink) {
        let Some(outcome) = &self.plan.placements else {
            return;
        };
        let twins: BTreeMap<&str, &ogc::model::Cluster<'a>> = self
            .plan
            .site
            .ogc
            .clusters
            .iter()
            .map(|cluster| (cluster.name, cluster))
            .collect();
        if twins.is_empty() {
            return;
        }
        for placed in &outcome.placements.placed {
            let placement = &self.plan.site.ocm.placements[placed.placement];
            let object = Object::new("Placement", placement.name).in_namespace(placement.namespace);
            let chosen = outcome.placements.decided(placed);
            for twin in chosen.filter_map(|name| twins.get(name)) {
                let name = twin.name;
                if let Some((status, place)) = twin.status.filter(|(status, _)| *status != UP) {
                    sink.push(
                        Diagnostic::new(
                            &TWIN_NOT_UP,
                            format!(
                                "Placement `{}/{}` chooses `{name}`, and Cluster `{name}` \
                              is {status}",
                                placement.namespace, placement.name
                            ),
                        )
                        .at(placement.place, format!("chooses `{name}`"))
                        .related(place, "the Cluster of that name is not Up")
                        .object(object.clone())
                        .help(
                            "taint the ManagedCluster while it is out of service, or correct the \
                             Cluster's status",
                        ),
                    );
                }
                let deployed = |node: &ogc::model::Node<'_>| self.groups.contains_key(node.name);
                if !self.groups.is_empty()
                    && !twin.nodes.is_empty()
                    && !twin.nodes.iter().any(deployed)
                {
                    sink.push(
                        Diagnostic::new(
                            &TWIN_NOT_DEPLOYED,
                            format!(
                                "Placement `{}/{}` chooses `{name}`, and no deployment \
                              group has a node of Cluster `{name}`",
                                placement.namespace, placement.name
                            ),
                        )
                        .at(placement.place, format!("chooses `{name}`"))
                        .related(twin.place, "none of its Nodes is in a deployment group")
                        .object(object.clone())
                        .help(
                            "add its nodes to a group of the deployment strategy, or keep the \
                          placement off this cluster",
                        ),
                    );
                }
            }
        }
    }

    /// Applications outside of the Placement that their Package is to keep to.
    fn placements(&self, documents: &Documents<'_>, sink: &mut Sink) {
        let model = &self.plan.site.ocm;
        for document in documents
            .of(DocumentKind::Package)
            .filter(|document| !document.refused)
        {
            let Some(wanted) = document.node.at(&["metadata", "annotations", ANNOTATION]) else {
                continue;
            };
            let (Some(package), Some(name)) = (document.name(), wanted.text()) else {
                continue;
            };
            let mut placements = model.placements.iter();
            let named =
                |placement: &crate::ocm::model::Placement<'_>| placement.full_name().to_string();
            let Some(at) = placements.position(|placement| named(placement) == name) else {
                let all: Vec<String> = model.placements.iter().map(named).collect();
                let near = nearest(name, all.iter().map(String::as_str));
                let found = Diagnostic::new(
                    &UNKNOWN_PLACEMENT,
                    format!("there is no Placement `{name}` for Package `{package}`"),
                )
                .at(wanted.place(), "no Placement with this namespace and name")
                .object(Object::new("Package", package));
                sink.push(match near {
                    Some(near) => found.help(did_you_mean(near)),
                    None => {
                        found.help("write NAMESPACE/NAME of a Placement, or remove the annotation")
                    }
                });
                continue;
            };
            self.outside(package, (name, at), wanted.place(), sink);
        }
    }

    fn outside(
        &self,
        package: &str,
        (name, at): (&str, usize),
        annotation: Place,
        sink: &mut Sink,
    ) {
        let plan = self.plan;
        let (Some(placements), Some(applications)) = (&plan.placements, &plan.applications) else {
            return;
        };
        let all = &placements.placements;
        let Some(placed) = all.placed.iter().find(|placed| placed.placement == at) else {
            return;
        };
        if placed.skipped.is_some() {
            return;
        }
        let chosen: BTreeSet<&str> = all.decided(placed).collect();
        let place = plan.site.ocm.placements[at].place;
        for item in applications
            .items
            .iter()
            .filter(|item| item.package == package)
        {
            let Some(cluster) = item.cluster else {
                continue;
            };
            let cluster = plan.site.ogc.clusters[cluster as usize].name;
            if chosen.contains(cluster) {
                continue;
            }
            let application = item.application;
            let mut object = Object::new("Application", application);
            object.package = Some(package.to_owned());
            sink.push(
                Diagnostic::new(
                    &OUTSIDE_PLACEMENT,
                    format!(
                        "Application `{application}` of Package `{package}` is planned on \
                      `{cluster}`, which Placement `{name}` does not choose"
                    ),
                )
                .at(annotation, format!("the annotation names `{name}`"))
                .related(place, format!("does not choose `{cluster}`"))
                .object(object)
                .help(
                    "give the Package rules that select the same clusters, or let the \
                                  Placement choose this one",
                ),
            );
        }
    }

    /// Clusters that groups deploy and on which nothing is planned.
    fn idle(&self, sink: &mut Sink) {
        let plan = self.plan;
        let (Some(applications), Some(strategy)) = (&plan.applications, &plan.strategy) else {
            return;
        };
        // With only some of the Packages planned nothing can be said of the others' Clusters.
        let planned: BTreeSet<&str> = applications
            .packages
            .iter()
            .map(|package| package.name)
            .collect();
        if plan
            .site
            .ogc
            .packages
            .iter()
            .any(|package| !planned.contains(package.name))
        {
            return;
        }
        let used = self.used();
        for cluster in &plan.site.ogc.clusters {
            if used.contains(cluster.name) {
                continue;
            }
            let groups: BTreeSet<u32> = cluster
                .nodes
                .iter()
                .filter_map(|node| self.groups.get(node.name))
                .flatten()
                .copied()
                .collect();
            let Some(first) = groups.first() else {
                continue;
            };
            let name = cluster.name;
            let group = |at: &u32| format!("`{}`", strategy.site.groups[*at as usize].name.text);
            let mut names: Vec<String> = groups.iter().take(NAMED).map(group).collect();
            if groups.len() > NAMED {
                names.push(format!("{} more", groups.len() - NAMED));
            }
            let (word, verb) = if groups.len() == 1 {
                ("group", "deploys")
            } else {
                ("groups", "deploy")
            };
            let names = names.join(", ");
            let group = &strategy.site.groups[*first as usize];
            sink.push(
                Diagnostic::new(
                    &IDLE_CLUSTER,
                    format!(
                        "{word} {names} {verb} nodes of Cluster `{name}`, on which nothing \
                      is planned"
                    ),
                )
                .at(group.name.place, format!("deploys nodes of `{name}`"))
                .related(
                    cluster.place,
                    "no Application, placement or rule is planned here",
                )
                .object(Object::new("Cluster", name))
                .help("place something there, or remove its nodes from the group"),
            );
        }
    }

    /// The names of all clusters on which something is planned.
    fn used(&self) -> BTreeSet<String> {
        let plan = self.plan;
        let mut used = BTreeSet::new();
        if let Some(outcome) = &plan.applications {
            let clusters = outcome.items.iter().filter_map(|item| item.cluster);
            used.extend(clusters.map(|at| plan.site.ogc.clusters[at as usize].name.to_owned()));
        }
        if let Some(outcome) = &plan.placements {
            let all = &outcome.placements;
            let chosen = all.placed.iter().flat_map(|placed| all.decided(placed));
            used.extend(chosen.map(str::to_owned));
        }
        if let Some(outcome) = &plan.placement_rules {
            let decided = outcome.ended.iter().flat_map(|rule| &rule.decisions);
            for decision in decided {
                if let Decision::Object(id) = decision {
                    used.insert(plan.site.hybrid.inventory.object(*id).name.to_owned());
                }
            }
        }
        used
    }

    /// Regions that get nodes and that no cluster names in a label.
    fn regions(&self, sink: &mut Sink) {
        if self.plan.regions.planned.is_empty() {
            return;
        }
        let labels = self.labels();
        // Where no cluster says in which region it is, nothing can be said of regions.
        let names_regions = |key: &str| key.rsplit('/').next() == Some("region");
        if !labels.iter().any(|(key, _, _)| names_regions(key)) {
            return;
        }
        let known: BTreeMap<&str, Place> = labels
            .iter()
            .map(|(_, value, place)| (*value, *place))
            .collect();
        for planned in &self.plan.regions.planned {
            let (check, outcome) = (planned.check, &planned.outcome);
            for (position, at) in outcome.usable.iter().zip(0..) {
                let region = &check.policy.regions[*position as usize];
                let name = &*region.name;
                if outcome.change(at) <= 0 || known.contains_key(name) {
                    continue;
                }
                let near = nearest(name, known.keys().copied());
                let labelled = labels
                    .iter()
                    .find(|(key, value, _)| near.map_or(names_regions(key), |near| *value == near));
                let nodes = match outcome.change(at) {
                    1 => "1 node".to_owned(),
                    count => format!("{count} nodes"),
                };
                let mut found = Diagnostic::new(
                    &UNLABELLED_REGION,
                    format!(
                        "the policy places {nodes} in region `{name}`, which no cluster has as a \
                         label"
                    ),
                )
                .at(region.place, "no cluster is labelled with this region");
                if let Some((key, value, place)) = labelled {
                    found =
                        found.related(*place, format!("clusters are labelled `{key}: {value}`"));
                }
                sink.push(
                    found.help(match near {
                        Some(near) => did_you_mean(near),
                        None => "label the clusters of that region, or remove the region from the \
                                 policy"
                            .to_owned(),
                    }),
                );
            }
        }
    }

    /// Key, value and place of every label of a cluster.
    fn labels(&self) -> Vec<(&'p str, &'p str, Place)> {
        let site = self.plan.site;
        let own = site.ogc.clusters.iter().flat_map(|cluster| &cluster.labels);
        let mut labels: Vec<_> = own
            .map(|label| (label.key, label.value, label.place))
            .collect();
        for cluster in &site.ocm.clusters {
            labels.extend(
                cluster
                    .labels
                    .iter()
                    .map(|(key, value)| (*key, *value, cluster.place)),
            );
        }
        labels
    }
}
