//! Policies, their sets and their bindings.

use super::inside::Carried;
use crate::delivery::id::Id;
pub use crate::delivery::policy::inside::GROUP;
use crate::delivery::rules;
use crate::diagnostic::Diagnostic;
use crate::ocm::lower::{Admission, at, get, items, labels, text, text_at};
use crate::schema::rules::COMBINATION;
use crate::source::{Place, Text};
use crate::yaml::{Dialect, Node, Scalar};

/// The label of a copy in a cluster's namespace.
const ROOT_LABEL: &str = "policy.open-cluster-management.io/root-policy";
/// The longest name of a copy, in bytes: it is also the value of a label.
const LONGEST: usize = 63;

/// A policy: what users write, never its copies in the namespaces of clusters.
#[derive(Debug)]
pub struct Policy<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// Whether it is a copy that the hub made: it gets no row.
    pub replica: bool,
    /// `spec.disabled`.
    pub disabled: bool,
    /// `spec.remediationAction`; `None` is what each template says.
    pub action: Option<Action>,
    /// The dependencies of the policy and of its templates.
    pub dependencies: Vec<Dependency<'a>>,
    /// Whether a template is filled in on the hub.
    pub hub_templates: bool,
    /// Why admission refused it, if it did.
    pub refused: Option<String>,
    /// The name of the generator that makes it, if one does.
    pub generator: Option<&'a str>,
    /// The objects that it carries to clusters.
    pub carried: Carried<'a>,
}

/// The action on a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It is reported.
    Inform,
    /// It is corrected.
    Enforce,
}

impl Action {
    fn of(text: &str) -> Option<Self> {
        match text {
            "enforce" | "Enforce" => Some(Self::Enforce),
            "inform" | "Inform" => Some(Self::Inform),
            _ => None,
        }
    }
}

/// An object and the state it must have before templates are applied.
#[derive(Debug, Clone, Copy)]
pub struct Dependency<'a> {
    /// `apiVersion`.
    pub api_version: Text<'a>,
    /// `kind`.
    pub kind: &'a str,
    /// `name`.
    pub name: Text<'a>,
    /// `namespace`, empty where absent.
    pub namespace: &'a str,
    /// `compliance`.
    pub compliance: &'a str,
    /// The number of the template that waits; `None` where all of them do.
    pub template: Option<usize>,
    /// Where it is.
    pub place: Place,
}

/// A set of policies.
#[derive(Debug)]
pub struct PolicySet<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// `spec.policies`.
    pub policies: Vec<Text<'a>>,
    /// `spec.exclusions`.
    pub exclusions: Vec<Exclusion<'a>>,
}

impl<'a> PolicySet<'a> {
    /// The exclusion of a policy, if there is one.
    #[must_use]
    pub fn exclusion(&self, policy: &str) -> Option<&Exclusion<'a>> {
        let mut all = self.exclusions.iter();
        all.find(|exclusion| exclusion.policy.text == policy)
    }
}

/// Clusters that a policy of a set does not go to.
#[derive(Debug)]
pub struct Exclusion<'a> {
    /// `policyName`.
    pub policy: Text<'a>,
    /// `clusterNames`.
    pub clusters: Vec<Text<'a>>,
    /// `reason`, empty where absent.
    pub reason: &'a str,
}

/// A binding of policies and sets to what selects clusters.
#[derive(Debug)]
pub struct Binding<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// The kind that selects the clusters.
    pub placement: Selects,
    /// `placementRef.name`.
    pub placement_name: Text<'a>,
    /// The policies and sets that it binds.
    pub subjects: Vec<Subject<'a>>,
    /// Whether it makes policies enforce.
    pub overrides: Option<Place>,
    /// Whether it places nothing and only overrides (`subFilter: restricted`).
    pub restricted: Option<Place>,
}

/// One way from a policy to what selects clusters.
#[derive(Clone, Copy)]
pub(crate) struct Path<'m, 'a> {
    pub(crate) binding: &'m Binding<'a>,
    pub(crate) set: Option<&'m PolicySet<'a>>,
}

/// The kinds that a binding may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selects {
    /// A Placement.
    Placement,
    /// A rule that Placement replaced.
    Rule,
}

