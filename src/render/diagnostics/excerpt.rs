//! Source lines that are wider than the screen, cut around what is pointed at.

use std::collections::BTreeSet;
use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::kit::cut::floor;
use crate::render::text::{columns, wrap};
use crate::source::Source;

/// Columns of a tab.
const TAB: usize = 4;
/// Columns that the line under a label takes before its words: `╰─┤ `.
const ARM: usize = 5;
/// Least room for the words of a label.
const WORDS: usize = 16;

/// A span of a line: its start, its length and its label.
#[derive(Debug, Clone)]
pub(super) struct Pointer {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) words: String,
    pub(super) main: bool,
}

/// How wide a screen is, and what stands for what is cut off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) width: usize,
    pub(super) cut: &'static str,
}

/// The lines around the pointers, none wider than the screen.
pub(super) struct Excerpt {
    name: String,
    text: String,
    lines: Vec<Line>,
    /// The spans pointed at in them.
    pub(super) pointers: Vec<Pointer>,
    /// The columns of the pointers in the file.
    columns: Vec<usize>,
    /// The pointers, by number, for which the screen has no room.
    pub(super) left_out: Vec<usize>,
}

struct Line {
    /// Its number in the file.
    number: usize,
    /// Where it is in the excerpt, its end included.
    range: Range<usize>,
}

impl Excerpt {
    /// The excerpt, where a line is too wide for the screen.
    pub(super) fn of(
        name: &str,
        text: &str,
        source: &Source,
        pointers: &[Pointer],
        frame: Frame,
    ) -> Option<Self> {
        let offset = |at: usize| u32::try_from(at.min(text.len())).unwrap_or(u32::MAX);
        let line_of = |pointer: &Pointer| source.line_of(offset(pointer.start));
        let starts = source.line_starts();
        let line = |number: usize| {
            let from = starts.get(number).map_or(text.len(), |at| *at as usize);
            let to = starts.get(number + 1).map_or(text.len(), |at| *at as usize);
            (from, text[from..to].trim_end_matches(['\r', '\n']))
        };
        let around = pointers.iter().map(line_of);
        let around = around.flat_map(|at| at.saturating_sub(1)..=at + 1);
        let numbers: BTreeSet<usize> = around.filter(|number| *number < starts.len()).collect();
        let gutter = (numbers.last()? + 1).to_string().len() + 4;
        let room = frame.width.saturating_sub(gutter).max(2 * WORDS);
        let overhangs = |pointer: &Pointer| {
            let (from, text) = line(line_of(pointer));
            let middle = width(&text[..floor(text, pointer.start - from + pointer.len / 2)]);
            middle + ARM + columns(&pointer.words) > room
        };
        let is_wide = |number: &usize| width(line(*number).1) > room;
        if !numbers.iter().any(is_wide) && !pointers.iter().any(overhangs) {
            return None;
        }
        let mut excerpt = Self {
            name: name.to_owned(),
            text: String::new(),
            lines: Vec::new(),
            pointers: Vec::new(),
            columns: Vec::new(),
            left_out: Vec::new(),
        };
        for number in numbers {
            let (from, text) = line(number);
            let here = pointers.iter().enumerate();
            let here = here.filter(|(_, pointer)| line_of(pointer) == number);
            let here: Vec<(usize, &Pointer)> = here.collect();
            let focus = here.iter().find(|(_, pointer)| pointer.main);
            let focus = focus.or(here.first()).map(|(_, pointer)| *pointer);
            let shown = window(text, from, focus, room, frame.cut);
            let start = excerpt.text.len();
            for (index, pointer) in here {
                match shown.moved(pointer, from, room) {
                    Some(moved) => {
                        let at = offset(pointer.start);
                        excerpt.columns.push(source.position(at).column - 1);
                        let start = start + moved.start;
                        excerpt.pointers.push(Pointer { start, ..moved });
                    }
                    None => excerpt.left_out.push(index),
                }
            }
            excerpt.text.push_str(&shown.text);
            excerpt.text.push('\n');
            let range = start..excerpt.text.len();
            excerpt.lines.push(Line { number, range });
        }
        Some(excerpt)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'b>(
        &'b self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let at = |offset: usize| self.lines.partition_point(|line| line.range.end <= offset);
        let lines = &self.lines;
        let last = lines.len().saturating_sub(1);
        let (mut first, mut end) = (
            at(span.offset()).min(last),
            at(span.offset() + span.len()).min(last),
        );
        let next_to = |one: usize, other: usize| lines[one].number + 1 == lines[other].number;
        for _ in 0..before {
            first -= usize::from(first > 0 && next_to(first - 1, first));
        }
        for _ in 0..after {
            end += usize::from(end < last && next_to(end, end + 1));
        }
        let (range, column) = match before + after {
            0 => {
                let same = |pointer: &Pointer| pointer.start == span.offset();
                let which = self.pointers.iter().position(same);
                let range = span.offset()..span.offset() + span.len();
                (range, which.map_or(0, |which| self.columns[which]))
            }
            _ => (lines[first].range.start..lines[end].range.end, 0),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[range.clone()],
            (range.start, range.len()).into(),
            lines[first].number,
            column,
            end + 1 - first,
        )))
    }
}

