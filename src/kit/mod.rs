//! The shared building blocks, pure: no spans, no diagnostics, no I/O, no clock.

pub mod cut;
pub mod dag;
pub mod join;
pub mod keeps;
pub mod labels;
pub mod layers;
pub mod lists;
pub mod name;
pub mod named;
pub mod nearest;
pub mod path;
pub mod plural;
pub mod progress;
pub mod quantity;
pub mod safe;
pub mod secret;
pub mod selector;
pub mod sorted;
pub(crate) mod template;
pub mod time;
pub mod vocabulary;
