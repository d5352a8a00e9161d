//! The options of a run: the facts that checks and plans may depend on.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::diagnostic::{Codes, Levels};
use crate::document::System;
use crate::kit::progress::Progress;

/// How a site is judged: the facts that models and findings may depend on.
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// The instant at which everything is judged.
    pub now: Timestamp,
    /// The upstream code's answer where it differs from the specification.
    pub upstream: bool,
    /// Airship documents are rendered already.
    pub rendered: bool,
    /// Documents that belong to no system are errors.
    pub strict: bool,
    /// The site is judged for its own sake, not to be planned: what only bears on creating an
    /// object is a fault, and PlanTests count as ours.
    pub validating: bool,
    /// How comments that ignore findings act; without it they have no effect.
    pub ignores: Option<Ignores>,
    /// Levels of codes.
    pub levels: Levels,
    /// Worker threads, at least one.
    pub jobs: usize,
    /// The progress of the checks, for a watcher on another thread.
    pub progress: Progress,
}

/// How comments that ignore findings act.
#[derive(Debug, Clone)]
pub struct Ignores {
    /// Every comment needs a reason.
    pub reasons: bool,
    /// The codes there are.
    pub codes: Codes,
}

impl CheckOptions {
    /// Whether both judge documents alike, whatever the instant.
    #[must_use]
    pub fn judges_like(&self, other: &Self) -> bool {
        let Self {
            now: _,
            upstream,
            rendered,
            strict,
            validating,
            ignores,
            levels,
            jobs: _,
            progress: _,
        } = self;
        let reasons = |ignores: &Option<Ignores>| ignores.as_ref().map(|ignores| ignores.reasons);
        (*upstream, *rendered, *strict, *validating)
            == (
                other.upstream,
                other.rendered,
                other.strict,
                other.validating,
            )
            && reasons(ignores) == reasons(&other.ignores)
            && *levels == other.levels
    }

    /// Defaults at an instant, one thread.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            upstream: false,
            rendered: false,
            strict: false,
            validating: false,
            ignores: None,
            levels: Levels::default(),
            jobs: 1,
            progress: Progress::default(),
        }
    }
}

/// The order of deployment groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Wave by wave, in document order.
    #[default]
    Waves,
    /// The older stack order.
    Stack,
}

/// How a checked site is planned: the facts that engines may depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// One Node must hold both compute and memory.
    pub same_node: bool,
    /// Order of deployment groups.
    pub order: Order,
    /// Whether full candidate lists are wanted.
    pub trace: bool,
    /// Whether the scores of chosen candidates are not needed.
    pub unscored: bool,
    /// Whether only decisions count: no notes about groups.
    pub quiet: bool,
    /// Whether placements are also wanted as one pass in document order would decide them.
    pub sequential: bool,
    /// Whether a screen is wanted: it shows how rounds begin and end.
    pub screen: bool,
    /// Plan the documents that were not refused.
    pub keep_going: bool,
    /// Whether single objects that were refused may be left out of the plan, which then says so.
    pub partial: bool,
    /// Whether advisors may run commands.
    pub allow_commands: bool,
    /// The environment of those commands: they see nothing else of it.
    pub environment: Vec<(String, String)>,
    /// The directory that the names of files are relative to: commands run in those of files.
    pub directory: PathBuf,
    /// This program, which guards those commands; without it they would survive when planner is
    /// killed.
    pub program: Option<PathBuf>,
    /// Only these Packages; all when empty.
    pub packages: Vec<String>,
    /// The systems whose placements are planned. What judges documents (deployment groups,
    /// regions, steps of rollouts) is planned whatever is named here.
    pub systems: Vec<System>,
    /// Worker threads, at least one.
    pub jobs: usize,
    /// How far planning has come.
    pub progress: Progress,
}

impl Options {
    /// The options for a plan on trial: one system, and only its selection.
    #[must_use]
    pub fn trial(&self, system: System) -> Self {
        Self {
            keep_going: true,
            trace: false,
            screen: false,
            sequential: false,
            unscored: true,
            quiet: true,
            systems: vec![system],
            ..self.clone()
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            same_node: false,
            order: Order::Waves,
            trace: false,
            unscored: false,
            quiet: false,
            sequential: true,
            screen: false,
            keep_going: false,
            partial: false,
            allow_commands: false,
            environment: Vec::new(),
            directory: PathBuf::from("."),
            program: None,
            packages: Vec::new(),
            systems: System::ALL.to_vec(),
            jobs: 1,
            progress: Progress::default(),
        }
    }
}
