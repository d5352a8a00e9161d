//! The consumers of Open Cluster Management's placements, and the clusters that each reaches.
//!
//! Nothing here changes a decision. A kind of consumer has a file in `read` (its documents), one
//! in `follow` (which clusters it reaches) and one in `render::text::delivery` (its rows); what is
//! wrong with it is in `findings`.

pub mod argo;
mod describe;
mod findings;
pub mod follow;
mod generate;
pub mod graph;
pub mod inside;
mod kept;
pub mod lost;
pub mod names;
mod read;
pub mod repair;
pub mod rules;
pub mod why;

pub use follow::addon::staged;
pub use follow::work::begun::Begun;
pub use follow::{Clusters, Deliveries, Extra, Ground, Row, Via};
pub use generate::{built, generate};
pub use inside::template::functions::all as template_functions;
pub use kept::{given, keeps};
pub use read::{
    Id, Model, Open, applicationset, decision, disaster, gitops, policy, rule, subscription,
};

use std::collections::BTreeSet;

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents, generates};
use crate::ocm;
use crate::source::Sources;

/// Reads the consumers of a site, to plan it or to review it (`validating`), and checks what their
/// documents alone say.
pub fn check<'a>(
    documents: &Documents<'a>,
    hub: &ocm::model::Model<'a>,
    validating: bool,
    jobs: usize,
    sink: &mut Sink,
) -> Model<'a> {
    let mut model = read::read(documents, validating, jobs, sink);
    model.open = Open::of(documents, generate::open(documents));
    findings::check(&model, hub, documents.sources, sink);
    model
}

/// Takes ApplicationSets over that read the clusters of an Argo CD which a GitOpsCluster fills: of
/// others the documents do not say where they go.
pub fn recognise(all: &mut [Document<'_>]) {
    let filled = |document: &&Document<'_>| document.kind == DocumentKind::GitOpsCluster;
    let argo = |document: &Document<'_>| {
        let path = ["spec", "argoServer", "argoNamespace"];
        document.node.at(&path)?.text().map(str::to_owned)
    };
    let filled: BTreeSet<String> = all.iter().filter(filled).filter_map(argo).collect();
    if filled.is_empty() {
        return;
    }
    let is_set = |document: &Document<'_>| {
        let text = |key: &str| document.node.get(key)?.text();
        let named = (text("apiVersion"), text("kind"));
        let namespace = document.namespace().unwrap_or("default");
        named == (Some("argoproj.io/v1alpha1"), Some("ApplicationSet"))
            && filled.contains(namespace)
            && generates(document.node, "clusters")
    };
    for document in all.iter_mut() {
        if document.kind == DocumentKind::Foreign && !document.refused && is_set(document) {
            document.kind = DocumentKind::ApplicationSet;
        }
    }
}

/// The objects that choose from the clusters of the hub without a Placement, or install on them:
/// how many of each kind.
#[must_use]
pub fn choosing(model: &Model<'_>) -> [(usize, &'static str); 3] {
    let rules = model.rules.iter().filter(|rule| !rule.left_alone());
    let placements = model.subscriptions.iter().flat_map(|one| &one.placement);
    let labels = placements.filter(|one| one.reference.is_none() && !one.local && one.is_remote());
    let addons = model.addons.iter();
    let addons = addons.filter(|addon| addon.follows && addon.own.is_none());
    [
        (rules.count(), "PlacementRule"),
        (labels.count(), "Subscription"),
        (addons.count(), "ClusterManagementAddOn"),
    ]
}

/// Whether there is anything to follow.
#[must_use]
pub fn has_plan(model: &Model<'_>, hub: &ocm::model::Model<'_>) -> bool {
    !model.is_empty() || !hub.decisions.is_empty()
}

/// Follows what was decided to its consumers.
#[must_use]
pub fn plan<'a>(
    model: &Model<'a>,
    hub: &ocm::model::Model<'a>,
    decided: Option<&ocm::Outcome<'a>>,
    sources: &Sources,
    sink: &mut Sink,
) -> Deliveries<'a> {
    let deliveries = reach(model, hub, decided);
    findings::planned(model, &deliveries, hub, sources, sink);
    deliveries
}

/// Follows what was decided to its consumers, and says nothing of it.
#[must_use]
pub fn reach<'a>(
    model: &Model<'a>,
    hub: &ocm::model::Model<'a>,
    decided: Option<&ocm::Outcome<'a>>,
) -> Deliveries<'a> {
    let ground = Ground::new(model, hub, decided);
    follow::follow(model, hub, decided, ground)
}
