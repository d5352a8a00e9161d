//! The files as they become: the edits of rules and references, and the bindings beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::text::Doc;
use super::{Migration, Moved, Reason, Reference, Verdict};
use crate::repair::text::{Replacement, replaced};
use crate::source::SourceId;

/// Where the binding of a namespace can be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// A document of its own, at this offset.
    Document(usize),
    /// An item of a list in lines: the column of its dash, and the offset.
    Item(usize, usize),
    /// An item of a list in brackets, at this offset.
    Flow(usize),
}

/// Where a binding can be put beside a document.
pub(super) fn host(doc: &Doc<'_>, file: &str) -> Option<Host> {
    let start = doc.root.span().start as usize;
    let before = doc.text[..start].trim_end();
    let line = &doc.text[doc.line_start(start)..start];
    let last = doc.last(doc.root);
    if doc.root.is_flow() {
        let listed = before.ends_with(['[', ',']);
        return listed.then_some(Host::Flow(last));
    }
    if line.is_empty() && !file.ends_with(".json") {
        let mut at = doc.next_line(last);
        while at < doc.text.len() && !doc.text[at..].starts_with("---") {
            if doc.text[at..].starts_with("...") {
                break;
            }
            at = doc.next_line(at);
        }
        return Some(Host::Document(at));
    }
    let dash = line.find('-')?;
    let is_item = line[..dash].trim().is_empty() && line[dash + 1..].trim().is_empty();
    is_item.then(|| Host::Item(dash, doc.next_line(last)))
}

impl Migration {
    /// The texts of the files that change, by their names: before and after.
    #[must_use]
    pub fn texts(&self) -> BTreeMap<String, (String, String)> {
        let mut edits: BTreeMap<SourceId, Vec<Replacement>> = BTreeMap::new();
        let moves = |rule: &Moved| matches!(rule.verdict, Verdict::Moves(_));
        for rule in self.rules.iter().filter(|rule| moves(rule)) {
            let own = edits.entry(rule.place.source).or_default();
            own.extend(rule.edits.iter().cloned());
        }
        for reference in self.rewritten() {
            let own = edits.entry(reference.place.source).or_default();
            own.extend(reference.edits.iter().cloned());
        }
        for rule in self.hosts().filter_map(|(_, rule)| rule) {
            let own = edits.entry(rule.place.source).or_default();
            own.extend(self.binding(rule));
        }
        let one = |(source, edits)| {
            let before = self.texts.get(&source)?;
            let after = replaced(before, edits)?;
            let name = self.names.get(&source)?.clone();
            Some((name, (before.clone(), after)))
        };
        edits.into_iter().filter_map(one).collect()
    }

    /// Whether every rule moves, and nothing is left to do by hand.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let mut rules = self.rules.iter();
        rules.all(|rule| matches!(rule.verdict, Verdict::Moves(_)))
            && self.by_hand().next().is_none()
            && self.others.is_empty()
    }

    /// Whether the texts must not be written: something else would decide otherwise, and no
    /// reference that is left to do by hand can be the reason.
    #[must_use]
    pub fn is_harmful(&self) -> bool {
        !self.others.is_empty() && self.by_hand().next().is_none()
    }

    /// The references that are rewritten.
    pub fn rewritten(&self) -> impl Iterator<Item = &Reference> {
        let all = self.references.iter();
        all.filter(|one| one.by_hand.is_none() && self.moves(one.rule))
    }

    /// The references that somebody has to change.
    pub fn by_hand(&self) -> impl Iterator<Item = &Reference> {
        let all = self.references.iter();
        all.filter(|one| one.by_hand.is_some() && self.moves(one.rule))
    }

    /// The namespaces that get a binding of all clusters, and the file.
    pub fn bindings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.hosts().filter_map(|(namespace, rule)| {
            let file = self.names.get(&rule?.place.source)?;
            Some((namespace, file.as_str()))
        })
    }

    fn moves(&self, rule: usize) -> bool {
        matches!(self.rules[rule].verdict, Verdict::Moves(_))
    }

    /// The namespaces that need a binding, each with the rule that it is put beside.
    fn hosts(&self) -> impl Iterator<Item = (&str, Option<&Moved>)> {
        let mut hosts: BTreeMap<&str, Option<&Moved>> = BTreeMap::new();
        for rule in &self.rules {
            let needed =
                matches!(rule.verdict, Verdict::Moves(_)) && !self.bound.contains(&rule.namespace);
            if needed {
                let host = hosts.entry(&rule.namespace).or_default();
                *host = host.or(rule.host.is_some().then_some(rule));
            }
        }
        hosts.into_iter()
    }

    /// Keeps the rules of namespaces whose binding has no place.
    pub(super) fn without_host(&mut self) {
        let homeless = self.hosts().filter(|(_, rule)| rule.is_none());
        let homeless: BTreeSet<String> = homeless.map(|(name, _)| name.to_owned()).collect();
        for rule in &mut self.rules {
            let moves = matches!(rule.verdict, Verdict::Moves(_));
            if moves && homeless.contains(&rule.namespace) {
                rule.verdict = Verdict::Stays(Reason::Binding, None);
            }
        }
    }

    /// The binding of all clusters, beside a rule.
    fn binding(&self, rule: &Moved) -> Option<Replacement> {
        let text = self.texts.get(&rule.place.source)?;
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let namespace = rule.has_namespace.then_some(rule.namespace.as_str());
        let mut lines = vec![
            "apiVersion: cluster.open-cluster-management.io/v1beta2".to_owned(),
            "kind: ManagedClusterSetBinding".to_owned(),
            "metadata:".to_owned(),
            "  name: global".to_owned(),
        ];
        lines.extend(namespace.map(|name| format!("  namespace: {}", quoted(name))));
        lines.extend(["spec:", "  clusterSet: global"].map(str::to_owned));
        let ended = |at: usize| {
            if at > 0 && !text[..at].ends_with('\n') {
                newline
            } else {
                ""
            }
        };
        Some(match rule.host? {
            Host::Document(at) => {
                let mut out = format!("{}---{newline}", ended(at));
                for line in lines {
                    out.push_str(&line);
                    out.push_str(newline);
                }
                (at..at, out)
            }
            Host::Item(column, at) => {
                let mut out = ended(at).to_owned();
                for (line, number) in lines.iter().zip(0..) {
                    let lead = if number == 0 { "- " } else { "  " };
                    out.push_str(&format!("{:column$}{lead}{line}{newline}", ""));
                }
                (at..at, out)
            }
            Host::Flow(at) => {
                let namespace = namespace.map(|name| format!(", \"namespace\": \"{name}\""));
                let namespace = namespace.unwrap_or_default();
                let out = format!(
                    ", {{\"apiVersion\": \"cluster.open-cluster-management.io/v1beta2\", \
                     \"kind\": \"ManagedClusterSetBinding\", \"metadata\": {{\"name\": \
                     \"global\"{namespace}}}, \"spec\": {{\"clusterSet\": \"global\"}}}}"
                );
                (at..at, out)
            }
        })
    }
}

/// A name in YAML, quoted where it could be read as something else.
fn quoted(name: &str) -> String {
    crate::repair::text::written(&name.into())
}
