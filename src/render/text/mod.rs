//! Plans and reports as text for people.

#[doc(hidden)]
pub mod airship;
#[doc(hidden)]
pub mod delivery;
mod diff;
#[doc(hidden)]
pub mod hybrid;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod ocm;
#[doc(hidden)]
pub mod ogc;
mod page;
mod plan;
pub mod risk;
mod saved;
#[doc(hidden)]
pub mod senlin;
mod tests;
mod totals;
mod why;

pub use diff::{diff, refused_review, reviewed, titled};
pub use page::{Page, Screen, Tone, columns, wrap};
pub use plan::{invalid, plan, proceed, refused};
pub use saved::{reasons, saved, stale};
pub use senlin::regions;
pub use tests::tests;
pub use why::{changes, why};

use crate::diagnostic::Rule;

/// Rules whose findings the screens themselves show, system by system.
const ON_SCREEN: [&[&Rule]; 5] = [
    airship::ON_SCREEN,
    &[
        &crate::hybrid::rules::AMBIGUOUS_RECOMMENDATION,
        &crate::hybrid::rules::NOT_A_CANDIDATE,
    ],
    &[&crate::ocm::rules::EXPIRED_SCORE],
    &[
        &crate::ogc::rules::NO_SINGLE_NODE,
        &crate::ogc::rules::OVERCOMMITTED,
        &crate::ogc::rules::VOLUME_OUT_OF_BOUNDS,
    ],
    &[
        &crate::senlin::rules::OVERDRAFT,
        &crate::senlin::rules::UNKNOWN_REGION,
    ],
];

/// Whether the screens themselves show the findings of a rule.
#[must_use]
pub fn on_screen(rule: &Rule) -> bool {
    ON_SCREEN.iter().any(|rules| rules.contains(&rule))
}
