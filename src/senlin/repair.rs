//! The obstacles between a region and its nodes, and the edits that would remove them. Each edit is
//! tried with the engine before it is offered.

use serde_json::json;

use super::Model;
use super::engine::allot::Direction;
use super::engine::{Basis, Check, CheckStatus, Outcome, PlanCheck};
use super::model::{Action, ActionKind, Cluster, DocumentSet, Entry, Field, Policy, Value};
use crate::document::Documents;
use crate::repair::{Edit, Obstacle, Side, Target};
use crate::source::Place;

/// Numbers tried in each direction, at most.
const STEPS: i128 = 400;

/// The type of a resize by a number of nodes.
const CHANGE: &str = "CHANGE_IN_CAPACITY";

/// Regions up to which every one of these numbers is tried.
const FEW: usize = 50;

/// The obstacles that keep a region from getting or giving nodes: empty if it does, `None` if
/// either name is unknown.
#[must_use]
pub fn obstacles<'a>(
    model: &Model<'a>,
    documents: &Documents<'a>,
    path: &str,
    region: &str,
    plan: PlanCheck,
) -> Option<Vec<Obstacle>> {
    let set = model.sets.iter().find(|set| set.path == path)?;
    let (policy, cluster, action) = (
        set.policy.as_ref()?,
        set.cluster.as_ref()?,
        set.action.as_ref()?,
    );
    let at = policy.regions.iter().position(|one| one.name == region)?;
    let target = |place: Place, side| Target::holding(documents, place, side);
    let region_at = target(policy.regions[at].place, Side::Candidate)?;
    let own = region_at.pointer_to(policy.regions[at].place)?;
    let outcome = plan(Check::of(set)?).ok()?;
    let mut finder = ObstacleFinder {
        set,
        plan,
        at,
        direction: outcome.number.signum(),
        own: own.trim_end_matches("/name").to_owned(),
        on_policy: region_at,
        on_cluster: target(cluster.place, Side::Candidate)?,
        on_limits: target(cluster.place, Side::Subject)?,
        on_action: target(action.place, Side::Subject)?,
        on_profile: set
            .profile
            .and_then(|profile| target(profile.place, Side::Subject)),
    };
    let state = Trial {
        policy: policy.clone(),
        cluster: cluster.clone(),
        action: action.clone(),
    };
    if finder.gets(&state) {
        return Some(Vec::new());
    }
    finder.direction = asked(&outcome);
    Some(finder.all(state))
}

/// 1 where the request asks for more nodes, −1 where it asks for fewer, 0 where for neither: limits
/// may make another number of it.
fn asked(outcome: &Outcome) -> i128 {
    match &outcome.basis {
        Basis::Resize(resize) if resize.asked != resize.current => {
            (resize.asked - resize.current).signum()
        }
        _ => outcome.number.signum(),
    }
}

/// The documents as they might be.
#[derive(Clone)]
struct Trial<'a> {
    policy: Policy<'a>,
    cluster: Cluster<'a>,
    action: Action<'a>,
}

#[derive(Clone)]
struct ObstacleFinder<'m, 'a> {
    set: &'m DocumentSet<'a>,
    /// Runs the check on trial.
    plan: PlanCheck,
    at: usize,
    /// 1 where nodes are created, −1 where they are deleted, 0 where neither.
    direction: i128,
    /// The pointer to the region.
    own: String,
    on_policy: Target<'a>,
    on_cluster: Target<'a>,
    on_limits: Target<'a>,
    on_action: Target<'a>,
    on_profile: Option<Target<'a>>,
}

