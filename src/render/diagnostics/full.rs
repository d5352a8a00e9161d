//! `full`: each finding with its source lines, drawn by miette.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};

use crate::diagnostic::{Diagnostic, Label, Rule, Severity, Sink, short_code};
use crate::document::secret;
use crate::kit::cut::floor;
use crate::kit::safe::{clean, same_length};
use crate::page::wrap;
use crate::source::{Source, SourceId, Sources};

use super::Look;
use super::excerpt::{Excerpt, Frame, Pointer};
use super::fold::folded;

/// Labels of one report; more would take long without being of use.
const LABELS: usize = 20;
/// Lines longer than this are shown in part.
const LONG_LINE: usize = 2000;
/// How much of a long line is shown on either side, in bytes.
const WINDOW: usize = 400;

/// Every finding with its lines.
#[must_use]
pub fn full(sink: &Sink, sources: &Sources, look: Look) -> String {
    super::as_text(|to| write_full(sink, sources, look, to))
}

/// The same, written finding by finding.
///
/// # Errors
/// Any error from the writer.
pub fn write_full(
    sink: &Sink,
    sources: &Sources,
    look: Look,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut theme = match (look.color, look.unicode) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme {
            characters: miette::ThemeCharacters::ascii(),
            styles: miette::ThemeStyles::ansi(),
        },
        (false, true) => GraphicalTheme::unicode_nocolor(),
        (false, false) => GraphicalTheme::none(),
    };
    // Yellow, the second of three, cannot be read on white.
    if theme.styles.highlights.len() > 1 {
        theme.styles.highlights.remove(1);
    }
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(look.width)
        .with_links(false)
        .with_context_lines(1);
    let mut cleaned: BTreeMap<SourceId, Option<String>> = BTreeMap::new();
    let folded = folded(&sink.diagnostics, sources);
    for found in &folded {
        if let Some(primary) = &found.primary {
            let id = primary.place.source;
            cleaned
                .entry(id)
                .or_insert_with(|| shown(&sources.get(id).text));
        }
    }
    let mut out = String::new();
    let (missing, folded): (Vec<_>, Vec<_>) =
        folded.iter().partition(|found| is_missing_path(found));
    for found in missing {
        let name = found.primary.as_ref().map(|primary| {
            let source = sources.get(primary.place.source);
            clean(&source.name)
        });
        writeln!(
            to,
            "planner: {}: {}",
            name.unwrap_or_default(),
            found.message
        )?;
    }
    for (at, found) in folded.iter().enumerate() {
        out.clear();
        if at > 0 {
            out.push('\n');
        }
        let code = found.primary.as_ref().map(|primary| {
            let id = primary.place.source;
            let source = sources.get(id);
            let text = cleaned
                .get(&id)
                .and_then(Option::as_deref)
                .unwrap_or(&source.text);
            Lines {
                source,
                text,
                name: clean(&source.name).into_owned(),
            }
        });
        let pointers = pointers(found, sources);
        let frame = look.screen.map(|width| Frame {
            width,
            cut: if look.unicode { "…" } else { "..." },
        });
        let excerpt = code.as_ref().zip(frame).and_then(|(code, frame)| {
            Excerpt::of(&code.name, code.text, code.source, &pointers, frame)
        });
        let report = MietteReport {
            found,
            code,
            excerpt,
            pointers,
            sources,
        };
        if handler.render_report(&mut out, &report).is_err() {
            out.push_str(&clean(&found.message));
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
        let code = short_code(found.rule.code);
        if look.links {
            out.push_str(&format!("  {}\n", link(&page(found.rule), code)));
        } else {
            out.push_str(&format!("  {code}\n"));
        }
        to.write_all(out.as_bytes())?;
    }
    if !folded.is_empty() && !look.links {
        let hint = "`planner explain CODE` prints the page of a code.";
        writeln!(to, "\n{}", wrap(hint, look.screen, 0).join("\n"))?;
    }
    Ok(())
}

/// Whether a PATH does not exist: there is nothing to show of it.
#[must_use]
pub fn is_missing_path(found: &Diagnostic) -> bool {
    found.rule.code == "planner::io::not_found"
}

/// A copy of a file that may be shown, every place where it was; nothing where that is the file.
fn shown(text: &str) -> Option<String> {
    match secret::covered(text) {
        Some(covered) => Some(same_length(&covered).unwrap_or(covered)),
        None => same_length(text),
    }
}

/// Where the page of a rule is, in the sources as they are published.
#[must_use]
pub fn page(rule: &Rule) -> String {
    const SOURCES: &str = concat!(
        "https://docs.rs/crate/",
        env!("CARGO_PKG_NAME"),
        "/",
        env!("CARGO_PKG_VERSION"),
        "/source/"
    );
    format!("{SOURCES}{}", rule.path())
}

