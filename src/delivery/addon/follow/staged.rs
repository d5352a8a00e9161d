//! The rollout of an add-on's configuration, one for each placement that it follows.
//!
//! The add-on itself is on all clusters from the start. A cluster belongs to the last placement
//! that has it: the rollouts of the others never learn anything of it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Field, last, seen};
use crate::delivery::addon::about::About;
use crate::delivery::addon::read::{Config, Installed};
use crate::delivery::follow::Deliveries;
use crate::delivery::groups::Placements;
use crate::delivery::model::Model;
use crate::delivery::progress;
use crate::delivery::row::{Extra, Row};
use crate::ocm;
use crate::ocm::engine::rollout::{Beginning, Faults, Groups, State, groups_of, run};
use crate::ocm::engine::{RolledOut, Waves};
use crate::ocm::model::{Model as Hub, Status};
use crate::ocm::simulate::RolloutRun;

/// The site that rollouts are run on.
#[derive(Debug, Clone, Copy)]
pub struct Site<'p, 'a> {
    /// Its consumers.
    pub model: &'p Model<'a>,
    /// Its hub.
    pub hub: &'p Hub<'a>,
    /// The decisions of its placements.
    pub decided: Option<&'p ocm::Outcome<'a>>,
    /// Whether a hub tells how far the clusters are.
    pub as_it_is: bool,
}

/// The waves of every rollout in which everything succeeds.
#[must_use]
pub fn waves<'a>(site: Site<'_, 'a>, deliveries: &Deliveries<'a>) -> Vec<Waves<'a>> {
    let runs = runs(site, deliveries, Timestamp::UNIX_EPOCH, &Faults::default());
    let waves = |one: RolloutRun<'a>| {
        let steps = one.run.ok()?.steps.into_iter();
        let started = steps.map(|step| step.started);
        let waves: Vec<Vec<&str>> = started.filter(|wave| !wave.is_empty()).collect();
        (!waves.is_empty()).then_some(Waves { of: one.of, waves })
    };
    runs.into_iter().filter_map(waves).collect()
}

/// Runs every rollout: from what the hub tells, otherwise from the start, where no cluster has its
/// configuration.
#[must_use]
pub fn runs<'a>(
    site: Site<'_, 'a>,
    deliveries: &Deliveries<'a>,
    now: Timestamp,
    faults: &Faults<'_>,
) -> Vec<RolloutRun<'a>> {
    let placements = Placements::new(site.hub, site.decided);
    let field = Field::new(site.model, &placements, &deliveries.ground);
    let mut runs = Vec::new();
    for row in &deliveries.rows {
        if let Extra::AddOn(about) = &row.extra
            && !row.via.is_empty()
        {
            field.runs(site, row, about, (now, faults), &mut runs);
        }
    }
    runs
}

impl<'a> Field<'_, 'a> {
    /// Runs the rollouts of one add-on.
    fn runs(
        &self,
        site: Site<'_, 'a>,
        row: &Row<'a>,
        about: &About<'a>,
        (now, faults): (Timestamp, &Faults<'_>),
        runs: &mut Vec<RolloutRun<'a>>,
    ) {
        let addon = &self.model.addons[about.addon];
        let groups = addon.installs.iter().map(|install| {
            let (namespace, name) = (install.namespace, install.name.text);
            let planned = self.placements.groups(namespace, name, self.ground)?;
            let is_empty = |all: &Groups<'_>| all.values().all(BTreeSet::is_empty);
            Some(match planned {
                // The clusters of a hub that is not among the documents.
                Ok(planned) if is_empty(&planned) => groups_of(site.hub, namespace, name),
                planned => planned,
            })
        });
        let groups: Vec<Option<Result<Groups<'a>, String>>> = groups.collect();
        let visible: Vec<BTreeSet<&'a str>> = groups.iter().map(seen).collect();
        let last = last(&visible);
        let none = BTreeMap::new();
        let installed = self.installed.get(addon.id.name).unwrap_or(&none);
        let every = visible.iter().flatten().copied();
        let every = super::set(self.ground.names.numbers(every));
        let configured = self.configs(addon, installed, &every, &visible);
        let configured: BTreeMap<&str, Vec<Config<'a>>> = configured.into_iter().collect();
        for (at, (install, groups)) in addon.installs.iter().zip(&groups).enumerate() {
            let own = |cluster: &&'a str| {
                last.get(cluster) == Some(&at) && !self.is_without(cluster, installed)
            };
            let state = |cluster: &'a str| {
                let wanted = configured.get(cluster).map_or(&[][..], Vec::as_slice);
                let one = installed.get(cluster).filter(|_| site.as_it_is);
                one.map(|one| progress::of_addon(one, addon, install, wanted))
                    .unwrap_or_else(|| progress::of_new(wanted))
            };
            let mut before = BTreeMap::new();
            let run = match (&about.stopped, groups) {
                (_, None) => continue,
                (Some(why), _) | (None, Some(Err(why))) => Err(why.clone()),
                (None, Some(Ok(groups))) => {
                    let (own, silent) = visible[at].iter().copied().partition(own);
                    let begin = begin(own, silent, state);
                    if site.as_it_is {
                        before = begin.statuses();
                    }
                    run(groups, &self.strategy(install), begin, now, faults)
                }
            };
            let blocked = about.blocked.iter().filter(|one| one.install == at);
            let blocked = blocked.flat_map(|one| one.clusters.iter().copied());
            runs.push(RolloutRun {
                of: RolledOut::AddOn {
                    name: row.id.name,
                    placement: (install.namespace, install.name.text),
                },
                blocked: blocked.filter(|one| configured.contains_key(one)).collect(),
                before,
                run,
            });
        }
    }

    /// Whether a cluster is known not to be there. Where no ManagedCluster is among the documents,
    /// all of them are on the hub.
    fn is_without(&self, cluster: &str, installed: &BTreeMap<&'a str, &Installed<'a>>) -> bool {
        !self.ground.hub.is_clear() && self.is_absent(cluster, installed)
    }
}

/// The state before the first step.
fn begin<'a>(
    own: BTreeSet<&'a str>,
    silent: BTreeSet<&'a str>,
    state: impl Fn(&'a str) -> progress::Progress,
) -> Beginning<'a> {
    let known = own.into_iter().map(|cluster| {
        let (status, since) = state(cluster);
        State {
            cluster,
            status,
            since,
            recheck: None,
        }
    });
    let known: Vec<State<'a>> = known.collect();
    // Where all of them wait, steps start them as if nothing were known, which is faster.
    let all_wait = known.iter().all(|one| one.status == Status::ToApply);
    Beginning {
        known: if all_wait { Vec::new() } else { known },
        silent,
    }
}
