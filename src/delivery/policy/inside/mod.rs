//! The contents of policies: ConfigurationPolicies, OperatorPolicies, CertificatePolicies and the
//! Go templates in them, in a Policy or as documents of their own.
//!
//! Nothing here refuses a Policy: the hub takes it, and the cluster fails.

mod configuration;
mod kinds;
mod operator;
mod place;
mod selector;
mod structure;
pub(crate) mod template;

use rustc_hash::FxHashSet;

use crate::delivery::policy::inside::template::Level;
use crate::delivery::rules::{POLICY_TEMPLATE_KIND, POLICY_TEMPLATE_NAME, POLICY_TEMPLATE_TWICE};
use crate::diagnostic::{Diagnostic, Object, Rule, Severity};
use crate::document::rules::NOT_SERVED;
use crate::document::{Document, DocumentKind, KindInfo, info_of, misspelt};
use crate::kit::name::{correction, subdomain};
use crate::ocm::lower::{at, get, items, text};
use crate::source::{Place, Sources, Text};
use crate::yaml::Node;

/// The group of policies.
pub const GROUP: &str = "policy.open-cluster-management.io";
/// The annotation that switches templates off.
const DISABLE: &str = "policy.open-cluster-management.io/disable-templates";
/// The beginning of a template of the hub.
const HUB_LEFT: &str = "{{hub";

/// The contents of a Policy, as far as clusters tell them apart.
#[derive(Debug, Default)]
pub struct Carried<'a> {
    /// Its objects: group, kind and name.
    pub objects: Vec<(&'a str, &'a str, Text<'a>)>,
    /// Labels of clusters that its templates need, and where.
    pub labels: Vec<(&'a str, Place)>,
}

/// Where findings go, and what they are about.
struct Report<'d, 'a> {
    document: &'d Document<'a>,
    sources: &'a Sources,
    object: Option<Object>,
    /// Codes and places that were told: an anchor brings a place more than once.
    told: FxHashSet<(&'static str, Place)>,
    findings: Vec<Diagnostic>,
    /// Places of which the schema says what is wrong.
    structure: Vec<Place>,
}

impl<'d, 'a> Report<'d, 'a> {
    fn new(document: &'d Document<'a>, sources: &'a Sources) -> Self {
        Self {
            document,
            sources,
            object: None,
            told: FxHashSet::default(),
            findings: Vec::new(),
            structure: Vec::new(),
        }
    }

    fn push(&mut self, found: Diagnostic) {
        let place = found
            .primary
            .as_ref()
            .map_or_else(Place::default, |at| at.place);
        if self.told.insert((found.rule.code, place)) {
            let document = self.document;
            let object = self.object.get_or_insert_with(|| document.object());
            self.findings
                .push(found.object(object.clone()).not_refusing());
        }
    }

    fn say(
        &mut self,
        rule: &'static Rule,
        (place, label): (Place, &'static str),
        message: impl Into<String>,
        help: impl Into<std::borrow::Cow<'static, str>>,
    ) {
        self.push(Diagnostic::new(rule, message).at(place, label).help(help));
    }

    /// Whether the schema found fault with what lies there.
    fn is_faulty(&self, place: Place) -> bool {
        let within = |fault: &Place| {
            fault.source == place.source
                && fault.span.start >= place.span.start
                && fault.span.start < place.span.end.max(place.span.start + 1)
        };
        self.structure.iter().any(within)
    }
}

/// The surroundings of an object.
#[derive(Clone, Copy)]
struct Around<'a> {
    /// The namespace of the Policy that carries it; empty where unknown.
    namespace: &'a str,
    /// The action that the Policy sets for all that it carries.
    action: bool,
    /// Whether the Policy reads the hub with an account of its own.
    account: bool,
    /// The number of the object in the Policy; `None` of a document that a generator wraps.
    pointer: Option<usize>,
}

/// The line on which an object begins.
fn first_line(node: Node<'_>) -> Place {
    let mut entries = node.entries();
    entries.next().map_or(node.place(), |(key, _)| key.place())
}

/// Whether a value is filled in on the hub.
fn is_hub_template(node: Node<'_>) -> bool {
    node.text().is_some_and(|text| text.contains(HUB_LEFT))
}

/// Whether templates are switched off by an annotation: Go's `ParseBool`.
fn is_disabled(object: Node<'_>) -> bool {
    let value = at(object, &["metadata", "annotations", DISABLE]).and_then(Node::text);
    matches!(value, Some("1" | "t" | "T" | "TRUE" | "true" | "True"))
}

/// The faults of a document of one of the three kinds.
pub(in crate::delivery) fn document<'a>(
    document: &Document<'a>,
    sources: &'a Sources,
) -> Vec<Diagnostic> {
    let mut report = Report::new(document, sources);
    if let Some(info) = info_of(document.kind) {
        object(document.node, info, None, &mut report);
    }
    report.findings
}

/// The faults of a document that a generator puts into a Policy: as it is, if it is one of the
/// three kinds; of any other its hub templates.
pub(in crate::delivery) fn wrapped<'a>(
    document: &Document<'a>,
    sources: &'a Sources,
    wrapping: Wrapping<'a>,
) -> Vec<Diagnostic> {
    let mut report = Report::new(document, sources);
    let mut unused = Carried::default();
    let around = Around {
        namespace: wrapping.namespace,
        // A generator sets one for every policy.
        action: true,
        account: wrapping.account,
        pointer: None,
    };
    let node = document.node;
    template::check(Level::Hub(around), node, &mut report, &mut unused.labels);
    // Other engines have templates of their own, and a generator may switch ours off for them.
    if document.kind.is_policy_template() {
        embedded(node, around, &mut report, &mut unused);
    }
    report.findings
}

