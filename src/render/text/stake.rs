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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(stake: &Stake, width: usize) -> String {
        let screen = Screen::columns(width);
        proceed(stake, "planner-records/0001-site.yaml", &screen).write(&screen)
    }

    fn names(number: usize) -> Vec<String> {
        (1..=number).map(|at| format!("n{at}")).collect()
    }

    #[test]
    fn each_kind_is_said_the_dangerous_last() {
        let stake = Stake {
            moved: names(1),
            withdrawn: names(2),
            deselected: names(1),
            taken_back: names(1),
            emptied: names(2),
            unreached: names(1),
            shrunk: vec!["3 in A".to_owned()],
            deleted: 3,
            left_behind: names(12),
        };
        assert_eq!(
            shown(&stake, 100),
            "
At stake:
~ 1 Application moves: n1
~ 1 PlacementRule takes back decisions: n1
- 1 cluster is no longer selected: n1
- 2 Clusters are left without Applications: n1, n2
! 2 Applications are withdrawn: n1, n2
! 1 delivery reaches no cluster any more: n1
! 3 nodes are deleted: 3 in A
! 12 volumes are left behind: n1, n2, n3, n4, n5, n6, n7, n8, n9, n10 and 2 more
= stays, + is new, ~ changes, - goes, ! is lost or has no place

Proceed saves this plan as planner-records/0001-site.yaml; nothing is deployed.
"
        );
    }

    #[test]
    fn nothing_at_stake_leaves_the_legend_and_what_proceed_does() {
        let said = shown(&Stake::default(), 60);
        assert!(!said.contains("At stake"), "{said}");
        assert!(said.contains("= stays") && said.contains("nothing is deployed"));
    }
}
