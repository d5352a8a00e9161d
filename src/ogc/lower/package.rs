//! Packages, Applications and Deployments.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::reader::{Reader, Reference, dangling, list, present};
use super::refusals::Refused;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::DocumentKind;
use crate::kit::nearest::{Names, did_you_mean, nearest};
use crate::kit::quantity::Quantity;
use crate::ogc::model::{
    AccessMode, Application, Deployment, DeploymentPhase, Mount, Operator, Package, Persistence,
    PersistentResource, ResourceSum, Rule, StorageRequest, StorageType, VolumeMode, Workload,
};
use crate::ogc::rules;
use crate::yaml::Node;

/// A Package whose Project is still a name.
pub(super) struct LoosePackage<'a> {
    pub(super) package: Package<'a>,
    pub(super) project: Reference<'a>,
}

/// The names that Applications may refer to.
pub(super) struct ReferenceNames<'k, 'a> {
    /// The Packages, by index.
    pub(super) packages: &'k [Package<'a>],
    /// Their indexes by name.
    pub(super) by_name: &'k FxHashMap<&'a str, u32>,
    /// Their names, once one is looked for.
    pub(super) names: OnceLock<Names<'a>>,
    /// Whether a container needs an image: nothing that is planned does.
    pub(super) images: bool,
    /// The documents that were refused.
    pub(super) refused: &'k Refused<'a>,
}

/// Reads a Package document.
pub(super) fn package<'a>(root: Node<'a>, sink: &mut Sink) -> Option<LoosePackage<'a>> {
    let mut reader = Reader::new(root, "Package", sink);
    let own = reader.own_name();
    reader.unread(&["labels", "annotations"]);
    let spec = root.get("spec")?;
    let project = reader.name_at(spec, "project");
    let rules = rules(&mut reader, spec, "Package");
    let mut requests: Vec<StorageRequest<'a>> = Vec::new();
    for node in list(spec, "storageRequests") {
        let request = storage_request(&mut reader, node);
        if let Some(first) = requests.iter().find(|known| known.name == request.name) {
            let twice = rules::twice("StorageRequest", request.name, request.place, first.place);
            reader.report(twice);
        }
        requests.push(request);
    }
    let package = Package {
        name: own.name,
        place: own.place,
        project: 0,
        rules,
        storage_requests: requests,
        applications: 0..0,
    };
    reader.accept(LoosePackage { package, project })
}

fn storage_request<'a>(reader: &mut Reader<'_, 'a>, node: Node<'a>) -> StorageRequest<'a> {
    let own = reader.name_at(node, "name");
    reader.quantity_at(node, "maxCapacity");
    StorageRequest {
        name: own.name,
        place: own.place,
        storage: reader
            .word_at(node, "type", StorageType::from_word)
            .unwrap_or(StorageType::StandardHDD),
        persistence: reader
            .word_at(node, "persistence", Persistence::from_word)
            .unwrap_or(Persistence::Persistent),
        mode: reader
            .word_at(node, "mode", VolumeMode::from_word)
            .unwrap_or(VolumeMode::File),
        capacity: reader
            .quantity_at(node, "capacity")
            .unwrap_or(Quantity::ZERO),
    }
}

