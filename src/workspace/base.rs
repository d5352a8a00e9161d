//! The part of a site that changes in an editor leave as it is.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::diagnostic::Sink;
use crate::load::{Loaded, Request};
use crate::options::{CheckOptions, Options};
use crate::site;

use super::snapshot::{Part, Snapshot};

/// The longest that findings of one instant are reused for a later one.
const FRESH: SignedDuration = SignedDuration::from_secs(60);

/// A snapshot of the stages that read none of the edited kinds, which later snapshots reuse. Copies
/// share it; the default holds none.
///
/// It has no other model, so that each model is in memory once.
#[derive(Debug, Clone, Default)]
pub(super) struct Base(Option<Arc<Mutex<Option<Arc<Snapshot>>>>>);

impl Base {
    /// A place that runs share.
    pub(super) fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    /// The base of a run: the last one if it is still valid, else a new one if it is worth making.
    /// The run takes place at the instant of its base.
    pub(super) fn of(
        &self,
        (generation, request): (u64, &Request),
        loaded: &Arc<Loaded>,
        settings: &mut CheckOptions,
        options: &Options,
    ) -> Option<Arc<Snapshot>> {
        let mut held = self
            .0
            .as_ref()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let holds = |base: &Arc<Snapshot>| {
            is_fresh(base.settings().now, settings.now)
                && base.settings().judges_like(settings)
                && base.options() == options
                && site::holds(base.checked(), loaded)
        };
        if !held.as_ref().is_some_and(holds) {
            // The next one needs its memory.
            *held = None;
            let edited: Vec<_> = loaded.new_kinds().into_iter().collect();
            if !site::pays(loaded, &edited) {
                return None;
            }
            let inputs = (Arc::clone(loaded), settings.clone(), options.clone());
            let part = Part::Without(edited);
            let base = Snapshot::new(generation, request.clone(), inputs, part, |_| {
                Sink::default()
            });
            *held = Some(Arc::new(base));
        }
        let base = held.clone()?;
        settings.now = base.settings().now;
        Some(base)
    }
}

fn is_fresh(was: Timestamp, now: Timestamp) -> bool {
    let age = now.duration_since(was);
    !age.is_negative() && age < FRESH
}