/// A text that terminals open when it is clicked (OSC 8).
fn link(target: &str, text: &str) -> String {
    format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
}

/// A file's lines, found by index: miette's own sources scan from the start of the file.
struct Lines<'a> {
    source: &'a Source,
    text: &'a str,
    name: String,
}

impl SourceCode for Lines<'_> {
    fn read_span<'b>(
        &'b self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let size = self.text.len();
        let start = span.offset().min(size);
        let end = (start + span.len()).min(size);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let line = self.source.line_of(offset(start));
        let last = self.source.line_of(offset(end.max(start)));
        let starts = self.source.line_starts();
        let line_start = |line: usize| starts.get(line).map_or(size, |at| *at as usize);
        let long = (line..=last).any(|line| line_start(line + 1) - line_start(line) > LONG_LINE);
        let (from, to, first, column) = if before == 0 && after == 0 {
            let column = self.source.position(offset(start)).column - 1;
            (start, end, line, column)
        } else if long {
            let from = floor(self.text, start.saturating_sub(WINDOW)).max(line_start(line));
            let to = floor(self.text, start.max(end.min(start + WINDOW)) + WINDOW);
            let to = to.min(line_start(line + 1)).max(from);
            (from, to, line, 0)
        } else {
            let first = line.saturating_sub(before);
            (line_start(first), line_start(last + after + 1), first, 0)
        };
        let data = &self.text.as_bytes()[from..to];
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            (from, to - from).into(),
            first,
            column,
            last + 1 - first,
        )))
    }
}

struct MietteReport<'a> {
    found: &'a Diagnostic,
    code: Option<Lines<'a>>,
    /// The lines, where the screen is too narrow for them.
    excerpt: Option<Excerpt>,
    pointers: Vec<Pointer>,
    sources: &'a Sources,
}

/// The places of a finding in the file of its own place. One that spans several lines is drawn at
/// its first line.
fn pointers(found: &Diagnostic, sources: &Sources) -> Vec<Pointer> {
    let Some(primary) = &found.primary else {
        return Vec::new();
    };
    let here = primary.place.source;
    let source = sources.get(here);
    let labels = std::iter::once(primary).chain(related_here(found, here));
    let pointer = |label: &Label| {
        let span = label.place.span;
        let text = source.slice(span);
        Pointer {
            start: span.start as usize,
            len: text.find('\n').unwrap_or(text.len()),
            words: clean(&label.text).into_owned(),
            main: false,
        }
    };
    let mut pointers: Vec<Pointer> = labels.map(pointer).collect();
    pointers[0].main = true;
    pointers
}

/// The related places of a finding that are in the file of its own place.
fn related_here(found: &Diagnostic, here: SourceId) -> impl Iterator<Item = &Label> {
    let related = found.related.iter();
    let related = related.filter(move |label| label.place.source == here);
    related.take(LABELS)
}

impl fmt::Debug for MietteReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for MietteReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&clean(&self.found.message))
    }
}

impl std::error::Error for MietteReport<'_> {}

impl miette::Diagnostic for MietteReport<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.found.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(
            self.found
                .help
                .as_deref()
                .map(|help| clean(help).into_owned()),
        );
        let here = self.found.primary.as_ref().map(|label| label.place.source);
        let elsewhere = self
            .found
            .related
            .iter()
            .filter(|label| Some(label.place.source) != here)
            .take(LABELS);
        let own: Vec<&Label> = here.map_or_else(Vec::new, |here| {
            let primary = self.found.primary.iter();
            primary.chain(related_here(self.found, here)).collect()
        });
        let left_out = self.excerpt.iter().flat_map(|shown| &shown.left_out);
        let left_out = left_out.map(|at| own[*at]);
        for label in left_out.chain(elsewhere) {
            let place = self.sources.describe(label.place);
            let text = if label.text.is_empty() {
                "see also"
            } else {
                &label.text
            };
            lines.push(format!("{}: {}", clean(text), clean(&place)));
        }
        let path = here.map_or("", |here| &self.sources.get(here).name);
        let roots = self.found.built_by(path);
        lines.extend(roots.map(|roots| format!("built by {}", clean(&roots))));
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match &self.excerpt {
            Some(excerpt) => Some(excerpt),
            None => self.code.as_ref().map(|code| code as &dyn SourceCode),
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let pointers = match &self.excerpt {
            Some(excerpt) => &excerpt.pointers,
            None if self.pointers.is_empty() => return None,
            None => &self.pointers,
        };
        Some(Box::new(pointers.iter().map(|pointer| {
            let words = Some(pointer.words.clone()).filter(|words| !words.is_empty());
            let place = (pointer.start, pointer.len);
            if pointer.main {
                LabeledSpan::new_primary_with_span(words, place)
            } else {
                LabeledSpan::new_with_span(words, place)
            }
        })))
    }
}
