//! The arguments that make a printed command read the same site.

use std::path::{Path, PathBuf};

use crate::kit::safe::shell_word;
use crate::render::clean;

use super::session::Session;

/// The PATHs, but not the current directory, and `--hub` as arguments.
pub(super) fn inputs(session: &Session) -> String {
    let paths = &session.request.paths;
    let named = if is_here(paths) { &[][..] } else { paths };
    let named: String = named.iter().map(|path| word(path)).collect();
    named + &hub(session)
}

/// The options that make `planner why` read the same site.
pub(super) fn within(session: &Session) -> String {
    let paths = &session.request.paths;
    let named = if is_here(paths) { &[][..] } else { paths };
    let places: String = named.iter().map(|path| option("--in", path)).collect();
    places + &hub(session) + &site_options(&session.request.site)
}

/// `--hub`, if the command was called with it.
pub(super) fn hub(session: &Session) -> String {
    let hub = session.hub_named.as_deref();
    hub.map_or_else(String::new, |hub| option("--hub", hub))
}

/// `--site` for each site.
pub(super) fn site_options(names: &[String]) -> String {
    let names = names.iter();
    names.map(|name| option("--site", name.as_ref())).collect()
}

/// An option and its value, after a blank.
fn option(name: &str, value: &Path) -> String {
    format!(" {name}{}", word(value))
}

/// A path or name as a shell word, after a blank.
pub(super) fn word(text: &Path) -> String {
    format!(" {}", shell_word(&clean(&text.to_string_lossy())))
}

fn is_here(paths: &[PathBuf]) -> bool {
    matches!(paths, [path] if path == Path::new("."))
}
