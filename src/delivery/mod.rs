//! The consumers of Open Cluster Management's placements, and the clusters that each reaches.
//!
//! Nothing here changes a decision. Each kind of consumer is a folder: its documents (`read`), the
//! clusters that it reaches (`follow`), its faults (`findings`), its reasons (`why`) and the edits
//! that would bring a cluster in (`repair`). The files beside them hold what all kinds share, and
//! the lists of all kinds: `model`, `read`, `follow`, `findings`, `why`, `repair`.

pub mod addon;
pub mod application_set;
mod consumer;
pub mod decided;
pub mod decision;
pub mod describe;
pub mod disaster_recovery;
mod doubt;
mod findings;
pub mod follow;
pub mod gitops;
pub mod graph;
pub mod ground;
mod groups;
pub mod id;
mod kept;
mod kinds;
pub mod lost;
pub mod model;
pub mod names;
mod open;
pub mod pages;
pub mod placement_rule;
pub mod policy;
pub(crate) mod progress;
mod read;
pub mod repair;
pub mod row;
pub mod rules;
pub mod subscription;
pub mod why;
pub mod work;

pub use kept::{given, keeps};

use std::collections::BTreeSet;

use self::consumer::Followed;
use self::follow::Deliveries;
use self::ground::Ground;
use self::model::Model;
use self::open::Open;
use self::policy::generate;
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
pub fn reach<'a>(
    model: &Model<'a>,
    hub: &ocm::model::Model<'a>,
    decided: Option<&ocm::Outcome<'a>>,
) -> Deliveries<'a> {
    let ground = Ground::new(model, hub, decided);
    follow::follow(model, hub, decided, ground)
}

/// Says what is wrong with where decisions lead.
pub fn judge<'a>(
    model: &Model<'a>,
    hub: &ocm::model::Model<'a>,
    deliveries: &Deliveries<'a>,
    sources: &Sources,
    sink: &mut Sink,
) {
    let followed = Followed {
        model,
        hub,
        deliveries,
        sources,
    };
    findings::planned(followed, sink);
}
