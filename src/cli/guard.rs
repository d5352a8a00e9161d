//! `--fail-on` of `plan`: what is compared, and the verdict.

use crate::guard::{self, Condition, Guard, Subject};
use crate::plan::{self, Plan, Quality};
use crate::render::guard::Judged;
use crate::site;
use crate::systems;

use super::args::PlanArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::session::{Session, keep};
use super::site::{Planned, Site};

/// The conditions under which a plan fails.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    all: Vec<Condition>,
    /// `none`: not even what has no place makes it fail.
    lifted: bool,
}

impl Conditions {
    /// The conditions of a run: those that are typed, else those of `planner.toml` where there is
    /// something to compare with.
    ///
    /// # Errors
    /// A condition that is none (64; 78 in `planner.toml`).
    pub(super) fn of(args: &PlanArgs, session: &Session) -> Result<Self, Failure> {
        let read = |texts: &[String]| {
            let all = guard::parse_all(texts.iter().map(String::as_str))?;
            let lifted = all.is_empty() && !texts.is_empty();
            Ok(Self { all, lifted })
        };
        if !args.fail_on.is_empty() {
            return read(&args.fail_on)
                .map_err(|why: String| Failure::usage(why).context("--fail-on"));
        }
        // Read in any case: what is wrong with a configuration is said at once.
        let configured = read(&session.config.fail_on_plan).map_err(|why: String| {
            Failure::new(Exit::Config, why).context("planner.toml: fail-on-plan")
        })?;
        let compares = args.against.is_some() || session.request.hub.is_some();
        Ok(if compares {
            configured
        } else {
            Self::default()
        })
    }

    /// The quality of a plan: with `none` a subject without a place is no failure.
    pub(super) fn quality(&self, quality: Quality) -> Quality {
        match quality {
            Quality::Unplaceable if self.lifted => Quality::Ready,
            quality => quality,
        }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether there is one that holds against an earlier state.
    fn compare(&self) -> bool {
        let compares = |one: &Condition| *one != Condition::Unplaceable;
        self.all.iter().any(compares)
    }
}

/// Judges a plan by what its documents, or the hub, hold.
///
/// # Errors
/// Nothing to compare with (64).
pub(super) fn of_plan(
    conditions: &Conditions,
    site: Site,
    plan: Planned,
) -> Result<Option<Judged>, Failure> {
    if conditions.all.is_empty() || plan.refused() {
        return Ok(None);
    }
    let after = guard::of_plan(plan);
    let mut before = guard::of_hub(plan, false);
    if plan.site.hub.is_some() {
        // What the hub still has and the documents no longer do.
        let checked = keep(site::check_hub(site.loaded, &site.session.settings, &[]));
        let hub = keep(plan::make(checked, &site.session.options));
        let known: Vec<Subject> = guard::of_hub(hub, true);
        let is_new = |subject: &Subject| !before.iter().any(|one| one.key() == subject.key());
        let gone = |subject: &Subject| {
            let all = plan.site.hub.iter().flat_map(|hub| &hub.gone);
            let mut all = all.map(|gone| &gone.object);
            all.any(|object| {
                let namespace = object.namespace.as_deref().unwrap_or_default();
                subject.key() == (object.kind.as_str(), namespace, object.name.as_str())
            })
        };
        let more: Vec<Subject> = known
            .into_iter()
            .filter(|one| is_new(one) && gone(one))
            .collect();
        before.extend(more);
    } else if before.is_empty() && conditions.compare() {
        return Err(Failure::usage(
            "--fail-on: nothing to compare with; pass --against or --hub",
        ));
    }
    let word = if plan.site.hub.is_some() {
        "hub"
    } else {
        "documents"
    };
    let unknown = guard::unknown(plan).collect();
    Ok(Some(judged(
        conditions,
        (&before, &after),
        unknown,
        plan,
        word,
    )))
}

/// Judges a plan by that of another state, or by the hub where there is one.
///
/// # Errors
/// Nothing to compare with (64).
pub(super) fn of_states(
    conditions: &Conditions,
    site: Site,
    (old, new): (Planned, Planned),
    against: &str,
) -> Result<Option<Judged>, Failure> {
    if new.site.hub.is_some() {
        return of_plan(conditions, site, new);
    }
    if conditions.all.is_empty() || new.refused() || old.refused() {
        return Ok(None);
    }
    let before = guard::of_plan(old);
    let after = guard::keeping(guard::of_plan(new), old, new);
    // Without clusters nothing can be lost, whatever changes.
    let counts =
        |condition: &Condition| !matches!(condition, Condition::Deleted | Condition::Unplaceable);
    let lacks = old.site.lacks_clusters && new.site.lacks_clusters;
    let nothing = before.iter().all(|subject| subject.clusters.is_empty());
    if lacks && nothing && conditions.all.iter().any(counts) {
        return Err(Failure::usage(
            "--fail-on: nothing to compare with: no document contains a ManagedCluster; pass --hub",
        ));
    }
    let was = guard::unknown(old).map(|name| format!("{name} ({against})"));
    let unknown = guard::unknown(new).chain(was).collect();
    Ok(Some(judged(
        conditions,
        (&before, &after),
        unknown,
        new,
        against,
    )))
}

fn judged(
    conditions: &Conditions,
    (before, after): (&[Subject], &[Subject]),
    unknown: Vec<String>,
    plan: &Plan<'_, '_>,
    word: &str,
) -> Judged {
    let gaps = plan.deliveries.iter().flat_map(|all| &all.gaps);
    let gaps = gaps.flat_map(|gap| gap.moves.iter().map(|one| one.cluster.to_owned()));
    let mut gaps: Vec<String> = gaps.collect();
    gaps.sort();
    gaps.dedup();
    // What a new consumer follows is no subject of its own any more, but it loses nothing.
    let mut after = after.to_vec();
    after.extend(guard::deciders(plan));
    let unplaced: Vec<String> = systems::failed(plan).map(|(_, name)| name).collect();
    let guard = Guard {
        unknown,
        ..guard::judge(&conditions.all, before, &after, &gaps, &unplaced)
    };
    Judged {
        causes: guard::causes(&guard.losses, plan),
        guard,
        before: word.to_owned(),
    }
}
