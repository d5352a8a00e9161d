//! Applications as text: the plan screen and the explanation of one of them.

mod failure;
mod plan;
mod warning;
mod why;

pub use plan::{applications, stops};
pub use why::why;

/// From this width on the Clusters left after each filter are shown.
const WIDE: usize = 100;

/// Whether there is room for a column a filter.
fn is_wide(screen: &super::Screen) -> bool {
    screen.width.is_none_or(|width| width >= WIDE)
}
