//! Checks over the documents of one file together.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::kit::nearest::{did_you_mean, nearest, within};
use crate::kit::plural::plural;
use crate::kit::safe::shell_word;
use crate::senlin::Regions;
use crate::senlin::engine::{self, Check, Failure, Input, Outcome, Problem};
use crate::senlin::model::{Action, ActionKind, Cluster, DocumentSet, Policy};

use super::{
    CAPS_BELOW_MIN_SIZE, INCOMPLETE_SET, NEGATIVE_WEIGHT, OVERDRAFT, UNKNOWN_ACTION,
    UNKNOWN_REGION, UNPLACEABLE, UNUSABLE_NUMBER, ZERO_WEIGHT_SUM, request, shown,
};

/// Checks a set. With `validating`, regions that do not exist are errors, as they are when a
/// policy is created; a plan merely skips them, and says what a file lacks for one.
pub(in crate::senlin) fn check(set: &DocumentSet<'_>, validating: bool, sink: &mut Sink) {
    if let Some(policy) = &set.policy {
        weights(policy, sink);
        if let Some(cluster) = &set.cluster {
            unknown_regions(policy, cluster, validating, sink);
            caps(policy, cluster, sink);
        }
    }
    if let Some(action) = &set.action {
        known_action(action, sink);
        request::check(action, set.cluster.as_ref(), sink);
    }
    if !validating && Check::of(set).is_none() {
        incomplete(set, sink);
    }
}

/// Findings of the policy checks: where one breaks upstream, the documents are at fault.
pub fn planned(regions: &Regions<'_, '_>, sink: &mut Sink) {
    for planned in &regions.planned {
        overdrafts(planned.check, &planned.outcome, sink);
    }
    for (check, failure) in &regions.failed {
        sink.push(failed(*check, *failure));
    }
}

/// Checks that end with an error: the regions have no room for the requested nodes.
pub fn unplaceable(regions: &Regions<'_, '_>, sink: &mut Sink) {
    for planned in regions.planned.iter().filter(|planned| planned.fails()) {
        let policy = planned.check.policy;
        let path = &planned.set.path;
        let message = format!(
            "the regions of `{path}` have no room for the nodes that the action \
                               requests"
        );
        sink.push(
            Diagnostic::new(&UNPLACEABLE, message)
                .at(policy.regions_place, "too little room")
                .help(format!(
                    "`planner why {}` gives every reason",
                    shell_word(path)
                )),
        );
    }
}

fn weights(policy: &Policy<'_>, sink: &mut Sink) {
    for region in policy.regions.iter().filter(|region| region.weight < 0) {
        let message = format!("region `{}` has the weight {}", region.name, region.weight);
        sink.push(
            Diagnostic::new(&NEGATIVE_WEIGHT, message)
                .at(
                    region.weight_place.unwrap_or(region.place),
                    "a weight below zero",
                )
                .help("write 0 for a region that should receive no nodes"),
        );
    }
}

fn unknown_regions(policy: &Policy<'_>, cluster: &Cluster<'_>, validating: bool, sink: &mut Sink) {
    let unknown = || {
        let pairs = policy.regions.iter().zip(&cluster.known);
        pairs
            .filter(|(_, known)| !**known)
            .map(|(region, _)| region)
    };
    let mut names: Vec<&str> = unknown().map(|region| &*region.name).collect();
    let Some(first) = unknown().next() else {
        return;
    };
    names.sort_unstable();
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let upstream = format!(
        "The specified regions '[{}]' could not be found.",
        quoted.join(", ")
    );
    let message = match names.as_slice() {
        [one] => format!("region `{one}` is not among the known regions"),
        [one, more @ ..] => {
            format!(
                "region `{one}` and {} more are not among the known regions",
                more.len()
            )
        }
        [] => return,
    };
    let mut found = Diagnostic::new(&UNKNOWN_REGION, message)
        .at(first.place, "the policy names it here")
        .upstream(upstream)
        .help("a plan skips regions that do not exist; correct the name or remove it")
        .not_refusing();
    if let Some(place) = cluster.known_place {
        found = found.related(place, "the regions that exist");
    }
    if !validating {
        found = found.severity(Severity::Note);
    }
    sink.push(found);
}

/// Whether the cluster could ever grow to its smallest size.
fn caps(policy: &Policy<'_>, cluster: &Cluster<'_>, sink: &mut Sink) {
    let usable = || {
        let pairs = policy.regions.iter().zip(&cluster.known);
        pairs.filter(|(_, known)| **known).map(|(region, _)| region)
    };
    let room: Option<i128> = usable().map(|region| region.cap()).sum();
    let (Some(room), Some(_)) = (room, usable().next()) else {
        return;
    };
    if room < cluster.min_size {
        let least = cluster.min_size;
        sink.push(
            Diagnostic::new(
                &CAPS_BELOW_MIN_SIZE,
                format!(
                    "the regions have room for at most {}, fewer than min_size {least}",
                    plural(room, "node")
                ),
            )
            .at(policy.regions_place, format!("the caps add up to {room}"))
            .related(
                cluster.place,
                format!("this cluster needs at least {least}"),
            )
            .help("raise a cap or leave one out, or lower min_size"),
        );
    }
}

