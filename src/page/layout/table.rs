//! Tables, laid out by `comfy-table`: a sign in column one, notes beneath their rows.

use std::borrow::Cow;
use std::iter::repeat_n;
use std::ops::Range;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, TableStyle,
    Width,
};

use super::{Heads, Mark, Row, is_narrow};
use crate::kit::safe::clean;
use crate::page::{Page, Screen, Tone, columns, wrap};

/// Least room for the last column; with less every field has a line of its own.
const LAST: usize = 16;
/// Lines of a last cell beyond which it stands beneath its row.
const TALLEST: usize = 5;
/// Blanks before what stands beneath its row.
const BENEATH: usize = 4;
/// The most lines of a page in a pipe that the library lays out; it takes ten times as long as
/// aligning the rest here.
const LONG: usize = 2000;
/// The widest cell that the library can lay out, whose widths have sixteen bits.
const WIDEST: usize = 60_000;

/// Stands between the cells of a line, and in the lines between rows. `clean` leaves no control
/// character in a text.
const BETWEEN: char = '\u{1f}';
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(BETWEEN))
    .header_separator(LineStyle::none().fill(BETWEEN))
    .content_lines(ContentLineStyle::none().junction(BETWEEN))
    .row_separator(LineStyle::none().fill(BETWEEN));

/// A cell that says that there is nothing; a line of its own would say no more.
const NOTHING: &str = "-";

const WAS: &str = "Was";
const DECIDED: &str = "Decided by";

/// The table of a block.
pub(super) fn write(page: &mut Page, heads: &Heads, rows: &[Row], screen: &Screen) {
    let first = ["", heads.subject, WAS, heads.now];
    let figures = heads.figures.iter().map(String::as_str);
    let last = heads.because.unwrap_or(DECIDED);
    let table = Table {
        heads: first.into_iter().chain(figures).chain([last]).collect(),
        rows: rows.len(),
        row: &|at| cells(&rows[at], heads.figures.len()),
        right: 4..4 + heads.figures.len(),
        above: heads.above,
        indent: 0,
        wraps: 0,
        notes: Vec::new(),
    };
    table.write(page, screen);
}

/// The cells of a row with so many figures.
fn cells(row: &Row, figures: usize) -> Vec<Cow<'_, str>> {
    let first = [row.mark.sign(), &row.subject, &row.was, &row.now];
    let before = first.len() + figures;
    let mut cells = Vec::with_capacity(before + 1);
    cells.extend(first.map(clean));
    cells.extend(row.figures.iter().map(|figure| clean(figure)));
    cells.resize(before, Cow::Borrowed(""));
    cells.push(clean(&row.because));
    cells
}

/// A table of texts; the first cell of each row is its sign.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    /// The heads, that of the signs empty; all of them for a table without heads.
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

/// The cells of each line of a row.
type Lines = Vec<Vec<String>>;

