//! The shape of a rule: its spec without the words that it only compares. One proof holds for all
//! rules of one shape.

use std::collections::BTreeSet;

use serde_json::Value;

/// The spec with condition types, label keys and label values renamed by their order. If an engine
/// may know one of the types, keys or values, all of that sort keep their names.
pub(super) fn shape(spec: &Value) -> String {
    let mut spec = spec.clone();
    rename(items(&mut spec, "/clusterConditions", "type"));
    // `matchLabels` would have to be renamed in the same way.
    if spec.pointer("/clusterSelector/matchLabels").is_none() {
        const EXPRESSIONS: &str = "/clusterSelector/matchExpressions";
        rename(items(&mut spec, EXPRESSIONS, "key"));
        let lists = items(&mut spec, EXPRESSIONS, "values").into_iter();
        rename(lists.filter_map(Value::as_array_mut).flatten().collect());
    }
    spec.to_string()
}

/// A field of each item of a list.
fn items<'v>(spec: &'v mut Value, list: &str, field: &str) -> Vec<&'v mut Value> {
    let list = spec.pointer_mut(list).and_then(Value::as_array_mut);
    let items = list.into_iter().flatten();
    items.filter_map(|item| item.get_mut(field)).collect()
}

/// Renames words by their order, unless one of them may mean something to an engine.
fn rename(words: Vec<&mut Value>) {
    let texts: Option<BTreeSet<String>> = words
        .iter()
        .map(|word| {
            word.as_str()
                .filter(|word| is_plain(word))
                .map(str::to_owned)
        })
        .collect();
    let Some(texts) = texts else { return };
    let texts: Vec<String> = texts.into_iter().collect();
    for word in words {
        let rank = texts.partition_point(|other| Some(other.as_str()) < word.as_str());
        *word = format!("word{rank:06}").into();
    }
}

/// Whether a word is valid everywhere and means nothing to a hub.
fn is_plain(word: &str) -> bool {
    let known = ["HubAccepted", "ManagedCluster", "name", "planner-", "word"];
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    word.len() <= 63
        && word.starts_with(is_letter)
        && word.ends_with(is_letter)
        && word.chars().all(|c| is_letter(c) || "-_.".contains(c))
        && !known.iter().any(|known| word.starts_with(known))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(kind: &str, key: &str, values: [&str; 2]) -> String {
        shape(&json!({
            "clusterConditions": [{"type": kind, "status": "True"}],
            "clusterSelector": {"matchExpressions": [
                {"key": key, "operator": "In", "values": values},
                {"key": "m", "operator": "Exists"},
            ]},
        }))
    }

    #[test]
    fn rules_with_other_words_in_the_same_order_share_a_shape() {
        let one = rule("Joined", "a", ["b", "c"]);
        assert_eq!(one, rule("Denied", "e", ["f", "g"]));
        for other in [
            // Another order, equal words, and words that are more than compared.
            rule("Joined", "z", ["b", "c"]),
            rule("Joined", "m", ["b", "c"]),
            rule("Joined", "a", ["c", "b"]),
            rule("Joined", "a", ["c", "c"]),
            rule("Joined", "a", ["b", "c/d"]),
            rule("Joined", "name", ["b", "c"]),
            rule("ManagedClusterJoined", "a", ["b", "c"]),
        ] {
            assert_ne!(one, other);
        }
        let labels =
            |value: &str| shape(&json!({"clusterSelector": {"matchLabels": {"a": value}}}));
        assert_ne!(labels("b"), labels("c"));
    }
}
