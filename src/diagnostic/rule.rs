//! A rule's identity: code, summary, severity and its page.

use super::Severity;

/// What is known of a code; the same text feeds `explain`, the manual and SARIF.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `planner::<area>::<name>`, stable for ever.
    pub code: &'static str,
    /// One phrase that says what is wrong.
    pub summary: &'static str,
    /// Severity unless configured otherwise.
    pub severity: Severity,
    /// The page, in Markdown.
    pub docs: &'static str,
}

impl Rule {
    /// A rule whose finding is an error.
    #[must_use]
    pub const fn error(code: &'static str, summary: &'static str, docs: &'static str) -> Self {
        Self {
            code,
            summary,
            severity: Severity::Error,
            docs,
        }
    }
}

/// A code without the leading `planner::`.
#[must_use]
pub fn short_code(code: &str) -> &str {
    code.strip_prefix("planner::").unwrap_or(code)
}

/// The rule of a code in a table; the leading `planner::` may be left out.
#[must_use]
pub fn find_rule(rules: &[&'static Rule], code: &str) -> Option<&'static Rule> {
    rules
        .iter()
        .find(|rule| short_code(rule.code) == short_code(code))
        .copied()
}
