//! The kinds of items of a page, and the details of each.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::render::text::layout::Mark;
use crate::systems::outcome::spaced;

use super::item::{Kind, at, figure, list, number, some, text, texts};
use super::page::Page;

/// Names in one line.
const NAMES: usize = 6;
/// Rows of one table within an item.
const ROWS: usize = 100;
/// The command that prints the full list.
pub(super) const ALL: &str = "planner plan -o json";

/// Applications of packages.
pub(super) const APPLICATIONS: Kind = Kind {
    id: "application",
    key: "applications",
    title: "Applications",
    short: "Applications",
    noun: "Application",
    about: "Where each Application goes. Open one for its rules, the Clusters that each filter \
            left, and what decided.",
    answer: "Cluster",
    is_matrix: false,
    opens: false,
    name: None,
    why: None,
    body: application,
};

fn application(page: &mut Page<'_>, name: &str, row: &Value) {
    page.markup("<dl><dt>Project</dt><dd>");
    page.text(text(row, "project"))
        .markup("</dd><dt>Decided by</dt><dd>");
    let filter = text(&row["decidedBy"], "filter");
    match (row.get("error"), filter) {
        (Some(error @ Value::Object(_)), _) => {
            page.text(text(error, "message"));
        }
        (_, "") if row.get("decidedBy").is_none_or(Value::is_null) => {
            page.markup("no longer planned");
        }
        (_, "") => {
            page.text(text(&row["decidedBy"], "reason"));
        }
        (_, filter) => {
            let reason = text(&row["decidedBy"], "reason");
            page.text(&format!("{filter}: {reason}"));
        }
    }
    page.place(at(row)).markup("</dd></dl>");
    let rules = list(row, "effectiveRules");
    if !rules.is_empty() {
        let label = format!("Rules of {name}");
        page.table(&label, &["Rule", "Values", "From"], |page| {
            for rule in rules.iter().take(ROWS) {
                page.markup("<tr>").cell(&format!(
                    "{} {}",
                    text(rule, "key"),
                    text(rule, "operator")
                ));
                page.cell(&some(&texts(rule, "values"), NAMES));
                page.markup("<td>")
                    .text(text(rule, "origin"))
                    .place(at(rule));
                page.markup("</td></tr>");
            }
        });
        more(page, rules.len(), "rule");
    }
    funnel(page, name, row, "Clusters left");
    let left = list(row, "outOfBounds");
    if !left.is_empty() {
        let label = format!("Volumes that {name} leaves behind");
        page.table(&label, &["Left behind", "On", "Removed by"], |page| {
            for volume in left.iter().take(ROWS) {
                page.markup("<tr>");
                page.head(&format!(
                    "{} {}",
                    text(volume, "kind"),
                    text(volume, "name")
                ));
                page.cell(text(volume, "cluster"))
                    .cell(text(volume, "removedBy"));
                page.markup("</tr>");
            }
        });
        more(page, left.len(), "volume");
    }
}

/// The clusters that remain after each filter, as figures and bars.
fn funnel(page: &mut Page<'_>, name: &str, row: &Value, head: &'static str) {
    let filters = list(row, "filters");
    if filters.is_empty() {
        return;
    }
    let most = filters.iter().map(|filter| number(filter, "left")).max();
    let label = format!("Filters of {name}");
    let named = filters
        .iter()
        .any(|filter| !list(filter, "clusters").is_empty());
    let heads: &[&'static str] = if named {
        &["Filter", "#Left", head, "Which"]
    } else {
        &["Filter", "#Left", head]
    };
    page.table(&label, heads, |page| {
        for filter in filters {
            let left = number(filter, "left");
            page.markup("<tr>").head(text(filter, "name"));
            page.figure(&left.to_string()).markup("<td class=\"b\">");
            page.bar(left, most.unwrap_or_default(), None)
                .markup("</td>");
            if named {
                page.cell(&some(&texts(filter, "clusters"), NAMES));
            }
            page.markup("</tr>");
        }
    });
}

