//! The names of consumers.

use crate::kit::named::Name;
use crate::ocm::lower::Admission;
use crate::source::Place;

/// The name of an object, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id<'a> {
    /// Its kind, as documents write it.
    pub kind: &'static str,
    /// `metadata.namespace`, empty where the kind has none.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
}

impl<'a> Id<'a> {
    /// `namespace/name`, or the name where the kind has no namespace.
    #[must_use]
    pub const fn full_name(&self) -> Name<'a> {
        Name::new(self.namespace, self.name)
    }

    /// The identity of a namespaced object.
    pub(in crate::delivery) fn of(admission: &Admission<'_, 'a>) -> Self {
        Self {
            kind: admission.kind(),
            namespace: admission.head.namespace(),
            name: admission.head.name,
            place: admission.head.place,
        }
    }
}
