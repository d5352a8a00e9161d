//! `planner explain`: the page of a code, or the list of codes.

use serde_json::json;

use crate::diagnostic::{find_rule, short_code};
use crate::kit::nearest::nearest;
use crate::render::json::pretty;
use crate::rules;

use super::args::ExplainArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;

/// Runs the command.
///
/// # Errors
/// An unknown code or format.
pub fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, Failure> {
    let data = match args.output.as_deref() {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => {
            return Err(Failure::usage(format!(
                "there is no output format \"{other}\" here (there are text, json)"
            )));
        }
    };
    let all = rules::all();
    let one = |rule: &crate::diagnostic::Rule| {
        json!({
            "code": rule.code,
            "severity": rule.severity.word(),
            "summary": rule.summary,
            "docs": rule.docs,
        })
    };
    let Some(code) = &args.code else {
        if data {
            console.out(&pretty(
                &all.iter().map(|rule| one(rule)).collect::<Vec<_>>(),
            ));
            return Ok(Exit::Success);
        }
        let width = all
            .iter()
            .map(|rule| short_code(rule.code).len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for rule in &all {
            let (code, severity) = (short_code(rule.code), rule.severity.word());
            text.push_str(&format!("{code:width$}  {severity:7}  {}\n", rule.summary));
        }
        console.out(&text);
        return Ok(Exit::Success);
    };
    let Some(rule) = find_rule(&all, code) else {
        let near = nearest(
            short_code(code),
            all.iter().map(|rule| short_code(rule.code)),
        );
        let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
        return Err(Failure::usage(format!("there is no code \"{code}\"{hint}")));
    };
    if data {
        console.out(&pretty(&one(rule)));
    } else {
        console.out(&format!(
            "{}\nSeverity: {}\n",
            rule.docs.trim_end(),
            rule.severity.word()
        ));
    }
    Ok(Exit::Success)
}
