//! Every screen at four widths of a terminal, and plans at a very narrow one: no line is wider.
#![cfg(unix)]

use std::thread;

use crate::support::terminal::{said, shell};
use crate::support::{Folder, NOW};
use regex::Regex;
use unicode_width::UnicodeWidthStr as _;

const WIDTHS: [usize; 4] = [60, 80, 120, 200];

/// Names that take two columns a character, where a system has names of any kind.
const WIDE: &str = "\
type: senlin.policy.region_placement
version: 1.0
properties:
  regions:
    - {name: 東京リージョン北部の大きな場所, weight: 60}
    - {name: 🚀 rocket 🚀, weight: 40, cap: 3}
---
type: senlin.cluster
version: 1.0
properties:
  name: 大きなクラスター
  desired_capacity: 4
  min_size: 0
  max_size: 90
  known_regions: [東京リージョン北部の大きな場所, 🚀 rocket 🚀]
  node_counts: {東京リージョン北部の大きな場所: 3, 🚀 rocket 🚀: 1}
---
type: senlin.action
version: 1.0
properties:
  action: CLUSTER_RESIZE
  inputs: {adjustment_type: CHANGE_IN_CAPACITY, number: 33}
";

/// A fault far to the right in a long line, and what it is related to in another one.
const FAR: &str = "\
apiVersion: planner/v1
kind: Cluster
metadata: {name: oslo, creationTimestamp: \"2024-06-01T09:00:00Z\", labels: {region: eu-north, disk: nvme, tier: gold, note: \"東京の大きなクラスター、北部、二番目、古い、新しい、静か、遠い\"}}
status: {phase: Up}
spec: {projects: [retail, wholesale, returns], nodes: [{name: n1, allocatable: {cpu: \"8\", memory: 32Gi}}, {name: n1, allocatable: {cpu: \"8\", memory: 32Gi}}], volumeProviders: [{name: a, type: StandardSSD}, {name: a, type: Standard}]}
";

/// A site of all that is tried, and the commands.
fn folder() -> Folder {
    let folder = Folder::of(&[("wide.yaml", WIDE), ("far/a.yaml", FAR)]);
    folder.copy_fixtures(&[
        "site",
        "retail",
        "hybrid",
        "senlin",
        "ocm/hub",
        "ocm/fleet",
        "deliveries",
        "bad",
        "corpus/drift",
        "corpus/airship",
        "repositories/sites/files",
    ]);
    folder
}

const SCREENS: [&str; 44] = [
    "plan site",
    "plan site --trace",
    "plan retail",
    "plan hybrid/board",
    "plan senlin/grow.yaml",
    "plan senlin/shrink.yaml",
    "plan ocm/hub",
    "plan ocm/hub --trace",
    "plan deliveries/fleet.yaml",
    "plan wide.yaml",
    "validate far",
    "plan repositories/sites/files",
    "plan retail --without cluster/oslo",
    "plan retail --against site",
    "plan retail --out saved.json",
    "show saved.json retail",
    "diff saved.json retail --without cluster/oslo",
    "plan far",
    "validate bad",
    "validate site",
    "why shop/db ./retail",
    "why shop/db oslo ./retail",
    "why shop/checkout ocm/hub",
    "why shop/checkout store-051 ocm/hub",
    "why shop/checkout hybrid/board",
    "why wide.yaml --in wide.yaml",
    "why nothing --in retail",
    "simulate site",
    "simulate site --fail ntp-1 --fail ntp-2",
    "simulate site --weakest",
    "simulate ocm/fleet",
    "risk site",
    "risk retail --pairs",
    "risk ocm/hub",
    "risk corpus/airship/seed-example-2-ntp-prepare-fails.yaml",
    "why Policy/gov/quotas deliveries/fleet.yaml",
    "drift --hub corpus/drift/drift-004.hub.yaml corpus/drift/drift-004.git.yaml",
    "plan --hub corpus/drift/drift-004.hub.yaml corpus/drift/drift-004.git.yaml",
    "test site",
    "explain",
    "explain ogc::overcommitted",
    "--help",
    "plan -h",
    "plan --help",
];

/// How many of the screens, plans and findings, fit into a terminal of so many columns.
const NARROW: (usize, usize) = (11, 40);

/// Whether a line is nothing but one word that is wider than the screen, and what leads to it.
fn is_one_word(line: &str, width: usize) -> bool {
    let words = line.split(' ').filter(|word| !word.is_empty());
    let longest = words.map(|word| word.width()).max().unwrap_or(0);
    longest + 16 > width
}

/// The lines of these screens that are wider than the terminal.
fn too_wide(folder: &Folder, screens: &[&str], width: usize) -> Vec<String> {
    let codes = Regex::new("\u{1b}(\\[[0-9;]*[mK]|\\]8;;[^\u{1b}]*\u{1b}\\\\)").unwrap();
    let mut wrong = Vec::new();
    for screen in screens {
        let now = if screen.contains("-h") || screen.starts_with("explain") {
            String::new()
        } else {
            format!("--now {NOW}")
        };
        let line = format!(
            "stty cols {width} rows 24; LANG=C.UTF-8 \"$PLANNER\" {screen} {now} </dev/null"
        );
        let said = said(shell(folder, &line));
        assert!(said.len() > 20, "{screen}: {said}");
        let said = codes.replace_all(&said, "").replace("\r\n", "\n");
        let lines = said.lines();
        let lines = lines.map(|line| line.rsplit('\r').next().unwrap_or_default());
        let long = lines.filter(|line| line.width() > width && !is_one_word(line, width));
        wrong.extend(long.map(|line| format!("{width} {screen}: {line}")));
    }
    wrong
}

#[test]
fn no_screen_is_wider_than_the_terminal() {
    let folder = folder();
    let wrong = thread::scope(|scope| {
        let (first, narrow) = NARROW;
        let wide = WIDTHS.map(|width| (&SCREENS[..], width));
        let sizes = wide.into_iter().chain([(&SCREENS[..first], narrow)]);
        let run = |(screens, width)| {
            let folder = &folder;
            scope.spawn(move || too_wide(folder, screens, width))
        };
        let runs: Vec<_> = sizes.map(run).collect();
        let wrong = runs.into_iter().flat_map(|run| run.join().unwrap());
        wrong.collect::<Vec<String>>()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
