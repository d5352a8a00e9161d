//! What rules have in common that differ only in the words that they compare: one proof holds for
//! all of them.

use std::collections::BTreeSet;

use serde_json::Value;

/// A text that two specs share if renaming the types of conditions, and the keys and values of
/// expressions about labels, makes one of the other and keeps the order of these words. Where one
/// word may mean something to an engine, all of its sort keep their names.
pub(super) fn shape(spec: &Value) -> String {
    let mut spec = spec.clone();
    rename(items(&mut spec, "/clusterConditions", "type"));
    // Labels that are written in two ways would need one name in both.
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

/// Gives words names by their order, if all of them are only compared.
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

/// Whether a word is no name that a hub knows, and valid wherever it may stand.
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
