//! Checks of single documents and of the model.

use rustc_hash::FxHashMap;

use super::{
    CLUSTER_STATUS, CLUSTER_WITHOUT_AGE, CLUSTER_WITHOUT_PROJECT, CONTRADICTORY_RULES,
    DUPLICATE_EXTREMUM, DUPLICATE_IDENTITY, LABEL_KEY, NO_IMAGE, NON_INTEGER_LABEL, REPEATED_RULE,
    WRONG_VALUE_COUNT,
};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::name;
use crate::kit::nearest::nearest;
use crate::ogc::describe::rule_text;
use crate::ogc::labels::Integer;
use crate::ogc::model::{Cluster, Model, Operator, Rule};
use crate::source::Place;

/// A second object of one identity.
pub(crate) fn twice(kind: &str, name: &str, place: Place, first: Place) -> Diagnostic {
    Diagnostic::new(
        &DUPLICATE_IDENTITY,
        format!("{kind} `{name}` is defined twice"),
    )
    .at(place, "defined again")
    .related(first, "first defined here")
    .help("remove or rename one of them")
}

/// Checks a Cluster's own document.
pub(crate) fn check_cluster(
    cluster: &Cluster<'_>,
    (unassigned, dated): (bool, bool),
    mut report: impl FnMut(Diagnostic),
) {
    let name = cluster.name;
    if unassigned {
        let message = format!("Cluster `{name}` is not assigned to a Project");
        report(
            Diagnostic::new(&CLUSTER_WITHOUT_PROJECT, message)
                .at(cluster.place, "nothing is ever planned on it")
                .help("name its Projects in `spec.projects`"),
        );
    }
    // A time that cannot be read is reported where it stands.
    if cluster.created.is_none() && !dated {
        let message = format!("Cluster `{name}` has no creation time");
        report(
            Diagnostic::new(&CLUSTER_WITHOUT_AGE, message)
                .at(cluster.place, "counts as the youngest")
                .help("add `creationTimestamp: \"2024-06-01T09:00:00Z\"` to its `metadata`"),
        );
    }
    let (place, there) = match cluster.status {
        None => (cluster.place, format!("Cluster `{name}` has no status")),
        Some((word, place)) if word != "Up" && reads_like_up(word.trim()) => (
            place,
            format!("Cluster `{name}` has the status `{word}`, which is not `Up`"),
        ),
        Some(_) => return,
    };
    report(
        Diagnostic::new(&CLUSTER_STATUS, there)
            .at(place, "counts as not Up")
            .help("write `status: {phase: Up}` if it is up"),
    );
}

/// Whether a status seems to be a slip for `Up`, or what other systems write for it.
fn reads_like_up(word: &str) -> bool {
    const UP: [&str; 6] = [
        "ready",
        "running",
        "healthy",
        "available",
        "active",
        "online",
    ];
    let lower = word.to_ascii_lowercase();
    word == "Up" || UP.contains(&lower.as_str()) || nearest(word, ["Up"]).is_some()
}

/// Checks the key of a label, or one that a rule looks for.
pub(crate) fn check_key(key: &str, place: Place, mut report: impl FnMut(Diagnostic)) {
    let Err(fault) = name::label_key(key) else {
        return;
    };
    report(
        Diagnostic::new(
            &LABEL_KEY,
            format!("`{key}` is not a valid label key: {fault}"),
        )
        .at(place, "this key")
        .help("correct the key in the labels and in the rules"),
    );
}

/// A container that nothing can be started from.
pub(crate) fn no_image(place: Place) -> Diagnostic {
    Diagnostic::new(&NO_IMAGE, "the container has no image")
        .at(place, "nothing to start")
        .help("add `image`, such as docker.io/library/nginx:1.25")
}

