//! The graph of deployment groups as DOT, Mermaid and JSON.

use std::fmt::Write as _;

use serde_json::json;

use super::clean;
use super::json;
use crate::airship::Strategy;
use crate::airship::model::Site;
use crate::kit::plural::plural;

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

/// The graph for Graphviz; critical groups have a double border.
#[must_use]
pub fn dot(strategy: &Strategy<'_, '_>) -> String {
    let mut out = "digraph groups {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    let site = strategy.site;
    for group in &strategy.deployment.order {
        let text = label(strategy, *group)
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
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
    out.push_str("}\n");
    out
}

/// The graph for Mermaid; critical groups have a thick border.
#[must_use]
pub fn mermaid(strategy: &Strategy<'_, '_>) -> String {
    let mut out = "flowchart LR\n".to_owned();
    let site = strategy.site;
    for group in &strategy.deployment.order {
        let mut text = String::new();
        for c in label(strategy, *group).chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '-' | '_' | '.' | '(' | ')' => {
                    text.push(c);
                }
                c => {
                    let _ = write!(text, "#{};", u32::from(c));
                }
            }
        }
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
    out
}

/// The graph as data: groups in document order, edges from dependency to dependent, the waves
/// and the order.
#[must_use]
pub fn json(strategy: &Strategy<'_, '_>) -> String {
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
    json::text(&json!({
        "apiVersion": "planner/v1",
        "kind": "Graph",
        "formatVersion": super::json::FORMAT_VERSION,
        "strategy": site.strategy.map(|name| name.text),
        "groups": groups,
        "edges": edges,
        "waves": waves,
        "order": order,
    }))
}
