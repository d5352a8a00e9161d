//! Drift in words: what a screen, a comment and a finding say alike.

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::secret;
use crate::drift::{Because, Decision, Drift, Next, Why};
use crate::hub::called;
use crate::hub::fields::Field;
use crate::hub::rules;
use crate::kit::named::Name;
use crate::kit::plural::{first_names, plural};
use crate::kit::safe::shell_word;
use crate::render::text::columns;

/// Clusters that are named; more are counted.
const NAMED: usize = 5;

/// A value in a table: texts as they are, all else as JSON, long ones cut.
fn value(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => flow(other),
    };
    cut(&text)
}

/// A value as JSON on one line. A narrow table breaks it at the spaces after colons and commas.
fn flow(value: &Value) -> String {
    let members = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", members(items.iter().map(flow).collect())),
        Value::Object(entries) => {
            let entry =
                |(key, value)| format!("{}: {}", Value::from(String::as_str(key)), flow(value));
            format!("{{{}}}", members(entries.iter().map(entry).collect()))
        }
        plain => plain.to_string(),
    }
}

/// Two lists without the items that both have, which `…` stands for.
fn distinct(git: &[Value], hub: &[Value]) -> [String; 2] {
    let own = |of: &[Value], other: &[Value]| {
        let own = of.iter().filter(|item| !other.contains(item)).map(flow);
        let shared = of.iter().any(|item| other.contains(item));
        let parts = shared.then(|| "…".to_owned()).into_iter().chain(own);
        format!("[{}]", parts.collect::<Vec<_>>().join(", "))
    };
    [own(git, hub), own(hub, git)]
}

/// Columns of a value in a table beyond which only the part is shown that differs.
const LONG: usize = 48;
/// Columns of such a part, at most.
const MOST: usize = 160;
/// Characters that are shown before a difference within a long word.
const BEFORE: usize = 12;
/// Objects of one kind, and causes, that are named; more are counted.
const FEW: usize = 3;

