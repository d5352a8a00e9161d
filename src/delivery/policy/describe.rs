//! What the row of a policy says.

use serde_json::{Map, Value, json};

use super::about::About;
use crate::delivery::describe::{Describe, ways};
use crate::delivery::names::Names;
use crate::delivery::row::Row;

impl<'a> Describe<'a> for About<'a> {
    fn is_stuck(&self, row: &Row<'a>) -> bool {
        !self.disabled && row.clusters.is_clear() && !row.via.is_empty()
    }

    /// The bindings and sets that lead to placements.
    fn by(&self, row: &Row<'a>) -> String {
        if self.disabled {
            return "disabled".to_owned();
        }
        if row.via.is_empty() {
            return "not bound".to_owned();
        }
        ways(row, |via| {
            let binding = via.binding.map_or("", |binding| binding.name);
            let (kind, _, name) = via.placement;
            match via.set {
                Some(set) => format!("set {set} (binding {binding}), {kind} {name}"),
                None => format!("PlacementBinding {binding}, {kind} {name}"),
            }
        })
    }

    /// On how many clusters what is done, where that differs.
    fn more(&self) -> Option<String> {
        let remediation = self.remediation.as_ref()?;
        let unset = remediation.unset.as_ref();
        let actions = [
            (remediation.enforce.count_ones(..), "enforce"),
            (remediation.inform.count_ones(..), "inform"),
            (
                unset.map_or(0, |set| set.count_ones(..)),
                "as the templates say",
            ),
        ];
        let actions = actions.into_iter().filter(|(number, _)| *number > 0);
        let actions: Vec<String> = actions
            .map(|(number, action)| format!("{number} {action}"))
            .collect();
        (actions.len() > 1).then(|| actions.join(", "))
    }

    fn data(&self, names: &Names<'a>) -> Map<String, Value> {
        let mut data = Map::new();
        if self.disabled {
            data.insert("disabled".to_owned(), true.into());
        }
        if let Some(remediation) = &self.remediation {
            let mut actions = json!({
                "inform": names.of(&remediation.inform),
                "enforce": names.of(&remediation.enforce),
            });
            if let Some(unset) = &remediation.unset {
                actions["unset"] = names.of(unset).into();
            }
            data.insert("remediation".to_owned(), actions);
        }
        if !self.after.is_empty() {
            data.insert("after".to_owned(), self.after.clone().into());
        }
        if let Some(generator) = self.generator {
            data.insert("generatedBy".to_owned(), generator.into());
        }
        data
    }
}
