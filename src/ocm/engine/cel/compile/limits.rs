//! Limits checked before parsing: refuses expressions too long or too deep to be read safely.

use super::refused;
use crate::ocm::engine::cel::Compilation;

/// Longest text of an expression, in bytes.
const LONGEST: usize = 4096;
/// Deepest nesting of brackets.
const DEEPEST: usize = 24;

pub(super) fn within_limits(source: &str) -> Result<(), Compilation> {
    if source.len() > LONGEST {
        return Err(refused(
            format!(
                "the expression has {} bytes, the limit is {LONGEST}",
                source.len()
            ),
            "split it into several expressions of the list: all of them must hold",
        ));
    }
    let (mut depth, mut deepest): (usize, usize) = (0, 0);
    let mut quote = None;
    let mut escaped = false;
    for byte in source.bytes() {
        match (quote, byte) {
            (Some(_), b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(end), byte) if byte == end && !escaped => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = false;
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return Err(refused(
            format!("the expression nests {deepest} brackets, the limit is {DEEPEST}"),
            "split it into several expressions of the list: all of them must hold",
        ));
    }
    Ok(())
}
