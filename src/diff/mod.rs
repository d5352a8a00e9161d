//! The difference between the plans of two states of a site: what moves, and what made it move.
//! Data only.

mod causes;
mod decisions;
mod documents;
mod failures;
mod findings;
mod groups;
mod items;
mod path;
mod places;
mod proof;
mod run;
mod trials;
mod without;

pub use decisions::{Decisions, Subject, decisions, keep, of_rows};
pub use findings::{FoundIn, findings};
pub use groups::{Caused, Change as Changed, Effect};
pub use path::path;
pub use run::State;
pub use without::{remarks, without};

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diagnostic::Object;
use crate::document::{Documents, secret};
use crate::options::Options;
use crate::plan::Assignment;
use crate::yaml::{self, Node};

use causes::{Side, applied, confirmed, undone};
use documents::{Change, Event, changes};
use places::{Places, makers};
use proof::{proven, without_needless};
use trials::Trials;

/// A value of more nodes than this is shown by its size.
const LARGE: usize = 64;

/// The differences between two plans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diff {
    /// The moves: those with a common cause together, the largest group first; the rest in the
    /// order in which a site comes up, then by name.
    pub moves: Vec<Move>,
    /// The causes of the moves, each once.
    pub causes: Vec<Cause>,
    /// How many decisions are the same.
    pub unchanged: usize,
}

/// A decision that has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The subject of the decision.
    pub subject: Subject,
    /// The decision before; none where there was nothing to decide.
    pub from: Option<Assignment>,
    /// The decision now; none where there is nothing left to decide.
    pub to: Option<Assignment>,
    /// Whether it is a group that keeps its place among the others.
    pub in_order: bool,
    /// The causes: indexes of `Diff::causes`, ascending.
    pub because: Vec<usize>,
    /// Whether planning again with exactly these changes reverted undid the move.
    pub confirmed: bool,
    /// Volumes that it leaves on other clusters: `PersistentVolumeClaim data-db-0 on dublin`.
    pub volumes_left: Vec<String>,
    /// Why there is no answer now.
    pub error: Option<String>,
}

/// A change in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// The kind of cause: `label`, `rule`, `status`, a kind for a whole document, else `field`.
    pub what: String,
    /// The document.
    pub object: Object,
    /// JSON Pointer, in the later document where the value is in it.
    pub pointer: String,
    /// The same for people, list items by name; empty for a whole document.
    pub path: String,
    /// The value before; none where there was none.
    pub before: Option<Value>,
    /// The value now; none where there is none.
    pub after: Option<Value>,
    /// File and line, in the later state where it is there.
    pub at: Option<(String, usize)>,
    /// The kustomizations that make the document, by name.
    pub roots: Vec<String>,
}

/// Finds the moves between two states of a site, and their causes. Refused documents take no part.
#[must_use]
pub fn compare(old: &State<'_, '_>, new: &State<'_, '_>, options: &Options) -> Diff {
    let options = &Options {
        keep_going: true,
        ..options.clone()
    };
    let moves = moves(&old.decisions, &new.decisions, true);
    let mut diff = Diff {
        unchanged: new.decisions.len(),
        ..Diff::default()
    };
    let there = |moved: &&Move| moved.to.is_some();
    diff.unchanged -= moves.iter().filter(there).count();
    if moves.is_empty() {
        return diff;
    }
    let (earlier, later) = (&old.site.documents, &new.site.documents);
    let changes = changes(earlier, later);
    let before = Side::new(old.site, later.sources);
    let after = Side::new(new.site, earlier.sources);
    let because = because(&moves, [old, new], &changes, &before, &after, options);
    let used: BTreeSet<usize> = because.iter().flat_map(|(all, _)| all).copied().collect();
    let used: BTreeMap<usize, usize> = used.into_iter().zip(0..).collect();
    let places = Places::new(&changes, old.site, new.site);
    let causes = used.keys().map(|at| {
        let change = &changes[*at];
        Cause {
            at: places.of(change),
            roots: makers(change, old.site, new.site),
            ..cause(change)
        }
    });
    diff.causes = causes.collect();
    diff.moves = moves;
    for (moved, (all, confirmed)) in diff.moves.iter_mut().zip(because) {
        moved.because = all.iter().map(|at| used[at]).collect();
        moved.confirmed = confirmed;
    }
    groups::sort(&mut diff.moves);
    diff
}

/// The moves between two plans of which only the decisions are known: without causes, and
/// regardless of the terms that groups are judged by.
#[must_use]
pub fn between(old: &Decisions, new: &Decisions) -> Diff {
    let moves = moves(old, new, false);
    let there = moves.iter().filter(|moved| moved.to.is_some()).count();
    Diff {
        unchanged: new.len() - there,
        moves,
        causes: Vec::new(),
    }
}

