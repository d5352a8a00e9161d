//! Plans and reports as text for people.

pub mod airship;
mod diff;
pub mod hybrid;
pub mod layout;
pub mod ocm;
pub mod ogc;
mod page;
mod plan;
mod saved;
pub mod senlin;
mod tests;
mod totals;
mod why;

pub use diff::{diff, refused_review, reviewed};
pub use page::{Page, Screen, Tone, columns, wrap};
pub use plan::{invalid, on_screen, plan, proceed, refused};
pub use saved::{reasons, saved, stale};
pub use tests::tests;
pub use why::{changes, why};
