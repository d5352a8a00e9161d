//! Which fixes are kept.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Sink};
use crate::source::{Place, Sources};

use super::edits::{Texts, apply, together};

/// Rounds after which the rest is left: a fix may make room for another one, but not for ever.
const ROUNDS: usize = 16;
/// Trials of one round; fixes that harm are found by halves.
const TRIALS: usize = 400;

/// A site as it is judged with some texts.
#[derive(Debug, Default)]
pub struct Judged {
    /// The files.
    pub sources: Sources,
    /// The findings.
    pub findings: Vec<Diagnostic>,
    /// The places that several nodes share, by anchors and aliases; no fix touches them.
    pub shared: Vec<Place>,
    /// How many documents there are.
    pub documents: usize,
    /// The numbers of those that nothing refuses.
    pub accepted: Vec<u32>,
    /// The digest of what the requested documents mean.
    pub meaning: u64,
    /// The kustomizations that have a value from a place that a fix edits.
    pub users: BTreeMap<Place, BTreeSet<String>>,
}

impl Judged {
    /// Together with another site of the same files.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let mut findings = Sink {
            diagnostics: self.findings,
            ..Sink::default()
        };
        findings.diagnostics.extend(other.findings);
        findings.sort(&self.sources);
        findings.dedup();
        self.findings = findings.diagnostics;
        let before = u32::try_from(self.documents).unwrap_or(u32::MAX);
        let accepted = other.accepted.iter();
        self.accepted.extend(accepted.map(|number| number + before));
        self.documents += other.documents;
        self.meaning = self.meaning.rotate_left(1) ^ other.meaning;
        self.users.extend(other.users);
        self
    }

    /// With fixes that change kustomizations without the finding marked as unsafe.
    #[must_use]
    pub fn settled(mut self) -> Self {
        for found in &mut self.findings {
            let places = found.fix.iter().flat_map(|fix| &fix.edits);
            let users = places.filter_map(|edit| self.users.get(&edit.place));
            let is_shared = users.flatten().any(|user| !found.roots.contains(user));
            if let Some(fix) = found.fix.as_mut().filter(|_| is_shared) {
                fix.applicability = Applicability::Unsafe;
            }
        }
        self
    }
}

/// The result of applying fixes.
#[derive(Debug, Default)]
pub struct Fixed {
    /// The new texts.
    pub texts: Texts,
    /// The texts before.
    pub before: Texts,
    /// How many edits each file has seen.
    pub edits: BTreeMap<String, usize>,
    /// Fixes that wait for others, which they overlap.
    pub overlapping: usize,
    /// Fixes that may change what documents mean and were not asked for.
    pub unasked: usize,
    /// Why fixes were not made: file, title and reason.
    pub left: BTreeSet<(String, String, String)>,
}

/// A finding, as far as it stays the same when the text around it is edited.
type Key<'f> = (&'static str, &'f str, &'f str);

fn key<'f>(found: &'f Diagnostic, sources: &'f Sources) -> Key<'f> {
    let source = found.primary.as_ref().map(|label| label.place.source);
    let file = source.map_or("", |source| sources.get(source).name.as_str());
    (found.rule.code, &found.message, file)
}

fn counted(judged: &Judged) -> BTreeMap<Key<'_>, usize> {
    let mut counts = BTreeMap::new();
    for found in &judged.findings {
        *counts.entry(key(found, &judged.sources)).or_default() += 1;
    }
    counts
}

/// Applies the fixes of the findings, round by round, until nothing is left to do; those that
/// can change what documents mean only if `risky`. `judge` reads and judges the site with these
/// texts; asked about some documents, it says what those mean, else what the accepted ones do.
/// Files of which `frozen` says so stay as they are.
///
/// # Errors
/// Any error of `judge`.
pub fn apply_all<E>(
    mut judge: impl FnMut(&Texts, Option<&[u32]>) -> Result<Judged, E>,
    risky: bool,
    frozen: &dyn Fn(&str) -> bool,
) -> Result<Fixed, E> {
    let mut fixed = Fixed::default();
    for _ in 0..ROUNDS {
        let base = judge(&fixed.texts, None)?;
        fixed.left.clear();
        let mut made = round(&mut judge, &base, Applicability::Safe, &mut fixed, frozen)?;
        if !made && risky {
            made = round(&mut judge, &base, Applicability::Unsafe, &mut fixed, frozen)?;
        }
        if !made {
            let fixes = base.findings.iter().filter_map(|found| found.fix.as_ref());
            let is_unsafe = |fix: &&Fix| fix.applicability == Applicability::Unsafe;
            fixed.unasked = if risky {
                0
            } else {
                fixes.filter(is_unsafe).count()
            };
            break;
        }
    }
    Ok(fixed)
}

