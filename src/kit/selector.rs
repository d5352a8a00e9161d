//! Kubernetes label selectors: `matchLabels` and `matchExpressions`, their faults and matching.
//!
//! Source: Kubernetes `apimachinery`, `LabelSelectorAsSelector` and `labels.NewRequirement`.

use std::fmt;

use super::time::go_quote;

/// The remedy for a requirement with an invalid key; `None` for other faults.
#[must_use]
pub fn help_with_key(message: &str) -> Option<&'static str> {
    message.starts_with("key: ").then_some(
        "correct the key: letters, digits, `-`, `_` and `.`, optionally after a domain and `/`",
    )
}

/// A selector as written.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSelector<'a> {
    /// Labels that must be there with exactly this value, in the order written.
    pub match_labels: Vec<(&'a str, &'a str)>,
    /// Further requirements, in the order written.
    pub match_expressions: Vec<Expression<'a>>,
}

/// One entry of `matchExpressions` as written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expression<'a> {
    /// The label's key.
    pub key: &'a str,
    /// The operator, unchecked.
    pub operator: &'a str,
    /// The values; empty when absent.
    pub values: Vec<&'a str>,
}

/// The test of one requirement on a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test<'a> {
    /// The label is there and its value is one of these (sorted, without repetition).
    In(Vec<&'a str>),
    /// The label is not there, or its value is none of these (sorted, without repetition).
    NotIn(Vec<&'a str>),
    /// The label is there.
    Exists,
    /// The label is not there.
    DoesNotExist,
}

/// One checked requirement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement<'a> {
    /// The label's key.
    pub key: &'a str,
    /// The operator and values.
    pub test: Test<'a>,
}

/// A checked selector: all requirements must hold; without any it matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector<'a> {
    /// The requirements, `matchLabels` first.
    pub requirements: Vec<Requirement<'a>>,
}

/// Which part of a selector is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultAt {
    /// The entry of `matchLabels` with this index.
    Label(usize),
    /// The entry of `matchExpressions` with this index.
    Expression(usize),
}

/// Why a selector cannot be used, in the words of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError {
    /// The faulty part; the first one in Kubernetes' order.
    pub at: FaultAt,
    /// The text of Kubernetes.
    pub message: String,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SelectorError {}

impl<'a> LabelSelector<'a> {
    /// Whether it has no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// Checks the selector.
    ///
    /// # Errors
    /// The first faulty requirement: `matchLabels` before `matchExpressions`, each in the order
    /// written. Several faults of one requirement are joined as `[fault, fault]`.
    pub fn compile(&self) -> Result<Selector<'a>, SelectorError> {
        let mut requirements =
            Vec::with_capacity(self.match_labels.len() + self.match_expressions.len());
        for (index, (key, value)) in self.match_labels.iter().enumerate() {
            let mut faults = Vec::new();
            check_key(key, &mut faults);
            check_values(key, &[value], &mut faults);
            report(faults, FaultAt::Label(index))?;
            requirements.push(Requirement {
                key,
                test: Test::In(vec![value]),
            });
        }
        for (index, expression) in self.match_expressions.iter().enumerate() {
            let at = FaultAt::Expression(index);
            requirements.push(expression.compile(at)?);
        }
        Ok(Selector { requirements })
    }
}

impl<'a> Expression<'a> {
    fn compile(&self, at: FaultAt) -> Result<Requirement<'a>, SelectorError> {
        let mut faults = Vec::new();
        let sorted = || {
            let mut values = self.values.clone();
            values.sort_unstable();
            values.dedup();
            values
        };
        let test = match self.operator {
            "In" => Test::In(sorted()),
            "NotIn" => Test::NotIn(sorted()),
            "Exists" => Test::Exists,
            "DoesNotExist" => Test::DoesNotExist,
            other => {
                let message = format!("{} is not a valid label selector operator", go_quote(other));
                return Err(SelectorError { at, message });
            }
        };
        check_key(self.key, &mut faults);
        match test {
            Test::In(_) | Test::NotIn(_) if self.values.is_empty() => faults.push(
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be \
                 empty"
                    .to_owned(),
            ),
            Test::Exists | Test::DoesNotExist if !self.values.is_empty() => {
                let list: Vec<String> = self.values.iter().map(|value| json_quote(value)).collect();
                faults.push(format!(
                    "values: Invalid value: [{}]: values set must be empty for exists and does \
                     not exist",
                    list.join(",")
                ));
            }
            _ => {}
        }
        check_values(self.key, &self.values, &mut faults);
        report(faults, at)?;
        Ok(Requirement {
            key: self.key,
            test,
        })
    }
}

