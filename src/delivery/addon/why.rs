//! Why an add-on reaches a cluster or not.

use super::about::About;
use crate::delivery::consumer::Links;
use crate::delivery::row::{Extra, Row};
use crate::delivery::why::study::Study;
use crate::diagnostic::Label;
use crate::why::Verdict;

/// The verdicts of every link to an add-on.
pub(super) fn links<'q, 'a>(study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
    let Extra::AddOn(about) = &row.extra else {
        return Box::new(|_, _| Vec::new());
    };
    Box::new(move |number, chosen| study.addon(about, row, number, chosen))
}

impl<'a> Study<'_, 'a> {
    fn addon(&self, about: &About<'a>, row: &Row<'a>, number: u32, chosen: bool) -> Vec<Verdict> {
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
                text: "".into(),
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
}
