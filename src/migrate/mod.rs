//! From the PlacementRules of `apps.open-cluster-management.io/v1` to Placements: the texts, and
//! the proof that both select the same clusters. Nothing is written here.
//!
//! A rule is taken over where a Placement decides alike for whatever clusters there are. Both are
//! planned over invented clusters, the Placement from the very text that would be written. The
//! texts are then planned once more over the clusters at hand ([`Migration::settle`]).

mod invent;
mod proof;
mod references;
mod rewrite;
mod settle;
mod target;
mod text;

pub use invent::Cluster;
pub use proof::Example;
pub use references::Reference;
pub use target::Limit;
pub use text::Unwritable;

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::rule::Rule;
use crate::document::{Document, DocumentKind};
use crate::kit::cut::floor;
use crate::ocm::lower::Head;
use crate::ocm::model::{GLOBAL_SET, SetSelector};
use crate::options::Options;
use crate::repair::text::{Replacement, replaced};
use crate::site::{self, Checked};
use crate::source::{Place, SourceId};
use crate::yaml::{Dialect, json};

use proof::Pair;
use references::Named;
use text::Doc;

/// The most bytes of a name that is a label's value, too.
const NAME: usize = 63;
/// The suffix of a Placement's name.
const ENDING: &str = "-placement";

/// The options of a migration.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Availability by taints, not by conditions.
    pub by_taints: bool,
    /// Rules to migrate if both select the same given clusters: NAME or NAMESPACE/NAME.
    pub allow: Vec<String>,
}

/// The outcome for the rules of a site.
#[derive(Debug)]
pub struct Migration {
    /// The rules, in the order of their documents.
    pub rules: Vec<Moved>,
    /// The references to them, in the order of the documents.
    pub references: Vec<Reference>,
    /// Other decisions that change with the Placements: the object, and the clusters added and
    /// removed.
    pub others: Vec<String>,
    texts: BTreeMap<SourceId, String>,
    names: BTreeMap<SourceId, String>,
    /// The namespaces in which all clusters are bound already.
    bound: BTreeSet<String>,
}

/// A rule and its outcome.
#[derive(Debug)]
pub struct Moved {
    /// Its namespace, as it is read.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Where its name is.
    pub place: Place,
    /// The outcome for the rule.
    pub verdict: Verdict,
    edits: Vec<Replacement>,
    host: Option<Host>,
    /// Whether the namespace is written down.
    has_namespace: bool,
}

/// The outcome for a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It becomes a Placement.
    Moves(Proven),
    /// It stays.
    Stays(Reason, Option<Example>),
}

/// A Placement that decides as a rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// The name of the Placement.
    pub placement: String,
    /// The number of generated clusters; 0 if it is the same only over the given clusters.
    pub invented: usize,
    /// Where it comes to others: conditions by taints only.
    pub apart: Option<Example>,
    /// Whether it asks for conditions in CEL.
    pub cel: bool,
    /// The given clusters that both select; `None` if there is no cluster.
    pub clusters: Option<Vec<String>>,
    /// Why it is the same only for the given clusters, if it is.
    pub limit: Option<Limit>,
}

/// Why a rule stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// No Placement always decides alike.
    Limit(Limit),
    /// Its document is refused.
    Refused,
    /// The set of all clusters has another selector.
    GlobalSet,
    /// Its text cannot be edited.
    Text(Unwritable),
    /// Its namespace needs a binding, and no file can take one.
    Binding,
    /// Its namespace needs a binding, which would give this Placement more clusters.
    Widens(String),
    /// The Placement comes to other invented clusters.
    Apart,
    /// The Placement cannot be planned.
    Unplanned,
    /// It asks for more than generated clusters can cover.
    Terms,
    /// The Placement comes to other clusters at hand: those that it alone has, those that it lacks.
    Here(Vec<String>, Vec<String>),
    /// There is no cluster to compare them on.
    NoClusters,
}

impl Reason {
    /// The word of the JSON form.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Limit(limit) => limit.word(),
            Self::Refused => "refused",
            Self::GlobalSet => "globalSet",
            Self::Text(Unwritable::Aliases) => "aliases",
            Self::Text(Unwritable::Comments) => "comments",
            Self::Text(Unwritable::Form) => "form",
            Self::Binding => "binding",
            Self::Widens(_) => "widens",
            Self::Apart => "apart",
            Self::Unplanned => "unplanned",
            Self::Terms => "terms",
            Self::Here(..) => "inventory",
            Self::NoClusters => "noClusters",
        }
    }
}

/// Where the binding of a namespace can be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    /// A document of its own, at this offset.
    Document(usize),
    /// An item of a list in lines: the column of its dash, and the offset.
    Item(usize, usize),
    /// An item of a list in brackets, at this offset.
    Flow(usize),
}

