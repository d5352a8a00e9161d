//! Markdown pages filled to the width of a terminal; code, tables and headings stay as they are.

use super::wrap;

/// The page with its paragraphs filled to `width` columns.
#[must_use]
pub fn reflow(page: &str, width: usize) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut paragraph = String::new();
    let mut is_code = false;
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        let is_verbatim = is_fence || is_code || line.starts_with("    ");
        let is_prose = !(is_verbatim || line.is_empty() || line.starts_with(['#', '|']));
        if !is_prose || line.starts_with("- ") {
            flush(&mut out, &mut paragraph, width);
        }
        is_code ^= is_fence;
        match is_prose {
            true if paragraph.is_empty() => paragraph.push_str(line),
            true => paragraph.push_str(&format!(" {}", line.trim_start())),
            false => out.push(line.to_owned()),
        }
    }
    flush(&mut out, &mut paragraph, width);
    out.join("\n") + "\n"
}

fn flush(out: &mut Vec<String>, paragraph: &mut String, width: usize) {
    if !paragraph.is_empty() {
        let indent = if paragraph.starts_with("- ") { 2 } else { 0 };
        out.extend(wrap(paragraph, Some(width), indent));
        paragraph.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::reflow;

    #[test]
    fn prose_is_filled_and_code_is_not() {
        let lines = [
            "# A heading that is long",
            "",
            "one two",
            "three",
            "",
            "- four five",
            "  six",
            "- seven",
            "",
            "```yaml",
            "a: b c d e f g h",
            "```",
        ];
        let page = lines.join("\n") + "\n";
        assert_eq!(reflow(&page, 11), page);
        assert!(reflow(&page, 80).contains("one two three\n\n- four five six\n- seven\n"));
        assert_eq!(reflow("one two\nthree\n", 80), "one two three\n");
    }
}
