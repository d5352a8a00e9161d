//! The objects of an OGC site: what the planning texts call Projects, Clusters, Packages,
//! Applications and Deployments. Texts are borrowed from the documents.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::Timestamp;

use crate::kit::quantity::Quantity;
use crate::source::Place;

/// A closed set of words of the documents.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$word_doc])* $word,)+ }

        impl $name {
            /// Every word, in the order of the specification.
            pub const ALL: &[Self] = &[$(Self::$word,)+];

            /// The word as documents write it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$word => stringify!($word),)+ }
            }

            /// The value this exact word stands for; case counts.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $(stringify!($word) => Some(Self::$word),)+ _ => None }
            }
        }
    };
}

words! {
    /// How a rule compares labels.
    Operator {
        /// The label is there, whatever its value.
        Exists,
        /// The label is not there.
        NotExists,
        /// The label has the value.
        Equals,
        /// The label does not have the value.
        NotEquals,
        /// The label has one of the values.
        In,
        /// The label has none of the values.
        NotIn,
        /// The label is an integer, and of those left the lowest wins.
        MinOf,
        /// The label is an integer, and of those left the highest wins.
        MaxOf,
    }
}

words! {
    /// The kinds of storage a StorageRequest asks for and a VolumeProvider offers.
    StorageType {
        /// Spinning disks.
        StandardHDD,
        /// Ordinary solid state disks.
        StandardSSD,
        /// Better solid state disks.
        PremiumSSD,
        /// The best there are.
        ExtremeSSD,
    }
}

words! {
    /// How long what a StorageRequest asks for lives.
    Persistence {
        /// Longer than the Workload: needs a VolumeProvider and holds its Application.
        Persistent,
        /// As long as the Workload, on the Node: needs no provider.
        EmptyDirEphemeral,
    }
}

words! {
    /// In what form a volume is given to a Container.
    VolumeMode {
        /// As a file system.
        File,
        /// As a device.
        Block,
    }
}

words! {
    /// Kubernetes' ways to mount a volume.
    AccessMode {
        /// By one Node, for writing.
        ReadWriteOnce,
        /// By many Nodes, for reading.
        ReadOnlyMany,
        /// By many Nodes, for writing.
        ReadWriteMany,
        /// By one Pod, for writing.
        ReadWriteOncePod,
    }
}

words! {
    /// The seven statuses of a Deployment.
    DeploymentPhase {
        /// Not proceeded with: nothing was attempted.
        Planned,
        /// On its way up.
        Synchronising,
        /// Up.
        Running,
        /// On its way up again.
        Restarting,
        /// Given up.
        Failed,
        /// On its way down.
        Stopping,
        /// Finished for good.
        Stopped,
    }
}

impl Operator {
    /// How many values a rule with this operator takes: fewest and, where there is one, most.
    #[must_use]
    pub const fn value_count(self) -> (usize, Option<usize>) {
        match self {
            Self::Exists | Self::NotExists | Self::MinOf | Self::MaxOf => (0, Some(0)),
            Self::Equals | Self::NotEquals => (1, Some(1)),
            Self::In | Self::NotIn => (1, None),
        }
    }

    /// Whether it is MinOf or MaxOf; a set of rules has at most one of them.
    #[must_use]
    pub const fn is_extremum(self) -> bool {
        matches!(self, Self::MinOf | Self::MaxOf)
    }
}

impl DeploymentPhase {
    /// Whether a Deployment in this phase is in force: Running, or on its way to it.
    #[must_use]
    pub const fn is_in_force(self) -> bool {
        matches!(self, Self::Synchronising | Self::Running | Self::Restarting)
    }
}

/// All OGC objects of a site, checked: every index is valid, every reference resolved.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// By name.
    pub projects: Vec<Project<'a>>,
    /// Oldest first; of equal age, and those without an age at the end, by name.
    pub clusters: Vec<Cluster<'a>>,
    /// By name.
    pub packages: Vec<Package<'a>>,
    /// By Package, then by name.
    pub applications: Vec<Application<'a>>,
    /// By creation time, then by name, so that the newest is last.
    pub deployments: Vec<Deployment<'a>>,
}

