//! `--fail-on` of `plan`: what is compared, and the verdict.

use crate::guard::{self, Condition, Subject};
use crate::plan::{self, Plan};
use crate::render::guard::Judged;
use crate::site;

use super::args::PlanArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::session::{Session, keep};
use super::site::{Planned, Site};

/// The conditions of a run: those that are typed, else those of `planner.toml` where there is
/// something to compare with.
///
/// # Errors
/// A condition that is none (64; 78 in `planner.toml`).
pub(super) fn conditions(args: &PlanArgs, session: &Session) -> Result<Vec<Condition>, Failure> {
    let read = |texts: &[String]| guard::parse_all(texts.iter().map(String::as_str));
    if !args.fail_on.is_empty() {
        return read(&args.fail_on).map_err(|why| Failure::usage(format!("--fail-on: {why}")));
    }
    // Read in any case: what is wrong with a configuration is said at once.
    let configured = match session.config.fail_on_plan.as_slice() {
        [] => Vec::new(),
        texts => read(texts).map_err(|why| {
            Failure::new(Exit::Config, format!("planner.toml: fail-on-plan: {why}"))
        })?,
    };
    let compares = args.against.is_some() || session.request.hub.is_some();
    Ok(if compares { configured } else { Vec::new() })
}

/// Judges a plan by what its documents, or the hub, hold.
///
/// # Errors
/// Nothing to compare with (64).
pub(super) fn of_plan(
    conditions: &[Condition],
    site: Site,
    plan: Planned,
) -> Result<Option<Judged>, Failure> {
    if conditions.is_empty() || plan.refused() {
        return Ok(None);
    }
    let after = guard::of_plan(plan);
    let mut before = guard::of_hub(plan, Some(&after));
    if plan.site.hub.is_some() {
        // What the hub still has and the documents no longer do.
        let checked = keep(site::check_hub(site.loaded, &site.session.settings, &[]));
        let hub = keep(plan::make(checked, &site.session.options));
        let known: Vec<Subject> = guard::of_hub(hub, None);
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
    } else if before.is_empty() {
        return Err(Failure::usage(
            "--fail-on: nothing to compare with; pass --against or --hub",
        ));
    }
    let word = match plan.site.hub.is_some() {
        true => "hub",
        false => "documents",
    };
    Ok(Some(judged(conditions, &before, &after, plan, word)))
}

/// Judges a plan by that of another state, or by the hub where there is one.
///
/// # Errors
/// Nothing to compare with (64).
pub(super) fn of_states(
    conditions: &[Condition],
    site: Site,
    (old, new): (Planned, Planned),
    against: &str,
) -> Result<Option<Judged>, Failure> {
    if new.site.hub.is_some() {
        return of_plan(conditions, site, new);
    }
    if conditions.is_empty() || new.refused() || old.refused() {
        return Ok(None);
    }
    let (before, after) = (guard::of_plan(old), guard::of_plan(new));
    // Without clusters nothing can be lost, whatever changes.
    let counts = |condition: &Condition| *condition != Condition::Deleted;
    let lacks = old.site.lacks_clusters && new.site.lacks_clusters;
    let nothing = before.iter().all(|subject| subject.clusters.is_empty());
    if lacks && nothing && conditions.iter().any(counts) {
        return Err(Failure::usage(
            "--fail-on: nothing to compare with: no document contains a ManagedCluster; pass --hub",
        ));
    }
    Ok(Some(judged(conditions, &before, &after, new, against)))
}

fn judged(
    conditions: &[Condition],
    before: &[Subject],
    after: &[Subject],
    plan: &Plan<'_, '_>,
    word: &str,
) -> Judged {
    let gaps = plan.deliveries.iter().flat_map(|all| &all.gaps);
    let gaps = gaps.flat_map(|gap| gap.moves.iter().map(|one| one.cluster.to_owned()));
    let mut gaps: Vec<String> = gaps.collect();
    gaps.sort();
    gaps.dedup();
    // A Placement that a new consumer follows is no subject any more, but it is not gone.
    let mut after = after.to_vec();
    after.extend(guard::placements(plan));
    let guard = guard::judge(conditions, before, &after, &gaps);
    Judged {
        causes: guard::causes(&guard.losses, plan),
        guard,
        before: word.to_owned(),
    }
}
