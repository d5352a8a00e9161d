//! The things that a site can lose: clusters, nodes, racks, regions, cluster sets and labels, with
//! their places in the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::airship;
use crate::document::{Document, DocumentKind};
use crate::kit::nearest::nearest;
use crate::yaml::Node;

use super::Checked;

/// Something that a site can lose, with everything in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// A Cluster or ManagedCluster with its Nodes and scores.
    Cluster(String),
    /// A Node, by its name or `CLUSTER/NAME`, or a node of a deployment group.
    Node(String),
    /// The nodes of a rack.
    Rack(String),
    /// A region in policies and clusters, with its nodes.
    Region(String),
    /// A ManagedClusterSet; its clusters stay.
    Set(String),
    /// A label on any object, of this value or of any.
    Label(String, Option<String>),
}

/// The words before the `/`, in the order in which they are listed.
const KINDS: [&str; 6] = ["cluster", "node", "rack", "region", "set", "label"];

impl Thing {
    /// The kinds of things that are lost in turn.
    pub const LOST: [&str; 4] = ["cluster", "node", "rack", "region"];

    /// Reads `KIND/NAME`, for labels `label/KEY` or `label/KEY=VALUE`.
    ///
    /// # Errors
    /// The fault of the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = || {
            let forms: Vec<String> = KINDS[..5]
                .iter()
                .map(|kind| format!("{kind}/NAME"))
                .collect();
            format!("write {} or label/KEY[=VALUE]", forms.join(", "))
        };
        let Some((kind, name)) = text.split_once('/').filter(|(_, name)| !name.is_empty()) else {
            return Err(form());
        };
        let name = name.to_owned();
        Ok(match kind {
            "cluster" => Self::Cluster(name),
            "node" => Self::Node(name),
            "rack" => Self::Rack(name),
            "region" => Self::Region(name),
            "set" => Self::Set(name),
            "label" => match name.split_once('=') {
                Some((key, value)) => Self::Label(key.to_owned(), Some(value.to_owned())),
                None => Self::Label(name, None),
            },
            _ => {
                let near = nearest(kind, KINDS);
                let hint = near.map_or(String::new(), |near| format!("did you mean {near}? "));
                return Err(format!("{hint}{}", form()));
            }
        })
    }

    /// `cluster`, `node`, `rack`, `region`, `set` or `label`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        let at = match self {
            Self::Cluster(_) => 0,
            Self::Node(_) => 1,
            Self::Rack(_) => 2,
            Self::Region(_) => 3,
            Self::Set(_) => 4,
            Self::Label(..) => 5,
        };
        KINDS[at]
    }
}

/// `KIND/NAME`, as it is read.
impl fmt::Display for Thing {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match self {
            Self::Cluster(name)
            | Self::Node(name)
            | Self::Rack(name)
            | Self::Region(name)
            | Self::Set(name) => write!(to, "{kind}/{name}"),
            Self::Label(key, None) => write!(to, "{kind}/{key}"),
            Self::Label(key, Some(value)) => write!(to, "{kind}/{key}={value}"),
        }
    }
}

/// Where a thing is: a document by index, as a whole or one of its nodes by number.
pub(super) type Parts = BTreeSet<(u32, Option<u32>)>;

/// All things of a site and where they are.
pub(super) type Things = BTreeMap<Thing, Parts>;

/// Finds the things of a site. What Proceed has recorded, and Deployments, stay whatever is lost.
pub(super) fn things(site: &Checked<'_>) -> Things {
    let mut found = ThingFinder::default();
    for document in &site.documents.all {
        if document.record().is_none() && document.kind != DocumentKind::Deployment {
            found.document(document);
        }
    }
    for machine in airship::machines(&site.documents, &site.airship) {
        found.whole(machine.document, Thing::Node(machine.name.to_owned()));
        if let Some(rack) = machine.rack {
            found.whole(machine.document, Thing::Rack(rack.to_owned()));
        }
    }
    found.things
}

/// Finds the item of a list that has a number.
fn item(node: Node<'_>, number: u32, pointer: String, found: &mut impl FnMut(String)) {
    for (item, at) in node.items().zip(0..) {
        let own = format!("{pointer}/{at}");
        if item.number() == number {
            return found(own);
        } else {
            self::item(item, number, own, found);
        }
    }
    for (key, value) in node.entries() {
        let step = key.text().unwrap_or_default();
        let step = step.replace('~', "~0").replace('/', "~1");
        item(value, number, format!("{pointer}/{step}"), found);
    }
}

#[derive(Default)]
struct ThingFinder {
    things: Things,
}

