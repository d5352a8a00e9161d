//! Many findings of one code about one field, as one with a count: for people, who read the same
//! sentence once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::kit::plural::plural;
use crate::source::SourceId;

/// So many findings of one code and field are shown one by one.
const MOST: usize = 20;

/// The findings about one field of one kind of document.
type Key<'d> = (&'static str, Severity, Cow<'d, str>);

/// A field without the numbers of list items; where none is known, the message stands for it.
fn key(found: &Diagnostic) -> Key<'_> {
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let field = match found.pointer.as_deref() {
        Some(pointer) => {
            let parts = pointer.split('/');
            let parts = parts.map(|part| if number(part) { "*" } else { part });
            Cow::Owned(parts.collect::<Vec<_>>().join("/"))
        }
        None => Cow::Borrowed(found.message.as_str()),
    };
    (found.rule.code, found.severity, field)
}

/// The findings, with the first one in the place of many alike.
pub(super) fn folded(all: &[Diagnostic]) -> Vec<Cow<'_, Diagnostic>> {
    let mut groups: BTreeMap<Key<'_>, Vec<usize>> = BTreeMap::new();
    if all.len() > MOST {
        for (found, at) in all.iter().zip(0..) {
            groups.entry(key(found)).or_default().push(at);
        }
    }
    let mut left_out: BTreeSet<usize> = BTreeSet::new();
    let mut counted: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for members in groups.values().filter(|members| members.len() > MOST) {
        let source = |at: &usize| Some(all[*at].primary.as_ref()?.place.source);
        let files: BTreeSet<SourceId> = members.iter().filter_map(source).collect();
        counted.insert(members[0], (members.len() - 1, files.len()));
        left_out.extend(&members[1..]);
    }
    let shown = all.iter().enumerate();
    let shown = shown.filter(|(at, _)| !left_out.contains(at));
    shown
        .map(|(at, found)| match counted.get(&at) {
            None => Cow::Borrowed(found),
            Some((more, files)) => Cow::Owned(with_count(found, *more, *files)),
        })
        .collect()
}

fn with_count(found: &Diagnostic, more: usize, files: usize) -> Diagnostic {
    let count = format!(
        "{} of this kind in {}: `-o json` lists them",
        plural(more, "more finding"),
        plural(files, "file")
    );
    found.clone().add_help(&count)
}

#[cfg(test)]
mod tests {
    use super::{MOST, folded};
    use crate::diagnostic::Diagnostic;
    use crate::schema::rules::{REQUIRED, TYPE};

    #[test]
    fn the_same_about_one_field_is_one_finding() {
        let one = |at: usize| Diagnostic::new(&REQUIRED, "missing").pointer(format!("/a/{at}/b"));
        let mut all: Vec<Diagnostic> = (0..MOST).map(one).collect();
        assert_eq!(folded(&all).len(), MOST);
        all.push(one(MOST));
        all.push(Diagnostic::new(&TYPE, "missing").pointer("/a/0/b"));
        all.push(Diagnostic::new(&REQUIRED, "missing").pointer("/a/0/c"));
        let shown = folded(&all);
        assert_eq!(shown.len(), 3);
        let help = shown[0].help.as_deref();
        assert!(help.is_some_and(|help| help.starts_with("20 more findings")));
    }
}
