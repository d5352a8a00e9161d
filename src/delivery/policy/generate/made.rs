//! The documents that a configuration makes.

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::policy::generate::config::{
    API, Config, Fault, PlacementEntry, PolicyEntry, SetEntry,
};
use crate::delivery::rules::{GENERATOR_BINDING_NAME, GENERATOR_SET_EVERYWHERE};
use crate::diagnostic::Diagnostic;
use crate::document::{DocumentKind, classify};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::lower::get;
use crate::source::Place;
use crate::yaml::{Kind, Node, Tree, TreeBuilder};

/// Gives the documents of a file by its path, or what is wrong with it.
type Files<'c, 'n> = dyn Fn(&str) -> Result<Vec<Node<'n>>, Option<Diagnostic>> + 'c;

/// The documents that are there before a generator runs.
pub(super) struct Context<'c, 'n> {
    /// The identities of documents that are written.
    pub(super) taken: &'c BTreeSet<(&'c str, &'c str, &'c str)>,
    /// The documents of a file by its path; if it is not there, what is wrong with the file.
    pub(super) files: &'c Files<'c, 'n>,
    /// Whether Placements of files are part of what is made. Else they are among the documents.
    pub(super) copies: bool,
}

/// The documents that a generator makes, and the findings about them.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) trees: Vec<Tree>,
    pub(super) findings: Vec<Diagnostic>,
}

/// Writes a document at the place of an entry.
struct Writer {
    builder: TreeBuilder,
    place: Place,
}

impl Writer {
    fn new(entry: Node<'_>, api: &str, kind: &str, config: &Config<'_>, name: &str) -> Self {
        let mut writer = Self {
            builder: TreeBuilder::new(),
            place: entry.place(),
        };
        writer.builder.begin(Kind::Mapping, writer.place);
        writer.text("apiVersion", api);
        writer.text("kind", kind);
        writer.within("metadata", |writer| {
            // A finding about the name points at the name.
            let named = get(entry, "name").map_or(writer.place, Node::place);
            writer.key("name");
            writer.builder.scalar(name, false, named);
            writer.written("namespace", config.namespace, config.namespace_place);
        });
        writer
    }

    fn key(&mut self, key: &str) {
        self.builder.scalar(key, false, self.place);
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.builder.scalar(value, false, self.place);
    }

    /// A text that is written at this place of the configuration, if it is.
    fn written(&mut self, key: &str, value: &str, place: Option<Place>) {
        self.key(key);
        let place = place.unwrap_or(self.place);
        self.builder.scalar(value, false, place);
    }

    fn flag(&mut self, key: &str, (value, place): (bool, Option<Place>)) {
        self.key(key);
        let text = if value { "true" } else { "false" };
        let place = place.unwrap_or(self.place);
        self.builder.scalar(text, true, place);
    }

    fn within(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.mapping(fill);
    }

    fn mapping(&mut self, fill: impl FnOnce(&mut Self)) {
        self.builder.begin(Kind::Mapping, self.place);
        fill(self);
        self.builder.end();
    }

    fn list(&mut self, key: &str, fill: impl FnOnce(&mut Self)) {
        self.key(key);
        self.builder.begin(Kind::Sequence, self.place);
        fill(self);
        self.builder.end();
    }

    fn item(&mut self, value: &str) {
        self.builder.scalar(value, false, self.place);
    }

    fn finish(mut self) -> Tree {
        self.builder.end();
        self.builder.finish()
    }
}

/// The policies and sets bound to a placement, by their numbers.
type Bound = BTreeMap<String, (Vec<usize>, Vec<usize>)>;