fn more(page: &mut Page<'_>, all: usize, noun: &str) {
    page.left_out(all.saturating_sub(ROWS), noun, ALL);
}

/// Placements of Open Cluster Management.
pub(super) const PLACEMENTS: Kind = Kind {
    id: "placement",
    key: "placements",
    title: "Placements",
    short: "Placements",
    noun: "Placement",
    about: "Which clusters each Placement selects. Open one for its filters, scores and decisions.",
    answer: "Clusters",
    is_matrix: true,
    opens: true,
    name: None,
    why: None,
    body: placement,
};

fn placement(page: &mut Page<'_>, name: &str, row: &Value) {
    page.markup("<dl>");
    let sets = texts(row, "eligibleClusterSets");
    if !sets.is_empty() {
        page.markup("<dt>Cluster sets</dt><dd>")
            .text(&some(&sets, NAMES))
            .markup("</dd>");
    }
    for condition in list(row, "conditions") {
        page.markup("<dt>")
            .text(text(condition, "type"))
            .markup("</dt><dd>");
        page.text(&format!(
            "{}: {}",
            text(condition, "status"),
            text(condition, "message")
        ));
        page.markup("</dd>");
    }
    if let Some(place) = at(row) {
        page.markup("<dt>Document</dt><dd>")
            .place(Some(place))
            .markup("</dd>");
    }
    page.markup("</dl>");
    funnel(page, name, row, "Clusters left");
    decisions(page, name, row);
    scores(page, name, row);
}

/// The clusters that come, go and stay.
fn decisions(page: &mut Page<'_>, name: &str, row: &Value) {
    let (now, was) = (texts(row, "decisions"), texts(row, "was"));
    let known = row.get("was").is_some_and(Value::is_array);
    let groups = list(row, "decisionGroups");
    let mut all: Vec<(Mark, &str)> = Vec::new();
    all.extend(
        was.iter()
            .filter(|one| !now.contains(one))
            .map(|one| (Mark::Gone, *one)),
    );
    let mark = |one: &&str| {
        if known && !was.contains(one) {
            Mark::New
        } else {
            Mark::Same
        }
    };
    all.extend(now.iter().map(|one| (mark(one), *one)));
    all.sort_by_key(|(mark, _)| *mark == Mark::Same);
    if all.is_empty() {
        return;
    }
    let label = format!("Decisions of {name}");
    page.table(&label, &["@Change", "Cluster", "Group"], |page| {
        for (mark, cluster) in all.iter().take(ROWS) {
            let group = groups.iter().find(|group| {
                list(group, "clusters")
                    .iter()
                    .any(|own| own.as_str() == Some(cluster))
            });
            let group = group.map_or(String::new(), |group| match text(group, "name") {
                "" if groups.len() == 1 => String::new(),
                "" => figure(group, "index"),
                called => format!("{} {called}", figure(group, "index")),
            });
            page.markup("<tr><td class=\"m\">")
                .mark(*mark)
                .markup("</td>");
            page.head(cluster).cell(&group).markup("</tr>");
        }
    });
    more(page, all.len(), "cluster");
}

/// The scores of each candidate by prioritizer, the best first.
fn scores(page: &mut Page<'_>, name: &str, row: &Value) {
    let prioritizers = list(row, "prioritizers");
    let Some(totals) = row.get("totals").and_then(Value::as_object) else {
        return;
    };
    if prioritizers.is_empty() || totals.is_empty() {
        return;
    }
    let mut order: Vec<(&String, i64)> = totals
        .iter()
        .map(|(cluster, total)| (cluster, total.as_i64().unwrap_or_default()))
        .collect();
    order.sort_by(|(a, first), (b, second)| second.cmp(first).then(a.cmp(b)));
    let chosen = texts(row, "decisions");
    let label = format!("Scores of {name}");
    let mut heads = vec!["Candidate".to_owned()];
    heads.extend(prioritizers.iter().map(|one| {
        let weight = match number(one, "weight") {
            1 => String::new(),
            _ => format!(" ×{}", figure(one, "weight")),
        };
        format!("#{}{weight}", text(one, "name"))
    }));
    heads.extend(["#Total", "Chosen"].map(str::to_owned));
    page.table(&label, &heads, |page| {
        for (cluster, total) in order.iter().take(ROWS) {
            page.markup("<tr>").head(cluster);
            for one in prioritizers {
                page.figure(&figure(&one["scores"], cluster));
            }
            page.figure(&total.to_string());
            page.cell(if chosen.contains(&cluster.as_str()) {
                "yes"
            } else {
                ""
            });
            page.markup("</tr>");
        }
    });
    more(page, order.len(), "candidate");
}

