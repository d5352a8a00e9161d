//! What a loss does to one subject.

use super::Loss;
use crate::kit::named::Name;

/// A subject that a loss leaves without a place, or moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect<'l> {
    /// The noun for it.
    pub noun: &'static str,
    /// Its name; of a delivery `KIND/NAMESPACE/NAME`.
    pub name: Name<'l>,
    /// Whether it is left without a place.
    pub unplaced: bool,
}

impl Loss {
    /// The subjects that it touches, system by system. A region that is lost itself is none.
    #[must_use]
    pub fn effects(&self) -> Vec<Effect<'_>> {
        let effect = |noun, namespace, name, unplaced| Effect {
            noun,
            name: Name::new(namespace, name),
            unplaced,
        };
        let groups = self.groups.failed.iter().chain(&self.groups.by_dependency);
        let mut all: Vec<_> = groups.map(|name| effect("group", "", name, true)).collect();
        all.extend(self.applications.iter().map(|one| {
            let (package, name) = (&one.package, &one.application);
            effect("Application", package, name, one.to.is_none())
        }));
        all.extend(
            self.placements
                .iter()
                .map(|one| effect("Placement", &one.namespace, &one.name, one.is_unplaced())),
        );
        all.extend(self.rules.iter().map(|one| {
            let namespace = one.namespace.as_deref().unwrap_or_default();
            effect("PlacementRule", namespace, &one.name, one.is_unplaced())
        }));
        let (unreached, moved) = (&self.deliveries.unreached, &self.deliveries.moved);
        all.extend(
            unreached
                .iter()
                .map(|one| effect("delivery", "", one.text(), true)),
        );
        all.extend(
            moved
                .iter()
                .map(|one| effect("delivery", "", one.text(), false)),
        );
        let regions = self
            .regions
            .iter()
            .filter(|one| one.failed || one.to.is_some());
        all.extend(regions.map(|one| effect("Region", &one.path, &one.name, one.failed)));
        all
    }
}