/// Makes the documents of a configuration.
pub(super) fn documents(config: &Config<'_>, context: &Context<'_, '_>) -> Result<Made, Fault> {
    let mut made = Made::default();
    let taken = context.taken;
    let there = |kind: &'static str, name: &str, taken: &BTreeSet<(&str, &str, &str)>| {
        taken.contains(&(kind, config.namespace, name))
    };
    for policy in &config.policies {
        if !there("Policy", policy.name, taken) {
            made.trees.push(policy_tree(config, policy));
        }
    }
    for set in &config.sets {
        if !there("PolicySet", set.name, taken) {
            made.trees.push(set_tree(config, set));
        }
    }
    let mut placements = Placements {
        config,
        context,
        of_selectors: BTreeMap::new(),
        all: BTreeSet::new(),
        processed: BTreeSet::new(),
        trees: Vec::new(),
    };
    let mut bound = Bound::new();
    for (policy, at) in config.policies.iter().zip(0..) {
        if policy.placed
            && let Some(name) =
                placements.make(&policy.placement, policy.name, policy.node, false)?
        {
            bound.entry(name).or_default().0.push(at);
        }
    }
    for (set, at) in config.sets.iter().zip(0..) {
        if set.placed
            && let Some(name) = placements.make(&set.placement, set.name, set.node, true)?
        {
            bound.entry(name).or_default().1.push(at);
            made.findings.extend(everywhere(set, config));
        }
    }
    for (name, tree) in placements.trees {
        if !there("Placement", &name, taken) {
            made.trees.push(tree);
        }
    }
    bindings(&bound, config, taken, &mut made)?;
    Ok(made)
}

/// Binds the policies and sets to their placements.
fn bindings(
    bound: &Bound,
    config: &Config<'_>,
    taken: &BTreeSet<(&str, &str, &str)>,
    made: &mut Made,
) -> Result<(), Fault> {
    let mut numbered = 0;
    for (placement, (policies, sets)) in bound {
        let entry = policies.first().map(|at| config.policies[*at].node);
        let entry = entry.or_else(|| sets.first().map(|at| config.sets[*at].node));
        let Some(entry) = entry else { continue };
        let name = match (policies.as_slice(), sets.as_slice()) {
            ([one], []) => format!("binding-{}", config.policies[*one].name),
            _ if !config.binding_name.is_empty() => {
                numbered += 1;
                match numbered {
                    1 => config.binding_name.to_owned(),
                    more => format!("{}{more}", config.binding_name),
                }
            }
            (policies, sets) if policies.len() > 1 || sets.len() > 1 => {
                return Err(Fault::new(
                    format!("several policies or sets share the placement `{placement}`"),
                    entry.place(),
                    "set placementBindingDefaults.name",
                ));
            }
            _ => {
                let set = sets.first().map_or("", |at| config.sets[*at].name);
                made.findings.push(
                    Diagnostic::new(
                        &GENERATOR_BINDING_NAME,
                        format!("the binding of set `{set}` has no name, so every hub refuses it"),
                    )
                    .at(entry.place(), "this set")
                    .help("set placementBindingDefaults.name"),
                );
                continue;
            }
        };
        if !taken.contains(&("PlacementBinding", config.namespace, name.as_str())) {
            let tree = binding_tree(config, &name, placement, policies, sets, entry);
            made.trees.push(tree);
        }
    }
    Ok(())
}

fn everywhere(set: &SetEntry<'_>, config: &Config<'_>) -> Option<Diagnostic> {
    let defaults = config.policies.iter().any(|policy| {
        let placement = &policy.placement;
        placement.selector.is_some() || !placement.path.is_empty()
    });
    let message = format!(
        "set `{}` has no placement and goes to every cluster",
        set.name
    );
    set.everywhere.then(|| {
        let help = if defaults {
            "set `policySetDefaults.placement`; `policyDefaults.placement` does not apply \
             to sets"
        } else {
            "set `policySetDefaults.placement`, or that of the set"
        };
        Diagnostic::new(&GENERATOR_SET_EVERYWHERE, message)
            .at(set.node.place(), "this set")
            .help(help)
    })
}

fn policy_tree(config: &Config<'_>, policy: &PolicyEntry<'_>) -> Tree {
    let mut to = Writer::new(policy.node, API, "Policy", config, policy.name);
    to.within("spec", |to| {
        to.flag("disabled", policy.disabled);
        if let Some((action, place)) = policy.action {
            to.written("remediationAction", action, place);
        }
        to.list("dependencies", |to| {
            for dependency in &policy.dependencies {
                to.mapping(|to| {
                    to.text("apiVersion", dependency.api_version);
                    to.text("kind", dependency.kind);
                    to.text("name", dependency.name);
                    if !dependency.namespace.is_empty() {
                        to.text("namespace", dependency.namespace);
                    }
                    to.text("compliance", dependency.compliance);
                });
            }
        });
        to.list("policy-templates", |_| {});
    });
    to.finish()
}

