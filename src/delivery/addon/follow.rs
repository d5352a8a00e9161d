//! Which clusters an add-on is installed on, and how it is configured there.
//!
//! Upstream: `addonmanagement/addon_install_reconciler.go`, `addonconfiguration/graph.go` and
//! `cmainstallprogression/controller.go` of open-cluster-management.io/ocm.

pub mod staged;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::about::{About, Blocked};
use super::read::{AddOn, Config, Install, Installed};
use crate::delivery::ground::Ground;
use crate::delivery::groups::Placements;
use crate::delivery::model::Model;
use crate::delivery::names::Clusters;
use crate::delivery::row::{Extra, Row, Via};
use crate::ocm::engine::rollout::{self, Groups, reached};
use crate::ocm::model::{Strategy, StrategyKind};

/// The add-ons of a site on their clusters.
struct Field<'p, 'a> {
    model: &'p Model<'a>,
    placements: &'p Placements<'p, 'a>,
    ground: &'p Ground<'a>,
    /// The ManagedClusterAddOns by the name of their add-on.
    installed: FxHashMap<&'a str, BTreeMap<&'a str, &'p Installed<'a>>>,
}

/// The row of every add-on.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    placements: &Placements<'_, 'a>,
    ground: &Ground<'a>,
) -> Vec<Row<'a>> {
    let field = Field::new(model, placements, ground);
    (0..model.addons.len()).map(|at| field.row(at)).collect()
}

impl<'p, 'a> Field<'p, 'a> {
    fn new(
        model: &'p Model<'a>,
        placements: &'p Placements<'p, 'a>,
        ground: &'p Ground<'a>,
    ) -> Self {
        let mut installed: FxHashMap<&'a str, BTreeMap<&'a str, &'p Installed<'a>>> =
            FxHashMap::default();
        for one in &model.installed {
            let on = installed.entry(one.id.name).or_default();
            on.insert(one.id.namespace, one);
        }
        Self {
            model,
            placements,
            ground,
            installed,
        }
    }

