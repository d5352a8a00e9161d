//! `AdvisorAnswers` documents, and the source of each advisor's answer.

use std::collections::BTreeMap;

use super::super::model::{AnswerForm, BuiltIn, Command, Entry, Source};
use super::super::rules;
use super::rule::{Draft, recommendations};
use super::{built_in, given, integer, json, reference, text};
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::document::Document;
use crate::yaml::Node;

const FORMS: [&str; 4] = ["recommendations", "perCandidates", "builtin", "command"];
/// Seconds a command may take if it does not say.
const TIMEOUT_SECONDS: u64 = 30;

/// Reads the entries of a document that its schema has accepted.
pub(super) fn entries<'a>(document: &Document<'a>, all: &mut Vec<Entry<'a>>, sink: &mut Sink) {
    let node = document.node;
    let object = || Object::new("AdvisorAnswers", document.name().unwrap_or(""));
    let rule = node
        .at(&["spec", "placementRule"])
        .map(reference)
        .filter(|rule| !rule.name.is_empty());
    let list = node.at(&["spec", "advisors"]);
    for (index, item) in list.into_iter().flat_map(Node::items).enumerate() {
        let name = item.get("name").unwrap_or(item);
        let advisor = text(item.get("name"));
        let forms: Vec<&str> = { FORMS.into_iter() }
            .filter(|form| given(item, form).is_some())
            .collect();
        let pointer = format!("/spec/advisors/{index}");
        let [form] = forms[..] else {
            let what = match forms.len() {
                0 => "no answer".to_owned(),
                _ => format!("several answers: {}", forms.join(", ")),
            };
            let message = format!("the entry for advisor `{advisor}` has {what}");
            sink.push(
                Diagnostic::new(&rules::ANSWER_FORM, message)
                    .at(name.place(), "this entry")
                    .help(format!("give exactly one of {}", FORMS.join(", ")))
                    .pointer(pointer)
                    .object(object()),
            );
            continue;
        };
        if form != "perCandidates"
            && let Some((key, _)) = item
                .entry("otherwise")
                .filter(|(_, value)| !value.is_null())
        {
            let message = format!("`otherwise` has no effect with `{form}`");
            sink.push(
                Diagnostic::new(&rules::ANSWER_FORM, message)
                    .severity(Severity::Warning)
                    .at(key.place(), "this list is never read")
                    .help("remove it, or give `perCandidates`")
                    .pointer(format!("{pointer}/otherwise"))
                    .object(object()),
            );
        }
        if let Some(answer) = given(item, form).and_then(|value| answer(form, item, value)) {
            all.push(Entry {
                advisor,
                rule,
                answer,
                place: name.place(),
            });
        }
    }
}

fn answer<'a>(form: &str, item: Node<'a>, value: Node<'a>) -> Option<AnswerForm<'a>> {
    Some(match form {
        "recommendations" => AnswerForm::Static(recommendations(value)),
        "perCandidates" => AnswerForm::PerCandidates {
            cases: value.items().map(case).collect(),
            otherwise: given(item, "otherwise").map(recommendations),
        },
        "builtin" => AnswerForm::BuiltIn(value.text()?),
        _ => {
            let argv = value.get("argv")?;
            let timeout = integer(value.get("timeoutSeconds"));
            AnswerForm::Command(Command {
                argv: argv.items().filter_map(Node::text).collect(),
                timeout_seconds: timeout
                    .and_then(|seconds| u64::try_from(seconds).ok())
                    .unwrap_or(TIMEOUT_SECONDS),
                place: argv.place(),
            })
        }
    })
}

fn case(item: Node<'_>) -> (Vec<&str>, Vec<super::super::model::Recommendation<'_>>) {
    let names = given(item, "candidates").into_iter().flat_map(Node::items);
    let mut names: Vec<&str> = names.filter_map(Node::text).collect();
    names.sort_unstable();
    let list = given(item, "recommendations").map(recommendations);
    (names, list.unwrap_or_default())
}

