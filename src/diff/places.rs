//! Where changes are: the line to look at, and the kustomizations that it reaches.

use std::cell::RefCell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::document::Documents;
use crate::site::Checked;
use crate::source::{Place, Source, Sources};
use crate::yaml::{self, Node};

use super::documents::{Change, Event};

/// Documents that came or went and are compared with one that did the opposite, at most.
const FORMER: usize = 256;

/// The name or namespace of the later document, where nothing else makes it another object than an
/// earlier one. `change` is a document that is on one side alone.
fn renamed<'n>(
    change: &Change<'_, '_>,
    changes: &[Change<'_, '_>],
    earlier: &Documents<'_>,
    later: &Documents<'n>,
) -> Option<Node<'n>> {
    let is_gone = change.documents.1.is_none();
    let others = changes.iter().filter(|other| {
        matches!(other.event, Event::Document)
            && other.documents.1.is_none() != is_gone
            && other.object.kind == change.object.kind
            && group(other, earlier, later) == group(change, earlier, later)
    });
    others.take(FORMER).find_map(|other| {
        let (gone, come) = if is_gone {
            (change, other)
        } else {
            (other, change)
        };
        let old = earlier.all[gone.documents.0? as usize].node;
        let new = later.all[come.documents.1? as usize].node;
        let without_name = |node: Node<'_>| {
            let mut value = yaml::json(node, change.dialect);
            value.get_mut("metadata")?.as_object_mut()?.remove("name");
            Some(value)
        };
        let is_alike = || old.size() == new.size() && without_name(old) == without_name(new);
        let same_name = gone.object.name == come.object.name;
        let same_namespace = gone.object.namespace == come.object.namespace;
        let key = match (same_name, same_namespace) {
            (true, false) => "namespace",
            (false, true) if is_alike() => "name",
            _ => return None,
        };
        new.at(&["metadata", key])
    })
}

/// The group of the document of a change.
fn group<'a>(
    change: &Change<'_, '_>,
    earlier: &Documents<'a>,
    later: &Documents<'a>,
) -> Option<&'a str> {
    let node = match change.documents {
        (_, Some(at)) => later.all[at as usize].node,
        (Some(at), None) => earlier.all[at as usize].node,
        (None, None) => return None,
    };
    let version = node.get("apiVersion")?.text()?;
    Some(version.rsplit_once('/').map_or("", |(group, _)| group))
}

/// The lines of each file that differ. The key is its name, and whether it is of the earlier state.
type ChangedLines = FxHashMap<(String, bool), Option<Range<usize>>>;

/// Where a change is, and the two states that it is between.
pub(super) struct Places<'d, 'o, 'n> {
    changes: &'d [Change<'o, 'n>],
    old: &'d Checked<'o>,
    new: &'d Checked<'n>,
    /// The files of both states, by name.
    files: [FxHashMap<&'d str, &'d Source>; 2],
    /// The results of [`Self::lines`]: each file is compared once, whatever its number of changes.
    lines: RefCell<ChangedLines>,
}

