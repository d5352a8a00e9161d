//! The eight filters: which Cluster each Application goes to.
//!
//! Applications that put the same questions share one run. The runs are walked in the order of
//! their questions, so that of two neighbours only the filters from the first differing question
//! on are run again; the Clusters left after each filter are a set in age order.

mod compliance;
mod history;
mod loss;
mod moved;
mod outcome;
mod ranked;
mod resources;

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use self::compliance::Compliance;
use self::history::History;
pub use self::loss::{Losses, Lost};
pub use self::moved::{Changed, moved};
pub use self::outcome::{
    Change, Counts, Decision, Demand, Failure, Filter, FilterRun, Item, OutOfBounds, Outcome,
    PackagePlan, RemovedBy, Stopped, Was,
};
use self::ranked::Ranked;
use self::resources::{Storage, has_both};
use super::model::{Application, Cluster, Model, PersistentResource, Workload};
use crate::kit::join::join;
use crate::kit::progress::Progress;
use crate::kit::quantity::Quantity;

/// The Packages to plan, and the options of the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings<'s> {
    /// Only these Packages; none named means all.
    pub packages: &'s [String],
    /// CPU and memory must be on one Node.
    pub same_node: bool,
    /// Keep the Clusters that each filter left, not only their number.
    pub trace: bool,
    /// Threads to use.
    pub jobs: usize,
    /// Told of the applications that are planned.
    pub progress: Option<&'s Progress>,
}

/// After how many applications the progress is reported.
const TOLD: u32 = 1024;

/// No Cluster holds the Application.
const NOWHERE: u32 = u32::MAX;

/// The requirements of an Application, filter by filter. Equal requirements get equal answers.
///
/// The field order is that of the filters; the last two filters ask nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    project: u32,
    cpu: u32,
    memory: u32,
    storage: u32,
    rules: u32,
    extant: u32,
}

impl Question {
    /// The first filter that must be run again after `other`; the number of filters if none.
    fn first_difference(&self, other: &Self) -> usize {
        let fields = |q: &Self| [q.project, q.cpu, q.memory, q.storage, q.rules, q.extant];
        let (own, theirs) = (fields(self), fields(other));
        own.iter()
            .zip(&theirs)
            .position(|(a, b)| a != b)
            .unwrap_or(Filter::ALL.len())
    }
}

/// Plans the Applications of a model: which Cluster, through which filters, and what changes.
#[must_use]
pub fn plan<'a>(model: &Model<'a>, settings: &Settings<'_>) -> Outcome<'a> {
    let history = History::new(model);
    let mut outcome = Outcome {
        same_node: settings.same_node,
        ..Outcome::default()
    };
    let ((), mut walk) = join(
        settings.jobs,
        || list_items(model, &history, settings, &mut outcome),
        || Walk::new(model, settings),
    );
    let mut questions: Vec<(Question, u32)> = Vec::with_capacity(outcome.items.len());
    for (item, at) in outcome.items.iter().zip(0_u32..) {
        if let Some(application) = item.of(model) {
            questions.push((walk.question(application, item.was.as_deref()), at));
        }
    }
    questions.sort_unstable();
    let mut previous = None;
    for (question, at) in questions {
        let item = &mut outcome.items[at as usize];
        let Some(application) = item.of(model) else {
            continue;
        };
        if at % TOLD == TOLD - 1
            && let Some(progress) = settings.progress
        {
            progress.add(TOLD as usize);
        }
        if walk.advance(previous, question, application) {
            outcome.runs.push(walk.run(question, application));
        }
        previous = Some(question);
        item.run = Some(outcome.runs.len() as u32 - 1);
        item.cluster = outcome.runs.last().and_then(|run| run.cluster);
        if let Some(cluster) = item.cluster {
            let cluster = &model.clusters[cluster as usize];
            item.split_node = !has_both(cluster, application.cpu.amount, application.memory.amount);
            item.out_of_bounds = walk.out_of_bounds(&history, question.project, item);
        }
        item.change = change(model, &history, item);
    }
    for package in &mut outcome.packages {
        let items = &outcome.items[package.items.clone()];
        if items.iter().any(|item| item.change != Change::Unchanged) {
            let in_force = history
                .newest(package.name)
                .filter(|newest| newest.phase.is_in_force());
            package.stops = in_force.map(|newest| Stopped {
                name: newest.name,
                phase: newest.phase,
            });
        }
    }
    outcome
}

