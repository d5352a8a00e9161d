//! Finds the changes after which a candidate is chosen: the smallest sets of edits, each proven by
//! planning again. The systems list the obstacles and the edits that remove each (`X::repair`); the
//! search here combines them and lets the caller prove the result.

mod pointer;
mod search;
pub mod selector;
pub mod text;

use serde_json::Value;

use crate::yaml::Op;

pub use pointer::{missing, place_of};
pub use search::{Limits, Repair, Trial, joined, rebase, search};

/// The side whose document an edit changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The candidate's.
    Candidate,
    /// The subject's.
    Subject,
}

/// Which documents may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum May {
    /// The candidate's alone.
    Candidate,
    /// The subject's alone.
    Subject,
    /// Both.
    #[default]
    Both,
}

impl May {
    /// Whether documents of this side may be changed.
    #[must_use]
    pub fn allows(self, side: Side) -> bool {
        matches!(
            (self, side),
            (Self::Both, _) | (Self::Candidate, Side::Candidate) | (Self::Subject, Side::Subject)
        )
    }
}

/// One value set or removed, or one item inserted or removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The document's index among all.
    pub document: u32,
    /// JSON Pointer into it.
    pub pointer: String,
    /// The change at that place.
    pub op: Op,
    /// The side that the document belongs to.
    pub side: Side,
}

impl Edit {
    /// Whether it changes what is observed of a thing, and not what a person declares: how things
    /// would have to be, not how they are to be. A label that says where a thing stands does not
    /// move it.
    #[must_use]
    pub fn is_observed(&self) -> bool {
        const FACTS: [&str; 3] = ["allocatable", "creationTimestamp", "timeAdded"];
        const NODES: [&str; 3] = ["known_regions", "node_counts", "nodes"];
        let mut steps = self.pointer.split('/').skip(1);
        let (first, second) = (steps.next(), steps.next());
        let of_cluster = first == Some("properties") && second.is_some_and(|s| NODES.contains(&s));
        let made = match &self.op {
            Op::Set(value) | Op::Insert(value) => value.get("allocatable").is_some(),
            Op::Remove => false,
        };
        let mut steps = self.pointer.split('/');
        let is_fact = first == Some("status") || of_cluster || made;
        is_fact || steps.any(|step| FACTS.contains(&step)) || self.is_of_location()
    }

    /// Whether it changes the location of a thing: a machine's rack, a label that names one.
    fn is_of_location(&self) -> bool {
        const LOCATIONS: [&str; 4] = ["region", "zone", "rack", "kubernetes.io/hostname"];
        let label = self.pointer.rsplit_once("/labels/");
        label.is_some_and(|(_, label)| {
            let label = label.replace("~1", "/");
            LOCATIONS.contains(&&*label) || label.starts_with("topology.kubernetes.io/")
        }) || self.pointer == "/data/metadata/rack"
    }
}

/// One way to clear an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// The changes.
    pub edits: Vec<Edit>,
    /// Whether it gives up what was asked for; such ways come last.
    pub blunt: bool,
}

/// Something that keeps a candidate from being chosen, whatever else is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// The stage.
    pub stage: String,
    /// The condition that would have to hold.
    pub needs: String,
    /// The ways to clear it; there may be none.
    pub remedies: Vec<Remedy>,
}

impl Obstacle {
    /// An obstacle without a way to clear it yet.
    #[must_use]
    pub fn new(stage: impl Into<String>, needs: impl Into<String>) -> Self {
        Self {
            stage: stage.into(),
            needs: needs.into(),
            remedies: Vec::new(),
        }
    }

    /// With one edit that clears it.
    pub fn one(&mut self, edit: Option<Edit>) {
        self.way(edit.into_iter().collect(), false);
    }

    /// With one edit that clears it by giving up what was asked for.
    pub fn blunt(&mut self, edit: Option<Edit>) {
        self.way(edit.into_iter().collect(), true);
    }

    /// With several edits that clear it together.
    pub fn way(&mut self, edits: Vec<Edit>, blunt: bool) {
        let remedy = Remedy { edits, blunt };
        if !remedy.edits.is_empty() && !self.remedies.contains(&remedy) {
            self.remedies.push(remedy);
        }
    }
}

/// A document that may be edited.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its root.
    pub node: crate::yaml::Node<'a>,
    /// Its index among all.
    pub document: u32,
    /// The side that it belongs to.
    pub side: Side,
}

impl<'a> Target<'a> {
    /// The document that holds a place.
    #[must_use]
    pub fn holding(
        documents: &crate::document::Documents<'a>,
        place: crate::source::Place,
        side: Side,
    ) -> Option<Self> {
        Some(Self::of(&documents.all[documents.holding(place)?], side))
    }

    /// This document.
    #[must_use]
    pub fn of(document: &crate::document::Document<'a>, side: Side) -> Self {
        Self {
            node: document.node,
            document: document.index,
            side,
        }
    }

    /// Sets a value.
    #[must_use]
    pub fn set(&self, pointer: impl Into<String>, value: impl Into<Value>) -> Option<Edit> {
        Some(self.edit(pointer.into(), Op::Set(value.into())))
    }

    /// Removes a value that is there.
    #[must_use]
    pub fn remove(&self, pointer: impl Into<String>) -> Option<Edit> {
        let pointer = pointer.into();
        self.node.pointer(&pointer)?;
        Some(self.edit(pointer, Op::Remove))
    }

    /// Appends an item to a list.
    #[must_use]
    pub fn append(&self, list: &str, value: impl Into<Value>) -> Option<Edit> {
        Some(self.edit(format!("{list}/-"), Op::Insert(value.into())))
    }

    fn edit(&self, pointer: String, op: Op) -> Edit {
        Edit {
            document: self.document,
            pointer,
            op,
            side: self.side,
        }
    }

    /// The pointer to the value, or the key's value, that is at a place.
    #[must_use]
    pub fn pointer_to(&self, place: crate::source::Place) -> Option<String> {
        pointer::pointer_to(self.node, place)
    }
}

/// A key as a step of a JSON Pointer.
#[must_use]
pub fn step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Every choice of one remedy from each list, as one remedy each; at most `most` of them.
#[must_use]
pub fn all_of(lists: &[Vec<Remedy>], most: usize) -> Vec<Remedy> {
    let none = Remedy {
        edits: Vec::new(),
        blunt: false,
    };
    let mut all = vec![none];
    for list in lists {
        let mut next = Vec::new();
        for left in &all {
            for right in list {
                if next.len() == most {
                    break;
                }
                let mut edits = left.edits.clone();
                edits.extend(
                    right
                        .edits
                        .iter()
                        .filter(|e| !left.edits.contains(e))
                        .cloned(),
                );
                let blunt = left.blunt || right.blunt;
                next.push(Remedy { edits, blunt });
            }
        }
        all = next;
    }
    all.retain(|remedy| !remedy.edits.is_empty());
    all
}
