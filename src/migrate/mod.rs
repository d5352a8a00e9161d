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
mod shape;
mod target;
mod text;
mod texts;

pub use invent::Cluster;
pub use proof::Example;
pub use references::Reference;
pub use target::Limit;
pub use text::Unwritable;

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::placement_rule::read::Rule;
use crate::document::{Document, DocumentKind};
use crate::kit::cut::floor;
use crate::kit::named::Name;
use crate::ocm::lower::Head;
use crate::ocm::model::{GLOBAL_SET, SetSelector};
use crate::options::Options;
use crate::parallel;
use crate::repair::text::Replacement;
use crate::site::{self, Checked};
use crate::source::{Place, SourceId};
use crate::yaml::{Dialect, json};

use proof::Pair;
use references::Named;
use shape::shape;
use target::Target;
use text::Doc;
use texts::{Host, host};

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
    let rules: Vec<&Document<'_>> = documents
        .iter()
        .filter(|document| document.kind == DocumentKind::LegacyRule)
        .collect();
    maker.known = maker.judged(&rules);
    for document in rules {
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
        for document in documents.iter().filter(|one| one.generator().is_none()) {
            let text = sources.get(document.source()).text.as_str();
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
type ProofKey = (String, String);

struct Maker<'m, 'a> {
    site: &'m Checked<'a>,
    asked: &'m Asked,
    options: &'m Options,
    shared: &'m [Place],
    taken: BTreeSet<(String, String)>,
    known: BTreeMap<ProofKey, Verdict>,
    foreign_global: bool,
}

/// A rule and the Placement that would take its place.
struct Draft<'d, 'a> {
    rule: &'d Rule<'a>,
    doc: Doc<'a>,
    target: Target,
    limit: Option<Limit>,
    edits: Vec<Replacement>,
    /// The text of the Placement.
    placement: String,
}

impl<'a> Maker<'_, 'a> {
    /// The Placement for a rule, under this name.
    fn draft(&self, document: &Document<'a>, name: &str) -> Result<Draft<'_, 'a>, Reason> {
        let place = Head::of(document.node).place;
        let mut rules = self.site.delivery.rules.iter();
        let rule = rules.find(|rule| rule.id.place == place);
        let rule = rule.ok_or(Reason::Refused)?;
        let text = self.site.documents.sources.get(document.source());
        let doc = Doc::new(&text.text, document.node, self.shared).map_err(Reason::Text)?;
        let (target, limit) = target::target(rule, self.asked.by_taints);
        let edits = rewrite::placement(&doc, &target, name).map_err(Reason::Text)?;
        let placement = doc.edited(&edits).ok_or(Reason::Text(Unwritable::Form))?;
        Ok(Draft {
            rule,
            doc,
            target,
            limit,
            edits,
            placement,
        })
    }

    /// The verdict of each proof that these rules need. Rules of one shape share one that holds.
    fn judged(&self, documents: &[&Document<'a>]) -> BTreeMap<ProofKey, Verdict> {
        let jobs = self.options.jobs;
        let draft = |document: &Document<'a>| {
            let head = Head::of(document.node);
            self.draft(document, &self.name(head.namespace(), head.name))
                .ok()
        };
        let keyed = parallel::map(jobs, documents, |document| {
            let draft = draft(document)?;
            let key = known_by(&self.pair(document, &draft), draft.limit.as_ref());
            let spec = document.node.get("spec");
            let shape = spec.map(|spec| shape(&json(spec, Dialect::Kubernetes)));
            Some((key, (shape.unwrap_or_default(), *document)))
        });
        let rules: BTreeMap<ProofKey, (String, &Document<'a>)> =
            keyed.into_iter().flatten().rev().collect();
        let judge = |(key, (_, document)): &(&ProofKey, &(String, &Document<'a>))| {
            let draft = draft(document)?;
            let verdict = self.judge(&self.pair(document, &draft), &draft);
            Some(((*key).clone(), verdict))
        };
        let mut seen = BTreeSet::new();
        let (firsts, others): (Vec<_>, Vec<_>) =
            rules.iter().partition(|(_, (shape, _))| seen.insert(shape));
        let judged = parallel::map(jobs, &firsts, judge);
        let mut known: BTreeMap<ProofKey, Verdict> = judged.into_iter().flatten().collect();
        let proven = firsts.iter().filter_map(|(key, (shape, _))| {
            let verdict = known.get(*key)?;
            let holds = matches!(verdict, Verdict::Moves(proven) if proven.apart.is_none());
            holds.then(|| (shape, verdict.clone()))
        });
        let proven: BTreeMap<&String, Verdict> = proven.collect();
        let judged = parallel::map(jobs, &others, |rule| match proven.get(&rule.1.0) {
            Some(verdict) => Some((rule.0.clone(), verdict.clone())),
            None => judge(rule),
        });
        known.extend(judged.into_iter().flatten());
        known
    }

    fn pair<'d>(&'d self, document: &Document<'a>, draft: &'d Draft<'d, 'a>) -> Pair<'d, 'a> {
        Pair {
            site: self.site,
            options: self.options,
            rule: draft.rule,
            node: document.node,
            placement: &draft.placement,
            namespace: document.namespace(),
        }
    }

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
        let name = self.name(&moved.namespace, &moved.name);
        let draft = match self.draft(document, &name) {
            Ok(draft) => draft,
            Err(why) => {
                moved.verdict = Verdict::Stays(why, None);
                return moved;
            }
        };
        if let Some(other) = self.widened(&moved.namespace) {
            moved.verdict = Verdict::Stays(Reason::Widens(other), None);
            return moved;
        }
        let pair = self.pair(document, &draft);
        let verdict = self.known.get(&known_by(&pair, draft.limit.as_ref()));
        moved.verdict = match verdict {
            Some(verdict) => verdict.clone(),
            None => self.judge(&pair, &draft),
        };
        if let Verdict::Stays(Reason::Limit(limit), _) = &moved.verdict
            && limit.may_be_allowed()
            && self.is_allowed(&moved)
        {
            moved.verdict = Verdict::Moves(Proven {
                placement: String::new(),
                invented: 0,
                apart: None,
                cel: draft.target.cel.is_some(),
                clusters: None,
                limit: Some(limit.clone()),
            });
        }
        if let Verdict::Moves(proven) = &mut moved.verdict {
            let file = self.site.documents.sources.get(document.source());
            moved.host = host(&draft.doc, &file.name);
            moved.edits = draft.edits;
            proven.placement.clone_from(&name);
            self.taken.insert((moved.namespace.clone(), name));
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
        let whole = Name::new(&rule.namespace, &rule.name).to_string();
        let mut allow = self.asked.allow.iter();
        allow.any(|name| *name == rule.name || *name == whole)
    }

    fn judge(&self, pair: &Pair<'_, 'a>, draft: &Draft<'_, 'a>) -> Verdict {
        if let Some(limit) = &draft.limit {
            let example = pair.counterexample(draft.target.number);
            return Verdict::Stays(Reason::Limit(limit.clone()), example);
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
            cel: draft.target.cel.is_some(),
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
fn known_by(pair: &Pair<'_, '_>, limit: Option<&Limit>) -> ProofKey {
    let spec = pair.node.get("spec");
    let spec = spec.map(|spec| json(spec, Dialect::Kubernetes));
    let placement = proof::spec_of(pair.placement);
    (format!("{spec:?} {limit:?}"), format!("{placement:?}"))
}
