//! The details of the consumers of placements, and of the rules that placements replaced.

use serde_json::Value;

use crate::plan::Section;
use crate::plan::detail::{Cell, Columns, Detail, Said};
use crate::systems::kind::Kind;
use crate::systems::outcome::{at, first, list, spaced, text};

/// The clusters of one list.
const MANY: usize = 40;

/// The consumers of placements.
pub(in crate::systems) const DELIVERIES: Kind = Kind {
    section: Section::Deliveries,
    id: "delivery",
    key: "deliveries",
    title: "What reaches each cluster",
    short: "Deliveries",
    noun: "delivery",
    about: "Policies, applications, add-ons and works, and the clusters that they reach by \
            what placements decide.",
    is_matrix: true,
    name: |row, _| row.called(),
    details: delivery,
    ..Kind::ROWS
};

/// The rules that placements replaced.
pub(in crate::systems) const LEGACY_RULES: Kind = Kind {
    section: Section::LegacyRules,
    id: "legacy-rule",
    key: "legacy-rules",
    title: "Application placement rules",
    short: "Older rules",
    noun: "PlacementRule",
    about: "Which clusters the older PlacementRules for applications select.",
    opens: false,
    details: |row| {
        vec![Detail::Note(Said::at(
            first(row, "decisions", MANY),
            at(row),
        ))]
    },
    ..Kind::ROWS
};

fn delivery(row: &Value) -> Vec<Detail<'_>> {
    let fields = vec![
        ("Document", Said::at("", at(row))),
        ("Comes to", first(row, "added", MANY).into()),
        ("Goes from", first(row, "removed", MANY).into()),
        ("Reaches", first(row, "clusters", MANY).into()),
    ];
    let ways = Columns::of("way", "Ways of {}", list(row, "via"))
        .with("Placement", |way| {
            Cell::Name(spaced(&way["placement"]).into())
        })
        .with("Binding", |way| text(way, "binding"))
        .with("Clusters", |way| first(way, "clusters", 12));
    vec![Detail::Fields(fields), ways.end()]
}
