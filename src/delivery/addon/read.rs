//! Add-ons: ClusterManagementAddOn says where one is installed and how it is configured,
//! ManagedClusterAddOn is an add-on on one cluster.

use std::collections::BTreeSet;

use crate::delivery::id::Id;
use crate::document::{DocumentKind, Documents};
use crate::ocm::lower::{Admission, at, get, items, rollout, text};
use crate::ocm::model::{Strategy, Text};
use crate::source::Place;
use crate::yaml::Node;

/// The annotation that says who installs an add-on.
const LIFECYCLE: &str = "addon.open-cluster-management.io/lifecycle";
/// The text that the API server writes where a supported configuration has no default.
const NO_DEFAULT: &str = "__reserved_no_default__";

/// A configuration that an add-on is given.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// `group`, empty for the core group.
    pub group: &'a str,
    /// `resource`.
    pub resource: &'a str,
    /// `namespace`, empty where there is none.
    pub namespace: &'a str,
    /// `name`.
    pub name: &'a str,
    /// Where it is.
    pub place: Place,
}

impl<'a> Config<'a> {
    /// Its group and resource: a layer replaces all of one kind.
    #[must_use]
    pub fn kind(&self) -> (&'a str, &'a str) {
        (self.group, self.resource)
    }

    /// The kind, namespace and name of the object, if planner reads its kind.
    #[must_use]
    pub fn read(&self) -> Option<(&'static str, &'a str, &'a str)> {
        if self.group != "addon.open-cluster-management.io" {
            return None;
        }
        let mut kinds = CONFIGURATIONS.iter();
        let (_, kind, namespaced) = kinds.find(|(resource, ..)| *resource == self.resource)?;
        let namespace = if *namespaced { self.namespace } else { "" };
        Some((kind, namespace, self.name))
    }

    /// Which object it is.
    #[must_use]
    pub fn object(&self) -> (&'a str, &'a str, &'a str, &'a str) {
        (self.group, self.resource, self.namespace, self.name)
    }
}

/// A placement that an add-on follows.
#[derive(Debug)]
pub struct Install<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: Text<'a>,
    /// The configurations of its clusters in place of the defaults.
    pub configs: Vec<Config<'a>>,
    /// How a changed configuration is rolled out to them.
    pub strategy: Strategy<'a>,
    /// Where it is.
    pub place: Place,
}

/// A ClusterManagementAddOn.
#[derive(Debug)]
pub struct AddOn<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// Where it says that it installs itself, if it does.
    pub own: Option<Place>,
    /// Whether the hub installs it where placements say.
    pub follows: bool,
    /// The default configurations.
    pub defaults: Vec<Config<'a>>,
    /// The placements, in order.
    pub installs: Vec<Install<'a>>,
    /// `status`.
    pub status: Option<Node<'a>>,
}

/// A ManagedClusterAddOn.
#[derive(Debug)]
pub struct Installed<'a> {
    /// Its identity: the namespace is the cluster, the name that of the add-on.
    pub id: Id<'a>,
    /// Whether the hub owns it.
    pub owned: bool,
    /// Its configurations, in place of all others.
    pub configs: Vec<Config<'a>>,
    /// `status`.
    pub status: Option<Node<'a>>,
}

/// The kinds that configure add-ons, as references name them, and whether each is namespaced.
const CONFIGURATIONS: [(&str, &str, bool); 2] = [
    ("addondeploymentconfigs", "AddOnDeploymentConfig", true),
    ("addontemplates", "AddOnTemplate", false),
];

/// The configurations of add-ons among the documents, refused ones too.
pub(in crate::delivery) fn configurations<'a>(
    documents: &Documents<'a>,
) -> BTreeSet<(&'static str, &'a str, &'a str)> {
    let all = documents.all.iter();
    let found = all.filter_map(|document| {
        let name = document.name()?;
        let namespace = || document.namespace().unwrap_or("default");
        match document.kind {
            DocumentKind::AddOnDeploymentConfig => {
                Some(("AddOnDeploymentConfig", namespace(), name))
            }
            DocumentKind::AddOnTemplate => Some(("AddOnTemplate", "", name)),
            _ => None,
        }
    });
    found.collect()
}

pub(in crate::delivery) fn config(node: Node<'_>) -> Config<'_> {
    Config {
        group: text(node, "group"),
        resource: text(node, "resource"),
        namespace: text(node, "namespace"),
        name: text(node, "name"),
        place: node.place(),
    }
}

/// A default as both versions write it; none where the kind is supported and has no default.
fn default(node: Node<'_>) -> Option<Config<'_>> {
    let own = config(node);
    let found = match get(node, "defaultConfig") {
        Some(inner) => Config {
            namespace: text(inner, "namespace"),
            name: text(inner, "name"),
            ..own
        },
        None => own,
    };
    (!matches!(found.name, "" | NO_DEFAULT)).then_some(found)
}

fn install<'a>(node: Node<'a>, index: usize, admission: &mut Admission<'_, 'a>) -> Install<'a> {
    let field = format!("spec.installStrategy.placements[{index}]");
    Install {
        namespace: text(node, "namespace"),
        name: Text {
            text: text(node, "name"),
            place: get(node, "name").unwrap_or(node).place(),
        },
        configs: items(get(node, "configs")).map(config).collect(),
        strategy: rollout::strategy(node, &field, admission),
        place: node.place(),
    }
}

/// Reads a ClusterManagementAddOn.
pub(in crate::delivery) fn addon<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> AddOn<'a> {
    let lifecycle = at(node, &["metadata", "annotations", LIFECYCLE]);
    let own = lifecycle.filter(|value| value.text() != Some("addon-manager"));
    let strategy = at(node, &["spec", "installStrategy"]);
    let follows = strategy.is_some_and(|one| text(one, "type") == "Placements");
    let defaults = ["defaultConfigs", "supportedConfigs"];
    let defaults = defaults.map(|field| at(node, &["spec", field]));
    let mut installs = Vec::new();
    if follows {
        let placements = items(strategy.and_then(|one| get(one, "placements")));
        for (index, placement) in placements.enumerate() {
            installs.push(install(placement, index, admission));
        }
    }
    AddOn {
        id: Id {
            namespace: "",
            ..Id::of(admission)
        },
        own: own.map(Node::place),
        follows,
        defaults: defaults
            .into_iter()
            .flat_map(items)
            .filter_map(default)
            .collect(),
        installs,
        status: get(node, "status"),
    }
}

/// Reads a ManagedClusterAddOn.
pub(in crate::delivery) fn installed<'a>(
    node: Node<'a>,
    admission: &Admission<'_, 'a>,
) -> Installed<'a> {
    let mut owners = items(at(node, &["metadata", "ownerReferences"]));
    Installed {
        id: Id::of(admission),
        owned: owners.any(|owner| text(owner, "kind") == "ClusterManagementAddOn"),
        configs: items(at(node, &["spec", "configs"])).map(config).collect(),
        status: get(node, "status"),
    }
}
