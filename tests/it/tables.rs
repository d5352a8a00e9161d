//! `-o csv` and `-o tsv`: stable columns, a row a line, and nothing that a spreadsheet runs.

use std::path::Path;

use crate::support::Folder;

fn fixture(path: &str) -> String {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    all.join(path).to_str().expect("a path").to_owned()
}

/// The cells of comma-separated values, read as RFC 4180 says.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let (mut line, mut cell) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'), "lines end with CR and LF");
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            c => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && line.is_empty(), "{text}");
    lines
}

/// The rows of both formats, which are the same, without their heads.
fn rows(args: &[&str], status: i32, heads: &str) -> Vec<Vec<String>> {
    let folder = Folder::new();
    let run = |format: &str| {
        let answer = folder.at(&[args, &["-o", format]].concat());
        answer.ends(status);
        answer.out
    };
    let mut lines = cells(&run("csv"));
    let tabs = run("tsv");
    let tabs: Vec<Vec<String>> = tabs
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    assert_eq!(lines, tabs);
    assert_eq!(lines.remove(0).join(","), heads);
    let columns = heads.split(',').count();
    for line in &lines {
        assert_eq!(line.len(), columns, "{line:?}");
        for cell in line {
            let harmful = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(!harmful && !cell.contains(char::is_control), "{line:?}");
        }
    }
    lines
}

const PLAN: &str = "section,kind,namespace,name,change,position,was,now,because,path,line";
const DIFF: &str = "section,subject,change,position,from,to,because,confirmed,error,volumesLeft";

#[test]
fn a_plan_has_a_row_for_each_thing_it_decides_about() {
    let site = fixture("site");
    let all = rows(&["plan", &site], 0, PLAN);
    let of = |section: &str| all.iter().filter(|row| row[0] == section).count();
    let data = Folder::new().at(&["plan", &site, "-o", "json"]).json();
    for section in ["placements", "deliveries", "applications"] {
        let items = data[section].as_array().expect(section).len();
        assert_eq!(of(section), items, "{section}");
    }
    assert_eq!(of("deploymentStrategy"), 9);
    let moved: Vec<&Vec<String>> = all.iter().filter(|row| row[3] == "basket").collect();
    let [row] = moved.as_slice() else {
        panic!("{moved:?}");
    };
    assert_eq!(row[1..4], ["Application", "shop", "basket"]);
    assert_eq!(
        (&*row[4], &*row[6], &*row[7]),
        ("changed", "osen", "dunmore")
    );
    assert_eq!(row[8], "lowest cost (3)");
    let one = rows(&["plan", &site, "--section", "placements"], 0, PLAN);
    assert_eq!(one.len(), of("placements"));
    let changes = rows(&["plan", &site, "--changes-only"], 0, PLAN);
    assert!(changes.len() < all.len() && changes.iter().all(|row| row[4] != "same"));
}

#[test]
fn other_answers_have_rows_as_well() {
    let site = fixture("site");
    let moves = rows(&["plan", &site, "--without", "cluster/dunmore"], 0, DIFF);
    assert!(moves.iter().any(|row| row[1] == "shop/basket"), "{moves:?}");
    let heads = "kind,name,class,verdict,unplaced,volumes,moves";
    let losses = rows(&["risk", &fixture("retail")], 0, heads);
    let lost = |name: &str| losses.iter().find(|row| row[1] == name).expect("a row");
    assert_eq!(
        lost("reykjavik")[2..5],
        ["unplaceable", "", "Application shop/db"]
    );
    assert!(
        lost("oslo")[6].contains("; Application shop/search"),
        "{losses:?}"
    );
    let heads = "part,kind,namespace,name,field,git,hub,added,removed,because,by,at,path,line";
    let (fleet, hub) = (fixture("ocm/fleet"), fixture("ocm/hub/hub.yaml"));
    let drift = rows(&["drift", &fleet, "--hub", &hub, "--exit-zero"], 0, heads);
    let data = Folder::new()
        .at(&["drift", &fleet, "--hub", &hub, "-o", "json"])
        .json();
    for part in ["fields", "missing", "extra", "decisions", "next"] {
        let of = drift.iter().filter(|row| row[0] == part).count();
        assert_eq!(of, data[part].as_array().expect(part).len(), "{part}");
    }
}

#[test]
fn names_from_documents_are_no_formulas_and_refused_documents_leave_the_heads() {
    let hostile = fixture("cli/hostile-names.yaml");
    assert!(!rows(&["plan", &hostile], 0, PLAN).is_empty());
    let folder = Folder::of(&[(
        "a.yaml",
        "apiVersion: planner/v1\nkind: Cluster\nmetadata: {}\n",
    )]);
    let site = folder.path().join("a.yaml");
    let refused = rows(&["plan", site.to_str().expect("a path")], 1, PLAN);
    assert!(refused.is_empty(), "{refused:?}");
}
