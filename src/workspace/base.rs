//! The snapshot that later ones keep models and answers from.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::load::Loaded;
use crate::options::{CheckOptions, Options};
use crate::site;

use super::snapshot::Snapshot;

/// How long what was judged at one instant may stand for a later one.
const FRESH: SignedDuration = SignedDuration::from_secs(60);

/// The last snapshot that was made from nothing. Copies share it; the default holds none.
///
/// Snapshots that keep something of it leave it in its place: none keeps anything of another one
/// that does so itself, so that no more than two hang on each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Base(Option<Arc<Mutex<Option<Arc<Snapshot>>>>>);

impl Base {
    /// A place that runs share.
    pub(super) fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    fn get(&self) -> Option<Arc<Snapshot>> {
        let held = self.0.as_ref()?.lock();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, snapshot: Option<Arc<Snapshot>>) {
        if let Some(held) = &self.0 {
            *held.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
        }
    }

    /// Lets go of it.
    pub(super) fn clear(&self) {
        self.put(None);
    }

    /// The snapshot, if a run that asks the same can keep most of it. The run is then of the same
    /// instant.
    pub(super) fn of(
        &self,
        loaded: &Loaded,
        settings: &mut CheckOptions,
        options: &Options,
    ) -> Option<Arc<Snapshot>> {
        let base = self.get()?;
        let now = base.settings().now;
        let keeps = is_fresh(now, settings.now)
            && base.settings().judges_like(settings)
            && base.options() == options
            && site::keeps_most(base.checked(), loaded);
        if keeps {
            settings.now = now;
            Some(base)
        } else {
            // Its room is needed for the next one.
            drop(base);
            self.clear();
            None
        }
    }

    /// Notes a new snapshot.
    pub(super) fn note(&self, snapshot: &Arc<Snapshot>) {
        match snapshot.kept() {
            None => self.put(Some(Arc::clone(snapshot))),
            // It had a base for nothing.
            Some(kept) if kept.is_empty() => self.clear(),
            Some(_) => {}
        }
    }
}

fn is_fresh(was: Timestamp, now: Timestamp) -> bool {
    let age = now.duration_since(was);
    !age.is_negative() && age < FRESH
}
