//! The ways to make a label selector match: other labels, or another selector.

use serde_json::json;

use super::{Edit, Remedy, Target, step};
use crate::kit::selector::{Expression, LabelSelector};

/// A requirement that does not hold, with the ways to make it.
pub type Unmet = (String, Vec<Remedy>);

/// The document that a selector is in, and where.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'t, 'a> {
    /// The document.
    pub target: &'t Target<'a>,
    /// The pointer to the selector.
    pub at: &'t str,
}

/// The values of a list of expressions that are offered, at most.
const OFFERED: usize = 3;

/// Every requirement that does not hold. `label` gives a label's value; `change` the edit that
/// gives it another one, or none.
pub fn unmet<'v>(
    selector: &LabelSelector<'_>,
    asking: Option<Asking<'_, '_>>,
    label: &dyn Fn(&str) -> Option<&'v str>,
    change: &dyn Fn(&str, Option<&str>) -> Option<Edit>,
) -> Vec<Unmet> {
    let mut all = Vec::new();
    for (key, value) in &selector.match_labels {
        let found = label(key);
        let whole = LabelSelector {
            match_labels: vec![(key, value)],
            match_expressions: Vec::new(),
        };
        let readable = whole.compile().is_ok();
        if readable && found == Some(*value) {
            continue;
        }
        let mut ways = Ways::default();
        if readable {
            ways.add(change(key, Some(value)), false);
        }
        if let Some(Asking { target, at }) = asking {
            let pointer = format!("{at}/matchLabels/{}", step(key));
            if let Some(found) = found.filter(|found| valid(key, found)) {
                ways.add(target.set(&*pointer, found), false);
            }
            ways.add(target.remove(pointer), false);
        }
        all.push((format!("{key} in ({value})"), ways.0));
    }
    for (expression, at) in selector.match_expressions.iter().zip(0..) {
        if let Some(one) = expression_ways(expression, at, asking, label, change) {
            all.push(one);
        }
    }
    all
}

#[derive(Default)]
struct Ways(Vec<Remedy>);

impl Ways {
    fn add(&mut self, edit: Option<Edit>, blunt: bool) {
        if let Some(edit) = edit {
            let edits = vec![edit];
            self.0.push(Remedy { edits, blunt });
        }
    }
}

fn valid(key: &str, value: &str) -> bool {
    let selector = LabelSelector {
        match_labels: vec![(key, value)],
        match_expressions: Vec::new(),
    };
    selector.compile().is_ok()
}

fn expression_ways<'v>(
    expression: &Expression<'_>,
    at: usize,
    asking: Option<Asking<'_, '_>>,
    label: &dyn Fn(&str) -> Option<&'v str>,
    change: &dyn Fn(&str, Option<&str>) -> Option<Edit>,
) -> Option<Unmet> {
    let Expression {
        key,
        operator,
        values,
    } = expression;
    let whole = LabelSelector {
        match_labels: Vec::new(),
        match_expressions: vec![expression.clone()],
    };
    let compiled = whole.compile();
    let found = label(key);
    if compiled
        .as_ref()
        .is_ok_and(|selector| selector.matches(label))
    {
        return None;
    }
    let mut ways = Ways::default();
    let list = asking.map(|asking| format!("{}/matchExpressions/{at}", asking.at));
    let subject = asking.zip(list.as_deref());
    let readable = compiled.is_ok();
    match *operator {
        "In" if readable => {
            for value in values.iter().take(OFFERED) {
                ways.add(change(key, Some(value)), false);
            }
            if let Some(((asking, list), found)) = subject.zip(found)
                && valid(key, found)
            {
                ways.add(
                    asking.target.append(&format!("{list}/values"), found),
                    false,
                );
            }
        }
        "NotIn" if readable => {
            ways.add(change(key, None), false);
            let hit = values.iter().position(|value| Some(*value) == found);
            let several = values.iter().any(|value| Some(*value) != found);
            if let Some(((asking, list), hit)) = subject.zip(hit)
                && several
            {
                ways.add(asking.target.remove(format!("{list}/values/{hit}")), false);
            }
        }
        "Exists" if readable => ways.add(change(key, Some("true")), false),
        "DoesNotExist" if readable => ways.add(change(key, None), false),
        _ => {}
    }
    if let Some((asking, list)) = subject {
        ways.add(asking.target.remove(list), false);
        let opposite = opposite(operator).filter(|_| readable);
        let turned = opposite.and_then(|word| asking.target.set(format!("{list}/operator"), word));
        ways.add(turned, true);
    }
    let needs = match values.as_slice() {
        [] => format!("{key} {operator}"),
        values => format!("{key} {operator} ({})", values.join(", ")),
    };
    Some((needs, ways.0))
}

/// The operator that holds wherever this one does not.
fn opposite(operator: &str) -> Option<&'static str> {
    match operator {
        "In" => Some("NotIn"),
        "NotIn" => Some("In"),
        "Exists" => Some("DoesNotExist"),
        "DoesNotExist" => Some("Exists"),
        _ => None,
    }
}

/// The edit of a label of a document: it gets the value, or goes.
pub fn label(target: &Target<'_>, key: &str, value: Option<&str>) -> Option<Edit> {
    let pointer = format!("/metadata/labels/{}", step(key));
    match value {
        Some(value) => target.set(pointer, json!(value)),
        None => target.remove(pointer),
    }
}

/// A selector as a document has it.
#[must_use]
pub fn read<'a>(node: crate::yaml::Node<'a>) -> LabelSelector<'a> {
    let text = |node: Option<crate::yaml::Node<'a>>| node.and_then(|node| node.text());
    let labels = node.get("matchLabels").into_iter();
    let labels = labels.flat_map(|labels| labels.entries());
    let expressions = node.get("matchExpressions").into_iter();
    let expressions = expressions.flat_map(|list| list.items());
    LabelSelector {
        match_labels: labels
            .filter_map(|(key, value)| Some((key.text()?, value.text()?)))
            .collect(),
        match_expressions: expressions
            .map(|item| Expression {
                key: text(item.get("key")).unwrap_or_default(),
                operator: text(item.get("operator")).unwrap_or_default(),
                values: item
                    .get("values")
                    .into_iter()
                    .flat_map(|values| values.items())
                    .filter_map(|value| value.text())
                    .collect(),
            })
            .collect(),
    }
}
