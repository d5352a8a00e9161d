//! RollingSync: in which order the Applications of a set are synced.

use std::collections::BTreeSet;

/// `maxUpdate` of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxUpdate<'a> {
    /// A number.
    Int(i64),
    /// A text, percentage or not.
    Text(&'a str),
}

/// One entry of `matchExpressions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression<'a> {
    /// The label.
    pub key: &'a str,
    /// The operator; only `In` and `NotIn` do what they say.
    pub operator: &'a str,
    /// The values.
    pub values: Vec<&'a str>,
}

impl Expression<'_> {
    /// Whether an Application with this value of the label (`None`: it has none) is taken.
    fn takes(&self, value: Option<&str>) -> bool {
        let among = |value: &str| self.values.contains(&value);
        match (self.operator, value) {
            ("In", value) => value.is_some_and(among),
            ("NotIn", value) => !value.is_some_and(among),
            // An operator that does not exist is only noticed where there is a value.
            (_, value) => value.is_none(),
        }
    }
}

/// One step as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask<'a> {
    /// All of which must take an Application.
    pub expressions: Vec<Expression<'a>>,
    /// How many are synced at a time.
    pub max_update: Option<MaxUpdate<'a>>,
}

impl Ask<'_> {
    fn takes(&self, application: &Application<'_>) -> bool {
        let label = |key: &str| {
            let found = application.labels.iter().find(|(name, _)| *name == key);
            found.map(|(_, value)| *value)
        };
        let mut all = self.expressions.iter();
        all.all(|expression| expression.takes(label(expression.key)))
    }

    /// How many are synced at a time of so many Applications of the step, `others` more counting
    /// for a share.
    fn at_once(&self, own: usize, others: usize) -> usize {
        let total = own + others;
        match self.max_update {
            None => own,
            Some(MaxUpdate::Int(most)) => usize::try_from(most).unwrap_or(0),
            Some(MaxUpdate::Text("0%")) => 0,
            Some(MaxUpdate::Text(text)) => share(text, total).unwrap_or(1).max(1),
        }
    }
}

/// A percentage of a number, rounded down; `None` where the text is none.
#[must_use]
pub fn share(text: &str, total: usize) -> Option<usize> {
    let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
    let total = i128::try_from(total).ok()?;
    usize::try_from((i128::from(percent) * total).div_euclid(100)).ok()
}

/// An Application and the labels that it is generated with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application<'n> {
    /// Its name.
    pub name: &'n str,
    /// Its labels.
    pub labels: Vec<(&'n str, &'n str)>,
}

/// One step as it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How many are synced at a time.
    pub at_once: usize,
    /// Whether the rollout reaches it.
    pub reached: bool,
    /// The Applications that it syncs: their numbers, by name.
    pub applications: Vec<usize>,
    /// The Applications of an earlier step that it names again.
    pub also: Vec<usize>,
    /// The Applications that it waits for and that are never created: their numbers among the
    /// dropped ones.
    pub dropped: Vec<usize>,
    /// The Applications that are synced together.
    pub waves: Vec<Vec<usize>>,
}

/// A rollout from a clean start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollout {
    /// The steps.
    pub steps: Vec<Step>,
    /// The Applications of no step, by name: they are never synced.
    pub never: Vec<usize>,
}