impl<'a> ObstacleFinder<'_, 'a> {
    fn check<'s>(&'s self, state: &'s Trial<'a>) -> Check<'s, 'a> {
        Check {
            policy: &state.policy,
            cluster: &state.cluster,
            action: &state.action,
            profile: self.set.profile.as_ref(),
        }
    }

    /// Whether the region gets or gives nodes.
    fn gets(&self, state: &Trial<'a>) -> bool {
        let Ok(outcome) = (self.plan)(self.check(state)) else {
            return false;
        };
        let position = outcome
            .usable
            .iter()
            .position(|usable| *usable as usize == self.at);
        let fits = |change: i128| match self.direction {
            0 => change != 0,
            direction => change.signum() == direction,
        };
        outcome.answer == CheckStatus::Done && position.is_some_and(|at| fits(outcome.change(at)))
    }

    fn all(&self, mut state: Trial<'a>) -> Vec<Obstacle> {
        let mut found = Vec::new();
        let name = self
            .set
            .policy
            .as_ref()
            .map_or("", |policy| &*policy.regions[self.at].name);
        if !state.cluster.known[self.at] {
            let mut obstacle = Obstacle::new("Known Region", format!("{name} to be known"));
            obstacle.one(self.on_cluster.append("/properties/known_regions", name));
            found.push(obstacle);
            state.cluster.known[self.at] = true;
            if self.gets(&state) {
                return found;
            }
        }
        found.push(self.numbers(&state));
        found
    }

    fn numbers(&self, state: &Trial<'a>) -> Obstacle {
        let number = (self.plan)(self.check(state)).map_or(0, |outcome| outcome.number);
        let (stage, needs) = match number {
            0 => ("Number", "nodes to distribute"),
            _ => ("Share", "room for nodes when it is asked"),
        };
        let mut obstacle = Obstacle::new(stage, needs);
        self.weight(state, &mut obstacle, &[]);
        self.cap(state, &mut obstacle, &[]);
        self.count(state, &mut obstacle, &[]);
        self.limits(state, &mut obstacle);
        self.pairs(state, &mut obstacle);
        if let Some(profile) = self
            .on_profile
            .filter(|_| state.action.kind == ActionKind::NodeCreate)
        {
            obstacle.one(profile.remove("/properties/context/region_name"));
        }
        if state.action.kind == ActionKind::Other {
            self.action(state, &mut obstacle);
        }
        if obstacle.remedies.is_empty() && self.direction != 0 {
            // Only another request would do: nodes taken away where some were to be made.
            let either = ObstacleFinder {
                direction: 0,
                ..self.clone()
            };
            let mut turned = Obstacle::new("", "");
            either.count(state, &mut turned, &[]);
            if turned.remedies.is_empty() {
                either.pairs(state, &mut turned);
            }
            for remedy in turned.remedies {
                obstacle.way(remedy.edits, true);
            }
        }
        obstacle
    }

    /// An action that the policy is asked about.
    fn action(&self, state: &Trial<'a>, obstacle: &mut Obstacle) {
        const ACTIONS: [&str; 2] = ["CLUSTER_SCALE_OUT", "CLUSTER_SCALE_IN"];
        let enough = |name: &&str| {
            let mut state = state.clone();
            state.action.kind = ActionKind::of(name);
            self.gets(&state)
        };
        let pointer = "/properties/action";
        for name in ACTIONS.into_iter().filter(enough) {
            obstacle.blunt(self.on_action.set(pointer, name));
        }
        obstacle.blunt(self.on_action.set(pointer, ACTIONS[0]));
    }

    /// The nearest other number for which it holds, upwards and downwards.
    fn nearest(&self, old: i128, least: i128, holds: impl Fn(i128) -> bool) -> Vec<i128> {
        let far = [1000, 10_000, 1_000_000];
        let regions = self.set.policy.as_ref();
        if regions.is_some_and(|policy| policy.regions.len() > FEW) {
            let up = first(i128::MAX, |by| holds(old.saturating_add(by)));
            let down = first(old.saturating_sub(least).min(STEPS), |by| holds(old - by));
            let up = up.map(|by| old + by);
            return up.into_iter().chain(down.map(|by| old - by)).collect();
        }
        let up = (old + 1..=old + STEPS)
            .chain(far.map(|by| old + by))
            .find(|n| holds(*n));
        let down = (old - STEPS..old)
            .rev()
            .take_while(|n| *n >= least)
            .find(|n| holds(*n));
        up.into_iter().chain(down).collect()
    }

    fn offer(obstacle: &mut Obstacle, with: &[Edit], edit: Option<Edit>) {
        if let Some(edit) = edit {
            let mut edits = with.to_vec();
            edits.push(edit);
            obstacle.way(edits, false);
        }
    }

    fn weight(&self, state: &Trial<'a>, obstacle: &mut Obstacle, with: &[Edit]) {
        let changed = |weight| {
            let mut state = state.clone();
            state.policy.regions[self.at].weight = weight;
            state
        };
        let old = state.policy.regions[self.at].weight;
        for weight in self.nearest(old, 0, |weight| self.gets(&changed(weight))) {
            let pointer = format!("{}/weight", self.own);
            Self::offer(
                obstacle,
                with,
                self.on_policy.set(pointer, json!(small(weight))),
            );
        }
    }

    fn cap(&self, state: &Trial<'a>, obstacle: &mut Obstacle, with: &[Edit]) {
        if state.policy.regions[self.at].cap < 0 {
            return;
        }
        let pointer = format!("{}/cap", self.own);
        let gets = |cap| {
            let mut state = state.clone();
            state.policy.regions[self.at].cap = cap;
            self.gets(&state)
        };
        let old = state.policy.regions[self.at].cap;
        for cap in self.nearest(old, 0, gets) {
            Self::offer(
                obstacle,
                with,
                self.on_policy.set(&*pointer, json!(small(cap))),
            );
        }
        if gets(-1) {
            Self::offer(obstacle, with, self.on_policy.remove(pointer));
        }
    }

    /// Another number of nodes, where the action says how many.
    fn count(&self, state: &Trial<'a>, obstacle: &mut Obstacle, with: &[Edit]) {
        let basis = (self.plan)(self.check(state)).map(|outcome| outcome.basis);
        if let Ok(Basis::Data { side, .. }) = &basis {
            return self.decided_count(state, *side, obstacle, with);
        }
        let (key, old) = match (&basis, state.action.kind) {
            (Ok(Basis::Inputs { .. }), _) => ("count", state.action.inputs.count.value),
            (Ok(Basis::Resize(_)), _) => ("number", state.action.inputs.number.value),
            _ => return,
        };
        // Without a type a number is ignored.
        let is_typed = matches!(state.action.inputs.adjustment_type.value, Value::Text(_));
        let needs_type = key == "number" && !is_typed;
        let old = match old {
            _ if needs_type => 0,
            Value::Int(old) => old,
            _ => 1,
        };
        let least = if key == "count" { 0 } else { old - STEPS };
        let gets = |number| {
            let mut state = state.clone();
            let inputs = &mut state.action.inputs;
            match key {
                "count" => inputs.count.value = Value::Int(number),
                _ => inputs.number.value = Value::Int(number),
            }
            if needs_type {
                inputs.adjustment_type.value = Value::Text(CHANGE);
            }
            self.gets(&state)
        };
        let inputs = "/properties/inputs";
        let written = &state.action.inputs;
        let has_inputs = [
            written.adjustment_type,
            written.count,
            written.max_size,
            written.min_size,
            written.min_step,
            written.number,
            written.strict,
        ];
        let has_inputs = has_inputs.iter().any(|field| field.value != Value::Absent);
        if let Value::Int(number) = written.number.value
            && needs_type
            && gets(number)
        {
            let edit = self
                .on_action
                .set(format!("{inputs}/adjustment_type"), CHANGE);
            return Self::offer(obstacle, with, edit);
        }
        for number in self.nearest(old, least, gets) {
            let number = small(number);
            let mut with = with.to_vec();
            let edit = match (needs_type, has_inputs) {
                (true, false) => {
                    let both = json!({"adjustment_type": CHANGE, "number": number});
                    self.on_action.set(inputs, both)
                }
                (true, true) => {
                    with.extend(
                        self.on_action
                            .set(format!("{inputs}/adjustment_type"), CHANGE),
                    );
                    self.on_action.set(format!("{inputs}/number"), number)
                }
                (false, _) => self.on_action.set(format!("{inputs}/{key}"), number),
            };
            Self::offer(obstacle, &with, edit);
        }
    }

    /// Another number of nodes, where a decision in the data of the action says how many.
    fn decided_count(
        &self,
        state: &Trial<'a>,
        side: Direction,
        obstacle: &mut Obstacle,
        with: &[Edit],
    ) {
        let entry = |action: &Action<'a>| match side {
            Direction::Grow => action.creation,
            Direction::Shrink => action.deletion,
        };
        let Entry::Map { count, .. } = entry(&state.action) else {
            return;
        };
        let old = match count.value {
            Value::Int(old) => old,
            _ => 1,
        };
        let gets = |number| {
            let mut state = state.clone();
            let value = Value::Int(number);
            let changed = Entry::Map {
                empty: false,
                count: Field { value, ..count },
            };
            match side {
                Direction::Grow => state.action.creation = changed,
                Direction::Shrink => state.action.deletion = changed,
            }
            self.gets(&state)
        };
        for number in self.nearest(old, 0, gets) {
            let pointer = format!("/properties/data/{}/count", side.entry());
            Self::offer(
                obstacle,
                with,
                self.on_action.set(pointer, json!(small(number))),
            );
        }
    }

    /// Limits that stop a resize.
    fn limits(&self, state: &Trial<'a>, obstacle: &mut Obstacle) {
        if state.action.kind != ActionKind::Resize {
            return;
        }
        let inputs = "/properties/inputs";
        let try_action = |change: &dyn Fn(&mut Action<'a>)| {
            let mut state = state.clone();
            change(&mut state.action);
            self.gets(&state)
        };
        if try_action(&|action| action.inputs.strict.value = Value::Bool(false)) {
            obstacle.one(self.on_action.set(format!("{inputs}/strict"), false));
        }
        let number = |value: Value<'a>| match value {
            Value::Int(number) => number,
            _ => 0,
        };
        let most = number(state.action.inputs.max_size.value);
        let gets = |most| try_action(&|action| action.inputs.max_size.value = Value::Int(most));
        for value in self.nearest(most, 1, gets) {
            let value = json!(small(value));
            obstacle.one(self.on_action.set(format!("{inputs}/max_size"), value));
        }
        if try_action(&|action| action.inputs.max_size.value = Value::Absent) {
            obstacle.blunt(self.on_action.remove(format!("{inputs}/max_size")));
        }
        let least = number(state.action.inputs.min_size.value);
        let gets = |least| try_action(&|action| action.inputs.min_size.value = Value::Int(least));
        for value in self.nearest(least, 0, gets) {
            let value = json!(small(value));
            obstacle.one(self.on_action.set(format!("{inputs}/min_size"), value));
        }
        if try_action(&|action| action.inputs.min_size.value = Value::Absent) {
            obstacle.blunt(self.on_action.remove(format!("{inputs}/min_size")));
        }
        let with = |change: &dyn Fn(&mut Cluster<'a>, i128), value: i128| {
            let mut state = state.clone();
            change(&mut state.cluster, value);
            self.gets(&state)
        };
        let (most, least) = (state.cluster.max_size, state.cluster.min_size);
        if most >= 0 {
            let gets = |value| with(&|cluster, value| cluster.max_size = value, value);
            for value in self.nearest(most, 1, gets) {
                let value = json!(small(value));
                obstacle.one(self.on_limits.set("/properties/max_size", value));
            }
        }
        let gets = |value| with(&|cluster, value| cluster.min_size = value, value);
        for value in self.nearest(least, 0, gets) {
            let value = json!(small(value));
            obstacle.one(self.on_limits.set("/properties/min_size", value));
        }
        let top = state.cluster.max_nodes_per_cluster;
        let gets = |value| {
            with(
                &|cluster, value| cluster.max_nodes_per_cluster = value,
                value,
            )
        };
        for value in self.nearest(top, 1, gets) {
            let value = json!(small(value));
            obstacle.one(
                self.on_limits
                    .set("/properties/max_nodes_per_cluster", value),
            );
        }
    }

    /// Two numbers together, where none is enough alone: of the candidate, else of either.
    fn pairs(&self, state: &Trial<'a>, obstacle: &mut Obstacle) {
        let own = |edit: &Edit| edit.side == Side::Candidate;
        let alone = |obstacle: &Obstacle| {
            let mut remedies = obstacle.remedies.iter();
            remedies.any(|remedy| remedy.edits.iter().all(own))
        };
        if alone(obstacle) {
            return;
        }
        let none = obstacle.remedies.is_empty();
        let mut free = state.clone();
        free.policy.regions[self.at].cap = -1;
        let uncapped: Vec<Edit> = self
            .on_policy
            .remove(format!("{}/cap", self.own))
            .into_iter()
            .collect();
        if !uncapped.is_empty() {
            self.weight(&free, obstacle, &uncapped);
            if none {
                self.count(&free, obstacle, &uncapped);
            }
        }
        if !none {
            return;
        }
        self.heavier(state, obstacle, &[]);
        if obstacle.remedies.is_empty() && !uncapped.is_empty() {
            self.heavier(&free, obstacle, &uncapped);
        }
    }

    /// Another weight and another number of nodes.
    fn heavier(&self, state: &Trial<'a>, obstacle: &mut Obstacle, with: &[Edit]) {
        let old = state.policy.regions[self.at].weight;
        for weight in [100, old + 1, old + 10, old + 100, 1000] {
            let mut heavier = state.clone();
            heavier.policy.regions[self.at].weight = weight;
            let pointer = format!("{}/weight", self.own);
            let edit = self.on_policy.set(pointer, json!(small(weight)));
            let with: Vec<Edit> = with.iter().cloned().chain(edit).collect();
            self.count(&heavier, obstacle, &with);
            if obstacle.remedies.len() > 4 {
                break;
            }
        }
    }
}

/// The first number from 1 for which it holds, found by doubling and halving: of many it is the
/// first where those that hold come after those that do not.
fn first(most: i128, holds: impl Fn(i128) -> bool) -> Option<i128> {
    const DOUBLINGS: u32 = 20;
    let mut numbers = (0..=DOUBLINGS)
        .map(|by| 1_i128 << by)
        .take_while(|n| *n <= most);
    let mut high = numbers.find(|number| holds(*number))?;
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// A number of the menus as JSON has it.
fn small(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
