//! The plan of OGC Applications: data only.

use std::ops::Range;
use std::sync::Arc;

use crate::kit::named::Name;
use crate::kit::quantity::Quantity;
use crate::ogc::model::{
    AccessMode, Application, DeploymentPhase, Model, Rule, StorageType, VolumeMode,
};
use crate::source::Place;

/// The eight filters, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filter {
    /// 1: its status is `Up`.
    Available,
    /// 2: one Node has the CPU.
    Compute,
    /// 3: one Node has the memory.
    Memory,
    /// 4: VolumeProviders serve every mounted StorageRequest.
    Storage,
    /// 5: every effective rule holds.
    Labels,
    /// 6: where the Application's persistent resources are.
    Extant,
    /// 7: the lowest or highest figure.
    Extremum,
    /// 8: the oldest.
    Tiebreaker,
}

impl Filter {
    /// All of them in their order.
    pub const ALL: [Self; 8] = [
        Self::Available,
        Self::Compute,
        Self::Memory,
        Self::Storage,
        Self::Labels,
        Self::Extant,
        Self::Extremum,
        Self::Tiebreaker,
    ];

    /// The name the original gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Available => "Cluster Available",
            Self::Compute => "Compute Sufficient",
            Self::Memory => "Memory Sufficient",
            Self::Storage => "Storage Sufficient",
            Self::Labels => "General Label Compliance",
            Self::Extant => "Extant Resources",
            Self::Extremum => "Min/Max Label Compliance",
            Self::Tiebreaker => "Tiebreaker",
        }
    }
}

/// The plan of all Packages asked for.
#[derive(Debug, Default)]
pub struct Outcome<'a> {
    /// By name; also those gone whose newest Deployment is in force.
    pub packages: Vec<PackagePlan<'a>>,
    /// By Package, then by Application; each Package's as its `items` say.
    pub items: Vec<Item<'a>>,
    /// The distinct runs through the filters; Applications with the same questions share one.
    pub runs: Vec<FilterRun<'a>>,
    /// Whether CPU and memory had to be on one Node.
    pub same_node: bool,
}

/// The plan of one Package.
#[derive(Debug)]
pub struct PackagePlan<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its Project, unless the Package is gone.
    pub project: Option<&'a str>,
    /// How many Clusters the Project has.
    pub clusters: u32,
    /// Its items in `Outcome::items`.
    pub items: Range<usize>,
    /// The Deployment in force, which is stopped if this plan is proceeded with.
    pub stops: Option<Stopped<'a>>,
}

/// A Deployment that another takes the place of.
#[derive(Debug, Clone, Copy)]
pub struct Stopped<'a> {
    /// Its name.
    pub name: &'a str,
    /// The current phase of the Deployment: one of those in force.
    pub phase: DeploymentPhase,
}

/// The plan of one Application.
#[derive(Debug)]
pub struct Item<'a> {
    /// Its Package.
    pub package: &'a str,
    /// Its name.
    pub application: &'a str,
    /// Its Project, unless the Package is gone.
    pub project: Option<&'a str>,
    /// The Application in `Model::applications`, unless it is gone.
    pub subject: Option<u32>,
    /// Its run in `Outcome::runs`, unless it is gone.
    pub run: Option<u32>,
    /// The Cluster it is planned on: an index of `Model::clusters`.
    pub cluster: Option<u32>,
    /// Where the Deployment that counts had it.
    pub was: Option<Box<Was<'a>>>,
    /// How its placement changes.
    pub change: Change,
    /// Volumes it leaves on other Clusters: by Cluster, kind and name.
    pub out_of_bounds: Box<[OutOfBounds<'a>]>,
    /// The Cluster it is planned on has no Node with both its CPU and its memory.
    pub split_node: bool,
}

/// Where an Application was.
#[derive(Debug, Clone, Copy)]
pub struct Was<'a> {
    /// The Cluster, which may be gone.
    pub cluster: &'a str,
    /// Whether persistent resources are recorded there.
    pub holds: bool,
    /// The record.
    pub place: Place,
}

/// How the placement of an Application changes; in the order of the plan screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It stays where it is.
    Unchanged,
    /// It goes where nothing of it is yet.
    Place,
    /// It goes to another Cluster than before.
    Move,
    /// It was deployed and is no longer in the Package.
    Withdraw,
    /// No Cluster is left for it.
    Unplaceable,
}

impl<'a> Item<'a> {
    /// `package/application`.
    #[must_use]
    pub const fn full_name(&self) -> Name<'a> {
        Name::new(self.package, self.application)
    }

    /// The Application, unless it is gone.
    #[must_use]
    pub fn of<'m>(&self, model: &'m Model<'a>) -> Option<&'m Application<'a>> {
        self.subject.map(|at| &model.applications[at as usize])
    }
}

impl Change {
    /// The word in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Place => "place",
            Self::Move => "move",
            Self::Withdraw => "withdraw",
            Self::Unplaceable => "unplaceable",
        }
    }
}

/// A volume left behind on another Cluster.
#[derive(Debug)]
pub struct OutOfBounds<'a> {
    /// The Cluster it is on.
    pub cluster: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Why the Application is not on that Cluster.
    pub removed_by: RemovedBy,
    /// Whether the Deployment that counts still held it.
    pub held: bool,
    /// Its record.
    pub place: Place,
}