/// Checks the rules of one Package or Application.
pub(crate) fn check_rules(rules: &[Rule<'_>], owner: &str, mut report: impl FnMut(Diagnostic)) {
    for rule in rules {
        check_key(rule.key, rule.place, &mut report);
        let (least, most) = rule.operator.value_count();
        let given = rule.values.len();
        if given < least || most.is_some_and(|most| given > most) {
            let takes = match (least, most) {
                (0, _) => "no value",
                (_, Some(_)) => "exactly one value",
                (_, None) => "at least one value",
            };
            let word = rule.operator.word();
            let message = format!("{word} takes {takes}, but the rule has {given}");
            let help = match (rule.operator, given) {
                (Operator::Equals, 2..) => "use In for several values".to_owned(),
                (Operator::NotEquals, 2..) => "use NotIn for several values".to_owned(),
                (_, 0) => format!("add the values of `{}` that {word} should match", rule.key),
                _ => "remove `values`".to_owned(),
            };
            report(
                Diagnostic::new(&WRONG_VALUE_COUNT, message)
                    .at(rule.place, format!("{given} values"))
                    .help(help),
            );
        }
    }
    let mut extrema = rules.iter().filter(|rule| rule.operator.is_extremum());
    if let Some(first) = extrema.next() {
        for again in extrema {
            let message = format!("the {owner} has more than one MinOf or MaxOf");
            report(
                Diagnostic::new(&DUPLICATE_EXTREMUM, message)
                    .at(again.place, rule_text(again))
                    .related(first.place, format!("first: {}", rule_text(first)))
                    .help("keep one, even if their keys differ"),
            );
        }
    }
    // The different rules so far, by their keys: only those of one key can be the same or
    // contradict each other.
    let mut seen: FxHashMap<&str, Vec<&Rule<'_>>> = FxHashMap::default();
    let mut known: FxHashMap<_, &Rule<'_>> = FxHashMap::default();
    for rule in rules {
        let seen = seen.entry(rule.key).or_default();
        let what = (rule.key, rule.operator.word(), &rule.values);
        let same = known.get(&what).copied();
        if let Some(first) = same
            && !rule.operator.is_extremum()
        {
            let message = format!("the rule {} appears twice", rule_text(rule));
            report(
                Diagnostic::new(&REPEATED_RULE, message)
                    .at(rule.place, "again here")
                    .related(first.place, "first here")
                    .help("remove one of them"),
            );
        }
        if let Some(first) = seen.iter().find(|other| contradict(rule, other)) {
            let message = format!(
                "no Cluster can satisfy both {} and {}",
                rule_text(first),
                rule_text(rule)
            );
            report(
                Diagnostic::new(&CONTRADICTORY_RULES, message)
                    .at(rule.place, rule_text(rule))
                    .related(first.place, rule_text(first))
                    .help("remove one of them"),
            );
        }
        if same.is_none() {
            known.insert(what, rule);
            seen.push(rule);
        }
    }
}

/// Whether no set of label values complies with both of two rules. Equals a and Equals b do not
/// contradict each other: two Nodes may satisfy them.
fn contradict(a: &Rule<'_>, b: &Rule<'_>) -> bool {
    let demands = |rule: &Rule<'_>| {
        !matches!(
            rule.operator,
            Operator::NotExists | Operator::NotEquals | Operator::NotIn
        )
    };
    let one_way = |absent: &Rule<'_>, present: &Rule<'_>| match absent.operator {
        Operator::NotExists => demands(present),
        Operator::NotEquals | Operator::NotIn => {
            matches!(present.operator, Operator::Equals | Operator::In)
                && !present.values.is_empty()
                && present
                    .values
                    .iter()
                    .all(|value| absent.values.contains(value))
        }
        _ => false,
    };
    a.key == b.key && (one_way(a, b) || one_way(b, a))
}

/// Checks what takes several documents: labels that MinOf or MaxOf looks at and that are no
/// integers.
pub(crate) fn check_model(model: &Model<'_>, sink: &mut Sink) {
    let mut looked_at: FxHashMap<(u32, &str), &Rule<'_>> = FxHashMap::default();
    for package in &model.packages {
        let applications = &model.applications[package.applications.clone()];
        let own = applications
            .iter()
            .flat_map(|application| &application.rules);
        for rule in package
            .rules
            .iter()
            .chain(own)
            .filter(|rule| rule.operator.is_extremum())
        {
            looked_at.entry((package.project, rule.key)).or_insert(rule);
        }
    }
    if looked_at.is_empty() {
        return;
    }
    for cluster in &model.clusters {
        let own = cluster.labels.iter().map(|label| (label, None));
        let nodes = cluster.nodes.iter();
        let on_nodes = nodes.flat_map(|node| {
            node.labels
                .iter()
                .map(move |label| (label, Some(node.name)))
        });
        for (label, node) in own.chain(on_nodes) {
            let mut projects = cluster.projects.iter();
            let rule = projects.find_map(|project| looked_at.get(&(*project, label.key)));
            let Some(rule) = rule.filter(|_| Integer::parse(label.value).is_none()) else {
                continue;
            };
            let word = rule.operator.word();
            let mut object = Object::new(if node.is_some() { "Node" } else { "Cluster" }, "");
            node.unwrap_or(cluster.name).clone_into(&mut object.name);
            object.cluster = node.map(|_| cluster.name.to_owned());
            let message = format!(
                "label `{}` of {} `{}` is `{}`, which is not an integer",
                label.key, object.kind, object.name, label.value
            );
            sink.push(
                Diagnostic::new(&NON_INTEGER_LABEL, message)
                    .at(label.place, format!("{word} treats it as missing"))
                    .related(rule.place, "the rule that compares it")
                    .help("write digits only")
                    .object(object),
            );
        }
    }
}
