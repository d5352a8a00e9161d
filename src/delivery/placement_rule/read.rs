//! The PlacementRule of `apps.open-cluster-management.io/v1`, which Placement replaced, and what it
//! alone asks about clusters.

use data_encoding::BASE64;
use rustc_hash::FxHashMap;

use crate::delivery::id::Id;
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::selector::LabelSelector;
use crate::ocm::lower::{Admission, Head, at, get, int, items, label_selector, text, text_at};
use crate::source::{Place, Text};
use crate::yaml::Node;

const USER: &str = "open-cluster-management.io/user-identity";
const GROUPS: &str = "open-cluster-management.io/user-group";
/// Users and groups, by the last part of their names, who see every cluster.
const SEEING_USERS: [&str; 3] = [
    "admin",
    "multicluster-observability-operator",
    "openshift-gitops-argocd-application-controller",
];
const SEEING_GROUPS: [&str; 2] = ["masters", "cluster-admins"];

/// A rule.
#[derive(Debug)]
pub struct Rule<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// `spec.clusters`: values of the label `name`.
    pub clusters: Vec<Text<'a>>,
    /// `spec.clusterSelector`; `None` is every cluster.
    pub selector: Option<LabelSelector<'a>>,
    /// Where the selector, or else the name of the rule, is.
    pub selector_place: Place,
    /// `spec.clusterConditions`: type and status.
    pub conditions: Vec<(&'a str, &'a str)>,
    /// `spec.clusterReplicas`; `None` is all.
    pub replicas: Option<i64>,
    /// `spec.resourceHint`.
    pub hint: Option<Hint>,
    /// `spec.schedulerName`.
    pub scheduler: Text<'a>,
    /// Where `spec.clusterNames` is, which is not a field.
    pub cluster_names: Option<Place>,
    /// Its author, where that limits its selection.
    pub author: Option<Author>,
    /// `status.decisions`: names of clusters, in order.
    pub held: Option<Vec<&'a str>>,
}

impl Rule<'_> {
    /// Whether somebody else than the hub decides.
    #[must_use]
    pub fn left_alone(&self) -> bool {
        !matches!(self.scheduler.text, "" | "default" | "mcm")
    }
}

/// Which clusters come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// By how much of it they have; `None`: all are equal.
    pub resource: Option<Resource>,
    /// Whether the least comes first.
    pub ascending: bool,
}

/// The resource that a hint names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// `cpu`.
    Cpu,
    /// `memory`.
    Memory,
}

/// The user who wrote a rule, and the user's groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The user.
    pub user: String,
    /// The groups.
    pub groups: Vec<String>,
}

impl Author {
    /// Whether roles are ignored.
    #[must_use]
    pub fn sees_all(&self) -> bool {
        let last = |name: &str| name.rsplit(':').next().unwrap_or("").to_owned();
        SEEING_USERS.contains(&&*last(&self.user))
            || self
                .groups
                .iter()
                .any(|group| SEEING_GROUPS.contains(&&*last(group)))
    }
}

pub(in crate::delivery) fn rule<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> Rule<'a> {
    let id = Id::of(admission);
    let spec = get(node, "spec");
    let field = |key: &str| spec.and_then(|spec| get(spec, key));
    let selector = field("clusterSelector");
    let clusters = items(field("clusters")).map(|entry| Text {
        place: entry.place(),
        ..get(entry, "name").map_or_else(Text::default, text_at)
    });
    let conditions = items(field("clusterConditions"));
    let conditions =
        conditions.map(|condition| (text(condition, "type"), text(condition, "status")));
    let hint = field("resourceHint").map(|hint| Hint {
        resource: match text(hint, "type") {
            "cpu" => Some(Resource::Cpu),
            "memory" => Some(Resource::Memory),
            _ => None,
        },
        ascending: text(hint, "order") == "asc",
    });
    let held = at(node, &["status", "decisions"]).map(|decisions| {
        let all = decisions.items();
        all.map(|decision| text(decision, "clusterName")).collect()
    });
    Rule {
        id,
        clusters: clusters.collect(),
        selector: selector.map(|selector| label_selector(selector).0),
        selector_place: selector.map_or(id.place, Node::place),
        conditions: conditions.collect(),
        replicas: field("clusterReplicas").and_then(int),
        hint,
        scheduler: field("schedulerName").map_or_else(Text::default, text_at),
        cluster_names: field("clusterNames").map(Node::place),
        author: author(node),
        held,
    }
}

