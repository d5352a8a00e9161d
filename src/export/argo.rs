//! A deployment strategy for Argo Workflows: a DAG with two tasks for each group.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::sheet::{Row, Sheet};
use super::text::{plain_json, slugs};
use super::{CORE, Comment, File, airflow};

const SCRIPT: &str = include_str!("argo/script.py");
const WORKFLOW: &str = include_str!("argo/workflow.yaml");
const CONFIG_MAP: &str = include_str!("argo/actions.yaml");
const README: &str = include_str!("argo/README.md");

/// A workflow of more bytes does not fit into the store of a cluster.
pub const LARGEST: usize = 1_000_000;

/// The files of workflows whose names begin with `name`: lower-case letters, digits and hyphens.
#[must_use]
pub fn files(sheet: &Sheet<'_, '_>, name: &str) -> Vec<File> {
    let tasks = tasks(sheet);
    let filled = |text: &str| text.replace("@NAME@", name);
    let script = SCRIPT.replace("#CORE\n", CORE);
    let workflow = filled(WORKFLOW)
        .replace("@TASKS@\n", &dag(sheet, &tasks))
        .replace("@SCRIPT@\n", &block(&script, 10))
        .replace("@PLAN@\n", &block(&plan(sheet, &tasks), 16));
    let actions = filled(CONFIG_MAP).replace("@ACTIONS@\n", &block(airflow::ACTIONS, 4));
    vec![
        File::ours("workflow.yaml", Comment::Hash, &workflow),
        File::ours("README.md", Comment::Markdown, README),
        File::users("actions.yaml", &actions),
    ]
}

/// How the tasks of each group begin. Argo takes no task that begins with a digit.
fn tasks(sheet: &Sheet<'_, '_>) -> Vec<String> {
    let named = sheet.names().map(|name| {
        let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.to_ascii_lowercase()
        } else {
            format!("g-{}", name.to_ascii_lowercase())
        }
    });
    let named: Vec<String> = named.collect();
    slugs(named.iter().map(String::as_str), 40, '-', |_| false)
}

fn plan(sheet: &Sheet<'_, '_>, tasks: &[String]) -> String {
    let data = sheet.data(|at| {
        let task = Value::from(tasks[at].as_str());
        Map::from_iter([("task".to_owned(), task)])
    });
    let text = plain_json(&data).replace(",{\"name\":", ",\n{\"name\":");
    format!("{text}\n")
}

/// Lines for a block scalar.
fn block(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.is_empty() {
            out.push('\n');
        } else {
            let _ = writeln!(out, "{:indent$}{line}", "");
        }
    }
    out
}

fn dag(sheet: &Sheet<'_, '_>, tasks: &[String]) -> String {
    let mut out = String::new();
    let mut task = |name: &str, depends: &str, template: &str, parameters: &[(&str, &str)]| {
        let _ = writeln!(
            out,
            "          - name: {name}\n            template: {template}"
        );
        if !depends.is_empty() {
            let _ = writeln!(out, "            depends: \"{depends}\"");
        }
        if !parameters.is_empty() {
            out.push_str("            arguments:\n              parameters:\n");
        }
        for (key, value) in parameters {
            let _ = writeln!(
                out,
                "                - name: {key}\n                  value: \"{value}\""
            );
        }
    };
    let over = |at: usize| {
        let task = &tasks[at];
        let ends = ["Succeeded", "Failed", "Errored", "Omitted"];
        let ends = ends.map(|end| format!("{task}-deploy.{end}"));
        format!("({})", ends.join(" || "))
    };
    // The time that a pod takes to start is not the step's.
    let limits = sheet
        .limits
        .map(|limit| limit.saturating_add(300).to_string());
    for (at, row) in sheet.rows.iter().enumerate() {
        let own = &tasks[at];
        let needs = row
            .needs
            .iter()
            .map(|need| format!("{}-deploy.Succeeded", tasks[*need]));
        let needs: Vec<String> = at
            .checked_sub(1)
            .map(over)
            .into_iter()
            .chain(needs)
            .collect();
        let steps = [
            ("prepare", needs.join(" && ")),
            ("deploy", format!("{own}-prepare.Succeeded")),
        ];
        for ((action, depends), limit) in steps.iter().zip(&limits) {
            let parameters = [
                ("group", own.as_str()),
                ("action", action),
                ("seconds", limit),
            ];
            task(&format!("{own}-{action}"), depends, "step", &parameters);
        }
    }
    let last = sheet.rows.len().checked_sub(1).map(over);
    let report = [
        ("group", ""),
        ("action", "report"),
        ("seconds", &*limits[0]),
    ];
    task("report", &last.unwrap_or_default(), "step", &report);
    let critical = sheet
        .rows
        .iter()
        .zip(tasks)
        .filter(|(row, _)| is_critical(row));
    let critical = critical.map(|(_, task)| format!("{task}-deploy.Succeeded"));
    let all: Vec<String> = ["report.Succeeded".to_owned()]
        .into_iter()
        .chain(critical)
        .collect();
    task("verdict", &all.join(" && "), "verdict", &[]);
    out
}

fn is_critical(row: &Row<'_, '_>) -> bool {
    row.group.critical
}