/// Computes the outcome for the rules of a site.
#[must_use]
pub fn migrate(site: &Checked<'_>, asked: &Asked, options: &Options) -> Migration {
    let documents = site::before_hub(site.loaded);
    let shared = site.loaded.shared();
    let sources = site.documents.sources;
    let mut migration = Migration {
        rules: Vec::new(),
        references: Vec::new(),
        others: Vec::new(),
        texts: BTreeMap::new(),
        names: BTreeMap::new(),
        bound: bound(site),
    };
    let mut maker = Maker {
        site,
        asked,
        options,
        shared: &shared,
        taken: taken(site),
        known: BTreeMap::new(),
        foreign_global: has_foreign_global(site),
    };
    for document in documents
        .iter()
        .filter(|document| document.kind == DocumentKind::LegacyRule)
    {
        let moved = maker.moved(document);
        migration.rules.push(moved);
    }
    let mut named = Vec::new();
    for (number, rule) in migration.rules.iter().enumerate() {
        if let Verdict::Moves(proven) = &rule.verdict {
            let rule = Named {
                namespace: &rule.namespace,
                name: &rule.name,
                new: &proven.placement,
            };
            named.push((number, rule));
        }
    }
    let mut found = Vec::new();
    if !named.is_empty() {
        for document in documents.iter().filter(|one| one.generator.is_none()) {
            let text = sources.get(document.source).text.as_str();
            found.extend(references::of(document, text, &shared, &named));
        }
    }
    migration.references = found;
    let rules = migration.rules.iter().map(|rule| rule.place.source);
    let references = migration.references.iter().map(|one| one.place.source);
    for source in rules.chain(references).collect::<BTreeSet<_>>() {
        let file = sources.get(source);
        migration.texts.insert(source, file.text.clone());
        migration.names.insert(source, file.name.clone());
    }
    migration.without_host();
    migration
}

/// The namespaces that the set of all clusters is bound to.
fn bound(site: &Checked<'_>) -> BTreeSet<String> {
    let bindings = site.ocm.bindings.iter();
    let global = bindings.filter(|binding| binding.name == GLOBAL_SET);
    global.map(|binding| binding.namespace.to_owned()).collect()
}

/// Names that a Placement cannot have, by namespace: those of Placements, and of rules, whose pages
/// of decisions would be called alike.
fn taken(site: &Checked<'_>) -> BTreeSet<(String, String)> {
    let placements = site.ocm.placements.iter();
    let placements = placements.map(|one| (one.namespace.to_owned(), one.name.to_owned()));
    let rules = site.delivery.rules.iter();
    let rules = rules.map(|one| (one.id.namespace.to_owned(), one.id.name.to_owned()));
    placements.chain(rules).collect()
}

/// Whether a document gives the set of all clusters another selector. A hub restores it; what the
/// documents say is something else.
fn has_foreign_global(site: &Checked<'_>) -> bool {
    site.ocm.sets.iter().any(|set| {
        let all = match &set.selector {
            SetSelector::Labels(Some(selector), _) => selector.is_empty(),
            SetSelector::Labels(None, _) | SetSelector::Exclusive => false,
        };
        set.name == GLOBAL_SET && !all
    })
}

/// The key under which rules share one proof: both sides as text.
type Known = (String, String);

struct Maker<'m, 'a> {
    site: &'m Checked<'a>,
    asked: &'m Asked,
    options: &'m Options,
    shared: &'m [Place],
    taken: BTreeSet<(String, String)>,
    known: BTreeMap<Known, Verdict>,
    foreign_global: bool,
}

