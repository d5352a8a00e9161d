//! Two ApplicationSets in a namespace that generate Applications with the same name.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, BuildHasherDefault};

use rustc_hash::{FxHashMap, FxHasher};

use crate::delivery::application_set::about::About;
use crate::delivery::application_set::argo::render::Template;
use crate::delivery::findings::say::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::{Extra, Row};
use crate::delivery::rules::SHARED_APPLICATION;
use crate::diagnostic::Sink;

/// One set, and what every name that it gives begins and ends with.
struct Named<'d, 'm, 'a> {
    row: &'d Row<'a>,
    about: &'d About,
    ends: Vec<(&'m str, &'m str)>,
}

/// Says which sets share a name. Names are made for those sets alone whose templates allow it.
pub(super) fn check(model: &Model<'_>, deliveries: &Deliveries<'_>, sink: &mut Sink) {
    let mut by_namespace: BTreeMap<&str, Vec<Named<'_, '_, '_>>> = BTreeMap::new();
    for row in &deliveries.rows {
        let Extra::ApplicationSet(about) = &row.extra else {
            continue;
        };
        if about.failure.is_some() || about.applications == 0 {
            continue;
        }
        let set = &model.application_sets[about.set].set;
        let ends = set.templates.iter().filter_map(|template| {
            let parsed = Template::parse(template.name.text, set.language).ok()?;
            Some(match parsed.literal() {
                Some(text) => (text, text),
                None => parsed.ends(),
            })
        });
        let named = Named {
            row,
            about,
            ends: ends.collect(),
        };
        by_namespace
            .entry(row.id.namespace)
            .or_default()
            .push(named);
    }
    for sets in by_namespace.into_values() {
        among(&sets, model, deliveries, sink);
    }
}

/// The numbers of the sets that may share a name with another one.
fn candidates(sets: &[Named<'_, '_, '_>]) -> Vec<usize> {
    // By what names begin with: one is a beginning of another only within a run of this order.
    let mut order: Vec<(&str, &str, usize)> = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        order.extend(set.ends.iter().map(|(before, after)| (*before, *after, at)));
    }
    order.sort_unstable();
    let mut found = vec![false; sets.len()];
    let mut open: Vec<(&str, &str, usize)> = Vec::new();
    for (before, after, at) in order {
        open.retain(|(other, ..)| before.starts_with(other));
        for (_, other, with) in &open {
            if *with != at && (after.ends_with(other) || other.ends_with(after)) {
                (found[at], found[*with]) = (true, true);
            }
        }
        open.push((before, after, at));
    }
    (0..sets.len()).filter(|at| found[*at]).collect()
}

fn among(
    sets: &[Named<'_, '_, '_>],
    model: &Model<'_>,
    deliveries: &Deliveries<'_>,
    sink: &mut Sink,
) {
    let hash = BuildHasherDefault::<FxHasher>::default();
    let mut first: FxHashMap<u64, usize> = FxHashMap::default();
    let names = &deliveries.ground.names;
    for at in candidates(sets) {
        let Named { row, about, .. } = &sets[at];
        let set = &model.application_sets[about.set];
        let made = deliveries.view.applications(set, model, names, false);
        let mut said = false;
        for name in made.iter().filter_map(|one| one.name.as_deref()) {
            let before = *first.entry(hash.hash_one(name)).or_insert(at);
            if before == at || said {
                continue;
            }
            said = true;
            let other = &sets[before].row.id;
            let message = format!(
                "ApplicationSets `{}` and `{}` both generate Application `{name}`: one of them \
                 fails",
                other.name, row.id.name
            );
            let help = "include the name of the set in the names";
            let found = say(
                &SHARED_APPLICATION,
                &row.id,
                (row.id.place, "also generates it"),
                message,
                help,
            );
            sink.push(found.related(other.place, "gives it"));
        }
    }
}