/// Rules of hybrid placement.
pub(super) const RULES: Kind = Kind {
    id: "rule",
    key: "rules",
    title: "Placement rules",
    short: "Placement rules",
    noun: "PlacementRule",
    about: "Which candidates each PlacementRule chooses. Open one for its rounds.",
    answer: "Decisions",
    is_matrix: false,
    opens: true,
    name: None,
    why: None,
    body: rule,
};

fn rule(page: &mut Page<'_>, name: &str, row: &Value) {
    page.markup("<dl><dt>State</dt><dd>")
        .text(text(row, "state"))
        .place(at(row));
    page.markup("</dd>");
    for (key, title) in [("candidates", "Candidates"), ("eliminators", "Removed")] {
        let keys: Vec<String> = list(row, key).iter().map(key_text).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if !keys.is_empty() {
            page.markup("<dt>").text(title).markup("</dt><dd>");
            page.text(&some(&keys, 20)).markup("</dd>");
        }
    }
    page.markup("</dl>");
    for warning in texts(row, "warnings").into_iter().take(ROWS) {
        page.markup("<p>").text(warning).markup("</p>");
    }
    let rounds = list(row, "rounds");
    if rounds.is_empty() {
        return;
    }
    let heads = ["#Round", "Advisor", "Recommends", "Removed in this round"];
    let label = format!("Rounds of {name}");
    let mut written = 0;
    page.table(&label, &heads, |page| {
        for round in rounds {
            let removed: BTreeSet<String> = ["vetoed", "removed"]
                .iter()
                .flat_map(|key| list(round, key))
                .map(key_text)
                .collect();
            let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
            let advice = round.get("recommendations").and_then(Value::as_object);
            for (at, (advisor, votes)) in advice.into_iter().flatten().enumerate() {
                written += 1;
                if written > ROWS {
                    break;
                }
                let votes = votes.as_array().map_or(&[][..], Vec::as_slice);
                let vote = |vote: &Value| match vote.get("score") {
                    Some(score) => format!("{} ({score})", key_text(&vote["target"])),
                    None => key_text(&vote["target"]),
                };
                let votes: Vec<String> = votes.iter().map(vote).collect();
                let votes: Vec<&str> = votes.iter().map(String::as_str).collect();
                page.markup("<tr>").figure(&figure(round, "round"));
                page.cell(advisor).cell(&some(&votes, NAMES));
                page.cell(&if at == 0 {
                    some(&removed, NAMES)
                } else {
                    String::new()
                });
                page.markup("</tr>");
            }
        }
    });
    more(page, written, "row");
}

/// A target, which is a text or an object.
fn key_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => format!("{}/{}", text(value, "kind"), spaced(value)),
        _ => String::new(),
    }
}

/// Region policies.
pub(super) const REGIONS: Kind = Kind {
    id: "region",
    key: "regions",
    title: "Regions",
    short: "Regions",
    noun: "action",
    about: "How many nodes each region gets. The bar is the share of a region, the line in it its \
            cap.",
    answer: "Nodes",
    is_matrix: false,
    opens: true,
    name: Some(|row, item| match text(item, "cluster") {
        "" => row.name.to_string(),
        cluster => cluster.to_owned(),
    }),
    why: Some(|item| text(item, "action").to_owned()),
    body: regions,
};

