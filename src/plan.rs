//! The plan: the answers of all systems, and what they amount to. Data only.

use jiff::Timestamp;

use crate::diagnostic::Sink;
use crate::hybrid;
use crate::hybrid::engine::{Keep, State};
use crate::ocm;
use crate::ogc;
use crate::options::Options;
use crate::site::Site;
use crate::source::Sources;

/// What a plan, or a section of it, amounts to; the worst of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// Everything stays as it is.
    Unchanged,
    /// It can be carried out.
    Ready,
    /// At least one item cannot be placed.
    Unplaceable,
    /// Documents were refused.
    Invalid,
}

impl Quality {
    /// The word of the contract.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Ready => "ready",
            Self::Unplaceable => "unplaceable",
            Self::Invalid => "invalid",
        }
    }

    fn of(unplaceable: bool, changed: bool) -> Self {
        match (unplaceable, changed) {
            (true, _) => Self::Unplaceable,
            (false, true) => Self::Ready,
            (false, false) => Self::Unchanged,
        }
    }
}

/// The answers of all systems; a section is `None` where the site holds nothing for it.
#[derive(Debug)]
pub struct Plan<'s, 'a> {
    /// The site that is planned.
    pub site: &'s Site<'a>,
    /// The instant everything was judged at.
    pub now: Timestamp,
    /// Whether full lists are wanted.
    pub trace: bool,
    /// Whether the site has region placements.
    pub regions: bool,
    /// Placements and rollouts.
    pub placements: Option<ocm::Outcome<'a>>,
    /// Placement rules and their rounds.
    pub rules: Option<hybrid::engine::Outcome>,
    /// Applications and their Clusters.
    pub applications: Option<ogc::engine::Outcome<'a>>,
    /// What it amounts to, refusals apart.
    pub quality: Quality,
    /// Whether there is anything that Proceed would record.
    pub recordable: bool,
}

/// Plans a checked site.
#[must_use]
pub fn make<'s, 'a>(
    site: &'s Site<'a>,
    sources: &Sources,
    options: &Options,
    keep: Keep,
    sink: &mut Sink,
) -> Plan<'s, 'a> {
    let placements = ocm::has_plan(&site.ocm).then(|| ocm::plan(&site.ocm, options));
    let rules = (!site.hybrid.rules.is_empty())
        .then(|| hybrid::plan(&site.hybrid, sources, options, keep, sink));
    let applications = (!site.ogc.packages.is_empty() || !site.ogc.deployments.is_empty())
        .then(|| ogc::plan(&site.ogc, options));
    if let Some(outcome) = &applications {
        sink.diagnostics
            .extend(ogc::rules::findings(&site.ogc, outcome));
    }
    let mut qualities = Vec::new();
    // A strategy is always ready and has nothing to record.
    qualities.extend(site.airship.site.as_ref().map(|_| Quality::Ready));
    let strategy = qualities.len();
    qualities.extend(regions(site));
    if let Some(outcome) = &placements {
        qualities.push(Quality::of(
            outcome.is_unplaceable(),
            !outcome.is_unchanged(),
        ));
    }
    if let Some(outcome) = &rules {
        let lost = |state| {
            matches!(
                state,
                State::NoPlacement | State::NoCandidates | State::Waiting
            )
        };
        let unplaceable = outcome.rules.iter().any(|rule| lost(rule.state));
        qualities.push(Quality::of(
            unplaceable,
            outcome.rules.iter().any(|rule| rule.changed),
        ));
    }
    if let Some(outcome) = &applications {
        qualities.push(Quality::of(
            outcome.is_unplaceable(),
            !outcome.is_unchanged(),
        ));
    }
    let recordable = qualities[strategy..].contains(&Quality::Ready);
    let quality = qualities.into_iter().max().unwrap_or(Quality::Unchanged);
    Plan {
        site,
        now: options.now,
        trace: options.trace,
        regions: regions(site).is_some(),
        placements,
        rules,
        applications,
        quality,
        recordable,
    }
}

fn regions(site: &Site<'_>) -> Option<Quality> {
    let sets = &site.senlin.sets;
    let (mut failed, mut changed) = (false, false);
    sets.iter().find(|checked| checked.planned().is_some())?;
    for checked in sets {
        failed |= checked.fails();
        changed |= checked.changes();
    }
    Some(Quality::of(failed, changed))
}

/// What must be told before somebody says Proceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Confirmation {
    /// Volumes are left behind that the last Deployment still held.
    pub left_behind: bool,
    /// Nothing but Applications is planned.
    pub deployment: bool,
}

impl Confirmation {
    /// The question.
    #[must_use]
    pub fn question(&self) -> &'static str {
        if self.deployment {
            "Proceed with this deployment?"
        } else {
            "Proceed with this plan?"
        }
    }
}

/// The plan a record is made from.
#[derive(Debug, Clone, Copy)]
pub struct RecordHead<'r> {
    /// The record's number.
    pub number: u64,
    /// The directory of records, named as files are named in messages.
    pub directory: &'r str,
    /// The PATHs the plan was made from.
    pub origin: &'r str,
}

/// A record: the text of its file, and what the file is called after its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The Package if only one thing is recorded, else `site`.
    pub what: String,
    /// The documents, the first line a comment that says where they come from.
    pub text: String,
}

impl Plan<'_, '_> {
    /// What must be told before somebody says Proceed.
    #[must_use]
    pub fn confirmation(&self) -> Confirmation {
        let left = self
            .applications
            .as_ref()
            .is_some_and(|outcome| outcome.confirmation().left_behind > 0);
        Confirmation {
            left_behind: left,
            deployment: self.applications.is_some()
                && !self.regions
                && self.rules.is_none()
                && self.site.airship.site.is_none(),
        }
    }
}
