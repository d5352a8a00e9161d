//! The configuration of a PolicyGenerator, its defaults applied.

use std::collections::{BTreeMap, BTreeSet};

use crate::kit::name::subdomain;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::lower::{get, items, text};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// Why a generator makes nothing.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) place: Place,
    pub(super) help: String,
    /// Where the configuration names a file that has the fault.
    pub(super) named: Option<Place>,
    /// Whether only a release that is out of use reads it.
    pub(super) legacy: bool,
    /// The name of such a field.
    pub(super) field: String,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>, place: Place, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place,
            help: help.into(),
            named: None,
            legacy: false,
            field: String::new(),
        }
    }
}

/// Fields of policies and of their defaults.
const POLICY: [&str; 38] = [
    "categories",
    "complianceType",
    "configurationPolicyAnnotations",
    "consolidateManifests",
    "controls",
    "copyPolicyMetadata",
    "customMessage",
    "dependencies",
    "description",
    "disabled",
    "evaluationInterval",
    "extraDependencies",
    "gatekeeperEnforcementAction",
    "generatePlacementWhenInSet",
    "generatePolicyPlacement",
    "hubTemplateOptions",
    "ignorePending",
    "informGatekeeperPolicies",
    "informKyvernoPolicies",
    "manifests",
    "metadataComplianceType",
    "name",
    "namespace",
    "namespaceSelector",
    "objectSelector",
    "orderManifests",
    "orderPolicies",
    "placement",
    "policyAnnotations",
    "policyLabels",
    "policySets",
    "pruneObjectBehavior",
    "recordDiff",
    "recreateOption",
    "remediationAction",
    "severity",
    "standards",
    "objectTemplateOptions",
];
/// The fields that only defaults have, and those that only policies have.
const OF_DEFAULTS: [&str; 2] = ["namespace", "orderPolicies"];
const OF_POLICIES: [&str; 2] = ["manifests", "name"];
const SET: [&str; 7] = [
    "description",
    "generatePolicySetPlacement",
    "name",
    "placement",
    "policies",
    "policySetAnnotations",
    "policySetLabels",
];
/// Fields of manifests.
const MANIFEST: [&str; 19] = [
    "complianceType",
    "customMessage",
    "evaluationInterval",
    "extraDependencies",
    "gatekeeperEnforcementAction",
    "ignorePending",
    "metadataComplianceType",
    "name",
    "namespaceSelector",
    "objectSelector",
    "objectTemplateOptions",
    "openapi",
    "patches",
    "path",
    "pruneObjectBehavior",
    "recordDiff",
    "recreateOption",
    "remediationAction",
    "severity",
];
const PLACEMENT: [&str; 4] = ["labelSelector", "name", "placementName", "placementPath"];
const TOP: [&str; 8] = [
    "apiVersion",
    "kind",
    "metadata",
    "placementBindingDefaults",
    "policies",
    "policyDefaults",
    "policySetDefaults",
    "policySets",
];
/// Fields of placements that releases before v1.17.1 read.
const REMOVED: [(&str, &str); 4] = [
    ("clusterSelector", "labelSelector"),
    ("clusterSelectors", "labelSelector"),
    ("placementRuleName", "placementName"),
    ("placementRulePath", "placementPath"),
];

/// A configuration with its defaults applied.
#[derive(Debug)]
pub(super) struct Config<'a> {
    pub(super) namespace: &'a str,
    /// Where it is written.
    pub(super) namespace_place: Option<Place>,
    pub(super) binding_name: &'a str,
    /// `policyDefaults.placement.name`, and that of sets.
    pub(super) placement_names: [&'a str; 2],
    pub(super) policies: Vec<PolicyEntry<'a>>,
    pub(super) sets: Vec<SetEntry<'a>>,
}

/// The settings that a placement is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacementEntry<'a> {
    /// `labelSelector`, if it is not empty.
    pub(super) selector: Option<Node<'a>>,
    pub(super) path: &'a str,
    pub(super) reference: &'a str,
    pub(super) name: &'a str,
    pub(super) place: Place,
}

