//! Selectors that the controllers refuse.

use crate::delivery::policy::inside::{Report, is_hub_template};
use crate::delivery::rules::CONFIGURATION_POLICY_SELECTOR;
use crate::kit::selector::{Expression, LabelSelector};
use crate::ocm::lower::{get, items, text};
use crate::yaml::Node;

/// `namespaceSelector`: patterns and labels.
pub(super) fn namespaces(spec: Node<'_>, report: &mut Report<'_, '_>) {
    let Some(selector) = get(spec, "namespaceSelector") else {
        return;
    };
    for key in ["include", "exclude"] {
        for pattern in items(get(selector, key)) {
            let text = pattern.text().filter(|text| !is_pattern(text));
            if let Some(text) = text.filter(|_| !is_hub_template(pattern)) {
                let message = format!("`{text}` is not a pattern of names");
                let help = "close each `[`, and put something after each `\\`";
                let at = (pattern.place(), "no namespace is selected");
                report.say(&CONFIGURATION_POLICY_SELECTOR, at, message, help);
            }
        }
    }
    labels(selector, report);
}

/// `matchLabels` and `matchExpressions`.
pub(super) fn labels(selector: Node<'_>, report: &mut Report<'_, '_>) {
    for (key, value) in get(selector, "matchLabels")
        .into_iter()
        .flat_map(Node::entries)
    {
        let (Some(name), Some(text)) = (key.text(), value.text()) else {
            continue;
        };
        if value.is_null() || is_hub_template(key) || is_hub_template(value) {
            continue;
        }
        let one = LabelSelector {
            match_labels: vec![(name, text)],
            match_expressions: Vec::new(),
        };
        say(&one, key, value, report);
    }
    for expression in items(get(selector, "matchExpressions")) {
        let values: Vec<Node<'_>> = items(get(expression, "values")).collect();
        let mut parts = expression
            .entries()
            .map(|(_, value)| value)
            .chain(values.iter().copied());
        if !expression.is_mapping() || parts.any(is_hub_template) {
            continue;
        }
        let one = LabelSelector {
            match_labels: Vec::new(),
            match_expressions: vec![Expression {
                key: text(expression, "key"),
                operator: text(expression, "operator"),
                values: values.iter().filter_map(|value| value.text()).collect(),
            }],
        };
        say(&one, expression, expression, report);
    }
}

/// Tells of a part of a selector at `at`, unless the schema has told of it.
fn say(one: &LabelSelector<'_>, at: Node<'_>, part: Node<'_>, report: &mut Report<'_, '_>) {
    let Err(error) = one.compile() else { return };
    if report.is_faulty(at.place()) || report.is_faulty(part.place()) {
        return;
    }
    let message = format!("the controller refuses the selector: {error}");
    let help = "write In or NotIn with values, Exists or DoesNotExist without, and label syntax";
    let at = (at.place(), "refused");
    report.say(&CONFIGURATION_POLICY_SELECTOR, at, message, help);
}

/// Whether Go's `filepath.Match` takes a pattern.
fn is_pattern(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        let fine = match next {
            '\\' => rest.next().is_some(),
            '[' => is_class(&mut rest),
            _ => true,
        };
        if !fine {
            return false;
        }
    }
    true
}

/// Reads a class of characters after its `[`.
fn is_class(rest: &mut std::str::Chars<'_>) -> bool {
    /// One character, after which there must be another one.
    fn one(rest: &mut std::str::Chars<'_>) -> bool {
        let fine = match rest.next() {
            None | Some('-' | ']') => false,
            Some('\\') => rest.next().is_some(),
            Some(_) => true,
        };
        fine && !rest.as_str().is_empty()
    }
    if rest.as_str().starts_with('^') {
        rest.next();
    }
    let mut is_first = true;
    loop {
        if !is_first && rest.as_str().starts_with(']') {
            rest.next();
            return true;
        }
        is_first = false;
        if !one(rest) {
            return false;
        }
        if rest.as_str().starts_with('-') {
            rest.next();
            if !one(rest) {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_pattern;

    #[test]
    fn patterns_as_go_reads_them() {
        for pattern in [
            "", "*", "kube-*", "[a-z]*", "[^a]", "a\\*", "[a*b]", "a]", "{a,b}",
        ] {
            assert!(is_pattern(pattern), "{pattern}");
        }
        for pattern in [
            "[]a]", "[", "[a", "a\\", "[a-]", "[-a]", "[]", "[^]", "[a-z", "x[\\",
        ] {
            assert!(!is_pattern(pattern), "{pattern}");
        }
    }
}
