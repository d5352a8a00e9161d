//! CEL expressions over a cluster: checked, then evaluated (upstream `plugins/predicate`).
//!
//! The syntax tree is that of the crate `cel`; the compile step and the evaluation are ours, so
//! that every value has the type and every function the behaviour of upstream's environment, and
//! evaluation has a limit. Without the feature `cel` every expression is refused.

#[cfg(feature = "cel")]
mod compile;
#[cfg(feature = "cel")]
mod eval;
#[cfg(feature = "cel")]
mod format;
#[cfg(feature = "cel")]
mod net;
#[cfg(feature = "cel")]
mod strings;
#[cfg(feature = "cel")]
mod types;
#[cfg(feature = "cel")]
mod value;

#[cfg(feature = "cel")]
mod evaluator;
#[cfg(not(feature = "cel"))]
#[path = "without.rs"]
mod evaluator;

pub use evaluator::{Evaluator, check, check_all, explain, together};

/// The result of compiling an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compilation {
    /// It compiles.
    Good,
    /// It does not compile: the message of the misconfiguration, without the plugin's name.
    Misconfigured(String),
    /// We cannot evaluate it: the placement is refused rather than guessed.
    Refused {
        /// The obstacle.
        message: String,
        /// The remedy.
        help: String,
    },
}

/// How an expression came out for one cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// It gave true.
    Holds,
    /// It gave false.
    DoesNotHold,
    /// It gave a value that is not a boolean: no match. Its type.
    NotBoolean(&'static str),
    /// A run-time error: no match.
    Error(String),
}
