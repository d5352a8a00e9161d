//! Deployment groups: their graph as a picture, and the same as a table.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kit::layers::{Spot, draw, longest};
use crate::kit::plural::{first_names, plural};
use crate::page::layout::Mark;
use crate::systems::outcome::{figure, first, list, number, text, texts};

use super::map::cut;
use super::page::{ALL, Page};

/// Groups that are drawn as boxes.
const BOXES: usize = 300;
/// Edges that are drawn.
const EDGES: usize = 2000;
/// Rows of the table.
const ROWS: usize = 2000;
/// The measures of a box, and of the room around it.
const WIDTH: usize = 176;
const HEIGHT: usize = 46;
const ACROSS: usize = 64;
const DOWN: usize = 16;
/// Room for the heads of the waves.
const TOP: usize = 28;
/// Characters of a name in a box.
const NAME: usize = 22;

/// The groups of a strategy and their edges.
struct Graph<'v> {
    groups: &'v [Value],
    needs: Vec<Vec<u32>>,
    waves: Vec<usize>,
    failed: BTreeSet<&'v str>,
}

impl<'v> Graph<'v> {
    fn of(strategy: &'v Value, run: Option<&'v Value>) -> Self {
        let groups = list(strategy, "groups");
        let numbers: BTreeMap<&str, u32> = groups
            .iter()
            .map(|group| text(group, "name"))
            .zip(0..)
            .collect();
        let needs: Vec<Vec<u32>> = groups
            .iter()
            .map(|group| {
                let names = texts(group, "dependsOn");
                names
                    .iter()
                    .filter_map(|name| numbers.get(name).copied())
                    .collect()
            })
            .collect();
        let outcome = run.and_then(|run| run.get("groupStatus")?.as_object());
        let failed = outcome.into_iter().flatten();
        let failed = failed.filter(|(_, word)| word.as_str() == Some("failed"));
        Self {
            groups,
            waves: longest(&needs),
            needs,
            failed: failed.map(|(name, _)| name.as_str()).collect(),
        }
    }

    fn is_failed(&self, at: usize) -> bool {
        self.failed.contains(text(&self.groups[at], "name"))
    }

    fn is_critical(&self, at: usize) -> bool {
        self.groups[at]["critical"] == true
    }
}

/// The section.
pub(super) fn write(page: &mut Page<'_>, strategy: &Value, run: Option<&Value>) {
    let graph = Graph::of(strategy, run);
    if graph.groups.is_empty() {
        return;
    }
    let waves = graph.waves.iter().max().map_or(0, |last| last + 1);
    page.markup(
        "<section id=\"groups\" class=\"full\" data-system=\"groups\"><h2>Deployment groups",
    );
    page.markup(" <small>")
        .number(graph.groups.len())
        .markup(" in ");
    page.text(&plural(waves, "wave")).markup("</small></h2><p>");
    page.markup("The order in which nodes are deployed. A thick border marks a critical group");
    if run.is_some() {
        page.markup(", a broken one a group that fails in the simulated run");
    }
    let limit = number(&strategy["duration"], "limitSeconds");
    let chain = graph.groups.len().max(1) as u64;
    let chain = limit / chain * waves as u64;
    page.markup(". One after the other all groups take ")
        .text(&span(limit))
        .markup(" at most, the longest chain of groups that wait for one another ")
        .text(&span(chain))
        .markup(".</p>\n");
    if let Some(run) = run {
        page.markup("<p>With these faults the deployment ends as <b>");
        page.text(text(run, "verdict")).markup("</b>.</p>");
    }
    picture(page, &graph);
    table(page, &graph, strategy, run);
    let unassigned = texts(strategy, "unassignedNodes");
    if !unassigned.is_empty() {
        page.markup("<p>In no group: ")
            .text(&first_names(unassigned.iter(), 40))
            .markup(".</p>");
    }
    page.markup("</section>\n");
}

