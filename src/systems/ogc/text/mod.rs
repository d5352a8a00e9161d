//! Applications as text: the plan screen and the explanation of one of them.

mod failure;
mod plan;
mod warning;

pub use plan::{applications, stops};

/// From this width on the Clusters left after each filter are shown.
const WIDE: usize = 100;

/// Whether there is room for a column a filter.
fn is_wide(screen: &crate::page::Screen) -> bool {
    screen.width.is_none_or(|width| width >= WIDE)
}
