//! The details of an Application.

use std::borrow::Cow;

use serde_json::Value;

use crate::ogc::inheritance::effective_sorted;
use crate::plan::detail::{Cell, Columns, Detail, Said};
use crate::plan::row::At;
use crate::plan::{Plan, Section};
use crate::systems::kind::{Kind, NAMES, funnel};
use crate::systems::outcome::{at, declare, first, list, text};

/// Applications of Packages.
pub(super) const KINDS: &[Kind] = &[Kind {
    section: Section::Applications,
    id: "application",
    key: "applications",
    title: "Applications",
    short: "Applications",
    noun: "Application",
    about: "Where each Application goes. Open one for its rules, the Clusters that each filter \
            left, and what decided.",
    answer: "Cluster",
    opens: false,
    places: rules,
    details,
    ..Kind::ROWS
}];

fn details(row: &Value) -> Vec<Detail<'_>> {
    let decided = &row["decidedBy"];
    let reason = text(decided, "reason");
    let because = match (&row["error"], text(decided, "filter")) {
        (error @ Value::Object(_), _) => Cow::from(text(error, "message")),
        (_, "") if decided.is_null() => "no longer planned".into(),
        (_, "") => reason.into(),
        (_, filter) => format!("{filter}: {reason}").into(),
    };
    let rules = list(row, "effectiveRules");
    let rules = Columns::of("rule", "Rules of {}", rules)
        .with("Rule", |rule| {
            format!("{} {}", text(rule, "key"), text(rule, "operator"))
        })
        .with("Values", |rule| first(rule, "values", NAMES))
        .with("From", |rule| Said::at(text(rule, "origin"), at(rule)));
    let name = |volume| format!("{} {}", text(volume, "kind"), text(volume, "name"));
    let left = list(row, "outOfBounds");
    let left = Columns::of("volume", "Volumes that {} leaves behind", left)
        .with("Left behind", |volume| Cell::Name(name(volume).into()))
        .with("On", |volume| text(volume, "cluster"))
        .with("Removed by", |volume| text(volume, "removedBy"));
    let fields = vec![
        ("Project", text(row, "project").into()),
        ("Decided by", Said::at(because, at(row))),
    ];
    vec![Detail::Fields(fields), rules.end(), funnel(row), left.end()]
}

/// Adds the lines of the rules of an Application.
fn rules(plan: &Plan<'_, '_>, at: usize, row: &mut Value) {
    let (model, sources) = (&*plan.site.ogc, plan.site.documents.sources);
    let item = plan.applications.as_ref().map(|outcome| &outcome.items[at]);
    let Some(application) = item.and_then(|item| item.of(model)) else {
        return;
    };
    let rules = effective_sorted(model, application).into_iter();
    let rows = row["effectiveRules"].as_array_mut().into_iter().flatten();
    for ((rule, _), row) in rules.zip(rows) {
        declare(row, At::Place(rule.place).line(Some(sources)));
    }
}
