//! Saved plans on the command line: `plan --out`, `show`, `proceed`, `diff`.

mod again;
mod earlier;
mod file;
mod show;

pub(super) use again::run as proceed;
pub(super) use file::{Target, digest, options, save};
pub(super) use show::{Shown, diff, open, show};
