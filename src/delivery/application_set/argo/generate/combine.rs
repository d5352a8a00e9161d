//! Generators that combine others: matrix and merge.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::delivery::application_set::argo::generate::{Failure, Outer, Run, Sets, Why};
use crate::delivery::application_set::argo::render::Language;
use crate::delivery::application_set::argo::set::Generator;
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::source::Place;

impl<'s, 'a> Run<'s, 'a> {
    pub(super) fn matrix(
        &mut self,
        children: &[Generator<'a>],
        outer: Outer<'_, 'a>,
        depth: usize,
        place: Place,
    ) -> Sets<'a> {
        let [first, second] = children else {
            let message = format!("a matrix has {} children, but needs two", children.len());
            let help = "give it two, or nest another matrix";
            return Err(Failure::new(Why::Generator, message, place, help));
        };
        let mut sets = Vec::new();
        for a in self.child(first, outer, depth + 1)? {
            let mut inner: Vec<&Params<'a>> = outer.to_vec();
            inner.push(&a);
            self.render_whole(second, &inner)?;
            for b in self.child(second, &inner, depth + 1)? {
                sets.push(match self.language {
                    Language::Go { .. } => {
                        let mut both = b;
                        let own = a.own.or(both.own);
                        both.override_with(a.clone(), true);
                        both.own = own;
                        both
                    }
                    Language::Tags => a.combine(&b).map_err(|key| {
                        let message =
                            format!("both children of the matrix set `{key}`, to different values");
                        let help = format!("rename `{key}` in one of them");
                        Failure::new(Why::Generator, message, place, help)
                    })?,
                });
            }
        }
        Ok(sets)
    }

    pub(super) fn merge(
        &mut self,
        children: &[Generator<'a>],
        keys: &[&'a str],
        outer: Outer<'_, 'a>,
        depth: usize,
        place: Place,
    ) -> Sets<'a> {
        if children.len() < 2 {
            let message = "a merge has fewer than two children";
            let help = "give it two or more";
            return Err(Failure::new(Why::Generator, message, place, help));
        }
        let mut results = Vec::with_capacity(children.len());
        for child in children {
            results.push(self.child(child, outer, depth + 1)?);
        }
        if keys.is_empty() {
            let message = "a merge has no `mergeKeys`";
            let help = "name the parameters whose values match the sets";
            return Err(Failure::new(Why::Generator, message, place, help));
        }
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys.dedup();
        for sets in &results {
            let mut seen = FxHashSet::default();
            for key in sets
                .iter()
                .filter(|set| !set.open)
                .map(|set| key_of(set, &keys))
            {
                if !seen.insert(key) {
                    let message = format!(
                        "two sets of one child have the same `{}`",
                        keys.join("`, `")
                    );
                    let help = "merge by a parameter that differs in each set";
                    return Err(Failure::new(Why::Generator, message, place, help));
                }
            }
        }
        let deep = matches!(self.language, Language::Go { .. });
        let mut results = results.into_iter();
        let mut base = results.next().unwrap_or_default();
        for sets in results {
            let unknown = sets.iter().any(|set| set.open);
            let mut by_key: FxHashMap<Vec<Option<Value<'a>>>, Params<'a>> = FxHashMap::default();
            let known = sets.into_iter().filter(|set| !set.open);
            by_key.extend(known.map(|set| (key_of(&set, &keys), set)));
            for set in &mut base {
                if let Some(other) = by_key.remove(&key_of(set, &keys)) {
                    let own = set.own.or(other.own);
                    set.override_with(other, deep);
                    set.own = own;
                }
                if unknown {
                    set.open = true;
                    for (key, value) in &mut set.entries {
                        if keys.iter().all(|one| one != key) {
                            *value = Value::Unknown;
                        }
                    }
                }
            }
        }
        Ok(base)
    }
}

/// The values of a set by which it is merged.
fn key_of<'a>(set: &Params<'a>, keys: &[&str]) -> Vec<Option<Value<'a>>> {
    let value = |key: &&str| set.get(key).filter(|value| **value != Value::Null).cloned();
    keys.iter().map(value).collect()
}
