//! Our own Markdown pages as manual pages. pulldown-cmark reads them, `roff` writes them.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use roff::{Inline, Roff, bold, italic, roman};

/// The names of the release and the manual, in a page's footer and header.
pub const SOURCE: &str = concat!("planner ", env!("CARGO_PKG_VERSION"));
/// See [`SOURCE`].
pub const MANUAL: &str = "Planner Manual";

/// The text below the flags of a command as sections: a line without indentation that ends with a
/// colon is a heading, a paragraph with columns or deeper indentation stays as it is.
#[must_use]
pub fn sections(text: &str) -> String {
    let mut roff = Roff::new();
    for paragraph in text.split("\n\n").filter(|part| !part.is_empty()) {
        let heading = paragraph.lines().next();
        let heading = heading.and_then(|line| line.strip_suffix(':'));
        let heading = heading.filter(|line| !line.starts_with(' '));
        let mut lines = paragraph.lines();
        match heading {
            Some(heading) => {
                roff.control("SH", []).text([roman(heading.to_uppercase())]);
                lines.next();
            }
            None => {
                roff.control("PP", []);
            }
        }
        let lines: Vec<&str> = lines.map(|l| l.strip_prefix("  ").unwrap_or(l)).collect();
        let fixed = lines.iter().any(|line| line.contains("  "));
        if fixed {
            roff.control("nf", []);
        }
        for line in &lines {
            roff.text([roman(*line)]);
        }
        if fixed {
            roff.control("fi", []);
        }
    }
    roff.render()
}

/// A whole manual page of a section (`7`) from Markdown.
#[must_use]
pub fn page(name: &str, section: &str, summary: &str, markdown: &str) -> String {
    let mut page = Page::default();
    let title = name.to_uppercase();
    // The empty argument is the date, with which two builds would differ.
    page.roff
        .control("TH", [&title, section, "\"\"", SOURCE, MANUAL]);
    // Neither broken words, which option names would become, nor stretched lines.
    page.roff.control("nh", []).control("ad", ["l"]);
    page.roff.control("SH", ["NAME"]);
    page.roff.text([roman(format!("{name} - {summary}"))]);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    // The first line asks for the preprocessor of tables.
    format!("'\\\" t\n{}", page.roff.render())
}

