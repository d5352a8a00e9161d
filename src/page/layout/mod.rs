//! The one layout of all plan screens: a headline, a table of marked rows, failures, warnings.
//!
//! A system says what its blocks hold; what is grouped, cut and coloured is decided here. What
//! stays is first and failures last, nearest the totals.

mod group;
mod table;

pub use table::Grid;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Page, Screen, Tone, columns, wrap};
use crate::kit::plural::first_names;
use crate::kit::safe::clean;
pub use crate::plan::Mark;

/// Below this width every field has a line of its own.
const NARROW: usize = 60;
/// Rows of one kind beyond which a terminal is shown groups of them.
const ROWS: usize = 50;
/// Lines of all blocks of a section beyond which a terminal is shown one block for all.
const LINES: usize = 90;
/// Names in a line without `--trace`.
const NAMES: usize = 10;
/// Blocks without changes that are named.
const STILL: usize = 10;
/// Failures or warnings of one kind beyond which a terminal is shown the first few.
const NOTES: usize = 8;
const FIRST_NOTES: usize = 3;

impl Mark {
    /// The colour of the mark; of the rows only those of what goes are coloured whole.
    #[must_use]
    pub const fn tone(self) -> Tone {
        match self {
            Self::Same => Tone::Dim,
            Self::New => Tone::Good,
            Self::Changed => Tone::Change,
            Self::Gone => Tone::Bad,
            Self::Failed => Tone::Failed,
        }
    }
}

/// The legend of the marks.
pub const LEGEND: &str = "= stays, + is new, ~ changes, - goes, ! is lost or has no place";

/// Ends a page for a terminal with what its marks mean, if it has any.
pub fn legend(page: &mut Page, text: &str, screen: &Screen) {
    if page.is_marked() && screen.width.is_some() {
        page.gap();
        page.prose(screen, Tone::Dim, text, 0);
    }
}

/// Words that many rows have in common.
pub type Words = Arc<str>;

/// The words so far, each held once.
#[derive(Debug, Default)]
pub struct WordPool(FxHashSet<Words>);

impl WordPool {
    /// These words, as they are known already.
    pub fn of(&mut self, words: &str) -> Words {
        if let Some(known) = self.0.get(words) {
            return Words::clone(known);
        }
        let new = Words::from(words);
        self.0.insert(Words::clone(&new));
        new
    }
}

/// One row of a table. There may be a million, of which most say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The mark of the change.
    pub mark: Mark,
    /// The thing that is planned, by name.
    pub subject: String,
    /// The owner of the subject (a package, a placement), said where blocks are put together.
    pub within: Words,
    /// The answer before, `-` without one.
    pub was: Words,
    /// The answer now, `-` without one.
    pub now: Words,
    /// The cells of the columns of figures.
    pub figures: Arc<[String]>,
    /// The deciding fact, in one phrase.
    pub because: Words,
    /// The same without the figures of this row; equal rows are grouped by it.
    pub kind: Words,
}

/// The heads of a table; `Was` is that of every table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heads {
    /// The noun for one subject: `Application`.
    pub subject: &'static str,
    /// The noun for one answer: `Cluster`.
    pub now: &'static str,
    /// The columns of figures, in front of the last column.
    pub figures: Vec<String>,
    /// The head above the figures.
    pub above: &'static str,
    /// The legend of the heads of the figures, said once.
    pub legend: String,
    /// The head of the last column, if not `Decided by`.
    pub because: Option<&'static str>,
    /// Whether rows are grouped by the deciding fact before they are grouped by their answer.
    pub by_kind: bool,
    /// Whether groups stand in the order of their first rows, not the largest first.
    pub in_order: bool,
    /// The answers are numbers: a group has their sum.
    pub numbers: bool,
}

/// A failure or a warning: one or more lines that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The name of the group when there are many: `Applications without a Cluster`.
    pub kind: &'static str,
    /// The lines.
    pub page: Page,
}

impl Note {
    /// A note of one sentence.
    #[must_use]
    pub fn sentence(kind: &'static str, tone: Tone, text: &str, screen: &Screen) -> Self {
        let mut page = Page::new();
        page.prose(screen, tone, text, 4);
        Self { kind, page }
    }
}

