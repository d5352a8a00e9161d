//! The findings of a reviewer: sound documents that cannot serve their purpose.

use rustc_hash::FxHashMap;

use super::{ONE_CLUSTER, TOO_LARGE, UNKNOWN_LABEL, UNSATISFIABLE_RULE, UNUSABLE_CLUSTER};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::quantity::Quantity;
use crate::kit::vocabulary::{Unknown, Vocabulary};
use crate::ogc::describe::rule_text;
use crate::ogc::engine::Outcome;
use crate::ogc::labels::{complies, labels_for};
use crate::ogc::model::{Application, Cluster, Model, Operator, ResourceSum, Rule};

/// The largest Node of each Cluster and Project, and the smallest Application of each Project.
struct Sizes {
    /// Whether the Project has a Cluster.
    clusters: Vec<bool>,
    most: Vec<(Quantity, Quantity)>,
    least: Vec<Option<(Quantity, Quantity)>>,
}

/// Reviews a site; `outcome` is its plan.
pub(crate) fn review(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    let sizes = Sizes::new(model);
    rules(model, &sizes, sink);
    for application in &model.applications {
        too_large(model, application, &sizes, sink);
    }
    for cluster in &model.clusters {
        unusable(model, cluster, &sizes, sink);
    }
    one_cluster(model, outcome, sink);
    super::planned::overcommitted(model, outcome, sink);
}

/// The largest Node of a Cluster, CPU and memory each for itself.
fn largest(cluster: &Cluster<'_>) -> (Quantity, Quantity) {
    let most = |amounts: &mut dyn Iterator<Item = Quantity>| amounts.max().unwrap_or_default();
    (
        most(&mut cluster.nodes.iter().map(|node| node.cpu)),
        most(&mut cluster.nodes.iter().map(|node| node.memory)),
    )
}

impl Sizes {
    fn new(model: &Model<'_>) -> Self {
        let count = model.projects.len();
        let mut sizes = Self {
            clusters: vec![false; count],
            most: vec![Default::default(); count],
            least: vec![None; count],
        };
        for cluster in &model.clusters {
            let (cpu, memory) = largest(cluster);
            for project in &cluster.projects {
                let project = *project as usize;
                let most = &mut sizes.most[project];
                *most = (most.0.max(cpu), most.1.max(memory));
                sizes.clusters[project] = true;
            }
        }
        for application in &model.applications {
            let project = model.package_of(application).project as usize;
            let asks = (application.cpu.amount, application.memory.amount);
            let least = sizes.least[project].get_or_insert(asks);
            *least = (least.0.min(asks.0), least.1.min(asks.1));
        }
        sizes
    }
}

/// The labels of all Clusters and their Nodes.
fn vocabulary<'a>(model: &Model<'a>) -> Vocabulary<'a> {
    let of_cluster = |cluster: &'_ Cluster<'a>| -> Vec<(&'a str, &'a str)> {
        let nodes = cluster.nodes.iter().flat_map(|node| &node.labels);
        let labels = cluster.labels.iter().chain(nodes);
        labels.map(|label| (label.key, label.value)).collect()
    };
    model.clusters.iter().flat_map(of_cluster).collect()
}

/// The Clusters that carry the labels which rules name, themselves or on a Node.
struct Carriers<'m, 'a> {
    model: &'m Model<'a>,
    keys: FxHashMap<&'a str, Vec<u32>>,
    values: FxHashMap<(&'a str, &'a str), Vec<u32>>,
}

