//! Which Applications an ApplicationSet generates, and on which clusters.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::about::About;
use super::argo::generate::{Failure, Notes};
use super::argo::hub;
use super::argo::hub::{Registered, Sight};
use super::argo::run::{Application, Left, Made, run};
use super::read::ApplicationSet;
use crate::delivery::decided::{Decided, ways};
use crate::delivery::model::Model;
use crate::delivery::names::{Clusters, Names};
use crate::delivery::row::{Extra, Row};

/// The clusters that Argo CD sees in each namespace: planned, and before.
#[derive(Debug, Default)]
pub struct View<'a> {
    /// The ManagedClusters.
    pub managed: FixedBitSet,
    /// The labels of the ManagedClusters, by number; only where a generator asks for them.
    pub labels: FxHashMap<u32, Vec<(&'a str, &'a str)>>,
    /// The number of `in-cluster`, and of the cluster that Argo CD runs on.
    pub here: (u32, u32),
    /// The clusters that Argo CD of a namespace knows: planned, and before. Others are unknown.
    pub registered: FxHashMap<&'a str, [Registered<'a>; 2]>,
    /// Of those others.
    pub unregistered: Registered<'a>,
    /// The decisions.
    pub decided: Decided<'a>,
}

/// Which time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// As it will be.
    Planned,
    /// As the documents hold it.
    Held,
}

impl<'a> View<'a> {
    /// Carries out an ApplicationSet at one time.
    pub fn run(
        &self,
        set: &ApplicationSet<'a>,
        model: &Model<'a>,
        names: &Names<'a>,
        time: Time,
        labelled: bool,
    ) -> (Result<Made, Failure>, Notes) {
        let namespace = set.id.namespace;
        let known = self.registered.get(namespace);
        let clusters = hub::Clusters {
            names,
            managed: &self.managed,
            labels: &self.labels,
            addresses: &model.addresses,
            in_cluster: self.here.0,
            hub: self.here.1,
        };
        let sight = Sight {
            namespace,
            clusters: &clusters,
            objects: match time {
                Time::Planned => &self.decided.planned,
                Time::Held => &self.decided.held,
            },
            registered: known.map_or(&self.unregistered, |known| &known[time as usize]),
            config_maps: &model.foreign.config_maps,
        };
        run(&set.set, &sight, labelled)
    }

    /// The Applications of a set as they will be, by name and cluster; none where it fails.
    #[must_use]
    pub fn applications(
        &self,
        set: &ApplicationSet<'a>,
        model: &Model<'a>,
        names: &Names<'a>,
        labelled: bool,
    ) -> Vec<Application> {
        let (made, _) = self.run(set, model, names, Time::Planned, labelled);
        let mut applications = made.map(|made| made.applications).unwrap_or_default();
        sort(&mut applications, names);
        applications
    }

    /// The same with their labels, and those that are dropped.
    #[must_use]
    pub fn rolled(
        &self,
        set: &ApplicationSet<'a>,
        model: &Model<'a>,
        names: &Names<'a>,
    ) -> (Vec<Application>, Vec<Left>) {
        let (made, _) = self.run(set, model, names, Time::Planned, true);
        let mut made = made.unwrap_or_default();
        sort(&mut made.applications, names);
        made.left.sort_by(|a, b| a.name.cmp(&b.name));
        (made.applications, made.left)
    }

    fn row(&self, at: usize, model: &Model<'a>, names: &Names<'a>) -> Row<'a> {
        let set = &model.application_sets[at];
        let (planned, notes) = self.run(set, model, names, Time::Planned, false);
        let (held, before) = self.run(set, model, names, Time::Held, false);
        let was = match held {
            Ok(held) if !before.objects.is_empty() => Some(clusters_of(&held.applications)),
            _ => None,
        };
        let mut about = About {
            set: at,
            ..About::default()
        };
        let read = notes.objects.iter().copied();
        let via = ways(&self.decided.planned, read);
        about.notes = notes;
        let clusters = match planned {
            Ok(made) => {
                let clusters = clusters_of(&made.applications);
                about.applications = made.applications.len();
                let nameless = made.applications.iter().filter(|one| one.name.is_none());
                about.nameless = nameless.count();
                let here = |one: &&Application| !one.pulled && one.cluster == Some(self.here.1);
                about.here = made.applications.iter().filter(here).count();
                about.left = made.left;
                about.odd = made.odd;
                clusters
            }
            Err(failure) => {
                about.failure = Some(failure);
                was.clone().unwrap_or_default()
            }
        };
        Row {
            id: set.id,
            via,
            clusters,
            was,
            error: about
                .failure
                .as_ref()
                .map(|failure| failure.message.clone()),
            extra: Extra::ApplicationSet(Box::new(about)),
        }
    }
}

fn clusters_of(applications: &[Application]) -> Clusters {
    let mut set = FixedBitSet::new();
    for cluster in applications.iter().filter_map(|one| one.cluster) {
        set.grow_and_insert(cluster as usize);
    }
    Arc::new(set)
}

/// Sorts Applications by name and cluster; what is not known comes last.
fn sort(applications: &mut [Application], names: &Names<'_>) {
    let cluster = |one: &Application| one.cluster.map(|at| names.name(at));
    applications.sort_by(|a, b| {
        let key = |one: &'_ Application| (one.name.is_none(), cluster(one).is_none());
        let ((a_name, a_cluster), (b_name, b_cluster)) = (key(a), key(b));
        (a_name, &a.name, a_cluster, cluster(a)).cmp(&(b_name, &b.name, b_cluster, cluster(b)))
    });
}

/// The row of every ApplicationSet.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    view: &View<'a>,
    names: &Names<'a>,
) -> Vec<Row<'a>> {
    let sets = 0..model.application_sets.len();
    sets.map(|at| view.row(at, model, names)).collect()
}
