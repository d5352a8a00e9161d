//! The writer of a page: markup is ours and fixed, all else is text and is escaped.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::kit::cut::floor;
use crate::kit::plural::plural;
use crate::kit::safe::{command, is_command};
use crate::page::layout::Mark;
use crate::plan::detail::Place;

/// Bytes of one text, at most: names of 64 KB tell nobody more.
const LONG: usize = 300;

/// Where forges show a line of a file: an address with `{rev}`, `{path}` and `{line}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    template: String,
    revision: String,
    prefix: String,
}

impl Link {
    /// A template; `prefix` leads from the root of the repository to the working directory.
    ///
    /// # Errors
    /// The fault of the template.
    pub fn new(template: &str, revision: Option<&str>, prefix: &str) -> Result<Self, String> {
        Self::check(template)?;
        let Some(revision) = revision
            .or(Some(""))
            .filter(|_| !template.contains("{rev}"))
        else {
            return match revision {
                Some(revision) => Ok(Self::of(template, revision, prefix)),
                None => Err("{rev} has no value: the site is in no git repository".to_owned()),
            };
        };
        Ok(Self::of(template, revision, prefix))
    }

    /// Whether it is a template at all, before anything is read.
    ///
    /// # Errors
    /// The fault of the template.
    pub fn check(template: &str) -> Result<(), String> {
        let scheme = ["https://", "http://"];
        if !scheme.iter().any(|scheme| template.starts_with(scheme)) {
            return Err("it has to start with https:// or http://".to_owned());
        }
        if template.contains("{path}") {
            Ok(())
        } else {
            Err("it has no {path}".to_owned())
        }
    }

    fn of(template: &str, revision: &str, prefix: &str) -> Self {
        Self {
            template: template.to_owned(),
            revision: revision.to_owned(),
            prefix: prefix.to_owned(),
        }
    }

    fn to(&self, path: &str, line: usize) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for part in self.prefix.split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let path = percent(&parts.join("/"));
        self.template
            .replace("{rev}", &percent(&self.revision))
            .replace("{line}", &line.to_string())
            .replace("{path}", &path)
    }
}

/// Percent-encodes all bytes but those that a path of an address may hold.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The command that prints the full list.
pub(super) const ALL: &str = "planner plan -o json";

/// Lines of one text, at most.
const LINES: usize = 60;

/// Bytes after which no list goes on; what is left is room for the frames of all sections.
const TOTAL: usize = 15 << 19;

/// A page that is being written.
#[derive(Debug, Default)]
pub(super) struct Page<'l> {
    out: String,
    link: Option<&'l Link>,
    ids: BTreeSet<String>,
    /// How often each label was given.
    labels: BTreeMap<String, usize>,
    /// How long the page may be when the lists of the present section end.
    limit: usize,
}

impl<'l> Page<'l> {
    pub(super) fn new(link: Option<&'l Link>) -> Self {
        Self {
            link,
            ..Self::default()
        }
    }