/// `1 h 40 min`
pub(super) fn span(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, unit)| format!("{number}\u{a0}{unit}"))
        .collect();
    if parts.is_empty() {
        "no time".to_owned()
    } else {
        parts.join(" ")
    }
}

fn picture(page: &mut Page<'_>, graph: &Graph<'_>) {
    let all = graph.groups.len();
    let large = all > BOXES;
    let shown: Vec<usize> = if !large {
        (0..all).collect()
    } else {
        let matters = |at: &usize| graph.is_critical(*at) || graph.is_failed(*at);
        (0..all).filter(matters).take(BOXES).collect()
    };
    let numbers: BTreeMap<usize, u32> = shown.iter().copied().zip(0..).collect();
    let mut edges = Vec::new();
    for (at, number) in &numbers {
        for need in &graph.needs[*at] {
            if let Some(from) = numbers.get(&(*need as usize)) {
                edges.push((*from, *number));
            }
        }
    }
    let left_out = edges.len().saturating_sub(EDGES);
    edges.truncate(EDGES);
    let layers: Vec<usize> = shown.iter().map(|at| graph.waves[*at]).collect();
    let waves = graph.waves.iter().max().map_or(0, |last| last + 1);
    let drawn = draw(&layers, &edges);
    let most = drawn.sizes.iter().max().copied().unwrap_or_default().max(1);
    let spot = |(layer, place): Spot| {
        // Short waves stand in the middle.
        let own = drawn.sizes.get(layer).copied().unwrap_or_default();
        let above = (most - own) * (HEIGHT + DOWN) / 2;
        (
            layer * (WIDTH + ACROSS),
            TOP + above + place * (HEIGHT + DOWN),
        )
    };
    let width = waves * (WIDTH + ACROSS) - ACROSS;
    let height = TOP + most * (HEIGHT + DOWN);
    page.wide("Graph of the deployment groups", |page| {
        page.markup(
            "<svg role=\"img\" aria-labelledby=\"graph-title\" aria-describedby=\"groups-table\"",
        );
        page.attribute("viewBox", &format!("-2 -2 {} {}", width + 4, height + 4));
        page.length("width", width + 4).length("height", height + 4);
        page.markup("><title id=\"graph-title\">Graph of the deployment groups</title>");
        for wave in 0..waves {
            heading(page, graph, wave);
        }
        for way in &drawn.edges {
            edge(page, way, &spot);
        }
        for (at, place) in shown.iter().zip(&drawn.nodes) {
            one(page, graph, *at, spot(*place));
        }
        page.markup("</svg>");
    });
    if large {
        page.markup("<p class=\"more\">Only critical and failed groups are drawn (");
        page.number(shown.len())
            .markup(" of ")
            .number(all)
            .markup("); each wave shows its number of groups.</p>");
    }
    page.left_out(left_out, "edge", "planner graph");
}

fn heading(page: &mut Page<'_>, graph: &Graph<'_>, wave: usize) {
    let own: Vec<usize> = (0..graph.groups.len())
        .filter(|at| graph.waves[*at] == wave)
        .collect();
    let nodes: usize = own
        .iter()
        .map(|at| list(&graph.groups[*at], "nodes").len())
        .sum();
    page.markup("<text class=\"small\"")
        .length("x", wave * (WIDTH + ACROSS))
        .markup(" y=\"12\">");
    let says = format!(
        "Wave {}: {}, {}",
        wave + 1,
        plural(own.len(), "group"),
        plural(nodes, "node")
    );
    page.text(&says).markup("</text>");
}

fn edge(page: &mut Page<'_>, way: &[Spot], spot: &impl Fn(Spot) -> (usize, usize)) {
    let mut line = String::new();
    for (at, pair) in way.windows(2).enumerate() {
        let ((x, y), (to_x, to_y)) = (spot(pair[0]), spot(pair[1]));
        let (y, to_y) = (y + HEIGHT / 2, to_y + HEIGHT / 2);
        // A place on the way is crossed along its whole width.
        let from = if at == 0 { x + WIDTH } else { x };
        if at == 0 {
            line.push_str(&format!("M{from} {y}"));
        } else {
            line.push_str(&format!("H{}", x + WIDTH));
        }
        let from = x + WIDTH;
        let middle = from + (to_x - from) / 2;
        line.push_str(&format!("C{middle} {y} {middle} {to_y} {to_x} {to_y}"));
    }
    page.markup("<path class=\"edge\"")
        .attribute("d", &line)
        .markup("/>");
}

