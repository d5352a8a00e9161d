//! Decisions that contradict the hub's objects, and why.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::document::DocumentKind;
use crate::hub::owners::Owners;
use crate::kit::time::parse_rfc3339;
use crate::load::{Hub, Loaded, key_of};
use crate::ocm::model::PLACEMENT_LABEL;
use crate::options::{CheckOptions, Options};
use crate::plan::Plan;
use crate::site;
use crate::source::Place;
use crate::yaml::{Node, Patch, TreeBuilder};

use super::decided::{Instead, held, moved, planned, try_plan};

/// The annotation that switches scheduling off.
const DISABLED: &str = "cluster.open-cluster-management.io/experimental-scheduling-disable";

/// A decision that contradicts the hub's objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The placement's namespace.
    pub namespace: String,
    /// Its name.
    pub placement: String,
    /// Its place in the documents, or in the snapshot if they lack it.
    pub place: Place,
    /// Clusters that would be decided.
    pub added: Vec<String>,
    /// Clusters that would not.
    pub removed: Vec<String>,
    /// How many are decided.
    pub decided: usize,
    /// Why.
    pub why: Why,
    /// The last writer, if known, and the time.
    pub by: Option<(String, String)>,
}

/// Why a decision differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The placement is being deleted.
    Deleting,
    /// Scheduling is switched off.
    Disabled,
    /// Somebody else than the controller wrote a page.
    Edited,
    /// The clusters are no more.
    Gone,
    /// A page is left over.
    StalePage,
    /// The controller has not looked since.
    Behind,
    /// Other placements were decided later, which wakes nobody: the controller looks again at an
    /// interval. This is no drift.
    Resync,
}

/// Seconds after which the controller looks at every placement again.
const RESYNC: i64 = 600;

impl Why {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Deleting => "deleting",
            Self::Disabled => "disabled",
            Self::Edited => "edited",
            Self::Gone => "gone",
            Self::StalePage => "stalePage",
            Self::Behind => "behind",
            Self::Resync => "resync",
        }
    }
}

/// A page of a placement.
struct Page<'a> {
    name: &'a str,
    clusters: BTreeSet<&'a str>,
    /// The last writer of its status, and the time.
    by: Option<(&'a str, &'a str)>,
    /// When it was written last, as far as that is known.
    written: Option<Timestamp>,
}

/// A placement as the hub has it.
struct Placement<'a> {
    place: Place,
    why: Option<Why>,
    by: Option<(String, String)>,
    /// The pages that its status lists.
    listed: BTreeSet<&'a str>,
}

type Name<'a> = (&'a str, &'a str);