impl<'m, 'a> Carriers<'m, 'a> {
    fn of_rules(model: &'m Model<'a>) -> Self {
        let mut carriers = Self {
            model,
            keys: FxHashMap::default(),
            values: FxHashMap::default(),
        };
        let of_packages = model.packages.iter().flat_map(|package| &package.rules);
        let rules = of_packages.chain(model.applications.iter().flat_map(|one| &one.rules));
        for rule in rules {
            carriers.keys.entry(rule.key).or_default();
            for value in &rule.values {
                carriers.values.entry((rule.key, *value)).or_default();
            }
        }
        let add = |list: Option<&mut Vec<u32>>, at: u32| {
            if let Some(list) = list.filter(|list| list.last() != Some(&at)) {
                list.push(at);
            }
        };
        for (cluster, at) in model.clusters.iter().zip(0..) {
            let nodes = cluster.nodes.iter().flat_map(|node| &node.labels);
            for label in cluster.labels.iter().chain(nodes) {
                add(carriers.keys.get_mut(label.key), at);
                add(carriers.values.get_mut(&(label.key, label.value)), at);
            }
        }
        carriers
    }

    /// The Clusters of which some may satisfy a rule.
    fn of(&self, rule: &Rule<'a>) -> impl Iterator<Item = &'m Cluster<'a>> {
        let (values, keys, all) = match rule.operator {
            Operator::Equals | Operator::In => {
                let values = rule.values.iter();
                let ids = values.filter_map(|value| self.values.get(&(rule.key, *value)));
                (ids.collect(), None, &[][..])
            }
            Operator::Exists | Operator::MinOf | Operator::MaxOf => {
                (Vec::new(), self.keys.get(rule.key), &[][..])
            }
            _ => (Vec::new(), None, &self.model.clusters[..]),
        };
        let ids = values.into_iter().chain(keys).flatten();
        let named = ids.map(|at| &self.model.clusters[*at as usize]);
        named.chain(all)
    }
}

/// The key or values that a rule asks for and no Cluster has.
fn unknown<'v>(words: &'v Vocabulary<'_>, rule: &'v Rule<'_>) -> Option<Unknown<'v>> {
    let excludes = matches!(
        rule.operator,
        Operator::NotExists | Operator::NotEquals | Operator::NotIn
    );
    words.unknown(rule.key, &rule.values, excludes)
}

/// Whether a rule is satisfied somewhere, and the key or values it asks for that no Cluster has.
type Answer<'v> = (bool, Option<Unknown<'v>>);

/// Rules that no Cluster of their Project satisfies, or that name labels which no Cluster has;
/// each distinct one is asked once.
fn rules(model: &Model<'_>, sizes: &Sizes, sink: &mut Sink) {
    let words = vocabulary(model);
    let carriers = Carriers::of_rules(model);
    let mut known: FxHashMap<(u32, &str, Operator, &[&str]), Answer<'_>> = FxHashMap::default();
    for package in &model.packages {
        let project = package.project;
        if !sizes.clusters[project as usize] {
            continue;
        }
        let applications = &model.applications[package.applications.clone()];
        let of_applications = applications.iter().flat_map(|application| {
            application
                .rules
                .iter()
                .map(move |r| (Some(application), r))
        });
        for (owner, rule) in package
            .rules
            .iter()
            .map(|r| (None, r))
            .chain(of_applications)
        {
            let question = (project, rule.key, rule.operator, &*rule.values);
            let (satisfied, unknown) = *known.entry(question).or_insert_with(|| {
                let satisfied = carriers.of(rule).any(|cluster| {
                    cluster.is_assigned(project)
                        && complies(rule, &labels_for(cluster, rule.key, rule.operator))
                });
                (satisfied, unknown(&words, rule))
            });
            let object = match owner {
                Some(application) => object(model, application),
                None => Object::new("Package", package.name),
            };
            let near = unknown.and_then(|unknown| unknown.help());
            if satisfied {
                let Some(unknown) = unknown else { continue };
                sink.push(
                    Diagnostic::new(
                        &UNKNOWN_LABEL,
                        unknown.message(rule.key, "Cluster", "label"),
                    )
                    .at(rule.place, rule_text(rule))
                    .help(near.unwrap_or_else(|| "correct the rule".to_owned()))
                    .object(object),
                );
                continue;
            }
            let name = model.projects[project as usize].name;
            let message = format!(
                "no Cluster of Project `{name}` satisfies {}",
                rule_text(rule)
            );
            let help = "correct the key or its values, or add the label to a Cluster".to_owned();
            sink.push(
                Diagnostic::new(&UNSATISFIABLE_RULE, message)
                    .at(rule.place, "nothing can be planned with it")
                    .help(near.unwrap_or(help))
                    .object(object),
            );
        }
    }
}

