//! The screens that people meet first and most, as terminals of 80 and 120 columns show them.
#![cfg(unix)]

use std::path::Path;

use crate::support::terminal::{said, shell};
use crate::support::{Folder, NOW};
use regex::Regex;

/// The widths of the terminals.
const WIDTHS: [usize; 2] = [80, 120];

/// The codes of styles that can be read on light and on dark ground: no white, no black, nothing
/// bright, no ground of its own.
const STYLES: [&str; 11] = ["0", "1", "2", "4", "31", "32", "33", "34", "35", "36", "39"];

/// A name for each screen, and what is typed after `planner`. `proceed` and its like are asked by
/// `tests/prompt.rs`; here standard input is no terminal, except where a line is typed.
const SCREENS: [(&str, &str); 48] = [
    // The plan.
    ("plan-site", "plan site"),
    ("plan-fleet", "plan ocm/fleet"),
    ("plan-retail", "plan retail"),
    ("plan-hybrid", "plan hybrid/board"),
    ("plan-senlin", "plan senlin/shrink.yaml"),
    ("plan-hub", "plan ocm/hub"),
    ("plan-refused", "plan bad/habits.yaml"),
    ("plan-sites", "plan repositories/sites/files"),
    ("plan-partial", "plan repositories/partial/files"),
    // What changes.
    ("against", "plan now --against before"),
    ("guard", "plan now --against before --fail-on removed=5%"),
    ("saved", "show saved.plan retail"),
    ("diff", "diff saved.plan down.plan"),
    // What if.
    ("simulate", "simulate site --fail ntp-1 --fail ntp-2"),
    ("weakest", "simulate site --weakest"),
    ("risk", "risk site"),
    ("risk-fleet", "risk ocm/fleet"),
    ("remedies", "risk site --remedies"),
    ("remedies-diff", "risk site --remedies all --diff"),
    ("location", "risk remedies/location.yaml --remedies all"),
    // Why.
    ("why-application", "why shop/db --in retail"),
    ("why-cluster", "why store-104 --in ocm/fleet"),
    ("why-pair", "why self-checkout store-104 --in ocm/fleet"),
    ("why-unknown", "why nothing --in retail"),
    // Faults.
    ("validate", "validate site"),
    ("validate-faults", "validate repositories/folded/files"),
    ("validate-fix", "validate typo --diff --unsafe-fixes"),
    ("validate-safe", "validate typo --fix"),
    ("explain-system", "explain senlin"),
    ("explain-word", "explain placement"),
    ("explain-code", "explain ogc::overcommitted"),
    // The hub.
    (
        "drift",
        "drift --now 2026-11-27T10:00:00Z --hub corpus/drift/drift-004.hub.yaml \
         corpus/drift/drift-004.git.yaml",
    ),
    ("migrate", "migrate repositories/rules/files"),
    ("migrate-diff", "migrate repositories/rules/files -o diff"),
    // The rest.
    ("graph", "graph site"),
    ("test", "test site"),
    ("init", "init fresh --diff"),
    ("habit-dry-run", "init fresh --dry-run"),
    ("help", "--help"),
    ("help-short", "-h"),
    ("help-plan", "plan -h"),
    ("help-risk", "risk -h"),
    ("help-why", "why -h"),
    // What goes wrong at the command line.
    ("no-path", "plan nowhere"),
    ("no-site", "plan empty"),
    ("several-sites", "plan several"),
    ("habit-apply", "apply -f site"),
    ("habit-format", "plan site --format json"),
];

fn folder() -> Folder {
    let folder = Folder::of(&[
        (
            "typo/a.yaml",
            &crate::support::BROKEN.replace("Cheapest", "MinOff"),
        ),
        ("empty/notes.txt", "nothing\n"),
        ("fresh/site.yaml", &crate::support::site()),
    ]);
    folder.copy_fixtures(&[
        "site",
        "retail",
        "hybrid",
        "senlin",
        "ocm",
        "bad",
        "corpus/drift",
        "remedies",
        "repositories/sites",
        "repositories/partial",
        "repositories/folded",
        "repositories/rules",
    ]);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for name in ["before", "now"] {
        folder.copy(&fixtures.join("ocm/fleet"), name);
    }
    for (name, from, to) in [
        (
            "placements/gov-stores.yaml",
            "tier: store",
            "tier: store, region: south",
        ),
        (
            "clusters.yaml",
            "name: store-104, region: north, tier: store, ring: main",
            "name: store-104, region: north, tier: store, ring: pilot",
        ),
    ] {
        let name = format!("now/{name}");
        let text = folder.read(&name);
        assert!(text.contains(from), "{name}");
        folder.write(&name, text.replace(from, to));
    }
    for name in ["several/east", "several/west"] {
        folder.copy(&fixtures.join("site"), name);
    }
    folder
        .at(&["plan", "retail", "--out", "saved.plan"])
        .ends(0);
    let oslo = folder.read("retail/clusters/oslo.yaml");
    folder.write(
        "retail/clusters/oslo.yaml",
        oslo.replace("phase: Up", "phase: Down"),
    );
    folder.at(&["plan", "retail", "--out", "down.plan"]).ends(0);
    folder.write("retail/clusters/oslo.yaml", oslo);
    folder
}

/// What a terminal of so many columns shows, with the codes of its styles.
fn shown(folder: &Folder, typed: &str, width: usize) -> String {
    let timeless = ["--now", "-h", "--help", "explain", "init", "apply"];
    let now = if typed.split(' ').any(|word| timeless.contains(&word)) {
        String::new()
    } else {
        format!("--now {NOW}")
    };
    let line = format!(
        "stty cols {width} rows 40; LANG=C.UTF-8 PAGER=cat \"$PLANNER\" {typed} {now} \
         </dev/null; echo \"[status $?]\""
    );
    said(shell(folder, &line)).replace("\r\n", "\n")
}

#[test]
fn every_screen_is_the_one_that_was_judged() {
    let folder = folder();
    let styles = Regex::new("\u{1b}\\[([0-9;]*)m").unwrap();
    // Links, and the end of a progress line, which comes when it takes long.
    let links = Regex::new("\u{1b}\\]8;;[^\u{1b}]*\u{1b}\\\\|\u{1b}\\[K").unwrap();
    for (name, typed) in SCREENS {
        let mut all = String::new();
        for width in WIDTHS {
            let said = shown(&folder, typed, width);
            for style in styles.captures_iter(&said) {
                let known = style[1].split(';').all(|code| STYLES.contains(&code));
                assert!(known, "{name}: style {}", &style[1]);
            }
            let said = styles.replace_all(&said, "");
            let said = links.replace_all(&said, "");
            let lines = said
                .lines()
                .map(|line| line.rsplit('\r').next().unwrap_or_default());
            let lines: Vec<&str> = lines.collect();
            all.push_str(&format!(
                "─── {width} columns ───\n$ planner {typed}\n{}\n",
                lines.join("\n")
            ));
        }
        insta::assert_snapshot!(name, all);
    }
}
