//! Placements and rollouts as text.

mod placement;
mod rollout;

pub use placement::{expired_scores, is_no_hub, not_planned, placements, without_hub};
pub use rollout::{rollouts, run};
