//! Rows say what each section says of its items as data, and a saved plan keeps them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planner::load::{Request, open};
use planner::options::Options;
use planner::plan::{self, Answer, Plan, Row, Section};
use planner::render::json;
use planner::{site, systems};
use serde_json::Value;

use crate::support::Folder;
use crate::support::altered::settings;

/// Sites of all systems.
const SITES: [&str; 8] = [
    "site",
    "ocm/fleet",
    "retail",
    "deliveries",
    "senlin",
    "hybrid/board",
    "remedies/ocm.yaml",
    "remedies/gitops.yaml",
];

fn fixtures(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(path)
}

fn with_plan(path: &str, check: impl FnOnce(&Plan<'_, '_>, &Value)) {
    let request = Request::of(vec![fixtures(path)]);
    let loaded = open(&request).expect("a site");
    let settings = settings();
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &Options::default());
    let found = planner::diagnostic::Sink::default();
    let answer = json::PlanAnswer::new(&plan, &found, &loaded.sources);
    let data = serde_json::to_value(&answer).expect("data");
    check(&plan, &data);
}

fn names(value: &Value) -> Vec<String> {
    let mut names: Vec<String> = value
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

fn of(answer: Option<Answer<'_>>) -> Vec<String> {
    let names = answer.iter().flat_map(Answer::names);
    names.map(ToString::to_string).collect()
}

/// The rows of a section against its items: the keys of the answer before and now.
fn agrees(rows: &[Row<'_>], items: &[Value], was: Option<&str>, now: &str) {
    assert_eq!(rows.len(), items.len());
    for (row, item) in rows.iter().zip(items) {
        assert_eq!(row.name.name, item["name"], "{item}");
        let namespace = item["namespace"].as_str().unwrap_or_default();
        assert_eq!(row.name.namespace, namespace, "{item}");
        assert_eq!(of(row.facts.now()), names(&item[now]), "{item}");
        if let Some(was) = was {
            assert_eq!(row.facts.was().is_some(), item[was].is_array(), "{item}");
            assert_eq!(of(row.facts.was()), names(&item[was]), "{item}");
        }
    }
}

#[test]
fn rows_are_what_each_section_says_of_its_items() {
    let mut seen: BTreeMap<Section, usize> = BTreeMap::new();
    for path in SITES {
        with_plan(path, |plan, data| {
            let mut rows: BTreeMap<Section, Vec<Row<'_>>> = BTreeMap::new();
            for row in systems::rows(plan) {
                rows.entry(row.section).or_default().push(row);
            }
            for (section, rows) in &rows {
                *seen.entry(*section).or_default() += rows.len();
                let list = data[section.key()].as_array();
                let items = list.map_or(&[][..], Vec::as_slice);
                match section {
                    Section::Groups => {
                        let order = data["deploymentStrategy"]["order"].as_array();
                        let own: Vec<&str> = rows.iter().map(|row| row.name.name).collect();
                        assert_eq!(Some(&own.into_iter().map(Value::from).collect()), order);
                    }
                    Section::Regions => regions(rows, items),
                    Section::Placements | Section::Rules => agrees(rows, items, None, "decisions"),
                    Section::Deliveries => agrees(rows, items, Some("was"), "clusters"),
                    Section::LegacyRules => agrees(rows, items, Some("was"), "decisions"),
                    Section::Applications => applications(rows, items),
                }
            }
        });
    }
    for section in Section::ALL {
        let rare = section == Section::LegacyRules;
        assert!(rare || seen.contains_key(&section), "{section:?}");
    }
}

fn regions(rows: &[Row<'_>], items: &[Value]) {
    let regions = items.iter().flat_map(|item| {
        let regions = item["regions"].as_array().expect("regions").iter();
        regions.map(move |region| (&item["path"], region))
    });
    let mut usable = rows.iter().filter(|row| row.facts.now().is_some());
    for (path, region) in regions {
        let row = usable.next().expect("a row");
        assert_eq!(
            (row.name.namespace, row.name.name),
            (path.as_str().unwrap(), region["name"].as_str().unwrap())
        );
        let nodes = |key: &str| Some(Answer::Count(region[key].as_i64().unwrap().into()));
        assert_eq!(
            (row.facts.was(), row.facts.now()),
            (nodes("nodes"), nodes("after"))
        );
    }
    assert!(usable.next().is_none());
}

fn applications(rows: &[Row<'_>], items: &[Value]) {
    assert_eq!(rows.len(), items.len());
    for (row, item) in rows.iter().zip(items) {
        assert_eq!(row.name.namespace, item["package"]);
        assert_eq!(row.name.name, item["application"]);
        let change = match item["change"].as_str().unwrap() {
            "unchanged" => "same",
            "place" => "new",
            "move" => "changed",
            "withdraw" => "gone",
            _ => "failed",
        };
        assert_eq!(row.mark.word(), change, "{item}");
        let place = |key: &str| -> Vec<String> {
            item[key].as_str().map(str::to_owned).into_iter().collect()
        };
        assert_eq!(of(row.facts.was()), place("was"), "{item}");
        assert_eq!(of(row.facts.now()), place("cluster"), "{item}");
        assert_eq!(
            row.facts.left().len(),
            item["outOfBounds"].as_array().unwrap().len()
        );
    }
}

/// How many things a page says will change.
fn changes(page: &str) -> &str {
    let (_, rest) = page.split_once("What changes <small>").expect("changes");
    rest.split_once('<').expect("a number").0
}

#[test]
fn the_page_of_a_saved_plan_says_what_that_of_the_plan_says() {
    for path in ["site", "ocm/fleet", "senlin", "hybrid/board", "retail"] {
        let folder = Folder::new();
        let path = fixtures(path);
        let path = path.to_str().expect("a path");
        folder.at(&["plan", path, "--out", "site.plan"]).ends(0);
        folder.at(&["report", path, "-o", "live.html"]).ends(0);
        let args = ["report", "--plan", "site.plan", "-o", "saved.html"];
        folder.run(&args).ends(0);
        let (live, saved) = (folder.read("live.html"), folder.read("saved.html"));
        assert_eq!(changes(&live), changes(&saved), "{path}");
        let table = |page: &str| {
            let (_, rest) = page.split_once("<section id=\"changes\"").expect("a table");
            rest.split_once("</section>").expect("an end").0.to_owned()
        };
        assert_eq!(table(&live), table(&saved), "{path}");
    }
}
