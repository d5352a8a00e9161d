//! Fixes of words that differ from an allowed one in their form alone.

use super::Fault;
use crate::diagnostic::Fix;
use crate::kit::nearest::did_you_mean;
use crate::schema::rules;

/// Words that stand for an allowed one.
const SHORT: [(&str, &str); 3] = [
    ("crit", "critical"),
    ("med", "medium"),
    ("musthaveit", "musthave"),
];

/// A word without case, `-` and `_`.
fn bare(word: &str) -> String {
    let letters = word.chars().filter(|letter| !matches!(letter, '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}

/// Keeps the fix of a value or a field only where exactly one allowed word is meant.
pub(super) fn settle(fault: &mut Fault<'_>) {
    let is_field = fault.rule.code == rules::UNKNOWN_FIELD.code;
    if !is_field && fault.rule.code != rules::VALUE.code {
        return;
    }
    let written = if is_field {
        fault
            .pointer
            .rsplit('/')
            .next()
            .map(|key| key.replace("~1", "/").replace("~0", "~"))
    } else {
        fault.node.and_then(|node| node.text()).map(str::to_owned)
    };
    fault.fix = None;
    let Some(written) = written else { return };
    let written_bare = bare(&written);
    let short = SHORT
        .iter()
        .find(|(short, _)| !is_field && *short == written_bare);
    let meant = short.map_or(written_bare.as_str(), |(_, long)| long);
    // Of several spellings of one word the one in lower case is usual.
    let mut same = fault.allowed.iter().filter(|word| bare(word) == meant);
    let Some(word) = same
        .clone()
        .find(|word| **word == bare(word))
        .or_else(|| same.next())
    else {
        return;
    };
    let text = match fault.node {
        Some(node) if !is_field => node.spelled(word),
        _ => word.clone(),
    };
    fault.help = Some(did_you_mean(word));
    fault.fix = Some(Fix::replace(format!("write `{word}`"), fault.place, text));
}