/// Lists the Packages to be planned, and their Applications: those they have, and those they no
/// longer have although the newest Deployment is in force.
fn list_items<'a>(
    model: &Model<'a>,
    history: &History<'_, 'a>,
    settings: &Settings<'_>,
    outcome: &mut Outcome<'a>,
) {
    let present = model
        .packages
        .iter()
        .map(|package| (package.name, Some(package)));
    let gone = history
        .gone()
        .iter()
        .map(|deployment| (deployment.package, None));
    let mut packages: Vec<_> = present.chain(gone).collect();
    packages.sort_unstable_by_key(|(name, _)| *name);
    let wanted = |name: &str| {
        settings.packages.is_empty() || settings.packages.iter().any(|package| package == name)
    };
    let mut sizes = vec![0_u32; model.projects.len()];
    for project in model.clusters.iter().flat_map(|cluster| &cluster.projects) {
        sizes[*project as usize] += 1;
    }
    if settings.packages.is_empty() {
        outcome.items.reserve_exact(model.applications.len());
    }
    for (name, package) in packages.into_iter().filter(|(name, _)| wanted(name)) {
        let first = outcome.items.len();
        let project = package.map(|package| model.project_of(package));
        let subjects = package.map_or(0..0, |package| package.applications.clone());
        let present = &model.applications[subjects.clone()];
        outcome
            .items
            .extend(present.iter().zip(subjects).map(|(application, at)| {
                let newest = history.workloads(name, application.name).first();
                let was = newest.map(|workload| was(workload));
                item(name, application.name, project, Some(at as u32), was)
            }));
        let in_force = history
            .newest(name)
            .filter(|newest| newest.phase.is_in_force());
        let workloads = in_force.map_or(&[][..], |newest| &newest.workloads);
        for workload in workloads {
            if present
                .binary_search_by(|app| app.name.cmp(workload.application))
                .is_err()
            {
                let was = Some(was(workload));
                let mut item = item(name, workload.application, project, None, was);
                item.change = Change::Withdraw;
                outcome.items.push(item);
            }
        }
        outcome.items[first..].sort_by_key(|item| item.application);
        outcome.packages.push(PackagePlan {
            name,
            project,
            clusters: package.map_or(0, |package| sizes[package.project as usize]),
            items: first..outcome.items.len(),
            stops: None,
        });
    }
}

fn item<'a>(
    package: &'a str,
    application: &'a str,
    project: Option<&'a str>,
    subject: Option<u32>,
    was: Option<Box<Was<'a>>>,
) -> Item<'a> {
    Item {
        package,
        application,
        project,
        subject,
        run: None,
        cluster: None,
        was,
        change: Change::Unplaceable,
        out_of_bounds: Box::default(),
        split_node: false,
    }
}

fn was<'a>(workload: &Workload<'a>) -> Box<Was<'a>> {
    Box::new(Was {
        cluster: workload.cluster,
        holds: !workload.resources.is_empty(),
        place: workload.place,
    })
}

fn change(model: &Model<'_>, history: &History<'_, '_>, item: &Item<'_>) -> Change {
    let Some(cluster) = item.cluster else {
        return Change::Unplaceable;
    };
    let in_force = history
        .newest(item.package)
        .is_some_and(|newest| newest.phase.is_in_force());
    match &item.was {
        Some(was) if was.cluster != model.clusters[cluster as usize].name => Change::Move,
        Some(_) if in_force => Change::Unchanged,
        _ => Change::Place,
    }
}

/// The filters over the Clusters, and the Clusters that the last run left.
struct Walk<'m, 'a> {
    model: &'m Model<'a>,
    clusters: &'m [Cluster<'a>],
    settings: Settings<'m>,
    members: Vec<Vec<u32>>,
    cpu: Ranked<Quantity>,
    memory: Ranked<Quantity>,
    /// With `--same-node`: the distinct pairs of CPU and memory asked for.
    pairs: FxHashMap<(Quantity, Quantity), u32>,
    storage: Storage,
    compliance: Compliance<'m, 'a>,
    by_name: FxHashMap<&'a str, u32>,
    all: FixedBitSet,
    lists: [FixedBitSet; Filter::ALL.len()],
    left: Vec<u32>,
    trace: Vec<Arc<[u32]>>,
    /// Clusters that take no part.
    lost: FixedBitSet,
}