#[derive(Debug)]
pub(super) struct PolicyEntry<'a> {
    pub(super) name: &'a str,
    pub(super) node: Node<'a>,
    /// Whether it is disabled, and where that is written.
    pub(super) disabled: (bool, Option<Place>),
    /// The action that all templates have in common, and where it is written.
    pub(super) action: Option<(&'a str, Option<Place>)>,
    pub(super) dependencies: Vec<Dependency<'a>>,
    pub(super) placement: PlacementEntry<'a>,
    /// Whether a placement is made for it.
    pub(super) placed: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Dependency<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    pub(super) compliance: &'a str,
}

#[derive(Debug)]
pub(super) struct SetEntry<'a> {
    pub(super) name: &'a str,
    /// Its entry, or that of the first policy that names it.
    pub(super) node: Node<'a>,
    pub(super) policies: Vec<&'a str>,
    pub(super) placement: PlacementEntry<'a>,
    pub(super) placed: bool,
    /// Whether nothing says what it is placed by.
    pub(super) everywhere: bool,
}

fn truth(node: Option<Node<'_>>, key: &str) -> Option<bool> {
    match get(node?, key)?.scalar(Dialect::Kubernetes)? {
        Scalar::Bool(value) => Some(value),
        _ => None,
    }
}

/// Every field of a configuration that the generator does not know, which it refuses.
fn unknown(node: Node<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    known(node, &TOP, &[], &mut faults);
    for list in ["policies", "policySets"] {
        let value = get(node, list).filter(|value| !value.is_sequence() && !value.is_null());
        if let Some(value) = value {
            let message = format!("`{list}` must be a list");
            let help = if value.is_mapping() {
                "begin each entry with a dash: `- name: …`"
            } else {
                "write a list of entries: `- name: …`"
            };
            faults.push(Fault::new(message, value.place(), help));
        }
    }
    let mut entries = |node: Node<'_>, fields: &[&str], none: &[&str]| {
        known(node, fields, none, &mut faults);
        if let Some(placement) = get(node, "placement") {
            known(placement, &PLACEMENT, &[], &mut faults);
        }
    };
    if let Some(defaults) = get(node, "policyDefaults") {
        entries(defaults, &POLICY, &OF_POLICIES);
    }
    if let Some(defaults) = get(node, "policySetDefaults") {
        entries(defaults, &SET, &["description", "name", "policies"]);
    }
    for policy in items(get(node, "policies")) {
        entries(policy, &POLICY, &OF_DEFAULTS);
    }
    for set in items(get(node, "policySets")) {
        entries(set, &SET, &[]);
    }
    let policies = items(get(node, "policies"));
    for manifest in policies.flat_map(|policy| items(get(policy, "manifests"))) {
        known(manifest, &MANIFEST, &[], &mut faults);
    }
    faults
}

fn known(node: Node<'_>, fields: &[&str], none: &[&str], faults: &mut Vec<Fault>) {
    for (key, _) in node.entries() {
        let name = key.text().unwrap_or("");
        if fields.contains(&name) && !none.contains(&name) {
            continue;
        }
        let removed = REMOVED.iter().find(|(old, _)| *old == name);
        if let Some((old, new)) = removed.filter(|_| fields == PLACEMENT) {
            faults.push(Fault {
                legacy: true,
                field: (*old).to_owned(),
                ..Fault::new(
                    format!("`{old}` was removed from the generator in v1.17.1"),
                    key.place(),
                    format!("write `{new}`; planner plans nothing of this generator"),
                )
            });
            continue;
        }
        let here = fields.iter().copied().filter(|field| !none.contains(field));
        let of_placements = fields != PLACEMENT && fields.contains(&"placement");
        let meant = REMOVED.iter().find(|(old, _)| *old == name);
        let meant = meant.map_or(name, |(_, new)| *new);
        let help = match nearest(name, here) {
            _ if of_placements && PLACEMENT.contains(&meant) && meant != "name" => {
                if meant == name {
                    format!("move it under `placement`: `placement: {{{name}: …}}`")
                } else {
                    format!("write `placement: {{{meant}: …}}`")
                }
            }
            Some(near) => did_you_mean(near),
            None => "remove it".to_owned(),
        };
        let message = format!("there is no field `{name}` here");
        faults.push(Fault::new(message, key.place(), help));
    }
}

