//! Every screen of every system at three sizes and three widths: it fits, and it says the same.

use std::sync::LazyLock;

use crate::support;
use crate::support::sites::{Make, SYSTEMS};
use crate::support::whole::piped;
use planner::airship::engine::run::Faults;
use planner::airship::faults::Reader;
use planner::diagnostic::Sink;
use planner::diff::{self, decisions};
use planner::kit::progress::Progress;
use planner::load::{Loaded, open};
use planner::ocm::engine::place::Detail;
use planner::options::{CheckOptions, Options};
use planner::plan::again;
use planner::plan::{self, Plan};
use planner::render::diagnostics::{self, Look};
use planner::render::markdown;
use planner::render::text::{self, Screen, columns};
use planner::risk::{self, AtATime};
use planner::site::{self, Checked};
use planner::source::Sources;
use planner::systems::airship::text as pages;
use planner::why::{Ways, Why};
use planner::{airship, hybrid, ocm, ogc, senlin};

const WIDTHS: [usize; 3] = [60, 80, 120];

/// Characters of a comment.
const COMMENT: usize = 60_000;

/// Lines of two screens.
const TWO_SCREENS: usize = 100;

static SETTINGS: LazyLock<CheckOptions> = LazyLock::new(|| CheckOptions {
    jobs: 2,
    ..CheckOptions::at(support::NOW.parse().unwrap())
});

/// The site of a system, read.
fn loaded(make: Make, size: usize) -> Loaded {
    open(&piped(make(size))).unwrap()
}

fn planned<'s, 'a>(site: &'s Checked<'a>) -> Plan<'s, 'a> {
    let options = Options {
        screen: true,
        jobs: 2,
        ..Options::default()
    };
    let plan = plan::make(site, &options);
    assert!(!plan.refused(), "{:?}", site.report(&[&plan.findings]));
    plan
}

/// A page at every width, one below the other; no line is wider than its screen.
fn at_every_width(name: &str, page: impl Fn(&Screen) -> text::Page) -> String {
    let mut all = String::new();
    for width in WIDTHS {
        let screen = Screen::columns(width);
        let shown = page(&screen).write(&screen);
        for line in shown.lines() {
            assert!(columns(line) <= width, "{name} at {width}: {line}");
        }
        all.push_str(&format!("─── {width} columns ───\n{shown}"));
    }
    all
}

#[track_caller]
fn fits_on_two_screens(pages: &str) {
    // On the narrowest screen many rows take several lines.
    for page in pages.split("───\n").skip(2) {
        assert!(page.lines().count() <= TWO_SCREENS, "{page}");
    }
}

fn plan_screens(system: &str) {
    let (_, make) = SYSTEMS.into_iter().find(|one| one.0 == system).unwrap();
    for size in [3, 300, 30_000] {
        let loaded = loaded(make, size);
        let site = site::check(&loaded, &SETTINGS);
        let plan = planned(&site);
        let name = format!("{system}-{size}");
        let all = at_every_width(&name, |screen| {
            text::plan(&plan, &Ways::new(), screen, None, "")
        });
        fits_on_two_screens(&all);
        insta::assert_snapshot!(name, all);
    }
}

#[test]
fn airship_plans() {
    plan_screens("airship");
}

#[test]
fn senlin_plans() {
    plan_screens("senlin");
}

#[test]
fn ocm_plans() {
    plan_screens("ocm");
}

#[test]
fn hybrid_plans() {
    plan_screens("hybrid");
}

#[test]
fn ogc_plans() {
    plan_screens("ogc");
}

