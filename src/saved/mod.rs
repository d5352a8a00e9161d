//! Saved plans: the decisions of a plan, in a file that a later run is compared with. Data only:
//! nothing in a saved plan is ever applied, it can only make `proceed` refuse.

mod changes;
mod digest;
mod format;
mod options;
mod outcome;
mod rows;
mod sections;
mod stale;

pub use changes::changes;
pub use digest::Documents;
pub use format::{Basis, Counts, FORMAT_VERSION, Fault, Made, SavedPlan, is_one};
pub use options::{Chosen, Compat, Order};
pub use outcome::{decisions, decisions_after, essence};
pub use rows::{SavedRow, rows};
pub use sections::{Sections, value};
pub use stale::{Present, Reason, Stale, compare};