/// Why a Cluster that was used before is not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovedBy {
    /// A filter removed it.
    Filter(Filter),
    /// It is no longer assigned to the Project.
    NotAssigned,
    /// There is no such Cluster any more.
    Gone,
}

impl RemovedBy {
    /// The words in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Filter(filter) => filter.name(),
            Self::NotAssigned => "not assigned",
            Self::Gone => "gone",
        }
    }
}

/// One run through the filters.
#[derive(Debug)]
pub struct FilterRun<'a> {
    /// How many Clusters the Project has.
    pub all: u32,
    /// How many Clusters each filter left, as far as the run came.
    left: [u32; 8],
    filters: u8,
    /// The Cluster that was left, if one was.
    pub cluster: Option<u32>,
    /// The step that decided, if a Cluster is left.
    pub decision: Option<Decision>,
    /// Why the filter that left no Cluster removed the last ones.
    pub failure: Option<Failure<'a>>,
    /// The Clusters each filter left, oldest first; only when asked for.
    pub lists: Vec<Arc<[u32]>>,
}

impl<'a> FilterRun<'a> {
    pub(super) fn new(all: u32, left: &[u32]) -> Self {
        let mut run = Self {
            all,
            left: [0; 8],
            filters: left.len() as u8,
            cluster: None,
            decision: None,
            failure: None,
            lists: Vec::new(),
        };
        run.left[..left.len()].copy_from_slice(left);
        run
    }

    /// The filters that ran, with the number of Clusters each left.
    pub fn filters(&self) -> impl Iterator<Item = (Filter, u32)> {
        let ran = usize::from(self.filters);
        Filter::ALL.into_iter().zip(self.left).take(ran)
    }

    /// How many Clusters a filter left, if it ran.
    #[must_use]
    pub fn left(&self, filter: Filter) -> Option<u32> {
        self.filters()
            .find(|(ran, _)| *ran == filter)
            .map(|(_, left)| left)
    }

    /// The filter that left no Cluster.
    #[must_use]
    pub fn failed(&self) -> Option<(Filter, &Failure<'a>)> {
        let last = self.filters().last().map(|(filter, _)| filter)?;
        Some((last, self.failure.as_ref()?))
    }
}

/// The first step after which one Cluster was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The Project has only this one.
    OnlyCluster,
    /// This filter removed the others. `of` is how many there were before it.
    Filter {
        /// The filter.
        filter: Filter,
        /// How many Clusters reached it.
        of: u32,
    },
}

/// The storage that a mounted StorageRequest asks a provider for, without its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The type.
    pub storage: StorageType,
    /// The mode.
    pub mode: VolumeMode,
    /// The access mode; not asked is not checked.
    pub access_mode: Option<AccessMode>,
}

/// Why a filter left no Cluster.
#[derive(Debug)]
pub enum Failure<'a> {
    /// No Cluster is Up, or the Project has none.
    Available,
    /// The largest CPU of one Node among the Clusters that reached the filter.
    Compute(Option<Quantity>),
    /// The largest memory of one Node among the Clusters that reached the filter; with
    /// `--same-node`, of a Node that also has the CPU.
    Memory(Option<Quantity>),
    /// The first kind of storage no Cluster serves in the size asked for; none if each is served
    /// somewhere, but all of them nowhere.
    Storage(Option<Demand>),
    /// Each effective rule and how many Clusters it removed, most first; one Cluster may fail
    /// several.
    Labels(Vec<(Rule<'a>, u32)>),
}

/// How many items there are of each kind of change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// `Change::Place`.
    pub place: usize,
    /// `Change::Move`.
    pub moved: usize,
    /// `Change::Withdraw`.
    pub withdraw: usize,
    /// `Change::Unchanged`.
    pub unchanged: usize,
    /// `Change::Unplaceable`.
    pub unplaceable: usize,
    /// Volumes out of bounds, of all items.
    pub out_of_bounds: usize,
}

impl Counts {
    /// Counts items.
    #[must_use]
    pub fn of(items: &[Item<'_>]) -> Self {
        let mut counts = Self::default();
        for item in items {
            counts.out_of_bounds += item.out_of_bounds.len();
            *match item.change {
                Change::Unchanged => &mut counts.unchanged,
                Change::Place => &mut counts.place,
                Change::Move => &mut counts.moved,
                Change::Withdraw => &mut counts.withdraw,
                Change::Unplaceable => &mut counts.unplaceable,
            } += 1;
        }
        counts
    }

    /// Whether nothing changes and nothing fails.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.place + self.moved + self.withdraw + self.unplaceable == 0
    }
}

impl<'a> Outcome<'a> {
    /// The items of a Package.
    #[must_use]
    pub fn items_of(&self, package: &PackagePlan<'a>) -> &[Item<'a>] {
        &self.items[package.items.clone()]
    }

    /// The run of an item.
    #[must_use]
    pub fn run_of(&self, item: &Item<'a>) -> Option<&FilterRun<'a>> {
        item.run.map(|run| &self.runs[run as usize])
    }

    /// Whether every item is unchanged.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.items
            .iter()
            .all(|item| item.change == Change::Unchanged)
    }

    /// Whether an Application has no Cluster.
    #[must_use]
    pub fn is_unplaceable(&self) -> bool {
        self.items
            .iter()
            .any(|item| item.change == Change::Unplaceable)
    }
}