    /// Markup of ours.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text of any origin.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        escape(&mut self.out, &short(text));
        self
    }

    /// Text of several lines: line breaks stay.
    pub(super) fn lines(&mut self, text: &str) -> &mut Self {
        for (line, number) in text.lines().take(LINES).zip(0..) {
            if number > 0 {
                self.out.push('\n');
            }
            self.text(line);
        }
        self
    }

    /// A sentence of ours about documents: what stands in backticks is code.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        let text = short(text);
        let parts: Vec<&str> = text.split('`').collect();
        // A mark without its fellow is a mark.
        let last = parts.len() - 1;
        for (at, part) in parts.iter().enumerate() {
            match (at % 2 == 1, at == last) {
                (true, false) => self.markup("<code>").text(part).markup("</code>"),
                (true, true) => self.markup("`").text(part),
                (false, _) => self.text(part),
            };
        }
        self
    }

    /// A number.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        let digits = number.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
                self.out.push('\u{202f}');
            }
            self.out.push(digit);
        }
        self
    }

    /// An attribute, inside of a tag that is open.
    pub(super) fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(&mut self.out, &short(value));
        self.out.push('"');
        self
    }

    /// A length or place in a picture.
    pub(super) fn length(&mut self, name: &'static str, value: usize) -> &mut Self {
        self.attribute(name, &value.to_string())
    }

    /// A box that scrolls sideways; everything wide stands in one. No two share a label.
    pub(super) fn wide(&mut self, label: &str, write: impl FnOnce(&mut Self)) {
        let label = short(label);
        let times = self.labels.entry(label.clone().into_owned()).or_insert(0);
        *times += 1;
        let label = match *times {
            1 => label,
            times => Cow::Owned(format!("{label}, {times}")),
        };
        self.markup("<section class=\"wide\" tabindex=\"0\"");
        self.attribute("aria-label", &label).markup(">");
        write(self);
        self.markup("</section>\n");
    }

    /// A table with these heads: `#` is over figures, `@` is only read aloud.
    pub(super) fn table(
        &mut self,
        label: &str,
        heads: &[impl AsRef<str>],
        rows: impl FnOnce(&mut Self),
    ) {
        self.wide(label, |page| {
            page.markup("<table><thead><tr>");
            for head in heads {
                let head = head.as_ref();
                match (head.strip_prefix('#'), head.strip_prefix('@')) {
                    (Some(head), _) => page.markup("<th scope=\"col\" class=\"n\">").text(head),
                    (_, Some(head)) => page
                        .markup("<th scope=\"col\"><span class=\"say\">")
                        .text(head)
                        .markup("</span>"),
                    (None, None) => page.markup("<th scope=\"col\">").text(head),
                };
                page.markup("</th>");
            }
            page.markup("</tr></thead><tbody>\n");
            rows(page);
            page.markup("</tbody></table>");
        });
    }

    /// A cell of a table.
    pub(super) fn cell(&mut self, text: &str) -> &mut Self {
        self.markup("<td>").text(text).markup("</td>")
    }

    /// A cell with a number.
    pub(super) fn figure(&mut self, text: &str) -> &mut Self {
        self.markup("<td class=\"n\">").text(text).markup("</td>")
    }

    /// The cell that names its row.
    pub(super) fn head(&mut self, text: &str) -> &mut Self {
        self.markup("<th scope=\"row\">").text(text).markup("</th>")
    }

    /// A mark: its sign, and its word for those who do not see it.
    pub(super) fn mark(&mut self, mark: Mark) -> &mut Self {
        self.markup(match mark {
            Mark::Same => "<b class=\"k same\">=",
            Mark::New => "<b class=\"k new\">+",
            Mark::Changed => "<b class=\"k changed\">~",
            Mark::Gone => "<b class=\"k gone\">\u{2212}",
            Mark::Failed => "<b class=\"k failed\">!",
        });
        self.markup("<span class=\"say\"> ")
            .markup(word(mark))
            .markup("</span></b>")
    }

    /// The attributes that the filters read, written inside the open tag.
    pub(super) fn marked(&mut self, mark: Mark) -> &mut Self {
        self.markup(match mark {
            Mark::Same => " data-mark=\"same\"",
            Mark::New => " data-mark=\"new\"",
            Mark::Changed => " data-mark=\"changed\"",
            Mark::Gone => " data-mark=\"gone\"",
            Mark::Failed => " data-mark=\"failed\"",
        })
    }

    /// File and line.
    pub(super) fn place(&mut self, at: Option<Place<'_>>) -> &mut Self {
        let Some((path, line)) = at else {
            return self;
        };
        let text = line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        match self.link.zip(line) {
            Some((link, line)) => {
                let address = link.to(path, line);
                self.markup(" <a class=\"at\"").attribute("href", &address);
                self.markup(" rel=\"noreferrer\">")
                    .text(&text)
                    .markup("</a>")
            }
            None => self
                .markup(" <span class=\"at\">")
                .text(&text)
                .markup("</span>"),
        }
    }

    /// A bar: how much of a whole, and a line at a cap.
    pub(super) fn bar(&mut self, part: u64, whole: u64, cap: Option<u64>) -> &mut Self {
        let share = |part: u64| u128::from(part) * 1000 / u128::from(whole.max(1));
        let percent = |part: u64| {
            let share = share(part).min(1000);
            format!("{}.{}%", share / 10, share % 10)
        };
        let is_over = share(part) > 1000;
        self.markup("<svg class=\"bar\" aria-hidden=\"true\"><rect");
        self.markup(if is_over { " class=\"over\"" } else { "" })
            .attribute("width", &percent(part))
            .markup(" height=\"8\"/>");
        if let Some(cap) = cap {
            self.markup("<rect class=\"cap\"")
                .attribute("x", &percent(cap))
                .markup(" width=\"2\" height=\"8\"/>");
        }
        self.markup("</svg>")
    }

    /// The anchor of an item: it comes of what it is called, so it is the same in the next run,
    /// and nothing of the name is in it.
    pub(super) fn anchor(&mut self, kind: &'static str, name: &str) -> String {
        let digest = anchor(kind, name);
        let mut id = digest.clone();
        let mut more = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{digest}-{more}");
            more += 1;
        }
        id
    }

    /// How much has been written, in bytes.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Lets lists take this much from here on.
    pub(super) fn allow(&mut self, bytes: usize) -> &mut Self {
        self.limit = (self.out.len() + bytes).min(TOTAL);
        self
    }

    /// Writes items while there is room, `most` of them at most; how many are left out.
    pub(super) fn rows<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        most: usize,
        mut write: impl FnMut(&mut Self, T),
    ) -> usize {
        let all = items.len();
        for (at, item) in items.enumerate() {
            if at == most || self.out.len() > self.limit {
                return all - at;
            }
            write(self, item);
        }
        0
    }

    /// Says what a list leaves out, and what has all of it.
    pub(super) fn left_out(&mut self, number: usize, noun: &str, command: &'static str) {
        if number > 0 {
            let noun = plural(number, noun);
            let noun = noun.trim_start_matches(|c: char| c.is_ascii_digit());
            self.markup("<p class=\"more\">")
                .number(number)
                .markup(" more")
                .text(noun);
            self.markup(": <code>")
                .markup(command)
                .markup("</code> lists all of them.</p>\n");
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// The policy of the page: ours, but longer than other texts.
    pub(super) fn policy(&mut self, policy: &str) -> &mut Self {
        self.out.push_str(" content=\"");
        self.out.push_str(policy);
        self.out.push('"');
        self
    }
}

/// The anchor that an item has, the first of its name.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(kind.as_bytes());
    digest.update([0]);
    digest.update(name.as_bytes());
    let digest = digest.finalize();
    let hex: String = digest[..5]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{kind}-{hex}")
}

