//! Why an Application goes where it goes: every filter's word on every Cluster, also after the
//! first that removes it.

mod funnel;

use fixedbitset::FixedBitSet;

use crate::diagnostic::Label;
use crate::document::System;

use super::describe::rule_text;
use super::describe::{self, superlative};
use super::engine::{Decision, Filter, FilterRun, Item, Outcome};
use super::inheritance::{Hidden, Origin, effective_sorted, hidden};
use super::judge::{Ruling, SINGLE, from, judge};
use super::labels::{figure, labels_for};
use super::model::{Application, Cluster, Model, Operator, Rule, Workload};

/// Everything there is to say of one Application.
#[derive(Debug)]
pub struct Why<'m, 'a> {
    /// The Application.
    pub application: &'m Application<'a>,
    /// A plan of its Package with the Clusters that each filter left.
    pub outcome: Outcome<'a>,
    /// Where in the plan it is.
    at: usize,
    /// The rules in force, by key, operator and values.
    pub rules: Vec<(&'m Rule<'a>, Origin)>,
    /// The Package's rules that are not in force.
    pub hidden: Vec<(&'m Rule<'a>, Hidden)>,
    /// The Project's Clusters, oldest first.
    pub candidates: Vec<Candidate<'a>>,
    /// Where volumes of the Application are.
    pub holder: Option<Holder<'a>>,
    /// The Cluster that the filters would have chosen without the volumes, and why, if it is
    /// another.
    pub kept_from: Option<(&'a str, String)>,
}

/// The stage before the filters: whether the Cluster is assigned to the Project.
const PROJECT: &str = "Project";

/// The Cluster that holds volumes of an Application.
#[derive(Debug, Clone)]
pub struct Holder<'a> {
    /// Its name.
    pub cluster: &'a str,
    /// The volumes, and the Deployment that they come from.
    pub holds: String,
}

impl<'a> Holder<'a> {
    fn new(workload: &Workload<'a>, deployment: &str) -> Self {
        let names: Vec<&str> = workload.resources.iter().map(|one| one.name).collect();
        Self {
            cluster: workload.cluster,
            holds: format!("{} ({deployment})", names.join(", ")),
        }
    }

    /// Says of another Cluster why the volumes do not keep the Application.
    #[must_use]
    pub fn removed(&self) -> String {
        format!("{}, which holds {}, was removed", self.cluster, self.holds)
    }
}

/// One Cluster of the Project, or another one in the question.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// Why it takes no part at all, if it is not assigned to the Project.
    pub outside: Option<String>,
    /// Whether the Application is planned on it.
    pub chosen: bool,
    /// The ruling of each filter on it.
    pub verdicts: Vec<(Filter, Ruling)>,
    /// The filter that removed it.
    pub removed_by: Option<Filter>,
}

impl<'a> Why<'_, 'a> {
    /// The Application's part of the plan.
    #[must_use]
    pub fn item(&self) -> &Item<'a> {
        &self.outcome.items[self.at]
    }

    /// Its run through the filters.
    #[must_use]
    pub fn run(&self) -> Option<&FilterRun<'a>> {
        self.outcome.run_of(self.item())
    }

    /// The filter that decided, and why in one phrase, if a Cluster is left.
    #[must_use]
    pub fn decided_by(&self, model: &Model<'a>) -> Option<(Option<Filter>, String)> {
        let run = self.run()?;
        let filter = match run.decision? {
            Decision::OnlyCluster => None,
            Decision::Filter { filter, .. } => Some(filter),
        };
        Some((filter, describe::decision(model, self.item(), run)?))
    }
}