fn author(node: Node<'_>) -> Option<Author> {
    let annotation = |key| at(node, &["metadata", "annotations", key]).and_then(Node::text);
    let decoded = |text: &str| -> String {
        let bytes = BASE64.decode(text.as_bytes()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let user = decoded(annotation(USER)?);
    let groups = annotation(GROUPS).map(decoded).unwrap_or_default();
    let groups = groups.split(',').filter(|group| !group.is_empty());
    Some(Author {
        user,
        groups: groups.map(str::to_owned).collect(),
    })
}

/// The hub's facts that only rules ask for.
#[derive(Debug, Default)]
pub struct Hub<'a> {
    /// The conditions of clusters as type and status, by cluster; only where a rule asks.
    pub conditions: FxHashMap<&'a str, Vec<(&'a str, &'a str)>>,
    /// The roles of users and groups; only where a rule has an author.
    roles: Vec<Granted<'a>>,
}

/// A ClusterRoleBinding, and the clusters that its role lets its subjects see.
#[derive(Debug)]
struct Granted<'a> {
    subjects: Vec<Node<'a>>,
    /// `None`: all of them.
    clusters: Option<Vec<&'a str>>,
}

impl<'a> Hub<'a> {
    pub(in crate::delivery) fn of(documents: &Documents<'a>, rules: &[Rule<'a>]) -> Self {
        let mut hub = Self::default();
        if rules.iter().any(|rule| !rule.conditions.is_empty()) {
            let clusters = documents.of(DocumentKind::ManagedCluster);
            hub.conditions = clusters.map(conditions).collect();
        }
        let limits = |rule: &Rule<'_>| rule.author.as_ref().is_some_and(|one| !one.sees_all());
        if rules.iter().any(limits) {
            hub.roles = roles(documents);
        }
        hub
    }

    /// The clusters that an author may see, `None` being all of them.
    #[must_use]
    pub fn seen_by(&self, author: &Author) -> Option<Vec<&'a str>> {
        let mut seen = Vec::new();
        let own = self.roles.iter().filter(|granted| {
            let mut subjects = granted.subjects.iter();
            subjects.any(|subject| is_subject(*subject, author))
        });
        for granted in own {
            seen.extend_from_slice(granted.clusters.as_ref()?);
        }
        Some(seen)
    }
}

fn conditions<'a>(document: &Document<'a>) -> (&'a str, Vec<(&'a str, &'a str)>) {
    let all = items(at(document.node, &["status", "conditions"]));
    let all = all.map(|condition| (text(condition, "type"), text(condition, "status")));
    (Head::of(document.node).name, all.collect())
}

fn is_subject(subject: Node<'_>, author: &Author) -> bool {
    let name = text(subject, "name");
    match text(subject, "kind") {
        "User" => name == author.user,
        "Group" => author.groups.iter().any(|group| group == name),
        "ServiceAccount" => {
            let namespace = text(subject, "namespace");
            author.user == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

/// The clusters that ClusterRoleBindings let their subjects see.
fn roles<'a>(documents: &Documents<'a>) -> Vec<Granted<'a>> {
    const GROUP: &str = "rbac.authorization.k8s.io/";
    let of_kind = |kind: &'static str| {
        let foreign = documents.of(DocumentKind::Foreign);
        foreign.map(|document| document.node).filter(move |node| {
            text(*node, "kind") == kind && text(*node, "apiVersion").starts_with(GROUP)
        })
    };
    let roles: FxHashMap<&str, Node<'a>> = of_kind("ClusterRole")
        .map(|node| (Head::of(node).name, node))
        .collect();
    let bindings = of_kind("ClusterRoleBinding");
    let granted = bindings.filter_map(|binding| {
        let role = roles.get(at(binding, &["roleRef", "name"])?.text()?)?;
        let mut clusters = Some(Vec::new());
        for rule in items(get(*role, "rules")).filter(|rule| lets_see(*rule)) {
            let names: Vec<&str> = items(get(rule, "resourceNames"))
                .filter_map(Node::text)
                .collect();
            match &mut clusters {
                Some(all) if !names.is_empty() => all.extend(names),
                _ => clusters = None,
            }
        }
        Some(Granted {
            subjects: items(get(binding, "subjects")).collect(),
            clusters,
        })
    });
    granted.collect()
}

/// Whether a rule of a role allows getting ManagedClusters.
fn lets_see(rule: Node<'_>) -> bool {
    let has = |key: &str, wanted: &str| {
        let mut all = items(get(rule, key)).filter_map(Node::text);
        all.any(|value| value == wanted || value == "*")
    };
    has("apiGroups", "cluster.open-cluster-management.io")
        && has("resources", "managedclusters")
        && has("verbs", "get")
}
