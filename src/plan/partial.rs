//! Partial plans: refused documents are left out, and the subjects they may concern are marked.
//!
//! Only objects of Open Cluster Management can be left out: each decides few things. What another
//! system refuses may change all that it plans.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::{Plan, has_plan};
use crate::delivery::row::Row;
use crate::document::{Document, DocumentKind, KINDS, System};
use crate::kustomize::{self, Status};
use crate::load::BuiltRoot;
use crate::ocm::model::{
    CLUSTER_SET_LABEL, DEFAULT_SET, GLOBAL_SET, Model, PLACEMENT_LABEL, Placement, SetSelector,
};
use crate::site::{Checked, Refusal};
use crate::source::Place;

/// The parts that a plan leaves out, and the subjects that they may concern.
#[derive(Debug, Clone, Default)]
pub struct Partial {
    /// The refused documents in the order of their places, then the parts that are not built.
    pub left_out: Vec<LeftOut>,
    /// Placements that they may concern, by namespace and name, with the numbers of the documents.
    pub placements: BTreeMap<(String, String), BTreeSet<usize>>,
    /// Consumers that they may concern, by kind, namespace and name.
    pub deliveries: BTreeMap<(&'static str, String, String), BTreeSet<usize>>,
}

/// Why nothing is planned where documents were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Something was refused that cannot be left out.
    Refused,
    /// So many Placements were refused, of so many.
    Placements(usize, usize),
    /// Nothing else is there to plan.
    NothingElse,
}

/// The kind of a part that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A document that was refused.
    Document,
    /// An object that several documents define in different ways.
    Doubled,
    /// A kustomization that is not built.
    Kustomization,
    /// A part of a kustomization that is not built.
    Part(kustomize::What),
}

/// Something that is left out.
#[derive(Debug, Clone)]
pub struct LeftOut {
    /// Its kind.
    pub what: What,
    /// The kustomization that it is a part of.
    pub root: Option<String>,
    /// Its kind, where it names one.
    pub kind: Option<String>,
    /// Its namespace, where it names one.
    pub namespace: Option<String>,
    /// Its name, where it can be read.
    pub name: Option<String>,
    /// Where it is.
    pub place: Place,
    /// Where else it is defined, and what else has to do with it.
    pub also: Vec<Place>,
    /// Why.
    pub reason: String,
    /// How many documents of which kinds stand in the files of a kustomization that is not built.
    pub kinds: BTreeMap<&'static str, usize>,
}

impl LeftOut {
    /// Its kind and name, as far as they are known.
    #[must_use]
    pub fn title(&self) -> String {
        let otherwise = match self.what {
            What::Document | What::Doubled => "a document",
            What::Kustomization => "kustomization",
            What::Part(kustomize::What::Plugin) => "generator",
            What::Part(part) => part.nouns().0,
        };
        let kind = self.kind.as_deref().unwrap_or(otherwise);
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => format!("{kind} {namespace}/{name}"),
            (None, Some(name)) => format!("{kind} {name}"),
            (_, None) => kind.to_owned(),
        }
    }
}

impl Partial {
    /// The names of the documents that are missing for a Placement.
    #[must_use]
    pub fn without(&self, namespace: &str, name: &str) -> Vec<String> {
        let key = (namespace.to_owned(), name.to_owned());
        self.titles(self.placements.get(&key))
    }

    /// The names of the documents that are missing for a consumer.
    #[must_use]
    pub fn without_for(&self, kind: &'static str, namespace: &str, name: &str) -> Vec<String> {
        let key = (kind, namespace.to_owned(), name.to_owned());
        self.titles(self.deliveries.get(&key))
    }

    fn titles(&self, numbers: Option<&BTreeSet<usize>>) -> Vec<String> {
        let numbers = numbers.into_iter().flatten();
        numbers.map(|at| self.left_out[*at].title()).collect()
    }
}

