//! Plans and reports as text for people.

pub mod airship;
pub mod hybrid;
mod page;
mod plan;
pub mod senlin;

pub use page::{Page, Screen, Tone, columns, wrap};
pub use plan::{ON_SCREEN, invalid, plan};