impl Requirement<'_> {
    /// Whether a label with this value (`None`: not there) satisfies the requirement.
    #[must_use]
    pub fn matches(&self, value: Option<&str>) -> bool {
        match &self.test {
            Test::In(values) => value.is_some_and(|value| values.binary_search(&value).is_ok()),
            Test::NotIn(values) => value.is_none_or(|value| values.binary_search(&value).is_err()),
            Test::Exists => value.is_some(),
            Test::DoesNotExist => value.is_none(),
        }
    }
}

impl Selector<'_> {
    /// Whether all requirements hold, given a look-up of labels.
    pub fn matches<'v>(&self, label: impl Fn(&str) -> Option<&'v str>) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(label(requirement.key)))
    }
}

fn report(mut faults: Vec<String>, at: FaultAt) -> Result<(), SelectorError> {
    if faults.is_empty() {
        return Ok(());
    }
    let mut seen: Vec<String> = Vec::new();
    faults.retain(|fault| {
        let new = !seen.contains(fault);
        if new {
            seen.push(fault.clone());
        }
        new
    });
    let message = if faults.len() == 1 {
        faults.remove(0)
    } else {
        format!("[{}]", faults.join(", "))
    };
    Err(SelectorError { at, message })
}

fn check_key(key: &str, faults: &mut Vec<String>) {
    let problems = qualified_name_problems(key);
    if !problems.is_empty() {
        faults.push(format!(
            "key: Invalid value: {}: {}",
            go_quote(key),
            problems.join("; ")
        ));
    }
}

fn check_values(key: &str, values: &[&str], faults: &mut Vec<String>) {
    for (index, value) in values.iter().enumerate() {
        let problems = label_value_problems(value);
        if !problems.is_empty() {
            faults.push(format!(
                "values[{index}][{key}]: Invalid value: {}: {}",
                go_quote(value),
                problems.join("; ")
            ));
        }
    }
}

const NAME_FORM: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
                         and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  \
                         or '123-abc', regex used for validation is \
                         '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// The reasons why a text is not a qualified name (a label's key), in the words of Kubernetes'