impl Selects {
    /// The kind, as documents write it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Placement => "Placement",
            Self::Rule => "PlacementRule",
        }
    }

    /// The group of the kind.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match self {
            Self::Placement => "cluster.open-cluster-management.io",
            Self::Rule => "apps.open-cluster-management.io",
        }
    }
}

/// One entry of `subjects`.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Whether it is a PolicySet; else it is a Policy.
    pub set: bool,
    /// `name`.
    pub name: Text<'a>,
}

fn truth(node: Option<Node<'_>>) -> bool {
    let value = node.and_then(|node| node.scalar(Dialect::Kubernetes));
    matches!(value, Some(Scalar::Bool(true)))
}

pub(in crate::delivery) fn policy<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> Policy<'a> {
    let id = Id::of(admission);
    let replica = labels(admission.head.labels)
        .iter()
        .any(|(key, _)| *key == ROOT_LABEL);
    let spec = get(node, "spec");
    let written = spec.map_or("", |spec| text(spec, "remediationAction"));
    let mut policy = Policy {
        id,
        replica,
        disabled: truth(spec.and_then(|spec| get(spec, "disabled"))),
        action: Action::of(written),
        dependencies: Vec::new(),
        hub_templates: false,
        refused: None,
        generator: admission.document.generator(),
        carried: Carried::default(),
    };
    let Some(spec) = spec else {
        return policy;
    };
    let mut dependencies = |list: Option<Node<'a>>, template: Option<usize>, path: &str| {
        for (node, at) in items(list).zip(0..) {
            let field = format!("{path}[{at}]");
            policy
                .dependencies
                .push(dependency(node, template, &field, admission));
        }
    };
    dependencies(get(spec, "dependencies"), None, "spec.dependencies");
    let templates = || items(get(spec, "policy-templates")).enumerate();
    for (at, template) in templates() {
        let path = format!("spec.policy-templates[{at}].extraDependencies");
        dependencies(get(template, "extraDependencies"), Some(at), &path);
    }
    let marked = |node: Node<'_>| node.source_text().contains("{{hub");
    policy.hub_templates = templates().any(|(_, template)| marked(template));
    if !replica {
        long_name(&id, admission);
    }
    if written.is_empty() {
        for (index, template) in templates() {
            no_remediation(index, template, admission);
        }
    }
    policy
}

fn long_name(id: &Id<'_>, admission: &mut Admission<'_, '_>) {
    let long = id.namespace.len() + 1 + id.name.len();
    if long > LONGEST {
        let message = format!(
            "`{}.{}` has {long} characters; the name of a copy on a cluster may have {LONGEST}",
            id.namespace, id.name
        );
        let found = Diagnostic::new(&rules::LONG_POLICY_NAME, message)
            .at(id.place, "too long")
            .help(format!(
                "shorten the name of the policy by {}",
                long - LONGEST
            ));
        admission.push(found, "metadata.name", "maxLength");
    }
}

/// A ConfigurationPolicy needs an action, its own or that of the policy.
fn no_remediation(index: usize, template: Node<'_>, admission: &mut Admission<'_, '_>) {
    let Some(object) = get(template, "objectDefinition") else {
        return;
    };
    // An object without any `spec` is a part of a document, for tools that compare.
    let is_ours = text(object, "kind") == "ConfigurationPolicy" && get(object, "spec").is_some();
    let action = at(object, &["spec", "remediationAction"]).and_then(Node::text);
    if !is_ours || action.is_some_and(|action| !action.is_empty()) {
        return;
    }
    let name = at(object, &["metadata", "name"]).and_then(Node::text);
    let message = format!(
        "neither the policy nor its ConfigurationPolicy `{}` has a `remediationAction`",
        name.unwrap_or("")
    );
    let found = Diagnostic::new(&rules::NO_REMEDIATION, message)
        .at(object.place(), "has none")
        .help("set `spec.remediationAction` of the policy to inform or enforce");
    let field = format!("spec.policy-templates[{index}].objectDefinition");
    admission.push(found, &field, "required");
}

