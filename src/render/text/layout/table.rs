//! Tables: a sign in column one, the last column wraps under itself.

use std::borrow::Cow;
use std::ops::Range;

use super::{Heads, Mark, Row, is_narrow};
use crate::render::clean;
use crate::render::text::{Page, Screen, Tone, columns, wrap};

/// Least room for the last column; with less every field has a line of its own.
const LAST: usize = 16;
/// Lines of a last cell beyond which it stands beneath its row.
const TALLEST: usize = 5;
/// Blanks before what stands beneath its row.
const BENEATH: usize = 4;
/// Blanks between columns.
const GAP: usize = 2;

const BLANKS: &str = "                                ";

/// A cell that says that there is nothing; a line of its own would say no more.
const NOTHING: &str = "-";

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
        cells.chain([&*row.because]).map(clean).collect()
    };
    let table = Table {
        heads: first.into_iter().chain(figures).chain([last]).collect(),
        rows: rows.len(),
        row: &|at| cells(&rows[at]),
        right: 4..4 + heads.figures.len(),
        above: heads.above,
        indent: 0,
        wraps: 0,
        notes: Vec::new(),
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
    /// The head above the figures after the first one.
    pub above: &'static str,
    /// Blanks before column one.
    pub indent: usize,
    /// How many columns in front of the last one wrap as it does.
    pub wraps: usize,
    /// The note beneath each row; none for rows without one.
    pub notes: Vec<Option<String>>,
}