fn regions(page: &mut Page<'_>, name: &str, row: &Value) {
    page.markup("<dl><dt>Action</dt><dd>")
        .text(text(row, "action"));
    page.markup(" <span class=\"at\">")
        .text(text(row, "path"))
        .markup("</span></dd>");
    if text(&row["data"], "status") != "OK" {
        page.markup("<dt>Status</dt><dd>")
            .text(text(&row["data"], "reason"))
            .markup("</dd>");
    }
    page.markup("</dl>");
    let all = list(row, "regions");
    let widest = all
        .iter()
        .flat_map(|region| ["nodes", "after", "share", "cap"].map(|key| number(region, key)));
    let widest = widest.max().unwrap_or_default().max(1);
    let heads = [
        "@Change", "Region", "#Weight", "#Cap", "#Now", "#Change", "#After", "Share",
    ];
    let label = format!("Regions of {name}");
    page.table(&label, &heads, |page| {
        for region in all.iter().take(ROWS) {
            let change = region["change"].as_i64().unwrap_or_default();
            let mark = match change {
                0 => Mark::Same,
                1.. => Mark::New,
                _ => Mark::Gone,
            };
            page.markup("<tr><td class=\"m\">")
                .mark(mark)
                .markup("</td>");
            page.head(text(region, "name"));
            for key in ["weight", "cap", "nodes"] {
                page.figure(&figure(region, key));
            }
            page.figure(&match change {
                1.. => format!("+{change}"),
                other => other.to_string().replace('-', "\u{2212}"),
            });
            page.figure(&figure(region, "after"))
                .markup("<td class=\"b\">");
            let cap = region.get("cap").and_then(Value::as_u64);
            page.bar(number(region, "after"), widest, cap)
                .markup("</td></tr>");
        }
    });
    more(page, all.len(), "region");
}

/// The consumers of placements.
pub(super) const DELIVERIES: Kind = Kind {
    id: "delivery",
    key: "deliveries",
    title: "What reaches each cluster",
    short: "Deliveries",
    noun: "delivery",
    about: "Policies, applications, add-ons and works, and the clusters that they reach by what \
            placements decide.",
    answer: "Clusters",
    is_matrix: true,
    opens: true,
    name: Some(|row, _| row.called()),
    why: None,
    body: delivery,
};

fn delivery(page: &mut Page<'_>, name: &str, row: &Value) {
    page.markup("<dl><dt>Document</dt><dd>")
        .place(at(row))
        .markup("</dd>");
    for (key, title) in [
        ("added", "Comes to"),
        ("removed", "Goes from"),
        ("clusters", "Reaches"),
    ] {
        let names = texts(row, key);
        if !names.is_empty() {
            page.markup("<dt>").text(title).markup("</dt><dd>");
            page.text(&some(&names, 40)).markup("</dd>");
        }
    }
    page.markup("</dl>");
    let via = list(row, "via");
    if !via.is_empty() {
        let label = format!("Ways of {name}");
        page.table(&label, &["Placement", "Binding", "Clusters"], |page| {
            for way in via.iter().take(ROWS) {
                page.markup("<tr>").head(&spaced(&way["placement"]));
                page.cell(text(way, "binding"));
                page.cell(&some(&texts(way, "clusters"), 12))
                    .markup("</tr>");
            }
        });
        more(page, via.len(), "way");
    }
}

/// Placement rules of applications, which placements have replaced.
pub(super) const LEGACY: Kind = Kind {
    id: "legacy-rule",
    key: "legacy-rules",
    title: "Application placement rules",
    short: "Older rules",
    noun: "PlacementRule",
    about: "Which clusters the older PlacementRules for applications select.",
    answer: "Clusters",
    is_matrix: false,
    opens: false,
    name: None,
    why: None,
    body: |page, _, row| {
        page.markup("<p>")
            .text(&some(&texts(row, "decisions"), 40))
            .place(at(row));
        page.markup("</p>");
    },
};