fn object(model: &Model<'_>, application: &Application<'_>) -> Object {
    let mut object = Object::new("Application", application.name);
    object.package = Some(model.package_of(application).name.to_owned());
    object
}

/// Requests that no Node of the Project has.
fn too_large(model: &Model<'_>, application: &Application<'_>, sizes: &Sizes, sink: &mut Sink) {
    let project = model.package_of(application).project as usize;
    if !sizes.clusters[project] {
        return;
    }
    let (cpu, memory) = sizes.most[project];
    let name = model.projects[project].name;
    let mut report = |asked: &ResourceSum, what: &str, wants: String, has: String| {
        let message = format!(
            "Application `{}` needs {wants} of {what}; the largest Node of Project `{name}` \
             has {has}",
            application.name
        );
        sink.push(
            Diagnostic::new(&TOO_LARGE, message)
                .at(asked.place.unwrap_or(application.place), "names it")
                .help("request less, or give the Project a larger Node")
                .object(object(model, application)),
        );
    };
    if application.cpu.amount > cpu {
        let wants = application.cpu.amount.decimal();
        report(&application.cpu, "CPU", wants, cpu.decimal());
    }
    if application.memory.amount > memory {
        let wants = application.memory.amount.binary();
        report(&application.memory, "memory", wants, memory.binary());
    }
}

/// Clusters on which no Application of their Projects can ever be planned.
fn unusable(model: &Model<'_>, cluster: &Cluster<'_>, sizes: &Sizes, sink: &mut Sink) {
    if cluster.projects.is_empty() || model.packages.is_empty() {
        return;
    }
    let least: Vec<(Quantity, Quantity)> = cluster
        .projects
        .iter()
        .filter_map(|project| sizes.least[*project as usize])
        .collect();
    let (cpu, memory) = largest(cluster);
    let why = if least.is_empty() {
        "no Package of its Projects has an Application"
    } else if least.iter().all(|(wants, _)| *wants > cpu) {
        "every Application of its Projects needs more CPU than its largest Node has"
    } else if least.iter().all(|(_, wants)| *wants > memory) {
        "every Application of its Projects needs more memory than its largest Node has"
    } else {
        return;
    };
    sink.push(
        Diagnostic::new(
            &UNUSABLE_CLUSTER,
            format!(
                "nothing can be planned on Cluster `{}`: {why}",
                cluster.name
            ),
        )
        .at(cluster.place, "cannot be used")
        .help("assign it to another Project, give it a larger Node, or remove it")
        .object(Object::new("Cluster", cluster.name)),
    );
}

/// Applications from which on one Cluster for all of them is worth a note: two that belong
/// together are often meant to be together.
const MANY: usize = 3;

/// Packages whose every Application lands on one Cluster although there are others.
fn one_cluster(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    for planned in &outcome.packages {
        let items = &outcome.items[planned.items.clone()];
        let placed: Vec<u32> = items.iter().filter_map(|item| item.cluster).collect();
        let (Some(package), Some(first)) = (model.package(planned.name), placed.first()) else {
            continue;
        };
        let up = |cluster: &&Cluster<'_>| cluster.is_up() && cluster.is_assigned(package.project);
        if placed.len() < MANY
            || placed.iter().any(|cluster| cluster != first)
            || model.clusters.iter().filter(up).take(2).count() < 2
        {
            continue;
        }
        let cluster = &model.clusters[*first as usize];
        let message = format!(
            "all {} Applications of Package `{}` are planned on Cluster `{}`",
            placed.len(),
            package.name,
            cluster.name
        );
        sink.push(
            Diagnostic::new(&ONE_CLUSTER, message)
                .at(package.place, "fails completely if that Cluster fails")
                .related(cluster.place, "all of them are here")
                .help("spread them with their own rules, or ignore this with a reason")
                .object(Object::new("Package", package.name)),
        );
    }
}
