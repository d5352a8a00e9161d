//! The built-in advisors and their options, read from an advisor's `rules`.

use std::borrow::Cow;

use super::super::model::{BuiltIn, Rank, Reference};
use super::super::rules;
use super::rule::Draft;
use super::{given, selector, text};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// The word of the advisor of ours that `rules` or the name implies.
pub(super) fn implied<'a>(draft: &Draft<'a>, advisor: usize) -> Option<&'a str> {
    let rules = draft.rules(advisor);
    let asks = |key: &str| rules.is_some_and(|rules| given(rules, key).is_some());
    if asks("resourceHint") {
        return Some("resourceHint");
    } else if asks("policies") {
        return Some("policies");
    } else if asks("cost") {
        return Some("cost");
    } else if asks("matchLabels") || asks("matchExpressions") {
        return Some("labels");
    }
    let name = draft.rule.advisors[advisor].name;
    matches!(name, "alphabet" | "veto" | "cost").then_some(name)
}

/// The advisor of this word; none if its options make no sense.
pub(super) fn named<'a>(
    draft: &Draft<'a>,
    advisor: usize,
    word: &str,
    sink: &mut Sink,
) -> Option<BuiltIn<'a>> {
    let rules = draft.rules(advisor);
    let options = |key: &str| rules.and_then(|rules| given(rules, key));
    let mut note = |place: Place, message: String, help: Cow<'static, str>| {
        let found = Diagnostic::new(&rules::ADVISOR_OPTION, message)
            .at(place, "this option")
            .help(help)
            .object(draft.object());
        sink.push(found);
    };
    Some(match word {
        "resourceHint" => {
            let options = options("resourceHint");
            let kind = options.and_then(|options| given(options, "type"));
            let resource = match text(kind) {
                "" => "cpu",
                text => text,
            };
            if let Some(kind) = kind.filter(|_| !matches!(resource, "cpu" | "memory")) {
                let message = format!("resourceHint ranks by cpu or memory, not `{resource}`");
                note(
                    kind.place(),
                    message,
                    "write `type: cpu` or `type: memory`".into(),
                );
            }
            let rank = rank(options, true, &mut note);
            BuiltIn::ResourceHint { resource, rank }
        }
        "cost" => {
            let options = options("cost");
            let label = match text(options.and_then(|options| given(options, "label"))) {
                "" => "cost",
                text => text,
            };
            let rank = rank(options, false, &mut note);
            BuiltIn::Cost { label, rank }
        }
        "policies" => {
            let items = options("policies").into_iter().flat_map(Node::items);
            let names = items.map(|item| text(item.get("name")));
            BuiltIn::Policies(names.filter(|name| !name.is_empty()).collect())
        }
        "labels" => {
            let mut fault = None;
            let made = rules.and_then(|rules| {
                selector(rules, &mut |place, message| fault = Some((place, message)))
            });
            if let Some((place, message)) = fault {
                let message = format!("the labels advisor cannot use its selector: {message}");
                let found = Diagnostic::new(&rules::ADVISOR_OPTION, message)
                    .severity(Severity::Error)
                    .not_refusing()
                    .at(place, "this requirement")
                    .help("correct it; until then the advisor has no answer")
                    .object(draft.object());
                sink.push(found);
                return None;
            }
            BuiltIn::Labels(made.unwrap_or_default())
        }
        "alphabet" => BuiltIn::Alphabet,
        "veto" => {
            let items = options("resources").into_iter().flat_map(Node::items);
            let resource = |item: Node<'a>| Reference {
                name: text(item.get("name")),
                namespace: text(item.get("namespace")),
                place: item.place(),
                ..Reference::default()
            };
            BuiltIn::Veto(items.map(resource).collect())
        }
        _ => return None,
    })
}

/// `order` and `scored`.
fn rank(
    options: Option<Node<'_>>,
    descending: bool,
    note: &mut dyn FnMut(Place, String, Cow<'static, str>),
) -> Rank {
    let option = |key: &str| options.and_then(|options| given(options, key));
    let order = option("order");
    let descending = match text(order) {
        "asc" => false,
        "desc" => true,
        other => {
            if let Some(order) = order {
                let default = if descending { "desc" } else { "asc" };
                let message = format!("`order` is asc or desc, not `{other}`");
                let help = format!("write one of them; until then `{default}` is used");
                note(order.place(), message, help.into());
            }
            descending
        }
    };
    let scored = option("scored");
    let truth = scored.and_then(|scored| scored.scalar(Dialect::Kubernetes));
    if let (Some(scored), false) = (scored, matches!(truth, Some(Scalar::Bool(_)))) {
        let message = "`scored` is true or false".to_owned();
        note(
            scored.place(),
            message,
            "write `true` or `false`; until then false is used".into(),
        );
    }
    Rank {
        descending,
        scored: matches!(truth, Some(Scalar::Bool(true))),
    }
}