fn rules<'a>(reader: &mut Reader<'_, 'a>, spec: Node<'a>, owner: &str) -> Box<[Rule<'a>]> {
    let rules = list(spec, "rules").map(|node| Rule {
        key: reader.text_at(node, "key"),
        operator: reader
            .word_at(node, "operator", Operator::from_word)
            .unwrap_or(Operator::In),
        values: list(node, "values")
            .map(|value| reader.text(value))
            .collect(),
        place: node.place(),
    });
    let rules: Box<[Rule<'a>]> = rules.collect();
    rules::check_rules(&rules, owner, |found| reader.report(found));
    rules
}

/// Reads an Application document; what refers to a refused Package is left out silently. Near names
/// of what it refers to are looked for while `looks` last.
pub(super) fn application<'a>(
    root: Node<'a>,
    known: &ReferenceNames<'_, 'a>,
    looks: &mut usize,
    sink: &mut Sink,
) -> Option<Application<'a>> {
    let mut reader = Reader::new(root, "Application", sink);
    let own = reader.own_name();
    reader.unread(&["labels", "annotations"]);
    let spec = root.get("spec")?;
    let to = reader.name_at(spec, "package");
    let package = known.by_name.get(to.name).copied();
    let kind = DocumentKind::Package;
    if package.is_none() && !to.name.is_empty() && !known.refused.is_refused(kind, to.name) {
        let sound = known.packages.iter().map(|package| package.name);
        let all = || sound.chain(known.refused.names(kind));
        let names = known.names.get_or_init(|| Names::new(all()));
        let near = names.nearest(to.name, looks);
        reader.report(dangling("Package", to, near));
    }
    let storage = package.map_or(&[][..], |package| {
        &known.packages[package as usize].storage_requests
    });
    let rules = rules(&mut reader, spec, "Application");
    let replicas = reader.replicas(spec);
    let (mut cpu, mut memory) = (ResourceSum::default(), ResourceSum::default());
    let mut mounts = Vec::new();
    for container in list(spec, "containers") {
        reader.name_at(container, "name");
        if let Some(image) = present(container, "image") {
            reader.text(image);
        } else if known.images {
            reader.report(rules::no_image(container.place()));
        }
        let (requests, limits) = (present(container, "requests"), present(container, "limits"));
        ask(&mut reader, requests, limits, "cpu", &mut cpu);
        ask(&mut reader, requests, limits, "memory", &mut memory);
        other_resources(&mut reader, requests, limits);
        for node in list(container, "mounts") {
            let Some((to, access_mode)) = mount(&mut reader, node) else {
                continue;
            };
            if let Some(request) = storage.iter().position(|known| known.name == to.name) {
                let (request, place) = (request as u32, to.place);
                mounts.push(Mount {
                    request,
                    access_mode,
                    place,
                });
            } else if let Some(package) = package {
                let owner = known.packages[package as usize].name;
                let what = format!("StorageRequest of Package `{owner}` named");
                let names = storage.iter().map(|request| request.name);
                let near = looks.checked_sub(names.len()).and_then(|left| {
                    *looks = left;
                    nearest(to.name, names)
                });
                reader.report(dangling(&what, to, near));
            }
        }
    }
    let application = Application {
        name: own.name,
        place: own.place,
        package: package.unwrap_or_default(),
        rules,
        replicas,
        cpu,
        memory,
        mounts: mounts.into(),
    };
    reader.accept(application).filter(|_| package.is_some())
}

/// Adds the amount of a resource that a Container asks for: its request, else its limit, else zero.
fn ask<'a>(
    reader: &mut Reader<'_, 'a>,
    requests: Option<Node<'a>>,
    limits: Option<Node<'a>>,
    resource: &str,
    asked: &mut ResourceSum,
) {
    let mut figure = |from: Option<Node<'a>>| {
        let node = present(from?, resource)?;
        Some((reader.quantity(node), node.place()))
    };
    let (request, limit) = (figure(requests), figure(limits));
    if let Some((amount, place)) = request.or(limit) {
        asked.amount = asked.amount + amount;
        asked.place.get_or_insert(place);
    }
}

/// Checks the figures of resources that no filter looks at.
fn other_resources<'a>(
    reader: &mut Reader<'_, 'a>,
    requests: Option<Node<'a>>,
    limits: Option<Node<'a>>,
) {
    let mut named: Vec<&str> = Vec::new();
    for (key, value) in [requests, limits]
        .into_iter()
        .flatten()
        .flat_map(Node::entries)
    {
        let name = reader.text(key);
        if value.is_null() || matches!(name, "cpu" | "memory") {
            continue;
        }
        reader.quantity(value);
        if named.contains(&name) {
            continue;
        }
        named.push(name);
        let message = format!("no filter checks whether a Cluster has `{name}`");
        let help = match nearest(name, ["cpu", "memory"]) {
            Some(near) => did_you_mean(near),
            None => "add a rule for a label of the Clusters that have it".to_owned(),
        };
        reader.report(
            Diagnostic::new(&rules::UNCHECKED_RESOURCE, message)
                .at(key.place(), "only cpu and memory are checked")
                .help(help),
        );
    }
}

