//! `diff`: what an edit moves.

use serde_json::{Value, json};

use crate::plan::{Quality, partial};
use crate::render::json::{left_out_values, moves};
use crate::workspace::{Purpose, compare};

use super::super::answer::Answer;
use super::super::arguments::{Arguments, Mistake};
use super::super::edits::finding;
use super::super::sites::Sites;
use super::{errors, mistaken};

/// The other state, where no revision is named.
const DISK: &str = "the files without overlay";

/// The tool `diff`.
pub(in crate::mcp) fn diff(sites: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let against = arguments.text("against")?;
    let page = arguments.count("page")?.unwrap_or(0);
    if against.is_none() && arguments.overlay()?.is_empty() {
        return Err(Mistake::new(
            "there is nothing to compare: send \"overlay\" with edits that are not yet written, or \
             \"against\": \"HEAD\" to compare the files with a git revision",
        ));
    }
    let job = sites.job(arguments)?;
    let earlier = match against {
        Some(revision) => job.at_revision(revision),
        None => Ok(sites.plain(arguments)?),
    };
    let planned = earlier.and_then(|earlier| {
        let before = earlier.run(Purpose::Plan)?;
        let after = job.after(&before).run(Purpose::Plan)?;
        Ok((before, after))
    });
    let (before, after) = planned.map_err(|fault| mistaken(sites, arguments, &fault))?;
    let compared = compare(&before, &after);
    let refused = before.plan().refused() || after.plan().refused();
    let missing = [&before, &after]
        .map(|state| left_out_values(&partial::missing(state.checked()), state.sources()));
    let missing = missing.concat();
    let moved = compared.diff.as_ref().map_or(0, |diff| diff.moves.len());
    let result = match after.plan().quality {
        _ if refused => Quality::Invalid,
        quality if missing.is_empty() => quality.compared(moved > 0),
        _ => Quality::Partial,
    };
    let of_state = |state: &'static str| {
        move |mut found: Value| {
            found["state"] = state.into();
            found
        }
    };
    let (new, gone) = (&compared.new.diagnostics, &compared.gone.diagnostics);
    let now = new.iter().map(|one| finding(one, after.sources()));
    let then = gone.iter().map(|one| finding(one, before.sources()));
    let before_errors = errors(&before).map(of_state("before"));
    let all_errors = errors(&after).map(of_state("after")).chain(before_errors);
    let answer = Answer::default()
        .with("result", result.word())
        .with("against", against.unwrap_or(DISK))
        .with("moved", moved)
        .with(
            "unchanged",
            compared.diff.as_ref().map_or(0, |diff| diff.unchanged),
        )
        .with("findings", json!({"new": new.len(), "gone": gone.len()}))
        .with_some(
            "notCompared",
            Some(missing).filter(|parts| !parts.is_empty()),
        )
        .list("errors", all_errors.filter(move |_| refused))
        .list(
            "moves",
            compared
                .diff
                .as_ref()
                .map(moves)
                .unwrap_or_default()
                .into_iter(),
        )
        .list("newFindings", now)
        .list("goneFindings", then);
    Ok(answer.page(page))
}
