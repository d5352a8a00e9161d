//! Which Clusters comply with a rule: each distinct rule is asked once, from an index of the
//! labels that rules mention.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::ranked::Ranked;
use crate::ogc::inheritance;
use crate::ogc::labels::Integer;
use crate::ogc::model::{Application, Cluster, Label, Model, Operator, Rule};

/// Answers kept at a time; any further ones are computed again.
const KEPT_ANSWERS: usize = 4096;

/// All distinct rules and sets of rules of a model, and what stands for their keys.
#[derive(Debug)]
pub(super) struct Compliance<'m, 'a> {
    rules: Vec<&'m Rule<'a>>,
    by_rule: FxHashMap<(&'a str, Operator, &'m [&'a str]), u32>,
    sets: Vec<Vec<u32>>,
    by_set: FxHashMap<Vec<u32>, u32>,
    keys: FxHashMap<&'a str, Key<'a>>,
    answers: FxHashMap<u32, FixedBitSet>,
    universe: usize,
}

/// The labels of one key: the Clusters that have it, and their values.
#[derive(Debug)]
struct Key<'a> {
    present: FixedBitSet,
    values: FxHashMap<&'a str, Vec<u32>>,
    extremes: [Vec<(Integer<'a>, u32)>; 2],
    figures: [Option<Ranked<Integer<'a>>>; 2],
}

impl<'m, 'a> Compliance<'m, 'a> {
    /// Gathers the rules of the model and indexes the Cluster labels that they look at.
    pub(super) fn new(model: &'m Model<'a>, clusters: &[Cluster<'a>]) -> Self {
        let universe = clusters.len();
        let mut rules = Self {
            rules: Vec::new(),
            by_rule: FxHashMap::default(),
            sets: Vec::new(),
            by_set: FxHashMap::default(),
            keys: FxHashMap::default(),
            answers: FxHashMap::default(),
            universe,
        };
        let packages = model.packages.iter().flat_map(|package| &package.rules);
        let applications = model.applications.iter().flat_map(|app| &app.rules);
        for rule in packages.chain(applications) {
            let id = rules.rules.len() as u32;
            let known = (rule.key, rule.operator, &*rule.values);
            rules.by_rule.entry(known).or_insert_with(|| {
                rules.rules.push(rule);
                id
            });
            rules
                .keys
                .entry(rule.key)
                .or_insert_with(|| Key::new(universe));
        }
        if !rules.keys.is_empty() {
            rules.index(clusters);
        }
        rules
    }

    /// Enters the labels of every Cluster under the keys that rules look at.
    fn index(&mut self, clusters: &[Cluster<'a>]) {
        let mut found: Vec<(&'a str, &'a str)> = Vec::new();
        for (cluster, at) in clusters.iter().zip(0_u32..) {
            let keys = &self.keys;
            let wanted = |label: &Label<'a>| keys.contains_key(label.key);
            let pair = |label: &Label<'a>| (label.key, label.value);
            found.clear();
            let nodes = cluster.nodes.iter().flat_map(|node| &node.labels);
            found.extend(nodes.filter(|label| wanted(label)).map(pair));
            found.sort_unstable();
            found.dedup();
            let on_nodes = found.len();
            found.extend(
                cluster
                    .labels
                    .iter()
                    .filter(|label| wanted(label))
                    .map(pair),
            );
            let (nodes, own) = found.split_at(on_nodes);
            for values in nodes.chunk_by(|a, b| a.0 == b.0) {
                if let Some(key) = self.keys.get_mut(values[0].0) {
                    key.stand(at, values);
                }
            }
            for label in own {
                let of_key = |pair: &(&str, &str)| pair.0.cmp(label.0);
                let hidden = nodes.binary_search_by(of_key).is_ok();
                if let Some(key) = self.keys.get_mut(label.0) {
                    key.stand_alone(at, label.1, hidden);
                }
            }
        }
    }

    /// The number of the set of rules in force for an Application.
    pub(super) fn set_of(&mut self, model: &'m Model<'a>, application: &'m Application<'a>) -> u32 {
        let effective = inheritance::effective(model, application);
        let mut set: Vec<u32> = effective.map(|(rule, _)| self.id(rule)).collect();
        set.sort_unstable();
        set.dedup();
        let next = self.sets.len() as u32;
        *self.by_set.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next
        })
    }

    fn id(&self, rule: &'m Rule<'a>) -> u32 {
        let known = (rule.key, rule.operator, &*rule.values);
        self.by_rule.get(&known).copied().unwrap_or_default()
    }

    /// Leaves in `list` only the Clusters that comply with every rule of a set.
    pub(super) fn keep_compliant(&mut self, set: u32, list: &mut FixedBitSet) {
        for at in 0..self.sets[set as usize].len() {
            let rule = self.sets[set as usize][at];
            self.with_answer(rule, |answer| list.intersect_with(answer));
        }
    }

    /// For each rule of a set, how many Clusters of `list` do not comply with it.
    pub(super) fn removed(&mut self, set: u32, list: &FixedBitSet) -> Vec<(Rule<'a>, u32)> {
        let set = self.sets[set as usize].clone();
        let count = |answer: &FixedBitSet| list.difference_count(answer) as u32;
        set.into_iter()
            .map(|id| {
                let removed = self.with_answer(id, count);
                (self.rules[id as usize].clone(), removed)
            })
            .collect()
    }

    /// Leaves in `list` only the Clusters with the best figure, if a rule of the set asks for it.
    pub(super) fn keep_extreme(&mut self, set: u32, list: &mut FixedBitSet) {
        let extremum = self.sets[set as usize]
            .iter()
            .map(|&id| self.rules[id as usize])
            .find(|rule| rule.operator.is_extremum());
        let universe = self.universe;
        if let Some(rule) = extremum
            && let Some(key) = self.keys.get_mut(rule.key)
        {
            key.ranked(rule.operator, universe).keep_best(list);
        }
    }

    fn with_answer<R>(&mut self, rule: u32, ask: impl FnOnce(&FixedBitSet) -> R) -> R {
        if let Some(answer) = self.answers.get(&rule) {
            return ask(answer);
        }
        let answer = self.answer(self.rules[rule as usize]);
        let result = ask(&answer);
        if self.answers.len() < KEPT_ANSWERS {
            self.answers.insert(rule, answer);
        }
        result
    }

    /// The Clusters that comply with a rule.
    fn answer(&mut self, rule: &Rule<'a>) -> FixedBitSet {
        let universe = self.universe;
        let Some(key) = self.keys.get_mut(rule.key) else {
            return FixedBitSet::with_capacity(universe);
        };
        let mut answer = match rule.operator {
            Operator::Exists | Operator::NotExists => key.present.clone(),
            Operator::MinOf | Operator::MaxOf => key.ranked(rule.operator, universe).all(),
            Operator::Equals | Operator::NotEquals | Operator::In | Operator::NotIn => {
                let mut meets = FixedBitSet::with_capacity(universe);
                let lists = rule.values.iter().filter_map(|value| key.values.get(value));
                meets.extend(lists.flatten().map(|&cluster| cluster as usize));
                meets
            }
        };
        if matches!(
            rule.operator,
            Operator::NotExists | Operator::NotEquals | Operator::NotIn
        ) {
            answer.toggle_range(..);
        }
        answer
    }
}

impl<'a> Key<'a> {
    fn new(universe: usize) -> Self {
        Self {
            present: FixedBitSet::with_capacity(universe),
            values: FxHashMap::default(),
            extremes: [Vec::new(), Vec::new()],
            figures: [None, None],
        }
    }

    /// Enters the values that the Nodes of a Cluster carry.
    fn stand(&mut self, cluster: u32, values: &[(&'a str, &'a str)]) {
        self.present.insert(cluster as usize);
        for (_, value) in values {
            self.values.entry(value).or_default().push(cluster);
        }
        self.extreme(cluster, values.iter().map(|(_, value)| *value));
    }

    /// Enters the Cluster's own value; under MinOf and MaxOf it counts also where the Nodes'
    /// values hide it but are not integers.
    fn stand_alone(&mut self, cluster: u32, value: &'a str, hidden: bool) {
        if !hidden {
            self.present.insert(cluster as usize);
            self.values.entry(value).or_default().push(cluster);
        }
        let last = self.extremes[0].last();
        if last.is_none_or(|&(_, other)| other != cluster) {
            self.extreme(cluster, std::iter::once(value));
        }
    }

    fn extreme(&mut self, cluster: u32, values: impl Iterator<Item = &'a str> + Clone) {
        let integers = values.filter_map(Integer::parse);
        if let (Some(least), Some(most)) = (integers.clone().min(), integers.max()) {
            self.extremes[0].push((least, cluster));
            self.extremes[1].push((most, cluster));
        }
    }

    /// The Clusters by their figure, best first: lowest under MinOf, highest under MaxOf.
    fn ranked(&mut self, operator: Operator, universe: usize) -> &Ranked<Integer<'a>> {
        let at = usize::from(operator == Operator::MaxOf);
        let entries = &mut self.extremes[at];
        self.figures[at].get_or_insert_with(|| {
            if operator == Operator::MaxOf {
                entries.sort_unstable_by(|a, b| b.cmp(a));
            } else {
                entries.sort_unstable();
            }
            Ranked::new(universe, entries.iter().copied())
        })
    }
}