impl<'a> Model<'a> {
    /// Sorts the Clusters: oldest first.
    pub fn sort_clusters(&mut self) {
        self.clusters.sort_by(|a, b| {
            let age = |cluster: &Cluster<'a>| (cluster.created.is_none(), cluster.created);
            age(a).cmp(&age(b)).then_with(|| a.name.cmp(b.name))
        });
    }

    /// Takes over the Clusters of a model with the same Projects that this one lacks.
    pub fn take_over(&mut self, other: &Self) {
        let own: BTreeSet<&str> = self.clusters.iter().map(|cluster| cluster.name).collect();
        let lacks = |cluster: &&Cluster<'a>| !own.contains(cluster.name);
        self.clusters
            .extend(other.clusters.iter().filter(lacks).cloned());
        self.sort_clusters();
    }
}

/// A project: Packages belong to it, and Clusters are assigned to it.
#[derive(Debug)]
pub struct Project<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
}

/// One label and where it is.
#[derive(Debug, Clone, Copy)]
pub struct Label<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its value: the source text of whatever is there.
    pub value: &'a str,
    /// The value in its document.
    pub place: Place,
}

/// A place where Applications can run.
#[derive(Debug, Clone, Default)]
pub struct Cluster<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// When it was created; without it a Cluster is the youngest.
    pub created: Option<Timestamp>,
    /// Its own labels.
    pub labels: Box<[Label<'a>]>,
    /// Its status and where that is; none counts as not Up.
    pub status: Option<(&'a str, Place)>,
    /// The Projects it is assigned to: indexes of `Model::projects`, each once, ascending.
    pub projects: Vec<u32>,
    /// Its Nodes, by name.
    pub nodes: Vec<Node<'a>>,
    /// The providers that serve StorageRequests there.
    pub providers: Vec<VolumeProvider<'a>>,
}

/// A machine of a Cluster.
#[derive(Debug, Clone, Default)]
pub struct Node<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// Labels, which are the truth for their keys over the Cluster's.
    pub labels: Box<[Label<'a>]>,
    /// Its CPU, in cores; none if it does not say.
    pub cpu: Quantity,
    /// Its memory, in bytes; none if it does not say.
    pub memory: Quantity,
    /// Where `allocatable` is, or the name where there is none.
    pub allocatable: Place,
}

/// A thing of a Cluster that serves StorageRequests.
#[derive(Debug, Clone)]
pub struct VolumeProvider<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// The type it serves.
    pub storage: StorageType,
    /// The modes it serves; none named restricts nothing.
    pub modes: Option<Vec<VolumeMode>>,
    /// The access modes it serves; none named restricts nothing.
    pub access_modes: Option<Vec<AccessMode>>,
    /// The largest volume it makes, in bytes; none named restricts nothing.
    pub max_volume: Option<Quantity>,
}

/// A package: Applications that are deployed together.
#[derive(Debug)]
pub struct Package<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// Its Project: an index of `Model::projects`.
    pub project: u32,
    /// The rules its Applications inherit.
    pub rules: Box<[Rule<'a>]>,
    /// The storage that its Applications may mount.
    pub storage_requests: Vec<StorageRequest<'a>>,
    /// Its Applications in `Model::applications`.
    pub applications: Range<usize>,
}

/// A demand on the labels of the Cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule<'a> {
    /// The key of the label.
    pub key: &'a str,
    /// The operator.
    pub operator: Operator,
    /// The values to compare with, as written.
    pub values: Box<[&'a str]>,
    /// The rule in its document.
    pub place: Place,
}

/// Storage that a Package's Applications may mount.
#[derive(Debug)]
pub struct StorageRequest<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// The type asked for.
    pub storage: StorageType,
    /// How long it lives.
    pub persistence: Persistence,
    /// The mode asked for.
    pub mode: VolumeMode,
    /// The least size asked for, in bytes.
    pub capacity: Quantity,
}

/// The unit that is planned.
#[derive(Debug)]
pub struct Application<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// Its Package: an index of `Model::packages`.
    pub package: u32,
    /// Its own rules.
    pub rules: Box<[Rule<'a>]>,
    /// How many copies run; sums count them, the filters do not.
    pub replicas: u32,
    /// CPU its Containers ask for together, in cores.
    pub cpu: ResourceSum,
    /// Memory its Containers ask for together, in bytes.
    pub memory: ResourceSum,
    /// The StorageRequests its Containers mount; Secrets and values ask for nothing.
    pub mounts: Box<[Mount]>,
}

