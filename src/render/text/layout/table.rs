//! Tables: a sign in column one, the last column wraps under itself.

use std::borrow::Cow;
use std::ops::Range;

use super::{Heads, Mark, Row, is_narrow};
use crate::render::clean;
use crate::render::text::{Page, Screen, Tone, columns, wrap};

/// Least room for the last column; with less every field has a line of its own.
const LAST: usize = 16;
/// Blanks between columns.
const GAP: usize = 2;

const WAS: &str = "Was";
const DECIDED: &str = "Decided by";

/// The table of a block.
pub(super) fn write(page: &mut Page, heads: &Heads, rows: &[Row], screen: &Screen) {
    let first = ["", heads.subject, WAS, heads.now];
    let figures = heads.figures.iter().map(String::as_str);
    let last = heads.because.unwrap_or(DECIDED);
    let cells = |row| -> Vec<Cow<'_, str>> {
        let row: &Row = row;
        let first = [row.mark.sign(), &row.subject, &row.was, &row.now];
        let figures = row.figures.iter().map(String::as_str);
        let missing = std::iter::repeat_n("", heads.figures.len() - row.figures.len());
        let cells = first.into_iter().chain(figures).chain(missing);
        cells.chain([row.because.as_str()]).map(clean).collect()
    };
    let table = Table {
        heads: first.into_iter().chain(figures).chain([last]).collect(),
        rows: rows.iter().map(cells).collect(),
        right: 4..4 + heads.figures.len(),
        above: heads.above,
        indent: 0,
    };
    table.write(page, screen);
}

/// A table of texts; the first cell of each row is its sign.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    /// The heads, that of the signs empty.
    pub heads: Vec<String>,
    /// The rows, as many cells each.
    pub rows: Vec<Vec<String>>,
    /// The columns of figures, which stand to the right.
    pub right: Range<usize>,
    /// What is above the figures after the first one.
    pub above: &'static str,
    /// Blanks before column one.
    pub indent: usize,
}

impl Grid {
    /// Writes the table, or every field on a line of its own where it does not fit.
    pub fn write(&self, page: &mut Page, screen: &Screen) {
        let table = Table {
            heads: self.heads.iter().map(String::as_str).collect(),
            rows: (self.rows.iter())
                .map(|row| row.iter().map(|cell| clean(cell)).collect())
                .collect(),
            right: self.right.clone(),
            above: self.above,
            indent: self.indent,
        };
        table.write(page, screen);
    }
}

/// A table of harmless texts.
///
/// Written by hand because a million rows are no rarity in a pipe, and `comfy-table` takes ten
/// times as long for them.
struct Table<'c> {
    heads: Vec<&'c str>,
    rows: Vec<Vec<Cow<'c, str>>>,
    right: Range<usize>,
    above: &'static str,
    indent: usize,
}

impl Table<'_> {
    fn write(&self, page: &mut Page, screen: &Screen) {
        if is_narrow(screen) {
            return self.fields(page, screen);
        }
        // Room for a sign is kept where no row has one.
        let widths = self.heads.iter().map(|head| columns(head).max(1));
        let mut widths: Vec<usize> = widths.collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = columns(cell).max(*width);
            }
        }
        let last = widths.pop().unwrap_or(0);
        let starts = self.starts(&widths);
        let before = starts.last().copied().unwrap_or(self.indent);
        let mut wrapped = None;
        if let Some(width) = screen.width {
            let room = width.saturating_sub(before);
            if room < LAST.min(last) {
                return self.fields(page, screen);
            }
            if room < last {
                // Between words; a longer word stands out.
                let cells = self.rows.iter().filter_map(|row| row.last());
                let words = cells.flat_map(|text| text.split(' '));
                wrapped = words.map(columns).max().max(Some(room));
            }
        }
        if !self.above.is_empty() {
            let indent = starts[self.right.start + 1] - self.indent;
            page.toned(Tone::Dim, format!("{}{}", " ".repeat(indent), self.above));
        }
        let heads = self.line(&starts, &widths, self.heads.iter().copied());
        page.toned(Tone::Dim, heads);
        for row in &self.rows {
            let cells = row.iter().map(AsRef::as_ref);
            let Some((text, width)) = row.last().zip(wrapped) else {
                marked(page, row, self.line(&starts, &widths, cells));
                continue;
            };
            let mut lines = wrap(text, Some(width), 0).into_iter();
            let first = lines.next().unwrap_or_default();
            let cells = cells.take(row.len() - 1).chain([first.as_str()]);
            marked(page, row, self.line(&starts, &widths, cells));
            for line in lines {
                page.line(format!("{}{line}", " ".repeat(before)));
            }
        }
    }

    /// The column on the screen at which each cell begins.
    fn starts(&self, widths: &[usize]) -> Vec<usize> {
        let mut starts = vec![self.indent];
        let mut next = self.indent;
        for (at, width) in widths.iter().enumerate() {
            next += width
                + match at {
                    0 => 1,
                    // Figures end where words begin: one blank more keeps them apart.
                    at if at + 1 == self.right.end && !self.right.is_empty() => GAP + 1,
                    _ => GAP,
                };
            starts.push(next);
        }
        starts
    }

    fn line<'l>(
        &self,
        starts: &[usize],
        widths: &[usize],
        cells: impl Iterator<Item = &'l str>,
    ) -> String {
        let mut line = String::with_capacity(96);
        let mut used = 0;
        for (at, cell) in cells.enumerate() {
            let own = columns(cell);
            let mut start = starts[at];
            if self.right.contains(&at) {
                start += widths[at] - own;
            }
            line.extend(std::iter::repeat_n(' ', start - used));
            line.push_str(cell);
            used = start + own;
        }
        line
    }

    fn fields(&self, page: &mut Page, screen: &Screen) {
        let blanks = " ".repeat(self.indent);
        for row in &self.rows {
            let [sign, subject, values @ ..] = row.as_slice() else {
                continue;
            };
            let mark = Mark::ALL.into_iter().find(|mark| mark.sign() == sign);
            let sign = if sign.is_empty() { " " } else { sign.as_ref() };
            let rest = match mark {
                Some(Mark::Gone) => Mark::Gone.tone(),
                _ => Tone::Plain,
            };
            page.pieces(vec![
                (
                    mark.map_or(Tone::Plain, Mark::tone),
                    format!("{blanks}{sign}"),
                ),
                (rest, format!(" {subject}")),
            ]);
            for (head, value) in self.heads.iter().skip(2).zip(values) {
                if value.is_empty() {
                    continue;
                }
                let text = format!("{blanks}    {head}: {value}");
                for line in wrap(&text, screen.width, self.indent + 8) {
                    page.line(line);
                }
            }
        }
    }
}

/// A row of which the mark is coloured; of what goes the whole row: it must not look like any
/// other.
fn marked(page: &mut Page, row: &[Cow<'_, str>], line: String) {
    let sign = row.first().map_or("", AsRef::as_ref);
    match Mark::ALL.into_iter().find(|mark| mark.sign() == sign) {
        Some(Mark::Gone) => page.toned(Mark::Gone.tone(), line),
        Some(mark) => {
            let end = line.len() - line.trim_start_matches(' ').len() + sign.len();
            page.pieces([(mark.tone(), &line[..end]), (Tone::Plain, &line[end..])]);
        }
        None => page.line(line),
    }
}
