//! What stands directly above the question: what is at stake, and what Proceed does.

use crate::plan::stake::Stake;

use super::layout::{Mark, count, list};
use super::{Page, Screen, Tone};

const LEGEND: &str = "= stays, + is new, ~ changes, - goes, ! is lost or has no place";

/// What is at stake, what the marks mean, and what Proceed does; `record` is the file's name.
#[must_use]
pub fn proceed(stake: &Stake, record: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.line("");
    let stake = at_stake(stake, screen);
    if !stake.is_empty() {
        page.toned(Tone::Strong, "At stake:");
        page.append(stake);
    }
    page.prose(screen, Tone::Dim, LEGEND, 0);
    page.line("");
    let text = format!("Proceed saves this plan as {record}; nothing is deployed.");
    page.prose(screen, Tone::Plain, &text, 0);
    page
}

/// A line for each kind of change to what is there, the dangerous ones last.
fn at_stake(stake: &Stake, screen: &Screen) -> Page {
    let verb = |names: &[String], one: &'static str, many: &'static str| match names.len() {
        1 => one,
        _ => many,
    };
    let said = |names: &[String], noun: &str, one, many| {
        format!("{} {}", count(names.len(), noun), verb(names, one, many))
    };
    let nodes = format!(
        "{} {} deleted",
        count(stake.deleted, "node"),
        if stake.deleted == 1 { "is" } else { "are" }
    );
    let lines: [(Mark, &[String], String); 8] = [
        (
            Mark::Changed,
            &stake.moved,
            said(&stake.moved, "Application", "moves", "move"),
        ),
        (
            Mark::Changed,
            &stake.taken_back,
            said(
                &stake.taken_back,
                "PlacementRule",
                "takes back decisions",
                "take back decisions",
            ),
        ),
        (
            Mark::Gone,
            &stake.deselected,
            match stake.deselected.len() {
                1 => "1 cluster is no longer selected".to_owned(),
                many => format!("{many} times a cluster is no longer selected"),
            },
        ),
        (
            Mark::Gone,
            &stake.emptied,
            said(
                &stake.emptied,
                "Cluster",
                "is left without Applications",
                "are left without Applications",
            ),
        ),
        (
            Mark::Failed,
            &stake.withdrawn,
            said(
                &stake.withdrawn,
                "Application",
                "is withdrawn",
                "are withdrawn",
            ),
        ),
        (
            Mark::Failed,
            &stake.unreached,
            said(
                &stake.unreached,
                "delivery",
                "reaches no cluster any more",
                "reach no cluster any more",
            ),
        ),
        (Mark::Failed, &stake.shrunk, nodes),
        (
            Mark::Failed,
            &stake.left_behind,
            said(
                &stake.left_behind,
                "volume",
                "is left behind",
                "are left behind",
            ),
        ),
    ];
    let mut page = Page::new();
    for (mark, names, what) in lines {
        if names.is_empty() {
            continue;
        }
        let names = list(names.iter().map(String::as_str), screen);
        let lead = format!("{} {what}:", mark.sign());
        page.lead(
            (mark.tone(), &lead),
            &format!(" {names}"),
            4,
            screen.prose(),
        );
    }
    page
}
