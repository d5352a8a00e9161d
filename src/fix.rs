//! Applies the edits of findings to texts; what overlaps waits for the next round.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix};
use crate::source::{SourceId, Sources};

/// What one round did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// The new text of each file that changed, and how many edits made it.
    pub texts: BTreeMap<SourceId, (String, usize)>,
    /// Fixes applied.
    pub applied: usize,
    /// Fixes that overlap one of those.
    pub overlapping: usize,
}

/// Applies the fixes of these findings; those that can change meaning only if `risky`. Files
/// of which `frozen` says so stay as they are.
#[must_use]
pub fn apply<'d>(
    findings: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &Sources,
    risky: bool,
    frozen: impl Fn(SourceId) -> bool,
) -> Round {
    let wanted = |fix: &&Fix| {
        let allowed = risky || fix.applicability == Applicability::Safe;
        let free = |edit: &Edit| !frozen(edit.place.source) && fits(edit, sources);
        allowed && !fix.edits.is_empty() && fix.edits.iter().all(free)
    };
    let mut fixes: Vec<&Fix> = findings
        .into_iter()
        .filter_map(|found| found.fix.as_ref())
        .filter(wanted)
        .collect();
    fixes.sort_by_key(|fix| fix.edits[0].place);
    fixes.dedup_by(|a, b| a.edits == b.edits);
    let mut round = Round::default();
    let mut taken: BTreeSet<(SourceId, u32, u32)> = BTreeSet::new();
    let mut edits: Vec<&Edit> = Vec::new();
    for fix in fixes {
        let key = |edit: &Edit| {
            let span = edit.place.span;
            (edit.place.source, span.start, span.end)
        };
        if fix.edits.iter().any(|edit| overlaps(&taken, key(edit))) {
            round.overlapping += 1;
            continue;
        }
        taken.extend(fix.edits.iter().map(key));
        edits.extend(&fix.edits);
        round.applied += 1;
    }
    edits.sort_by_key(|edit| edit.place);
    for of_file in edits.chunk_by(|a, b| a.place.source == b.place.source) {
        let source = of_file[0].place.source;
        let text = &sources.get(source).text;
        let mut made = String::with_capacity(text.len() + 16);
        let mut from = 0;
        for edit in of_file {
            made.push_str(&text[from..edit.place.span.start as usize]);
            made.push_str(&edit.text);
            from = edit.place.span.end as usize;
        }
        made.push_str(&text[from..]);
        round.texts.insert(source, (made, of_file.len()));
    }
    round
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
    use crate::diagnostic::{Rule, Severity};
    use crate::source::{Place, Source, Span};

    static RULE: Rule = Rule {
        code: "planner::site::test",
        summary: "",
        severity: Severity::Error,
        docs: "",
    };

    fn finding(start: u32, end: u32, text: &str) -> Diagnostic {
        let span = Span { start, end };
        let source = SourceId(0);
        Diagnostic::new(&RULE, "").fix(Fix::replace("x", Place { source, span }, text))
    }

    #[test]
    fn overlapping_fixes_wait_and_equal_ones_count_once() {
        let mut sources = Sources::default();
        sources.add(Source::new("a".into(), "a: yes # ä\r\nb: no\r\n".into()));
        let all = [
            finding(16, 18, "'no'"),
            finding(3, 6, "\"yes\""),
            finding(3, 6, "\"yes\""),
            finding(4, 5, "x"),
            finding(0, 1, "c"),
            finding(8, 900, "out of the file"),
            finding(17, 18, "x").clone(),
        ];
        let mut risky = finding(12, 13, "z");
        risky.fix = risky.fix.map(Fix::risky);
        let round = apply(all.iter().chain([&risky]), &sources, false, |_| false);
        let (text, edits) = &round.texts[&SourceId(0)];
        assert_eq!(*edits, 3);
        assert_eq!(text, "c: \"yes\" # ä\r\nb: 'no'\r\n");
        assert_eq!((round.applied, round.overlapping), (3, 2));
        let round = apply(all.iter().chain([&risky]), &sources, true, |_| false);
        assert_eq!(round.applied, 4);
        assert_eq!(apply(&all, &sources, true, |_| true), Round::default());
    }
}
