//! The regions of a file as one item, and its details.

use serde_json::Value;

use crate::kit::named::Name;
use crate::plan::detail::{Cell, Columns, Detail, Said};
use crate::plan::row::{At, Facts, Moved, Row};
use crate::plan::{Answer, Mark, Section};
use crate::systems::kind::Kind;
use crate::systems::outcome::{figure, list, number, text};

/// Region policies.
pub(super) const KINDS: &[Kind] = &[Kind {
    section: Section::Regions,
    id: "region",
    key: "regions",
    title: "Regions",
    short: "Regions",
    noun: "action",
    about: "How many nodes each region gets. The bar is the share of a region, the line in it its \
            cap.",
    answer: "Nodes",
    items: files,
    name: |row, item| match text(item, "cluster") {
        "" => row.name.to_string(),
        cluster => cluster.to_owned(),
    },
    why: |_, item| text(item, "action").to_owned(),
    details,
    ..Kind::ROWS
}];

fn details(row: &Value) -> Vec<Detail<'_>> {
    let data = &row["data"];
    let reason = if text(data, "status") == "OK" {
        ""
    } else {
        text(data, "reason")
    };
    let fields = vec![
        (
            "Action",
            Said::at(text(row, "action"), Some((text(row, "path"), None))),
        ),
        ("Status", reason.into()),
    ];
    let all = list(row, "regions");
    let numbers = all
        .iter()
        .flat_map(|region| ["nodes", "after", "share", "cap"].map(|key| number(region, key)));
    let most = numbers.max().unwrap_or_default().max(1);
    let change = |region: &Value| region["change"].as_i64().unwrap_or_default();
    let cell = |key| move |region| Cell::Figure(figure(region, key).into());
    let regions = Columns::of("region", "Regions of {}", all)
        .with("@Change", |region| match change(region) {
            0 => Cell::Mark(Mark::Same),
            1.. => Cell::Mark(Mark::New),
            _ => Cell::Mark(Mark::Gone),
        })
        .with("Region", |region| Cell::Name(text(region, "name").into()))
        .with("#Weight", cell("weight"))
        .with("#Cap", cell("cap"))
        .with("#Now", cell("nodes"))
        .with("#Change", |region| match change(region) {
            more @ 1.. => Cell::Figure(format!("+{more}").into()),
            other => Cell::Figure(other.to_string().replace('-', "\u{2212}").into()),
        })
        .with("#After", cell("after"))
        .with("Share", |region| {
            Cell::Bar(number(region, "after"), most, region["cap"].as_u64())
        });
    vec![Detail::Fields(fields), regions.end()]
}

/// The nodes in the usable regions of one file, before and after.
struct File {
    was: i128,
    now: i128,
}

fn files(regions: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let files = regions.chunk_by(|one, next| one.name.namespace == next.name.namespace);
    files.map(file).collect()
}

fn file<'p>(regions: &[Row<'p>]) -> Row<'p> {
    let mark = if regions.iter().any(|region| region.fails) {
        Mark::Failed
    } else if regions
        .iter()
        .any(|region| region.facts.was() != region.facts.now())
    {
        Mark::Changed
    } else {
        Mark::Same
    };
    let mut file = File { was: 0, now: 0 };
    for region in regions {
        if let Some(Answer::Count(now)) = region.facts.now() {
            file.now += now;
            if let Some(Answer::Count(was)) = region.facts.was() {
                file.was += was;
            }
        }
    }
    Row {
        section: regions[0].section,
        kind: "action",
        name: Name::new("", regions[0].name.namespace),
        at: At::Nowhere,
        mark,
        moved: Moved::default(),
        fails: regions[0].fails,
        facts: Box::new(file),
    }
}

impl<'p> Facts<'p> for File {
    fn was(&self) -> Option<Answer<'p>> {
        Some(Answer::Count(self.was))
    }

    fn now(&self) -> Option<Answer<'p>> {
        Some(Answer::Count(self.now))
    }

    fn because(&self) -> String {
        String::new()
    }
}
