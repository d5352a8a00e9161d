//! The screens of the plan and of an explanation, as they are shown.

use std::cell::RefCell;

use planner::load::{Request, open};
use planner::render::text::{self, Screen};
use planner::systems::Asked;
use planner::{plan, site};

use super::{fixture, options, settings};
use crate::support::screen::shown;

/// The plan screen of a fixture.
fn planned(path: &str, screen: &Screen) -> String {
    shown(
        &Request::of(vec![fixture(path)]),
        &settings(),
        &options(),
        screen,
    )
}

/// The explanation of an Application of a fixture.
fn why(path: &str, subject: &str, candidate: Option<&str>, screen: &Screen) -> String {
    let request = Request::of(vec![fixture(path)]);
    let loaded = open(&request).expect("a request");
    let (settings, options) = (settings(), options());
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &options);
    let asked = Asked {
        plan: &plan,
        options: &options,
        candidate,
        said: RefCell::default(),
    };
    let (_, why) = asked.answer(subject).expect("a subject");
    let page = text::why(&why, &loaded.sources, screen);
    let root = fixture("");
    page.write(screen)
        .replace(&format!("{}/", root.display()).replace("//", "/"), "")
}

#[test]
fn every_plan_screen_at_every_width() {
    for name in ["first", "later", "failed", "unchanged"] {
        let path = format!("ogc/screens/{name}.yaml");
        for width in [40, 60, 80, 120] {
            let screen = planned(&path, &Screen::columns(width));
            let wide = screen.lines().find(|line| line.chars().count() > width);
            assert_eq!(wide, None, "{name} at {width}");
            insta::assert_snapshot!(format!("{name}-{width}"), screen);
        }
        insta::assert_snapshot!(format!("{name}-piped"), planned(&path, &Screen::piped()));
    }
    insta::assert_snapshot!("retail-80", planned("retail", &Screen::columns(80)));
}

#[test]
fn the_explanation_and_one_candidate_of_it() {
    let path = "ogc/screens/why.yaml";
    insta::assert_snapshot!("why-80", why(path, "shop/db", None, &Screen::columns(80)));
    let oslo = why(path, "shop/db", Some("oslo"), &Screen::columns(80));
    insta::assert_snapshot!("why-oslo-80", oslo);
    let failed = "ogc/screens/failed.yaml";
    let render = why(failed, "shop/render", None, &Screen::columns(80));
    insta::assert_snapshot!("why-render-80", render);
}

#[test]
fn a_long_name_grows_its_column_and_many_rows_are_cut_at_a_terminal() {
    let long = "a".repeat(63);
    let mut site = String::from("apiVersion: planner/v1\nkind: Project\nmetadata: {name: p}\n");
    site.push_str(
        "---\napiVersion: planner/v1\nkind: Cluster\nmetadata: {name: c}\nspec: {projects: [p], \
         nodes: [{name: n1, allocatable: {cpu: 1, memory: 1}}]}\nstatus: {phase: Up}\n---\n\
         apiVersion: planner/v1\nkind: Package\nmetadata: {name: k}\nspec: {project: p}\n",
    );
    let mut names = vec![long.clone()];
    names.extend((0..250).map(|at| format!("app-{at}")));
    for name in names {
        site.push_str(&format!(
            "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: {name}}}\n\
             spec: {{package: k}}\n"
        ));
    }
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("site.yaml");
    std::fs::write(&path, site).expect("written");
    let path = path.to_str().expect("a path");
    let screen = planned(path, &Screen::piped());
    assert!(screen.contains(&format!("+ {long}  -    c ")), "{screen}");
    let trace = Screen {
        trace: true,
        ..Screen::columns(80)
    };
    let screen = planned(path, &trace);
    assert!(
        screen.contains(&format!("+ {long}\n    Cluster: c\n")),
        "{screen}"
    );
    let screen = planned(path, &Screen::columns(80));
    assert!(screen.contains("+ 251 Applications"), "{screen}");
    assert!(screen.contains("251 to place"));
}

/// The plan of so many Clusters, the first the smallest, each with so many Applications of one CPU.
fn crowded(clusters: usize, applications: usize) -> String {
    let mut site = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: p}\n---\n\
         apiVersion: planner/v1\nkind: Package\nmetadata: {name: k}\nspec: {project: p}\n"
        .to_owned();
    for cluster in 0..clusters {
        let cpu = 8 * (cluster + 1);
        site.push_str(&format!(
            "---\napiVersion: planner/v1\nkind: Cluster\nmetadata: {{name: c{cluster}, \
             labels: {{slot: s{cluster}}}}}\nspec: {{projects: [p], nodes: [{{name: n1, \
             allocatable: {{cpu: {cpu}, memory: 1Gi}}}}]}}\nstatus: {{phase: Up}}\n"
        ));
        for at in 0..applications {
            site.push_str(&format!(
                "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: a{cluster}-{at}}}\n\
                 spec: {{package: k, rules: [{{key: slot, operator: Equals, values: [s{cluster}]}}], \
                 containers: [{{name: m, image: x, requests: {{cpu: 1}}}}]}}\n"
            ));
        }
    }
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("site.yaml");
    std::fs::write(&path, site).expect("written");
    planned(path.to_str().expect("a path"), &Screen::columns(80))
}

#[test]
fn overcommitted_clusters_are_one_block_the_worst_first() {
    let screen = crowded(7, 100);
    assert!(
        screen.starts_with("More is planned than all Clusters have: CPU 700 of 224.\n"),
        "{screen}"
    );
    let (_, block) = screen
        .split_once("7 Clusters are overcommitted.")
        .expect(&screen);
    let named: Vec<&str> = block
        .lines()
        .filter_map(|line| line.strip_prefix("    c"))
        .collect();
    let first: Vec<&str> = named.iter().map(|line| &line[..1]).collect();
    assert_eq!(first, ["0", "1", "2", "3", "4"], "{block}");
    assert!(block.contains("2 more"), "{block}");
}

#[test]
fn far_too_many_applications_are_a_headline_on_one_cluster_too() {
    let screen = crowded(1, 100);
    assert!(
        screen.starts_with("More is planned than the Cluster has: CPU 100 of 8.\n"),
        "{screen}"
    );
    let screen = crowded(1, 10);
    assert!(screen.starts_with("Plan for Package k"), "{screen}");
    assert!(
        screen.contains("c0 is overcommitted: CPU 10 of 8"),
        "{screen}"
    );
}