/// The decisions that differ, also those that the controller will change by itself.
pub(super) fn decisions(loaded: &Loaded, at: &CheckOptions, options: &Options) -> Vec<Decision> {
    let Some(hub) = &loaded.hub else {
        return Vec::new();
    };
    let text = loaded.sources.get(hub.source).text.as_str();
    let mut placements: BTreeMap<Name<'_>, Placement<'_>> = BTreeMap::new();
    let mut pages: BTreeMap<Name<'_>, Vec<Page<'_>>> = BTreeMap::new();
    let mut clusters: BTreeMap<&str, bool> = BTreeMap::new();
    let mut instead: Instead = Vec::new();
    for (document, number) in hub.documents(text).zip(0..) {
        let node = document.node;
        let (_, namespace, name) = key_of(document.kind, node);
        match document.kind {
            DocumentKind::Placement => {
                let placement = placement(node, document.head().place());
                if placement.why.is_some() {
                    instead.push((number, scheduled(node)));
                }
                placements.insert((namespace, name), placement);
            }
            DocumentKind::PlacementDecision => {
                let label = node.at(&["metadata", "labels", PLACEMENT_LABEL]);
                if let Some(placement) = label.and_then(Node::text) {
                    let own = pages.entry((namespace, placement)).or_default();
                    own.push(page(name, node));
                }
            }
            DocumentKind::ManagedCluster => {
                clusters.insert(name, is_terminating(node));
            }
            _ => {}
        }
    }
    let checked = site::check_hub(loaded, at, &instead);
    let plan = try_plan(&checked, options);
    let (decided, would_be) = (held(&checked), planned(&plan));
    let usual = usual(pages.values().flatten());
    let none = BTreeSet::new();
    let mut found = Vec::new();
    for ((namespace, name), placement) in &placements {
        let key = ((*namespace).to_owned(), (*name).to_owned());
        let had = decided.get(&key).unwrap_or(&none);
        let Some(has) = would_be.get(&key) else {
            continue;
        };
        let Some((added, removed)) = moved(had, has) else {
            continue;
        };
        let all = &pages;
        let pages = pages
            .get(&(*namespace, *name))
            .map_or(&[][..], Vec::as_slice);
        let name_of = (*namespace, *name);
        let current = |page: &&Page<'_>| {
            let listed = placement.listed.is_empty() || placement.listed.contains(page.name);
            listed && is_numbered(page.name, name)
        };
        let other = |page: &&Page<'_>| match (page.by, usual) {
            (Some((by, _)), Some(usual)) => by != usual,
            _ => false,
        };
        let edited = pages.iter().find(other).and_then(|page| page.by);
        let is_gone = |cluster: &String| clusters.get(cluster.as_str()).copied().unwrap_or(true);
        let (why, by) = match (placement.why, edited) {
            (Some(why), _) => (why, placement.by.clone()),
            (None, Some((by, at))) => (Why::Edited, Some((by.to_owned(), at.to_owned()))),
            (None, None) if added.is_empty() && removed.iter().all(is_gone) => (Why::Gone, None),
            (None, None) if is_stale(pages, has, current) => (Why::StalePage, None),
            (None, None)
                if is_feasible(&plan, &key, had, has) && is_outrun(all, name_of, usual, hub) =>
            {
                (Why::Resync, None)
            }
            (None, None) => (Why::Behind, None),
        };
        found.push(Decision {
            namespace: key.0,
            placement: key.1,
            place: placement.place,
            added,
            removed,
            decided: had.len(),
            why,
            by,
        });
    }
    found
}