/// Two entries that say they are for the same advisor of the same rules are an error.
pub(super) fn check_ranks(entries: &[Entry<'_>], sink: &mut Sink) {
    let mut first = BTreeMap::new();
    for entry in entries {
        let rule = entry.rule.map(|rule| (rule.namespace, rule.name));
        match first.entry((entry.advisor, rule)) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(entry);
            }
            std::collections::btree_map::Entry::Occupied(slot) => {
                sink.push(equal(slot.get(), entry, None));
            }
        }
    }
}

fn equal(first: &Entry<'_>, second: &Entry<'_>, rule: Option<&Draft<'_>>) -> Diagnostic {
    let mut message = format!(
        "two answers of the same rank for advisor `{}`",
        second.advisor
    );
    if let Some(draft) = rule {
        message.push_str(&format!(" of {}", super::super::subject(&draft.rule)));
    }
    let found = Diagnostic::new(&rules::EQUAL_ANSWERS, message)
        .at(second.place, "the second answer")
        .related(first.place, "the first answer")
        .help("remove one of them, or name the rule it is for in `spec.placementRule`");
    match rule {
        Some(draft) => found.object(draft.object()),
        None => found,
    }
}

/// Finds for every advisor where its answers come from.
pub(super) fn connect<'a>(drafts: &mut [Draft<'a>], entries: &[Entry<'a>], sink: &mut Sink) {
    let mut by_advisor: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        by_advisor.entry(entry.advisor).or_default().push(index);
    }
    for draft in drafts {
        let mut commands = false;
        for advisor in 0..draft.rule.advisors.len() {
            let name = draft.rule.advisors[advisor].name;
            let candidates = by_advisor.get(name).map_or(&[][..], Vec::as_slice);
            let found = entry(draft, candidates, entries, sink);
            if let Some(AnswerForm::Command(_)) = found.map(|index| &entries[index].answer) {
                let rules = draft.rules(advisor).map_or_else(
                    || serde_json::Value::Object(serde_json::Map::new()),
                    json::value,
                );
                draft.rule.advisors[advisor].rules_json = rules.to_string();
                commands = true;
            }
            draft.rule.advisors[advisor].source = source(draft, advisor, found, entries, sink);
        }
        if commands {
            let part = |key| {
                draft
                    .node
                    .get(key)
                    .map_or(serde_json::Value::Null, json::value)
            };
            draft.rule.json.metadata = part("metadata").to_string();
            draft.rule.json.spec = part("spec").to_string();
        }
    }
}

/// The entry for one advisor: one that names the rule before one for every rule.
fn entry(
    draft: &Draft<'_>,
    candidates: &[usize],
    entries: &[Entry<'_>],
    sink: &mut Sink,
) -> Option<usize> {
    let names_rule = |index: &&usize| {
        entries[**index].rule.is_some_and(|rule| {
            rule.name == draft.rule.name
                && (rule.namespace.is_empty() || rule.namespace == draft.rule.namespace)
        })
    };
    let mut specific = candidates.iter().filter(names_rule);
    if let Some(&first) = specific.next() {
        let written = |index: usize| entries[index].rule.map_or("", |rule| rule.namespace);
        for &second in specific {
            // Equal references have been found already.
            if written(first) != written(second) {
                sink.push(equal(&entries[first], &entries[second], Some(draft)));
            }
        }
        return Some(first);
    }
    let mut general = candidates.iter().filter(|&&i| entries[i].rule.is_none());
    general.next().copied()
}

fn source<'a>(
    draft: &Draft<'a>,
    advisor: usize,
    entry: Option<usize>,
    entries: &[Entry<'a>],
    sink: &mut Sink,
) -> Source<'a> {
    let made = |built_in: Option<BuiltIn<'a>>| built_in.map_or(Source::Silent, Source::BuiltIn);
    if let Some(index) = entry {
        return match &entries[index].answer {
            AnswerForm::BuiltIn(word) => made(built_in::named(draft, advisor, word, sink)),
            _ => Source::Entry(index),
        };
    }
    let name = draft.rule.advisors[advisor].name;
    if let Some(list) = draft.recommendations(name) {
        return Source::Status(recommendations(list));
    }
    let word = built_in::implied(draft, advisor);
    made(word.and_then(|word| built_in::named(draft, advisor, word, sink)))
}
