//! PlanTests as written in their documents.

use crate::airship::engine::run::DeploymentVerdict;
pub use crate::source::Text;

use crate::source::{Place, SourceId};
use crate::yaml::Node;

/// The expectations of a site's owner about a plan.
#[derive(Debug, Clone)]
pub struct PlanTest<'a> {
    /// Its name in the report.
    pub name: &'a str,
    /// Its file, to which `given` is relative.
    pub file: SourceId,
    /// Where its name is.
    pub place: Place,
    /// The PATHs to read; the site itself if there are none.
    pub given: Vec<Text<'a>>,
    /// The values that differ from the documents.
    pub set: Vec<Setting<'a>>,
    /// The faults of the simulated run.
    pub faults: Option<Node<'a>>,
    /// The expectations.
    pub expect: Vec<Expectation<'a>>,
    /// Its document cannot be understood: it is reported and not run.
    pub refused: bool,
}

/// A value of a document that another takes the place of.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The document's kind.
    pub kind: Text<'a>,
    /// The document's name.
    pub name: Text<'a>,
    /// The other fields that tell the document from its namesakes: field and text.
    pub qualifiers: [(&'static str, Option<&'a str>); 4],
    /// JSON Pointer of the value.
    pub pointer: Text<'a>,
    /// The other value.
    pub value: Node<'a>,
}

/// Something that must hold of the plan.
#[derive(Debug, Clone)]
pub struct Expectation<'a> {
    /// The expectation itself.
    pub claim: Claim<'a>,
    /// Where it is.
    pub place: Place,
}

/// One expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim<'a> {
    /// An application is on this cluster, or on none.
    Application(&'a str, Option<&'a str>),
    /// A placement or rule decides on these.
    Placement(&'a str, Vec<&'a str>),
    /// A consumer of placements reaches clusters.
    Delivery(Delivery<'a>),
    /// The groups are deployed in this order.
    GroupOrder(Vec<&'a str>),
    /// The simulated run ends like this.
    Verdict(DeploymentVerdict),
    /// A document is refused for this code.
    Invalid(&'a str),
}

/// The clusters that a consumer of placements is expected to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its namespace, empty where it has none.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// All clusters that it reaches.
    pub clusters: Option<Vec<&'a str>>,
    /// Clusters among them.
    pub contains: Vec<&'a str>,
    /// Clusters that are not among them.
    pub without: Vec<&'a str>,
}