/// The parts that kustomizations are built without, and the kustomizations that are not built at
/// all, although nothing is wrong with them.
#[must_use]
pub fn missing(site: &Checked<'_>) -> Vec<LeftOut> {
    let missing = site.loaded.builds.missing();
    let left_out = |(root, part): (&BuiltRoot, &kustomize::LeftOut)| {
        let (what, name, reason) = match root.status {
            Status::No => (What::Kustomization, &root.name, part.stops()),
            _ => (What::Part(part.what), &part.name, part.reason().to_owned()),
        };
        LeftOut {
            what,
            root: Some(root.name.clone()),
            kind: None,
            namespace: None,
            name: Some(name.clone()),
            place: part.place,
            also: Vec::new(),
            reason,
            kinds: site.loaded.builds.kinds_of(&[&root.name]),
        }
    };
    missing.map(left_out).collect()
}

/// The documents that a plan of a site leaves out because they were refused.
///
/// # Errors
///
/// If there is nothing else to plan, or a plan of the rest would be misleading.
pub fn of(site: &Checked<'_>, refusals: &[Refusal<'_, '_>]) -> Result<Partial, Obstacle> {
    if refusals.is_empty() || !refusals.iter().all(|one| can_be_left_out(site, one)) {
        return Err(Obstacle::Refused);
    }
    let left_out = refusals.iter().map(|refusal| left_out(site, refusal));
    let left_out: Vec<LeftOut> = left_out.collect();
    // No hub has ever had those of a version that it does not serve.
    let served = refusals.iter().zip(&left_out);
    let served = served.filter(|(refusal, _)| !is_unserved(refusal));
    let lost = served.filter(|(_, one)| one.kind.as_deref() == Some("Placement"));
    let lost: BTreeSet<_> = lost.map(|(_, one)| (&one.namespace, &one.name)).collect();
    let lost = lost.len();
    let all = site.ocm.placements.len() + lost;
    if lost * 2 > all {
        return Err(Obstacle::Placements(lost, all));
    }
    let remains = System::ALL.into_iter().any(|system| has_plan(site, system));
    // Whatever kustomizations would make is not known, and they may be all that there is.
    let is_unbuilt = refusals.iter().all(|one| !one.not_built.is_empty());
    if !remains && !is_unbuilt {
        return Err(Obstacle::NothingElse);
    }
    Ok(Partial {
        left_out,
        ..Partial::default()
    })
}

/// Whether the refused document is of a known kind in a version that is not served.
fn is_unserved(refusal: &Refusal<'_, '_>) -> bool {
    let documents = &refusal.documents;
    let is_foreign = |one: &&Document<'_>| one.kind == DocumentKind::Foreign;
    !documents.is_empty() && documents.iter().all(is_foreign)
}

/// Whether the refusal concerns single objects that can be named.
fn can_be_left_out(site: &Checked<'_>, refusal: &Refusal<'_, '_>) -> bool {
    // A PlacementRule may choose among all clusters.
    let read_twice =
        |kind| kind == DocumentKind::ManagedCluster && !site.hybrid.placement_rules.is_empty();
    let is_of_ocm = |document: &&Document<'_>| match document.kind.system() {
        Some(System::Ocm) => !read_twice(document.kind),
        Some(_) => false,
        None => {
            let version = document
                .node
                .get("apiVersion")
                .and_then(|version| version.text());
            let group = version.and_then(|version| version.split('/').next());
            group.is_some_and(|group| group.ends_with("open-cluster-management.io"))
        }
    };
    let of_text = match (refusal.text, refusal.kind) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(name)) => KINDS.iter().any(|info| {
            info.name == name && info.kind.system() == Some(System::Ocm) && !read_twice(info.kind)
        }),
    };
    of_text && refusal.documents.iter().all(is_of_ocm)
}

