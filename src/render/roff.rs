//! Our own Markdown pages as manual pages: headings, paragraphs, lists, tables, code blocks.

/// A whole manual page of a section (`7`) from Markdown.
#[must_use]
pub fn page(name: &str, section: &str, summary: &str, markdown: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let upper = name.to_uppercase();
    let mut out = format!(
        ".TH \"{upper}\" \"{section}\" \"\" \"planner {version}\" \"\"\n.SH NAME\n{} \\- {}\n",
        escape(name),
        escape(summary)
    );
    body(&mut out, markdown);
    out
}

/// Characters that roff reads as its own.
fn escape(text: &str) -> String {
    let text = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq");
    if text.starts_with('.') {
        format!("\\&{text}")
    } else {
        text
    }
}

/// `code` in bold, `*emphasis*` left as it is.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            out.push_str("\\fB");
            out.push_str(&escape(part));
            out.push_str("\\fR");
        } else {
            out.push_str(&escape(&part.replace("**", "")));
        }
    }
    if out.starts_with('.') {
        format!("\\&{out}")
    } else {
        out
    }
}

fn body(out: &mut String, markdown: &str) {
    let mut verbatim = false;
    let mut paragraph = false;
    for line in markdown.lines() {
        let fence = line.trim_start().starts_with("```");
        let table = line.starts_with('|');
        if fence {
            out.push_str(if verbatim {
                ".fi\n.RE\n"
            } else {
                ".PP\n.RS 4\n.nf\n"
            });
            verbatim = !verbatim;
            paragraph = false;
        } else if verbatim {
            out.push_str(&escape(line));
            out.push('\n');
        } else if let Some(title) = line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")) {
            out.push_str(&format!(
                ".SH \"{}\"\n",
                escape(title).replace('"', "'").to_uppercase()
            ));
            paragraph = false;
        } else if let Some(title) = line.strip_prefix("### ") {
            out.push_str(&format!(".SS \"{}\"\n", inline(title).replace('"', "'")));
            paragraph = false;
        } else if table {
            let rule = line.chars().all(|c| "|-: ".contains(c));
            if !rule {
                let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
                out.push_str(&format!(".TP\n{}\n", inline(cells[0])));
                out.push_str(&inline(&cells[1..].join(": ")));
                out.push('\n');
            }
            paragraph = false;
        } else if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            out.push_str(&format!(".IP \\(bu 2\n{}\n", inline(item)));
            paragraph = true;
        } else if line.trim().is_empty() {
            paragraph = false;
        } else {
            if !paragraph {
                out.push_str(".PP\n");
                paragraph = true;
            }
            out.push_str(&inline(line.trim_start()));
            out.push('\n');
        }
    }
    if verbatim {
        out.push_str(".fi\n.RE\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_roff() {
        let text = "# One two\n\nA `b-c` d.\ne\n\n```yaml\n.a: 'x'\n```\n\n- item\n";
        let page = page("planner-x", "7", "short", text);
        assert!(
            page.contains(".SH \"ONE TWO\"\n.PP\nA \\fBb\\-c\\fR d.\ne\n"),
            "{page}"
        );
        assert!(page.contains(".nf\n\\&.a: \\(aqx\\(aq\n.fi\n"), "{page}");
        assert!(page.ends_with(".IP \\(bu 2\nitem\n"), "{page}");
    }
}