impl Why<'_, '_> {
    /// The reasons in the form that all systems share, the decision included.
    #[must_use]
    pub fn common(&self, model: &Model<'_>, asked: Option<&str>) -> crate::why::Why {
        let verdict = |(filter, verdict): &(Filter, Ruling)| crate::why::Verdict {
            stage: filter.name().to_owned(),
            passes: verdict.passes,
            reason: verdict.reason.clone(),
            asked: verdict.asked.clone(),
            found: verdict.found.clone(),
            at: verdict
                .at
                .iter()
                .map(|(place, text)| Label {
                    place: *place,
                    text: text.clone().into(),
                })
                .collect(),
            idle: verdict.idle,
        };
        let candidates = self.candidates.iter().map(|candidate| {
            let removed_by = match candidate.removed_by {
                _ if candidate.outside.is_some() => Some(PROJECT),
                filter => filter.map(Filter::name),
            };
            let outside = candidate
                .outside
                .iter()
                .map(|reason| crate::why::Verdict::new(PROJECT, false, reason));
            let verdicts = outside.chain(candidate.verdicts.iter().map(verdict));
            crate::why::Candidate {
                removed_by: removed_by.map(str::to_owned),
                ..crate::why::Candidate::new(candidate.name, candidate.chosen, verdicts.collect())
            }
        });
        let item = self.item();
        let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
        let kept_from = self.kept_from.as_ref().map(|(cluster, figure)| {
            format!("Its volumes keep it here: {cluster} would have {figure}.")
        });
        crate::why::Why {
            steps: kept_from.into_iter().collect(),
            to: Some(cluster.unwrap_or("no Cluster").to_owned()),
            funnel: asked.is_none().then(|| self.funnel()),
            candidates: candidates.collect(),
            decided_by: self
                .decided_by(model)
                .map(|(filter, reason)| crate::why::DecidedBy {
                    stage: filter.map_or(String::new(), |filter| filter.name().to_owned()),
                    reason,
                }),
            placed: item.cluster.is_some(),
            ..crate::why::Why::new(System::Ogc, item.full_name().to_string())
        }
    }
}

/// Explains an Application by the plan of its Package; `None` if there is no such Application.
/// Where one Cluster is asked about, only that one and the chosen one are judged.
#[must_use]
pub fn why<'m, 'a>(
    model: &'m Model<'a>,
    package: &str,
    application: &str,
    outcome: Outcome<'a>,
    asked: Option<&str>,
) -> Option<Why<'m, 'a>> {
    let application = model.application(package, application)?;
    let same_node = outcome.same_node;
    let found = |item: &Item<'a>| item.subject.is_some() && item.application == application.name;
    let at = outcome.items.iter().position(found)?;
    let own = &application.rules;
    let inherited = &model.package_of(application).rules;
    let mut why = Why {
        application,
        outcome,
        at,
        rules: effective_sorted(model, application),
        hidden: inherited
            .iter()
            .filter_map(|rule| Some((rule, hidden(own, rule)?)))
            .collect(),
        candidates: Vec::new(),
        holder: None,
        kept_from: None,
    };
    let judging = Judging::new(model, &why, same_node);
    let project = model.package_of(application).project;
    let clusters = || model.clusters.iter().zip(0_u32..);
    let asked = asked.filter(|name| model.clusters.iter().any(|cluster| cluster.name == *name));
    let chosen = why.item().cluster;
    let judged = |(cluster, at): &(&Cluster<'_>, u32)| match asked {
        Some(name) => cluster.name == name || Some(*at) == chosen,
        None => cluster.is_assigned(project),
    };
    let candidates = clusters()
        .filter(judged)
        .map(|(cluster, at)| judging.candidate(cluster, at))
        .collect();
    let kept_from = judging.kept_from();
    let holder = judging
        .workload
        .map(|(workload, deployment)| Holder::new(workload, deployment));
    why.candidates = candidates;
    why.holder = holder;
    why.kept_from = kept_from;
    Some(why)
}

struct Judging<'w, 'm, 'a> {
    model: &'m Model<'a>,
    why: &'w Why<'m, 'a>,
    same_node: bool,
    lists: Vec<FixedBitSet>,
    extremum: Option<&'m Rule<'a>>,
    workload: Option<(&'m Workload<'a>, &'a str)>,
}

impl<'w, 'm, 'a> Judging<'w, 'm, 'a> {
    fn new(model: &'m Model<'a>, why: &'w Why<'m, 'a>, same_node: bool) -> Self {
        let lists = why.run().map_or(&[][..], |run| &run.lists);
        let set = |list: &std::sync::Arc<[u32]>| {
            let mut set = FixedBitSet::with_capacity(model.clusters.len());
            set.extend(list.iter().map(|&cluster| cluster as usize));
            set
        };
        let was = why.item().was.as_deref();
        let deployments = model.deployments.iter().rev();
        let mut workloads = deployments.flat_map(|deployment| {
            deployment
                .workloads
                .iter()
                .map(move |workload| (workload, deployment.name))
        });
        Self {
            model,
            why,
            same_node,
            lists: lists.iter().map(set).collect(),
            extremum: why
                .rules
                .iter()
                .map(|(rule, _)| *rule)
                .find(|r| r.operator.is_extremum()),
            workload: was
                .filter(|was| was.holds)
                .and_then(|was| workloads.find(|(workload, _)| workload.place == was.place)),
        }
    }