fn left_out(site: &Checked<'_>, refusal: &Refusal<'_, '_>) -> LeftOut {
    let object = refusal.documents.first().map(|document| document.object());
    let known = |text: String| (!text.is_empty()).then_some(text);
    let (kind, namespace, name) = match object {
        Some(object) => (known(object.kind), object.namespace, known(object.name)),
        None if !refusal.not_built.is_empty() => (None, None, Some(refusal.not_built.join(", "))),
        None => (refusal.kind.map(str::to_owned), None, None),
    };
    LeftOut {
        what: match (refusal.not_built.is_empty(), refusal.documents.len()) {
            (false, _) => What::Kustomization,
            (true, 0 | 1) => What::Document,
            (true, _) => What::Doubled,
        },
        root: None,
        kind,
        namespace,
        name,
        place: refusal.place,
        also: refusal.also.clone(),
        reason: refusal.reason.clone(),
        kinds: site.loaded.builds.kinds_of(&refusal.not_built),
    }
}

/// Marks the subjects that the refused documents may concern.
pub(super) fn mark(plan: &Plan<'_, '_>, refusals: &[Refusal<'_, '_>], partial: &mut Partial) {
    let site = plan.site;
    let outcome = plan.placements.as_ref();
    for placed in outcome.into_iter().flat_map(|all| &all.placements.placed) {
        let placement = &site.ocm.placements[placed.placement];
        let concerns =
            |refusal: &Refusal<'_, '_>| concerns(&site.ocm, placement, &placed.eligible, refusal);
        let numbers = (0..).zip(refusals);
        let numbers = numbers.filter(|(_, refusal)| concerns(refusal));
        let numbers: BTreeSet<usize> = numbers.map(|(at, _)| at).collect();
        if !numbers.is_empty() {
            let key = (placement.namespace.to_owned(), placement.name.to_owned());
            partial.placements.insert(key, numbers);
        }
    }
    let named: Vec<Named<'_>> = refusals.iter().map(Named::of).collect();
    for row in plan.deliveries.iter().flat_map(|all| &all.rows) {
        let mut texts: FxHashSet<&str> = FxHashSet::default();
        for document in site.holders(row.id.place) {
            texts.extend(document.texts().into_iter().map(last_part));
        }
        let numbers = (0..).zip(&named);
        let numbers = numbers.filter(|(_, one)| one.touches(row, &texts));
        let mut numbers: BTreeSet<usize> = numbers.map(|(at, _)| at).collect();
        for via in &row.via {
            let (kind, namespace, name) = via.placement;
            let key = (namespace.to_owned(), name.to_owned());
            let marked = partial.placements.get(&key);
            numbers.extend(marked.filter(|_| kind == "Placement").into_iter().flatten());
        }
        if !numbers.is_empty() {
            let (namespace, name) = (row.id.namespace.to_owned(), row.id.name.to_owned());
            partial
                .deliveries
                .insert((row.id.kind, namespace, name), numbers);
        }
    }
}

/// Whether a Placement might decide differently with the refused document.
fn concerns(
    model: &Model<'_>,
    placement: &Placement<'_>,
    eligible: &[&str],
    refusal: &Refusal<'_, '_>,
) -> bool {
    let kind = kind_of(refusal);
    let name = refusal.documents.first().and_then(|one| one.name());
    let in_namespace = refusal.documents.is_empty()
        || refusal
            .documents
            .iter()
            .any(|document| document.namespace().unwrap_or("default") == placement.namespace);
    let takes = |set: Option<&str>| {
        let mut named = placement.cluster_sets.iter();
        named.len() == 0 || set.is_none_or(|set| named.any(|one| one.text == set))
    };
    match kind {
        Some(DocumentKind::ManagedCluster) => {
            let labels = refusal.documents.iter().map(|one| one.labels());
            let labels: Vec<_> = labels.collect();
            let may_be = |set: &&str| {
                let mut all = labels.iter();
                all.any(|labels| may_be_in(model, set, labels.as_deref()))
            };
            labels.is_empty() || eligible.iter().any(may_be)
        }
        Some(DocumentKind::ManagedClusterSet) => {
            let mut bindings = model.bindings.iter();
            let bound = bindings.any(|binding| {
                binding.namespace == placement.namespace
                    && name.is_none_or(|name| binding.name == name)
            });
            bound && takes(name)
        }
        Some(DocumentKind::ManagedClusterSetBinding) => in_namespace && takes(name),
        Some(DocumentKind::AddOnPlacementScore) => {
            let mut add_ons = placement
                .configurations
                .iter()
                .filter_map(|one| one.coordinate.add_on);
            add_ons.any(|(resource, _)| name.is_none_or(|name| name == resource))
        }
        Some(DocumentKind::PlacementDecision) => {
            let owner = refusal.documents.first().and_then(|document| {
                let labels = document.node.at(&["metadata", "labels"])?;
                labels.get(PLACEMENT_LABEL)?.text()
            });
            in_namespace && owner.is_none_or(|owner| owner == placement.name)
        }
        _ => false,
    }
}

