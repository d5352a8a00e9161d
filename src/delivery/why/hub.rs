//! Why an add-on or a replica set of works reaches a cluster or not.

use super::Study;
use crate::delivery::follow::Row;
use crate::delivery::follow::addon::About as AddOn;
use crate::delivery::follow::work::About as Works;
use crate::diagnostic::Label;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    pub(super) fn addon(
        &self,
        about: &AddOn<'a>,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        let addon = &self.model.addons[about.addon];
        let cluster = self.deliveries.ground.names.name(number);
        let mut verdicts = Vec::new();
        if let Some(place) = addon.own {
            let reason = "installs itself: its ManagedClusterAddOns determine its clusters";
            verdicts.push(Verdict::new("lifecycle", chosen, reason).at(place, ""));
        } else if !addon.follows {
            let reason = "`Manual`: its ManagedClusterAddOns determine its clusters";
            verdicts.push(Verdict::new("install strategy", chosen, reason).at(addon.id.place, ""));
        }
        let mut ways = self.ways(row, number, chosen);
        for (install, verdict) in addon.installs.iter().zip(&mut ways) {
            verdict.at.push(Label {
                place: install.name.place,
                text: String::new(),
            });
        }
        for at in &about.missing {
            if let Some(verdict) = ways.get_mut(*at) {
                "the Placement does not exist".clone_into(&mut verdict.reason);
            }
        }
        let given = ways.iter().any(|way| way.passes);
        verdicts.append(&mut ways);
        if given && !chosen {
            let reason = "there is no ManagedCluster of that name";
            verdicts.push(Verdict::new("cluster", false, reason));
        }
        if chosen && addon.own.is_none() {
            let configs = about.configs.iter().find(|(name, _)| *name == cluster);
            let configs = configs.map_or(&[][..], |(_, configs)| configs.as_slice());
            let names: Vec<String> = configs
                .iter()
                .map(|one| match one.namespace {
                    "" => format!("{} {}", one.resource, one.name),
                    namespace => format!("{} {namespace}/{}", one.resource, one.name),
                })
                .collect();
            let reason = match (row.error.is_some(), names.is_empty()) {
                (true, _) => "no configuration is rolled out while a placement is \
                              faulty"
                    .to_owned(),
                (_, true) => "none".to_owned(),
                _ => names.join(", "),
            };
            let mut verdict = Verdict::new("configuration", row.error.is_none(), reason);
            verdict.idle = row.error.is_some();
            for config in configs {
                verdict = verdict.at(config.place, "");
            }
            verdicts.push(verdict);
        }
        verdicts
    }

    pub(super) fn works(
        &self,
        about: &Works<'a>,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        if about.bad_name {
            let reason = "namespace and name are not a valid label value: nothing is delivered";
            return vec![Verdict::new("name", false, reason).at(row.id.place, "")];
        }
        let set = &self.hub.replica_sets[about.set];
        let mut ways = self.ways(row, number, chosen);
        for (at, (reference, verdict)) in set.placements.iter().zip(&mut ways).enumerate() {
            if about.missing == Some(at) {
                "the Placement does not exist: nothing from here on is delivered"
                    .clone_into(&mut verdict.reason);
            } else if about.missing.is_some_and(|missing| missing < at) && !verdict.passes {
                "not processed: a Placement before it does not exist"
                    .clone_into(&mut verdict.reason);
            }
            verdict.at.push(Label {
                place: reference.name.place,
                text: String::new(),
            });
        }
        if chosen {
            let removal = if about.orphan {
                "stays on the cluster when its work goes (Orphan)"
            } else {
                "is deleted on the cluster when its work goes"
            };
            ways.push(Verdict::new("removal", true, removal));
        }
        ways
    }
}