    fn row(&self, at: usize) -> Row<'a> {
        let addon = &self.model.addons[at];
        let none = BTreeMap::new();
        let installed = self.installed.get(addon.id.name).unwrap_or(&none);
        let names = &self.ground.names;
        let on = set(names.numbers(installed.keys().copied()));
        let follows = addon.follows && addon.own.is_none();
        let was = if follows {
            self.was(addon, installed, &on)
        } else {
            (!installed.is_empty()).then(|| on.clone())
        };
        let mut row = Row {
            id: addon.id,
            via: Vec::new(),
            clusters: Arc::new(on.clone()),
            was: was.map(Arc::new),
            error: None,
            extra: Extra::None,
        };
        let mut about = About {
            addon: at,
            ..About::default()
        };
        if !follows {
            if addon.own.is_none() {
                about.configs = self.configs(addon, installed, &row.clusters, &[]);
            }
            row.extra = Extra::AddOn(Box::new(about));
            return row;
        }
        let mut errors = Vec::new();
        let mut required = FixedBitSet::new();
        let mut groups = Vec::with_capacity(addon.installs.len());
        for (at, install) in addon.installs.iter().enumerate() {
            let found = self
                .placements
                .groups(install.namespace, install.name.text, self.ground);
            let clusters = self.planned(install, found.is_some());
            required.union_with(&clusters);
            if found.is_none() {
                about.missing.push(at);
            }
            groups.push(found);
            row.via.push(Via {
                binding: None,
                set: None,
                placement: ("Placement", install.namespace, install.name.text),
                clusters,
                restricted: false,
            });
        }
        // Where it is installed already it stays.
        let has = |number: usize| row.was.as_ref().is_some_and(|was| was.contains(number));
        let absent = |number: &usize| !has(*number) && !self.ground.hub.contains(*number);
        let without: Vec<usize> = required.ones().filter(absent).collect();
        let mut clusters = required;
        for number in &without {
            clusters.remove(*number);
        }
        let visible = self.progress(addon, installed, groups, &mut about, &mut errors);
        if errors.is_empty() {
            about.configs = self.configs(addon, installed, &clusters, &visible);
        } else {
            about.stopped = Some(errors.join("; "));
        }
        let gone = without
            .iter()
            .filter_map(|number| u32::try_from(*number).ok());
        let mut gone: Vec<&str> = gone.map(|number| names.name(number)).collect();
        gone.sort_unstable();
        errors.extend(
            gone.iter()
                .map(|name| format!("ManagedCluster {name} does not exist")),
        );
        row.clusters = Arc::new(clusters);
        row.error = (!errors.is_empty()).then(|| errors.join("; "));
        row.extra = Extra::AddOn(Box::new(about));
        row
    }

    fn planned(&self, install: &Install<'a>, exists: bool) -> Clusters {
        use crate::delivery::policy::read::Selects;
        let chosen = self
            .ground
            .chosen(Selects::Placement, install.namespace, install.name.text);
        let chosen = chosen.filter(|_| exists);
        chosen
            .map(|chosen| Arc::clone(&chosen.planned))
            .unwrap_or_default()
    }

    /// The clusters that have it by what the documents hold.
    fn was(
        &self,
        addon: &AddOn<'a>,
        installed: &BTreeMap<&'a str, &Installed<'a>>,
        on: &FixedBitSet,
    ) -> Option<FixedBitSet> {
        if installed.values().any(|one| one.owned) {
            return Some(on.clone());
        }
        let installs = addon.installs.iter();
        let held = installs.filter_map(|one| self.ground.held(one.namespace, one.name.text));
        let held: Vec<&Clusters> = held.collect();
        if held.is_empty() && installed.is_empty() {
            return None;
        }
        let mut was = on.clone();
        for held in held {
            was.union_with(held);
        }
        Some(was)
    }

    /// Goes through the placements as the rollout of configurations does: what stops it, and the
    /// clusters of the groups that it sees.
    fn progress(
        &self,
        addon: &AddOn<'a>,
        installed: &BTreeMap<&'a str, &Installed<'a>>,
        groups: Vec<Option<Result<Groups<'a>, String>>>,
        about: &mut About<'a>,
        errors: &mut Vec<String>,
    ) -> Vec<BTreeSet<&'a str>> {
        let visible: Vec<BTreeSet<&'a str>> = groups.iter().map(seen).collect();
        let last = last(&visible);
        for (at, (install, groups)) in addon.installs.iter().zip(groups).enumerate() {
            let who = format!("Placement {}/{}", install.namespace, install.name.text);
            let groups = match groups {
                None => {
                    errors.push(format!("{who} does not exist"));
                    continue;
                }
                Some(Err(why)) => {
                    errors.push(format!("{who}: {why}"));
                    continue;
                }
                Some(Ok(groups)) => groups,
            };
            let strategy = self.strategy(install);
            let unknown = |cluster: &str| {
                let taken = last.get(cluster).copied().filter(|last| *last != at);
                let absent = self.is_absent(cluster, installed);
                (taken.is_some() || absent).then_some(taken)
            };
            let first = rollout::first(&groups, &strategy);
            match reached(&groups, &strategy) {
                Err(why) => errors.push(format!("{who}: {why}")),
                // Groups that never end keep the rest from being looked at.
                Ok(reached) => match reached.stopped {
                    Some(why) if !first.iter().any(|cluster| unknown(cluster).is_some()) => {
                        errors.push(format!("{who}: {why}"));
                    }
                    _ => about
                        .blocked
                        .extend(blocked(at, &groups, &strategy, unknown)),
                },
            }
        }
        visible
    }

    /// Whether a cluster cannot have the add-on, because there is no such ManagedCluster.
    fn is_absent(&self, cluster: &str, installed: &BTreeMap<&'a str, &Installed<'a>>) -> bool {
        !installed.contains_key(cluster) && !self.ground.has_cluster(cluster)
    }

    /// A strategy; what it leaves open is said by its placement.
    fn strategy(&self, install: &Install<'a>) -> Strategy<'a> {
        use crate::ocm::model::IntOrText;
        let mut strategy = install.strategy.clone();
        let open = matches!(strategy.max_concurrency, None | Some(IntOrText::Int(0)));
        if open && strategy.kind == StrategyKind::Progressive {
            let placement = self
                .placements
                .document(install.namespace, install.name.text);
            let cap = placement.and_then(|placement| placement.cap);
            strategy.max_concurrency = cap.map(|(cap, _)| cap);
        }
        strategy
    }

    /// The configurations of each cluster: each layer replaces all of one kind in those below.
    fn configs(
        &self,
        addon: &AddOn<'a>,
        installed: &BTreeMap<&'a str, &Installed<'a>>,
        clusters: &FixedBitSet,
        visible: &[BTreeSet<&'a str>],
    ) -> Vec<(&'a str, Vec<Config<'a>>)> {
        let mut rows = Vec::new();
        for cluster in self.ground.names.of(clusters) {
            let mut layers: BTreeMap<(&str, &str), Vec<Config<'a>>> = BTreeMap::new();
            lay(&mut layers, &addon.defaults);
            let install = visible.iter().rposition(|seen| seen.contains(cluster));
            if let Some(at) = install {
                lay(&mut layers, &addon.installs[at].configs);
            }
            if let Some(one) = installed.get(cluster) {
                lay(&mut layers, &one.configs);
            }
            let configs: Vec<Config<'a>> = layers.into_values().flatten().collect();
            if !configs.is_empty() {
                rows.push((cluster, configs));
            }
        }
        rows
    }
}

/// The clusters of the groups that the rollout of a placement sees.
fn seen<'a>(groups: &Option<Result<Groups<'a>, String>>) -> BTreeSet<&'a str> {
    match groups {
        Some(Ok(groups)) => rollout::members(groups),
        _ => BTreeSet::new(),
    }
}

