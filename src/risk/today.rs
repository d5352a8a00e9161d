//! What cannot be placed even before anything is lost.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What one system has no place for, or which of its deployment groups fail, with nothing lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Today {
    /// The system.
    pub system: Cow<'static, str>,
    /// By name.
    pub subjects: Vec<String>,
}