fn dependency<'a>(
    node: Node<'a>,
    template: Option<usize>,
    field: &str,
    admission: &mut Admission<'_, 'a>,
) -> Dependency<'a> {
    let read = |key| get(node, key).map_or_else(Text::default, text_at);
    let dependency = Dependency {
        api_version: read("apiVersion"),
        kind: text(node, "kind"),
        name: read("name"),
        namespace: text(node, "namespace"),
        compliance: text(node, "compliance"),
        template,
        place: node.place(),
    };
    let on_cluster = matches!(dependency.kind, "ConfigurationPolicy" | "CertificatePolicy");
    if on_cluster && !dependency.namespace.is_empty() {
        let message = format!(
            "a dependency on a {} has a namespace, but it is always that of the cluster",
            dependency.kind
        );
        let found = Diagnostic::new(&COMBINATION, message)
            .at(
                get(node, "namespace").unwrap_or(node).place(),
                "this namespace",
            )
            .help("remove `namespace`");
        admission.push(found, &format!("{field}.namespace"), "not");
    }
    dependency
}

pub(in crate::delivery) fn set<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> PolicySet<'a> {
    let spec = get(node, "spec");
    let list = |key: &str| items(spec.and_then(|spec| get(spec, key)));
    let set = PolicySet {
        id: Id::of(admission),
        policies: list("policies").map(text_at).collect(),
        exclusions: list("exclusions").map(exclusion).collect(),
    };
    for (exclusion, at) in set.exclusions.iter().zip(0..) {
        let name = exclusion.policy.text;
        let before = &set.exclusions[..at];
        let twice = before.iter().any(|other| other.policy.text == name);
        let (message, help) = if twice {
            (
                format!("`{name}` is excluded twice"),
                "list every cluster in one exclusion",
            )
        } else if set.policies.iter().all(|policy| policy.text != name) {
            (
                format!("`{name}` is excluded but not in `policies`"),
                "add it to `policies`, or remove the exclusion",
            )
        } else {
            continue;
        };
        let found = Diagnostic::new(&rules::EXCLUSION, message)
            .at(exclusion.policy.place, "excluded here")
            .help(help);
        let field = format!("spec.exclusions[{at}].policyName");
        admission.push(found, &field, "exclusions");
    }
    set
}

fn exclusion<'a>(node: Node<'a>) -> Exclusion<'a> {
    Exclusion {
        policy: get(node, "policyName").map_or_else(Text::default, text_at),
        clusters: items(get(node, "clusterNames")).map(text_at).collect(),
        reason: text(node, "reason"),
    }
}

pub(in crate::delivery) fn binding<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> Binding<'a> {
    let id = Id::of(admission);
    let reference = get(node, "placementRef");
    let field = |key: &str| reference.and_then(|reference| get(reference, key));
    let kind = field("kind").and_then(Node::text).unwrap_or("");
    let group = field("apiGroup").and_then(Node::text).unwrap_or("");
    let placement = match kind {
        "PlacementRule" => Selects::Rule,
        _ => Selects::Placement,
    };
    let known = [Selects::Placement, Selects::Rule];
    let known = known.map(Selects::group).contains(&group);
    if known && kind == placement.kind() && group != placement.group() {
        let right = placement.group();
        let found = Diagnostic::new(
            &rules::BINDING_REF,
            format!("`placementRef` pairs `{group}` with `{kind}`"),
        )
        .at(
            field("apiGroup").map_or(id.place, Node::place),
            "another group",
        )
        .help(format!("write `apiGroup: {right}`"));
        admission.push(found, "placementRef.apiGroup", "oneOf");
    }
    let overrides = at(node, &["bindingOverrides", "remediationAction"]);
    let enforces = |node: &Node<'_>| node.text().and_then(Action::of) == Some(Action::Enforce);
    let restricts = |node: &Node<'_>| node.text() == Some("restricted");
    let subjects = items(get(node, "subjects")).map(|subject| Subject {
        set: text(subject, "kind") == "PolicySet",
        name: get(subject, "name").map_or_else(Text::default, text_at),
    });
    Binding {
        id,
        placement,
        placement_name: field("name").map_or_else(Text::default, text_at),
        subjects: subjects.collect(),
        overrides: overrides.filter(enforces).map(Node::place),
        restricted: get(node, "subFilter").filter(restricts).map(Node::place),
    }
}
