//! Tables: a sign in column one, the last column wraps under itself.

use std::ops::Range;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Row as Line, Table, Width, presets,
};

use super::{Heads, Mark, Row, is_narrow};
use crate::render::clean;
use crate::render::text::{Page, Screen, Tone, columns, wrap};

/// Least room for the last column; with less every field has a line of its own.
const LAST: usize = 16;
/// Blanks between columns.
const GAP: u16 = 2;

const WAS: &str = "Was";
const DECIDED: &str = "Decided by";

/// The table of a block.
pub(super) fn write(page: &mut Page, heads: &Heads, rows: &[Row], screen: &Screen) {
    let first = ["", heads.subject, WAS, heads.now].map(str::to_owned);
    let all = first.into_iter().chain(heads.figures.iter().cloned());
    let last = heads.because.unwrap_or(DECIDED);
    let all = all.chain([last.to_owned()]).collect();
    let cells = |row: &Row| {
        let mut figures = row.figures.clone();
        figures.resize(heads.figures.len(), String::new());
        let first = [row.mark.sign(), &row.subject, &row.was, &row.now];
        let cells = first.into_iter().map(str::to_owned).chain(figures);
        cells.chain([row.because.clone()]).collect()
    };
    let grid = Grid {
        heads: all,
        rows: rows.iter().map(cells).collect(),
        right: 4..4 + heads.figures.len(),
        above: heads.above,
        indent: 0,
    };
    grid.write(page, screen);
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
        if is_narrow(screen) {
            return self.fields(page, screen);
        }
        let mut table = self.filled();
        let mut widths: Vec<usize> = table
            .column_max_content_widths()
            .into_iter()
            .map(usize::from)
            .collect();
        let last = widths.pop().unwrap_or(0);
        let figures = usize::from(!self.right.is_empty());
        let gaps = 1 + usize::from(GAP) * widths.len().saturating_sub(1) + figures;
        let before = self.indent + widths.iter().sum::<usize>() + gaps;
        if let Some(width) = screen.width {
            let room = width.saturating_sub(before);
            if room < LAST.min(last) {
                return self.fields(page, screen);
            }
            if room < last {
                self.narrow(&mut table, before - self.indent, room);
            }
        }
        if !self.above.is_empty() {
            let first = &widths[..=self.right.start];
            let indent = first.iter().sum::<usize>() + 1 + usize::from(GAP) * (first.len() - 1);
            page.toned(Tone::Dim, format!("{}{}", " ".repeat(indent), self.above));
        }
        let blanks = " ".repeat(self.indent);
        for (line, at) in table.lines().zip(0..) {
            let mark = Mark::ALL
                .into_iter()
                .find(|mark| line.starts_with(mark.sign()));
            match mark {
                _ if at == 0 => page.toned(Tone::Dim, format!("{blanks}{line}")),
                // What goes must not look like any other row.
                Some(Mark::Gone) => page.toned(Mark::Gone.tone(), format!("{blanks}{line}")),
                Some(mark) => page.pieces(vec![
                    (mark.tone(), format!("{blanks}{}", mark.sign())),
                    (Tone::Plain, line[1..].to_owned()),
                ]),
                None => page.line(format!("{blanks}{line}")),
            }
        }
    }

    fn filled(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|text| clean(text).into_owned());
            Line::from(cells.collect::<Vec<_>>())
        };
        table.set_header(line(&self.heads));
        table.add_rows(self.rows.iter().map(|row| line(row)));
        let last = self.heads.len().saturating_sub(1);
        for (at, column) in table.column_iter_mut().enumerate() {
            let gap = match at {
                0 => 1,
                at if at == last => 0,
                // Figures end where words begin: one blank more keeps them apart.
                at if at + 1 == self.right.end && !self.right.is_empty() => GAP + 1,
                _ => GAP,
            };
            column.set_padding((0, gap));
            if self.right.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    /// Lets the last column wrap between words; a longer word stands out.
    fn narrow(&self, table: &mut Table, before: usize, room: usize) {
        let last = self.rows.iter().filter_map(|row| row.last());
        let words = last.flat_map(|text| text.split(' '));
        let longest = words.map(columns).max().unwrap_or(0).max(room);
        let fixed = |width: usize| u16::try_from(width).unwrap_or(u16::MAX);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(fixed(before + longest));
        let last = self.heads.len() - 1;
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_constraint(if at == last {
                ColumnConstraint::Absolute(Width::Fixed(fixed(longest)))
            } else {
                ColumnConstraint::ContentWidth
            });
        }
    }

    fn fields(&self, page: &mut Page, screen: &Screen) {
        let blanks = " ".repeat(self.indent);
        for row in &self.rows {
            let [sign, subject, values @ ..] = row.as_slice() else {
                continue;
            };
            let mark = Mark::ALL.into_iter().find(|mark| mark.sign() == sign);
            let sign = if sign.is_empty() { " " } else { sign };
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
                let text = format!("{blanks}    {head}: {}", clean(value));
                for line in wrap(&text, screen.width, self.indent + 8) {
                    page.line(line);
                }
            }
        }
    }
}