impl<'a> Maker<'_, 'a> {
    fn moved(&mut self, document: &Document<'a>) -> Moved {
        let head = Head::of(document.node);
        let mut moved = Moved {
            namespace: head.namespace().to_owned(),
            name: head.name.to_owned(),
            place: head.place,
            verdict: Verdict::Stays(Reason::Refused, None),
            edits: Vec::new(),
            host: None,
            has_namespace: document.namespace().is_some(),
        };
        let rules = self.site.delivery.rules.iter();
        let own = |rule: &&Rule<'a>| rule.id.place == head.place;
        let Some(rule) = { rules }.find(own) else {
            return moved;
        };
        let text = self.site.documents.sources.get(document.source);
        let doc = match Doc::new(&text.text, document.node, self.shared) {
            Ok(doc) => doc,
            Err(why) => {
                moved.verdict = Verdict::Stays(Reason::Text(why), None);
                return moved;
            }
        };
        let name = self.name(&moved.namespace, &moved.name);
        let (target, limit) = target::target(rule, self.asked.by_taints);
        let edits = match rewrite::placement(&doc, &target, &name) {
            Ok(edits) => edits,
            Err(why) => {
                moved.verdict = Verdict::Stays(Reason::Text(why), None);
                return moved;
            }
        };
        let Some(placement) = doc.edited(&edits) else {
            moved.verdict = Verdict::Stays(Reason::Text(Unwritable::Form), None);
            return moved;
        };
        let pair = Pair {
            site: self.site,
            options: self.options,
            rule,
            node: document.node,
            placement: &placement,
            namespace: document.namespace(),
        };
        if let Some(other) = self.widened(&moved.namespace) {
            moved.verdict = Verdict::Stays(Reason::Widens(other), None);
            return moved;
        }
        let cel = target.cel.is_some();
        let known = known_by(&pair, limit.as_ref());
        moved.verdict = match self.known.get(&known) {
            Some(verdict) => verdict.clone(),
            None => {
                let verdict = self.judge(&pair, target.number, limit, cel);
                self.known.insert(known, verdict.clone());
                verdict
            }
        };
        if let Verdict::Stays(Reason::Limit(limit), _) = &moved.verdict
            && limit.may_be_allowed()
            && self.is_allowed(&moved)
        {
            moved.verdict = Verdict::Moves(Proven {
                placement: String::new(),
                invented: 0,
                apart: None,
                cel,
                clusters: None,
                limit: Some(limit.clone()),
            });
        }
        if let Verdict::Moves(proven) = &mut moved.verdict {
            self.taken.insert((moved.namespace.clone(), name.clone()));
            proven.placement = name;
            moved.host = host(&doc, &text.name);
            moved.edits = edits;
        }
        moved
    }

    /// A Placement that takes clusters of all sets of its namespace, where the set of all clusters
    /// is not bound yet.
    fn widened(&self, namespace: &str) -> Option<String> {
        let bindings = &self.site.ocm.bindings;
        let is_bound = |name| {
            let mut all = bindings.iter();
            all.any(|one| one.namespace == namespace && one.name == name)
        };
        if is_bound(GLOBAL_SET) {
            return None;
        }
        let placements = self.site.ocm.placements.iter();
        let mut placements = placements.filter(|one| one.namespace == namespace);
        let open = placements.find(|one| one.cluster_sets.is_empty())?;
        Some(open.name.to_owned())
    }

    fn is_allowed(&self, rule: &Moved) -> bool {
        let whole = format!("{}/{}", rule.namespace, rule.name);
        let mut allow = self.asked.allow.iter();
        allow.any(|name| *name == rule.name || *name == whole)
    }

    fn judge(
        &self,
        pair: &Pair<'_, 'a>,
        number: Option<i64>,
        limit: Option<Limit>,
        cel: bool,
    ) -> Verdict {
        if let Some(limit) = limit {
            return Verdict::Stays(Reason::Limit(limit), pair.counterexample(number));
        }
        if self.foreign_global {
            return Verdict::Stays(Reason::GlobalSet, None);
        }
        let Some(clusters) = invent::clusters(pair.rule) else {
            return Verdict::Stays(Reason::Terms, None);
        };
        let Some((invented, apart)) = pair.prove(&clusters) else {
            return Verdict::Stays(Reason::Unplanned, None);
        };
        if apart.is_some() && !self.asked.by_taints {
            return Verdict::Stays(Reason::Apart, apart);
        }
        Verdict::Moves(Proven {
            placement: String::new(),
            invented,
            apart,
            cel,
            clusters: None,
            limit: None,
        })
    }

    /// A name that nothing of the namespace has.
    fn name(&self, namespace: &str, name: &str) -> String {
        let cut = |text: &str, most: usize| {
            text[..floor(text, most)]
                .trim_end_matches(['-', '.'])
                .to_owned()
        };
        let base = format!("{name}{ENDING}");
        let endings = std::iter::once(String::new()).chain((2..).map(|n: u32| format!("-{n}")));
        let mut names = endings.map(|ending| cut(&base, NAME - ending.len()) + &ending);
        let free = |name: &String| !self.taken.contains(&(namespace.to_owned(), name.clone()));
        names.find(free).unwrap_or(base)
    }
}

/// The key of a proof: its answer depends on the text of both sides alone.
fn known_by(pair: &Pair<'_, '_>, limit: Option<&Limit>) -> Known {
    let spec = pair.node.get("spec");
    let spec = spec.map(|spec| json(spec, Dialect::Kubernetes));
    let placement = proof::spec_of(pair.placement);
    (format!("{spec:?} {limit:?}"), format!("{placement:?}"))
}

/// Where a binding can be put beside a document.
fn host(doc: &Doc<'_>, file: &str) -> Option<Host> {
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
    fn without_host(&mut self) {
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
