//! `schema`, `completions`, `man`: what is made from tables and argument definitions.

use crate::kit::nearest::{hint, nearest};
use crate::render::json;
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
    let Some(kind) = &args.kind else {
        let stems: Vec<&str> = schema::stems().collect();
        console.out(&format!("{}\n", stems.join("\n")))?;
        return Ok(Exit::Success);
    };
    let Some(found) = schema::named(kind) else {
        let near = nearest(kind, schema::names());
        let hint = hint(near.as_slice());
        return Err(Failure::usage(format!(
            "there is no schema for \"{kind}\"{hint}"
        )));
    };
    console.out(&json::text(&found))?;
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