impl<'c> Table<'c> {
    fn rows(&self) -> impl Iterator<Item = Vec<Cow<'c, str>>> {
        (0..self.rows).map(self.row)
    }

    fn write(&self, page: &mut Page, screen: &Screen) {
        // Room for a sign is kept where no row has one.
        let mut widths: Vec<usize> = self.heads.iter().map(|head| columns(head).max(1)).collect();
        for row in self.rows() {
            for (width, cell) in widths.iter_mut().zip(&row) {
                *width = columns(cell).max(*width);
            }
        }
        let is_wide = widths.iter().any(|width| *width > WIDEST);
        match screen.width {
            None if is_wide || page.len() + self.rows > LONG => self.aligned(page, &widths),
            Some(_) if is_wide || is_narrow(screen) => self.fields(page, screen),
            _ => {
                let mut rows = self.lay_out(&widths, screen).into_iter();
                let heads = rows.next().unwrap_or_default().concat();
                let end = heads.iter().map(|cell| columns(cell) + 1).sum::<usize>();
                if screen.width.is_some_and(|width| end > width + 1) {
                    return self.fields(page, screen);
                }
                self.head(page, &heads);
                let last = heads.last().map_or(0, |cell| columns(cell));
                for (at, lines) in (0..self.rows).zip(rows) {
                    self.lines(page, screen, at, lines, last);
                }
            }
        }
    }

    /// The heads and the rows, their cells wrapped and padded.
    fn lay_out(&self, widths: &[usize], screen: &Screen) -> Vec<Lines> {
        let fixed = |width: usize| u16::try_from(width).unwrap_or(u16::MAX);
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_header(&self.heads);
        table.add_rows(self.rows());
        table.set_content_arrangement(ContentArrangement::Disabled);
        if let Some(width) = screen.width {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(fixed(width));
        }
        let last = self.heads.len() - 1;
        for (at, column) in table.column_iter_mut().enumerate() {
            column.set_padding(self.padding(at));
            if self.right.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            let least = if at + self.wraps < last {
                widths[at]
            } else {
                self.least(at, widths[at])
            };
            let least = fixed(least) + column.padding_width();
            column.set_constraint(if least == fixed(widths[at]) + column.padding_width() {
                ColumnConstraint::Absolute(Width::Fixed(least))
            } else {
                ColumnConstraint::LowerBoundary(Width::Fixed(least))
            });
        }
        let mut rows = vec![Lines::new()];
        for line in table.lines() {
            if line.starts_with(BETWEEN) {
                rows.push(Lines::new());
            } else if let Some(row) = rows.last_mut() {
                row.push(line.split(BETWEEN).map(str::to_owned).collect());
            }
        }
        rows
    }

    /// The least width of a column that wraps.
    fn least(&self, at: usize, widest: usize) -> usize {
        let words = |row: Vec<Cow<'_, str>>| row[at].split(' ').map(columns).max();
        let is_last = at + 1 == self.heads.len();
        // A long word of the last column stands beneath its row.
        let word = if is_last {
            None
        } else {
            self.rows().filter_map(words).max()
        };
        let least = LAST.min(widest).max(word.unwrap_or(0));
        least.max(columns(self.heads[at]))
    }

    /// Blanks before and behind a cell, besides the one between two cells.
    fn padding(&self, at: usize) -> (u16, u16) {
        let before = if at == 0 { self.indent } else { 0 };
        let behind = match at {
            0 => 0,
            at if at + 1 == self.heads.len() => 0,
            // Figures end where words begin: one blank more keeps them apart.
            at if at + 1 == self.right.end && !self.right.is_empty() => 2,
            _ => 1,
        };
        (u16::try_from(before).unwrap_or(0), behind)
    }

    fn head(&self, page: &mut Page, heads: &[String]) {
        if !self.above.is_empty() {
            let before = heads[..=self.right.start].iter();
            let indent: usize = before.map(|cell| columns(cell) + 1).sum();
            page.toned(Tone::Dim, format!("{:indent$}{}", "", self.above));
        }
        if heads.iter().any(|head| !head.trim().is_empty()) {
            page.toned(Tone::Dim, heads.join(" ").trim_end_matches(' '));
        }
    }

    /// A row of one or several lines. Where the last cell has a word too long for its column, or
    /// would be tall and narrow, it stands beneath the row.
    fn lines(&self, page: &mut Page, screen: &Screen, at: usize, mut lines: Lines, width: usize) {
        let row = (self.row)(at);
        let last = row.last().map_or("", |cell| cell);
        let is_filled = |line: &Vec<String>| line.iter().any(|cell| !cell.trim().is_empty());
        let tall = lines.iter().filter_map(|line| line.last());
        let tall = tall.filter(|cell| !cell.trim().is_empty()).count() > TALLEST;
        let beneath = tall || last.split(' ').any(|word| columns(word) > width);
        if beneath {
            lines.iter_mut().for_each(|line| drop(line.pop()));
        }
        let height = lines.iter().rposition(is_filled).unwrap_or(0);
        for (number, line) in lines[..=height].iter().enumerate() {
            let line = line.join(" ");
            let line = line.trim_end_matches(' ');
            if number == 0 {
                marked(page, &row, line);
            } else {
                page.toned(whole(&row), line);
            }
        }
        if beneath {
            self.beneath(page, screen, whole(&row), last);
        }
        if let Some(note) = self.notes.get(at).and_then(Option::as_deref) {
            self.beneath(page, screen, whole(&row), note);
        }
    }

    /// The rows of a long table in a pipe.
    fn aligned(&self, page: &mut Page, widths: &[usize]) {
        let padded = |at: usize, cell: &str, line: &mut String| {
            let (before, behind) = self.padding(at);
            let blanks = widths[at] - columns(cell);
            let (left, right) = if self.right.contains(&at) {
                (blanks, 0)
            } else {
                (0, blanks)
            };
            line.extend(repeat_n(' ', usize::from(before) + left));
            line.push_str(cell);
            line.extend(repeat_n(' ', right + usize::from(behind)));
        };
        let head = |(at, head): (usize, &&str)| {
            let mut cell = String::new();
            padded(at, head, &mut cell);
            cell
        };
        let heads: Vec<String> = self.heads.iter().enumerate().map(head).collect();
        self.head(page, &heads);
        let mut line = String::new();
        for (at, row) in self.rows().enumerate() {
            line.clear();
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    line.push(' ');
                }
                padded(at, cell, &mut line);
            }
            marked(page, &row, line.trim_end_matches(' '));
            if let Some(note) = self.notes.get(at).and_then(Option::as_deref) {
                self.beneath(page, &Screen::piped(), whole(&row), note);
            }
        }
    }

    fn beneath(&self, page: &mut Page, screen: &Screen, tone: Tone, text: &str) {
        let indent = self.indent + BENEATH;
        let text = format!("{}{text}", " ".repeat(indent));
        for line in wrap(&text, screen.width, indent + 2) {
            page.toned(tone, line);
        }
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
fn marked(page: &mut Page, row: &[Cow<'_, str>], line: &str) {
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