fn dns(what: &str, name: &str, place: Place) -> Result<(), Fault> {
    match subdomain(name) {
        Err(error) if !name.is_empty() => Err(Fault::new(
            format!("the {what} `{name}` is not a valid name: {error}"),
            place,
            "use letters, digits, `-` and `.`",
        )),
        _ => Ok(()),
    }
}

impl<'a> PlacementEntry<'a> {
    /// The `placement` of an entry.
    fn read(owner: Option<Node<'a>>, place: Place) -> Result<Self, Fault> {
        let node = owner.and_then(|owner| get(owner, "placement"));
        let field = |key: &str| node.map_or("", |node| text(node, key));
        let selector = node.and_then(|node| get(node, "labelSelector"));
        let entry = Self {
            selector: selector.filter(|selector| selector.entries().next().is_some()),
            path: field("placementPath"),
            reference: field("placementName"),
            name: field("name"),
            place: node.map_or(place, Node::place),
        };
        dns("placement name", entry.name, entry.place)?;
        dns("placement name", entry.reference, entry.place)?;
        Ok(entry)
    }

    fn count(&self) -> usize {
        usize::from(self.selector.is_some())
            + usize::from(!self.path.is_empty())
            + usize::from(!self.reference.is_empty())
    }

    fn one_way(self, what: &str) -> Result<Self, Fault> {
        match self.count() {
            0 | 1 => Ok(self),
            _ => Err(Fault::new(
                format!("{what} has more than one of labelSelector, placementPath, placementName"),
                self.place,
                "keep one of them",
            )),
        }
    }

    /// Where it says nothing, what the defaults say; never their name.
    fn or(self, default: &Self) -> Self {
        let mut entry = self;
        if self.count() == 0 {
            if !default.path.is_empty() {
                entry.path = default.path;
            } else if !default.reference.is_empty() {
                entry.reference = default.reference;
            } else {
                entry.selector = default.selector;
            }
        }
        entry
    }
}

/// Sets and policies of each other, both ways.
#[derive(Default)]
struct Members<'a> {
    of_set: BTreeMap<&'a str, BTreeSet<&'a str>>,
    of_policy: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Members<'a> {
    fn add(&mut self, set: &'a str, policy: &'a str) {
        self.of_set.entry(set).or_default().insert(policy);
        self.of_policy.entry(policy).or_default().insert(set);
    }
}

