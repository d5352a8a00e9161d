//! The Applications that templates make: those that are not created, and odd ones.

use std::collections::BTreeMap;

use crate::delivery::application_set::argo::destination::Dropped;
use crate::delivery::application_set::argo::run::Odd;
use crate::delivery::application_set::findings::{Seen, some};
use crate::delivery::findings::say::say;
use crate::delivery::rules::{
    APPLICATION_NAME, DESTINATION, DUPLICATE_APPLICATION, HUB_DESTINATION, PULL, TEMPLATE_LANGUAGE,
    TEMPLATE_PARAMETER,
};
use crate::diagnostic::Sink;
use crate::kit::plural::plural;
use crate::source::Place;

/// Applications that are not made.
pub(super) fn dropped(seen: Seen<'_, '_>, sink: &mut Sink) {
    let id = &seen.row.id;
    let names = &seen.deliveries.ground.names;
    let cluster = |own: Option<u32>| own.map_or("a set of parameters", |at| names.name(at));
    let mut twice: BTreeMap<&str, (Place, Vec<&str>)> = BTreeMap::new();
    let mut bad: BTreeMap<Place, Vec<&str>> = BTreeMap::new();
    let mut refused: BTreeMap<(Place, String, &str), usize> = BTreeMap::new();
    for left in &seen.about.left {
        match &left.why {
            Dropped::Twice(name) => {
                let entry = twice.entry(name).or_insert((left.place, Vec::new()));
                entry.1.push(cluster(left.own));
            }
            Dropped::Name(name) => bad.entry(left.place).or_default().push(name),
            // A GitOpsCluster that was refused may register it.
            Dropped::Unregistered(_) if seen.model.doubt.registers(id.namespace) => {}
            why => {
                let (message, help) = destination(why);
                *refused.entry((left.place, message, help)).or_default() += 1;
            }
        }
    }
    let several = twice.len();
    if let Some((name, (place, clusters))) = twice.into_iter().next() {
        let more = match several - 1 {
            0 => String::new(),
            more => format!(" (and {} like it)", plural(more, "name")),
        };
        let message = format!(
            "{} all generate Application `{name}`: none is created{more}",
            some(&clusters)
        );
        let help = "put `{{name}}` into the name";
        sink.push(say(
            &DUPLICATE_APPLICATION,
            id,
            (place, "generates the same name twice"),
            message,
            help,
        ));
    }
    for (place, names) in bad {
        let first = names[0];
        let dotted = first.contains("{{.");
        let message = match names.len() {
            1 => format!("`{first}` is not a valid name: the Application is not created"),
            many => format!("`{first}` is not a valid name: {many} Applications are not created"),
        };
        let found = if dotted {
            let help = "write `{{name}}` without a dot, or set `goTemplate: true`";
            say(
                &TEMPLATE_LANGUAGE,
                id,
                (place, "a Go template"),
                message,
                help,
            )
        } else {
            let help = match () {
                () if first.contains("nameNormalized") => {
                    "clusterDecisionResource provides no `nameNormalized`; write `name`"
                }
                () if first.contains("{{") || first.contains("<no value>") => {
                    "name a parameter that the generator provides, such as `name` or `clusterName`"
                }
                () => "use at most 253 lower-case letters, digits, `-` and `.`",
            };
            say(
                &APPLICATION_NAME,
                id,
                (place, "sets the name"),
                message,
                help,
            )
        };
        sink.push(found);
    }
    for ((place, message, help), count) in refused {
        let what = match count {
            1 => "no Application is created".to_owned(),
            many => format!("{many} Applications are not created"),
        };
        let message = format!("{message}: {what}");
        sink.push(say(
            &DESTINATION,
            id,
            (place, "this destination"),
            message,
            help,
        ));
    }
}

/// Why a destination is refused, and what to do.
fn destination(why: &Dropped) -> (String, &'static str) {
    match why {
        Dropped::Both => (
            "`destination` has both `name` and `server`".to_owned(),
            "keep one of them",
        ),
        Dropped::Neither => (
            "`destination` has neither `name` nor `server`".to_owned(),
            "write `name: '{{name}}'`",
        ),
        Dropped::Address(text) if text.contains("{{") => (
            format!("`destination.server` is `{text}`, which no generator replaces"),
            "write `name: '{{name}}'`",
        ),
        Dropped::Address(text) => (
            format!("`destination.server` is `{text}`, a name instead of an address"),
            "write `name: '{{name}}'`",
        ),
        Dropped::Unregistered(name) | Dropped::Name(name) | Dropped::Twice(name) => (
            format!("Argo CD knows no cluster `{name}`"),
            "write `name: '{{name}}'`, or register the cluster",
        ),
    }
}

/// Reports the oddities of generated Applications.
pub(super) fn odd(seen: Seen<'_, '_>, sink: &mut Sink) {
    let id = &seen.row.id;
    for (what, place) in &seen.about.odd {
        let (rule, message, help) = match what {
            Odd::Tag(name) => (
                &TEMPLATE_PARAMETER,
                format!("no generator provides the parameter `{name}`: the tag stays unreplaced"),
                "correct the name, or add it to the `values` of the generator",
            ),
            Odd::Dotted(name) => (
                &TEMPLATE_LANGUAGE,
                format!("`{{{{{name}}}}}` is a Go template, but `goTemplate` is not set"),
                "write it without the dot, or set `goTemplate: true`",
            ),
            Odd::HalfPulled => (
                &PULL,
                "a cluster pulls an Application only if it has both the pull label and the \
                 cluster annotation"
                    .to_owned(),
                "add the missing one, or remove this one",
            ),
            Odd::NotTrue(text) => (
                &PULL,
                format!("the pull label is `{text}`, not `true`: no cluster pulls the Application"),
                "write \"true\"",
            ),
            Odd::NotSkipped => (
                &PULL,
                "the cluster pulls the Application, but Argo CD on the hub deploys it as well"
                    .to_owned(),
                "add the annotation `argocd.argoproj.io/skip-reconcile: \"true\"`",
            ),
            Odd::PulledByHub => (
                &PULL,
                "the hub would pull an Application from itself, which the controller \
                 skips"
                    .to_owned(),
                "leave the hub out of the Placement",
            ),
            Odd::PulledByNobody(name) => (
                &PULL,
                format!("`{name}` should pull an Application, but is not a ManagedCluster"),
                "write the name of a ManagedCluster",
            ),
        };
        sink.push(say(rule, id, (*place, "here"), message, help));
    }
    // One that is to be pulled goes to the hub for want of what is missing there.
    let pulled = |(what, _): &(Odd, Place)| matches!(what, Odd::HalfPulled | Odd::NotTrue(_));
    if seen.about.here > 1 && !seen.about.odd.iter().any(pulled) {
        let template = seen.set.set.templates.first();
        let place = template.map_or(id.place, |template| template.destination);
        let message = format!(
            "{} Applications are deployed to the hub itself",
            seen.about.here
        );
        let help = "write `server: '{{server}}'`, or set up pulling";
        sink.push(say(
            &HUB_DESTINATION,
            id,
            (place, "is the hub"),
            message,
            help,
        ));
    }
}