    /// The Clusters that reach a filter; nothing where the run did not come so far.
    fn reaching(&self, filter: Filter) -> Option<&FixedBitSet> {
        self.lists.get((filter as usize).checked_sub(1)?)
    }

    fn candidate(&self, cluster: &'m Cluster<'a>, at: u32) -> Candidate<'a> {
        let judge = |filter| {
            let application = self.why.application;
            (
                filter,
                judge(self.model, application, cluster, filter, self.same_node),
            )
        };
        let mut verdicts: Vec<_> = SINGLE.into_iter().map(judge).collect();
        verdicts.push((Filter::Extant, self.extant(cluster)));
        let extreme = self.extreme(cluster);
        let alone = self.stays_alone(cluster);
        // The volumes' holder is left alone before either filter is asked; a better figure than
        // anybody's leaves no other to be older.
        let best = extreme.passes && self.is_strictly_best(cluster);
        let idle = |verdict: Ruling, idle: bool| Ruling {
            idle: !verdict.passes && idle,
            ..verdict
        };
        verdicts.push((Filter::Extremum, idle(extreme, alone)));
        let oldest = self.oldest(cluster, at);
        verdicts.push((Filter::Tiebreaker, idle(oldest, alone || best)));
        let filters = Filter::ALL.into_iter().zip(&self.lists);
        let mut removed = filters.filter(|(_, list)| !list.contains(at as usize));
        let package = self.model.package_of(self.why.application);
        let outside = (!cluster.is_assigned(package.project))
            .then(|| format!("not assigned to Project {}", self.model.project_of(package)));
        Candidate {
            name: cluster.name,
            outside,
            chosen: self.why.item().cluster == Some(at),
            verdicts,
            removed_by: removed.next().map(|(filter, _)| filter),
        }
    }

    /// Whether the Cluster holds the volumes that the Application stays with.
    fn stays_alone(&self, cluster: &Cluster<'_>) -> bool {
        self.workload
            .is_some_and(|(workload, _)| workload.cluster == cluster.name)
    }

    /// Whether no other Cluster that reaches Min/Max has as good a figure.
    fn is_strictly_best(&self, cluster: &'m Cluster<'a>) -> bool {
        let Some(rule) = self.extremum else {
            return false;
        };
        let number = |cluster: &'m Cluster<'a>| {
            figure(rule, &labels_for(cluster, rule.key, rule.operator)).map(|(integer, _)| integer)
        };
        let Some(mine) = number(cluster) else {
            return false;
        };
        let reached = self.reaching(Filter::Extremum);
        let others = reached.into_iter().flat_map(FixedBitSet::ones);
        let mut others = others
            .map(|at| &self.model.clusters[at])
            .filter(|other| other.name != cluster.name)
            .filter_map(number);
        others.all(|other| match rule.operator {
            Operator::MinOf => mine < other,
            _ => mine > other,
        })
    }

    /// Extant Resources: the Cluster that holds volumes stays alone, if it came so far.
    fn extant(&self, cluster: &Cluster<'a>) -> Ruling {
        let Some((workload, deployment)) = self.workload else {
            return passing("no persistent resources");
        };
        let holder = Holder::new(workload, deployment);
        let at = workload
            .resources
            .iter()
            .map(|r| (r.place, format!("{} {}", r.kind, r.name)));
        let at: Vec<_> = at.collect();
        if workload.cluster == cluster.name {
            return Ruling {
                at,
                ..passing(&format!("holds {}", holder.holds))
            };
        }
        let clusters = &self.model.clusters;
        let place = clusters
            .iter()
            .position(|cluster| cluster.name == workload.cluster);
        let reached = self.reaching(Filter::Extant);
        match place {
            Some(place) if reached.is_some_and(|list| list.contains(place)) => Ruling {
                passes: false,
                reason: format!("{} holds {}", holder.cluster, holder.holds),
                at,
                ..Ruling::default()
            },
            _ => passing(&holder.removed()),
        }
    }

    /// Min/Max: its figure against the best of the Clusters that reach the filter.
    fn extreme(&self, cluster: &'m Cluster<'a>) -> Ruling {
        let Some(rule) = self.extremum else {
            return passing("no MinOf or MaxOf rule");
        };
        let mine = figure(rule, &labels_for(cluster, rule.key, rule.operator));
        let reached = self.reaching(Filter::Extremum);
        let others = reached.into_iter().flat_map(FixedBitSet::ones);
        let figures = others.filter_map(|at| {
            let cluster = &self.model.clusters[at];
            figure(rule, &labels_for(cluster, rule.key, rule.operator))
        });
        let best = if rule.operator == Operator::MinOf {
            figures.min_by_key(|(integer, _)| *integer)
        } else {
            figures.max_by_key(|(integer, _)| *integer)
        };
        let word = superlative(rule.operator);
        let mut at = vec![(rule.place, rule_text(rule))];
        at.extend(mine.map(|(_, label)| (label.place, format!("\"{}\"", label.value))));
        let asked = best.map(|(_, label)| label.value.to_owned());
        let Some((integer, label)) = mine else {
            return Ruling {
                passes: false,
                reason: format!("{} is not an integer, or absent", rule.key),
                asked,
                found: None,
                at,
                idle: false,
            };
        };
        let passes = best.is_none_or(|(best, _)| match rule.operator {
            Operator::MinOf => integer <= best,
            _ => integer >= best,
        });
        let reason = match &asked {
            Some(best) if !passes => format!("{} {}, {word} {best}", rule.key, label.value),
            _ => format!("{} {}", rule.key, label.value),
        };
        Ruling {
            passes,
            reason,
            asked,
            found: Some(label.value.to_owned()),
            at,
            idle: false,
        }
    }

    /// Tiebreaker: whether an older Cluster reaches it.
    fn oldest(&self, cluster: &Cluster<'a>, at: u32) -> Ruling {
        let oldest = self
            .reaching(Filter::Tiebreaker)
            .and_then(FixedBitSet::minimum);
        let found = cluster.created.map(crate::kit::time::format_exact);
        let age = found.clone().map_or_else(
            || "no creation time".to_owned(),
            |time| format!("created {time}"),
        );
        match oldest.filter(|&oldest| oldest < at as usize) {
            Some(oldest) => Ruling {
                passes: false,
                reason: format!("{age}, {} is older", self.model.clusters[oldest].name),
                found,
                at: vec![(cluster.place, age)],
                ..Ruling::default()
            },
            None => Ruling {
                found,
                at: vec![(cluster.place, age.clone())],
                ..passing(&age)
            },
        }
    }

    /// If the volumes decided: the Cluster that would have been taken without them, with its
    /// figure.
    fn kept_from(&self) -> Option<(&'a str, String)> {
        let rule = self.extremum?;
        let reached = self.reaching(Filter::Extant)?;
        let chosen = self.why.item().cluster?;
        if self.workload?.0.cluster != self.model.clusters[chosen as usize].name {
            return None;
        }
        let clusters = reached.ones().map(|at| &self.model.clusters[at]);
        let mut best: Option<(&Cluster<'a>, _, &str)> = None;
        for cluster in clusters {
            let labels = labels_for(cluster, rule.key, rule.operator);
            let Some((integer, label)) = figure(rule, &labels) else {
                continue;
            };
            let better = |(_, known, _): &(_, _, _)| match rule.operator {
                Operator::MinOf => integer < *known,
                _ => integer > *known,
            };
            if best.as_ref().is_none_or(better) {
                best = Some((cluster, integer, label.value));
            }
        }
        let (cluster, integer, value) = best?;
        let chosen = &self.model.clusters[chosen as usize];
        let (own, _) = figure(rule, &labels_for(chosen, rule.key, rule.operator))?;
        (integer != own).then(|| (cluster.name, format!("{} {value}", rule.key)))
    }
}

fn passing(reason: &str) -> Ruling {
    Ruling {
        passes: true,
        reason: reason.to_owned(),
        ..Ruling::default()
    }
}

/// Why a rule of the Package is not in force, in words.
#[must_use]
pub fn hidden_text(rule: &Rule<'_>, hidden: Hidden) -> String {
    match hidden {
        Hidden::Key => format!(
            "not inherited: {}, because the Application has its own rule for {}",
            rule_text(rule),
            rule.key
        ),
        Hidden::Extremum => format!(
            "not inherited: {}, because the Application has its own MinOf or MaxOf",
            rule_text(rule)
        ),
    }
}

/// A rule with its origin: `cost MinOf (from the Package)`.
#[must_use]
pub fn rule_from(rule: &Rule<'_>, origin: Origin) -> String {
    format!("{} ({})", rule_text(rule), from(origin))
}