impl<'d, 'o, 'n> Places<'d, 'o, 'n> {
    pub(super) fn new(
        changes: &'d [Change<'o, 'n>],
        old: &'d Checked<'o>,
        new: &'d Checked<'n>,
    ) -> Self {
        let files = |sources: &'d Sources| {
            let files = sources.files.iter();
            files.map(|file| (file.name.as_str(), &**file)).collect()
        };
        Self {
            changes,
            old,
            new,
            files: [files(old.documents.sources), files(new.documents.sources)],
            lines: RefCell::default(),
        }
    }

    /// File and line of a change.
    pub(super) fn of(&self, change: &Change<'_, '_>) -> Option<(String, usize)> {
        let (earlier, later) = (&self.old.documents, &self.new.documents);
        let root = |documents: &Documents<'_>, at: u32| documents.all[at as usize].node.place();
        let renamed = || renamed(change, self.changes, earlier, later);
        let was = match (change.event, change.documents) {
            (Event::Changed(before, _) | Event::Gone { value: before, .. }, _) => {
                Some(before.place())
            }
            (Event::Document, (Some(old), _)) => Some(root(earlier, old)),
            _ => None,
        };
        let (place, is_old) = match (change.event, change.documents) {
            (Event::Changed(_, node) | Event::Gone { from: node, .. }, _)
            | (Event::Come { value: node, .. } | Event::Order(_, node), _) => (node.place(), false),
            (Event::Document, (old, new)) => match (renamed(), old, new) {
                (Some(node), ..) => (node.place(), false),
                (None, _, Some(new)) => (root(later, new), false),
                (None, Some(old), None) => (root(earlier, old), true),
                (None, None, None) => return None,
            },
        };
        let usual = self.line(place, is_old);
        if !is_built(change, self.old, self.new) || self.is_new(&usual, is_old, change.event) {
            return Some(usual);
        }
        // A value that a build takes from another line now: the line that is gone is the cause, or
        // one that says what is built.
        let was = was.map(|place| self.line(place, true));
        let was = was.filter(|was| self.is_new(was, true, Event::Document));
        let elsewhere = || {
            let roots = makers(change, self.old, self.new);
            roots.iter().find_map(|root| self.first_new(root))
        };
        Some(was.or_else(elsewhere).unwrap_or(usual))
    }

    fn line(&self, place: Place, is_old: bool) -> (String, usize) {
        let side = if is_old {
            &self.old.documents
        } else {
            &self.new.documents
        };
        let source = side.sources.get(place.source);
        let line = source.position(place.span.start).line;
        (source.name.clone(), line)
    }

    /// Whether a line differs from the other state. A removal or another order has no line of its
    /// own: then any difference in the file counts.
    fn is_new(&self, (file, line): &(String, usize), is_old: bool, event: Event<'_, '_>) -> bool {
        let Some(lines) = self.lines(file, is_old) else {
            return false;
        };
        let is_whole = matches!(event, Event::Gone { .. } | Event::Order(..));
        is_whole || lines.contains(line)
    }

    /// The lines of a file from the first to the last that differs from the other state; none
    /// where the files are the same.
    fn lines(&self, file: &str, is_old: bool) -> Option<Range<usize>> {
        let mut known = self.lines.borrow_mut();
        let lines = known.entry((file.to_owned(), is_old));
        lines.or_insert_with(|| self.compared(file, is_old)).clone()
    }

    fn compared(&self, file: &str, is_old: bool) -> Option<Range<usize>> {
        let [old, new] = [&self.files[0], &self.files[1]];
        let (own, other) = if is_old { (old, new) } else { (new, old) };
        let Some((own, other)) = own.get(file).zip(other.get(file)) else {
            return Some(1..usize::MAX);
        };
        if own.text == other.text {
            return None;
        }
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (own.text.lines().collect(), other.text.lines().collect());
        let same = |(one, two): &(&&str, &&str)| one == two;
        let before = ours.iter().zip(&theirs).take_while(same).count();
        let rests = (ours[before..].iter().rev()).zip(theirs[before..].iter().rev());
        let after = rests.take_while(same).count();
        Some(before + 1..ours.len() - after + 1)
    }

    /// The first line that differs in the files that a kustomization reads: of the later state, or
    /// of the earlier one where a line is gone.
    fn first_new(&self, root: &str) -> Option<(String, usize)> {
        let mut files = self.new.loaded.builds.files_of(root).into_iter();
        files.find_map(|file| {
            let [old, new] = [0, 1].map(|side| self.files[side].contains_key(file.as_str()));
            let lines = (old || new).then(|| self.lines(&file, !new))??;
            let gone = || self.lines(&file, true).map(|lines| lines.start);
            let line = if lines.is_empty() {
                gone()?
            } else {
                lines.start
            };
            Some((file, line))
        })
    }
}

/// Whether a build makes the document of a change.
fn is_built(change: &Change<'_, '_>, old: &Checked<'_>, new: &Checked<'_>) -> bool {
    let is = |site: &Checked<'_>, at: Option<u32>| {
        at.is_some_and(|at| !site.documents.all[at as usize].roots().is_empty())
    };
    is(old, change.documents.0) || is(new, change.documents.1)
}

/// The kustomizations that make the document of a change.
pub(super) fn makers(change: &Change<'_, '_>, old: &Checked<'_>, new: &Checked<'_>) -> Vec<String> {
    let of = |site: &Checked<'_>, at: u32| -> Vec<String> {
        let numbers = site.documents.all[at as usize].roots().iter();
        let built = &site.loaded.builds.roots;
        let roots = numbers.filter_map(|number| built.get(*number as usize));
        roots.map(|root| root.name.clone()).collect()
    };
    match change.documents {
        (_, Some(at)) => of(new, at),
        (Some(at), None) => of(old, at),
        (None, None) => Vec::new(),
    }
}
