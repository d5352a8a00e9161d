//! Brings the objects together: one of each identity, every reference to something that is there.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::cluster::{LooseCluster, LooseNode};
use super::package::LoosePackage;
use super::reader::{Reference, dangling, object};
use super::refusals::Refused;
use crate::diagnostic::{Object, Sink};
use crate::document::DocumentKind;
use crate::kit::name::first_bytes;
use crate::kit::nearest::{Names, nearest};
use crate::ogc::model::{Application, Cluster, Deployment, Model, Package, Project};
use crate::ogc::rules;
use crate::source::Place;
use crate::yaml::Node;

/// An object and its document.
pub(super) struct Sourced<'a, T> {
    pub(super) object: T,
    pub(super) root: Node<'a>,
    /// The number of the record, if the document is one.
    pub(super) record: Option<u64>,
}

/// Objects as their documents have them.
#[derive(Default)]
pub(super) struct Loose<'a> {
    pub(super) projects: Vec<Sourced<'a, Reference<'a>>>,
    pub(super) clusters: Vec<Sourced<'a, LooseCluster<'a>>>,
    pub(super) nodes: Vec<Sourced<'a, LooseNode<'a>>>,
    pub(super) packages: Vec<Sourced<'a, LoosePackage<'a>>>,
    pub(super) deployments: Vec<Sourced<'a, Deployment<'a>>>,
    /// Names of refused documents: documents that refer to them are left out, but not reported.
    refused: BTreeSet<(DocumentKind, &'a str)>,
}

impl<'a> Loose<'a> {
    pub(super) fn refuse(&mut self, kind: DocumentKind, name: &'a str) {
        self.refused.insert((kind, name));
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.projects.append(&mut other.projects);
        self.clusters.append(&mut other.clusters);
        self.nodes.append(&mut other.nodes);
        self.packages.append(&mut other.packages);
        self.deployments.append(&mut other.deployments);
        self.refused.append(&mut other.refused);
    }
}

/// Sorts objects by name; those that share one are reported and left out.
fn distinct<'a, T>(
    kind: (&'static str, DocumentKind),
    mut found: Vec<Sourced<'a, T>>,
    identity: impl Fn(&T) -> (&'a str, Place),
    refused: &mut BTreeSet<(DocumentKind, &'a str)>,
    sink: &mut Sink,
) -> Vec<Sourced<'a, T>> {
    let key = |found: &Sourced<'a, T>| identity(&found.object);
    let name = |found: &Sourced<'a, T>| key(found).0;
    found.sort_unstable_by_key(key);
    let mut shared = Vec::new();
    for same in found
        .chunk_by(|a, b| name(a) == name(b))
        .filter(|same| same.len() > 1)
    {
        let (name, first) = key(&same[0]);
        shared.push(name);
        refused.insert((kind.1, name));
        for again in &same[1..] {
            let twice = rules::twice(kind.0, name, key(again).1, first);
            sink.push(
                twice
                    .object(object(again.root, kind.0))
                    .pointer("/metadata/name"),
            );
        }
    }
    if !shared.is_empty() {
        found.retain(|found| shared.binary_search(&name(found)).is_err());
    }
    found
}

/// Resolves what refers to what, but for Applications.
pub(super) fn resolve<'s, 'a>(loose: Loose<'a>, sink: &'s mut Sink) -> (Model<'a>, Refused<'a>) {
    let Loose {
        projects,
        clusters,
        nodes,
        packages,
        deployments,
        mut refused,
    } = loose;
    let mut model = Model::default();

    let kind = ("Project", DocumentKind::Project);
    let projects = distinct(kind, projects, |p| (p.name, p.place), &mut refused, sink);
    let project = |found: Sourced<'a, Reference<'a>>| Project {
        name: found.object.name,
        place: found.object.place,
    };
    model.projects = projects.into_iter().map(project).collect();
    let known: FxHashMap<&str, u32> = model
        .projects
        .iter()
        .map(|project| project.name)
        .zip(0..)
        .collect();

    let kind = ("Cluster", DocumentKind::Cluster);
    let identity = |c: &LooseCluster<'a>| (c.cluster.name, c.cluster.place);
    let clusters = distinct(kind, clusters, identity, &mut refused, sink);
    let mut resolver = Resolver {
        refused,
        looks: Names::LOOKS,
        sink,
    };
    let mut roots = Vec::with_capacity(clusters.len());
    for found in clusters {
        roots.push(found.root);
        model.clusters.push(open_to(found, &known, &mut resolver));
    }
    attach(&mut model.clusters, &roots, nodes, &mut resolver);
    model.sort_clusters();

    let kind = ("Package", DocumentKind::Package);
    let identity = |p: &LoosePackage<'a>| (p.package.name, p.package.place);
    let packages = distinct(
        kind,
        packages,
        identity,
        &mut resolver.refused,
        resolver.sink,
    );
    let of_known = packages.into_iter();
    let of_known = of_known.filter_map(|found| of_project(found, &known, &mut resolver));
    model.packages = of_known.collect();
    model.deployments = deployments_of(deployments, &mut resolver);
    (model, Refused::of(resolver.refused))
}

/// A Cluster with the Projects that it is open to.
fn open_to<'a>(
    found: Sourced<'a, LooseCluster<'a>>,
    known: &FxHashMap<&'a str, u32>,
    resolver: &mut Resolver<'_, 'a>,
) -> Cluster<'a> {
    let kind = ("Project", DocumentKind::Project);
    let (mut cluster, from) = (found.object.cluster, (found.root, "Cluster"));
    let projects = found.object.projects.into_iter();
    let projects = projects.filter_map(|to| resolver.find(kind, to, known, from));
    cluster.projects = projects.collect();
    cluster.projects.sort_unstable();
    cluster.projects.dedup();
    cluster
}