/// Tries the fixes of one kind: all at once, and halves of those that do harm. Gives whether any
/// was made.
fn round<E>(
    judge: &mut impl FnMut(&Texts, Option<&[u32]>) -> Result<Judged, E>,
    base: &Judged,
    kind: Applicability,
    fixed: &mut Fixed,
    frozen: &dyn Fn(&str) -> bool,
) -> Result<bool, E> {
    let offered = base.findings.iter().filter_map(|found| {
        let fix = found.fix.as_ref().filter(|fix| fix.applicability == kind)?;
        Some((fix, found))
    });
    let (free, shared): (Vec<_>, Vec<_>) =
        offered.partition(|(fix, _)| !fix.edits.iter().any(|edit| is_shared(edit, &base.shared)));
    for (fix, found) in shared {
        let why = "aliases name the value: it would change in several places".to_owned();
        fixed.left.insert((
            key(found, &base.sources).2.to_owned(),
            fix.title.clone(),
            why,
        ));
    }
    let (fixes, overlapping) = together(free, &base.sources, frozen);
    fixed.overlapping = overlapping;
    let mut taken: Vec<(&Fix, &Diagnostic)> = Vec::new();
    let mut open = vec![&fixes[..]];
    let mut trials = 0;
    while let Some(part) = open.pop().filter(|part| !part.is_empty()) {
        let trial: Vec<_> = taken.iter().chain(part).copied().collect();
        let fault = if trials == TRIALS {
            Some("too many other fixes do harm; run again".to_owned())
        } else {
            trials += 1;
            let mut texts = fixed.texts.clone();
            let changed = apply(trial.iter().map(|(fix, _)| *fix), &base.sources);
            texts.extend(changed.into_iter().map(|(name, (text, _))| (name, text)));
            let after = judge(&texts, Some(&base.accepted))?;
            let found = trial.iter().map(|(_, found)| *found);
            harm(base, &after, found, kind == Applicability::Safe)
        };
        match fault {
            None => taken = trial,
            Some(_) if part.len() > 1 && trials < TRIALS => {
                let (first, second) = part.split_at(part.len() / 2);
                open.extend([second, first]);
            }
            Some(why) => {
                for (fix, found) in part {
                    let (_, _, file) = key(found, &base.sources);
                    let left = (file.to_owned(), fix.title.clone(), why.clone());
                    fixed.left.insert(left);
                }
            }
        }
    }
    for (name, (text, edits)) in apply(taken.iter().map(|(fix, _)| *fix), &base.sources) {
        let before = || {
            let mut files = base.sources.files.iter();
            files
                .find(|source| source.name == name)
                .map(|source| source.text.clone())
                .unwrap_or_default()
        };
        fixed.before.entry(name.clone()).or_insert_with(before);
        *fixed.edits.entry(name.clone()).or_default() += edits;
        fixed.texts.insert(name, text);
    }
    Ok(!taken.is_empty())
}

/// Whether an edit touches a place that several nodes share.
fn is_shared(edit: &Edit, shared: &[Place]) -> bool {
    shared.iter().any(|place| {
        place.source == edit.place.source
            && place.span.start < edit.place.span.end.max(edit.place.span.start + 1)
            && edit.place.span.start < place.span.end
    })
}

/// The harm done by fixes that turn one state of a site into another; `None` if they fix these
/// findings and do no harm.
fn harm<'f>(
    before: &'f Judged,
    after: &'f Judged,
    fixed: impl Iterator<Item = &'f Diagnostic>,
    safe: bool,
) -> Option<String> {
    let was = counted(before);
    let is = counted(after);
    let more = is.iter().find(|(key, count)| was.get(*key) < Some(*count));
    if let Some(((_, message, _), _)) = more {
        return Some(format!("it would cause a new finding: {message}"));
    }
    let mut gone: BTreeMap<Key<'f>, usize> = BTreeMap::new();
    for found in fixed {
        *gone.entry(key(found, &before.sources)).or_default() += 1;
    }
    let stays = |(key, gone): (&Key<'f>, &usize)| {
        let count = |counts: &BTreeMap<Key<'f>, usize>| counts.get(key).copied().unwrap_or(0);
        count(&is) + gone > count(&was)
    };
    if gone.iter().any(stays) {
        return Some("it would not fix the finding".into());
    }
    if before.documents != after.documents {
        return Some("it would change the number of documents".into());
    }
    let json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    for (old, new) in before.sources.files.iter().zip(&after.sources.files) {
        if old.text != new.text && json(&old.text) && !json(&new.text) {
            return Some("the file would no longer be JSON".into());
        }
    }
    if safe && before.meaning != after.meaning {
        return Some("it would change what the documents mean".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::rules::UNUSED;
    use crate::source::{SourceId, Span};

    #[test]
    fn a_fix_that_changes_a_kustomization_without_the_finding_is_unsafe() {
        let place = Place {
            source: SourceId(0),
            span: Span { start: 3, end: 5 },
        };
        let users = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            BTreeMap::from([(place, names)])
        };
        let safe = |names: &[&str]| {
            let mut found = Diagnostic::new(&UNUSED, "x").at(place, "");
            found.fix = Some(Fix::replace("write it", place, "y"));
            found.roots = vec!["dev".to_owned(), "prod".to_owned()];
            let judged = Judged {
                findings: vec![found],
                users: users(names),
                ..Judged::default()
            };
            let fix = judged.settled().findings[0].fix.clone();
            fix.unwrap().applicability == Applicability::Safe
        };
        assert!(safe(&[]) && safe(&["prod"]) && safe(&["dev", "prod"]));
        assert!(!safe(&["stage"]) && !safe(&["dev", "prod", "stage"]));
    }
}
