//! A deployment strategy for Airflow: a DAG with two tasks for each group.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::sheet::Sheet;
use super::text::{quoted, slugs};
use super::{CORE, Comment, File};

const DAG: &str = include_str!("airflow/dag.py");
pub(super) const ACTIONS: &str = include_str!("airflow/actions.py");
const README: &str = include_str!("airflow/README.md");

/// The files of a DAG with this id, which is made of letters, digits, `-`, `_` and `.`.
#[must_use]
pub fn files(sheet: &Sheet<'_, '_>, id: &str) -> Vec<File> {
    let keeps = |c| matches!(c, '-' | '_');
    let tasks = slugs(
        ["verdict"].into_iter().chain(sheet.names()),
        100,
        '-',
        keeps,
    );
    let mut plan = sheet.data(|at| {
        let mut more = Map::new();
        more.insert("task".to_owned(), tasks[at + 1].as_str().into());
        more.insert("needs".to_owned(), sheet.rows[at].needs.clone().into());
        more
    });
    plan["name"] = id.into();
    let mut literal = String::new();
    python(&plan, &mut literal);
    // The placeholder of the plan is replaced last: names may look like any placeholder.
    let dag = DAG.replace("#CORE\n", &format!("\n{CORE}"));
    let dag = dag
        .replace("@DAG_ID@", &quoted(id))
        .replace("@PLAN@", &literal);
    vec![
        File::ours("planner_dag.py", Comment::Hash, &dag),
        File::ours(
            "README.md",
            Comment::Markdown,
            &README.replace("@DAG_ID@", id),
        ),
        File::users("planner_actions.py", ACTIONS),
    ]
}

/// A value as a literal of Python, an object of a list on each line.
fn python(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                let space = match (item.is_object(), at) {
                    (true, _) => "\n    ",
                    (false, 0) => "",
                    (false, _) => " ",
                };
                let _ = write!(out, "{comma}{space}");
                python(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (at, (key, field)) in fields.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                let _ = write!(out, "{comma}{}: ", quoted(key));
                python(field, out);
            }
            out.push('}');
        }
    }
}
