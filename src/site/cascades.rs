//! What follows from a document that could not be read: findings that only say that it is missing
//! are left out and counted where it is reported.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::Documents;
use crate::kit::plural::plural;
use crate::load;
use crate::source::SourceId;

/// Codes of findings that name an object which is not there.
const BY_NAME: [&str; 13] = [
    "planner::airship::no_configuration",
    "planner::airship::source_not_found",
    "planner::airship::strategy_not_found",
    "planner::airship::substitution_skipped",
    "planner::airship::unknown_hardware_profile",
    "planner::airship::unknown_host_profile",
    "planner::hybrid::unknown_target",
    "planner::hybrid::unused_answer",
    "planner::ocm::unbound_set",
    "planner::ocm::unknown_cluster",
    "planner::ocm::unknown_set",
    "planner::ogc::unknown_reference",
    "planner::test::unknown_document",
];

/// Codes of findings about labels that nothing has.
const BY_LABEL: [&str; 6] = [
    "planner::airship::no_parent",
    "planner::airship::unknown_value",
    "planner::hybrid::unknown_label",
    "planner::ocm::selects_nothing",
    "planner::ocm::unknown_label",
    "planner::ogc::unknown_label",
];

/// Codes of findings that say that documents of a kind are missing, and words of those.
const BY_KIND: [(&str, &str); 4] = [
    ("planner::airship::no_policy", "LayeringPolicy"),
    ("planner::ocm::empty_set", "ManagedCluster"),
    ("planner::ocm::no_hub", "ManagedCluster"),
    ("planner::ogc::unsatisfiable_rule", "Cluster"),
];

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
    let follows = |found: &Diagnostic| match cause(found, &mut lost) {
        Some(cause) => {
            cause.following += 1;
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
        found.help = Some(match found.help.take() {
            Some(help) => format!("{help}; {more}"),
            None => more,
        });
    }
    let mut follows = follows.into_iter();
    sink.diagnostics
        .retain(|_| !follows.next().unwrap_or(false));
}

/// The unreadable document that a finding follows from.
fn cause<'l, 's>(found: &Diagnostic, lost: &'l mut [Lost<'s>]) -> Option<&'l mut Lost<'s>> {
    let code = found.rule.code;
    let words = || found.message.split('`').skip(1).step_by(2);
    if BY_NAME.contains(&code) {
        let mut lost = lost.iter_mut();
        return lost.find(|lost| words().any(|word| names(lost.text, word)));
    }
    if BY_LABEL.contains(&code) {
        let mut lost = lost.iter_mut();
        return lost.find(|lost| words().any(|word| mentions(lost.text, word)));
    }
    let (_, kind) = BY_KIND.iter().find(|(known, _)| *known == code)?;
    lost.iter_mut().find(|lost| mentions(lost.text, kind))
}

/// The places of a word in a text, as the texts before it.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    text.match_indices(word).filter_map(move |(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let apart = !before.ends_with(inner) && !after.starts_with(inner) && !word.is_empty();
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