#[derive(Default)]
struct Page {
    roff: Roff,
    /// The part of the current line that is written.
    line: Vec<Inline>,
    fonts: Vec<fn(String) -> Inline>,
    upper: bool,
    /// A heading has just ended, which makes room by itself.
    headed: bool,
    /// The open lists: the number of the next item where they are ordered.
    lists: Vec<Option<u64>>,
    /// The present item has begun and holds nothing yet.
    item_begins: bool,
    verbatim: bool,
    cells: Vec<Vec<Inline>>,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.verbatim => {
                for line in text.lines() {
                    self.roff.text([roman(line)]);
                }
            }
            Event::Text(text) => {
                let text = if self.upper {
                    text.to_uppercase()
                } else {
                    text.into_string()
                };
                let font = self.fonts.last().copied().unwrap_or(roman);
                self.line.push(font(text));
            }
            Event::Code(text) => self.line.push(bold(text.into_string())),
            Event::SoftBreak if self.cells.is_empty() => self.flush(),
            Event::SoftBreak => self.line.push(roman(" ")),
            Event::HardBreak => self.line.push(Inline::LineBreak),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.upper = level == HeadingLevel::H1;
                let name = if self.upper { "SH" } else { "SS" };
                self.roff.control(name, []);
            }
            Tag::Paragraph => self.paragraph(),
            Tag::CodeBlock(_) => {
                self.space();
                self.roff.control("RS", ["4"]).control("nf", []);
                self.verbatim = true;
            }
            Tag::List(number) => {
                self.flush();
                if !self.lists.is_empty() {
                    self.roff.control("RS", ["4"]);
                }
                self.lists.push(number);
            }
            Tag::Item => {
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let label = format!("{number}.");
                        *number += 1;
                        self.roff.control("IP", [label.as_str(), "4"]);
                    }
                    _ => {
                        self.roff.control("IP", ["\\(bu", "4"]);
                    }
                }
                self.item_begins = true;
                self.headed = false;
            }
            Tag::Emphasis => self.fonts.push(italic),
            Tag::Strong => self.fonts.push(bold),
            Tag::Table(columns) => {
                self.space();
                self.roff.control("TS", []);
                let rest = columns.len().saturating_sub(1);
                self.roff.text([roman("lb ".repeat(rest) + "lb")]);
                self.roff.text([roman("l ".repeat(rest) + "lx.")]);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.flush();
                self.upper = false;
                self.headed = true;
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::CodeBlock => {
                self.roff.control("fi", []).control("RE", []);
                self.verbatim = false;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                if !self.lists.is_empty() {
                    self.roff.control("RE", []);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.fonts.pop();
            }
            TagEnd::TableCell => self.cells.push(std::mem::take(&mut self.line)),
            TagEnd::TableHead | TagEnd::TableRow => self.row(),
            TagEnd::Table => {
                self.roff.control("TE", []);
            }
            _ => {}
        }
    }

    /// The first paragraph of an item stands beside its label.
    fn paragraph(&mut self) {
        match (self.lists.is_empty(), self.item_begins) {
            (true, _) => self.space(),
            (false, true) => {}
            (false, false) => {
                self.roff.control("IP", ["\"\"", "4"]);
            }
        }
        self.item_begins = false;
    }

    /// The room before a block.
    fn space(&mut self) {
        if !std::mem::take(&mut self.headed) {
            self.roff.control("PP", []);
        }
    }

    /// A row of a table, whose last cell may fill several lines.
    fn row(&mut self) {
        let mut cells = std::mem::take(&mut self.cells);
        let last = cells.pop().unwrap_or_default();
        let mut line = Vec::new();
        for cell in cells {
            line.extend(cell);
            line.push(roman("\t"));
        }
        line.push(roman("T{"));
        self.roff.text(line).text(last).text([roman("T}")]);
    }

    fn flush(&mut self) {
        if !self.line.is_empty() {
            self.roff.text(std::mem::take(&mut self.line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(markdown: &str) -> String {
        let page = page("planner-x", "7", "short", markdown);
        let (_, body) = page.split_once("short\n").expect("a summary");
        body.to_owned()
    }

    #[test]
    fn a_page_has_a_title_with_the_program_and_its_version() {
        let page = page("planner-x", "7", "short", "");
        let version = env!("CARGO_PKG_VERSION");
        let title = format!(".TH PLANNER-X 7 \"\" \"planner {version}\" \"Planner Manual\"\n");
        assert!(page.starts_with("'\\\" t\n"), "{page}");
        assert!(page.contains(&title), "{page}");
        assert!(page.contains(".SH NAME\nplanner\\-x \\- short\n"), "{page}");
    }

    #[test]
    fn markdown_becomes_roff() {
        assert_eq!(
            body("# One two\n\nA `b-c` *d*.\n.e\n\n## F\n\n```yaml\n.a: 'x'\n\nb\n```\n"),
            ".SH\nONE TWO\nA \\fBb\\-c\\fR \\fId\\fR.\n\\&.e\n.SS\nF\n.RS 4\n.nf\n\
             \\&.a: \\*(Aqx\\*(Aq\n\nb\n.fi\n.RE\n"
        );
    }

    #[test]
    fn sections_have_headings_and_keep_columns() {
        let roff = sections("Marks:\n  =  stays\n  +  is new\n\n  Prose of\n  two lines.");
        let (_, body) = roff.split_once(".SH\n").expect("a heading");
        assert_eq!(
            body,
            "MARKS\n.nf\n=  stays\n+  is new\n.fi\n.PP\nProse of\ntwo lines.\n"
        );
    }

    #[test]
    fn ordered_lists_keep_their_numbers() {
        assert_eq!(
            body("1. one\n   more\n2. two\n   - in\n\nafter\n"),
            ".IP 1. 4\none\nmore\n.IP 2. 4\ntwo\n.RS 4\n.IP \\(bu 4\nin\n.RE\n.PP\nafter\n"
        );
    }

    #[test]
    fn tables_have_a_head() {
        assert_eq!(
            body("| key | meaning |\n|---|---|\n| `a` | b **c** |\n"),
            ".PP\n.TS\nlb lb\nl lx.\nkey\tT{\nmeaning\nT}\n\\fBa\\fR\tT{\nb \\fBc\\fR\nT}\n.TE\n"
        );
    }
}