/// An amount asked for by the Containers of one Application.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResourceSum {
    /// The sum.
    pub amount: Quantity,
    /// The first figure of the sum in its document, if any.
    pub place: Option<Place>,
}

/// A StorageRequest mounted by a Container.
#[derive(Debug, Clone, Copy)]
pub struct Mount {
    /// Which: an index of `Package::storage_requests`.
    pub request: u32,
    /// How; not asked is not checked.
    pub access_mode: Option<AccessMode>,
    /// The reference in its document.
    pub place: Place,
}

/// A Package that was deployed, or at least planned, before.
#[derive(Debug)]
pub struct Deployment<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name in its document.
    pub place: Place,
    /// When it was made.
    pub created: Timestamp,
    /// Its Package, which may be gone.
    pub package: &'a str,
    /// How far it came.
    pub phase: DeploymentPhase,
    /// The Workloads that run, or ran, with their Clusters.
    pub workloads: Vec<Workload<'a>>,
}

/// One Application of a Deployment on its Cluster.
#[derive(Debug)]
pub struct Workload<'a> {
    /// The Application, which may be gone.
    pub application: &'a str,
    /// The Cluster, which may be gone.
    pub cluster: &'a str,
    /// The Cluster's name in the document.
    pub place: Place,
    /// The resources that outlive the Workload.
    pub resources: Vec<PersistentResource<'a>>,
}

/// Something that outlives its Workload, such as a volume claim.
#[derive(Debug)]
pub struct PersistentResource<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The StorageRequest it was made for, which may be gone.
    pub storage_request: Option<&'a str>,
    /// Its name in the document.
    pub place: Place,
}

impl<'a> Model<'a> {
    /// The Package of that name.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<&Package<'a>> {
        let found = self.packages.binary_search_by(|p| p.name.cmp(name));
        found.ok().map(|at| &self.packages[at])
    }

    /// The Application of that Package and name.
    #[must_use]
    pub fn application(&self, package: &str, name: &str) -> Option<&Application<'a>> {
        let applications = &self.applications[self.package(package)?.applications.clone()];
        let found = applications.binary_search_by(|a| a.name.cmp(name));
        found.ok().map(|at| &applications[at])
    }

    /// The Package an Application belongs to.
    #[must_use]
    pub fn package_of(&self, application: &Application<'a>) -> &Package<'a> {
        &self.packages[application.package as usize]
    }

    /// The name of a Package's Project.
    #[must_use]
    pub fn project_of(&self, package: &Package<'a>) -> &'a str {
        self.projects[package.project as usize].name
    }

    /// The StorageRequests an Application mounts and that need a provider.
    pub fn provided_mounts<'m>(
        &'m self,
        application: &'m Application<'a>,
    ) -> impl Iterator<Item = (&'m StorageRequest<'a>, &'m Mount)> {
        let requests = &self.package_of(application).storage_requests;
        application
            .mounts
            .iter()
            .map(|mount| (&requests[mount.request as usize], mount))
            .filter(|(request, _)| request.persistence == Persistence::Persistent)
    }
}

impl Cluster<'_> {
    /// Whether its status is exactly `Up`.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.status.is_some_and(|(word, _)| word == "Up")
    }

    /// Whether it is assigned to the Project with that index.
    #[must_use]
    pub fn is_assigned(&self, project: u32) -> bool {
        self.projects.binary_search(&project).is_ok()
    }
}

impl VolumeProvider<'_> {
    /// Whether it corresponds to a mounted StorageRequest: the type always, the rest only where
    /// it declares it.
    #[must_use]
    pub fn serves(&self, request: &StorageRequest<'_>, access: Option<AccessMode>) -> bool {
        self.storage == request.storage
            && self
                .modes
                .as_ref()
                .is_none_or(|modes| modes.contains(&request.mode))
            && access.is_none_or(|access| self.allows(access))
            && self.max_volume.is_none_or(|most| request.capacity <= most)
    }

    /// Whether it allows an access mode.
    #[must_use]
    pub fn allows(&self, access: AccessMode) -> bool {
        self.access_modes
            .as_ref()
            .is_none_or(|modes| modes.contains(&access))
    }
}
