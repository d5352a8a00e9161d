//! The lines directly above the question: what is at stake, and what Proceed does.

use crate::plan::stake::Stake;

use super::{Page, Screen, Tone};
use crate::page::layout::{LEGEND, Mark, count, list};

/// The stake, the legend of the marks, and the effect of Proceed; `record` is the file's name.
#[must_use]
pub fn proceed(stake: &Stake, record: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.line("");
    page.append(self::stake(stake, screen));
    page.prose(screen, Tone::Dim, LEGEND, 0);
    page.line("");
    let text = format!("Proceed saves this plan as {record}; nothing is deployed.");
    page.prose(screen, Tone::Plain, &text, 0);
    page
}

/// The stake of a plan; empty where nothing is at stake.
#[must_use]
pub fn stake(stake: &Stake, screen: &Screen) -> Page {
    let lines = at_stake(stake, screen);
    let mut page = Page::new();
    if !lines.is_empty() {
        page.toned(Tone::Strong, "At stake:");
        page.append(lines);
    }
    page
}

/// A line for each kind of change to what is there, the dangerous ones last.
fn at_stake(stake: &Stake, screen: &Screen) -> Page {
    let mut page = Page::new();
    for (mark, names, what) in lines(stake) {
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

/// The same as marks, names and words; kinds that do not change are not there.
pub(crate) fn lines(stake: &Stake) -> impl Iterator<Item = (Mark, &[String], String)> {
    let said = |names: &[String], noun: &str, [one, many]: [&str; 2]| {
        let verb = if names.len() == 1 { one } else { many };
        format!("{} {verb}", count(names.len(), noun))
    };
    let row = |mark, names, noun, verbs| (mark, names, said(names, noun, verbs));
    let moves = ["moves", "move"];
    let takes_back = ["takes back decisions", "take back decisions"];
    let is_left = [
        "is left without Applications",
        "are left without Applications",
    ];
    let is_withdrawn = ["is withdrawn", "are withdrawn"];
    let leaves = ["leaves clusters", "leave clusters"];
    let reaches = ["reaches no cluster any more", "reach no cluster any more"];
    let stays = ["is left behind", "are left behind"];
    let deselected = match stake.deselected.len() {
        1 => "1 cluster is no longer selected".to_owned(),
        many => format!("{many} times a cluster is no longer selected"),
    };
    let verb = if stake.deleted == 1 { "is" } else { "are" };
    let nodes = format!("{} {verb} deleted", count(stake.deleted, "node"));
    let lines: [(Mark, &[String], String); 9] = [
        row(Mark::Changed, &stake.moved, "Application", moves),
        row(
            Mark::Changed,
            &stake.taken_back,
            "PlacementRule",
            takes_back,
        ),
        (Mark::Gone, &stake.deselected, deselected),
        row(Mark::Gone, &stake.leaving, "delivery", leaves),
        row(Mark::Gone, &stake.emptied, "Cluster", is_left),
        row(Mark::Gone, &stake.withdrawn, "Application", is_withdrawn),
        row(Mark::Failed, &stake.unreached, "delivery", reaches),
        (Mark::Failed, &stake.shrunk, nodes),
        row(Mark::Failed, &stake.left_behind, "volume", stays),
    ];
    lines.into_iter().filter(|(_, names, _)| !names.is_empty())
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
            leaving: vec!["Policy gov/a (oslo)".to_owned()],
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
- 1 delivery leaves clusters: Policy gov/a (oslo)
- 2 Clusters are left without Applications: n1, n2
- 2 Applications are withdrawn: n1, n2
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
