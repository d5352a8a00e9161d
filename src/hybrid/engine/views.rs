//! The fields of an object that rules read. A rule that reads the same of every object decides the
//! same.

use super::super::model::{BuiltIn, Inventory, Model, ObjectId, PlacementRule, Source};
use super::advisors::compliance;
use super::candidates::CandidateFinder;

/// An object of a model.
#[derive(Debug, Clone, Copy)]
pub struct View<'m, 'a> {
    /// The model.
    pub model: &'m Model<'a>,
    /// The object.
    pub object: ObjectId,
}

impl View<'_, '_> {
    fn label(&self, key: &str) -> Option<&str> {
        self.model.inventory.label(self.object, key)
    }
}

/// The rules of the first model that read something else of the object in the second one: it
/// becomes or ceases to be a candidate, or an advisor asks for a figure or label that differs. Its
/// identity is the same in both models, and so are all other objects.
#[must_use]
pub fn seen_otherwise<'m, 'a>(was: View<'m, 'a>, is: View<'_, 'a>) -> Vec<&'m PlacementRule<'a>> {
    let (mut before, mut after) = (
        CandidateFinder::new(was.model),
        CandidateFinder::new(is.model),
    );
    let rules = was.model.placement_rules.iter();
    let otherwise = rules.filter(|rule| {
        let (had, has) = (before.takes(rule, was.object), after.takes(rule, is.object));
        let differs = || {
            let mut advisors = rule.advisors.iter();
            advisors.any(|advisor| differs(&advisor.source, was, is))
        };
        had != has || had && differs()
    });
    otherwise.collect()
}

/// Whether an advisor may answer differently about an object. Given answers depend on names alone.
fn differs(source: &Source<'_>, was: View<'_, '_>, is: View<'_, '_>) -> bool {
    let Source::BuiltIn(advisor) = source else {
        return false;
    };
    let label = |key: &str| was.label(key) != is.label(key);
    match advisor {
        BuiltIn::ResourceHint { resource, .. } => {
            let amount =
                |inventory: &Inventory<'_>, id| inventory.resource(id, resource).map(str::to_owned);
            amount(&was.model.inventory, was.object) != amount(&is.model.inventory, is.object)
        }
        BuiltIn::Cost { label: key, .. } => label(key),
        BuiltIn::Policies(names) => {
            let mut names = names.iter();
            names.any(|name| label(&compliance(name)))
        }
        BuiltIn::Labels(selector) => {
            let matches = |view: View<'_, '_>| selector.matches(|key| view.label(key));
            matches(was) != matches(is)
        }
        BuiltIn::Alphabet | BuiltIn::Veto(_) => false,
    }
}
