//! Findings about PlacementRules.

use super::object;
use crate::delivery::follow::Deliveries;
use crate::delivery::read::Model;
use crate::delivery::rules::RULE_SELECTOR;
use crate::diagnostic::{Diagnostic, Sink};

/// What deciding for rules brought to light.
pub(super) fn planned(model: &Model<'_>, deliveries: &Deliveries<'_>, sink: &mut Sink) {
    for (rule, decided) in model.rules.iter().zip(&deliveries.ground.rules) {
        if let Some(error) = &decided.error {
            sink.push(
                Diagnostic::new(&RULE_SELECTOR, error.clone())
                    .at(rule.selector_place, "this selector")
                    .help("correct it; until then the hub keeps the existing decisions")
                    .object(object(&rule.id))
                    .not_refusing(),
            );
        }
    }
}
