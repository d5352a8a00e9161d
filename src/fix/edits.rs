//! Edits applied to texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Edit, Fix};
use crate::source::{SourceId, Sources};

/// Texts by the names of their files.
pub type Texts = BTreeMap<String, String>;

/// The fixes that can be applied together, in the order of their places, and how many have to
/// wait because they overlap one of those. Files of which `frozen` says so stay as they are.
pub(super) fn together<'d, T: Copy>(
    fixes: impl IntoIterator<Item = (&'d Fix, T)>,
    sources: &Sources,
    frozen: &dyn Fn(&str) -> bool,
) -> (Vec<(&'d Fix, T)>, usize) {
    let wanted = |(fix, _): &(&Fix, T)| {
        let free =
            |edit: &Edit| fits(edit, sources) && !frozen(&sources.get(edit.place.source).name);
        !fix.edits.is_empty() && fix.edits.iter().all(free)
    };
    let mut fixes: Vec<(&Fix, T)> = fixes.into_iter().filter(wanted).collect();
    fixes.sort_by_key(|(fix, _)| fix.edits[0].place);
    let mut taken: BTreeSet<(SourceId, u32, u32)> = BTreeSet::new();
    let mut waiting = 0;
    let mut last: Option<&Fix> = None;
    fixes.retain(|(fix, _)| {
        // Two findings of one fault are fixed by one edit.
        if last.is_some_and(|last| last.edits == fix.edits) {
            return true;
        }
        let key = |edit: &Edit| {
            let span = edit.place.span;
            (edit.place.source, span.start, span.end)
        };
        if fix.edits.iter().any(|edit| overlaps(&taken, key(edit))) {
            waiting += 1;
            return false;
        }
        taken.extend(fix.edits.iter().map(key));
        last = Some(fix);
        true
    });
    (fixes, waiting)
}

/// The texts of the files that these fixes change, and how many edits each has seen.
pub(super) fn apply<'d>(
    fixes: impl IntoIterator<Item = &'d Fix>,
    sources: &Sources,
) -> BTreeMap<String, (String, usize)> {
    let mut edits: Vec<&Edit> = fixes.into_iter().flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|edit| edit.place);
    edits.dedup();
    let mut texts = BTreeMap::new();
    for of_file in edits.chunk_by(|a, b| a.place.source == b.place.source) {
        let source = sources.get(of_file[0].place.source);
        let text = &source.text;
        let mut made = String::with_capacity(text.len() + 16);
        let mut from = 0;
        for edit in of_file {
            made.push_str(&text[from..edit.place.span.start as usize]);
            made.push_str(&written(edit, sources));
            from = edit.place.span.end as usize;
        }
        made.push_str(&text[from..]);
        texts.insert(source.name.clone(), (made, of_file.len()));
    }
    texts
}

/// The new text of an edit, as it is written into its file.
#[must_use]
pub fn written<'e>(edit: &'e Edit, sources: &Sources) -> Cow<'e, str> {
    let old = sources.get(edit.place.source).slice(edit.place.span);
    in_quotes_of(old, &edit.text)
}

/// The edits of the fixes that can be made together, in the order of their places.
#[must_use]
pub fn compatible<'d>(fixes: impl IntoIterator<Item = &'d Fix>, sources: &Sources) -> Vec<Edit> {
    let fixes = fixes.into_iter().map(|fix| (fix, ()));
    let (chosen, _) = together(fixes, sources, &|_| false);
    let mut edits: Vec<Edit> = chosen
        .iter()
        .flat_map(|(fix, ())| fix.edits.clone())
        .collect();
    edits.sort_by_key(|edit| edit.place);
    edits.dedup();
    edits
}

/// A text in the quotes of the text that it replaces.
fn in_quotes_of<'t>(old: &str, new: &'t str) -> Cow<'t, str> {
    let quote = old.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote.filter(|c| old.len() > 1 && old.ends_with(*c) && !new.starts_with(*c)) {
        Some(quote) => format!("{quote}{new}{quote}").into(),
        None => new.into(),
    }
}

/// Whether an edit's place can be cut out of its file.
fn fits(edit: &Edit, sources: &Sources) -> bool {
    let span = edit.place.span;
    let text = &sources.get(edit.place.source).text;
    text.get(span.start as usize..span.end as usize).is_some()
}

/// Whether an edit meets one that is taken; two that begin at one place do.
fn overlaps(taken: &BTreeSet<(SourceId, u32, u32)>, edit: (SourceId, u32, u32)) -> bool {
    let (source, start, end) = edit;
    let before = taken.range(..=(source, start, u32::MAX)).next_back();
    let after = taken.range((source, start, 0)..).next();
    let meets = |other: &(SourceId, u32, u32)| {
        other.0 == source && (other.1 == start || (other.1 < end && start < other.2))
    };
    before.is_some_and(meets) || after.is_some_and(meets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Place, Source, Span};

    fn fix(start: u32, end: u32, text: &str) -> Fix {
        let span = Span { start, end };
        let source = SourceId(0);
        Fix::replace("x", Place { source, span }, text)
    }

    #[test]
    fn overlapping_fixes_wait_and_equal_ones_count_once() {
        let mut sources = Sources::default();
        sources.add(Source::new("a".into(), "a: yes # ä\r\nb: no\r\n".into()));
        let all = [
            fix(16, 18, "'no'"),
            fix(3, 6, "\"yes\""),
            fix(3, 6, "\"yes\""),
            fix(4, 5, "x"),
            fix(0, 1, "c"),
            fix(8, 900, "out of the file"),
            fix(17, 18, "x"),
        ];
        let given = || all.iter().map(|fix| (fix, ()));
        let (chosen, waiting) = together(given(), &sources, &|_| false);
        assert_eq!((chosen.len(), waiting), (4, 2));
        let texts = apply(chosen.iter().map(|(fix, ())| *fix), &sources);
        let (text, edits) = &texts["a"];
        assert_eq!(*edits, 3);
        assert_eq!(text, "c: \"yes\" # ä\r\nb: 'no'\r\n");
        assert!(together(given(), &sources, &|_| true).0.is_empty());
    }
}
