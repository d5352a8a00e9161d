//! `validate` and `plan`: the site as it is, with the edits of the call.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Severity, short_code};
use crate::kit::nearest::{hint, nearest};
use crate::plan::{Mark, Row, Section};
use crate::render::json;
use crate::rules;
use crate::systems;
use crate::workspace::{Purpose, Snapshot};

use super::super::answer::Answer;
use super::super::arguments::{Arguments, Mistake};
use super::super::edits::finding;
use super::super::sites::Sites;
use super::{counts, documents, errors, mistaken};

const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Note];

/// The tool `validate`.
pub(in crate::mcp) fn validate(
    sites: &mut Sites,
    arguments: Arguments<'_>,
) -> Result<Value, Mistake> {
    let least = arguments.word("severity", &SEVERITIES.map(Severity::word))?;
    let least = SEVERITIES.into_iter().find(|one| Some(one.word()) == least);
    let codes = codes(&arguments.texts("codes")?)?;
    let page = arguments.count("page")?.unwrap_or(0);
    let job = sites.job(arguments)?;
    let snapshot = job.run(Purpose::Validate);
    let snapshot = snapshot.map_err(|fault| mistaken(sites, arguments, &fault))?;
    let (found, sources) = (&snapshot.findings, snapshot.sources());
    let listed = |one: &&Diagnostic| {
        one.severity >= least.unwrap_or(Severity::Note)
            && (codes.is_empty() || codes.contains(&one.rule.code))
    };
    // The worst first; within a severity by file and place.
    let mut all: Vec<&Diagnostic> = found.diagnostics.iter().filter(listed).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.severity));
    let counted = snapshot.plan().counts;
    let result = match () {
        () if snapshot.plan().refused() => "refused",
        () if !found.diagnostics.is_empty() => "findings",
        () if snapshot.loaded().files_read == 0 || counted.is_nothing() => "nothing",
        () => "clean",
    };
    let fixable = all.iter().any(|one| one.fix.is_some());
    let again = fixable.then_some(
        "apply the edits of a fix to its file, the last edit first, and call validate again with \
         the whole new text as overlay",
    );
    let answer = Answer::default()
        .with("result", result)
        .with("counts", counts(found))
        .with("documents", documents(&snapshot))
        .with("listed", all.len())
        .with_some("callAgain", again)
        .list("findings", all.into_iter().map(|one| finding(one, sources)));
    Ok(answer.page(page))
}

/// The codes that a caller means, in full.
fn codes(written: &[&str]) -> Result<Vec<&'static str>, Mistake> {
    let codes = rules::codes();
    let full = |written: &&str| {
        let names = || codes.rules.iter().map(|rule| short_code(rule.code));
        let found = codes.find(written).and_then(|meaning| meaning.rule());
        let by_name = || {
            let mut rules = codes.rules.iter();
            rules
                .find(|rule| rule.code.rsplit("::").next() == Some(*written))
                .copied()
        };
        found.or_else(by_name).map(|rule| rule.code).ok_or_else(|| {
            let hint = hint(nearest(written, names()).as_slice());
            Mistake::new(format!(
                "there is no code \"{written}\"{hint}; `explain` lists them"
            ))
        })
    };
    written.iter().map(full).collect()
}

/// The tool `plan`.
pub(in crate::mcp) fn plan(sites: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let section = arguments.word("section", &Section::ALL.map(Section::key))?;
    let page = arguments.count("page")?.unwrap_or(0);
    let job = sites.job(arguments)?;
    let snapshot = job.run(Purpose::Plan);
    let snapshot = snapshot.map_err(|fault| mistaken(sites, arguments, &fault))?;
    let plan = snapshot.plan();
    let rows = || plan.shown().into_iter().flat_map(systems::rows);
    let mut sections: BTreeMap<Section, BTreeMap<Mark, usize>> = BTreeMap::new();
    for row in rows() {
        *sections
            .entry(row.section)
            .or_default()
            .entry(row.mark)
            .or_default() += 1;
    }
    let sections = sections.into_iter().map(|(section, marks)| {
        let all: usize = marks.values().sum();
        let marks = marks
            .into_iter()
            .map(|(mark, count)| (mark.word().to_owned(), count.into()));
        let marks: serde_json::Map<String, Value> = marks.collect();
        json!({"section": section.key(), "rows": all, "marks": marks})
    });
    let shown = move |row: &Row<'_>| match section {
        Some(section) => row.section.key() == section,
        None => row.fails || row.mark != Mark::Same,
    };
    // What fails comes first.
    let failing = rows().filter(shown).filter(|row| row.fails);
    let others = rows().filter(shown).filter(|row| !row.fails);
    let sources = snapshot.sources();
    let answer = Answer::default()
        .with("result", plan.result().word())
        .with("now", plan.now.to_string())
        .with("documents", documents(&snapshot))
        .with("counts", counts(&snapshot.findings))
        .with("sections", sections.collect::<Vec<_>>())
        .with_some("leftOut", left_out(&snapshot))
        .list("errors", errors(&snapshot))
        .list(
            "rows",
            failing
                .chain(others)
                .map(move |row| json::row(row, sources)),
        );
    Ok(answer.page(page))
}

/// The parts that a partial plan leaves out.
fn left_out(snapshot: &Snapshot) -> Option<Vec<Value>> {
    let partial = snapshot.plan().partial.as_ref()?;
    Some(json::left_out_values(&partial.left_out, snapshot.sources()))
}