impl Grid {
    /// Writes the table, or every field on a line of its own where it does not fit.
    pub fn write(&self, page: &mut Page, screen: &Screen) {
        let table = Table {
            heads: self.heads.iter().map(String::as_str).collect(),
            rows: self.rows.len(),
            row: &|at| self.rows[at].iter().map(|cell| clean(cell)).collect(),
            right: self.right.clone(),
            above: self.above,
            indent: self.indent,
            wraps: self.wraps,
            notes: self
                .notes
                .iter()
                .map(|note| note.as_deref().map(clean))
                .collect(),
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
    /// How many rows there are, and the cells of each: all at once would take much room.
    rows: usize,
    row: &'c dyn Fn(usize) -> Vec<Cow<'c, str>>,
    right: Range<usize>,
    above: &'static str,
    indent: usize,
    wraps: usize,
    notes: Vec<Option<Cow<'c, str>>>,
}

impl<'c> Table<'c> {
    fn rows(&self) -> impl Iterator<Item = Vec<Cow<'c, str>>> {
        (0..self.rows).map(self.row)
    }

    fn write(&self, page: &mut Page, screen: &Screen) {
        let Some((widths, is_tight)) = self.widths(screen) else {
            return self.fields(page, screen);
        };
        let last = widths.len() - 1;
        let starts = self.starts(&widths[..last]);
        if !self.above.is_empty() {
            let indent = starts[self.right.start + 1] - self.indent;
            page.toned(Tone::Dim, format!("{}{}", " ".repeat(indent), self.above));
        }
        let heads = self.line(&starts, &widths, self.heads.iter().copied());
        page.toned(Tone::Dim, heads);
        for (at, row) in self.rows().enumerate() {
            let note = self.notes.get(at).and_then(Option::as_deref);
            let fits = |(cell, width): (&Cow<'_, str>, &usize)| columns(cell) <= *width;
            if !is_tight || row.iter().zip(&widths).all(fits) {
                let cells = row.iter().map(AsRef::as_ref);
                marked(page, &row, self.line(&starts, &widths, cells));
            } else {
                self.wrapped(page, screen, &row, (&starts, &widths));
            }
            if let Some(note) = note {
                self.beneath(page, screen, whole(&row), note);
            }
        }
    }

    /// A row of several lines. Where the last cell has a word too long for its column, or would be
    /// tall and narrow, it stands beneath the row.
    fn wrapped(
        &self,
        page: &mut Page,
        screen: &Screen,
        row: &[Cow<'_, str>],
        (starts, widths): (&[usize], &[usize]),
    ) {
        let last = widths.len() - 1;
        let width = widths[last];
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| wrap(cell, Some(*width), 0));
        let mut cells: Vec<Vec<String>> = cells.collect();
        let long = row[last].split(' ').any(|word| columns(word) > width);
        let beneath = long || cells[last].len() > TALLEST;
        if beneath {
            cells[last].clear();
        }
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..height {
            let cells = cells
                .iter()
                .map(|lines| lines.get(at).map_or("", String::as_str));
            let line = self.line(starts, widths, cells);
            match at {
                0 => marked(page, row, line),
                _ => page.toned(whole(row), line.trim_end_matches(' ')),
            }
        }
        if beneath {
            self.beneath(page, screen, whole(row), &row[last]);
        }
    }

    fn beneath(&self, page: &mut Page, screen: &Screen, tone: Tone, text: &str) {
        let indent = self.indent + BENEATH;
        let text = format!("{}{text}", " ".repeat(indent));
        for line in wrap(&text, screen.width, indent + 2) {
            page.toned(tone, line);
        }
    }

    /// The widths of the columns, and whether some cells are wider; none where the screen has too
    /// little room for them.
    fn widths(&self, screen: &Screen) -> Option<(Vec<usize>, bool)> {
        if is_narrow(screen) {
            return None;
        }
        // Room for a sign is kept where no row has one.
        let heads = self.heads.iter().map(|head| columns(head).max(1));
        let mut widths: Vec<usize> = heads.collect();
        for row in self.rows() {
            for (width, cell) in widths.iter_mut().zip(&row) {
                *width = columns(cell).max(*width);
            }
        }
        let last = widths.len().checked_sub(1)?;
        let gaps = self.starts(&vec![0; last]).last().copied().unwrap_or(0);
        let Some(width) = screen.width else {
            return Some((widths, false));
        };
        let room = width.checked_sub(gaps)?;
        if widths.iter().sum::<usize>() <= room {
            return Some((widths, false));
        }
        let first = last - self.wraps;
        let wanted = widths[first..].to_vec();
        for (at, width) in widths.iter_mut().enumerate().skip(first) {
            let longest = |row: Vec<Cow<'_, str>>| row.get(at)?.split(' ').map(columns).max();
            let word = if at == last {
                None
            } else {
                self.rows().filter_map(longest).max()
            };
            *width = LAST
                .min(*width)
                .max(word.unwrap_or(0))
                .max(columns(self.heads[at]));
        }
        let mut spare = room.checked_sub(widths.iter().sum())?;
        loop {
            let needy = (first..=last).filter(|at| widths[*at] < wanted[*at - first]);
            let needy: Vec<usize> = needy.take(spare).collect();
            if needy.is_empty() {
                return Some((widths, true));
            }
            spare -= needy.len();
            needy.into_iter().for_each(|at| widths[at] += 1);
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
            for blanks in (0..start - used).step_by(BLANKS.len()) {
                line.push_str(&BLANKS[..BLANKS.len().min(start - used - blanks)]);
            }
            line.push_str(cell);
            used = start + own;
        }
        line
    }

    fn fields(&self, page: &mut Page, screen: &Screen) {
        let blanks = " ".repeat(self.indent);
        for (at, row) in self.rows().enumerate() {
            let [sign, subject, values @ ..] = row.as_slice() else {
                continue;
            };
            let mark = mark_of(&row);
            if mark.is_some() {
                page.mark();
            }
            let sign = if sign.is_empty() { " " } else { sign.as_ref() };
            let rest = whole(&row);
            page.pieces(vec![
                (
                    mark.map_or(Tone::Plain, Mark::tone),
                    format!("{blanks}{sign}"),
                ),
                (rest, format!(" {subject}")),
            ]);
            for (head, value) in self.heads.iter().skip(2).zip(values) {
                if value.is_empty() || value.as_ref() == NOTHING {
                    continue;
                }
                let text = format!("{blanks}    {head}: {value}");
                for line in wrap(&text, screen.width, self.indent + 8) {
                    page.toned(rest, line);
                }
            }
            if let Some(note) = self.notes.get(at).and_then(Option::as_deref) {
                self.beneath(page, screen, rest, note);
            }
        }
    }
}

/// The mark of a row.
fn mark_of(row: &[Cow<'_, str>]) -> Option<Mark> {
    let sign = row.first()?;
    Mark::ALL.into_iter().find(|mark| mark.sign() == sign)
}

/// The tone of a row but for its mark: what goes must not look like any other row.
fn whole(row: &[Cow<'_, str>]) -> Tone {
    match mark_of(row) {
        Some(Mark::Gone) => Mark::Gone.tone(),
        _ => Tone::Plain,
    }
}

/// The first line of a row, of which the mark is coloured.
fn marked(page: &mut Page, row: &[Cow<'_, str>], line: String) {
    let Some(mark) = mark_of(row) else {
        return page.line(line);
    };
    page.mark();
    let end = line.len() - line.trim_start_matches(' ').len() + mark.sign().len();
    match whole(row) {
        Tone::Plain => page.pieces([(mark.tone(), &line[..end]), (Tone::Plain, &line[end..])]),
        tone => page.toned(tone, line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_is_red_on_every_line_of_its_row() {
        let screen = |width| Screen {
            color: true,
            ..Screen::columns(width)
        };
        let why = "a reason that is too long for one line of its column and goes on";
        let grid = Grid {
            heads: ["", "Cluster", "Because"].map(str::to_owned).to_vec(),
            rows: vec![["-", "oslo", why].map(str::to_owned).to_vec()],
            notes: vec![Some("a note".to_owned())],
            ..Grid::default()
        };
        for width in [40, 60] {
            let mut page = Page::new();
            grid.write(&mut page, &screen(width));
            let text = page.write(&screen(width));
            let rows: Vec<&str> = text.lines().filter(|line| !line.contains("[2m")).collect();
            assert!(rows.len() > 2, "{text}");
            assert!(rows.iter().all(|row| row.contains("\u{1b}[31m")), "{text}");
        }
    }
    #[test]
    fn a_tall_last_cell_stands_beneath_its_row() {
        let was = "16666: + cluster-10001, cluster-10003, cluster-10004 and 16496 more";
        let why = "ManagedCluster oslo added (site.yaml:5); ManagedCluster riga added \
                   (site.yaml:9); and 16497 more";
        let grid = Grid {
            heads: ["", "Placement", "Was", "Because"]
                .map(str::to_owned)
                .to_vec(),
            rows: vec![["~", "app/p0", was, why].map(str::to_owned).to_vec()],
            ..Grid::default()
        };
        let screen = Screen::columns(101);
        let mut page = Page::new();
        grid.write(&mut page, &screen);
        let text = page.write(&screen);
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert!(rows[0].ends_with("16496 more"), "{text}");
        assert!(rows[1].starts_with("    ManagedCluster oslo"), "{text}");
        assert!(rows.len() < 4, "{text}");
    }
}
