//! JSON paths as layering and substitution use them: keys, quoted keys and indexes.
//! Source: Deckhand, `doc/source/users/layering.rst` and `substitution.rst`.

use std::rc::Rc;

use super::value::{Body, Key, Value};
use crate::source::Place;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(Rc<str>),
    Index(usize),
}

/// Why a path is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathFault {
    /// A wildcard, slice, filter or descendant: valid, but not planned.
    Unsupported,
    /// Not a path.
    Malformed,
    /// More steps than [`MOST_STEPS`], or an index beyond [`MOST_ITEMS`].
    TooLong,
    /// A step leads into something that is not a mapping or list.
    NoContainer,
}

const MOST_STEPS: usize = 64;
const MOST_ITEMS: usize = 10_000;

/// Reads a path. `.`, `$` and a missing leading dot are understood.
pub(crate) fn parse(text: &str) -> Result<Vec<Step>, PathFault> {
    let mut steps = Vec::new();
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    if rest == "." {
        return Ok(steps);
    }
    while !rest.is_empty() {
        let dotted = rest.strip_prefix('.');
        rest = dotted.unwrap_or(rest);
        let first = rest.chars().next().ok_or(PathFault::Malformed)?;
        match first {
            '.' | '*' | '?' => return Err(PathFault::Unsupported),
            '[' => {
                let end = rest.find(']').ok_or(PathFault::Malformed)?;
                let inner = rest[1..end].trim();
                let quoted = unquoted(inner).filter(|(_, after)| after.is_empty());
                if let Some((key, _)) = quoted {
                    steps.push(Step::Key(key.into()));
                } else if inner.contains([':', '*', '?', ',', '(']) {
                    return Err(PathFault::Unsupported);
                } else {
                    let index = inner.parse().map_err(|_| PathFault::Malformed)?;
                    if index >= MOST_ITEMS {
                        return Err(PathFault::TooLong);
                    }
                    steps.push(Step::Index(index));
                }
                rest = &rest[end + 1..];
            }
            '"' | '\'' => {
                let (key, after) = unquoted(rest).ok_or(PathFault::Malformed)?;
                steps.push(Step::Key(key.into()));
                rest = after;
            }
            _ => {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                steps.push(Step::Key(rest[..end].into()));
                rest = &rest[end..];
            }
        }
        if steps.len() > MOST_STEPS {
            return Err(PathFault::TooLong);
        }
    }
    Ok(steps)
}

/// The text in the quotes that `text` begins with, and what follows them.
fn unquoted(text: &str) -> Option<(&str, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))?;
    text[1..].split_once(quote)
}

/// The path of an action: a leading `.data` or `$.data` is cut off as plain text, so that
/// `.database` loses its first letters too.
pub(crate) fn parse_action(text: &str) -> Result<Vec<Step>, PathFault> {
    let cut = text
        .strip_prefix(".data")
        .or_else(|| text.strip_prefix("$.data"));
    parse(cut.unwrap_or(text))
}

/// The value at a path.
pub(crate) fn find<'a>(value: &Value<'a>, path: &[Step]) -> Option<Value<'a>> {
    path.iter()
        .try_fold(value.clone(), |value, step| match step {
            Step::Key(key) => value.get(key),
            Step::Index(index) => value.item(*index),
        })
}

/// Writes a value at a path. Missing mappings on the way are made, and an index on a missing
/// or short list pads it with empty mappings. Recursion bounded by [`MOST_STEPS`].
pub(crate) fn set<'a>(
    target: &mut Value<'a>,
    path: &[Step],
    value: Value<'a>,
    place: Place,
) -> Result<(), PathFault> {
    let Some((step, rest)) = path.split_first() else {
        *target = value;
        return Ok(());
    };
    let made = target.open().ok_or(PathFault::NoContainer)?;
    match (step, &mut made.body) {
        (Step::Key(key), Body::Mapping(entries)) => {
            let at = entries.iter().position(|(name, _)| name.text() == &**key);
            let at = at.unwrap_or_else(|| {
                let missing = match rest.first() {
                    Some(Step::Index(_)) => Value::made(Body::Sequence(Vec::new()), place),
                    _ => Value::empty(place),
                };
                entries.push((Key::Text(key.clone(), place), missing));
                entries.len() - 1
            });
            set(&mut entries[at].1, rest, value, place)?;
        }
        (Step::Index(index), Body::Sequence(items)) => {
            while items.len() <= *index {
                items.push(Value::empty(place));
            }
            set(&mut items[*index], rest, value, place)?;
        }
        _ => return Err(PathFault::NoContainer),
    }
    made.measure();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Step {
        Step::Key(text.into())
    }

    #[test]
    fn paths() {
        assert_eq!(parse("."), Ok(vec![]));
        assert_eq!(parse("$"), Ok(vec![]));
        assert_eq!(
            parse(".a.b[1]"),
            Ok(vec![key("a"), key("b"), Step::Index(1)])
        );
        assert_eq!(parse("a.b"), Ok(vec![key("a"), key("b")]));
        assert_eq!(
            parse("$.a.\"k.io/r\".c"),
            Ok(vec![key("a"), key("k.io/r"), key("c")])
        );
        assert_eq!(parse(".a['k.io']"), Ok(vec![key("a"), key("k.io")]));
        for unsupported in [".a.*", ".a[*]", ".a..b", ".a[1:2]", ".a[?(@.b)]"] {
            assert_eq!(
                parse(unsupported),
                Err(PathFault::Unsupported),
                "{unsupported}"
            );
        }
        for malformed in [".a[", ".a[x]", ".\"a", ".a."] {
            assert_eq!(parse(malformed), Err(PathFault::Malformed), "{malformed}");
        }
        assert_eq!(parse(".a[99999999]"), Err(PathFault::TooLong));
        assert_eq!(parse_action(".data"), Ok(vec![]));
        assert_eq!(parse_action("$.data.x"), Ok(vec![key("x")]));
        assert_eq!(parse_action(".database"), Ok(vec![key("base")]));
    }
}
