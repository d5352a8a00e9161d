//! What reaches which cluster: the consumers of what Open Cluster Management's placements decide.
//!
//! Nothing here changes a decision. A kind of consumer has a file in `read` (its documents), one
//! in `follow` (which clusters it reaches) and one in `render::text::delivery` (its rows); what is
//! wrong with it is in `findings`.

mod findings;
pub mod follow;
mod generate;
mod read;
pub mod rules;

pub use follow::{Clusters, Deliveries, Extra, Ground, Row, Via};
pub use generate::generate;
pub use read::{Id, Model, policy, rule};

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::ocm;
use crate::source::Sources;

/// Reads the consumers of a site and checks what their documents alone say.
pub fn check<'a>(
    documents: &Documents<'a>,
    hub: &ocm::model::Model<'a>,
    sink: &mut Sink,
) -> Model<'a> {
    let mut model = read::read(documents, sink);
    model.open = generate::open(documents);
    findings::check(&model, hub, documents.sources, sink);
    model
}

/// Whether there is anything to follow.
#[must_use]
pub fn has_plan(model: &Model<'_>) -> bool {
    !model.is_empty()
}

/// Follows what was decided to its consumers.
#[must_use]
pub fn plan<'a>(
    model: &Model<'a>,
    hub: &ocm::model::Model<'a>,
    decided: Option<&ocm::Outcome<'a>>,
    sources: &Sources,
    sink: &mut Sink,
) -> Deliveries<'a> {
    let ground = Ground::new(model, hub, decided);
    let deliveries = follow::follow(model, ground);
    findings::planned(model, &deliveries, hub, sources, sink);
    deliveries
}
