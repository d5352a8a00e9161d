//! Plans and reports as text for people.

mod page;
pub mod senlin;

pub use page::{Page, Screen, Tone, columns, wrap};