fn set_tree(config: &Config<'_>, set: &SetEntry<'_>) -> Tree {
    let api = "policy.open-cluster-management.io/v1beta1";
    let mut to = Writer::new(set.node, api, "PolicySet", config, set.name);
    to.within("spec", |to| {
        to.list("policies", |to| {
            for policy in &set.policies {
                to.item(policy);
            }
        });
    });
    to.finish()
}

fn binding_tree(
    config: &Config<'_>,
    name: &str,
    placement: &str,
    policies: &[usize],
    sets: &[usize],
    entry: Node<'_>,
) -> Tree {
    let mut to = Writer::new(entry, API, "PlacementBinding", config, name);
    to.within("placementRef", |to| {
        to.text("apiGroup", "cluster.open-cluster-management.io");
        to.text("kind", "Placement");
        to.text("name", placement);
    });
    let policies = policies
        .iter()
        .map(|at| ("Policy", config.policies[*at].name));
    let sets = sets.iter().map(|at| ("PolicySet", config.sets[*at].name));
    to.list("subjects", |to| {
        for (kind, name) in policies.chain(sets) {
            to.mapping(|to| {
                to.text("apiGroup", "policy.open-cluster-management.io");
                to.text("kind", kind);
                to.text("name", name);
            });
        }
    });
    to.finish()
}

/// Where a document is nearly a Placement, and what helps: that of another version or group, or
/// with a slip in its kind.
fn nearly(documents: &[Node<'_>]) -> Option<(Place, String)> {
    let mut all = documents.iter();
    all.find_map(|node| {
        let kind = get(*node, "kind")?;
        if kind.text()? == "Placement" {
            let version = get(*node, "apiVersion").unwrap_or(*node);
            let help = "write `apiVersion: cluster.open-cluster-management.io/v1beta1`";
            return Some((version.place(), help.to_owned()));
        }
        let near = nearest(kind.text()?, ["Placement"])?;
        Some((kind.place(), did_you_mean(near)))
    })
}

/// The placements made so far.
struct Placements<'c, 'a, 'n> {
    config: &'c Config<'a>,
    context: &'c Context<'c, 'n>,
    /// Names by selectors as they are written.
    of_selectors: BTreeMap<String, String>,
    all: BTreeSet<String>,
    /// The names of placements that were found at a path.
    processed: BTreeSet<String>,
    trees: Vec<(String, Tree)>,
}

