//! The obstacles between a Cluster and an Application, and the edits that would remove them.

mod rivals;

use serde_json::json;

use super::engine::{Filter, FilterRun, Outcome};
use super::inheritance::{Origin, effective_sorted};
use super::labels::{complies, labels_for};
use super::model::{Application, Cluster, Model, Node, Operator, Package, Rule};
use super::why::{Candidate, why};
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::quantity::Quantity;
use crate::repair::{Edit, Obstacle, Side, Target, step};

/// The obstacles that keep a Cluster from being chosen: empty if it is chosen, `None` if either
/// name is unknown.
#[must_use]
pub fn obstacles<'a>(
    model: &Model<'a>,
    documents: &Documents<'a>,
    (package, name): (&str, &str),
    outcome: Outcome<'a>,
    cluster: &str,
) -> Option<Vec<Obstacle>> {
    let same_node = outcome.same_node;
    let why = why(model, package, name, outcome, Some(cluster))?;
    let candidate = why.candidates.iter().find(|one| one.name == cluster)?;
    if candidate.chosen {
        return Some(Vec::new());
    }
    let at = model.clusters.iter().position(|one| one.name == cluster)?;
    let application = why.application;
    let package = model.package_of(application);
    let finder = ObstacleFinder {
        model,
        documents,
        run: why.run(),
        application,
        package,
        cluster: &model.clusters[at],
        at,
        same_node,
        on_application: Target::holding(documents, application.place, Side::Subject)?,
        on_package: Target::holding(documents, package.place, Side::Subject)?,
        on_cluster: Target::holding(documents, model.clusters[at].place, Side::Candidate)?,
    };
    Some(finder.all(candidate))
}

/// Whether the answer for a Cluster depends on a document, the other Clusters apart.
#[must_use]
pub fn needs(document: &Document<'_>, subject: &str, cluster: &str) -> bool {
    let (own, name) = subject.split_once('/').unwrap_or((subject, ""));
    match document.kind {
        DocumentKind::Project => true,
        DocumentKind::Package | DocumentKind::Deployment => package(document) == Some(own),
        DocumentKind::Application => {
            document.name() == Some(name) && package(document) == Some(own)
        }
        DocumentKind::Cluster => document.name() == Some(cluster),
        DocumentKind::Node => in_spec(document, "cluster") == Some(cluster),
        _ => false,
    }
}

/// The Package that a document is, or is of.
#[must_use]
pub fn package<'a>(document: &Document<'a>) -> Option<&'a str> {
    match document.kind {
        DocumentKind::Package => document.name(),
        DocumentKind::Application | DocumentKind::Deployment => in_spec(document, "package"),
        _ => None,
    }
}

fn in_spec<'a>(document: &Document<'a>, key: &str) -> Option<&'a str> {
    document.node.at(&["spec", key])?.text()
}

struct ObstacleFinder<'m, 'a> {
    model: &'m Model<'a>,
    documents: &'m Documents<'a>,
    run: Option<&'m FilterRun<'a>>,
    application: &'m Application<'a>,
    package: &'m Package<'a>,
    cluster: &'m Cluster<'a>,
    at: usize,
    same_node: bool,
    on_application: Target<'a>,
    on_package: Target<'a>,
    on_cluster: Target<'a>,
}

/// A resource that one Node must have.
#[derive(Clone, Copy)]
enum Resource {
    Cpu,
    Memory,
}

impl Resource {
    fn key(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
        }
    }

    fn of(self, node: &Node<'_>) -> Quantity {
        match self {
            Self::Cpu => node.cpu,
            Self::Memory => node.memory,
        }
    }

    fn write(self, amount: Quantity) -> String {
        let text = match self {
            Self::Cpu => amount.decimal(),
            Self::Memory => amount.binary(),
        };
        match Quantity::parse(&text) {
            Ok(read) if read == amount => text,
            _ => format!("{}n", amount.nano()),
        }
    }
}

