//! From the documents of consumers to what they ask for: admission as the API server does it, then
//! decoding. A file for each kind of consumer.

pub(crate) mod addon;
pub mod applicationset;
pub mod decision;
pub mod disaster;
mod doubt;
pub mod gitops;
mod open;
pub mod policy;
pub(crate) mod progress;
pub mod rule;
pub mod subscription;
pub(crate) mod work;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents, Reported, info_of};
use crate::kit::named::Name;
use crate::ocm::lower::{Admission, Seen, get, text};
use crate::parallel;
use crate::source::{Place, Text};

use super::inside::Wrapping;
use addon::{AddOn, Installed};
use applicationset::{ApplicationSet, Foreign};
use decision::Decisions;
use disaster::{Control, DrPolicy};
use doubt::Doubt;
use gitops::GitOpsCluster;
pub use open::Open;
use policy::{Binding, Policy, PolicySet};
use rule::Rule;
use subscription::Subscription;
use work::{Template, Work};

/// The name of an object, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id<'a> {
    /// Its kind, as documents write it.
    pub kind: &'static str,
    /// `metadata.namespace`, empty where the kind has none.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
}

impl<'a> Id<'a> {
    /// `namespace/name`, or the name where the kind has no namespace.
    #[must_use]
    pub const fn full_name(&self) -> Name<'a> {
        Name::new(self.namespace, self.name)
    }

    /// The identity of a namespaced object.
    fn of(admission: &Admission<'_, 'a>) -> Self {
        Self {
            kind: admission.kind(),
            namespace: admission.head.namespace(),
            name: admission.head.name,
            place: admission.head.place,
        }
    }
}

/// Everything that the consumers' documents hold. Refused objects are not here, but for those that
/// get a row which says so.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// Policies, in document order, refused ones too.
    pub policies: Vec<Policy<'a>>,
    /// Sets of policies, in document order.
    pub sets: Vec<PolicySet<'a>>,
    /// Bindings of policies, in document order.
    pub bindings: Vec<Binding<'a>>,
    /// Bindings of a version that is not served: they bind nothing, but what they name is checked.
    pub unserved: Vec<Binding<'a>>,
    /// Rules that Placement replaced, in document order.
    pub rules: Vec<Rule<'a>>,
    /// The facts that rules ask of clusters and Placements never do: conditions and roles.
    pub hub: rule::Hub<'a>,
    /// The facts that the documents leave open.
    pub open: Open<'a>,
    /// The statements that refused documents would have made about others.
    pub(super) doubt: Doubt<'a>,
    /// Whether generators make policies: they are made of the whole site.
    pub made: bool,
    /// Whether a rule names its author: what authors may see is written in any role.
    pub authored: bool,
    /// ApplicationSets that read decisions or clusters, in document order.
    pub application_sets: Vec<ApplicationSet<'a>>,
    /// GitOpsClusters, in document order.
    pub gitops: Vec<GitOpsCluster<'a>>,
    /// Subscriptions, in document order.
    pub subscriptions: Vec<Subscription<'a>>,
    /// Channels, by namespace and name.
    pub channels: Vec<(&'a str, &'a str)>,
    /// The DRPlacementControls, in document order.
    pub controls: Vec<Control<'a>>,
    /// The clusters between which workloads move.
    pub dr_policies: Vec<DrPolicy<'a>>,
    /// ConfigMaps and Secrets, where an ApplicationSet may ask for them.
    pub foreign: Foreign<'a>,
    /// PlacementDecisions by their places, where something reads them.
    pub decisions: FxHashMap<Place, Decisions<'a>>,
    /// PlacementRules whose PlacementDecisions say that they are theirs, by namespace and name.
    pub ruled: FxHashSet<(&'a str, &'a str)>,
    /// The clusters by the addresses that their documents give, where an ApplicationSet may ask.
    pub addresses: FxHashMap<&'a str, &'a str>,
    /// Placements with the annotation that switches scheduling off, and what it says.
    pub marks: FxHashMap<(&'a str, &'a str), Text<'a>>,
    /// Add-ons, in document order.
    pub addons: Vec<AddOn<'a>>,
    /// Add-ons on clusters, in document order.
    pub installed: Vec<Installed<'a>>,
    /// The configurations of add-ons, by kind, namespace and name.
    pub configurations: BTreeSet<(&'static str, &'a str, &'a str)>,
    /// Works on clusters, in document order.
    pub works: Vec<Work<'a>>,
    /// The templates of replica sets of works, by the places of their names.
    pub templates: FxHashMap<Place, Template<'a>>,
    /// Objects that were refused: they are not missing.
    pub refused: FxHashMap<(DocumentKind, &'a str, &'a str), Place>,
}

