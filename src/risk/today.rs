//! The subjects that cannot be placed even before any loss.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The subjects that one system cannot place, or the deployment groups that fail, before any loss.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Today {
    /// The system.
    pub system: Cow<'static, str>,
    /// By name.
    pub subjects: Vec<String>,
}