/// The kind of the refused document, in whatever version.
fn kind_of(refusal: &Refusal<'_, '_>) -> Option<DocumentKind> {
    let named = |name: &str| {
        let mut kinds = KINDS.iter();
        let info = kinds.find(|info| info.kind.system() == Some(System::Ocm) && info.name == name);
        info.map(|info| info.kind)
    };
    match refusal.documents.first() {
        Some(document) if document.kind == DocumentKind::Foreign => named(&document.object().kind),
        Some(document) => Some(document.kind),
        None => refusal.kind.and_then(named),
    }
}

/// Whether a cluster of these labels may belong to a set.
fn may_be_in(model: &Model<'_>, set: &str, labels: Option<&[(&str, &str)]>) -> bool {
    let Some(labels) = labels else {
        return true;
    };
    let value = |wanted: &str| {
        let mut pairs = labels.iter();
        pairs
            .find(|(key, _)| *key == wanted)
            .map(|(_, value)| *value)
    };
    let written = model.sets.iter().find(|one| one.name == set);
    match written.map(|one| &one.selector) {
        Some(SetSelector::Labels(selector, _)) => {
            let parsed = selector
                .as_ref()
                .and_then(|selector| selector.compile().ok());
            parsed.is_some_and(|parsed| parsed.matches(value))
        }
        _ if set == GLOBAL_SET => true,
        _ => value(CLUSTER_SET_LABEL).unwrap_or(DEFAULT_SET) == set,
    }
}

/// The names of a refused document.
struct Named<'s> {
    /// Its namespaces; none where it lies in no namespace, or in one that is not known.
    namespaces: Vec<&'s str>,
    /// Its own names.
    names: Vec<&'s str>,
    /// The texts that may name other documents.
    texts: FxHashSet<&'s str>,
}

impl<'s> Named<'s> {
    fn of(refusal: &'s Refusal<'_, '_>) -> Self {
        let documents = &refusal.documents;
        let mut texts = FxHashSet::default();
        for document in documents {
            texts.extend(document.texts().into_iter().map(last_part));
        }
        let own = refusal.text.into_iter().flat_map(names_in_text);
        let own: Vec<&str> = own.collect();
        texts.extend(own.iter().copied());
        let names = documents.iter().filter_map(|one| one.name());
        Self {
            namespaces: documents.iter().filter_map(|one| one.namespace()).collect(),
            names: names.chain(own).collect(),
            texts,
        }
    }

    /// Whether a consumer, of which `texts` are all the texts, names it or is named by it.
    fn touches(&self, row: &Row<'_>, texts: &FxHashSet<&str>) -> bool {
        let together = self.namespaces.is_empty()
            || row.id.namespace.is_empty()
            || self.namespaces.contains(&row.id.namespace);
        let via = || {
            let placements = row.via.iter().map(|via| via.placement.2);
            let bindings = row.via.iter().filter_map(|via| Some(via.binding?.name));
            let sets = row.via.iter().filter_map(|via| via.set);
            placements.chain(bindings).chain(sets)
        };
        together
            && (self.texts.contains(row.id.name)
                || self.names.iter().any(|name| texts.contains(name))
                || via().any(|name| self.names.contains(&name)))
    }
}

/// The last part of a name such as `namespace/name`.
fn last_part(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// The names in a text that is not YAML.
fn names_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim_start_matches([' ', '-']);
        let name = line.strip_prefix("name:")?.split(" #").next()?;
        let name = name.trim().trim_matches(['"', '\'']);
        (!name.is_empty()).then_some(name)
    })
}
