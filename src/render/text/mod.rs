//! Plans and reports as text for people.

pub mod airship;
pub mod hybrid;
pub mod ogc;
mod page;
mod plan;
pub mod senlin;
mod why;

pub use page::{Page, Screen, Tone, columns, wrap};
pub use plan::{ON_SCREEN, invalid, plan};
pub use why::why;