fn one(page: &mut Page<'_>, graph: &Graph<'_>, at: usize, (x, y): (usize, usize)) {
    let group = &graph.groups[at];
    page.markup(match (graph.is_failed(at), graph.is_critical(at)) {
        (true, _) => "<rect class=\"box failed\" rx=\"6\"",
        (false, true) => "<rect class=\"box strong\" rx=\"6\"",
        (false, false) => "<rect class=\"box\" rx=\"6\"",
    });
    page.length("x", x)
        .length("y", y)
        .length("width", WIDTH)
        .length("height", HEIGHT)
        .markup("/>");
    page.markup("<text class=\"t\"")
        .length("x", x + 10)
        .length("y", y + 19)
        .markup(">");
    page.text(&cut(text(group, "name"), NAME)).markup("</text>");
    let mut says = plural(list(group, "nodes").len(), "node");
    if graph.is_critical(at) {
        says.push_str(", critical");
    }
    if graph.is_failed(at) {
        says.push_str(", fails");
    }
    page.markup("<text class=\"small\"")
        .length("x", x + 10)
        .length("y", y + 36)
        .markup(">");
    page.text(&says).markup("</text>");
}

fn table(page: &mut Page<'_>, graph: &Graph<'_>, strategy: &Value, run: Option<&Value>) {
    let order = texts(strategy, "order");
    let by_name: BTreeMap<&str, usize> = graph
        .groups
        .iter()
        .map(|group| text(group, "name"))
        .zip(0..)
        .collect();
    page.markup("<div id=\"groups-table\">");
    let heads = [
        "#Place",
        "Group",
        "@Critical",
        "Success criteria",
        "Needs",
        "#Nodes",
        "Which",
        "Outcome",
    ];
    let shown = heads.len() - usize::from(run.is_none());
    let mut left = 0;
    page.table("Deployment groups", &heads[..shown], |page| {
        left = page.rows(order.iter().enumerate(), ROWS, |page, (place, name)| {
            let Some(at) = by_name.get(name).copied() else {
                return;
            };
            let group = &graph.groups[at];
            let mark = if graph.is_failed(at) {
                Mark::Failed
            } else {
                Mark::Same
            };
            let id = page.anchor("group", name);
            page.markup("<tr")
                .attribute("id", &id)
                .marked(mark)
                .markup(">");
            page.figure(&(place + 1).to_string()).head(name);
            page.cell(if graph.is_critical(at) {
                "critical"
            } else {
                ""
            });
            page.cell(&criteria(group))
                .cell(&first(group, "dependsOn", 6));
            page.figure(&list(group, "nodes").len().to_string());
            page.cell(&first(group, "nodes", 8));
            if run.is_some() {
                page.markup("<td>");
                match mark {
                    Mark::Failed => page.mark(Mark::Failed).markup(" fails"),
                    _ => page.markup("succeeds"),
                };
                page.markup("</td>");
            }
            page.markup("</tr>\n");
        });
    });
    page.markup("</div>");
    page.left_out(left, "group", ALL);
}

fn criteria(group: &Value) -> String {
    let own = &group["successCriteria"];
    let words = [
        ("percent_successful_nodes", "at least ", " % of the nodes"),
        ("minimum_successful_nodes", "at least ", " nodes"),
        ("maximum_failed_nodes", "at most ", " failed"),
    ];
    let words = words.iter().filter(|(key, ..)| own.get(key).is_some());
    let words: Vec<String> = words
        .map(|(key, before, after)| format!("{before}{}{after}", figure(own, key)))
        .collect();
    words.join(", ")
}
