//! `schema`, `completions`, `man`: what is made from tables and argument definitions.

use crate::document::KINDS;
use crate::kit::nearest::{hint, nearest};
use crate::render::json::pretty;
use crate::schema;

use super::args::{self, CompletionsArgs, SchemaArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;

/// `planner schema`.
///
/// # Errors
/// An unknown kind.
pub(super) fn schema(args: &SchemaArgs, console: &Console) -> Result<Exit, Failure> {
    let stems: Vec<&str> = std::iter::once("site")
        .chain(schema::FILES.iter().map(|(stem, _)| *stem))
        .collect();
    let Some(kind) = &args.kind else {
        console.out(&format!("{}\n", stems.join("\n")))?;
        return Ok(Exit::Success);
    };
    let by_kind = || {
        let wanted = |info: &&crate::document::KindInfo| info.name.eq_ignore_ascii_case(kind);
        KINDS.iter().find(wanted).map(|info| info.schema)
    };
    let by_ending = || {
        let lower = kind.to_lowercase();
        stems
            .iter()
            .copied()
            .find(|stem| stem.split_once('-').is_some_and(|(_, end)| end == lower))
    };
    let exact = stems.iter().copied().find(|stem| *stem == kind.as_str());
    let found = exact
        .or_else(by_kind)
        .or_else(by_ending)
        .and_then(schema::for_editors);
    let Some(found) = found else {
        let names = stems
            .iter()
            .copied()
            .chain(KINDS.iter().map(|info| info.name));
        let near = nearest(kind, names);
        let hint = hint(near.as_slice());
        return Err(Failure::usage(format!(
            "there is no schema for \"{kind}\"{hint}"
        )));
    };
    console.out(&pretty(&found))?;
    Ok(Exit::Success)
}

/// `planner completions`.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn completions(args: &CompletionsArgs, console: &Console) -> Result<Exit, Failure> {
    let mut out: Vec<u8> = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "planner", &mut out);
    console.out(&String::from_utf8_lossy(&out))?;
    Ok(Exit::Success)
}
