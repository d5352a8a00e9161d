//! The clusters of one consumer, a row each.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use crate::delivery::application_set::follow::Time;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::{Extra, Row};
use crate::delivery::{addon, application_set, work};
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::render::text::layout::{Grid, Mark};
use crate::render::text::{Page, Screen, Tone};

const NOTHING: &str = "-";

/// The cells of each cluster in a table, beside where it was.
struct Cells {
    /// The heads of the last two columns.
    heads: [&'static str; 2],
    /// The cells of clusters that it reaches, and of some more.
    here: BTreeMap<u32, [String; 2]>,
    /// The cell of clusters that it no longer reaches.
    gone: String,
}

/// Tables of ApplicationSets, add-ons and works, cluster by cluster.
pub(super) fn tables(deliveries: &Deliveries<'_>, model: &Model<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    for row in &deliveries.rows {
        let cells = match &row.extra {
            Extra::ApplicationSet(about) => applications(row, about, deliveries, model),
            Extra::AddOn(about) => configurations(row, about, deliveries, model),
            Extra::Works(about) => Some(works(row, about, deliveries)),
            Extra::None | Extra::Policy(_) => None,
        };
        if let Some(cells) = cells {
            page.gap();
            page.append(table(row, &cells, deliveries, screen));
        }
    }
    page
}

fn table(row: &Row<'_>, cells: &Cells, deliveries: &Deliveries<'_>, screen: &Screen) -> Page {
    let names = &deliveries.ground.names;
    let none = FixedBitSet::new();
    let was = row.was.as_deref().unwrap_or(&none);
    let (added, removed) = (count(&row.clusters, was), count(was, &row.clusters));
    let name = match (row.id.kind, row.id.namespace) {
        ("ClusterManagementAddOn", _) => format!("Add-on {}", row.id.name),
        ("ManifestWorkReplicaSet", namespace) => format!("Works {namespace}/{}", row.id.name),
        (kind, namespace) => format!("{kind} {namespace}/{}", row.id.name),
    };
    let reached = plural(row.clusters.count_ones(..), "cluster");
    let mut summary = format!(": {reached}");
    for (number, what) in [(added, "added"), (removed, "removed")] {
        if number > 0 {
            summary.push_str(&format!(", {number} {what}"));
        }
    }
    let mut page = Page::new();
    page.pieces(vec![(Tone::Strong, name), (Tone::Plain, summary)]);
    let all = row.clusters.ones().chain(was.ones());
    let all = all.filter_map(|at| u32::try_from(at).ok());
    let all: BTreeSet<u32> = all.chain(cells.here.keys().copied()).collect();
    let mut all: Vec<(&str, u32)> = all.into_iter().map(|at| (names.name(at), at)).collect();
    all.sort_unstable();
    let line = |(name, at): (&str, u32)| {
        let had = was.contains(at as usize);
        let has = row.clusters.contains(at as usize);
        let mark = match (had, has) {
            (true, true) => Mark::Same.sign(),
            (false, true) => Mark::New.sign(),
            (true, false) => Mark::Gone.sign(),
            (false, false) => " ",
        };
        let gone = || [NOTHING.to_owned(), cells.gone.clone()];
        let [third, last] = cells.here.get(&at).cloned().unwrap_or_else(gone);
        let was = if had { name } else { NOTHING };
        vec![
            mark.to_owned(),
            name.to_owned(),
            was.to_owned(),
            third,
            last,
        ]
    };
    let [third, last] = cells.heads;
    let grid = Grid {
        heads: ["", "Cluster", "Was", third, last]
            .map(str::to_owned)
            .to_vec(),
        rows: all.into_iter().map(line).collect(),
        right: 4..4,
        ..Grid::default()
    };
    if !grid.rows.is_empty() {
        grid.write(&mut page, screen);
    }
    page
}

/// How many are in the first set alone.
fn count(one: &FixedBitSet, other: &FixedBitSet) -> usize {
    one.difference(other).count()
}

