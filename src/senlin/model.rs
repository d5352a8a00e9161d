//! The objects of region placement: policy, cluster, action, profile, as one file holds them.

use std::borrow::Cow;

use crate::source::Place;

/// The largest absolute value of a number in a document. Upstream's integers have no end; this
/// bound keeps every sum of them exact.
pub const LARGEST: i128 = 1_000_000_000_000_000_000_000_000_000_000;

/// The Senlin documents of one file.
#[derive(Debug, Clone, Default)]
pub struct DocumentSet<'a> {
    /// The file's name as shown; it is also the policy's name.
    pub path: &'a str,
    /// The region placement policy.
    pub policy: Option<Policy<'a>>,
    /// The cluster with its nodes, counted.
    pub cluster: Option<Cluster<'a>>,
    /// The action to which the policy applies.
    pub action: Option<Action<'a>>,
    /// The profile of the node to be created.
    pub profile: Option<Profile>,
}

/// A region placement policy.
#[derive(Debug, Clone, Default)]
pub struct Policy<'a> {
    /// The regions by position; a repeated name keeps the first position, the last values.
    pub regions: Vec<Region<'a>>,
    /// Where the document is.
    pub place: Place,
    /// Where the list of regions is.
    pub regions_place: Place,
}

/// One region of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region<'a> {
    /// The name, compared byte for byte.
    pub name: Cow<'a, str>,
    /// The relative share; 100 where the document names none.
    pub weight: i128,
    /// The most nodes in this region when growing; negative: no cap.
    pub cap: i128,
    /// Where the name is (the last entry of that name).
    pub place: Place,
    /// Where the weight is, if the document names one.
    pub weight_place: Option<Place>,
}

impl Region<'_> {
    /// The cap if there is one: any negative value means none.
    #[must_use]
    pub fn cap(&self) -> Option<i128> {
        (self.cap >= 0).then_some(self.cap)
    }
}

/// A cluster and where its nodes are.
#[derive(Debug, Clone, Default)]
pub struct Cluster<'a> {
    /// The name, if the document has one.
    pub name: Option<Cow<'a, str>>,
    /// The number of nodes wanted, in nodes; 0 by default.
    pub desired_capacity: i128,
    /// The fewest nodes; 0 by default.
    pub min_size: i128,
    /// The most nodes; negative: no limit. 0 in the document is −1 here.
    pub max_size: i128,
    /// The most nodes of any cluster; 1000 by default.
    pub max_nodes_per_cluster: i128,
    /// All nodes, wherever they are.
    pub size: i128,
    /// Nodes per region of the policy, by position.
    pub nodes: Vec<i128>,
    /// Per region of the policy: whether the identity service knows it.
    pub known: Vec<bool>,
    /// Where the document is.
    pub place: Place,
    /// Where the list of known regions is, if there is one.
    pub known_place: Option<Place>,
}

/// The four actions that consult the policy, and all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// `CLUSTER_SCALE_OUT`
    ScaleOut,
    /// `CLUSTER_SCALE_IN`
    ScaleIn,
    /// `CLUSTER_RESIZE`
    Resize,
    /// `NODE_CREATE`
    NodeCreate,
    /// Any other: the policy is not consulted.
    Other,
}

impl ActionKind {
    /// The kind of an action's name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "CLUSTER_SCALE_OUT" => Self::ScaleOut,
            "CLUSTER_SCALE_IN" => Self::ScaleIn,
            "CLUSTER_RESIZE" => Self::Resize,
            "NODE_CREATE" => Self::NodeCreate,
            _ => Self::Other,
        }
    }
}

/// A field of `inputs` or of an entry of `data` as the document has it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Value<'a> {
    /// The key is not there.
    #[default]
    Absent,
    /// The key is there and null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer within [`LARGEST`].
    Int(i128),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// A list, a mapping or a number beyond [`LARGEST`], as the source has it.
    Other(&'a str),
}

impl Value<'_> {
    /// Whether the key is absent or null.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }
}

/// A value and where it is (where it is missing: the mapping that lacks it).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Field<'a> {
    /// The value.
    pub value: Value<'a>,
    /// The place.
    pub place: Place,
}

/// The inputs of an action.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Inputs<'a> {
    /// How many nodes to add or remove (the scale actions).
    pub count: Field<'a>,
    /// How `number` is meant (resize).
    pub adjustment_type: Field<'a>,
    /// The size of the adjustment (resize).
    pub number: Field<'a>,
    /// A lower bound for this request.
    pub min_size: Field<'a>,
    /// An upper bound for this request.
    pub max_size: Field<'a>,
    /// The smallest change of a percentage.
    pub min_step: Field<'a>,
    /// Whether the limits are checked instead of cut to.
    pub strict: Field<'a>,
}

/// `creation` or `deletion` in an action's data.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Entry<'a> {
    /// The key is not there.
    #[default]
    Absent,
    /// The key is there and null.
    Null,
    /// A mapping.
    Map {
        /// Whether it has no keys.
        empty: bool,
        /// Its `count`.
        count: Field<'a>,
    },
    /// Anything else; upstream fails on it.
    Other(Place),
}

/// An action.
#[derive(Debug, Clone)]
pub struct Action<'a> {
    /// The name as written.
    pub name: &'a str,
    /// The kind that the name stands for.
    pub kind: ActionKind,
    /// Its inputs.
    pub inputs: Inputs<'a>,
    /// `data.creation`
    pub creation: Entry<'a>,
    /// `data.deletion`
    pub deletion: Entry<'a>,
    /// `inputs` as written: what a record answers.
    pub asked: serde_json::Map<String, serde_json::Value>,
    /// The whole of `data` with its keys in order, for the answer.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// Where the document is.
    pub place: Place,
    /// Where the action's name is.
    pub name_place: Place,
}

/// A profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct Profile {
    /// Where `properties.context.region_name` is, if the key exists, whatever its value.
    pub region: Option<Place>,
    /// Where the document is.
    pub place: Place,
}
