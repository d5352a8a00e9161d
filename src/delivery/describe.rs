//! A consumer in a phrase: how it comes to its clusters, and whether it should reach some and does
//! not.

use super::policy::about::About;
use super::row::{Extra, Row, Via};

/// Ways to clusters that are named.
const WAYS: usize = 2;

impl<'a> Row<'a> {
    /// Whether it should reach clusters and does not: a line for each kind.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        match &self.extra {
            Extra::None => self.clusters.is_clear(),
            Extra::ApplicationSet(about) => self.clusters.is_clear() && about.applications == 0,
            Extra::AddOn(_) | Extra::Works(_) => false,
            Extra::Policy(about) => {
                !about.disabled && self.clusters.is_clear() && !self.via.is_empty()
            }
        }
    }

    /// By what it comes to its clusters: a line for each kind.
    #[must_use]
    pub fn by(&self) -> String {
        match &self.extra {
            Extra::None if self.via.is_empty() => "the labels of clusters".to_owned(),
            Extra::None | Extra::ApplicationSet(_) | Extra::AddOn(_) | Extra::Works(_) => self
                .ways(|via| {
                    let (kind, namespace, name) = via.placement;
                    format!("{kind} {namespace}/{name}")
                }),
            Extra::Policy(about) => self.by_bindings(about),
        }
    }

    /// The bindings and sets that lead to placements.
    fn by_bindings(&self, about: &About<'_>) -> String {
        if about.disabled {
            return "disabled".to_owned();
        }
        if self.via.is_empty() {
            return "not bound".to_owned();
        }
        self.ways(|via| {
            let binding = via.binding.map_or("", |binding| binding.name);
            let (kind, _, name) = via.placement;
            match via.set {
                Some(set) => format!("set {set} (binding {binding}), {kind} {name}"),
                None => format!("PlacementBinding {binding}, {kind} {name}"),
            }
        })
    }

    /// The first ways that give clusters, or the first ones at all.
    fn ways(&self, name: impl Fn(&Via<'a>) -> String) -> String {
        let giving = |via: &&Via<'_>| !via.restricted && !via.clusters.is_clear();
        let mut all: Vec<&Via<'_>> = self.via.iter().filter(giving).collect();
        if all.is_empty() {
            all = self.via.iter().collect();
        }
        let first: Vec<String> = all.iter().take(WAYS).map(|via| name(via)).collect();
        let more = match all.len().saturating_sub(WAYS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        first.join("; ") + &more
    }
}
