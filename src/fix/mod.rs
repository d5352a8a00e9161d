//! Fixes: edits that findings offer, each tried in memory and kept only if it removes its finding
//! and harms nothing.

mod edits;
mod meaning;
mod rounds;

pub use edits::{Texts, compatible, written};
pub use meaning::{accepted, meaning};
pub use rounds::{Fixed, Judged, apply_all};
