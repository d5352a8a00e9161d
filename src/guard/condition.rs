//! The grammar of `--fail-on`.

use std::fmt;

use crate::kit::nearest::{hint, nearest};

/// When a plan fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// A subject had clusters and has none.
    Emptied,
    /// A subject is not there any more.
    Deleted,
    /// Clusters are in no page for a moment.
    Pages,
    /// A subject has no place.
    Unplaceable,
    /// The losses of all subjects reach the limit.
    Removed(Limit),
    /// The losses of one subject reach the limit.
    RemovedEach(Limit),
    /// The losses of one cluster reach the limit.
    RemovedCluster(Limit),
}

/// The number or share from which on losses are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// No limit is given: one.
    Any,
    /// This number.
    Count(u64),
    /// This share of the places before.
    Percent(Share),
}

/// A share, 1 to 100 of a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u8);

impl Limit {
    /// Whether so many losses of so many reach it.
    #[must_use]
    pub fn is_reached(self, removed: usize, before: usize) -> bool {
        let (removed, before) = (removed as u128, before as u128);
        match self {
            Self::Any => removed > 0,
            Self::Count(count) => removed >= u128::from(count),
            Self::Percent(Share(share)) => {
                removed > 0 && removed * 100 >= u128::from(share) * before
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, limit) = match self {
            Self::Emptied => ("emptied", Limit::Any),
            Self::Deleted => ("deleted", Limit::Any),
            Self::Pages => ("pages", Limit::Any),
            Self::Unplaceable => ("unplaceable", Limit::Any),
            Self::Removed(limit) => ("removed", *limit),
            Self::RemovedEach(limit) => ("removed-each", *limit),
            Self::RemovedCluster(limit) => ("removed-cluster", *limit),
        };
        match limit {
            Limit::Any => to.write_str(word),
            Limit::Count(count) => write!(to, "{word}={count}"),
            Limit::Percent(Share(share)) => write!(to, "{word}={share}%"),
        }
    }
}

const WORDS: [&str; 8] = [
    "emptied",
    "deleted",
    "pages",
    "removed",
    "removed-each",
    "removed-cluster",
    "unplaceable",
    "none",
];

/// Values of the option of the same name of other commands.
const OF_OTHERS: [(&str, &str); 5] = [
    ("error", "validate"),
    ("warning", "validate"),
    ("note", "validate"),
    ("volume", "risk"),
    ("critical", "risk"),
];

/// Reads one condition; `None` is `none`.
///
/// # Errors
/// The fault of the condition, as a message.
pub fn parse(text: &str) -> Result<Option<Condition>, String> {
    let (word, limit) = match text.split_once('=') {
        Some((word, limit)) => (word, Some(limit)),
        None => (text, None),
    };
    let limited = matches!(word, "removed" | "removed-each" | "removed-cluster");
    if let Some((_, command)) = OF_OTHERS.iter().find(|(other, _)| *other == word) {
        return Err(format!(
            "\"{text}\" is a value of `planner {command} --fail-on`"
        ));
    }
    if !WORDS.contains(&word) {
        let near = nearest(word, WORDS);
        let list = WORDS.join(", ");
        let near = hint(near.as_slice());
        return Err(format!(
            "there is no condition \"{text}\" (there are {list}){near}"
        ));
    }
    if limit.is_some() && !limited {
        return Err(format!("`{word}` takes no limit"));
    }
    let limit = limit.map_or(Ok(Limit::Any), limit_of)?;
    Ok(Some(match word {
        "none" => return Ok(None),
        "emptied" => Condition::Emptied,
        "deleted" => Condition::Deleted,
        "pages" => Condition::Pages,
        "unplaceable" => Condition::Unplaceable,
        "removed" => Condition::Removed(limit),
        "removed-each" => Condition::RemovedEach(limit),
        _ => Condition::RemovedCluster(limit),
    }))
}

fn limit_of(text: &str) -> Result<Limit, String> {
    let wrong = || format!("\"{text}\" is not a limit: write a number from 1, or 1% to 100%");
    let (digits, share) = match text.strip_suffix('%') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    if share {
        let number = (digits.len() <= 3)
            .then(|| digits.parse::<u8>().ok())
            .flatten();
        let number = number.filter(|number| (1..=100).contains(number));
        return number
            .map(|number| Limit::Percent(Share(number)))
            .ok_or_else(wrong);
    }
    let number = digits.parse::<u64>().ok().filter(|number| *number > 0);
    number.map(Limit::Count).ok_or_else(wrong)
}

/// Reads conditions, each of which may be several with commas between them. `none` lifts them all.
///
/// # Errors
/// The fault of one of them, as a message, or `none` beside others.
pub fn parse_all<'t>(texts: impl Iterator<Item = &'t str>) -> Result<Vec<Condition>, String> {
    let mut found: Vec<Option<Condition>> = Vec::new();
    for text in texts.flat_map(|text| text.split(',')) {
        found.push(parse(text.trim())?);
    }
    if found.contains(&None) && found.len() > 1 {
        return Err("`none` cannot be combined with other conditions".to_owned());
    }
    let mut conditions: Vec<Condition> = Vec::new();
    for condition in found.into_iter().flatten() {
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    Ok(conditions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row: the input, and the parsed result or the message.
    #[test]
    fn the_grammar() {
        let rows: &[(&str, Result<&[&str], &str>)] = &[
            ("emptied", Ok(&["emptied"])),
            ("deleted", Ok(&["deleted"])),
            ("pages", Ok(&["pages"])),
            ("removed", Ok(&["removed"])),
            ("removed=1", Ok(&["removed=1"])),
            ("removed=007", Ok(&["removed=7"])),
            ("removed=1%", Ok(&["removed=1%"])),
            ("removed=100%", Ok(&["removed=100%"])),
            (
                "removed=18446744073709551615",
                Ok(&["removed=18446744073709551615"]),
            ),
            ("removed-each=50%", Ok(&["removed-each=50%"])),
            ("removed-cluster=100%", Ok(&["removed-cluster=100%"])),
            ("emptied,removed=5%", Ok(&["emptied", "removed=5%"])),
            ("emptied, deleted", Ok(&["emptied", "deleted"])),
            ("emptied,emptied", Ok(&["emptied"])),
            ("none", Ok(&[])),
            ("none,emptied", Err("cannot be combined")),
            ("", Err("no condition")),
            ("emptied,", Err("no condition")),
            ("emptyed", Err("did you mean")),
            ("emptied=1", Err("takes no limit")),
            ("none=1", Err("takes no limit")),
            ("removed=", Err("not a limit")),
            ("removed=0", Err("not a limit")),
            ("removed=0%", Err("not a limit")),
            ("removed=101%", Err("not a limit")),
            ("removed=0100%", Err("not a limit")),
            ("removed=1.5%", Err("not a limit")),
            ("removed=-1", Err("not a limit")),
            ("removed=+1", Err("not a limit")),
            ("removed=5 %", Err("not a limit")),
            ("removed=18446744073709551616", Err("not a limit")),
            ("warning", Err("planner validate")),
            ("unplaceable", Ok(&["unplaceable"])),
            ("unplaceable=1", Err("takes no limit")),
            ("volume", Err("planner risk")),
        ];
        for (text, wanted) in rows {
            let read = parse_all(std::iter::once(*text));
            match (read, wanted) {
                (Ok(read), Ok(wanted)) => {
                    let read: Vec<String> = read.iter().map(ToString::to_string).collect();
                    assert_eq!(&read, wanted, "{text}");
                }
                (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }

    #[test]
    fn shares_are_exact() {
        let third = Limit::Percent(Share(33));
        assert!(!third.is_reached(32, 100) && third.is_reached(33, 100));
        assert!(third.is_reached(1, 3) && !third.is_reached(1, 4));
        assert!(!Limit::Percent(Share(1)).is_reached(0, 0));
        assert!(Limit::Percent(Share(100)).is_reached(3, 3));
        assert!(!Limit::Percent(Share(100)).is_reached(2, 3));
        assert!(!Limit::Any.is_reached(0, 9) && Limit::Any.is_reached(1, 9));
        assert!(Limit::Count(2).is_reached(2, 9) && !Limit::Count(2).is_reached(1, 9));
    }
}
