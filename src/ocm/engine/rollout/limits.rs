//! Deadlines and thresholds of a strategy, read as upstream reads them.

use crate::kit::time::parse_go_duration;
use crate::ocm::engine::groups::{percent_of, percentage};
use crate::ocm::model::IntOrText;

/// The length of time after which a cluster counts as timed out; `None` is never.
///
/// # Errors
/// The text of upstream's `parseTimeout` or of Go's `time.ParseDuration`.
pub fn deadline(text: &str) -> Result<Option<i64>, String> {
    if matches!(text, "None" | "") {
        return Ok(None);
    }
    if !deadline_form(text) {
        return Err("invalid timeout format".to_owned());
    }
    parse_go_duration(text).map(|nanos| Some(nanos).filter(|nanos| *nanos != i64::MAX))
}

/// Upstream's pattern `^(([0-9])+[h|m|s])|None$`, anchored only half, as admission tests it.
fn deadline_form(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.ends_with("None") || rest.len() < text.len() && rest.starts_with(['h', 'm', 's', '|'])
}

/// A threshold of a total; what is not above 0 or is above the total is the default.
pub(super) fn size(
    written: Option<IntOrText<'_>>,
    total: usize,
    default: usize,
) -> Result<usize, String> {
    let size = match written {
        None => 0,
        Some(IntOrText::Int(size)) => size,
        Some(IntOrText::Text(text)) if !text.ends_with('%') => {
            return Err(format!(
                "'{text}' is an invalid maximum threshold value: string is not a percentage"
            ));
        }
        Some(IntOrText::Text(text)) => percentage(percent_of(text)?, total),
    };
    Ok(usize::try_from(size)
        .ok()
        .filter(|size| (1..=total).contains(size))
        .unwrap_or(default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines() {
        assert_eq!(deadline("None"), Ok(None));
        assert_eq!(deadline(""), Ok(None));
        assert_eq!(deadline("1h30m"), Ok(Some(5_400_000_000_000)));
        assert_eq!(deadline("0s"), Ok(Some(0)));
        for passes_and_fails in ["10mx", "2h|", "xNone"] {
            assert!(deadline_form(passes_and_fails));
            assert!(deadline(passes_and_fails).is_err());
        }
        for refused in ["1d", "10", "abc", "h"] {
            assert!(!deadline_form(refused));
        }
    }
}
