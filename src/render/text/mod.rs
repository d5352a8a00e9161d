//! Plans and reports as text for people.

mod page;

pub use page::{Page, Screen, Tone, columns, wrap};
