//! A rule's identity: code, summary, severity and its page.

use super::Severity;

/// A rule: the code of findings and its texts, which also feed `explain`, the manual and SARIF.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `planner::<area>::<name>`, stable for ever.
    pub code: &'static str,
    /// Its former codes, which users may still have written.
    pub former: &'static [&'static str],
    /// The release that brought it.
    pub since: &'static str,
    /// One phrase that says what is wrong.
    pub summary: &'static str,
    /// Severity unless configured otherwise.
    pub severity: Severity,
    /// The relation of its findings to other documents.
    pub tells: Tells,
    /// The page, in Markdown.
    pub docs: &'static str,
    /// The file of the table that the rule is in.
    pub table: &'static str,
    /// Where the page is from there.
    pub page: &'static str,
}

/// The relation of a finding to other documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tells {
    /// It has none.
    Nothing,
    /// Another document has the same name.
    Twin,
    /// Another document has the same name. `kubectl apply` takes both, and the last one counts.
    AppliedTwin,
    /// The same; a plan can leave both out.
    SpareTwin,
    /// Another document has the same name, and all directories of the site are read together.
    SiteTwin,
    /// No document has the name that the finding quotes.
    NoName,
    /// No document has the label or value that the finding quotes.
    NoLabel,
    /// No document is of this kind.
    NoKind(&'static str),
}

impl Tells {
    /// Whether another document has the same name.
    #[must_use]
    pub fn is_twin(self) -> bool {
        matches!(
            self,
            Self::Twin | Self::AppliedTwin | Self::SpareTwin | Self::SiteTwin
        )
    }
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

/// The first release: a rule that does not say otherwise has been there since.
pub const FIRST: &str = "0.1.0";

/// The table of a module's rules: where its pages are, and for each area of codes a row with name,
/// severity, code and summary. Makes a static for each row and `RULES` for all of them.
///
/// A later rule says which release brings it, a renamed one its former codes, in full:
/// `NAME Error "code" since "0.2.0" was ["planner::area::old"] "summary";`. A rule whose
/// findings relate to other documents has `tells` before that: `NAME Error "code" tells NoName
/// "summary";`.
macro_rules! rule_table {
    (
        pages $pages:literal;
        $($area:literal {
            $($name:ident $severity:ident $code:literal $(tells $tells:ident $(($kind:literal))?)?
                $(since $since:literal)? $(was [$($former:literal),+])? $summary:literal;)*
        })*
    ) => {
        $($(
            #[doc = $summary]
            pub static $name: $crate::diagnostic::Rule = $crate::diagnostic::Rule {
                code: concat!("planner::", $area, "::", $code),
                former: &[$($($former),+)?],
                since: [$($since,)? $crate::diagnostic::FIRST][0],
                summary: $summary,
                severity: $crate::diagnostic::Severity::$severity,
                tells: [
                    $($crate::diagnostic::Tells::$tells $(($kind))?,)?
                    $crate::diagnostic::Tells::Nothing,
                ][0],
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

/// A code that no finding has any more.
#[derive(Debug, PartialEq, Eq)]
pub struct Retired {
    /// The code, in full.
    pub code: &'static str,
    /// The release without it.
    pub since: &'static str,
    /// Why, and what to use instead.
    pub reason: &'static str,
}

/// All codes: those of findings, and those that users may still have written.
#[derive(Debug, Clone, Default)]
pub struct Codes {
    /// The rules, sorted by code.
    pub rules: Vec<&'static Rule>,
    /// The codes that are gone.
    pub retired: &'static [Retired],
}

/// The meaning of a code that a user has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A rule, by its code.
    Rule(&'static Rule),
    /// A rule, by a code that it had before.
    Renamed(&'static Rule),
    /// A retired code.
    Retired(&'static Retired),
}

impl Meaning {
    /// The rule, unless the code was retired.
    #[must_use]
    pub fn rule(self) -> Option<&'static Rule> {
        match self {
            Self::Rule(rule) | Self::Renamed(rule) => Some(rule),
            Self::Retired(_) => None,
        }
    }

    /// The note for the user, unless it is the current code.
    #[must_use]
    pub fn note(self, written: &str) -> Option<String> {
        let written = short_code(written);
        match self {
            Self::Rule(_) => None,
            Self::Renamed(rule) => {
                let now = short_code(rule.code);
                Some(format!("`{written}` is now called `{now}`"))
            }
            Self::Retired(Retired { since, reason, .. }) => {
                Some(format!("`{written}` was retired in {since}: {reason}"))
            }
        }
    }
}

impl Codes {
    /// The meaning of a written code; the leading `planner::` may be left out.
    #[must_use]
    pub fn find(&self, written: &str) -> Option<Meaning> {
        let same = |code: &str| short_code(code) == short_code(written);
        let former = |rule: &Rule| rule.former.iter().any(|code| same(code));
        let mut rules = self.rules.iter().copied();
        let current = rules.clone().find(|rule| same(rule.code));
        let renamed = || rules.find(|rule| former(rule)).map(Meaning::Renamed);
        let retired = || self.retired.iter().find(|gone| same(gone.code));
        current
            .map(Meaning::Rule)
            .or_else(renamed)
            .or_else(|| retired().map(Meaning::Retired))
    }

    /// The current codes, without the leading `planner::`.
    pub fn short(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|rule| short_code(rule.code))
    }
}

/// Codes of which some were renamed or retired.
#[cfg(test)]
pub(crate) fn changed_codes() -> Codes {
    static RENAMED: Rule = Rule {
        code: "planner::ogc::new_name",
        former: &["planner::ogc::old_name", "planner::ogc::older_name"],
        since: FIRST,
        summary: "",
        severity: Severity::Warning,
        tells: Tells::Nothing,
        docs: "",
        table: "",
        page: "",
    };
    static RETIRED: &[Retired] = &[Retired {
        code: "planner::ogc::gone",
        since: "0.2.0",
        reason: "the schema says it",
    }];
    Codes {
        rules: vec![&RENAMED],
        retired: RETIRED,
    }
}

/// The messages of the notes about those codes, in order.
#[cfg(test)]
pub(crate) fn notes(sink: &super::Sink) -> Vec<&str> {
    let said = sink.diagnostics.iter();
    let notes = said.filter(|one| one.severity == Severity::Note);
    notes.map(|one| one.message.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_code_still_means_its_rule() {
        let codes = changed_codes();
        let rule = codes.rules[0];
        let find = |written| codes.find(written);
        assert_eq!(find("ogc::new_name"), Some(Meaning::Rule(rule)));
        let old = find("planner::ogc::older_name").unwrap();
        assert_eq!(old, Meaning::Renamed(rule));
        let note = "`ogc::older_name` is now called `ogc::new_name`";
        assert_eq!(old.note("planner::ogc::older_name").as_deref(), Some(note));
        let gone = find("ogc::gone").unwrap();
        assert_eq!(gone.rule(), None);
        let note = "`ogc::gone` was retired in 0.2.0: the schema says it";
        assert_eq!(gone.note("ogc::gone").as_deref(), Some(note));
        assert_eq!(find("ogc::never"), None);
    }
}