fn known_action(action: &Action<'_>, sink: &mut Sink) {
    const ACTIONS: [&str; 4] = [
        "CLUSTER_SCALE_OUT",
        "CLUSTER_SCALE_IN",
        "CLUSTER_RESIZE",
        "NODE_CREATE",
    ];
    // Actions of upstream's own that no region policy is asked about.
    const OTHERS: [&str; 2] = ["CLUSTER_CREATE", "NODE_DELETE"];
    if action.kind != ActionKind::Other || OTHERS.contains(&action.name) {
        return;
    }
    let name = action.name.to_uppercase().replace(['-', ' '], "_");
    let near = nearest(action.name, ACTIONS).filter(|near| within(near, &name, 2));
    let bare = |known: &&str| {
        let known = known.strip_prefix("CLUSTER_");
        known.is_some_and(|known| within(known, &name, 1))
    };
    if let Some(near) = near.or_else(|| ACTIONS.into_iter().find(bare)) {
        sink.push(
            Diagnostic::new(
                &UNKNOWN_ACTION,
                format!("no policy applies to `{}`", action.name),
            )
            .at(action.name_place, "this action")
            .help(did_you_mean(near)),
        );
    }
}

fn incomplete(set: &DocumentSet<'_>, sink: &mut Sink) {
    let parts = [
        ("policy", set.policy.as_ref().map(|policy| policy.place)),
        ("cluster", set.cluster.as_ref().map(|cluster| cluster.place)),
        ("action", set.action.as_ref().map(|action| action.place)),
        ("profile", set.profile.as_ref().map(|profile| profile.place)),
    ];
    let missing: Vec<&str> = parts
        .iter()
        .filter(|(word, place)| place.is_none() && *word != "profile")
        .map(|(word, _)| *word)
        .collect();
    let Some((word, place)) = parts
        .iter()
        .find_map(|(word, place)| Some((word, (*place)?)))
    else {
        return;
    };
    sink.push(
        Diagnostic::new(
            &INCOMPLETE_SET,
            format!("no {} in this file", missing.join(" and no ")),
        )
        .at(place, format!("the {word} is here"))
        .help(match missing.as_slice() {
            ["action"] => {
                "add one: `{type: senlin.action, version: 1.0, properties: {action: \
                 CLUSTER_SCALE_OUT, inputs: {count: 1}}}`"
            }
            _ => "planner needs the policy, the cluster and the action in one file",
        }),
    );
}

fn overdrafts(check: Check<'_, '_>, outcome: &Outcome, sink: &mut Sink) {
    for (at, over) in outcome.overdrafts(check.cluster) {
        let position = outcome.usable[at] as usize;
        let region = &check.policy.regions[position];
        let (asked, nodes) = (-outcome.change(at), check.cluster.nodes[position]);
        sink.push(
            Diagnostic::new(
                &OVERDRAFT,
                format!(
                    "region `{}` loses {} but has {nodes}",
                    region.name,
                    plural(asked, "node")
                ),
            )
            .at(region.place, format!("{over} more than exist"))
            .related(check.action.place, "the action requests them")
            .help("upstream accepts this plan; delete fewer nodes, or list all their regions"),
        );
    }
}

fn failed(check: Check<'_, '_>, failure: Failure) -> Diagnostic {
    let (input, problem) = match failure {
        Failure::ZeroSum => {
            return Diagnostic::new(
                &ZERO_WEIGHT_SUM,
                "the weights of the usable regions add up to 0",
            )
            .at(check.policy.regions_place, "no share can be computed")
            .upstream("ZeroDivisionError")
            .help("give one usable region a weight above 0");
        }
        Failure::Input(input, problem) => (input, problem),
    };
    let name = input_name(input);
    let field = engine::field(check.action, input).unwrap_or_default();
    let found = shown(field);
    let (message, help) = match problem {
        Problem::Missing => {
            let key = name.rsplit('.').next().unwrap_or_default();
            let help = format!("write {name}, such as `{key}: 1`");
            (format!("{name} is missing"), help)
        }
        Problem::Null => (
            format!("{name} is null"),
            "write an integer, or remove the key".to_owned(),
        ),
        Problem::NotInteger => (
            format!("{name} `{found}` is not an integer within ±10^30"),
            "write an integer without quotes".to_owned(),
        ),
        Problem::NotNumber => (
            format!("{name} `{found}` is not a usable number"),
            "write a number without quotes".to_owned(),
        ),
        Problem::NotBoolean => (
            format!("{name} `{found}` is neither true nor false"),
            "write `true` or `false`".to_owned(),
        ),
        Problem::NotMap => (
            format!("{name} is not a mapping"),
            format!("write `{name}: {{}}`"),
        ),
    };
    Diagnostic::new(&UNUSABLE_NUMBER, message)
        .at(field.place, "the action cannot be planned with this")
        .help(help)
}

fn input_name(input: Input) -> &'static str {
    match input {
        Input::Count => "inputs.count",
        Input::Number => "inputs.number",
        Input::MinSize => "inputs.min_size",
        Input::MaxSize => "inputs.max_size",
        Input::MinStep => "inputs.min_step",
        Input::Strict => "inputs.strict",
        Input::CreationCount => "data.creation.count",
        Input::DeletionCount => "data.deletion.count",
        Input::Creation => "data.creation",
        Input::Deletion => "data.deletion",
    }
}