/// Whether the pages that count say what would be decided, and others stand beside them.
fn is_stale(
    pages: &[Page<'_>],
    would_be: &BTreeSet<String>,
    current: impl Fn(&&Page<'_>) -> bool,
) -> bool {
    let counted = pages.iter().filter(&current);
    let clusters: BTreeSet<&str> = counted.flat_map(|page| &page.clusters).copied().collect();
    let has_others = pages.iter().any(|page| !current(&page));
    has_others && clusters.into_iter().eq(would_be.iter().map(String::as_str))
}

/// Whether what a placement has could be decided again if others had decided otherwise: every
/// cluster passes its filters, there are as many as it would get, and others count for it.
fn is_feasible(
    plan: &Plan<'_, '_>,
    key: &(String, String),
    had: &BTreeSet<String>,
    has: &BTreeSet<String>,
) -> bool {
    let Some(outcome) = &plan.placements else {
        return false;
    };
    let placements = &outcome.placements;
    let mut placed = placements.placed.iter().filter(|placed| {
        let own = &plan.site.ocm.placements[placed.placement];
        (own.namespace, own.name) == (&*key.0, &*key.1)
    });
    let Some(placed) = placed.next().filter(|placed| placed.is_balanced()) else {
        return false;
    };
    let Some(left) = placed.filters.last() else {
        return false;
    };
    let names = placements.names.iter().zip(0..);
    let passed = names.filter(|(_, id)| left.clusters.contains(*id));
    let passed: BTreeSet<&str> = passed.map(|(name, _)| *name).collect();
    had.len() == has.len() && had.iter().all(|name| passed.contains(name.as_str()))
}

/// Whether the controller decided other placements later than this one, and so lately that it
/// need not have looked at this one again.
fn is_outrun(
    all: &BTreeMap<Name<'_>, Vec<Page<'_>>>,
    own: Name<'_>,
    usual: Option<&str>,
    hub: &Hub,
) -> bool {
    let is_decided = |page: &&Page<'_>| page.by.map(|(by, _)| by) == usual;
    let newest = |pages: &[Page<'_>]| {
        let decided = pages.iter().filter(is_decided);
        decided.filter_map(|page| page.written).max()
    };
    let since = all.get(&own).and_then(|pages| newest(pages));
    let others = all.iter().filter(|(name, _)| **name != own);
    let latest = others.filter_map(|(_, pages)| newest(pages)).max();
    let (Some(latest), Some(now)) = (latest, hub.as_of()) else {
        return false;
    };
    // Within a second nobody can tell which one was later.
    let is_later =
        since.is_none_or(|since| latest > since || (latest == since && hub.taken.is_some()));
    is_later && now.as_second() - latest.as_second() <= RESYNC
}

fn is_terminating(node: Node<'_>) -> bool {
    let time = node.at(&["metadata", "deletionTimestamp"]);
    time.is_some_and(|time| !time.is_null())
}

fn placement(node: Node<'_>, place: Place) -> Placement<'_> {
    let disabled = node.at(&["metadata", "annotations", DISABLED]);
    let by = |path: &[&str]| {
        let writer = Owners::of(DocumentKind::Placement, node).writer(path)?;
        Some((writer.name.to_owned(), writer.time.to_owned()))
    };
    let (why, by) = match (is_terminating(node), disabled) {
        (true, _) => (Some(Why::Deleting), None),
        (false, Some(value)) if value.text() == Some("true") => (
            Some(Why::Disabled),
            by(&["metadata", "annotations", DISABLED]),
        ),
        _ => (None, None),
    };
    let groups = node
        .at(&["status", "decisionGroups"])
        .into_iter()
        .flat_map(Node::items);
    let listed = groups.flat_map(|group| group.get("decisions").into_iter().flat_map(Node::items));
    Placement {
        place,
        why,
        by,
        listed: listed.filter_map(Node::text).collect(),
    }
}

/// The placement as if nothing kept the hub from scheduling it.
fn scheduled(node: Node<'_>) -> crate::yaml::Tree {
    let mut patch = Patch::default();
    let reasons = [
        node.at(&["metadata", "annotations", DISABLED]),
        node.at(&["metadata", "deletionTimestamp"]),
    ];
    for reason in reasons.into_iter().flatten() {
        patch.replaced.insert(reason.number(), None);
    }
    let mut builder = TreeBuilder::new();
    builder.copy_patched(node, &patch, &|place| place);
    builder.finish()
}

fn page<'a>(name: &'a str, node: Node<'a>) -> Page<'a> {
    let decisions = node
        .at(&["status", "decisions"])
        .into_iter()
        .flat_map(Node::items);
    let clusters = decisions.filter_map(|one| one.get("clusterName")?.text());
    let by = Owners::of(DocumentKind::PlacementDecision, node).of_status();
    let made = node.at(&["metadata", "creationTimestamp"]);
    let written = by.map(|by| by.time).or_else(|| made?.text());
    Page {
        name,
        clusters: clusters.collect(),
        by: by.map(|by| (by.name, by.time)),
        written: written.and_then(parse_rfc3339),
    }
}

/// The writer of most pages' status; among equals the controller, then by name.
fn usual<'a, 'p>(pages: impl Iterator<Item = &'p Page<'a>>) -> Option<&'a str>
where
    'a: 'p,
{
    let mut counts: BTreeMap<&'a str, usize> = BTreeMap::new();
    for (by, _) in pages.filter_map(|page| page.by) {
        *counts.entry(by).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let mut first = counts
        .into_iter()
        .filter(|(_, count)| *count == most)
        .map(|(by, _)| by);
    let names: Vec<&str> = first.by_ref().collect();
    let own = names.iter().copied().find(|name| *name == "placement");
    own.or(names.first().copied())
}

/// Whether a page is called as the controller calls them.
fn is_numbered(page: &str, placement: &str) -> bool {
    let number = page
        .strip_prefix(placement)
        .and_then(|rest| rest.strip_prefix("-decision-"));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