/// A Package with its Project; refused without one.
fn of_project<'a>(
    found: Sourced<'a, LoosePackage<'a>>,
    known: &FxHashMap<&'a str, u32>,
    resolver: &mut Resolver<'_, 'a>,
) -> Option<Package<'a>> {
    let kind = ("Project", DocumentKind::Project);
    let LoosePackage {
        mut package,
        project,
    } = found.object;
    let Some(project) = resolver.find(kind, project, known, (found.root, "Package")) else {
        let refused = (DocumentKind::Package, package.name);
        resolver.refused.insert(refused);
        return None;
    };
    package.project = project;
    Some(package)
}

struct Resolver<'s, 'a> {
    refused: BTreeSet<(DocumentKind, &'a str)>,
    /// How many names may still be looked at for near ones.
    looks: usize,
    sink: &'s mut Sink,
}

impl<'a> Resolver<'_, 'a> {
    /// The index of what a reference names; what is not there is reported, unless it was refused.
    fn find(
        &mut self,
        (kind, document): (&str, DocumentKind),
        to: Reference<'a>,
        known: &FxHashMap<&'a str, u32>,
        (root, from): (Node<'a>, &str),
    ) -> Option<u32> {
        let found = known.get(to.name).copied();
        if found.is_none() && !to.name.is_empty() && !self.refused.contains(&(document, to.name)) {
            let near = self.looks.checked_sub(known.len()).and_then(|left| {
                self.looks = left;
                let refused = self.refused.iter().filter(|(kind, _)| *kind == document);
                let refused = refused.map(|(_, name)| *name);
                nearest(to.name, known.keys().copied().chain(refused))
            });
            let found = dangling(kind, to, near);
            self.sink.push(found.object(object(root, from)));
        }
        found
    }
}

/// Gives Clusters the Nodes that have documents of their own; of each name there is one.
fn attach<'a>(
    clusters: &mut [Cluster<'a>],
    roots: &[Node<'a>],
    nodes: Vec<Sourced<'a, LooseNode<'a>>>,
    resolver: &mut Resolver<'_, 'a>,
) {
    let known: FxHashMap<&str, u32> = clusters
        .iter()
        .map(|cluster| cluster.name)
        .zip(0..)
        .collect();
    let kind = ("Cluster", DocumentKind::Cluster);
    for Sourced {
        object: loose,
        root,
        ..
    } in nodes
    {
        if let Some(at) = resolver.find(kind, loose.cluster, &known, (root, "Node")) {
            clusters[at as usize].nodes.push(loose.node);
        }
    }
    for (cluster, root) in clusters.iter_mut().zip(roots) {
        let key = |node: &crate::ogc::model::Node<'a>| (node.name, node.place);
        if !cluster.nodes.is_sorted_by_key(key) {
            cluster.nodes.sort_by_key(key);
        }
        for pair in cluster
            .nodes
            .windows(2)
            .filter(|pair| pair[0].name == pair[1].name)
        {
            let mut owner = object(*root, "Node");
            owner.cluster = Some(cluster.name.to_owned());
            pair[1].name.clone_into(&mut owner.name);
            let twice = rules::twice("Node", pair[1].name, pair[1].place, pair[0].place);
            resolver.sink.push(twice.object(owner));
        }
        let shared: Vec<&str> = cluster
            .nodes
            .windows(2)
            .filter(|pair| pair[0].name == pair[1].name)
            .map(|pair| pair[0].name)
            .collect();
        if !shared.is_empty() {
            cluster.nodes.retain(|node| !shared.contains(&node.name));
        }
    }
}

/// Puts Applications in order; of those that share an identity none is left.
pub(super) fn applications<'a>(
    model: &mut Model<'a>,
    mut applications: Vec<Application<'a>>,
    sink: &mut Sink,
) {
    applications
        .sort_by_cached_key(|app| (app.package, first_bytes(app.name), app.name, app.place));
    let key = |app: &Application<'a>| (app.package, app.name);
    let mut shared = Vec::new();
    for same in applications
        .chunk_by(|a, b| key(a) == key(b))
        .filter(|same| same.len() > 1)
    {
        shared.push(key(&same[0]));
        for again in &same[1..] {
            let mut owner = Object::new("Application", again.name);
            owner.package = Some(model.packages[again.package as usize].name.to_owned());
            let twice = rules::twice("Application", again.name, again.place, same[0].place);
            sink.push(twice.object(owner).pointer("/metadata/name"));
        }
    }
    if !shared.is_empty() {
        applications.retain(|app| shared.binary_search(&key(app)).is_err());
    }
    let mut first = 0;
    for (package, at) in model.packages.iter_mut().zip(0..) {
        let own = applications[first..]
            .iter()
            .take_while(|app| app.package == at)
            .count();
        package.applications = first..first + own;
        first += own;
    }
    model.applications = applications;
}

/// Deployments by age. Records lie over the site: of several with one name the one with the
/// highest number counts.
fn deployments_of<'a>(
    mut found: Vec<Sourced<'a, Deployment<'a>>>,
    resolver: &mut Resolver<'_, 'a>,
) -> Vec<Deployment<'a>> {
    let mut records: FxHashMap<&str, u64> = FxHashMap::default();
    for deployment in &found {
        if let Some(number) = deployment.record {
            let highest = records.entry(deployment.object.name).or_default();
            *highest = number.max(*highest);
        }
    }
    found.retain(|deployment| {
        let highest = records.get(deployment.object.name).copied();
        highest == deployment.record || highest.is_none()
    });
    let kind = ("Deployment", DocumentKind::Deployment);
    let identity = |deployment: &Deployment<'a>| (deployment.name, deployment.place);
    let found = distinct(kind, found, identity, &mut resolver.refused, resolver.sink);
    let mut deployments: Vec<_> = found.into_iter().map(|found| found.object).collect();
    deployments.sort_by(|a, b| a.created.cmp(&b.created).then_with(|| a.name.cmp(b.name)));
    deployments
}
