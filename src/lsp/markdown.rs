//! Text of documents in Markdown: as code, so that nothing in it is a mark.

use crate::kit::safe::{clean, clean_lines};

/// A text as code in a line of Markdown.
pub(super) fn code(text: &str) -> String {
    let text = clean(text);
    let ticks = longest_ticks(&text);
    let fence = "`".repeat(ticks + 1);
    let pad = if ticks > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A text as a block of Markdown.
pub(super) fn block(text: &str) -> String {
    let fence = "`".repeat(longest_ticks(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}", clean_lines(text.trim_end()))
}

fn longest_ticks(text: &str) -> usize {
    let runs = text.split(|c| c != '`');
    runs.map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_code() {
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(block("x\n```\n**y**"), "````text\nx\n```\n**y**\n````");
    }
}