impl Placements<'_, '_, '_> {
    /// The name of what selects the clusters of an entry; nothing where that is not known.
    fn make(
        &mut self,
        entry: &PlacementEntry<'_>,
        owner: &str,
        node: Node<'_>,
        is_set: bool,
    ) -> Result<Option<String>, Fault> {
        if !entry.reference.is_empty() {
            return Ok(Some(entry.reference.to_owned()));
        }
        if !entry.path.is_empty() {
            return self.at_path(entry);
        }
        let key = entry.selector.map_or_else(String::new, shape);
        let [of_policies, of_sets] = self.config.placement_names;
        let default = if is_set && !of_sets.is_empty() {
            of_sets
        } else {
            of_policies
        };
        let name = if !entry.name.is_empty() {
            entry.name.to_owned()
        } else if default.is_empty() {
            format!("placement-{owner}")
        } else if let Some(name) = self.of_selectors.get(&key) {
            return Ok(Some(name.clone()));
        } else {
            match self.of_selectors.len() {
                0 => default.to_owned(),
                some => format!("{default}{}", some + 1),
            }
        };
        self.of_selectors.insert(key, name.clone());
        self.take(&name, entry.place)?;
        let tree = self.tree(entry, &name, node);
        self.trees.push((name.clone(), tree));
        Ok(Some(name))
    }

    fn take(&mut self, name: &str, place: Place) -> Result<(), Fault> {
        if self.all.insert(name.to_owned()) {
            return Ok(());
        }
        let message = format!("two placements are named `{name}`");
        let help = "give each its own name, or give both one selector";
        Err(Fault::new(message, place, help))
    }

    /// The first Placement of a file.
    fn at_path(&mut self, entry: &PlacementEntry<'_>) -> Result<Option<String>, Fault> {
        let in_file = |message: String, place: Place, help: String| Fault {
            named: Some(entry.place),
            ..Fault::new(message, place, help)
        };
        let there = match (self.context.files)(entry.path) {
            Ok(there) => there,
            Err(_) if !self.context.copies => return Ok(None),
            Err(None) => {
                let message = format!("`{}` cannot be read", entry.path);
                let help = "name a file in or below the directory of the kustomization";
                return Err(Fault::new(message, entry.place, help));
            }
            Err(Some(why)) => {
                let message = format!("`{}` cannot be read: {}", entry.path, why.message);
                let place = why
                    .primary
                    .as_ref()
                    .map_or(entry.place, |label| label.place);
                let help = why.help.clone().unwrap_or("correct the file".into());
                return Err(in_file(message, place, help.into_owned()));
            }
        };
        let is_placement = |node: &Node<'_>| classify(*node).kind == DocumentKind::Placement;
        let Some(found) = there.iter().copied().find(is_placement) else {
            let message = format!("`{}` contains no Placement", entry.path);
            return Err(match nearly(&there) {
                Some((place, help)) => in_file(message, place, help),
                None => Fault::new(message, entry.place, "name another file"),
            });
        };
        let metadata = |key: &str| found.at(&["metadata", key]);
        let text = |key: &str| metadata(key).and_then(Node::text);
        let name = text("name").unwrap_or("").to_owned();
        if text("namespace") != Some(self.config.namespace) {
            let message = format!(
                "the Placement `{name}` of `{}` is not in the namespace `{}`",
                entry.path, self.config.namespace
            );
            let help = "a binding reaches only placements in its own namespace";
            let place = metadata("namespace").or_else(|| metadata("name"));
            let place = place.map_or(found.place(), Node::place);
            return Err(in_file(message, place, help.to_owned()));
        }
        if self.processed.insert(name.clone()) {
            self.take(&name, entry.place)?;
            if self.context.copies {
                let mut copy = TreeBuilder::new();
                copy.copy(found);
                self.trees.push((name.clone(), copy.finish()));
            }
        }
        Ok(Some(name))
    }

    fn tree(&self, entry: &PlacementEntry<'_>, name: &str, node: Node<'_>) -> Tree {
        let api = "cluster.open-cluster-management.io/v1beta1";
        let mut to = Writer::new(node, api, "Placement", self.config, name);
        to.within("spec", |to| {
            to.list("predicates", |to| {
                to.mapping(|to| {
                    to.within("requiredClusterSelector", |to| {
                        to.key("labelSelector");
                        selector(entry.selector, to);
                    });
                });
            });
            to.list("tolerations", |to| {
                for taint in ["unavailable", "unreachable"] {
                    to.mapping(|to| {
                        let key = format!("cluster.open-cluster-management.io/{taint}");
                        to.text("key", &key);
                        to.text("operator", "Exists");
                    });
                }
            });
        });
        to.finish()
    }
}

/// A label selector as it is, or one made of labels and values.
fn selector(node: Option<Node<'_>>, to: &mut Writer) {
    const KEYS: [&str; 2] = ["matchExpressions", "matchLabels"];
    let Some(node) = node else {
        return to.mapping(|_| {});
    };
    let mut keys = node.entries().map(|(key, value)| (key.text(), value));
    let is_selector =
        keys.all(|(key, value)| key.is_some_and(|key| KEYS.contains(&key)) && !value.is_scalar());
    if is_selector {
        return to.builder.copy(node);
    }
    let labels: BTreeMap<&str, (&str, Place, Place)> = node
        .entries()
        .filter_map(|(key, value)| {
            let text = if value.is_null() {
                Some("")
            } else {
                value.text()
            };
            Some((key.text()?, (text?, key.place(), value.place())))
        })
        .collect();
    to.mapping(|to| {
        to.list("matchExpressions", |to| {
            for (key, (value, of_key, of_value)) in labels {
                to.mapping(|to| {
                    to.written("key", key, Some(of_key));
                    if value.is_empty() {
                        to.text("operator", "Exists");
                    } else {
                        to.text("operator", "In");
                        to.list("values", |to| to.builder.scalar(value, false, of_value));
                    }
                });
            }
        });
    });
}

/// A value as text, mappings by their keys: equal values have equal texts.
fn shape(node: Node<'_>) -> String {
    if node.is_mapping() {
        let entries: BTreeMap<&str, String> = node
            .entries()
            .map(|(key, value)| (key.text().unwrap_or(""), shape(value)))
            .collect();
        return format!("{entries:?}");
    }
    if node.is_sequence() {
        return format!("{:?}", node.items().map(shape).collect::<Vec<_>>());
    }
    format!("{:?}", node.text())
}
