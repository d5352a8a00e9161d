//! Changed files as a patch.

use similar::TextDiff;

use super::{clean, clean_lines};

/// The differences of files, each with its name, its text before and its text after. A patch in a
/// pipe must stay what it is; a terminal must not be steered by it.
#[must_use]
pub fn patch<'f>(
    files: impl Iterator<Item = (&'f str, &'f str, &'f str)>,
    terminal: bool,
) -> String {
    let mut out = String::new();
    for (name, before, after) in files {
        let diff = TextDiff::from_lines(before, after);
        let mut diff = diff.unified_diff();
        let diff = diff.header(&format!("a/{}", clean(name)), &format!("b/{}", clean(name)));
        out.push_str(&diff.to_string());
    }
    match terminal {
        true => clean_lines(&out).into_owned(),
        false => out,
    }
}
