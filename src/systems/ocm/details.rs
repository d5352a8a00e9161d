//! The details of Placements.

use std::cmp::Reverse;

use serde_json::Value;

use crate::plan::detail::{Cell, Columns, Detail, Said};
use crate::plan::{Mark, Section};
use crate::systems::delivery;
use crate::systems::kind::{Kind, NAMES, funnel};
use crate::systems::outcome::{at, figure, first, list, number, text, texts};

/// Placements, the consumers of placements, and the rules that placements have replaced.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        section: Section::Placements,
        id: "placement",
        key: "placements",
        title: "Placements",
        short: "Placements",
        noun: "Placement",
        about: "Which clusters each Placement selects. Open one for its filters, scores and \
                decisions.",
        is_matrix: true,
        details: placement,
        ..Kind::ROWS
    },
    delivery::DELIVERIES,
    delivery::LEGACY_RULES,
];

fn placement(row: &Value) -> Vec<Detail<'_>> {
    let conditions = list(row, "conditions").iter().map(|condition| {
        let [kind, status, message] = ["type", "status", "message"].map(|key| text(condition, key));
        (kind, format!("{status}: {message}").into())
    });
    let mut fields = vec![(
        "Cluster sets",
        first(row, "eligibleClusterSets", NAMES).into(),
    )];
    fields.extend(conditions);
    fields.push(("Document", Said::at("", at(row))));
    vec![
        Detail::Fields(fields),
        funnel(row),
        decisions(row),
        scores(row),
    ]
}

/// The clusters that come, go and stay.
fn decisions(row: &Value) -> Detail<'_> {
    let (now, was) = (texts(row, "decisions"), texts(row, "was"));
    let known = row["was"].is_array();
    let gone = was.iter().filter(|one| !now.contains(one));
    let mark = |one: &&str| {
        if known && !was.contains(one) {
            Mark::New
        } else {
            Mark::Same
        }
    };
    let mut all: Vec<(Mark, &str)> = gone.map(|one| (Mark::Gone, *one)).collect();
    all.extend(now.iter().map(|one| (mark(one), *one)));
    all.sort_by_key(|(mark, _)| *mark == Mark::Same);
    let groups = list(row, "decisionGroups");
    let group = |cluster: &str| {
        let mut holding = groups.iter();
        let holds = |group: &&Value| list(group, "clusters").iter().any(|own| own == cluster);
        match holding
            .find(holds)
            .map(|group| (group, text(group, "name")))
        {
            None => String::new(),
            Some((_, "")) if groups.len() == 1 => String::new(),
            Some((group, "")) => figure(group, "index"),
            Some((group, name)) => format!("{} {name}", figure(group, "index")),
        }
    };
    Columns::of("cluster", "Decisions of {}", all)
        .with("@Change", |(mark, _)| Cell::Mark(mark))
        .with("Cluster", |(_, cluster)| Cell::Name(cluster.into()))
        .with("Group", |(_, cluster)| group(cluster))
        .end()
}

/// The scores of each candidate by prioritizer, the best first.
fn scores(row: &Value) -> Detail<'_> {
    let prioritizers = list(row, "prioritizers");
    let totals = row["totals"]
        .as_object()
        .filter(|_| !prioritizers.is_empty());
    let totals = totals.into_iter().flatten();
    let mut order: Vec<(&str, i64)> = totals
        .map(|(cluster, total)| (cluster.as_str(), total.as_i64().unwrap_or_default()))
        .collect();
    order.sort_by_key(|(cluster, total)| (Reverse(*total), *cluster));
    let chosen = texts(row, "decisions");
    let mut table = Columns::of("candidate", "Scores of {}", order)
        .with("Candidate", |(cluster, _)| Cell::Name(cluster.into()));
    for one in prioritizers {
        let head = match number(one, "weight") {
            1 => format!("#{}", text(one, "name")),
            _ => format!("#{} ×{}", text(one, "name"), figure(one, "weight")),
        };
        table = table.with(head, |(cluster, _)| {
            Cell::Figure(figure(&one["scores"], cluster).into())
        });
    }
    table
        .with("#Total", |(_, total)| {
            Cell::Figure(total.to_string().into())
        })
        .with(
            "Chosen",
            |(cluster, _)| if chosen.contains(&cluster) { "yes" } else { "" },
        )
        .end()
}