impl ThingFinder {
    fn whole(&mut self, document: u32, thing: Thing) {
        self.things
            .entry(thing)
            .or_default()
            .insert((document, None));
    }

    fn part(&mut self, document: u32, thing: Thing, node: Node<'_>) {
        let parts = self.things.entry(thing).or_default();
        parts.insert((document, Some(node.number())));
    }

    fn document(&mut self, document: &Document<'_>) {
        let (node, at) = (document.node, document.index);
        let name = || document.name().unwrap_or_default().to_owned();
        match document.kind {
            // Names and labels of theirs are found elsewhere, or are not labels of objects.
            DocumentKind::Airship | DocumentKind::PlanTest => return,
            kind if kind.is_of_its_file() => {
                for (region, part) in super::regions_in(node) {
                    self.part(at, Thing::Region(region), part);
                }
                return;
            }
            DocumentKind::Cluster => {
                self.whole(at, Thing::Cluster(name()));
                let nodes = node.at(&["spec", "nodes"]);
                for part in nodes.into_iter().flat_map(Node::items) {
                    let own = part.get("name").and_then(Node::text).unwrap_or_default();
                    self.part(at, Thing::Node(own.to_owned()), part);
                    self.part(at, Thing::Node(format!("{}/{own}", name())), part);
                    self.labels(at, part.get("labels"));
                }
            }
            DocumentKind::Node => {
                self.whole(at, Thing::Node(name()));
                if let Some(cluster) = node.at(&["spec", "cluster"]).and_then(Node::text) {
                    self.whole(at, Thing::Node(format!("{cluster}/{}", name())));
                    self.whole(at, Thing::Cluster(cluster.to_owned()));
                }
            }
            DocumentKind::ManagedCluster => self.whole(at, Thing::Cluster(name())),
            DocumentKind::ManagedClusterSet => self.whole(at, Thing::Set(name())),
            DocumentKind::AddOnPlacementScore => {
                let cluster = document.namespace().unwrap_or_default();
                self.whole(at, Thing::Cluster(cluster.to_owned()));
            }
            _ => {}
        }
        self.labels(at, node.at(&["metadata", "labels"]));
    }

    fn labels(&mut self, document: u32, labels: Option<Node<'_>>) {
        for (key, value) in labels.into_iter().flat_map(Node::entries) {
            let key = key.text().unwrap_or_default().to_owned();
            let empty = value.is_null().then_some("");
            if let Some(text) = empty.or_else(|| value.text()) {
                let thing = Thing::Label(key.clone(), Some(text.to_owned()));
                self.part(document, thing, value);
            }
            self.part(document, Thing::Label(key, None), value);
        }
    }
}

impl<'a> Checked<'a> {
    pub(super) fn all_things(&self) -> &Things {
        self.things.get_or_init(|| things(self))
    }

    /// The things that can be lost, by kind and name; nodes of Clusters also as `CLUSTER/NAME`,
    /// labels also with their values.
    pub fn things(&self) -> impl Iterator<Item = &Thing> {
        self.all_things().keys()
    }

    /// The documents in which a thing is, and whether it is the whole of them.
    pub(crate) fn parts(&self, thing: &Thing) -> impl Iterator<Item = (&Document<'a>, bool)> {
        let parts = self.all_things().get(thing).into_iter().flatten();
        parts.filter_map(|(document, part)| {
            let document = self.documents.all.get(*document as usize)?;
            Some((document, part.is_none()))
        })
    }

    /// The items of lists that are a thing, each as its document's index and a JSON Pointer.
    pub(crate) fn items_of(&self, thing: &Thing) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        for (document, part) in self.all_things().get(thing).into_iter().flatten() {
            if let Some(part) = part {
                let root = self.documents.all[*document as usize].node;
                item(root, *part, String::new(), &mut |pointer| {
                    found.push((*document, pointer));
                });
            }
        }
        found
    }

    /// Whether the site has the thing.
    ///
    /// # Errors
    /// The name that was most likely meant, if there is one like it.
    pub fn has(&self, thing: &Thing) -> Result<(), Option<Thing>> {
        let all = self.all_things();
        if all.contains_key(thing) {
            return Ok(());
        }
        let of_kind = all.keys().filter(|other| other.kind() == thing.kind());
        let names: BTreeMap<String, &Thing> =
            of_kind.map(|other| (other.to_string(), other)).collect();
        let near = nearest(&thing.to_string(), names.keys().map(String::as_str));
        Err(near
            .and_then(|near| names.get(near))
            .map(|near| (*near).clone()))
    }
}
