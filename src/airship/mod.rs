//! Airship: deployment groups, their order and the simulated run.

pub mod engine;
pub mod faults;
mod layering;
mod lower;
pub mod model;
mod raw;
pub mod rules;
pub mod why;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::{Options, Order};

use engine::Deployment;
use model::{GroupOrder, Reading, Site};

/// A site and its plan: what no rule refused.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    /// The site; `None` without Airship documents, or when one of them was refused.
    pub site: Option<Site<'a>>,
    /// Groups, order, limits; empty without a site.
    pub deployment: Deployment,
    /// The racks of which no node is in a group, by name.
    pub uncovered_racks: Vec<&'a str>,
    /// Which way is followed where statement and code differ.
    pub reading: Reading,
}

/// The reading that the options ask for.
#[must_use]
pub fn reading(options: &Options) -> Reading {
    if options.upstream {
        Reading::Upstream
    } else {
        Reading::Statement
    }
}

/// Renders, reads and checks the Airship documents. One refused document refuses the whole
/// strategy (contract, section 3).
pub fn lower<'a>(documents: &Documents<'a>, options: &Options, sink: &mut Sink) -> Model<'a> {
    let reading = reading(options);
    let site = lower::lower(documents, options, reading, sink);
    let order = match options.order {
        Order::Waves => GroupOrder::Waves,
        Order::Stack => GroupOrder::Stack,
    };
    let deployment = site
        .as_ref()
        .map(|site| engine::plan(site, reading, order))
        .unwrap_or_default();
    let racks = site
        .as_ref()
        .map(|site| engine::uncovered_racks(site, &deployment))
        .unwrap_or_default();
    if let Some(site) = &site {
        lower::notes(site, &deployment, &racks, sink);
    }
    let uncovered_racks = racks.iter().map(|rack| rack.text).collect();
    Model {
        site,
        deployment,
        uncovered_racks,
        reading,
    }
}