/// A generator that wraps a document.
#[derive(Debug, Clone, Copy)]
pub struct Wrapping<'a> {
    /// The namespace of its policies.
    pub namespace: &'a str,
    /// Whether they read the hub with an account of their own.
    pub account: bool,
}

/// The contents of a Policy that matter for others, and the faults of all its contents.
pub(in crate::delivery) fn policy<'a>(
    document: &Document<'a>,
    sources: &'a Sources,
) -> (Carried<'a>, Vec<Diagnostic>) {
    let mut report = Report::new(document, sources);
    let mut carried = Carried::default();
    let node = document.node;
    let account = at(node, &["spec", "hubTemplateOptions", "serviceAccountName"]);
    let action = at(node, &["spec", "remediationAction"]);
    let is_set = |node: Option<Node<'_>>| node.and_then(Node::text).is_some_and(|t| !t.is_empty());
    let hub_templates = !is_disabled(node);
    for (template, pointer) in items(at(node, &["spec", "policy-templates"])).zip(0..) {
        let around = Around {
            namespace: document.namespace().unwrap_or(""),
            action: is_set(action),
            account: is_set(account),
            pointer: Some(pointer),
        };
        let definition = get(template, "objectDefinition");
        let Some(definition) = definition.filter(|node| node.is_mapping()) else {
            continue;
        };
        if hub_templates {
            template::check(
                Level::Hub(around),
                definition,
                &mut report,
                &mut carried.labels,
            );
        }
        embedded(definition, around, &mut report, &mut carried);
    }
    twice(&carried, &mut report);
    (carried, report.findings)
}

/// An object in a Policy.
fn embedded<'a>(
    definition: Node<'a>,
    around: Around<'a>,
    report: &mut Report<'_, 'a>,
    carried: &mut Carried<'a>,
) {
    let known = |key: &str| get(definition, key).filter(|node| !is_hub_template(*node));
    let unknown = |key: &str| get(definition, key).is_some_and(is_hub_template);
    if unknown("kind") || unknown("apiVersion") {
        return;
    }
    let kind = text(definition, "kind");
    let api = text(definition, "apiVersion");
    let (group, _) = api.split_once('/').unwrap_or(("", api));
    if kind.is_empty() {
        let message = "the object in the Policy has no `kind`";
        let help = "add `apiVersion` and `kind`, such as those of a ConfigurationPolicy";
        let at = (first_line(definition), "no kind");
        return report.say(&POLICY_TEMPLATE_KIND, at, message, help);
    }
    let ours = group == GROUP;
    let place = known("kind").map_or(first_line(definition), Node::place);
    let carriers = [
        "Policy",
        "PolicySet",
        "PlacementBinding",
        "PolicyAutomation",
    ];
    if kinds::is_builtin(group) || ours && carriers.contains(&kind) {
        let message = format!("a Policy cannot carry {} {kind}", article(kind));
        let near = misspelt(definition, "apiVersion").filter(|_| api.is_empty());
        let place = near.map_or(place, |(key, _)| key.place());
        let help = match ours {
            true => "write it as a document of its own",
            false if api.is_empty() => "add `apiVersion`",
            false => "put it into a ConfigurationPolicy's `object-templates`",
        };
        return report.say(&POLICY_TEMPLATE_KIND, (place, "not applied"), message, help);
    }
    let info = [
        DocumentKind::ConfigurationPolicy,
        DocumentKind::OperatorPolicy,
        DocumentKind::CertificatePolicy,
    ];
    let info = info
        .into_iter()
        .filter_map(info_of)
        .find(|info| ours && info.name == kind);
    if ours && info.is_none() {
        let message = format!("current clusters do not have the kind {kind}");
        let found = Diagnostic::new(&POLICY_TEMPLATE_KIND, message)
            .at(place, "not applied")
            .help("write a ConfigurationPolicy, an OperatorPolicy or a CertificatePolicy")
            .severity(Severity::Warning);
        report.push(found);
    }
    let served = info.is_none_or(|info| info.api_version == api);
    if let Some(info) = info.filter(|_| !served) {
        let place = known("apiVersion").map_or(first_line(definition), Node::place);
        let message = format!("{kind} is not served as {api}");
        let help = format!("write `apiVersion: {}`", info.api_version);
        report.say(&NOT_SERVED, (place, "this version"), message, help);
    }
    if let Some(name) = name(definition, kind, ours, report) {
        carried.objects.push((group, kind, name));
    }
    if let Some(info) = info.filter(|_| served) {
        object(definition, info, Some(around), report);
    }
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with(['A', 'E', 'I', 'O']) {
        "an"
    } else {
        "a"
    }
}

