//! Dependencies as DOT, Mermaid and JSON: the groups of a deployment strategy, and what is
//! delivered.

mod deliveries;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::clean;
use super::text::{Page, Screen, Tone};
use crate::airship::Strategy;
use crate::airship::engine::graph as graph_of;
use crate::airship::model::Site;
use crate::delivery::graph::Graph as Deliveries;
use crate::kit::plural::{listed, plural};
use crate::page::layout::hanging;

/// The parts of a site that are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawing<'p, 'a> {
    /// The strategy, if there is one.
    pub strategy: Option<&'p Strategy<'p, 'a>>,
    /// The deliveries, if there are any.
    pub deliveries: Option<&'p Deliveries<'a>>,
}

/// The edges, from a dependency to the group that names it, each once.
fn edges(site: &Site<'_>) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for (group, to) in site.groups.iter().zip(0..) {
        let mut needs: Vec<u32> = group
            .depends_on
            .iter()
            .filter_map(|need| need.group)
            .collect();
        needs.sort_unstable();
        needs.dedup();
        edges.extend(needs.into_iter().map(|from| (from, to)));
    }
    edges
}

fn label(strategy: &Strategy<'_, '_>, group: u32) -> String {
    let nodes = strategy.deployment.members[group as usize].len();
    let name = clean(strategy.site.groups[group as usize].name.text);
    format!("{name} ({})", plural(nodes, "node"))
}

/// Text in quotation marks of DOT.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Text in quotation marks of Mermaid.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '-' | '_' | '.' | '(' | ')' | '/' => {
                out.push(c);
            }
            c => {
                let _ = write!(out, "#{};", u32::from(c));
            }
        }
    }
    out
}

/// The graph for Graphviz; critical groups have a double border.
#[must_use]
pub fn dot(drawing: Drawing<'_, '_>) -> String {
    let name = if drawing.strategy.is_some() {
        "groups"
    } else {
        "deliveries"
    };
    let mut out = format!("digraph {name} {{\n  rankdir=LR;\n  node [shape=box];\n");
    if let Some(strategy) = drawing.strategy {
        groups_of_dot(strategy, &mut out);
    }
    if let Some(graph) = drawing.deliveries {
        deliveries::dot(graph, &mut out);
    }
    out.push_str("}\n");
    out
}

fn groups_of_dot(strategy: &Strategy<'_, '_>, out: &mut String) {
    let site = strategy.site;
    for group in &strategy.deployment.order {
        let text = quoted(&label(strategy, *group));
        let mark = if site.groups[*group as usize].critical {
            ", peripheries=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  g{group} [label=\"{text}\"{mark}];");
    }
    for (from, to) in edges(site) {
        let _ = writeln!(out, "  g{from} -> g{to};");
    }
}

/// The graph as lines: the groups in their waves, each after those that it needs; the deliveries
/// below the placements that lead to them.
#[must_use]
pub fn text(drawing: Drawing<'_, '_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    if let Some(strategy) = drawing.strategy {
        groups_of_text(strategy, &mut page, screen);
    }
    if let Some(graph) = drawing.deliveries {
        page.gap();
        deliveries::text(graph, &mut page, screen);
    }
    page
}

fn groups_of_text(strategy: &Strategy<'_, '_>, page: &mut Page, screen: &Screen) {
    let site = strategy.site;
    page.toned(Tone::Strong, "Deployment groups, wave by wave");
    let name = |group: u32| site.groups[group as usize].name.text;
    for (wave, number) in graph_of(site).waves().into_iter().zip(1..) {
        let (of_wave, order) = (wave.clone(), &strategy.deployment.order);
        for (group, at) in order
            .iter()
            .filter(|group| of_wave.contains(group))
            .zip(0..)
        {
            let needs = edges(site).into_iter().filter(|(_, to)| to == group);
            let needs: Vec<String> = needs.map(|(from, _)| name(from).to_owned()).collect();
            let mut line = label(strategy, *group);
            if site.groups[*group as usize].critical {
                line.push_str(", critical");
            }
            if !needs.is_empty() {
                line.push_str(&format!(", after {}", listed(&needs)));
            }
            let lead = if at == 0 {
                format!("{number:>3}  ")
            } else {
                " ".repeat(5)
            };
            hanging(page, screen, Tone::Plain, &lead, &line);
        }
    }
}

/// The graph for Mermaid; critical groups have a thick border.
#[must_use]
pub fn mermaid(drawing: Drawing<'_, '_>) -> String {
    let mut out = "flowchart LR\n".to_owned();
    if let Some(strategy) = drawing.strategy {
        groups_of_mermaid(strategy, &mut out);
    }
    if let Some(graph) = drawing.deliveries {
        deliveries::mermaid(graph, &mut out);
    }
    out
}

fn groups_of_mermaid(strategy: &Strategy<'_, '_>, out: &mut String) {
    let site = strategy.site;
    for group in &strategy.deployment.order {
        let text = escaped(&label(strategy, *group));
        let mark = if site.groups[*group as usize].critical {
            ":::critical"
        } else {
            ""
        };
        let _ = writeln!(out, "  g{group}[\"{text}\"]{mark}");
    }
    for (from, to) in edges(site) {
        let _ = writeln!(out, "  g{from} --> g{to}");
    }
    out.push_str("  classDef critical stroke-width:3px;\n");
}

/// The graph as data: groups in document order, edges from dependency to dependent, the waves
/// and the order; and what is delivered.
#[must_use]
pub fn json(drawing: Drawing<'_, '_>) -> Value {
    let mut form = json!({
        "apiVersion": "planner/v1",
        "kind": "Graph",
        "formatVersion": super::json::FORMAT_VERSION,
    });
    let groups = drawing.strategy.map_or_else(no_groups, groups);
    for (key, value) in groups {
        form[key] = value;
    }
    if let Some(graph) = drawing.deliveries {
        form["deliveries"] = deliveries::json(graph);
    }
    form
}

fn no_groups() -> Vec<(&'static str, Value)> {
    let lists = ["groups", "edges", "waves", "order"].map(|key| (key, json!([])));
    [("strategy", Value::Null)]
        .into_iter()
        .chain(lists)
        .collect()
}

fn groups(strategy: &Strategy<'_, '_>) -> Vec<(&'static str, Value)> {
    let site = strategy.site;
    let name = |group: &u32| site.groups[*group as usize].name.text;
    let groups: Vec<_> = site
        .groups
        .iter()
        .zip(&strategy.deployment.members)
        .map(|(group, nodes)| {
            json!({"name": group.name.text, "critical": group.critical, "nodes": nodes.len()})
        })
        .collect();
    let edges: Vec<_> = edges(site)
        .iter()
        .map(|(from, to)| json!({"from": name(from), "to": name(to)}))
        .collect();
    let waves: Vec<Vec<&str>> = crate::airship::engine::graph(site)
        .waves()
        .iter()
        .map(|wave| wave.iter().map(name).collect())
        .collect();
    let order: Vec<&str> = strategy.deployment.order.iter().map(name).collect();
    vec![
        ("strategy", json!(site.strategy.map(|name| name.text))),
        ("groups", json!(groups)),
        ("edges", json!(edges)),
        ("waves", json!(waves)),
        ("order", json!(order)),
    ]
}