fn cut(text: &str) -> String {
    let mut used = 0;
    let mut wide = text.char_indices().filter(|(_, character)| {
        used += columns(character.encode_utf8(&mut [0; 4]));
        used > MOST
    });
    match wide.next() {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Two values of a field side by side. Of long ones only the part is shown in which they differ:
/// all else would fill the table with what is the same.
#[must_use]
pub fn values(field: &Field) -> [String; 2] {
    let (Some(git), Some(hub)) = (&field.git, &field.hub) else {
        return [value(field.git.as_ref()), value(field.hub.as_ref())];
    };
    pair(field, git, hub)
}

fn pair(field: &Field, git: &Value, hub: &Value) -> [String; 2] {
    // Nothing but values of Secrets differs.
    if let Some(note) = secret::note(git).filter(|_| git == hub) {
        return [note, note].map(str::to_owned);
    }
    let text = |of: &Value| of.as_str().map_or_else(|| flow(of), str::to_owned);
    let whole = [text(git), text(hub)];
    match &field.part {
        None if whole.iter().any(|text| columns(text) > LONG) => match (git, hub) {
            (Value::Array(git), Value::Array(hub)) if git.iter().any(|item| hub.contains(item)) => {
                distinct(git, hub).map(|text| cut(&text))
            }
            _ => side_by_side(whole),
        },
        Some(part) if whole.iter().any(|text| columns(text) > LONG) => {
            let both = side_by_side([text(&part.git), text(&part.hub)]);
            both.map(|value| format!("…{}: {value}", part.key))
        }
        _ => side_by_side(whole),
    }
}

fn side_by_side(both: [String; 2]) -> [String; 2] {
    if both.iter().all(|text| columns(text) <= LONG) {
        return both.map(|text| cut(&text));
    }
    let alike = both[0].chars().zip(both[1].chars());
    let alike: String = alike.take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    // From the beginning of the word that differs, if the difference is in sight from there.
    let mut start = alike.rfind(['{', '[', ',', ' ']).map_or(0, |at| at + 1);
    if columns(&alike[start..]) > LONG / 2 {
        let mut last = alike.char_indices().rev();
        start = last.nth(BEFORE).map_or(0, |(at, _)| at);
    }
    both.map(|text| match start {
        0 => cut(&text),
        start => format!("…{}", cut(&text[start..])),
    })
}

/// The manager that changed a field, the time, and whether the change stays.
#[must_use]
pub fn by(field: &Field) -> String {
    let who = writer(field);
    if field.stays {
        format!("{who}; stays")
    } else {
        who
    }
}

fn writer(field: &Field) -> String {
    match &field.by {
        Some((by, at)) => format!("{by}, {}", minute(at)),
        None => "-".to_owned(),
    }
}

/// The two values of a field in a sentence.
fn in_words(field: &Field) -> [String; 2] {
    let is_set = |of: &&Value| !of.is_null();
    let (git, hub) = (field.git.as_ref(), field.hub.as_ref());
    match (git.filter(is_set), hub.filter(is_set)) {
        (Some(git), Some(hub)) => pair(field, git, hub),
        both => [both.0, both.1].map(|of| match of {
            None => "not set".to_owned(),
            of => value(of),
        }),
    }
}

/// A time to the minute, as it is written.
fn minute(at: &str) -> String {
    let short = at.get(..16).unwrap_or(at);
    short.replace('T', " ")
}

/// Clusters by name, the first of them.
#[must_use]
pub fn names(clusters: &[String]) -> String {
    first_names(clusters.iter(), NAMED)
}

/// The clusters added and removed: `+ oslo, - lyon`.
#[must_use]
pub fn moves(added: &[String], removed: &[String]) -> String {
    let part = |sign: &str, clusters: &[String]| {
        (!clusters.is_empty()).then(|| format!("{sign} {}", names(clusters)))
    };
    let parts = [part("+", added), part("-", removed)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Why a decision is otherwise.
#[must_use]
pub fn why(decision: &Decision) -> String {
    let by = match &decision.by {
        Some((by, _)) => format!(" (by {by})"),
        None => String::new(),
    };
    let words = cause(decision.why);
    format!("{words}{by}")
}

fn cause(why: Why) -> &'static str {
    match why {
        Why::Deleting => "the Placement is being deleted",
        Why::Disabled => "scheduling disabled",
        Why::Edited => "a decision was edited",
        Why::Gone => "the clusters are gone",
        Why::StalePage => "a page is left over",
        Why::Behind => "the controller has not run since",
        Why::Resync => "due within 10 minutes: Placements decided later",
    }
}

/// A cause of what the next sync changes.
#[must_use]
pub fn because(because: &Because) -> String {
    match because {
        Because::Due(why @ Why::Resync) => cause(*why).to_owned(),
        Because::Due(why) => format!("overdue: {}", cause(*why)),
        Because::Comes(object) | Because::Unknown(object) | Because::Goes(object) => {
            format!("{} is {}", called(object), change(because))
        }
        Because::Field { object, field } => {
            let name = field.name();
            let what = match name.strip_prefix("metadata.labels.") {
                Some(label) => format!("label {label} of {}", object.name),
                None => format!("{name} of {}", called(object)),
            };
            let [git, hub] = in_words(field);
            let values = format!("{hub} on the hub, {git} in Git");
            match field.by.as_ref().filter(|_| !field.applied) {
                Some((by, _)) => format!("{what} was changed by hand by {by}: {values}"),
                None => format!("{what} no longer matches Git: {values}"),
            }
        }
    }
}

/// The change of an object that is a cause.
fn change(because: &Because) -> &'static str {
    match because {
        Because::Unknown(_) => "not in the export",
        Because::Goes(_) => "deleted",
        _ => "not on the hub yet",
    }
}

/// The causes of what the next sync changes; many of one sort are counted.
#[must_use]
pub fn causes(next: &Next) -> String {
    let mut sorts: Vec<((&str, &str), Vec<String>)> = Vec::new();
    let mut others = Vec::new();
    for one in &next.because {
        let (Because::Comes(object) | Because::Unknown(object) | Because::Goes(object)) = one
        else {
            others.push(because(one));
            continue;
        };
        let sort = (object.kind.as_str(), change(one));
        let namespace = object.namespace.as_deref().unwrap_or_default();
        let name = Name::new(namespace, &object.name).to_string();
        match sorts.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, names)) => names.push(name),
            None => sorts.push((sort, vec![name])),
        }
    }
    if others.len() > FEW {
        let more = others.len() - FEW;
        others.truncate(FEW);
        others.push(plural(more, "more change"));
    }
    others.extend(
        sorts
            .iter()
            .map(|((kind, change), names)| match names.as_slice() {
                [name] => format!("{kind} {name} is {change}"),
                _ => {
                    let count = plural(names.len(), kind);
                    let named = first_names(names.iter(), FEW);
                    format!("{count} ({named}) are {change}")
                }
            }),
    );
    if others.is_empty() {
        "several changes together".to_owned()
    } else {
        others.join("; ")
    }
}

