//! The obstacles between a cluster and a consumer, link by link down to its placements, and the
//! edits that would remove them. Each kind of consumer answers for its own links; the engine that
//! decides a Placement answers for the Placement itself.

pub(super) mod finder;
mod made;
mod needs;

use self::finder::ObstacleFinder;
use crate::delivery::kinds;
use crate::delivery::why::is_kind;
use crate::repair::Obstacle;

pub use finder::Site;
pub use made::{generator_of, into_entries};
pub use needs::{is_own, needs};

/// Whether a subject is a consumer: no namespace begins like a kind.
#[must_use]
pub fn is_consumer(subject: &str) -> bool {
    subject.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The obstacles between a cluster and a consumer; none where it is reached, `None` where
/// either is not known.
#[must_use]
pub fn obstacles(site: &Site<'_, '_>, subject: &str, cluster: &str) -> Option<Vec<Obstacle>> {
    let (kind, rest) = subject.split_once('/')?;
    let mut rows = site.deliveries.rows.iter();
    let row = rows.find(|row| is_kind(&row.id, kind) && row.id.full_name().to_string() == rest)?;
    let number = site.deliveries.ground.names.find(cluster)?;
    if row.clusters.contains(number as usize) {
        return Some(Vec::new());
    }
    let mut clusters = site.hub.clusters.iter();
    let finder = ObstacleFinder {
        site,
        name: cluster,
        number,
        cluster: clusters.find(|one| one.name == cluster),
    };
    let mut unique: Vec<Obstacle> = Vec::new();
    let consumer = kinds::of(row.id.kind)?;
    for obstacle in consumer.obstacles(&finder, row) {
        if !unique.contains(&obstacle) {
            unique.push(obstacle);
        }
    }
    if unique.is_empty() {
        unique.push(Obstacle::new("delivery", "to reach the cluster"));
    }
    Some(unique)
}
