//! What the row of an add-on says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::about::About;
use crate::delivery::describe::{Cells, Describe, NOTHING};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::names::Names;
use crate::delivery::row::Row;
use crate::diagnostic::Severity;
use crate::kit::named::Name;

impl<'a> Describe<'a> for About<'a> {
    fn is_stuck(&self, _: &Row<'a>) -> bool {
        false
    }

    fn title(&self, row: &Row<'a>) -> String {
        format!("Add-on {}", row.id.name)
    }

    /// The configuration of each cluster.
    fn cells(
        &self,
        row: &Row<'a>,
        deliveries: &Deliveries<'a>,
        model: &Model<'a>,
    ) -> Option<Cells> {
        let defaults: Vec<_> = model.addons[self.addon]
            .defaults
            .iter()
            .map(|one| one.object())
            .collect();
        let configs: BTreeMap<&str, _> = self
            .configs
            .iter()
            .map(|(name, all)| (*name, all))
            .collect();
        let configured = |cluster: u32| {
            let Some(all) = configs.get(deliveries.ground.names.name(cluster)) else {
                return match self.stopped {
                    Some(_) => "none goes out".to_owned(),
                    None => NOTHING.to_owned(),
                };
            };
            let objects: BTreeSet<_> = all.iter().map(|one| one.object()).collect();
            if objects == defaults.iter().copied().collect() {
                return "defaults".to_owned();
            }
            let names = all
                .iter()
                .map(|config| Name::new(config.namespace, config.name).to_string());
            names.collect::<Vec<_>>().join(", ")
        };
        let clusters = row.clusters.ones().filter_map(|at| u32::try_from(at).ok());
        let here = clusters.map(|at| (at, [row.giving(at), configured(at)]));
        Some(Cells {
            heads: ["Via", "Configuration"],
            here: here.collect(),
            gone: "the add-on is deleted".to_owned(),
        })
    }

    fn data(&self, _: &Names<'a>) -> Map<String, Value> {
        let configs = self.configs.iter().flat_map(|(cluster, configs)| {
            configs.iter().map(move |config| {
                let mut form = json!({
                    "cluster": cluster,
                    "group": config.group,
                    "resource": config.resource,
                });
                if !config.namespace.is_empty() {
                    form["namespace"] = config.namespace.into();
                }
                form["name"] = config.name.into();
                form
            })
        });
        let configs: Vec<Value> = configs.collect();
        let mut data = Map::new();
        if !configs.is_empty() {
            data.insert("configs".to_owned(), configs.into());
        }
        data
    }

    /// The add-on returns as soon as its placements select clusters again.
    fn emptied(&self) -> Severity {
        Severity::Warning
    }

    fn is_held(&self) -> bool {
        true
    }
}