/// A mark in a word.
pub(super) const fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "stays",
        Mark::New => "new",
        Mark::Changed => "changes",
        Mark::Gone => "goes",
        Mark::Failed => "fails",
    }
}

fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= LONG {
        return Cow::Borrowed(text);
    }
    let end = floor(text, LONG);
    let more = text[end..].chars().count();
    Cow::Owned(format!("{}… ({more} more characters)", &text[..end]))
}

/// Characters that turn the direction of text, or are no text at all.
const fn harmful(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escape(out: &mut String, mut text: &str) {
    // The runner of a CI job that prints the page takes no command from it.
    if is_command(text) {
        let (blanks, rest) = text.split_at(text.len() - text.trim_start().len());
        escape_characters(out, blanks);
        out.push_str("&#58;");
        text = &rest[1..];
    }
    while let Some(at) = command(text) {
        escape_characters(out, &text[..at]);
        out.push_str("&#35;");
        text = &text[at + 1..];
    }
    escape_characters(out, text);
}

fn escape_characters(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push(' '),
            c if harmful(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_command_to_the_runner_of_a_job() {
        let mut page = Page::new(None);
        page.lines("a\n \t::error::x\n##[error]###[");
        assert_eq!(page.finish(), "a\n  &#58;:error::x\n&#35;#[error]#&#35;#[");
    }

    #[test]
    fn nothing_of_a_text_is_markup() {
        let mut page = Page::new(None);
        page.markup("<p")
            .attribute("title", "\"x' onclick=<>&")
            .markup(">");
        page.text("</p><script>\u{202e}\u{1b}[1m\u{85}")
            .markup("</p>");
        assert_eq!(
            page.finish(),
            "<p title=\"&quot;x&#39; onclick=&lt;&gt;&amp;\">&lt;/p&gt;&lt;script&gt;\u{fffd}\
             \u{fffd}[1m\u{fffd}</p>"
        );
    }

    #[test]
    fn backticks_are_code_where_they_are_pairs() {
        let mut page = Page::new(None);
        page.prose("`a<b` of c ` d");
        assert_eq!(page.finish(), "<code>a&lt;b</code> of c ` d");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = "ä".repeat(LONG);
        let cut = short(&text);
        assert!(cut.len() < LONG + 40 && cut.ends_with("(150 more characters)"));
    }

    #[test]
    fn links_name_paths_from_the_root_of_the_repository() {
        let template = "https://forge.example/blob/{rev}/{path}#L{line}";
        let link = Link::new(template, Some("abc"), "sites/north").unwrap();
        assert_eq!(
            link.to("../a b/{rev}\".yaml", 7),
            "https://forge.example/blob/abc/sites/a%20b/%7Brev%7D%22.yaml#L7"
        );
        assert!(Link::new("javascript:alert({path})", Some("abc"), "").is_err());
        assert!(Link::new("https://forge.example/", Some("abc"), "").is_err());
        assert!(Link::new(template, None, "").is_err());
        assert!(Link::new("https://forge.example/{path}", None, "").is_ok());
    }

    #[test]
    fn an_anchor_is_of_the_name_and_the_second_of_a_name_has_another() {
        let mut page = Page::new(None);
        let first = page.anchor("application", "a/b");
        assert_eq!(first, anchor("application", "a/b"));
        assert_eq!(page.anchor("application", "a/b"), format!("{first}-2"));
        assert_ne!(page.anchor("application", "a/c"), first);
    }
}