/// The reasons of the subject that a site of this system has.
fn reasons(system: &str, plan: &Plan<'_, '_>, sources: &Sources) -> Option<Why> {
    let site = plan.site;
    match system {
        "airship" => airship::why::why(plan.strategy.as_ref()?, "g0", None),
        "senlin" => senlin::why::why(&plan.regions, "<stdin>", None, again::regions),
        "ocm" => {
            let study = again::placement(&site.ocm, plan.now, "web/web", Detail::All)?;
            Some(ocm::why::why(&study, None))
        }
        "hybrid" => {
            let options = Options::default();
            let mut commands = hybrid::command::Commands::new(sources, &options);
            let rule = "logistics/dispatch";
            hybrid::why::why(
                &again::trials_of_rules(&site.hybrid),
                rule,
                None,
                &mut commands,
            )
        }
        _ => None,
    }
}

#[test]
fn reasons_of_200_candidates_lead_with_the_cut_off() {
    for (system, make) in SYSTEMS {
        let loaded = loaded(make, 200);
        let site = site::check(&loaded, &SETTINGS);
        let plan = planned(&site);
        let Some(why) = reasons(system, &plan, &loaded.sources) else {
            continue;
        };
        let all = at_every_width(system, |screen| text::why(&why, &loaded.sources, screen));
        fits_on_two_screens(&all);
        insta::assert_snapshot!(format!("why-{system}-200"), all);
    }
}

#[test]
fn reasons_of_200_clusters_name_the_nearest() {
    let mut site = support::PACKAGE.to_owned();
    for at in 0..200_u32 {
        let cost = (at * 37) % 101 + 5;
        let phase = if at.is_multiple_of(9) { "Down" } else { "Up" };
        site += &support::cluster(&format!("c{at:03}"), 2021, cost, phase);
    }
    site += &support::application("web", "1", false);
    let loaded = open(&piped(site)).unwrap();
    let site = site::check(&loaded, &SETTINGS);
    let model = &site.ogc;
    let outcome = again::application(model, "shop", "web", false).unwrap();
    let why = ogc::why::why(model, "shop", "web", outcome, None).unwrap();
    let why = why.common(model, None);
    let page = |screen: &Screen| text::why(&why, &loaded.sources, screen);
    insta::assert_snapshot!("why-ogc-200", at_every_width("ogc", page));
}

/// One candidate goes in each of many rounds: neither they nor the reasons against one of the first
/// fill the screen.
#[test]
fn reasons_of_many_rounds_fit_on_two_screens() {
    let mut site = String::new();
    for at in 0..200_u32 {
        let cost = (at * 37) % 101 + 5;
        site += &format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: c{at:03}, labels: {{cost: \"{cost}\"}}}}\n---\n"
        );
    }
    site += "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\n\
             metadata: {name: app, namespace: ns}\n\
             spec: {replicas: 2, advisors: [{name: cost, rules: {cost: {scored: true}}}]}\n";
    let loaded = open(&piped(site)).unwrap();
    let site = site::check(&loaded, &SETTINGS);
    let trials = again::trials_of_rules(&site.hybrid);
    let runner = &mut hybrid::engine::NoCommands;
    let why = hybrid::why::why(&trials, "ns/app", Some("c005"), runner).unwrap();
    assert_eq!(why.steps.len(), 199);
    let all = at_every_width("hybrid", |screen| text::why(&why, &loaded.sources, screen));
    fits_on_two_screens(&all);
    insta::assert_snapshot!("why-hybrid-rounds", all);
}

#[test]
fn differences_of_every_size() {
    for size in [3, 300, 30_000] {
        let mut all = String::new();
        for (system, make) in SYSTEMS {
            // The largest takes long in a debug build, and is about rows alone.
            if size > 300 && system != "ogc" {
                continue;
            }
            let (before, after) = (loaded(make, size), loaded(make, size / 3));
            let sites = [&before, &after].map(|loaded| site::check(loaded, &SETTINGS));
            let [old, new] = [&sites[0], &sites[1]].map(|site| decisions(&planned(site)));
            let moved = diff::between(&old, &new);
            all += &at_every_width(system, |screen| {
                text::titled(&moved, &format!("{system}: a third of it"), screen)
            });
            let comment = markdown::titled(&moved, &format!("{system}: a third of it"));
            assert!(comment.chars().count() <= COMMENT, "{system} {size}");
            all += &format!("─── the comment ───\n{}", shortened(&comment));
        }
        insta::assert_snapshot!(format!("diff-{size}"), all);
    }
}

/// The first and the last lines of a long text.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = (lines.len().min(12), lines.len().saturating_sub(6));
    if first >= last {
        return format!("{text}\n");
    }
    let left_out = last - first;
    let parts = [
        lines[..first].join("\n"),
        format!("({left_out} lines)"),
        lines[last..].join("\n"),
    ];
    parts.join("\n") + "\n"
}

