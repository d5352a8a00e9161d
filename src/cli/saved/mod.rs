//! Saved plans on the command line: `plan --out`, `show`, `apply`, `diff`.

mod apply;
mod earlier;
mod file;
mod show;

pub(super) use apply::run as apply;
pub(super) use file::{Target, save};
pub(super) use show::{diff, show};