/// The part of a line that is shown.
struct Window {
    text: String,
    /// Which part of the line that is, in bytes.
    kept: Range<usize>,
    /// How long the mark in front of it is, in bytes.
    lead: usize,
    /// Whether something behind it is cut off.
    is_cut: bool,
}

impl Window {
    /// A pointer into the line as one into the window, its words in lines that fit; none where
    /// there is no room for it.
    fn moved(&self, pointer: &Pointer, from: usize, room: usize) -> Option<Pointer> {
        let start = pointer.start - from;
        let end = (start + pointer.len).min(self.kept.end);
        if start < self.kept.start || (start >= self.kept.end && self.is_cut) {
            return None;
        }
        let start = start.min(self.kept.end) - self.kept.start + self.lead;
        let len = (end + self.lead).saturating_sub(self.kept.start + start);
        let before = &self.text[..floor(&self.text, start + len / 2)];
        let free = room.saturating_sub(width(before) + ARM);
        if free < WORDS.min(columns(&pointer.words)) && !pointer.main {
            return None;
        }
        let words = wrap(&pointer.words, Some(free.max(WORDS)), 0).join("\n");
        Some(Pointer {
            start,
            len,
            words,
            main: pointer.main,
        })
    }
}

/// The part of a line to show: it holds the pointer and leaves room for its label.
fn window(text: &str, from: usize, focus: Option<&Pointer>, room: usize, cut: &str) -> Window {
    let mark = columns(cut);
    let start = focus.map_or(0, |pointer| floor(text, pointer.start - from));
    let before = width(&text[..start]);
    let length = focus.map_or(0, |pointer| {
        width(&text[start..floor(text, start + pointer.len)])
    });
    // The pointer stands as far to the right as its words allow.
    let words = focus.map_or(0, |pointer| columns(&pointer.words).min(room / 2));
    let arm = if words > 0 { ARM } else { 0 };
    let length = length.min(room / 2);
    let most = room.saturating_sub((length / 2 + arm + words).max(length + mark));
    let skipped = if before > most {
        before + mark - most.max(mark)
    } else {
        0
    };
    let (mut kept, mut column) = (text.len()..text.len(), 0);
    let mut is_begun = false;
    let lead = if skipped > 0 { cut } else { "" };
    let all = width(text);
    let end = if all - skipped + columns(lead) > room {
        skipped + room - columns(lead) - mark
    } else {
        all
    };
    for (at, c) in text.char_indices() {
        let next = column + wide(c, column);
        if column >= skipped && !is_begun {
            (kept.start, is_begun) = (at, true);
        }
        if next > end {
            kept.end = at.max(kept.start);
            break;
        }
        column = next;
    }
    let is_cut = kept.end < text.len();
    let tail = if is_cut { cut } else { "" };
    Window {
        text: format!("{lead}{}{tail}", &text[kept.clone()]),
        lead: lead.len(),
        kept,
        is_cut,
    }
}

/// The columns of a line, tabs as they are drawn.
fn width(text: &str) -> usize {
    text.chars().fold(0, |at, c| at + wide(c, at))
}

fn wide(c: char, column: usize) -> usize {
    match c {
        '\t' => TAB - column % TAB,
        c => columns(c.encode_utf8(&mut [0; 4])),
    }
}
