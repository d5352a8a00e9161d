//! Names that no document has, where one has nearly the same: probably a slip. Other unknown names
//! may well exist on the hub.

use std::collections::BTreeSet;

use super::{UNKNOWN_NAME, object_of};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::nearest::did_you_mean;
use crate::kit::vocabulary::is_slip;
use crate::ocm::model::{CoordinateKind, Model};
use crate::source::Place;

/// How many unknown names are compared with the known ones: a site with more of them does not
/// hold what they name.
const MOST: usize = 20;

/// The names of one kind of thing, and how many unknown ones are still looked for.
struct KnownNames<'a> {
    names: BTreeSet<&'a str>,
    left: usize,
}

impl<'a> KnownNames<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Self {
        Self {
            names: names.collect(),
            left: MOST,
        }
    }

    /// The name that is meant by one that does not exist.
    fn meant(&mut self, name: &str) -> Option<&'a str> {
        if self.left == 0 || self.names.contains(name) {
            return None;
        }
        self.left -= 1;
        self.names
            .iter()
            .copied()
            .find(|known| is_slip(name, known))
    }
}

fn push(message: String, near: &str, place: Place, object: Object, sink: &mut Sink) {
    sink.push(
        Diagnostic::new(&UNKNOWN_NAME, message)
            .at(place, "no such name")
            .help(did_you_mean(near))
            .object(object),
    );
}

/// Checks the placements that replica sets name, and the scores that placements name.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    placements(model, sink);
    scores(model, sink);
    let mut clusters = KnownNames::new(model.clusters.iter().map(|cluster| cluster.name));
    for score in &model.scores {
        let Some(near) = clusters.meant(score.cluster) else {
            continue;
        };
        let message = format!(
            "the scores `{}` are for the cluster `{}`, which does not exist",
            score.name, score.cluster
        );
        let object = Object::new("AddOnPlacementScore", score.name).in_namespace(score.cluster);
        push(message, near, score.place, object, sink);
    }
}

fn placements(model: &Model<'_>, sink: &mut Sink) {
    let all = || model.placements.iter().chain(&model.refused_placements);
    for set in &model.replica_sets {
        let there = all().filter(|placement| placement.namespace == set.namespace);
        let mut known = KnownNames::new(there.map(|placement| placement.name));
        for reference in &set.placements {
            let name = reference.name;
            let Some(near) = known.meant(name.text) else {
                continue;
            };
            let message = format!(
                "there is no Placement `{}` in `{}`",
                name.text, set.namespace
            );
            let object =
                Object::new("ManifestWorkReplicaSet", set.name).in_namespace(set.namespace);
            push(message, near, name.place, object, sink);
        }
    }
}

fn scores(model: &Model<'_>, sink: &mut Sink) {
    let mut resources = KnownNames::new(model.scores.iter().map(|score| score.name));
    let pairs = model.scores.iter().flat_map(|score| {
        let names = score.scores.iter();
        names.map(move |(name, _)| (score.name, *name))
    });
    let pairs: BTreeSet<(&str, &str)> = pairs.collect();
    for placement in &model.placements {
        for configuration in &placement.configurations {
            let coordinate = configuration.coordinate;
            let (CoordinateKind::AddOn, Some((resource, score))) =
                (coordinate.kind, coordinate.add_on)
            else {
                continue;
            };
            let found = match resources.meant(resource) {
                Some(near) => Some((
                    format!("no AddOnPlacementScore is named `{resource}`"),
                    near,
                )),
                None => {
                    let of_it = pairs
                        .range((resource, "")..)
                        .take_while(|(of, _)| *of == resource);
                    let near = KnownNames::new(of_it.map(|(_, name)| *name)).meant(score);
                    near.map(|near| (format!("no `{resource}` has a score `{score}`"), near))
                }
            };
            if let Some((message, near)) = found {
                push(
                    message,
                    near,
                    configuration.place,
                    object_of(placement),
                    sink,
                );
            }
        }
    }
}