/// Reads a mount, which has exactly one source; only a StorageRequest asks for anything.
fn mount<'a>(
    reader: &mut Reader<'_, 'a>,
    node: Node<'a>,
) -> Option<(Reference<'a>, Option<AccessMode>)> {
    reader.text_at(node, "path");
    let sources = ["storageRequest", "secret", "value"].map(|key| node.entry(key));
    let given: Vec<(Node<'a>, Node<'a>)> = sources
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .collect();
    if given.len() != 1 {
        let place = given.get(1).map_or(node.place(), |(key, _)| key.place());
        let message = match given.len() {
            0 => "a mount has no storageRequest, secret or value".to_owned(),
            many => format!("a mount has {many} sources, but must have exactly one"),
        };
        let help = "keep exactly one of storageRequest, secret and value";
        let mut found = Diagnostic::new(&rules::MOUNT_SOURCE, message)
            .at(place, "this mount")
            .help(help);
        if let Some((first, _)) = given.first() {
            found = found.related(first.place(), "the first source is here");
        }
        reader.report(found);
        return None;
    }
    let (key, value) = given[0];
    if key.text() != Some("storageRequest") {
        reader.text(value);
        return None;
    }
    let access_mode = reader.word_at(node, "accessMode", AccessMode::from_word);
    Some((reader.name(value), access_mode))
}

/// Reads a Deployment document.
pub(super) fn deployment<'a>(root: Node<'a>, sink: &mut Sink) -> Option<Deployment<'a>> {
    let mut reader = Reader::new(root, "Deployment", sink);
    let own = reader.own_name();
    reader.unread(&["labels", "annotations"]);
    let created = reader.created();
    let package = match root.get("spec") {
        Some(spec) => reader.name_at(spec, "package").name,
        None => "",
    };
    let mut phase = DeploymentPhase::Running;
    let mut workloads: Vec<Workload<'a>> = Vec::new();
    let mut applications: Vec<Reference<'a>> = Vec::new();
    if let Some(status) = present(root, "status") {
        phase = reader
            .word_at(status, "phase", DeploymentPhase::from_word)
            .unwrap_or(phase);
        for node in list(status, "workloads") {
            let application = reader.name_at(node, "application");
            applications.push(application);
            let cluster = reader.name_at(node, "cluster");
            let resources = list(node, "persistentResources");
            workloads.push(Workload {
                application: application.name,
                cluster: cluster.name,
                place: cluster.place,
                resources: resources.map(|node| resource(&mut reader, node)).collect(),
            });
        }
    }
    applications.sort_by_key(|reference| (reference.name, reference.place));
    for pair in applications
        .windows(2)
        .filter(|pair| pair[0].name == pair[1].name)
    {
        let message = format!("Application `{}` is listed twice", pair[1].name);
        reader.report(
            Diagnostic::new(&rules::DUPLICATE_WORKLOAD, message)
                .at(pair[1].place, "listed again")
                .related(pair[0].place, "first listed here")
                .help("list an Application once per Deployment"),
        );
    }
    let deployment = Deployment {
        name: own.name,
        place: own.place,
        created: created.unwrap_or_default(),
        package,
        phase,
        workloads,
    };
    reader.accept(deployment)
}

fn resource<'a>(reader: &mut Reader<'_, 'a>, node: Node<'a>) -> PersistentResource<'a> {
    let request = present(node, "storageRequest");
    PersistentResource {
        kind: reader.text_at(node, "kind"),
        name: reader.text_at(node, "name"),
        storage_request: request.map(|node| reader.name(node).name),
        place: node.get("name").unwrap_or(node).place(),
    }
}