/// The name of an object in a Policy, if it is known.
fn name<'a>(
    definition: Node<'a>,
    kind: &str,
    ours: bool,
    report: &mut Report<'_, 'a>,
) -> Option<Text<'a>> {
    let node = at(definition, &["metadata", "name"]);
    let Some((node, name)) = node.and_then(|node| Some((node, node.text()?))) else {
        if node.is_none() {
            let message = format!("the {kind} in the Policy has no name");
            let at = (first_line(definition), "no `metadata.name`");
            report.say(&POLICY_TEMPLATE_NAME, at, message, "add `metadata.name`");
        }
        return None;
    };
    let place = node.place();
    if is_hub_template(node) {
        return None;
    }
    if name.is_empty() {
        let message = format!("the name of the {kind} in the Policy is empty");
        let at = (first_line(definition), "no `metadata.name`");
        report.say(&POLICY_TEMPLATE_NAME, at, message, "write a name");
        return None;
    }
    if ours && let Err(error) = subdomain(name) {
        let message = format!("the {kind} is called `{name}`, but {error}");
        let help = correction(name, subdomain);
        report.say(&POLICY_TEMPLATE_NAME, (place, "not a name"), message, help);
    }
    (!name.contains("{{")).then_some(Text { text: name, place })
}

/// Objects of one kind and name in one Policy.
fn twice(carried: &Carried<'_>, report: &mut Report<'_, '_>) {
    let mut seen = FxHashSet::default();
    for (group, kind, name) in &carried.objects {
        if !seen.insert((group, kind, name.text)) {
            let message = format!(
                "the Policy carries two objects {kind} `{}`; they overwrite each other for ever",
                name.text
            );
            let found = Diagnostic::new(&POLICY_TEMPLATE_TWICE, message)
                .at(name.place, "the second of this name")
                .help("rename one")
                .severity(Severity::Warning);
            report.push(found);
        }
    }
}

/// An object of one of the three kinds.
fn object<'a>(
    node: Node<'a>,
    info: &'static KindInfo,
    around: Option<Around<'a>>,
    report: &mut Report<'_, 'a>,
) {
    structure::check(node, info, around, report);
    let mut unused = Vec::new();
    if let Some(spec) = get(node, "spec").filter(|spec| spec.is_mapping()) {
        let mut levels = |level, node| template::check(level, node, report, &mut unused);
        match info.kind {
            DocumentKind::ConfigurationPolicy if !is_disabled(node) => {
                for item in items(get(spec, "object-templates")) {
                    if let Some(definition) = get(item, "objectDefinition") {
                        levels(Level::Managed, definition);
                    }
                }
                if let Some(raw) = get(spec, "object-templates-raw") {
                    levels(Level::Raw, raw);
                }
            }
            DocumentKind::OperatorPolicy => {
                for key in operator::RESOLVED {
                    if let Some(value) = get(spec, key) {
                        levels(Level::Operator, value);
                    }
                }
            }
            _ => {}
        }
        let messages = get(spec, "customMessage");
        let messages = messages.filter(|_| info.kind == DocumentKind::ConfigurationPolicy);
        for (_, message) in messages.into_iter().flat_map(Node::entries) {
            levels(Level::Message, message);
        }
        match info.kind {
            DocumentKind::ConfigurationPolicy => configuration::check(spec, report),
            DocumentKind::OperatorPolicy => operator::check(spec, report),
            _ => selector::namespaces(spec, report),
        }
    }
    template::unresolved(node, info.kind, report);
}