#[test]
fn runs_of_every_size() {
    for size in [3, 300, 30_000] {
        let make = SYSTEMS.iter().find(|(system, _)| *system == "airship");
        let loaded = loaded(make.unwrap().1, size);
        let site = site::check(&loaded, &SETTINGS);
        let plan = planned(&site);
        let strategy = plan.strategy.as_ref().unwrap();
        let mut reader = Reader::new(strategy.site);
        let node = strategy.site.nodes.first().unwrap();
        reader.fail_node(node.name.text, &mut Sink::default());
        let run = again::run(strategy, &reader.faults);
        let all = at_every_width("airship", |screen| pages::run(strategy, &run, screen));
        fits_on_two_screens(&all);
        insta::assert_snapshot!(format!("run-{size}"), all);
        let (sets, taken) = again::weakest(
            strategy,
            &Faults::default(),
            1_000_000,
            &Progress::default(),
        );
        let all = at_every_width("airship", |screen| {
            pages::weakest(strategy.site, &sets, &taken, screen)
        });
        fits_on_two_screens(&all);
        insta::assert_snapshot!(format!("weakest-{size}"), all);
    }
}

#[test]
fn losses_of_every_size() {
    for size in [3, 300, 30_000] {
        let mut all = String::new();
        for (system, make) in SYSTEMS {
            // The others plan again for many of their losses.
            if size > 300 && system != "airship" {
                continue;
            }
            let loaded = loaded(make, size);
            let site = site::check(&loaded, &SETTINGS);
            let plan = planned(&site);
            let things = risk::things(&plan);
            let options = Options::default();
            let risk = risk::assess(&plan, &things, AtATime::One, &options, &|| ());
            let shown = at_every_width(system, |screen| text::risk::risk(&risk, screen));
            fits_on_two_screens(&shown);
            all += &shown;
        }
        insta::assert_snapshot!(format!("risk-{size}"), all);
    }
}

#[test]
fn findings_are_as_wide_as_the_screen() {
    let mut all = String::new();
    for (system, make) in SYSTEMS {
        // Cut in the middle of a document: whatever it is, something is wrong with it.
        let whole = make(3);
        let broken = format!("{}\nspec: [", &whole[..whole.len() / 2]);
        let loaded = open(&piped(broken)).unwrap();
        let site = site::check(&loaded, &SETTINGS);
        let found = site.report(&[]);
        for width in WIDTHS {
            let look = Look {
                screen: None,
                width,
                color: false,
                unicode: true,
                links: false,
            };
            let shown = diagnostics::full(&found, &loaded.sources, look);
            all += &format!("─── {system}, {width} columns ───\n{}", shortened(&shown));
        }
    }
    insta::assert_snapshot!("findings", all);
}

/// Applications are told of by the thousand: a small site has too few.
#[test]
fn a_watcher_is_told_of_all_that_is_done() {
    let site = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/site");
    let loaded = open(&planner::load::Request::of(vec![site.into()])).unwrap();
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let checked = site::check(&loaded, &settings);
    let (done, all) = settings.progress.read();
    assert!(
        all > 0 && done <= all && done * 10 >= all * 8,
        "{done} of {all}"
    );
    let options = Options::default();
    let _ = plan::make(&checked, &options);
    let (done, all) = options.progress.read();
    assert_eq!(done + checked.ogc.applications.len(), all);
    assert!(done > 0);
}