/// The placement that each cluster belongs to: the last one that has it.
fn last<'a>(visible: &[BTreeSet<&'a str>]) -> FxHashMap<&'a str, usize> {
    let mut last = FxHashMap::default();
    for (at, seen) in visible.iter().enumerate() {
        last.extend(seen.iter().map(|cluster| (*cluster, at)));
    }
    last
}

/// Lays one layer over those below.
fn lay<'a>(layers: &mut BTreeMap<(&'a str, &'a str), Vec<Config<'a>>>, own: &[Config<'a>]) {
    let kinds: BTreeSet<(&str, &str)> = own.iter().map(Config::kind).collect();
    for kind in kinds {
        let mut of_kind: Vec<Config<'a>> = Vec::new();
        for config in own.iter().filter(|config| config.kind() == kind) {
            if !of_kind
                .iter()
                .any(|other| other.object() == config.object())
            {
                of_kind.push(*config);
            }
        }
        layers.insert(kind, of_kind);
    }
}

/// The clusters behind a group that never ends, because a cluster of it is another placement's.
fn blocked<'a>(
    install: usize,
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
    unknown: impl Fn(&str) -> Option<Option<usize>>,
) -> Option<Blocked<'a>> {
    if strategy.kind == StrategyKind::All {
        return None;
    }
    let first = rollout::mandatory(groups, &strategy.mandatory);
    let per_group = strategy.kind == StrategyKind::ProgressivePerGroup;
    let ends = |key: &(i64, &'a str)| first.contains(key) || per_group;
    let order = first.iter().copied();
    let rest = groups.keys().copied().filter(|key| !first.contains(key));
    let order: Vec<(i64, &'a str)> = order.chain(rest).collect();
    let (at, waits_for, taken_by) = order.iter().enumerate().find_map(|(at, key)| {
        let mut members = groups.get(key).filter(|_| ends(key))?.iter();
        members.find_map(|cluster| Some((at, *cluster, unknown(cluster)?)))
    })?;
    let behind = order[at + 1..].iter().filter_map(|key| groups.get(key));
    let clusters: BTreeSet<&'a str> = behind.flatten().copied().collect();
    let own = |cluster: &&'a str| unknown(cluster).is_none();
    let clusters: Vec<&'a str> = clusters.into_iter().filter(own).collect();
    (!clusters.is_empty()).then_some(Blocked {
        install,
        group: order[at].0,
        waits_for,
        taken_by,
        clusters,
    })
}

fn set(numbers: impl Iterator<Item = u32>) -> FixedBitSet {
    let mut set = FixedBitSet::new();
    for number in numbers {
        set.grow_and_insert(number as usize);
    }
    set
}