/// The changed decisions, with or without the terms of groups; causes are not yet known.
fn moves(old: &Decisions, new: &Decisions, judged: bool) -> Vec<Move> {
    let stay = in_step(old, new);
    let mut moves = Vec::new();
    for (subject, from, to) in side_by_side(old, new) {
        let same = match (from, to) {
            (Some(Assignment::Group { .. }), Some(Assignment::Group { .. })) => {
                let counts = |facet: &Facet| judged || *facet == Facet::Nodes;
                stay.contains(subject) && !facets(from, to).iter().any(counts)
            }
            (from, to) => from == to,
        };
        if !same {
            moves.push(Move {
                subject: subject.clone(),
                from: from.cloned(),
                to: to.cloned(),
                in_order: stay.contains(subject),
                because: Vec::new(),
                confirmed: false,
                volumes_left: Vec::new(),
                error: None,
            });
        }
    }
    moves
}

/// The decisions of both sides, in the order of the subjects.
fn side_by_side<'d>(
    old: &'d Decisions,
    new: &'d Decisions,
) -> impl Iterator<Item = (&'d Subject, Option<&'d Assignment>, Option<&'d Assignment>)> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (old.peek(), new.peek()) {
            (Some((before, _)), Some((after, _))) => before.cmp(after),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let from = if order.is_le() { old.next() } else { None };
        let to = if order.is_ge() { new.next() } else { None };
        let (subject, _) = from.or(to)?;
        Some((subject, from.map(|(_, from)| from), to.map(|(_, to)| to)))
    })
}

/// The changed parts of a group, without its place among the others.
fn facets(from: Option<&Assignment>, to: Option<&Assignment>) -> Vec<Facet> {
    let (
        Some(Assignment::Group {
            nodes: before,
            terms: were,
            ..
        }),
        Some(Assignment::Group { nodes, terms, .. }),
    ) = (from, to)
    else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if before != nodes {
        all.push(Facet::Nodes);
    }
    // A saved plan does not know them.
    if !were.is_empty() && !terms.is_empty() {
        let most = were.len().max(terms.len());
        let other = (0..most).filter(|at| were.get(*at) != terms.get(*at));
        all.extend(other.map(Facet::Term));
    }
    all
}

/// A part of the decision about a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Facet {
    /// Its nodes.
    Nodes,
    /// One of its terms, by number.
    Term(usize),
}

/// The groups of both sides that keep their order among one another: as many as can be, so that
/// a group put in front moves nothing but itself.
fn in_step<'d>(old: &'d Decisions, new: &'d Decisions) -> BTreeSet<&'d Subject> {
    let mut common: Vec<(usize, usize, &Subject)> = Vec::new();
    for (subject, answer) in new {
        if let (Assignment::Group { position, .. }, Some(Assignment::Group { position: was, .. })) =
            (answer, old.get(subject))
        {
            common.push((*was, *position, subject));
        }
    }
    common.sort_unstable();
    // The longest increasing run: `tails[n]` ends the best one of n + 1 groups.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(common.len());
    for (at, (_, position, _)) in common.iter().enumerate() {
        let slot = tails.partition_point(|tail| common[*tail].1 < *position);
        previous.push(slot.checked_sub(1).map(|before| tails[before]));
        if slot == tails.len() {
            tails.push(at);
        } else {
            tails[slot] = at;
        }
    }
    let mut stay = BTreeSet::new();
    let mut at = tails.last().copied();
    while let Some(group) = at {
        stay.insert(common[group].2);
        at = previous[group];
    }
    stay
}

type Reasons = Vec<(BTreeSet<usize>, bool)>;