/// The screen of one thing that is planned: a package, a placement, a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// The kind and name.
    pub title: String,
    /// The counts after the title.
    pub summary: String,
    /// The line that stands for the block where nothing changes.
    pub still: Option<String>,
    /// Sentences between headline and table.
    pub remarks: Page,
    /// The heads of the table.
    pub heads: Heads,
    /// The rows, in any order of marks.
    pub rows: Vec<Row>,
    /// The lines below the table.
    pub below: Page,
    /// The subjects without an answer.
    pub failures: Vec<Note>,
    /// The warnings to read before Proceed.
    pub warnings: Vec<Note>,
}

/// The headline of many blocks put together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Together<'t> {
    /// The title: `Plan for 300 Packages`.
    pub title: &'t str,
    /// The counts after the title.
    pub summary: &'t str,
    /// One of what the blocks are about: `Package`.
    pub noun: &'t str,
}

/// `1 Cluster`, `2 Clusters`.
pub use crate::kit::plural::plural as count;

/// Some names, then a count of the others.
#[must_use]
pub fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>, screen: &Screen) -> String {
    let all = names.len();
    first_names(names, if screen.trace { all } else { NAMES })
}

/// Whether every field needs a line of its own.
#[must_use]
pub fn is_narrow(screen: &Screen) -> bool {
    screen.width.is_some_and(|width| width < NARROW)
}

/// A line as it is if it fits, else filled like prose.
pub fn fit(page: &mut Page, screen: &Screen, text: &str, indent: usize) {
    if screen.width.is_some_and(|width| columns(text) > width) {
        page.prose(screen, Tone::Plain, text, indent);
    } else {
        page.line(text);
    }
}

/// Text after a lead; its further lines stand below its first.
pub fn hanging(page: &mut Page, screen: &Screen, tone: Tone, lead: &str, text: &str) {
    let indent = columns(lead);
    let width = screen
        .prose()
        .map(|width| width.saturating_sub(indent).max(20));
    for (number, line) in wrap(&clean(text), width, 0).into_iter().enumerate() {
        let lead = if number == 0 {
            lead.to_owned()
        } else {
            " ".repeat(indent)
        };
        page.pieces(vec![(Tone::Plain, lead), (tone, line)]);
    }
}

/// A headline: what in bold, how much of it after that.
pub fn headline(page: &mut Page, title: &str, summary: &str, screen: &Screen) {
    let is_full = |width: &usize| columns(title) + columns(summary) > *width;
    let width = screen.width.filter(is_full).and(screen.prose());
    page.lead((Tone::Strong, title), summary, 4, width);
}

