//! `planner man`: the manual pages, made from the argument definitions and the rule table.

use std::fs;

use clap::builder::Resettable;

use crate::render::roff;
use crate::rules;
use crate::systems;

use super::args::{self, ManArgs, common};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::write::{self, Readers};

/// Every page: file name and text.
#[must_use]
pub fn pages() -> Vec<(String, String)> {
    let mut command = args::command();
    command.build();
    let mut pages = vec![("planner.1".to_owned(), page(&command))];
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        pages.push((format!("planner-{}.1", sub.get_name()), page(sub)));
    }
    let written = [
        (
            "planner.toml",
            "5",
            "settings of a site repository",
            CONFIG.to_owned(),
        ),
        (
            "planner-diagnostics",
            "7",
            "every finding and what to do about it",
            diagnostics(),
        ),
        (
            "planner-placement",
            "7",
            "how each system decides",
            placement(),
        ),
    ];
    for (name, section, summary, text) in written {
        pages.push((
            format!("{name}.{section}"),
            roff::page(name, section, summary, &text),
        ));
    }
    pages
}

const CONFIG: &str = include_str!("../config/planner.toml.md");

/// How each system decides: an introduction and the chapter that each system keeps.
fn placement() -> String {
    let mut chapters = vec![include_str!("placement.md")];
    chapters.extend(systems::all().iter().map(|system| system.profile().chapter));
    chapters.join("\n")
}

/// The pages of all codes, one after the other.
fn diagnostics() -> String {
    let mut text = String::from("# Description\n\n");
    text.push_str(
        "Every finding has a stable code. `planner explain CODE` prints one page; the level of a \
         code is set under `[rules]` in planner.toml(5).\n",
    );
    for rule in rules::all() {
        let page = rule.docs.replacen("# planner::", "# ", 1);
        text.push_str(&format!("\n{page}\n"));
    }
    text
}

fn page(command: &clap::Command) -> String {
    let mut command = command.clone();
    // The manual describes the common flags among the others, not once more below them.
    let below = command.get_after_long_help().map(ToString::to_string);
    let below = below.unwrap_or_default();
    let below = below.trim_end();
    let below = below.strip_suffix(&common()).unwrap_or(below).trim_end();
    command = command.after_long_help(Resettable::Reset);
    command = command.version(Resettable::Reset);
    let name = command.get_display_name().unwrap_or("planner").to_owned();
    let man = clap_mangen::Man::new(command);
    let man = man.title(name.to_uppercase()).date("\"\"");
    let man = man.source(roff::SOURCE).manual(roff::MANUAL);
    let mut out: Vec<u8> = Vec::new();
    // Writing into memory does not fail.
    let _ = man.render(&mut out);
    let page = String::from_utf8_lossy(&out).into_owned();
    match below {
        "" => page,
        below => page + &roff::sections(below),
    }
}

/// Runs the command.
///
/// # Errors
/// A directory that cannot be written.
pub(super) fn run(args: &ManArgs, console: &Console) -> Result<Exit, Failure> {
    let pages = pages();
    let Some(directory) = &args.directory else {
        console.out(&pages[0].1)?;
        return Ok(Exit::Success);
    };
    let failed = |error| Failure::system(error, format!("cannot write {}", directory.display()));
    fs::create_dir_all(directory).map_err(failed)?;
    for (name, text) in &pages {
        let path = directory.join(name);
        write::replace(&path, Readers::AsBefore, |out| {
            out.write_all(text.as_bytes())
        })
        .map_err(|fault| fault.of(&path.display().to_string()))?;
    }
    Ok(Exit::Success)
}