impl<'a> Config<'a> {
    /// The files that Placements are read from.
    pub(super) fn placement_paths(&self) -> impl Iterator<Item = &'a str> {
        let policies = self.policies.iter().map(|policy| policy.placement.path);
        let sets = self.sets.iter().map(|set| set.placement.path);
        policies.chain(sets).filter(|path| !path.is_empty())
    }

    /// Reads a configuration as the generator does.
    ///
    /// # Errors
    /// The faults that stop the generator.
    pub(super) fn read(node: Node<'a>) -> Result<Self, Vec<Fault>> {
        let faults = unknown(node);
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::of(node).map_err(|fault| vec![fault])
    }

    fn of(node: Node<'a>) -> Result<Self, Fault> {
        let whole = node.entries().next().map_or(node, |(key, _)| key).place();
        let defaults = get(node, "policyDefaults");
        let of_sets = get(node, "policySetDefaults");
        let namespace = defaults.map_or("", |defaults| text(defaults, "namespace"));
        if namespace.is_empty() {
            return Err(Fault::new(
                "policyDefaults.namespace is missing",
                defaults.map_or(whole, Node::place),
                "add it",
            ));
        }
        let default_placement =
            PlacementEntry::read(defaults, whole)?.one_way("policyDefaults.placement")?;
        let default_of_sets =
            PlacementEntry::read(of_sets, whole)?.one_way("policySetDefaults.placement")?;
        let binding_name = get(node, "placementBindingDefaults");
        let binding_name = binding_name.map_or("", |bindings| text(bindings, "name"));
        dns("binding name", binding_name, whole)?;

        let entries: Vec<Node<'a>> = items(get(node, "policies")).collect();
        if entries.is_empty() {
            return Err(Fault::new("there are no policies", whole, "add `policies`"));
        }
        let written_sets: Vec<Node<'a>> = items(get(node, "policySets")).collect();
        let mut members = Members::default();
        for set in &written_sets {
            let name = text(*set, "name");
            members.of_set.entry(name).or_default();
            for policy in items(get(*set, "policies")).filter_map(Node::text) {
                members.add(name, policy);
            }
        }
        let mut named: Vec<(&str, Node<'a>, bool)> = written_sets
            .iter()
            .map(|set| (text(*set, "name"), *set, true))
            .collect();
        for entry in &entries {
            let own = get(*entry, "policySets");
            let list = own.or_else(|| get(defaults?, "policySets"));
            for set in items(list).filter_map(Node::text) {
                if named.iter().all(|(name, ..)| *name != set) {
                    named.push((set, *entry, false));
                }
                members.add(set, text(*entry, "name"));
            }
        }
        let ordered = truth(defaults, "orderPolicies") == Some(true);
        let mut config = Self {
            namespace,
            namespace_place: defaults
                .and_then(|defaults| get(defaults, "namespace"))
                .map(Node::place),
            binding_name,
            placement_names: [default_placement.name, default_of_sets.name],
            policies: Vec::new(),
            sets: Vec::new(),
        };
        for entry in entries {
            let policy = config.policy(entry, defaults, ordered, &default_placement, &members)?;
            config.policies.push(policy);
        }
        for (name, node, written) in named {
            let set = config.set(name, node, written, of_sets, &default_of_sets, &members)?;
            config.sets.push(set);
        }
        Ok(config)
    }

    fn policy(
        &self,
        node: Node<'a>,
        defaults: Option<Node<'a>>,
        ordered: bool,
        placement: &PlacementEntry<'a>,
        members: &Members<'a>,
    ) -> Result<PolicyEntry<'a>, Fault> {
        let name = text(node, "name");
        let place = get(node, "name").unwrap_or(node).place();
        if name.is_empty() {
            return Err(Fault::new("a policy has no name", place, "name it"));
        }
        dns("policy name", name, place)?;
        if self.policies.iter().any(|policy| policy.name == name) {
            let message = format!("two policies are named `{name}`");
            return Err(Fault::new(message, place, "rename one of them"));
        }
        let long = self.namespace.len() + 1 + name.len();
        if long > 63 {
            let message = format!(
                "`{}.{name}` has {long} characters; at most 63 are allowed",
                self.namespace
            );
            let help = format!("shorten the name of the policy by {}", long - 63);
            return Err(Fault::new(message, place, help));
        }
        let manifests: Vec<Node<'a>> = items(get(node, "manifests")).collect();
        let pathless = manifests.iter().find(|one| text(**one, "path").is_empty());
        if manifests.is_empty() || pathless.is_some() {
            let message = format!("the policy `{name}` has no manifest with a path");
            let place = pathless.map_or(place, |manifest| manifest.place());
            return Err(Fault::new(message, place, "add `manifests: [{path: …}]`"));
        }
        let both = |key: &str| get(node, key).or_else(|| get(defaults?, key));
        let written = both("dependencies");
        if ordered && written.is_some() {
            return Err(Fault::new(
                format!("`{name}` has dependencies, which policyDefaults.orderPolicies excludes"),
                written.map_or(place, Node::place),
                "keep one of them",
            ));
        }
        let mut dependencies: Vec<Dependency<'a>> =
            items(written).map(|one| self.dependency(one)).collect();
        if let Some(before) = self.policies.last().filter(|_| ordered) {
            dependencies.push(Dependency {
                api_version: API,
                kind: "Policy",
                name: before.name,
                namespace: self.namespace,
                compliance: "Compliant",
            });
        }
        let flag = |key: &str, default: bool| {
            let own = truth(Some(node), key).or_else(|| truth(defaults, key));
            own.unwrap_or(default)
        };
        let in_set = members.of_policy.contains_key(name);
        let what = format!("the placement of `{name}`");
        let own = PlacementEntry::read(Some(node), place)?.or(placement);
        Ok(PolicyEntry {
            name,
            node,
            disabled: (flag("disabled", false), both("disabled").map(Node::place)),
            action: action(&manifests, both("remediationAction")),
            dependencies,
            placement: own.one_way(&what)?,
            placed: flag("generatePlacementWhenInSet", false)
                || (flag("generatePolicyPlacement", true) && !in_set),
        })
    }

    fn dependency(&self, node: Node<'a>) -> Dependency<'a> {
        let or = |key: &str, default: &'a str| match text(node, key) {
            "" => default,
            written => written,
        };
        let kind = or("kind", "Policy");
        let own = if kind == "Policy" { self.namespace } else { "" };
        Dependency {
            api_version: or("apiVersion", API),
            kind,
            name: text(node, "name"),
            namespace: or("namespace", own),
            compliance: or("compliance", "Compliant"),
        }
    }

    fn set(
        &self,
        name: &'a str,
        node: Node<'a>,
        written: bool,
        defaults: Option<Node<'a>>,
        placement: &PlacementEntry<'a>,
        members: &Members<'a>,
    ) -> Result<SetEntry<'a>, Fault> {
        let own = written.then_some(node);
        let place = own.and_then(|own| get(own, "name")).unwrap_or(node).place();
        if name.is_empty() {
            return Err(Fault::new("a policy set has no name", place, "name it"));
        }
        dns("set name", name, place)?;
        if self.sets.iter().any(|set| set.name == name) {
            let message = format!("two policy sets are named `{name}`");
            return Err(Fault::new(message, place, "rename one of them"));
        }
        let key = "generatePolicySetPlacement";
        let placed = truth(own, key).or_else(|| truth(defaults, key));
        let policies = members.of_set.get(name).into_iter().flatten().copied();
        let what = format!("the placement of set `{name}`");
        let placement = PlacementEntry::read(own, place)?.or(placement);
        Ok(SetEntry {
            name,
            node,
            policies: policies.collect(),
            everywhere: placement.count() == 0,
            placement: placement.one_way(&what)?,
            placed: placed.unwrap_or(true),
        })
    }
}

/// The version of policies.
pub(super) const API: &str = "policy.open-cluster-management.io/v1";

/// The action that all templates of a policy have, if they have one in common.
/// One that no hub knows is taken as it is, so that the policy is refused.
fn action<'a>(
    manifests: &[Node<'a>],
    of_policy: Option<Node<'a>>,
) -> Option<(&'a str, Option<Place>)> {
    let written = |node: Node<'a>| Some((node.text()?, Some(node.place())));
    let default = of_policy.and_then(written).unwrap_or(("inform", None));
    let one = |manifest: &Node<'a>| {
        let own = get(*manifest, "remediationAction").and_then(written);
        own.filter(|(own, _)| !own.is_empty()).unwrap_or(default)
    };
    let mut actions = manifests.iter().map(one);
    let (first, place) = actions.next()?;
    if !actions.all(|(other, _)| other.eq_ignore_ascii_case(first)) {
        return None;
    }
    let known = match first.to_ascii_lowercase().as_str() {
        "inform" | "informonly" => "inform",
        "enforce" => "enforce",
        _ => first,
    };
    Some((known, place))
}
