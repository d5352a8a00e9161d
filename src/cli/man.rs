//! `planner man`: the manual pages, made from the argument definitions and the rule table.

use std::fs;

use clap::CommandFactory as _;

use super::args::{Cli, ManArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::output::write_file;

/// Every page: file name and text.
#[must_use]
pub fn pages() -> Vec<(String, String)> {
    let mut command = Cli::command();
    command.build();
    let mut pages = vec![("planner.1".to_owned(), page(&command))];
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        pages.push((format!("planner-{}.1", sub.get_name()), page(sub)));
    }
    pages
}

fn page(command: &clap::Command) -> String {
    let mut out: Vec<u8> = Vec::new();
    // Writing into memory does not fail.
    let _ = clap_mangen::Man::new(command.clone()).render(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Runs the command.
///
/// # Errors
/// A directory that cannot be written.
pub(super) fn run(args: &ManArgs, console: &Console) -> Result<Exit, Failure> {
    let pages = pages();
    let Some(directory) = &args.directory else {
        console.out(&pages[0].1);
        return Ok(Exit::Success);
    };
    let failed = |error| Failure::system(error, format!("cannot write {}", directory.display()));
    fs::create_dir_all(directory).map_err(failed)?;
    for (name, text) in &pages {
        write_file(&directory.join(name), text.as_bytes()).map_err(failed)?;
    }
    Ok(Exit::Success)
}
