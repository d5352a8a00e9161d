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
    /// The file of the table that the rule is in.
    pub table: &'static str,
    /// Where the page is from there.
    pub page: &'static str,
}

impl Rule {
    /// The file of the page, from the root of the sources.
    #[must_use]
    pub fn path(&self) -> String {
        let table = self.table.replace('\\', "/");
        let home = table.rsplit_once('/').map_or("", |(home, _)| home);
        format!("{home}/{}", self.page)
    }
}

/// The table of a module's rules: where its pages are, and for each area of codes a row with name,
/// severity, code and summary. Makes a static for each row and `RULES` for all of them.
macro_rules! rule_table {
    (
        pages $pages:literal;
        $($area:literal {
            $($name:ident $severity:ident $code:literal $summary:literal;)*
        })*
    ) => {
        $($(
            #[doc = $summary]
            pub static $name: $crate::diagnostic::Rule = $crate::diagnostic::Rule {
                code: concat!("planner::", $area, "::", $code),
                summary: $summary,
                severity: $crate::diagnostic::Severity::$severity,
                docs: include_str!(concat!($pages, $code, ".md")),
                table: file!(),
                page: concat!($pages, $code, ".md"),
            };
        )*)*
        /// The rules of this module.
        pub static RULES: &[&$crate::diagnostic::Rule] = &[$($(&$name,)*)*];
    };
}
pub(crate) use rule_table;

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
