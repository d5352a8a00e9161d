//! Where a text may be cut.

/// The last border of a character up to `at`.
///
/// ```
/// assert_eq!(planner::kit::cut::floor("né", 2), 1);
/// assert_eq!(planner::kit::cut::floor("né", 9), 3);
/// ```
#[must_use]
pub fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
