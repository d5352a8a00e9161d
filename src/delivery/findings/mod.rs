//! What is wrong with the consumers of a site that only following them brings to light: a file for
//! each kind.

mod policy;
mod rule;

use super::follow::Deliveries;
use super::read::{Id, Model};
use crate::diagnostic::{Object, Sink};

/// What following the consumers brought to light: a line for each kind.
pub(super) fn planned(model: &Model<'_>, deliveries: &Deliveries<'_>, sink: &mut Sink) {
    policy::planned(model, deliveries, sink);
    rule::planned(model, deliveries, sink);
}

/// The object that a finding is about.
fn object(id: &Id<'_>) -> Object {
    let object = Object::new(id.kind, id.name);
    match id.namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}
