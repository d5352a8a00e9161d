//! Consequences of a document that could not be read: findings that only report it missing are
//! dropped, and counted in the finding about the document.

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Severity, Sink, Tells};
use crate::document::Documents;
use crate::kit::plural::plural;
use crate::load;
use crate::source::SourceId;

/// A document that could not be read.
struct Lost<'s> {
    /// The finding that says so.
    finding: usize,
    text: &'s str,
    /// Findings that follow from it.
    following: usize,
}

/// Leaves out what follows from unreadable documents.
pub(super) fn fold(documents: &Documents<'_>, sink: &mut Sink) {
    let unreadable = |found: &Diagnostic| {
        found.severity == Severity::Error && found.rule.code.starts_with("planner::yaml::")
    };
    let all = sink.diagnostics.iter().enumerate();
    let lost = all.filter(|(_, found)| unreadable(found));
    // A document may have thousands of such findings, one after the other.
    let mut last = (SourceId(0), 0..0);
    let lost = lost.filter_map(|(finding, found)| {
        let place = found.primary.as_ref()?.place;
        let at = place.span.start as usize;
        if place.source == last.0 && last.1.contains(&at) {
            return None;
        }
        let text = &documents.sources.get(place.source).text;
        let range = load::document_around(text, at);
        last = (place.source, range.clone());
        Some(Lost {
            finding,
            text: &text[range],
            following: 0,
        })
    });
    let mut lost: Vec<Lost<'_>> = lost.collect();
    if lost.is_empty() {
        return;
    }
    let words = Words::of(&lost);
    let follows = |found: &Diagnostic| match cause(found, &lost, &words) {
        Some(cause) => {
            lost[cause].following += 1;
            true
        }
        None => false,
    };
    let follows: Vec<bool> = sink.diagnostics.iter().map(follows).collect();
    for lost in lost.iter().filter(|lost| lost.following > 0) {
        let found = &mut sink.diagnostics[lost.finding];
        let verb = if lost.following == 1 {
            "follows"
        } else {
            "follow"
        };
        let more = plural(lost.following, "more finding");
        let more = format!("{more} {verb} from this");
        *found = found.clone().add_help(&more);
    }
    let mut follows = follows.into_iter();
    sink.diagnostics
        .retain(|_| !follows.next().unwrap_or(false));
}

/// Which unreadable documents have a word: there may be thousands of them, and of findings.
struct Words<'s> {
    holders: FxHashMap<&'s str, Vec<usize>>,
    all: Vec<usize>,
}

impl<'s> Words<'s> {
    fn of(lost: &[Lost<'s>]) -> Self {
        let mut holders: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, lost) in lost.iter().enumerate() {
            for word in lost.text.split(|c| !is_inner(c)) {
                let holders = holders.entry(word).or_default();
                if holders.last() != Some(&at) {
                    holders.push(at);
                }
            }
        }
        Self {
            holders,
            all: (0..lost.len()).collect(),
        }
    }

    /// The documents that may hold a word, in order.
    fn holders(&self, word: &str) -> &[usize] {
        if word.chars().all(is_inner) {
            self.holders.get(word).map_or(&[], Vec::as_slice)
        } else {
            &self.all
        }
    }
}

/// The unreadable document that a finding follows from.
fn cause(found: &Diagnostic, lost: &[Lost<'_>], words: &Words<'_>) -> Option<usize> {
    let first = |word: &str, fits: fn(&str, &str) -> bool| {
        let mut holders = words.holders(word).iter().copied();
        holders.find(|at| fits(lost[*at].text, word))
    };
    let named = || found.message.split('`').skip(1).step_by(2);
    match found.rule.tells {
        Tells::NoName => named().filter_map(|word| first(word, names)).min(),
        Tells::NoLabel => named().filter_map(|word| first(word, mentions)).min(),
        Tells::NoKind(kind) => first(kind, mentions),
        Tells::Nothing | Tells::Twin | Tells::AppliedTwin | Tells::SpareTwin | Tells::SiteTwin => {
            None
        }
    }
}

/// Whether a character is part of a word.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/')
}

/// The places of a word in a text, as the texts before it.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(word).filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let apart = !before.ends_with(is_inner) && !after.starts_with(is_inner) && !word.is_empty();
        apart.then_some(before)
    })
}

fn mentions(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

/// Whether a text gives something this name.
fn names(text: &str, word: &str) -> bool {
    let mut places = places(text, word);
    places.any(|before| {
        let before = before.trim_end_matches(['"', '\'', ' ', '\t']);
        before.ends_with("name:") && !before.ends_with("_name:")
    })
}

#[cfg(test)]
mod tests {
    use super::{mentions, names};

    #[test]
    fn a_name_is_more_than_a_mention() {
        let text = "kind: Package\nmetadata:\n  name: 'shop'\nspec:\n  project: emea-2\n";
        assert!(names(text, "shop"));
        assert!(!names(text, "emea-2"));
        assert!(mentions(text, "emea-2"));
        assert!(!mentions(text, "emea"));
        assert!(names("metadata: {name:shop}", "shop"));
    }
}