/// The changes behind each move: those without which it would not be; else those that alone
/// bring it about; more where taking these back does not undo the move; else all that touch what is
/// decided about.
fn because(
    moves: &[Move],
    states: [&State<'_, '_>; 2],
    changes: &[Change<'_, '_>],
    before: &Side<'_, '_>,
    after: &Side<'_, '_>,
    options: &Options,
) -> Reasons {
    let (earlier, later) = (&before.site.documents, &after.site.documents);
    let nodes = |documents: &Documents<'_>| documents.all.len();
    let (old, new): (Vec<Node<'_>>, Vec<Node<'_>>) = (roots(earlier), roots(later));
    // Advisors that are programs are asked once a plan, not once a guess.
    let mut reasons: Reasons = if options.allow_commands {
        moves.iter().map(|_| (BTreeSet::new(), false)).collect()
    } else {
        let taken_back = |chosen: &[usize], options: &Options| {
            let edits = undone(changes, chosen, &old, &new, after);
            run::changed(after.site, edits, states, options)
        };
        let made = |chosen: &[usize], options: &Options| {
            let edits = applied(changes, chosen, &old, &new, before);
            run::changed(before.site, edits, states, options)
        };
        let back = Trials::back(moves, &states[0].decisions, options, &taken_back);
        let forth = Trials::forth(moves, options, &made);
        let count = changes.len();
        let all: Vec<usize> = (0..moves.len()).collect();
        let necessary = confirmed(&all, count, nodes(later), options, &back);
        let mut named: Vec<BTreeSet<usize>> =
            necessary.into_iter().map(|all| all.altering).collect();
        let open: Vec<usize> = (0..moves.len())
            .filter(|at| named[*at].is_empty())
            .collect();
        let sufficient = if open.is_empty() {
            Vec::new()
        } else {
            confirmed(&open, count, nodes(earlier), options, &forth)
        };
        for (at, found) in open.into_iter().zip(sufficient) {
            named[at] = if found.reproducing.is_empty() {
                found.altering
            } else {
                found.reproducing
            };
        }
        let causes = proven(named, count, nodes(later), options.jobs, &back);
        without_needless(causes, nodes(later), &back, &forth)
    };
    for (moved, reason) in moves.iter().zip(&mut reasons) {
        if reason.0.is_empty() {
            *reason = (touching(moved, changes), false);
        }
    }
    reasons
}

fn roots<'a>(documents: &Documents<'a>) -> Vec<Node<'a>> {
    documents.all.iter().map(|document| document.node).collect()
}

/// The changes in documents that the move names; without any, all changes.
fn touching(moved: &Move, changes: &[Change<'_, '_>]) -> BTreeSet<usize> {
    let mut names: BTreeSet<&str> = moved.subject.name.split('/').collect();
    names.insert(&moved.subject.name);
    for answer in [&moved.from, &moved.to].into_iter().flatten() {
        let own = answer.names().iter();
        match answer {
            Assignment::Decisions(_) => {
                names.extend(own.map(|one| one.rsplit('/').next().unwrap_or(one)));
            }
            _ => names.extend(own.map(|one| &**one)),
        }
    }
    let named = |change: &Change<'_, '_>| names.contains(change.object.name.as_str());
    let touched: BTreeSet<usize> = (0..changes.len())
        .filter(|at| named(&changes[*at]))
        .collect();
    if touched.is_empty() {
        (0..changes.len()).collect()
    } else {
        touched
    }
}

fn cause(change: &Change<'_, '_>) -> Cause {
    let value = |node: Node<'_>| {
        if node.size() > LARGE {
            Value::from(format!("({} values)", node.size() - 1))
        } else if change.secret || node.holds_secret() {
            Value::from(secret::HIDDEN)
        } else {
            secret::hidden(yaml::json(node, change.dialect))
        }
    };
    let whole = |there: bool| there.then(|| Value::from(change.object.name.clone()));
    let order = |node: Node<'_>| {
        let name = |item: Node<'_>| {
            let named = ["name", "key"].iter().find_map(|key| item.get(key)?.text());
            Value::from(named.or(item.text()).unwrap_or("…"))
        };
        if change.secret || node.holds_secret() {
            return Value::from(secret::HIDDEN);
        }
        Value::Array(node.items().take(LARGE).map(name).collect())
    };
    let (before, after) = match change.event {
        Event::Document => {
            let (old, new) = change.documents;
            (whole(old.is_some()), whole(new.is_some()))
        }
        Event::Changed(before, after) => (Some(value(before)), Some(value(after))),
        Event::Gone { value: node, .. } => (Some(value(node)), None),
        Event::Come { value: node, .. } => (None, Some(value(node))),
        Event::Order(before, after) => (Some(order(before)), Some(order(after))),
    };
    Cause {
        what: what(change),
        object: change.object.clone(),
        pointer: change.pointer.clone(),
        path: change.path.clone(),
        before,
        after,
        at: None,
        roots: Vec::new(),
    }
}

/// The kind of change, in one word.
fn what(change: &Change<'_, '_>) -> String {
    if matches!(change.event, Event::Document) {
        let mut letters = change.object.kind.chars();
        let first = letters
            .next()
            .map(|first| first.to_lowercase().collect::<String>());
        return format!("{}{}", first.unwrap_or_default(), letters.as_str());
    }
    let parts: Vec<&str> = change.pointer.split('/').skip(1).collect();
    let has = |word: &str| parts.contains(&word);
    let word = if has("labels") {
        "label"
    } else if has("rules") || has("predicates") || has("selectors") {
        "rule"
    } else if has("taints") {
        "taint"
    } else if has("tolerations") {
        "toleration"
    } else if has("nodes") && parts.len() == 3 {
        "node"
    } else if parts.first() == Some(&"status") {
        "status"
    } else {
        "field"
    };
    word.to_owned()
}
