//! What a run was asked for: the facts that engines may depend on.

use jiff::Timestamp;

/// The order of deployment groups (Airship deployment strategy, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Wave by wave, in document order.
    #[default]
    Waves,
    /// The older stack order.
    Stack,
}

/// Settings that bear on checks and plans; made once, in `cli`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The instant at which everything is judged.
    pub now: Timestamp,
    /// One Node must hold both compute and memory (OGC, A1).
    pub same_node: bool,
    /// The original code's answer where it differs from the statement.
    pub upstream: bool,
    /// Order of deployment groups.
    pub order: Order,
    /// Whether full candidate lists are wanted.
    pub trace: bool,
    /// Plan what was not refused.
    pub keep_going: bool,
    /// Whether advisors may run commands.
    pub allow_commands: bool,
    /// Only these Packages; all when empty.
    pub packages: Vec<String>,
    /// The site of an Airship repository.
    pub site: Option<String>,
    /// Airship documents are rendered already.
    pub rendered: bool,
    /// The run is `planner validate`: what only bears on creating an object is a fault.
    pub validating: bool,
    /// Worker threads, at least one.
    pub jobs: usize,
}

impl Options {
    /// Defaults at an instant, one thread.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            same_node: false,
            upstream: false,
            order: Order::Waves,
            trace: false,
            keep_going: false,
            allow_commands: false,
            packages: Vec::new(),
            site: None,
            rendered: false,
            validating: false,
            jobs: 1,
        }
    }
}
