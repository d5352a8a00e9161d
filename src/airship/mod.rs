//! Airship: deployment groups, their order and the simulated run.

pub mod engine;
pub mod faults;
mod intake;
mod layering;
mod lower;
mod machines;
pub mod model;
mod raw;
pub mod repair;
pub mod rules;
pub mod why;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::{Order, Rules};

pub use intake::strict_files;
pub use machines::{Machine, machines};

use engine::Deployment;
use model::{GroupOrder, Reading, Site, Word};

/// The site that no rule refused.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    /// The site; `None` without Airship documents, or when one of them was refused.
    pub site: Option<Site<'a>>,
    /// Which way is followed where statement and code differ.
    pub reading: Reading,
}

/// A site and the plan of its deployment.
#[derive(Debug, Clone)]
pub struct Strategy<'m, 'a> {
    /// The site.
    pub site: &'m Site<'a>,
    /// Groups, order, limits.
    pub deployment: Deployment,
    /// The racks of which no node is in a group, by name.
    pub uncovered_racks: Vec<Word<'a>>,
    /// Which way is followed where statement and code differ.
    pub reading: Reading,
}

/// Renders, reads and checks the Airship documents. One refused document refuses the whole
/// strategy (contract, section 3).
pub fn check<'a>(documents: &Documents<'a>, rules: &Rules, sink: &mut Sink) -> Model<'a> {
    let reading = if rules.upstream {
        Reading::Upstream
    } else {
        Reading::Statement
    };
    Model {
        site: lower::lower(documents, rules, reading, sink),
        reading,
    }
}

/// Plans the deployment of a site, if there is one.
#[must_use]
pub fn plan<'m, 'a>(model: &'m Model<'a>, order: Order) -> Option<Strategy<'m, 'a>> {
    let site = model.site.as_ref()?;
    let order = match order {
        Order::Waves => GroupOrder::Waves,
        Order::Stack => GroupOrder::Stack,
    };
    let deployment = engine::plan(site, model.reading, order);
    Some(Strategy {
        site,
        uncovered_racks: engine::uncovered_racks(site, &deployment),
        deployment,
        reading: model.reading,
    })
}