impl<'m, 'a> Walk<'m, 'a> {
    fn new(model: &'m Model<'a>, settings: &Settings<'m>) -> Self {
        Self::over(model, &model.clusters, settings)
    }

    /// The Applications of a model, over its own Clusters or those of another model.
    fn over(model: &'m Model<'a>, clusters: &'m [Cluster<'a>], settings: &Settings<'m>) -> Self {
        let mut members = vec![Vec::new(); model.projects.len()];
        for (cluster, at) in clusters.iter().zip(0_u32..) {
            for project in &cluster.projects {
                members[*project as usize].push(at);
            }
        }
        let none = FixedBitSet::with_capacity(clusters.len());
        Self {
            model,
            clusters,
            settings: *settings,
            members,
            cpu: resources::largest(clusters, |node| node.cpu),
            memory: resources::largest(clusters, |node| node.memory),
            pairs: FxHashMap::default(),
            storage: Storage::default(),
            compliance: Compliance::new(model, clusters),
            by_name: clusters
                .iter()
                .map(|cluster| cluster.name)
                .zip(0..)
                .collect(),
            all: none.clone(),
            lists: std::array::from_fn(|_| none.clone()),
            left: Vec::new(),
            trace: Vec::new(),
            lost: FixedBitSet::new(),
        }
    }

    fn question(&mut self, application: &'m Application<'a>, was: Option<&Was<'a>>) -> Question {
        let (cpu, memory) = (application.cpu.amount, application.memory.amount);
        let next_pair = self.pairs.len() as u32;
        Question {
            project: self.model.package_of(application).project,
            cpu: self.cpu.rank(|has| has >= cpu),
            memory: if self.settings.same_node {
                *self.pairs.entry((cpu, memory)).or_insert(next_pair)
            } else {
                self.memory.rank(|has| has >= memory)
            },
            storage: self.storage.set_of(self.model, self.clusters, application),
            rules: self.compliance.set_of(self.model, application),
            extant: was
                .filter(|was| was.holds)
                .and_then(|was| self.by_name.get(was.cluster).copied())
                .unwrap_or(NOWHERE),
        }
    }

    /// Runs the filters from the first differing question on; says whether any was run.
    fn advance(
        &mut self,
        previous: Option<Question>,
        question: Question,
        application: &Application<'a>,
    ) -> bool {
        let from = previous.map_or(0, |previous| question.first_difference(&previous));
        let failed = self.left.last() == Some(&0) && self.left.len() <= from;
        if from == Filter::ALL.len() || failed {
            return false;
        }
        self.left.truncate(from);
        self.trace.truncate(from);
        if from == 0 {
            self.all.clear();
            let members = &self.members[question.project as usize];
            self.all
                .extend(members.iter().map(|&cluster| cluster as usize));
            self.all.difference_with(&self.lost);
        }
        for (filter, at) in Filter::ALL.into_iter().zip(0..).skip(from) {
            let (before, after) = self.lists.split_at_mut(at);
            let list = &mut after[0];
            list.clone_from(before.last().unwrap_or(&self.all));
            self.apply(filter, at, question, application);
            let list = &self.lists[at];
            self.left.push(list.count_ones(..) as u32);
            if self.settings.trace {
                self.trace
                    .push(list.ones().map(|cluster| cluster as u32).collect());
            }
            if self.left[at] == 0 {
                break;
            }
        }
        true
    }

    fn apply(&mut self, filter: Filter, at: usize, q: Question, application: &Application<'a>) {
        let (clusters, list) = (self.clusters, &mut self.lists[at]);
        let retain = |list: &mut FixedBitSet, keep: &dyn Fn(usize) -> bool| {
            let removed: Vec<usize> = list.ones().filter(|&cluster| !keep(cluster)).collect();
            removed.into_iter().for_each(|cluster| list.remove(cluster));
        };
        match filter {
            Filter::Available => retain(list, &|cluster| clusters[cluster].is_up()),
            Filter::Compute => self.cpu.keep_first(q.cpu, list),
            Filter::Memory if self.settings.same_node => {
                let (cpu, memory) = (application.cpu.amount, application.memory.amount);
                retain(list, &|cluster| has_both(&clusters[cluster], cpu, memory));
            }
            Filter::Memory => self.memory.keep_first(q.memory, list),
            Filter::Storage => self.storage.keep_serving(q.storage, list),
            Filter::Labels => self.compliance.keep_compliant(q.rules, list),
            Filter::Extant => {
                if list.contains(q.extant as usize) {
                    list.clear();
                    list.insert(q.extant as usize);
                }
            }
            Filter::Extremum => self.compliance.keep_extreme(q.rules, list),
            Filter::Tiebreaker => {
                if let Some(oldest) = list.minimum() {
                    list.clear();
                    list.insert(oldest);
                }
            }
        }
    }

    /// The run that the filters just made.
    fn run(&mut self, question: Question, application: &Application<'a>) -> FilterRun<'a> {
        let all = self.members[question.project as usize].len() as u32;
        let mut run = FilterRun::new(all, &self.left);
        run.lists.clone_from(&self.trace);
        let last = self.left.len() - 1;
        if self.left[last] > 0 {
            run.cluster = self.lists[last].minimum().map(|cluster| cluster as u32);
            run.decision = decision(&run);
        } else {
            run.failure = Some(self.failure(Filter::ALL[last], last, question, application));
        }
        run
    }

    fn failure(
        &mut self,
        filter: Filter,
        at: usize,
        question: Question,
        application: &Application<'a>,
    ) -> Failure<'a> {
        let came = at
            .checked_sub(1)
            .map_or(&self.all, |before| &self.lists[before]);
        match filter {
            Filter::Compute => Failure::Compute(self.cpu.best(came)),
            Filter::Memory if self.settings.same_node => {
                let nodes = came.ones().flat_map(|at| &self.clusters[at].nodes);
                let enough = nodes.filter(|node| node.cpu >= application.cpu.amount);
                Failure::Memory(enough.map(|node| node.memory).max())
            }
            Filter::Memory => Failure::Memory(self.memory.best(came)),
            Filter::Storage => Failure::Storage(self.storage.unserved(question.storage, came)),
            Filter::Labels => {
                let mut removed = self.compliance.removed(question.rules, came);
                removed.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.key.cmp(b.0.key)));
                Failure::Labels(removed)
            }
            Filter::Available | Filter::Extant | Filter::Extremum | Filter::Tiebreaker => {
                Failure::Available
            }
        }
    }

    /// The volumes that an Application leaves on Clusters other than its own.
    fn out_of_bounds(
        &self,
        history: &History<'_, 'a>,
        project: u32,
        item: &Item<'a>,
    ) -> Box<[OutOfBounds<'a>]> {
        let planned = item.cluster.map(|at| self.clusters[at as usize].name);
        let last = history.workloads(item.package, item.application).first();
        let resources = history
            .resources(item.package, item.application)
            .into_iter();
        let elsewhere = resources.filter(|(cluster, _)| Some(*cluster) != planned);
        let left = elsewhere.map(|(cluster, resource)| OutOfBounds {
            cluster,
            kind: resource.kind,
            name: resource.name,
            removed_by: self.removed_by(project, cluster),
            held: last.is_some_and(|last| {
                let same =
                    |r: &PersistentResource<'_>| (r.kind, r.name) == (resource.kind, resource.name);
                last.cluster == cluster && last.resources.iter().any(same)
            }),
            place: resource.place,
        });
        left.collect()
    }

    /// Why the run that was made last is not on a Cluster.
    fn removed_by(&self, project: u32, cluster: &str) -> RemovedBy {
        let Some(&at) = self.by_name.get(cluster) else {
            return RemovedBy::Gone;
        };
        if !self.clusters[at as usize].is_assigned(project) {
            return RemovedBy::NotAssigned;
        }
        let mut filters = Filter::ALL.into_iter().zip(&self.lists);
        let removed = filters.find(|(_, list)| !list.contains(at as usize));
        removed.map_or(RemovedBy::Gone, |(filter, _)| RemovedBy::Filter(filter))
    }
}

/// The first step after which one Cluster was left.
fn decision(run: &FilterRun<'_>) -> Option<Decision> {
    if run.all == 1 {
        return Some(Decision::OnlyCluster);
    }
    let mut of = run.all;
    for (filter, left) in run.filters() {
        if left == 1 {
            return Some(Decision::Filter { filter, of });
        }
        of = left;
    }
    None
}