/// Runs a rollout. Those that `fail` stay where they are, and hold their places; a step that takes
/// one of those that are `dropped` is never left.
#[must_use]
pub fn run(
    asks: &[Ask<'_>],
    applications: &[Application<'_>],
    dropped: &[Application<'_>],
    fail: &BTreeSet<usize>,
) -> Rollout {
    let mut order: Vec<usize> = (0..applications.len()).collect();
    order.sort_by_key(|at| applications[*at].name);
    let mut steps: Vec<Step> = asks
        .iter()
        .map(|ask| Step {
            dropped: (0..dropped.len())
                .filter(|at| ask.takes(&dropped[*at]))
                .collect(),
            at_once: 0,
            reached: false,
            applications: Vec::new(),
            also: Vec::new(),
            waves: Vec::new(),
        })
        .collect();
    let mut never = Vec::new();
    for at in order {
        let taking = (0..asks.len()).filter(|step| asks[*step].takes(&applications[at]));
        let mut taking = taking.peekable();
        if taking.peek().is_none() {
            never.push(at);
        }
        for (nth, step) in taking.enumerate() {
            match nth {
                0 => steps[step].applications.push(at),
                _ => steps[step].also.push(at),
            }
        }
    }
    let mut reached = true;
    for (index, (step, ask)) in steps.iter_mut().zip(asks).enumerate() {
        // Those of no step count for the first.
        let others = if index == 0 { never.len() } else { 0 };
        step.at_once = ask.at_once(step.applications.len(), others);
        step.reached = reached;
        if reached {
            step.waves = waves(&step.applications, step.at_once, fail);
        }
        let fails = step.applications.iter().any(|at| fail.contains(at));
        let passes = step.applications.is_empty() || step.at_once > 0 && !fails;
        reached &= passes && step.dropped.is_empty();
    }
    Rollout { steps, never }
}

fn waves(applications: &[usize], at_once: usize, fail: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut waves = Vec::new();
    let (mut places, mut rest) = (at_once, applications);
    while !rest.is_empty() && places > 0 {
        let (wave, left) = rest.split_at(places.min(rest.len()));
        places -= wave.iter().filter(|at| fail.contains(at)).count();
        waves.push(wave.to_vec());
        rest = left;
    }
    waves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(env: &'static str, max_update: Option<MaxUpdate<'static>>) -> Ask<'static> {
        let expression = |operator, values| Expression {
            key: "env",
            operator,
            values,
        };
        Ask {
            expressions: match env {
                "" => Vec::new(),
                "!" => vec![expression("Exists", Vec::new())],
                env => vec![expression("In", vec![env])],
            },
            max_update,
        }
    }

    fn applications(all: &[(&'static str, &'static str)]) -> Vec<Application<'static>> {
        let one = |(name, env): &(&'static str, &'static str)| Application {
            name,
            labels: match *env {
                "" => Vec::new(),
                env => vec![("env", env)],
            },
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn steps_take_turns() {
        let apps = applications(&[("d", "dev"), ("b", "dev"), ("a", "prod"), ("c", "test")]);
        let half = Some(MaxUpdate::Text("34%"));
        let asks = [ask("dev", half), ask("prod", None), ask("dev", None)];
        let rollout = run(&asks, &apps, &[], &BTreeSet::new());
        // 34 % of three: the one of no step counts.
        assert_eq!(rollout.steps[0].at_once, 1);
        assert_eq!(rollout.steps[0].waves, [vec![1], vec![0]]);
        assert_eq!(rollout.steps[1].waves, [vec![2]]);
        assert_eq!(rollout.steps[2].also, [1, 0]);
        assert!(rollout.steps[2].reached && rollout.steps[2].waves.is_empty());
        assert_eq!(rollout.never, [3]);
    }

    #[test]
    fn a_step_that_syncs_none_is_never_left() {
        for (most, at_once) in [
            (MaxUpdate::Int(0), 0),
            (MaxUpdate::Int(-1), 0),
            (MaxUpdate::Text("0%"), 0),
            (MaxUpdate::Text("-5%"), 1),
            (MaxUpdate::Text("2"), 1),
            (MaxUpdate::Text("150%"), 4),
        ] {
            let apps = applications(&[("a", "dev"), ("b", "dev"), ("c", "prod")]);
            let rollout = run(
                &[ask("", Some(most)), ask("prod", None)],
                &apps,
                &[],
                &BTreeSet::new(),
            );
            assert_eq!(rollout.steps[0].at_once, at_once, "{most:?}");
            assert_eq!(rollout.steps[1].reached, at_once > 0, "{most:?}");
        }
    }

    #[test]
    fn an_operator_that_is_none_takes_those_without_the_label() {
        let apps = applications(&[("a", "dev"), ("b", "")]);
        let rollout = run(&[ask("!", None)], &apps, &[], &BTreeSet::new());
        assert_eq!(rollout.steps[0].applications, [1]);
        assert_eq!(rollout.never, [0]);
    }

    #[test]
    fn a_step_with_one_that_is_not_created_is_never_left() {
        let apps = applications(&[("a", "dev"), ("b", "test"), ("c", "prod"), ("d", "none")]);
        let asks = ["dev", "test", "prod"].map(|env| ask(env, None));
        let run = |dropped| run(&asks, &apps, &applications(dropped), &BTreeSet::new());
        let rollout = run(&[("x", "test")]);
        let reached: Vec<bool> = rollout.steps.iter().map(|step| step.reached).collect();
        assert_eq!(reached, [true, true, false]);
        assert_eq!(rollout.steps[1].waves, [vec![1]]);
        assert_eq!(rollout.steps[1].dropped, [0]);
        assert_eq!(rollout.never, [3]);
        // Without `maxUpdate` those of no step do not count.
        assert_eq!(rollout.steps[0].at_once, 1);
        assert!(run(&[("x", "none")]).steps.iter().all(|step| step.reached));
        // Also one whose first step is an earlier one, and a step that has nothing else.
        let asks = [ask("dev", None), ask("gone", None), ask("prod", None)];
        let dropped = applications(&[("x", "gone")]);
        let rollout = super::run(&asks, &apps, &dropped, &BTreeSet::new());
        assert!(rollout.steps[1].reached && !rollout.steps[2].reached);
    }

    #[test]
    fn one_that_fails_holds_its_place() {
        let apps = applications(&[("a", "x"), ("b", "x"), ("c", "x"), ("d", "y")]);
        let asks = [ask("x", Some(MaxUpdate::Int(2))), ask("y", None)];
        let rollout = run(&asks, &apps, &[], &BTreeSet::from([0]));
        assert_eq!(rollout.steps[0].waves, [vec![0, 1], vec![2]]);
        assert!(!rollout.steps[1].reached && rollout.steps[1].waves.is_empty());
        let rollout = run(&asks, &apps, &[], &BTreeSet::from([0, 1]));
        assert_eq!(rollout.steps[0].waves, [vec![0, 1]]);
    }
}