/// The drift as findings, at the line in the documents where there is one.
#[must_use]
pub fn findings(drift: &Drift) -> Sink {
    let mut sink = Sink::default();
    for (object, field) in &drift.fields {
        let [git, hub] = in_words(field);
        let message = format!(
            "`{}` of {} is {hub} on the hub, {git} in these documents",
            field.name(),
            called(object),
        );
        let who = match &field.by {
            Some(_) => format!("written by {}; ", writer(field)),
            None => String::new(),
        };
        let help = if field.stays {
            format!("{who}the next apply keeps it")
        } else {
            format!("{who}the next apply restores the document")
        };
        let mut found = Diagnostic::new(&rules::DRIFT_FIELD, message)
            .at(field.place, "differs on the hub")
            .help(help)
            .object(object.clone());
        if let Some(place) = field.hub_place {
            found = found.related(place, "on the hub");
        }
        sink.push(found);
    }
    for (object, place) in &drift.missing {
        let message = format!("{} is not on the hub", called(object));
        sink.push(
            Diagnostic::new(&rules::DRIFT_MISSING, message)
                .at(*place, "missing on the hub")
                .help("apply it, or find out who deleted it")
                .object(object.clone()),
        );
    }
    for gone in &drift.extra {
        sink.push(
            Diagnostic::new(&rules::DRIFT_EXTRA, gone.message())
                .at(gone.place, "on the hub")
                .help("add it again, or let it be deleted")
                .object(gone.object.clone()),
        );
    }
    for decision in &drift.decisions {
        let name = Name::new(&decision.namespace, &decision.placement).to_string();
        let message = format!(
            "the decisions of {name} contradict the hub's objects: {}; {}",
            why(decision),
            moves(&decision.added, &decision.removed)
        );
        sink.push(
            Diagnostic::new(&rules::DRIFT_DECISION, message)
                .at(decision.place, "leads to other decisions")
                .help(format!(
                    "`planner why {} --hub FILE` gives every reason",
                    shell_word(&name)
                )),
        );
    }
    for next in &drift.next {
        let name = Name::new(&next.namespace, &next.placement).to_string();
        let message = format!(
            "the next sync changes {name}: {} ({})",
            moves(&next.added, &next.removed),
            causes(next)
        );
        let mut found = Diagnostic::new(&rules::DRIFT_NEXT, message);
        if let Some(place) = next.place {
            found = found.at(place, "this placement");
        }
        sink.push(found);
    }
    sink
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_begin_where_they_differ() {
        let long = |end: &str| format!("[{{\"requiredClusterSelector\":{{\"labelSelector\":{end}");
        let both = [
            long("{\"matchLabels\":1}"),
            long("{\"matchExpressions\":2}"),
        ];
        let wanted = ["…\"matchLabels\":1}", "…\"matchExpressions\":2}"];
        assert_eq!(side_by_side(both), wanted);
        let short = ["a".to_owned(), "ab".to_owned()];
        assert_eq!(side_by_side(short.clone()), short);
        let word = |end: &str| format!("{}{end}{}", "x".repeat(60), "y".repeat(60));
        let [one, other] = side_by_side([word("1"), word("2")]);
        assert!(one.starts_with("…xxx") && one.contains("x1y"), "{one}");
        assert!(other.contains("x2y"), "{other}");
        let [one, other] = side_by_side(["é".repeat(MOST + 20), "x".to_owned()]);
        assert_eq!((one.chars().count(), &*other), (MOST + 1, "x"));
    }

    #[test]
    fn of_long_lists_the_items_are_shown_that_differ() {
        let item = |of: &str| serde_json::json!({"requiredClusterSelector": {"labelSelector": of}});
        let lists = [vec![item("a")], vec![item("b"), item("a")]];
        let wanted = "[…, {\"requiredClusterSelector\": {\"labelSelector\": \"b\"}}]";
        assert_eq!(distinct(&lists[0], &lists[1]), ["[…]", wanted]);
    }

    #[test]
    fn a_value_is_cut_at_the_columns_that_it_takes() {
        let wide = "札幌".repeat(MOST / 2);
        assert_eq!(columns(&cut(&wide)), MOST + 1);
        assert_eq!(cut("札幌"), "札幌");
    }
}
