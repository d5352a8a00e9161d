//! Many findings of one code about one field, as one with a count: for people, who read the same
//! sentence once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::kit::plural::{listed, plural};
use crate::source::Sources;

/// So many findings of one code and field are shown one by one.
const MOST: usize = 10;

/// So many findings that say the same are shown one by one.
const EQUAL: usize = 4;

/// Places that are named in the finding that stands for others.
const NAMED: usize = 4;

/// The findings about one field of one kind of document.
type Key<'d> = (&'static str, Severity, Cow<'d, str>);

/// A field without the numbers of list items; where none is known, what is said of the subject, or
/// the whole message.
fn key(found: &Diagnostic) -> Key<'_> {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let field = match found.pointer.as_deref() {
        Some(pointer) => {
            let parts = pointer.split('/');
            let parts = parts.map(|part| if number(part) { "*" } else { part });
            Cow::Owned(parts.collect::<Vec<_>>().join("/"))
        }
        None => Cow::Borrowed(match found.message.split_once(": ") {
            Some((_, said)) if found.object.is_some() => said,
            _ => &found.message,
        }),
    };
    (found.rule.code, found.severity, field)
}

/// The findings, with the first one in the place of many alike: of one message, else of one field.
pub(super) fn folded<'d>(all: &'d [Diagnostic], sources: &Sources) -> Vec<Cow<'d, Diagnostic>> {
    let mut equal: BTreeMap<(Key<'_>, &str), Vec<usize>> = BTreeMap::new();
    if all.len() > EQUAL {
        for (found, at) in all.iter().zip(0..) {
            let key = (key(found), found.message.as_str());
            equal.entry(key).or_default().push(at);
        }
    }
    // The findings that each of those that are left stands for.
    let mut behind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut alike: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    for ((key, _), members) in equal {
        if members.len() > EQUAL {
            behind.insert(members[0], members[1..].to_vec());
        } else {
            alike.entry(key).or_default().extend(members);
        }
    }
    for mut members in alike.into_values().filter(|members| members.len() > MOST) {
        members.sort_unstable();
        behind.insert(members[0], members[1..].to_vec());
    }
    let left_out: BTreeSet<usize> = behind.values().flatten().copied().collect();
    let shown = all.iter().enumerate();
    let shown = shown.filter(|(at, _)| !left_out.contains(at));
    shown
        .map(|(at, found)| match behind.get(&at) {
            None => Cow::Borrowed(found),
            Some(others) => Cow::Owned(with_count(found, others, all, sources)),
        })
        .collect()
}

fn with_count(
    found: &Diagnostic,
    others: &[usize],
    all: &[Diagnostic],
    sources: &Sources,
) -> Diagnostic {
    let places = others.iter().filter_map(|at| all[*at].primary.as_ref());
    let places: Vec<String> = places
        .take(NAMED)
        .map(|label| {
            let source = sources.get(label.place.source);
            let line = source.position(label.place.span.start).line;
            format!("{}:{line}", source.name)
        })
        .collect();
    let more = plural(others.len(), "more finding");
    let places = match others.len() - places.len() {
        _ if places.is_empty() => String::new(),
        0 => format!(": {}", listed(&places)),
        rest => format!(": {} and {rest} more", places.join(", ")),
    };
    let count = format!("{more} of this kind (`-o json` lists all){places}");
    found.clone().add_help(&count)
}

#[cfg(test)]
mod tests {
    use super::{EQUAL, MOST, folded};
    use crate::diagnostic::{Diagnostic, Object, Severity};
    use crate::schema::rules::{REQUIRED, TYPE};
    use crate::source::Sources;

    #[test]
    fn the_same_about_one_field_is_one_finding() {
        let folded = |all: &[Diagnostic]| -> Vec<Diagnostic> {
            let shown = folded(all, &Sources::default()).into_iter();
            shown.map(|found| found.into_owned()).collect()
        };
        let one = |at: usize| {
            Diagnostic::new(&REQUIRED, format!("{at} is missing")).pointer(format!("/a/{at}/b"))
        };
        let mut all: Vec<Diagnostic> = (0..MOST).map(one).collect();
        assert_eq!(folded(&all).len(), MOST);
        all.push(one(MOST));
        all.push(Diagnostic::new(&TYPE, "missing").pointer("/a/0/b"));
        all.push(Diagnostic::new(&REQUIRED, "missing").pointer("/a/0/c"));
        let shown = folded(&all);
        assert_eq!(shown.len(), 3);
        let help = shown[0].help.as_deref();
        assert!(help.is_some_and(|help| help.starts_with("10 more findings")));
    }

    #[test]
    fn what_is_said_again_and_again_is_said_once() {
        let one = |at: usize| Diagnostic::new(&REQUIRED, "no `a`").pointer(format!("/{at}"));
        let all: Vec<Diagnostic> = (0..=EQUAL).map(one).collect();
        assert_eq!(folded(&all[1..], &Sources::default()).len(), EQUAL);
        assert_eq!(folded(&all, &Sources::default()).len(), 1);
    }

    /// Without a field, findings are alike where they say the same of their subjects.
    #[test]
    fn what_is_said_of_many_subjects_is_said_once() {
        let object = || Object {
            kind: "Placement".to_owned(),
            ..Object::default()
        };
        let about = |at: usize, said: &str| {
            Diagnostic::new(&REQUIRED, format!("placement p{at}: {said}")).object(object())
        };
        let shown = |all: &[Diagnostic]| folded(all, &Sources::default()).len();
        let alike: Vec<_> = (0..=MOST).map(|at| about(at, "no cluster")).collect();
        assert_eq!(shown(&alike), 1);
        let differ: Vec<_> = (0..=MOST).map(|at| about(at, &at.to_string())).collect();
        assert_eq!(shown(&differ), MOST + 1);
        // The text before the colon is a subject only where the finding has an object.
        let whole = |at| Diagnostic::new(&REQUIRED, format!("file {at}: not read"));
        let whole: Vec<_> = (0..=MOST).map(whole).collect();
        assert_eq!(shown(&whole), MOST + 1);
    }

    /// Ten of one severity say nothing about the eleventh of another.
    #[test]
    fn severities_are_told_apart() {
        let one = |at: usize| {
            Diagnostic::new(&REQUIRED, format!("{at} is missing")).pointer(format!("/{at}"))
        };
        let mut all: Vec<Diagnostic> = (0..=MOST).map(one).collect();
        all[0].severity = Severity::Note;
        assert_eq!(folded(&all, &Sources::default()).len(), MOST + 1);
    }
}