impl<'a> Model<'a> {
    /// Whether no document of a consumer is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
            && self.sets.is_empty()
            && self.bindings.is_empty()
            && self.rules.is_empty()
            && self.addons.is_empty()
            && self.installed.is_empty()
            && self.works.is_empty()
            && self.templates.is_empty()
            && !self.reads_decisions()
    }

    /// The clusters that add-ons and works are on.
    pub fn clusters(&self) -> impl Iterator<Item = &'a str> {
        let installed = self.installed.iter().map(|one| one.id.namespace);
        installed.chain(self.works.iter().map(|work| work.id.namespace))
    }

    /// Whether some consumer reads PlacementDecisions itself.
    #[must_use]
    pub fn reads_decisions(&self) -> bool {
        !(self.application_sets.is_empty()
            && self.gitops.is_empty()
            && self.subscriptions.is_empty()
            && self.controls.is_empty())
    }
}

/// The object of a document: a variant for each kind that is read.
enum Object<'a> {
    Policy(Policy<'a>),
    Set(PolicySet<'a>),
    Binding(Binding<'a>),
    Rule(Rule<'a>),
    ApplicationSet(Box<ApplicationSet<'a>>),
    GitOps(GitOpsCluster<'a>),
    Subscription(Subscription<'a>),
    Channel(&'a str, &'a str),
    Control(Control<'a>),
    DrPolicy(DrPolicy<'a>),
    AddOn(Box<AddOn<'a>>),
    Installed(Installed<'a>),
    Work(Work<'a>),
}

impl Model<'_> {
    /// Takes out what several documents define in different ways, by the places of the first ones:
    /// nobody knows which one counts.
    fn leave_out(&mut self, doubled: &FxHashSet<Place>) {
        let counts = |id: &Id<'_>| !doubled.contains(&id.place);
        for policy in &mut self.policies {
            if !counts(&policy.id) {
                policy.refused = Some(format!("Policy `{}` is defined twice", policy.id.name));
            }
        }
        self.sets.retain(|one| counts(&one.id));
        self.bindings.retain(|one| counts(&one.id));
        self.rules.retain(|one| counts(&one.id));
        self.application_sets.retain(|one| counts(&one.id));
        self.gitops.retain(|one| counts(&one.id));
        self.subscriptions.retain(|one| counts(&one.id));
        self.controls.retain(|one| counts(&one.id));
        self.addons.retain(|one| counts(&one.id));
        self.installed.retain(|one| counts(&one.id));
        self.works.retain(|one| counts(&one.id));
    }
}

/// Decodes the consumers' documents and reports what admission would refuse. Of what is defined
/// twice a review (`validating`) reads the first.
pub(super) fn read<'a>(
    documents: &Documents<'a>,
    validating: bool,
    jobs: usize,
    sink: &mut Sink,
) -> Model<'a> {
    let mut model = Model {
        templates: work::templates(documents),
        ..Model::default()
    };
    let consumers = documents.all.iter();
    let consumers: Vec<&Document<'a>> = consumers
        .filter(|document| document.kind.is_consumer())
        .collect();
    if consumers.is_empty() {
        return model;
    }
    let refused = consumers.iter().any(|document| document.refused);
    let reported = refused.then(|| Reported::new(sink));
    let mut seen = Seen::default();
    let wrapped = Wrapped(super::generate::wrapped(documents));
    wrapped.check(documents, sink);
    let contents = parallel::map_chunks(jobs, &consumers, |document| {
        let is_policy = document.kind == DocumentKind::Policy;
        is_policy.then(|| super::inside::policy(document, documents.sources))
    });
    for (document, contents) in consumers.into_iter().zip(contents) {
        let mut admission = Admission::new(document, false);
        if document.kind.is_policy_template() {
            // A manifest that a generator wraps is judged as it will be in the Policy.
            if wrapped.of(document, documents).is_none() {
                sink.diagnostics
                    .extend(super::inside::document(document, documents.sources));
            }
            continue;
        }
        let Some(mut object) = one(document, &mut admission) else {
            continue;
        };
        // Faults in the templates are reported for every Policy, for refused ones and doubles too.
        if let Object::Policy(policy) = &mut object
            && !policy.replica
            && let Some((carried, findings)) = contents
        {
            policy.carried = carried;
            sink.diagnostics.extend(findings);
        }
        let mut is_again = false;
        let mut is_same = false;
        if document.refused {
            if let Some(reported) = &reported {
                reported.others(&document.object(), &mut admission.findings);
            }
        } else {
            let passed = admission.passed();
            is_same = seen.check(document.kind, &mut admission);
            is_again = passed && !admission.passed();
        }
        if is_same {
            continue;
        }
        let passed = admission.passed() && !document.refused;
        if !passed {
            let key = (
                document.kind,
                admission.head.namespace(),
                admission.head.name,
            );
            model.refused.insert(key, admission.head.place);
        }
        match object {
            Object::Policy(mut policy) => {
                policy.refused = (!passed).then(|| reason(&admission));
                // One that is defined twice is there once; one that only reports delivers nothing.
                let delivers = get(document.node, "spec").is_some();
                if delivers && !admission.head.name.is_empty() && !is_again {
                    model.policies.push(policy);
                }
            }
            Object::Set(set) if !passed => model.doubt.set(&set),
            Object::Binding(binding) if !passed => {
                model.doubt.binding(&binding);
                let served = info_of(document.kind).map(|info| info.api_version);
                if served.is_some_and(|served| text(document.node, "apiVersion") != served) {
                    model.unserved.push(binding);
                }
            }
            Object::Rule(rule) if !passed => model.doubt.rule(&rule),
            Object::GitOps(consumer) if !passed => model.doubt.gitops(&consumer),
            _ if !passed => {}
            Object::Set(set) => model.sets.push(set),
            Object::Binding(binding) => model.bindings.push(binding),
            Object::Rule(rule) => model.rules.push(rule),
            Object::ApplicationSet(set) => model.application_sets.push(*set),
            Object::GitOps(consumer) => model.gitops.push(consumer),
            Object::Subscription(subscription) => model.subscriptions.push(subscription),
            Object::Channel(namespace, name) => model.channels.push((namespace, name)),
            Object::Control(control) => model.controls.push(control),
            Object::DrPolicy(policy) => model.dr_policies.push(policy),
            Object::AddOn(addon) => model.addons.push(*addon),
            Object::Installed(installed) => model.installed.push(installed),
            Object::Work(work) => model.works.push(work),
        }
        sink.diagnostics.append(&mut admission.findings);
    }
    if !validating && !seen.doubled.is_empty() {
        model.leave_out(&seen.doubled);
    }
    model.doubt.expand(&model.sets);
    model.made = (model.policies.iter()).any(|policy| policy.generator.is_some());
    model.authored = model.rules.iter().any(|rule| rule.author.is_some());
    model.hub = rule::Hub::of(documents, &model.rules);
    if !model.addons.is_empty() || !model.installed.is_empty() {
        model.configurations = addon::configurations(documents);
    }
    if model.reads_decisions() {
        model.decisions = decision::all(documents);
        model.ruled = if model.rules.is_empty() {
            FxHashSet::default()
        } else {
            decision::ruled(documents)
        };
    }
    if !model.application_sets.is_empty() {
        model.foreign = Foreign::of(documents);
        model.addresses = applicationset::addresses(documents);
    }
    if !model.controls.is_empty() {
        model.marks = disaster::marks(documents);
    }
    model
}

/// The paths whose documents generators put into policies, in order.
struct Wrapped<'a>(Vec<(String, Wrapping<'a>)>);

impl<'a> Wrapped<'a> {
    /// The generator that wraps a document: the path of its file, or a directory above.
    fn of(&self, document: &Document<'a>, documents: &Documents<'a>) -> Option<Wrapping<'a>> {
        if self.0.is_empty() || document.generator().is_some() {
            return None;
        }
        let mut path = documents.sources.get(document.source).name.as_str();
        loop {
            let found = self.0.binary_search_by(|(one, _)| one.as_str().cmp(path));
            if let Ok(at) = found {
                return Some(self.0[at].1);
            }
            path = path.rsplit_once('/')?.0;
        }
    }

    /// Says what is wrong with the documents that are wrapped.
    fn check(&self, documents: &Documents<'a>, sink: &mut Sink) {
        let objects = documents.all.iter().filter(|document| {
            document.kind == DocumentKind::Foreign || document.kind.is_policy_template()
        });
        for document in objects.filter(|document| !document.refused && !self.0.is_empty()) {
            // A kustomization among the manifests is none of them.
            let is_object = get(document.node, "metadata").is_some()
                || get(document.node, "object-templates-raw").is_some();
            if is_object && let Some(wrapping) = self.of(document, documents) {
                let findings = super::inside::wrapped(document, documents.sources, wrapping);
                sink.diagnostics.extend(findings);
            }
        }
    }
}

/// Why an object was refused, for its row.
fn reason(admission: &Admission<'_, '_>) -> String {
    let mut findings = admission.findings.iter();
    findings
        .find(|found| found.refuses)
        .map_or_else(|| "refused".to_owned(), |found| found.message.clone())
}

/// One document, and what admission says of it: a line for each kind.
fn one<'a>(document: &Document<'a>, admission: &mut Admission<'_, 'a>) -> Option<Object<'a>> {
    let node = document.node;
    if document.kind != DocumentKind::PolicyGenerator {
        admission.metadata();
    }
    Some(match document.kind {
        DocumentKind::Policy => Object::Policy(policy::policy(node, admission)),
        DocumentKind::PolicySet => Object::Set(policy::set(node, admission)),
        DocumentKind::PlacementBinding => Object::Binding(policy::binding(node, admission)),
        DocumentKind::LegacyRule => Object::Rule(rule::rule(node, admission)),
        DocumentKind::ApplicationSet => {
            Object::ApplicationSet(Box::new(applicationset::application_set(node, admission)))
        }
        DocumentKind::GitOpsCluster => Object::GitOps(gitops::gitops_cluster(node, admission)),
        DocumentKind::Subscription => {
            Object::Subscription(subscription::subscription(node, admission))
        }
        DocumentKind::Channel => Object::Channel(admission.head.namespace(), admission.head.name),
        DocumentKind::DrPlacementControl => Object::Control(disaster::control(node, admission)),
        DocumentKind::DrPolicy => Object::DrPolicy(disaster::policy(node, admission)),
        DocumentKind::ClusterManagementAddOn => {
            Object::AddOn(Box::new(addon::addon(node, admission)))
        }
        DocumentKind::ManagedClusterAddOn => Object::Installed(addon::installed(node, admission)),
        DocumentKind::ManifestWork => Object::Work(work::work(node, admission)),
        _ => return None,
    })
}