/// The blocks of a section, put together where a terminal would not hold them. Elsewhere each is
/// made, written and forgotten: there may be very many.
#[must_use]
pub fn section<B>(blocks: B, together: Together<'_>, screen: &Screen) -> Page
where
    B: IntoIterator<Item = Block, IntoIter: ExactSizeIterator>,
{
    let blocks = blocks.into_iter();
    let cut = is_cut(screen);
    let number = blocks.len();
    let blocks = blocks.map(|mut block| {
        if number == 1 && !block.title.is_empty() {
            block.still = None;
        }
        if screen.changes_only {
            block.rows.retain(|row| row.mark != Mark::Same);
        }
        block.rows.sort_by_key(|row| row.mark);
        block
    });
    if !cut || number < 2 {
        return apart(blocks, together, screen, cut);
    }
    let blocks: Vec<Block> = blocks.collect();
    if blocks.iter().map(lines).sum::<usize>() > LINES {
        all_in_one(blocks, together, screen)
    } else {
        apart(blocks.into_iter(), together, screen, cut)
    }
}

/// The blocks one after another.
fn apart(
    blocks: impl Iterator<Item = Block>,
    together: Together<'_>,
    screen: &Screen,
    cut: bool,
) -> Page {
    let mut page = Page::new();
    let mut still = 0;
    let mut apart = false;
    // The legend of the heads.
    let mut told = false;
    let named = if screen.changes_only { 0 } else { STILL };
    for mut block in blocks {
        let quiet = block.still.take();
        let has_notes = !block.warnings.is_empty() || !block.failures.is_empty();
        if let Some(line) = quiet {
            still += 1;
            if still <= named {
                if std::mem::take(&mut apart) {
                    page.gap();
                }
                page.prose(screen, Tone::Plain, &line, 4);
            }
            notes(&mut page, block.failures, screen);
            notes(&mut page, block.warnings, screen);
            apart |= has_notes;
            continue;
        }
        page.gap();
        if told {
            block.heads.legend.clear();
        }
        told |= one(&mut page, block, screen, cut);
        apart = true;
    }
    if still > named {
        if apart {
            page.gap();
        }
        let more = if named > 0 { "more " } else { "" };
        let rest = count(still - named, &format!("{more}{}", together.noun));
        page.line(format!("{rest} without changes."));
    }
    page
}

/// Whether long lists are cut: at a terminal, unless everything is asked for.
fn is_cut(screen: &Screen) -> bool {
    screen.width.is_some() && !screen.trace
}

/// About how many lines a block takes.
fn lines(block: &Block) -> usize {
    let notes = |notes: &[Note]| -> usize { notes.iter().map(|note| note.page.len() + 1).sum() };
    let noted = notes(&block.failures) + notes(&block.warnings);
    if block.still.is_some() {
        return 1 + noted;
    }
    let of = |mark| block.rows.iter().filter(|row| row.mark == mark).count();
    let rows: usize = Mark::ALL
        .iter()
        .map(|mark| match of(*mark) {
            many if many > ROWS => group::GROUPS,
            few => few,
        })
        .sum();
    5 + rows + block.below.len() + block.remarks.len() + noted
}

/// Writes a block; whether it says what the heads of its figures stand for.
fn one(page: &mut Page, mut block: Block, screen: &Screen, cut: bool) -> bool {
    let mut told = false;
    headline(page, &block.title, &block.summary, screen);
    page.append(block.remarks);
    if !block.rows.is_empty() {
        page.gap();
        let noun = block.heads.subject;
        let (rows, hidden) = if cut {
            let (rows, hidden) = group::grouped(block.rows, &block.heads);
            let all = rows.len();
            let rows = group::folded(rows);
            let folded = if rows.len() < all { all } else { 0 };
            (rows, hidden.max(folded))
        } else {
            (block.rows, 0)
        };
        if rows.iter().all(|row| row.figures.is_empty()) {
            block.heads.figures.clear();
            block.heads.above = "";
        }
        table::write(page, &block.heads, &rows, screen);
        if !block.heads.figures.is_empty() && !block.heads.legend.is_empty() {
            let text = format!("  {}", block.heads.legend);
            page.prose(screen, Tone::Dim, &text, 2);
            told = true;
        }
        if hidden > 0 {
            let text = format!("  In groups; --trace lists each {noun}, -o json has them all.");
            page.prose(screen, Tone::Dim, &text, 2);
        }
    }
    page.append(block.below);
    notes(page, block.failures, screen);
    notes(page, block.warnings, screen);
    told
}

fn all_in_one(blocks: Vec<Block>, together: Together<'_>, screen: &Screen) -> Page {
    let mut whole = Block {
        title: together.title.to_owned(),
        summary: together.summary.to_owned(),
        ..Block::default()
    };
    let mut still = 0;
    for block in blocks {
        if block.still.is_some() {
            still += 1;
        } else {
            whole.rows.extend(block.rows);
            if whole.heads.subject.is_empty() {
                whole.heads = block.heads;
            }
        }
        whole.failures.extend(block.failures);
        whole.warnings.extend(block.warnings);
    }
    for row in &mut whole.rows {
        if !row.within.is_empty() {
            row.subject = format!("{}/{}", row.within, row.subject);
        }
    }
    whole.rows.sort_by_key(|row| row.mark);
    if still > 0 {
        let text = count(still, together.noun);
        whole
            .below
            .toned(Tone::Dim, format!("  {text} without changes."));
    }
    let mut page = Page::new();
    one(&mut page, whole, screen, true);
    page
}

/// How many of so many failures or warnings of one kind are shown.
#[must_use]
pub fn noted(all: usize, screen: &Screen) -> usize {
    if is_cut(screen) && all > NOTES {
        FIRST_NOTES
    } else {
        all
    }
}

/// Failures or warnings, of many alike the first few and the number of the others.
pub fn notes(page: &mut Page, notes: Vec<Note>, screen: &Screen) {
    let mut kinds: BTreeMap<&'static str, usize> = BTreeMap::new();
    for note in &notes {
        *kinds.entry(note.kind).or_default() += 1;
    }
    let mut seen: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut rest = Vec::new();
    for note in notes {
        let all = kinds[note.kind];
        let so_far = seen.entry(note.kind).or_default();
        *so_far += 1;
        let shown = noted(all, screen);
        if *so_far > shown {
            if *so_far == all {
                rest.push((note.kind, all - shown));
            }
            continue;
        }
        page.gap();
        page.append(note.page);
    }
    for (kind, more) in rest {
        page.gap();
        let text = format!("{more} more {kind}; --trace lists each one, -o json has them all.");
        page.prose(screen, Tone::Plain, &text, 0);
    }
}