/// The Applications of each cluster.
fn applications(
    row: &Row<'_>,
    about: &application_set::about::About,
    deliveries: &Deliveries<'_>,
    model: &Model<'_>,
) -> Option<Cells> {
    if about.failure.is_some() {
        return None;
    }
    let (names, view) = (&deliveries.ground.names, &deliveries.view);
    let set = &model.application_sets[about.set];
    let mut here: BTreeMap<u32, [String; 2]> = BTreeMap::new();
    for one in view.applications(set, model, names, false) {
        let Some(cluster) = one.cluster else { continue };
        let name = one.name.unwrap_or_else(|| "of unknown name".to_owned());
        here.entry(cluster)
            .and_modify(|[all, _]| *all = format!("{all}, {name}"))
            .or_insert_with(|| [name.clone(), "selected".to_owned()]);
    }
    for cluster in &about.notes.unregistered {
        let why = "selected, but not in Argo CD".to_owned();
        here.entry(*cluster)
            .or_insert_with(|| [NOTHING.to_owned(), why]);
    }
    let (before, _) = view.run(set, model, names, Time::Held, false);
    let before = before.map(|made| made.applications).unwrap_or_default();
    let policy = set
        .set
        .applications_sync
        .map_or("sync", |policy| policy.text);
    let deletes = !matches!(policy, "create-only" | "create-update");
    let gone = match (deletes, set.set.preserves) {
        (false, _) => "no longer selected; the Application stays",
        (true, true) => "no longer selected; what was deployed stays",
        (true, false) => "no longer selected; deleted with what it deployed",
    };
    for one in before {
        let Some(cluster) = one.cluster else { continue };
        let name = one.name.unwrap_or_else(|| "of unknown name".to_owned());
        if !row.clusters.contains(cluster as usize) {
            here.entry(cluster)
                .or_insert_with(|| [name, gone.to_owned()]);
        }
    }
    Some(Cells {
        heads: ["Application", "Because"],
        here,
        gone: gone.to_owned(),
    })
}

/// The placements that give each cluster.
fn ways(row: &Row<'_>, cluster: usize) -> String {
    let giving = row.via.iter().filter(|via| via.clusters.contains(cluster));
    let giving = giving.map(|via| Name::new(via.placement.1, via.placement.2).to_string());
    let giving: Vec<String> = giving.collect();
    if giving.is_empty() {
        NOTHING.to_owned()
    } else {
        giving.join(", ")
    }
}

/// The configuration of an add-on on each cluster.
fn configurations(
    row: &Row<'_>,
    about: &addon::about::About<'_>,
    deliveries: &Deliveries<'_>,
    model: &Model<'_>,
) -> Option<Cells> {
    let defaults: Vec<_> = model.addons[about.addon]
        .defaults
        .iter()
        .map(|one| one.object())
        .collect();
    let configs: BTreeMap<&str, _> = about
        .configs
        .iter()
        .map(|(name, all)| (*name, all))
        .collect();
    let configured = |cluster: u32| {
        let Some(all) = configs.get(deliveries.ground.names.name(cluster)) else {
            return match about.stopped {
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
    let here = clusters.map(|at| (at, [ways(row, at as usize), configured(at)]));
    Some(Cells {
        heads: ["Via", "Configuration"],
        here: here.collect(),
        gone: "the add-on is deleted".to_owned(),
    })
}

/// The works on each cluster, and what becomes of those that are removed.
fn works(row: &Row<'_>, about: &work::about::About<'_>, deliveries: &Deliveries<'_>) -> Cells {
    let stays: BTreeSet<&str> = about.stays.iter().map(|work| work.namespace).collect();
    let clusters = row.clusters.ones().filter_map(|at| u32::try_from(at).ok());
    let here = clusters.map(|at| {
        let removed = if stays.contains(deliveries.ground.names.name(at)) {
            "not decided any more, and never deleted"
        } else {
            NOTHING
        };
        (at, [ways(row, at as usize), removed.to_owned()])
    });
    Cells {
        heads: ["Via", "Removed"],
        here: here.collect(),
        gone: if about.orphan {
            "left there (Orphan)"
        } else {
            "deleted there"
        }
        .to_owned(),
    }
}
