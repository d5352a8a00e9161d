//! Placements and rollouts as text.

mod placement;
mod rollout;

pub(super) use placement::moved;
pub use placement::{expired_scores, placements};
pub use rollout::{rollouts, run};
