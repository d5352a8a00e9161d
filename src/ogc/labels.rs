//! Reads labels: the values of a key, whether a rule holds, and which texts count as integers.

use std::cmp::Ordering;

use super::model::{Cluster, Label, Operator, Rule};

/// An integer of any length, in decimal digits without leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Integer<'a>(&'a str);

impl<'a> Integer<'a> {
    /// Reads a label value as MinOf and MaxOf do: digits `0` to `9` and nothing else.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| Self(text.trim_start_matches('0')))
    }

    /// The digits; zero is `0`.
    #[must_use]
    pub fn digits(self) -> &'a str {
        if self.0.is_empty() { "0" } else { self.0 }
    }
}

impl Ord for Integer<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), self.0).cmp(&(other.0.len(), other.0))
    }
}

impl PartialOrd for Integer<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The labels for a key on a Cluster: those of its Nodes if any Node has the key, else the
/// Cluster's own.
///
/// Under MinOf and MaxOf labels that are not integers are struck out first.
#[must_use]
pub fn labels_for<'m, 'a>(
    cluster: &'m Cluster<'a>,
    key: &str,
    operator: Operator,
) -> Vec<&'m Label<'a>> {
    let counts = |label: &&Label<'a>| {
        label.key == key && (!operator.is_extremum() || Integer::parse(label.value).is_some())
    };
    let nodes: Vec<_> = cluster
        .nodes
        .iter()
        .flat_map(|node| &node.labels)
        .filter(counts)
        .collect();
    if nodes.is_empty() {
        cluster.labels.iter().filter(counts).collect()
    } else {
        nodes
    }
}

/// Whether the values that stand for a rule's key comply with it.
#[must_use]
pub fn complies(rule: &Rule<'_>, labels: &[&Label<'_>]) -> bool {
    let meets = || {
        labels
            .iter()
            .any(|label| rule.values.contains(&label.value))
    };
    match rule.operator {
        Operator::Exists | Operator::MinOf | Operator::MaxOf => !labels.is_empty(),
        Operator::NotExists => labels.is_empty(),
        Operator::Equals | Operator::In => meets(),
        Operator::NotEquals | Operator::NotIn => !meets(),
    }
}

/// The Cluster's figure under MinOf (the lowest integer) or MaxOf (the highest).
#[must_use]
pub fn figure<'m, 'a>(
    rule: &Rule<'_>,
    labels: &[&'m Label<'a>],
) -> Option<(Integer<'a>, &'m Label<'a>)> {
    let figures = labels
        .iter()
        .filter_map(|label| Some((Integer::parse(label.value)?, *label)));
    match rule.operator {
        Operator::MinOf => figures.min_by_key(|(integer, _)| *integer),
        Operator::MaxOf => figures.max_by_key(|(integer, _)| *integer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Integer;

    #[test]
    fn integers_of_any_length_compare_by_value() {
        let read = |text| Integer::parse(text).expect("digits");
        assert!(read("9") < read("10"));
        assert_eq!(read("007"), read("7"));
        assert_eq!(read("000").digits(), "0");
        assert!(read("99999999999999999999999999") < read("100000000000000000000000000"));
        for text in ["", "-5", "+5", "7.0", "1e3", " 1", "1_0", "\u{0663}"] {
            assert_eq!(Integer::parse(text), None, "{text}");
        }
    }
}