impl<'a> ObstacleFinder<'_, 'a> {
    fn all(&self, candidate: &Candidate<'a>) -> Vec<Obstacle> {
        let mut found = Vec::new();
        if let Some(reason) = &candidate.outside {
            found.push(self.project(reason));
        }
        let fails = |filter: Filter| {
            let mut verdicts = candidate.verdicts.iter();
            verdicts.any(|(own, verdict)| *own == filter && !verdict.passes && !verdict.idle)
        };
        for filter in Filter::ALL.into_iter().filter(|filter| fails(*filter)) {
            match filter {
                Filter::Available => found.push(self.available()),
                Filter::Compute => found.push(self.sufficient(filter, Resource::Cpu)),
                Filter::Memory => found.push(self.sufficient(filter, Resource::Memory)),
                Filter::Storage => found.extend(self.storage()),
                Filter::Labels => found.extend(self.labels()),
                Filter::Extant => {
                    let needs = "the volumes of the Application, which another Cluster holds";
                    found.push(Obstacle::new(filter.name(), needs));
                }
                Filter::Extremum => found.extend(self.extremum()),
                Filter::Tiebreaker => found.push(self.oldest()),
            }
        }
        if found.is_empty() {
            found.push(Obstacle::new("Project", "to be chosen"));
        }
        found
    }

    fn project(&self, reason: &str) -> Obstacle {
        let mut obstacle = Obstacle::new("Project", format!("assigned: it is {reason}"));
        let project = self.model.project_of(self.package);
        obstacle.one(self.on_cluster.append("/spec/projects", project));
        for own in &self.cluster.projects {
            let name = self.model.projects[*own as usize].name;
            obstacle.blunt(self.on_package.set("/spec/project", name));
        }
        obstacle
    }

    fn available(&self) -> Obstacle {
        let mut obstacle = Obstacle::new(Filter::Available.name(), "status Up");
        obstacle.one(self.on_cluster.set("/status/phase", "Up"));
        obstacle
    }

    /// Where a Node's fields are: its document, the pointer to its figures and to its labels.
    fn node(&self, node: &Node<'a>) -> Option<(Target<'a>, String, String)> {
        let target = Target::holding(self.documents, node.place, Side::Candidate)?;
        let pointer = target.pointer_to(node.place)?;
        match pointer.strip_suffix("/name")? {
            "/metadata" => Some((
                target,
                "/status/allocatable".to_owned(),
                "/metadata/labels".to_owned(),
            )),
            own => Some((
                target,
                format!("{own}/allocatable"),
                format!("{own}/labels"),
            )),
        }
    }

    fn sufficient(&self, filter: Filter, resource: Resource) -> Obstacle {
        let asked = match resource {
            Resource::Cpu => self.application.cpu.amount,
            Resource::Memory => self.application.memory.amount,
        };
        let text = resource.write(asked);
        let needs = format!("a Node with {} {text}", resource.key());
        let mut obstacle = Obstacle::new(filter.name(), needs);
        let enough = |node: &&Node<'a>| match resource {
            Resource::Memory if self.same_node => node.cpu >= self.application.cpu.amount,
            _ => true,
        };
        let nodes = || self.cluster.nodes.iter();
        let largest = nodes().filter(enough).max_by_key(|node| resource.of(node));
        let largest = largest.or_else(|| nodes().max_by_key(|node| resource.of(node)));
        if let Some((target, figures, _)) = largest.and_then(|node| self.node(node)) {
            obstacle.one(target.set(format!("{figures}/{}", resource.key()), &*text));
        }
        if self.same_node
            && let Some(node) = nodes().max_by_key(|node| node.cpu)
            && let Some((target, figures, _)) = self.node(node)
        {
            obstacle.one(target.set(format!("{figures}/{}", resource.key()), &*text));
        }
        let (cpu, memory) = (
            Resource::Cpu.write(self.application.cpu.amount),
            Resource::Memory.write(self.application.memory.amount),
        );
        let mut name = "new".to_owned();
        while nodes().any(|node| node.name == name) {
            name.push('x');
        }
        let whole = json!({"name": name, "allocatable": {"cpu": cpu, "memory": memory}});
        obstacle.one(self.on_cluster.append("/spec/nodes", whole));
        let has = largest.map_or(Quantity::ZERO, |node| resource.of(node));
        self.requests(resource, asked, has, &mut obstacle);
        obstacle
    }

    /// Smaller requests: one edit for each container that can give up the whole excess alone.
    fn requests(
        &self,
        resource: Resource,
        asked: Quantity,
        has: Quantity,
        obstacle: &mut Obstacle,
    ) {
        let excess = asked.nano() - has.nano();
        let containers = self.on_application.node.at(&["spec", "containers"]);
        let key = resource.key();
        for (container, at) in containers
            .into_iter()
            .flat_map(|list| list.items())
            .zip(0..)
        {
            for from in ["requests", "limits"] {
                let text = container.at(&[from, key]).and_then(|node| node.text());
                let Some(own) = text.and_then(|text| Quantity::parse(text).ok()) else {
                    continue;
                };
                let pointer = format!("/spec/containers/{at}/{from}/{key}");
                let less = own.nano() - excess;
                if less >= 0 {
                    let less = resource.write(Quantity::from_nano(less));
                    obstacle.one(self.on_application.set(pointer, less));
                }
                break;
            }
        }
    }

    fn storage(&self) -> Vec<Obstacle> {
        let mut found: Vec<Obstacle> = Vec::new();
        for (request, mount) in self.model.provided_mounts(self.application) {
            let mut providers = self.cluster.providers.iter();
            if providers.any(|provider| provider.serves(request, mount.access_mode)) {
                continue;
            }
            let needs = super::judge::request_text(request, mount);
            let mut obstacle = Obstacle::new(Filter::Storage.name(), needs);
            let size = request.capacity.binary();
            for provider in &self.cluster.providers {
                let Some(own) = self.on_cluster.pointer_to(provider.place) else {
                    continue;
                };
                let own = own.trim_end_matches("/name").to_owned();
                let mut edits: Vec<Option<Edit>> = Vec::new();
                if provider.storage != request.storage {
                    edits.push(
                        self.on_cluster
                            .set(format!("{own}/type"), request.storage.word()),
                    );
                }
                if provider
                    .max_volume
                    .is_some_and(|most| request.capacity > most)
                {
                    edits.push(self.on_cluster.set(format!("{own}/maxVolume"), &*size));
                }
                let modes = provider.modes.as_ref();
                if modes.is_some_and(|modes| !modes.contains(&request.mode)) {
                    let list = format!("{own}/modes");
                    edits.push(self.on_cluster.append(&list, request.mode.word()));
                }
                if let Some(access) = mount.access_mode.filter(|mode| !provider.allows(*mode)) {
                    let list = format!("{own}/accessModes");
                    edits.push(self.on_cluster.append(&list, access.word()));
                }
                obstacle.way(edits.into_iter().flatten().collect(), false);
                self.ask_less(request, mount, provider, &mut obstacle);
            }
            let mut name = "new".to_owned();
            while self.cluster.providers.iter().any(|one| one.name == name) {
                name.push('x');
            }
            let whole = json!({"name": name, "type": request.storage.word()});
            obstacle.one(self.on_cluster.append("/spec/volumeProviders", whole));
            if let Some(own) = self.on_package.pointer_to(request.place) {
                let own = own.trim_end_matches("/name").to_owned();
                let pointer = format!("{own}/persistence");
                obstacle.blunt(self.on_package.set(pointer, "EmptyDirEphemeral"));
            }
            if let Some(own) = self.on_application.pointer_to(mount.place) {
                obstacle.blunt(self.on_application.remove(item_of(&own, "mounts")));
            }
            if !found.contains(&obstacle) {
                found.push(obstacle);
            }
        }
        found
    }

    /// The request or the mount changed to what one provider offers.
    fn ask_less(
        &self,
        request: &super::model::StorageRequest<'a>,
        mount: &super::model::Mount,
        provider: &super::model::VolumeProvider<'a>,
        obstacle: &mut Obstacle,
    ) {
        let Some(own) = self.on_package.pointer_to(request.place) else {
            return;
        };
        let own = own.trim_end_matches("/name").to_owned();
        let mut edits: Vec<Option<Edit>> = Vec::new();
        if provider.storage != request.storage {
            let word = provider.storage.word();
            edits.push(self.on_package.set(format!("{own}/type"), word));
        }
        if let Some(most) = provider.max_volume.filter(|most| request.capacity > *most) {
            let size = Resource::Memory.write(most);
            edits.push(self.on_package.set(format!("{own}/capacity"), size));
        }
        if let Some(modes) = &provider.modes
            && !modes.contains(&request.mode)
            && let Some(mode) = modes.first()
        {
            edits.push(self.on_package.set(format!("{own}/mode"), mode.word()));
        }
        if mount
            .access_mode
            .is_some_and(|access| !provider.allows(access))
        {
            let Some(at) = self.on_application.pointer_to(mount.place) else {
                return;
            };
            let pointer = format!("{}/accessMode", item_of(&at, "mounts"));
            edits.push(self.on_application.remove(pointer));
        }
        obstacle.way(edits.into_iter().flatten().collect(), false);
    }

    /// The document of a rule and the pointer to it.
    fn rule(&self, rule: &Rule<'a>, origin: Origin) -> Option<(Target<'a>, String)> {
        let target = match origin {
            Origin::Application => self.on_application,
            Origin::Package => self.on_package,
        };
        let pointer = target.pointer_to(rule.place)?;
        Some((target, item_of(&pointer, "rules")))
    }

    fn labels(&self) -> Vec<Obstacle> {
        let mut found = Vec::new();
        for (rule, origin) in effective_sorted(self.model, self.application) {
            let there = labels_for(self.cluster, rule.key, rule.operator);
            if complies(rule, &there) {
                continue;
            }
            let needs = super::describe::rule_text(rule);
            let mut obstacle = Obstacle::new(Filter::Labels.name(), needs);
            self.comply(rule, &mut obstacle);
            let there = labels_for(self.cluster, rule.key, Operator::Exists);
            let value = there.first().map(|label| label.value);
            if let Some((target, own)) = self.rule(rule, origin) {
                match (rule.operator, value) {
                    (Operator::Equals, Some(value)) => {
                        obstacle.one(target.set(format!("{own}/values/0"), value));
                    }
                    (Operator::In, Some(value)) => {
                        obstacle.one(target.append(&format!("{own}/values"), value));
                    }
                    (Operator::NotIn, Some(value)) if rule.values.len() > 1 => {
                        let at = rule.values.iter().position(|own| *own == value);
                        if let Some(at) = at {
                            obstacle.one(target.remove(format!("{own}/values/{at}")));
                        }
                    }
                    _ => {}
                }
                obstacle.one(target.remove(own));
            }
            if origin == Origin::Package {
                let own = match value {
                    Some(value) => json!({"key": rule.key, "operator": "In", "values": [value]}),
                    None => json!({"key": rule.key, "operator": "NotExists"}),
                };
                obstacle.one(self.on_application.append("/spec/rules", own));
            }
            found.push(obstacle);
        }
        found
    }

    /// Labels of the Cluster with which it complies with a rule.
    fn comply(&self, rule: &Rule<'a>, obstacle: &mut Obstacle) {
        match rule.operator {
            Operator::Equals | Operator::In => {
                for value in rule.values.iter().take(3) {
                    obstacle.one(self.set_label(rule.key, value));
                }
            }
            Operator::Exists => obstacle.one(self.set_label(rule.key, "true")),
            Operator::MinOf | Operator::MaxOf => {
                let value = self.best(rule).unwrap_or_else(|| "1".to_owned());
                obstacle.one(self.set_label(rule.key, &value));
            }
            Operator::NotExists => obstacle.way(self.strike(rule.key, |_| true), false),
            Operator::NotEquals | Operator::NotIn => {
                let hit = |value: &str| rule.values.contains(&value);
                obstacle.way(self.strike(rule.key, hit), false);
            }
        }
    }

    /// A label that stands for the Cluster: of the Node that has the key, else its own.
    fn set_label(&self, key: &str, value: &str) -> Option<Edit> {
        let mut nodes = self.cluster.nodes.iter();
        let own = format!("/metadata/labels/{}", step(key));
        match nodes.find(|node| node.labels.iter().any(|label| label.key == key)) {
            Some(node) => {
                let (target, _, labels) = self.node(node)?;
                target.set(format!("{labels}/{}", step(key)), value)
            }
            None => self.on_cluster.set(own, value),
        }
    }

    /// The removal of all labels of a key with such values.
    fn strike(&self, key: &str, hit: impl Fn(&str) -> bool) -> Vec<Edit> {
        let mut edits = Vec::new();
        let wanted = |labels: &[super::model::Label<'a>]| {
            labels
                .iter()
                .any(|label| label.key == key && hit(label.value))
        };
        for node in &self.cluster.nodes {
            if wanted(&node.labels)
                && let Some((target, _, labels)) = self.node(node)
            {
                edits.extend(target.remove(format!("{labels}/{}", step(key))));
            }
        }
        if wanted(&self.cluster.labels) {
            let pointer = format!("/metadata/labels/{}", step(key));
            edits.extend(self.on_cluster.remove(pointer));
        }
        edits
    }
}

/// The item of a list that a pointer leads into: `/spec/rules/3/key` in `rules` is `/spec/rules/3`.
fn item_of(pointer: &str, list: &str) -> String {
    let mut whole = String::new();
    let mut steps = pointer.split('/').skip(1);
    while let Some(step) = steps.next() {
        whole.push('/');
        whole.push_str(step);
        if step == list
            && let Some(number) = steps.next()
        {
            whole.push('/');
            whole.push_str(number);
            return whole;
        }
    }
    whole
}
