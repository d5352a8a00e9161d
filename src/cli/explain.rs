//! `planner explain`: the page of a code, or the list of codes.

use std::borrow::Cow;

use serde_json::json;

use crate::diagnostic::{Meaning, Rule, short_code};
use crate::document::KINDS;
use crate::kit::nearest::{hint, nearest};
use crate::kit::plural::plural;
use crate::render::json;
use crate::render::text::{Page, Screen, Tone, reflow, wrap};
use crate::rules;

use super::args::ExplainArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::ExplainFormat;

/// The width that pages are written at.
const WRITTEN: usize = 100;

/// Least room for what a code is about, beside it.
const BESIDE: usize = 30;

/// Runs the command.
///
/// # Errors
/// An unknown code or format.
pub(super) fn run(args: &ExplainArgs, console: &Console) -> Result<Exit, Failure> {
    let format = args.output.unwrap_or(ExplainFormat::Text);
    let codes = rules::codes();
    let all = &codes.rules;
    let one = |rule: &crate::diagnostic::Rule| {
        json!({
            "code": rule.code,
            "severity": rule.severity.word(),
            "summary": rule.summary,
            "since": rule.since,
            "formerCodes": rule.former,
            "docs": rule.docs,
        })
    };
    let Some(code) = &args.code else {
        console.out(&match format {
            ExplainFormat::Json => {
                json::text(&all.iter().map(|rule| one(rule)).collect::<Vec<_>>())
            }
            ExplainFormat::Text => list(all, &console.screen()),
        })?;
        return Ok(Exit::Success);
    };
    let of_word = of_word(all, code);
    if codes.find(code).is_none() && !of_word.is_empty() {
        console.out(&match format {
            ExplainFormat::Json => {
                json::text(&of_word.iter().map(|rule| one(rule)).collect::<Vec<_>>())
            }
            ExplainFormat::Text => list(&of_word, &console.screen()),
        })?;
        return Ok(Exit::Success);
    }
    // The name alone is what people remember.
    let name = |rule: &&'static Rule| rule.code.rsplit("::").next().unwrap_or_default();
    let named: Vec<&'static Rule> = all
        .iter()
        .filter(|rule| name(rule) == code)
        .copied()
        .collect();
    if named.len() > 1 {
        let page = |rule: &&'static Rule| page(rule, console);
        console.out(&match format {
            ExplainFormat::Json => {
                json::text(&named.iter().map(|rule| one(rule)).collect::<Vec<_>>())
            }
            ExplainFormat::Text => named.iter().map(page).collect::<Vec<_>>().join("\n"),
        })?;
        return Ok(Exit::Success);
    }
    let only = match named.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let meaning = codes.find(code).or(only.map(Meaning::Rule));
    if let Some(meaning) = meaning
        && let Some(note) = meaning.note(code)
    {
        if meaning.rule().is_none() {
            return Err(Failure::usage(note));
        }
        console.note(&format!("{note}\n"));
    }
    let Some(rule) = meaning.and_then(Meaning::rule) else {
        let words = all
            .iter()
            .flat_map(|rule| [short_code(rule.code), name(rule)]);
        let meant = nearest(short_code(code), words);
        let is_meant = |word: &str| meant == Some(word);
        let meant = all
            .iter()
            .filter(|rule| is_meant(short_code(rule.code)) || is_meant(name(rule)));
        let near: Vec<&str> = meant.map(|rule| short_code(rule.code)).collect();
        let hint = if KINDS.iter().any(|info| info.name == code) {
            format!("; `planner schema {code}` prints the form of this kind")
        } else {
            hint(&near)
        };
        return Err(Failure::usage(format!("there is no code \"{code}\"{hint}")));
    };
    console.out(&match format {
        ExplainFormat::Json => json::text(&one(rule)),
        ExplainFormat::Text => page(rule, console),
    })?;
    Ok(Exit::Success)
}

/// The rules of a system, or those whose name or summary has this word; none where the word is the
/// whole name of a rule.
fn of_word(all: &[&'static Rule], word: &str) -> Vec<&'static Rule> {
    let parts = |rule: &Rule| {
        let mut parts = short_code(rule.code).split("::");
        let system = parts.next().unwrap_or_default().to_owned();
        (system, parts.last().unwrap_or_default().to_owned())
    };
    if all.iter().any(|rule| parts(rule).1 == word) {
        return Vec::new();
    }
    let has = |rule: &&&'static Rule| {
        let (system, name) = parts(rule);
        let letter = |character: char| !character.is_alphanumeric();
        let mut said = rule.summary.split(letter);
        system == word
            || name.split('_').any(|part| part == word)
            || said.any(|said| said.eq_ignore_ascii_case(word))
    };
    all.iter().filter(has).copied().collect()
}

/// The page of a code; at a terminal filled, its headings and code without Markdown's marks.
fn page(rule: &Rule, console: &Console) -> String {
    let screen = console.screen();
    let docs = match screen.width {
        Some(width) => Cow::Owned(rendered(&reflow(rule.docs, width.min(WRITTEN)), &screen)),
        None => Cow::Borrowed(rule.docs),
    };
    format!(
        "{}\nSeverity: {}\nSince: {}\n",
        docs.trim_end(),
        rule.severity.word(),
        rule.since
    )
}

/// Markdown as a terminal shows it: headings in bold, code indented and dim.
fn rendered(docs: &str, screen: &Screen) -> String {
    let mut page = Page::new();
    let mut is_code = false;
    for line in docs.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            page.toned(Tone::Dim, format!("    {line}"));
        } else if line.starts_with('#') {
            page.toned(Tone::Strong, line.trim_start_matches('#').trim_start());
        } else {
            page.line(line);
        }
    }
    page.write(screen)
}

/// The codes in columns: whole in a pipe; at a terminal by system and within its width.
fn list(all: &[&Rule], screen: &Screen) -> String {
    let is_grouped = screen.width.is_some();
    let parted = all.iter().map(|rule| {
        let code = short_code(rule.code);
        let (system, name) = code.split_once("::").unwrap_or(("", code));
        let name = if is_grouped { name } else { code };
        (system, name, rule.severity.word(), rule.summary)
    });
    let rows: Vec<_> = parted.collect();
    let name = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let severity = rows.iter().map(|row| row.2.len()).max().unwrap_or(0);
    let lead = if is_grouped { "  " } else { "" };
    let before = lead.len() + name + severity + 4;
    // Beneath the name where there is little room beside it.
    let is_narrow = screen.width.is_some_and(|width| width < before + BESIDE);
    let indent = if is_narrow { 4 } else { before };
    let room = screen.width.map(|width| width.saturating_sub(indent));
    let mut page = Page::new();
    for of_system in rows.chunk_by(|one, next| one.0 == next.0) {
        if is_grouped {
            page.gap();
            let count = plural(of_system.len(), "code");
            page.toned(Tone::Strong, format!("{}:: ({count})", of_system[0].0));
        }
        for (_, own, word, summary) in of_system {
            let mut summary = wrap(summary, room, 0).into_iter();
            if is_narrow {
                page.line(format!("{lead}{own}  {word}"));
            } else {
                let first = summary.next().unwrap_or_default();
                page.line(format!("{lead}{own:name$}  {word:severity$}  {first}"));
            }
            summary.for_each(|line| page.line(format!("{:indent$}{line}", "")));
        }
    }
    if is_grouped {
        page.gap();
        let tip = "`planner explain CODE` prints a page, such as `planner explain unplaceable`; \
                   `planner explain WORD` lists the codes about something.";
        page.prose(screen, Tone::Dim, tip, 0);
    }
    page.write(screen)
}