/// `validation.IsQualifiedName`; empty if it is one.
#[must_use]
pub fn qualified_name_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut parts = text.split('/');
    let (first, second, third) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let name = match (second, third) {
        (None, _) => first,
        (Some(name), None) => {
            if first.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                subdomain_problems(first, &mut problems);
            }
            name
        }
        (Some(_), Some(_)) => {
            problems.push(format!(
                "a qualified name {NAME_FORM} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            ));
            return problems;
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_name(name) {
        problems.push(format!("name part {NAME_FORM}"));
    }
    problems
}

/// The reasons why a text is not a label's value, in the words of Kubernetes'
/// `validation.IsValidLabelValue`; empty if it is one.
#[must_use]
pub fn label_value_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push("must be no more than 63 bytes".to_owned());
    }
    if !text.is_empty() && !is_name(text) {
        problems.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', \
             '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  \
             or 'my_value',  or '12345', regex used for validation is \
             '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    problems
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    edge(bytes.first())
        && edge(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn subdomain_problems(text: &str, problems: &mut Vec<String>) {
    if text.len() > 253 {
        problems.push("prefix part must be no more than 253 bytes".to_owned());
    }
    let edge = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let label = |label: &str| {
        let bytes = label.as_bytes();
        edge(bytes.first())
            && edge(bytes.last())
            && bytes.iter().all(|byte| edge(Some(byte)) || *byte == b'-')
    };
    if !text.split('.').all(label) {
        problems.push(
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
             characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
             'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
}

/// Quotes text as JSON, for lists inside messages.
fn json_quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression<'a>(key: &'a str, operator: &'a str, values: &[&'a str]) -> LabelSelector<'a> {
        LabelSelector {
            match_labels: Vec::new(),
            match_expressions: vec![Expression {
                key,
                operator,
                values: values.to_vec(),
            }],
        }
    }

    fn head(selector: &LabelSelector<'_>) -> String {
        let message = selector
            .compile()
            .map_err(|error| error.message)
            .unwrap_err();
        message
            .rsplit_once(": ")
            .map_or(message.clone(), |(head, _)| head.to_owned())
    }

    #[test]
    fn faults_in_kubernetes_words() {
        let error = |selector: LabelSelector<'_>| selector.compile().unwrap_err().message;
        assert_eq!(
            error(expression("env", "in", &["a"])),
            "\"in\" is not a valid label selector operator"
        );
        assert_eq!(
            error(expression("env", "In", &[])),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
        );
        assert_eq!(
            error(expression("env", "Exists", &["a", "b"])),
            "values: Invalid value: [\"a\",\"b\"]: values set must be empty for exists and does \
             not exist"
        );
        assert_eq!(
            head(&expression("a b", "Exists", &[])),
            "key: Invalid value: \"a b\""
        );
        assert_eq!(
            head(&expression("env", "In", &["ok", "not ok"])),
            "values[1][env]: Invalid value: \"not ok\""
        );
        let both = error(expression("a b", "In", &[]));
        assert!(both.starts_with("[key: Invalid value: \"a b\": "), "{both}");
        assert!(both.ends_with(
            ", values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty]"
        ));
        let labels = LabelSelector {
            match_labels: vec![("k", "a/b")],
            match_expressions: vec![Expression {
                key: "k",
                operator: "Near",
                values: vec![],
            }],
        };
        assert_eq!(head(&labels), "values[0][k]: Invalid value: \"a/b\"");
    }

    #[test]
    fn names() {
        for good in ["a", "A.b_c-1", "example.com/x", "a.b-c.d/MyName"] {
            assert_eq!(
                qualified_name_problems(good),
                Vec::<String>::new(),
                "{good}"
            );
        }
        for bad in [
            "",
            "-a",
            "a-",
            "a/b/c",
            "/x",
            "x/",
            "Example.com/x",
            "ä",
            &"a".repeat(64),
        ] {
            assert!(!qualified_name_problems(bad).is_empty(), "{bad}");
        }
        assert!(label_value_problems("").is_empty());
        assert!(label_value_problems(&"a".repeat(63)).is_empty());
        assert!(!label_value_problems(&"a".repeat(64)).is_empty());
        assert!(!label_value_problems("a b").is_empty());
    }

    #[test]
    fn matching() {
        let labels = [("env", "prod"), ("empty", "")];
        let get = |key: &str| {
            labels
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| *value)
        };
        let holds = |key, operator, values: &[&'static str]| {
            expression(key, operator, values)
                .compile()
                .unwrap()
                .matches(get)
        };
        assert!(holds("env", "In", &["test", "prod"]));
        assert!(!holds("env", "In", &["test"]));
        assert!(!holds("nope", "In", &[""]));
        assert!(holds("empty", "In", &[""]));
        assert!(holds("nope", "NotIn", &["x"]));
        assert!(!holds("env", "NotIn", &["prod"]));
        assert!(holds("empty", "Exists", &[]));
        assert!(holds("nope", "DoesNotExist", &[]));
        assert!(!holds("env", "DoesNotExist", &[]));
        assert!(LabelSelector::default().compile().unwrap().matches(get));
    }
}
