//! From the documents of consumers to what they ask for: admission as the API server does it, then
//! decoding, of which each kind does its own.

use rustc_hash::FxHashSet;

use super::addon::read::{AddOn, Installed};
use super::application_set::read::{ApplicationSet, Foreign};
use super::disaster_recovery::read::{Control, DrPolicy};
use super::gitops::read::GitOpsCluster;
use super::model::{Channel, Model};
use super::placement_rule::read::Rule;
use super::policy::generate;
use super::policy::inside::{self, Wrapping};
use super::policy::read::{Binding, Policy, PolicySet};
use super::subscription::read::Subscription;
use super::work::read::Work;
use super::{
    addon, application_set, decision, disaster_recovery, gitops, placement_rule, policy,
    subscription, work,
};
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents, Reported, info_of};
use crate::ocm::lower::{Admission, Head, Seen, at, get, text};
use crate::parallel;
use crate::source::Text;
use crate::yaml::Node;

/// The object of a document: a variant for each kind that is read.
enum Object<'a> {
    Policy(Policy<'a>),
    Set(PolicySet<'a>),
    Binding(Binding<'a>),
    Rule(Rule<'a>),
    ApplicationSet(Box<ApplicationSet<'a>>),
    GitOps(GitOpsCluster<'a>),
    Subscription(Subscription<'a>),
    Channel(Channel<'a>),
    Control(Control<'a>),
    DrPolicy(DrPolicy<'a>),
    AddOn(Box<AddOn<'a>>),
    Installed(Installed<'a>),
    Work(Work<'a>),
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
        templates: work::read::templates(documents),
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
    let wrapped = Wrapped(generate::wrapped(documents));
    wrapped.check(documents, sink);
    let contents = parallel::map_chunks(jobs, &consumers, |document| {
        let is_policy = document.kind == DocumentKind::Policy;
        is_policy.then(|| inside::policy(document, documents.sources))
    });
    for (document, contents) in consumers.into_iter().zip(contents) {
        let mut admission = Admission::new(document, false);
        if document.kind.is_policy_template() {
            // A manifest that a generator wraps is judged as it will be in the Policy.
            if wrapped.of(document, documents).is_none() {
                sink.diagnostics
                    .extend(inside::document(document, documents.sources));
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
            Object::Channel(channel) => model.channels.push(channel),
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
    model.hub = placement_rule::read::Hub::of(documents, &model.rules);
    if !model.addons.is_empty() || !model.installed.is_empty() {
        model.configurations = addon::read::configurations(documents);
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
        model.addresses = application_set::read::addresses(documents);
    }
    if !model.controls.is_empty() {
        model.marks = disaster_recovery::read::marks(documents);
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
        let mut path = documents.sources.get(document.source()).name.as_str();
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
                let findings = inside::wrapped(document, documents.sources, wrapping);
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
        DocumentKind::Policy => Object::Policy(policy::read::policy(node, admission)),
        DocumentKind::PolicySet => Object::Set(policy::read::set(node, admission)),
        DocumentKind::PlacementBinding => Object::Binding(policy::read::binding(node, admission)),
        DocumentKind::LegacyRule => Object::Rule(placement_rule::read::rule(node, admission)),
        DocumentKind::ApplicationSet => Object::ApplicationSet(Box::new(
            application_set::read::application_set(node, admission),
        )),
        DocumentKind::GitOpsCluster => {
            Object::GitOps(gitops::read::gitops_cluster(node, admission))
        }
        DocumentKind::Subscription => {
            Object::Subscription(subscription::read::subscription(node, admission))
        }
        DocumentKind::Channel => {
            let Head { name, place, .. } = admission.head;
            let written = at(document.node, &["metadata", "namespace"]);
            Object::Channel(Channel {
                namespace: Text {
                    text: admission.head.namespace(),
                    place: written.map_or(place, Node::place),
                },
                name: Text { text: name, place },
            })
        }
        DocumentKind::DrPlacementControl => {
            Object::Control(disaster_recovery::read::control(node, admission))
        }
        DocumentKind::DrPolicy => {
            Object::DrPolicy(disaster_recovery::read::policy(node, admission))
        }
        DocumentKind::ClusterManagementAddOn => {
            Object::AddOn(Box::new(addon::read::addon(node, admission)))
        }
        DocumentKind::ManagedClusterAddOn => {
            Object::Installed(addon::read::installed(node, admission))
        }
        DocumentKind::ManifestWork => Object::Work(work::read::work(node, admission)),
        _ => return None,
    })
}
