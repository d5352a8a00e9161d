//! Airship: deployment groups, their order and the simulated run.

pub mod engine;
pub mod faults;
mod intake;
mod layering;
mod lower;
mod machines;
pub mod model;
pub mod ran;
mod raw;
pub mod repair;
pub mod rules;
mod sites;
pub mod terms;
pub mod why;

use std::collections::BTreeSet;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::{CheckOptions, Order};
use crate::source::Place;

pub use intake::{recognise, strict_files};
pub use machines::{Machine, machines, node_declared};
pub use sites::{check_each, planned_each};

use engine::Deployment;
use model::{GroupOrder, Reading, Site, Text};

/// The site that no rule refused.
#[derive(Debug, Clone, Default)]
pub struct Model<'a> {
    /// The site; `None` without Airship documents, when one of them was refused, and where
    /// several sites were checked.
    pub site: Option<Site<'a>>,
    /// Several sites, each checked on its own.
    pub each: Vec<sites::Named<'a>>,
    /// The documents of a repository that bear on the plan.
    pub taking_part: BTreeSet<Place>,
    /// The documents that do not bear on it.
    pub left_out: BTreeSet<Place>,
    /// Which way is followed where specification and code differ.
    pub reading: Reading,
    /// The documents with structural faults, whatever these do. Nothing where documents were
    /// rendered, which makes others of them.
    faulty: Option<Vec<Place>>,
    /// The hosts that Drydock's documents define; `None` if documents were rendered or refused.
    hosts: Option<lower::Hosts<'a>>,
}

impl Model<'_> {
    /// Whether every document counts as it is written: none is rendered or left out, so no document
    /// changes what another one says.
    #[must_use]
    pub fn is_as_written(&self) -> bool {
        self.hosts.is_some()
    }
}

/// A site and the plan of its deployment.
#[derive(Debug, Clone)]
pub struct Strategy<'m, 'a> {
    /// The site.
    pub site: &'m Site<'a>,
    /// Groups, order, limits.
    pub deployment: Deployment,
    /// The racks without any node in a group, by name.
    pub uncovered_racks: Vec<Text<'a>>,
    /// Which way is followed where specification and code differ.
    pub reading: Reading,
}

/// Renders, reads and checks the Airship documents. One refused document refuses the whole
/// strategy. What the site that this one was made from says of documents is not found out again.
pub fn check<'a>(
    documents: &Documents<'a>,
    settings: &CheckOptions,
    before: Option<&Model<'a>>,
    sink: &mut Sink,
) -> Model<'a> {
    let reading = if settings.upstream {
        Reading::Upstream
    } else {
        Reading::Statement
    };
    let mut model = Model {
        reading,
        ..Model::default()
    };
    model.site = lower::lower(documents, settings, before, &mut model, sink);
    model
}

/// Plans the deployment of a site, if there is one.
#[must_use]
pub fn plan<'m, 'a>(model: &'m Model<'a>, order: Order) -> Option<Strategy<'m, 'a>> {
    let site = model.site.as_ref()?;
    Some(strategy(site, model.reading, order))
}

fn strategy<'m, 'a>(site: &'m Site<'a>, reading: Reading, order: Order) -> Strategy<'m, 'a> {
    let order = match order {
        Order::Waves => GroupOrder::Waves,
        Order::Stack => GroupOrder::Stack,
    };
    let deployment = engine::plan(site, reading, order);
    Strategy {
        site,
        uncovered_racks: engine::uncovered_racks(site, &deployment),
        deployment,
        reading,
    }
}
