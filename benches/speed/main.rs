//! How fast `planner` is: every ratio that the project promises, measured and printed.
//!
//! `cargo bench --bench speed` measures all, `cargo bench --bench speed -- NAME…` some of them.
//! The left side of a ratio is a whole run of the program, output to a file; the right side is a
//! baseline that lives here: the same parser with the same limits over the same files, which
//! checks and looks up nothing, or, in the table of the README, the bare events of another parser
//! on one core. Five runs of both, interleaved, medians. Memory is the peak of
//! the resident size.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::print_stdout
)]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod baseline;
mod commands;
mod editor;
mod measure;
mod sites;

use std::fs;

use commands::{LIST, NOW, PLAN, PLAN_TEXT, RENDER, SIMULATE, VALIDATE, VERSION};
use measure::{Right, Run};
use sites::{Form, Site};

/// A measurement by name.
type Bench = (&'static str, fn(&Run));

const BENCHES: &[Bench] = &[
    ("table", table),
    ("ogc", ogc),
    ("validate", validate),
    ("airship", airship),
    ("ocm", ocm),
    ("deliveries", deliveries),
    ("hub", hub),
    ("senlin", senlin),
    ("hybrid", hybrid),
    ("risk", risk),
    ("changes", changes),
    ("report", report),
    ("growth", growth),
    ("kustomize", kustomize),
    ("editor", editor),
    ("start", start),
];

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = arguments.len();
    arguments.retain(|argument| argument != "--bench");
    if let Some((first, rest)) = arguments.split_first()
        && first == "baseline"
    {
        return baseline::run(rest);
    }
    if arguments.first().is_some_and(|first| first == "documents") {
        // What `benches/peers` reads.
        println!("{}", sites::small::one_file(10_000).path.display());
        println!("{}", sites::small::many_files(10_000).path.display());
        return;
    }
    if arguments.first().is_some_and(|first| first == "sites") {
        // What `benches/outputs.py` compares.
        make_sites();
        return;
    }
    if arguments.len() == all {
        // `cargo test` runs benches too; there is nothing to test.
        return;
    }
    let run = Run::here();
    println!("{} jobs, {} runs a side", run.jobs, run.runs);
    for (name, bench) in BENCHES {
        if arguments.is_empty() || arguments.iter().any(|argument| argument == name) {
            bench(&run);
        }
    }
}

/// A name, what is run, at most how many times bare events, and the site or a part of it.
type Row = (
    &'static str,
    &'static [&'static str],
    f64,
    fn(usize) -> Site,
);

/// The large site of each system.
const ROWS: &[Row] = &[
    (
        "plan ogc, 8 000 clusters, 80 000 applications",
        PLAN,
        0.4,
        |part| sites::ogc::site(8_000 / part, 4_000 / part, 20),
    ),
    (
        "simulate airship, 16 000 groups, 160 000 nodes",
        SIMULATE,
        0.4,
        |part| sites::airship::site(16_000 / part, 160_000 / part, Form::Bare),
    ),
    (
        "plan ocm, 64 000 clusters, 3 200 placements",
        PLAN,
        0.4,
        |part| sites::ocm::site(64_000 / part, 3_200 / part),
    ),
    (
        "plan senlin, one document of 1 200 000 nodes",
        PLAN,
        0.25,
        |part| sites::senlin::site(12_000 / part, 1_200_000 / part),
    ),
    (
        "plan hybrid, 160 000 candidates, 1 600 rules",
        PLAN,
        0.4,
        |part| sites::hybrid::narrow(1_600 / part, 160_000 / part),
    ),
];

/// What there can be very many of.
fn many() -> impl Iterator<Item = &'static sites::many::Many> {
    sites::many::KINDS.iter().chain(sites::growth::KINDS)
}

/// Makes the sites of the table, whole and halved, and small ones with many of one thing, and
/// prints where they are.
fn make_sites() {
    for (number, (_, arguments, size, site)) in many().enumerate() {
        let kept = site(size / 8).kept(&format!("kept-many-{number}"));
        println!("{} {}", arguments[0], kept.path.display());
    }
    for (_, arguments, _, site) in ROWS {
        for part in [1, 2] {
            let site = site(part);
            let name = site
                .path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let kept = site.kept(&format!("kept-{name}-{part}"));
            println!("{} {}", arguments[0], kept.path.display());
        }
    }
}

/// The table of the README: large sites of each system over bare events on one core, memory, and
/// twice the input.
fn table(run: &Run) {
    for (name, arguments, limit, site) in ROWS {
        let full = site(1);
        run.ratio(name, arguments, &full, Right::Bare(*limit));
        run.memory_within(name, arguments, &full, 4);
        // Both halves of a comparison have to be there: a site is a folder by its name.
        let full = full.kept("full");
        let half = site(2);
        run.doubled(&format!("{name}, twice the input"), arguments, &half, &full);
    }
    let one = sites::small::one_file(10_000);
    run.ratio(
        "validate, 10 000 documents in one file",
        VALIDATE,
        &one,
        Right::Bare(0.4),
    );
    let many = sites::small::many_files(10_000);
    run.ratio(
        "validate, 10 000 documents in 10 000 files",
        VALIDATE,
        &many,
        Right::Bare(0.8),
    );
    run.once(
        "validate, one small file",
        VALIDATE,
        &sites::small::one_file(1),
    );
    run.once("planner --version", VERSION, &Site::empty());
}

/// Inputs with very many of one thing: twice of it takes about twice as long.
fn growth(run: &Run) {
    for (name, arguments, size, site) in many() {
        let (half, full) = (site(size / 2).kept("half"), site(*size));
        run.grown(
            &format!("{} of {size} {name}", arguments[0]),
            arguments,
            &half,
            &full,
        );
    }
}

/// Packages and applications: end to end and memory, and twice the input.
fn ogc(run: &Run) {
    let half = sites::ogc::site(5_000, 2_500, 20);
    let full = sites::ogc::site(10_000, 5_000, 20);
    run.ratio(
        "ogc: plan, 100 000 applications over 10 000 clusters",
        PLAN,
        &full,
        Right::Trees,
    );
    run.memory("ogc: plan, peak memory over input", PLAN, &full, 4.0);
    run.doubled("ogc: plan, twice the input", PLAN, &half, &full);
}

/// Ten thousand small documents, in one file and in ten thousand.
fn validate(run: &Run) {
    let one = sites::small::one_file(10_000);
    let many = sites::small::many_files(10_000);
    let twice = sites::small::one_file(20_000);
    for format in [
        "full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson",
    ] {
        let validate = &["validate", "-o", format];
        let name = format!("validate -o {format}, 10 000 documents in one file");
        run.ratio(&name, validate, &one, Right::Events);
        let name = format!("validate -o {format}, 10 000 documents in 10 000 files");
        run.ratio(&name, validate, &many, Right::Events);
    }
    run.doubled("validate, twice the input", VALIDATE, &one, &twice);
}

/// Deployment groups: the simulated run.
fn airship(run: &Run) {
    let site = sites::airship::site(10_000, 100_000, Form::Whole);
    let name = "airship: simulate, 10 000 groups over 100 000 nodes as real sites write them";
    run.ratio(name, SIMULATE, &site, Right::Trees);
    let site = sites::airship::site(10_000, 100_000, Form::Bare);
    let name = "airship: simulate, 10 000 groups over 100 000 bare nodes";
    run.ratio(name, SIMULATE, &site, Right::Trees);
    let chain = sites::airship::chain(100_000);
    run.once(
        "airship: simulate, a chain of 100 000 groups",
        SIMULATE,
        &chain,
    );
}

/// Placements: many over many clusters, and one.
fn ocm(run: &Run) {
    let site = sites::ocm::site(10_000, 1_000);
    let name = "ocm: plan, 1 000 placements over 10 000 clusters";
    run.ratio(name, PLAN, &site, Right::Trees);
    let single = sites::ocm::site(10_000, 1);
    baseline::ocm_step(&single, run);
}

/// What reads placements: many policies against the same documents that nothing follows, and
/// ApplicationSets of which every one goes to every cluster.
fn deliveries(run: &Run) {
    let (with, without) = (
        sites::deliveries::policies(true),
        sites::deliveries::policies(false),
    );
    let name = "deliveries: plan, 5 000 policies and 2 000 bindings, over the plan without them";
    run.against(name, PLAN_TEXT, &with, &without, 1.3);
    let (with, without) = (
        sites::growth::templated(10_000, true),
        sites::growth::templated(10_000, false),
    );
    let name =
        "deliveries: plan, 10 000 policies with ten templates each, over the plan without them";
    run.against(name, PLAN_TEXT, &with, &without, 1.5);
    let (half, full) = (
        sites::deliveries::applications(250),
        sites::deliveries::applications(500),
    );
    let name = "deliveries: plan, 500 ApplicationSets on 10 000 clusters, over 250";
    run.against(name, PLAN_TEXT, &full, &half, 2.2);
    let name = "deliveries: plan, 500 ApplicationSets on 10 000 clusters";
    run.memory_within(name, PLAN_TEXT, &full, 4);
}

/// The snapshot of a hub over the same documents from one file.
fn hub(run: &Run) {
    let (git, snapshot, whole) = sites::snapshot::sites(10_000, 200);
    let file = snapshot.path.join("hub.yaml").display().to_string();
    let over = [PLAN, &["--hub", &file]].concat();
    let name = "hub: plan --hub, 10 000 clusters with managedFields, over one file";
    run.pair(name, (&over, &git), (PLAN, &whole), 1.3);
    let sized = sites::Site {
        bytes: snapshot.bytes,
        ..git
    };
    let name = "hub: plan --hub, peak memory over the snapshot";
    run.memory(name, &over, &sized, 4.0);
}

/// Regions: many nodes counted and distributed.
fn senlin(run: &Run) {
    let site = sites::senlin::site(10_000, 1_000_000);
    let name = "senlin: plan, 1 000 000 nodes over 10 000 regions";
    run.ratio(name, PLAN, &site, Right::Trees);
}

/// The page of a large site, over its plan as JSON.
fn report(run: &Run) {
    let site = sites::ogc::site(2_000, 5_000, 20);
    run.page(
        "report: 2 000 clusters, 100 000 applications",
        &site,
        1.2,
        8.0,
    );
}

/// Placement rules: many rules, and one of many rounds.
fn hybrid(run: &Run) {
    let site = sites::hybrid::site(1_000, 1_000, Form::Whole);
    let name = "hybrid: plan, 1 000 rules over 1 000 candidates as a hub prints them";
    run.ratio(name, PLAN, &site, Right::Trees);
    let site = sites::hybrid::site(1_000, 1_000, Form::Bare);
    let name = "hybrid: plan, 1 000 rules over 1 000 bare candidates";
    run.ratio(name, PLAN, &site, Right::Trees);
    let (small, large) = (sites::hybrid::rounds(500), sites::hybrid::rounds(1_000));
    run.rounds(
        "hybrid: time per round, 1 000 candidates over 500",
        PLAN,
        &small,
        &large,
    );
}

/// Losing things one after another: a thousand losses over one plan.
fn risk(run: &Run) {
    let sites: [(&str, usize, Site); 5] = [
        (
            "ogc, 2 000 clusters, 80 000 applications",
            2_000,
            sites::ogc::site(2_000, 4_000, 20),
        ),
        (
            "ocm, 2 000 clusters, 3 200 placements",
            2_000,
            sites::ocm::site(2_000, 3_200),
        ),
        (
            "airship, 16 000 groups, 160 000 nodes",
            160_000,
            sites::airship::site(16_000, 160_000, Form::Bare),
        ),
        (
            "senlin, 1 000 regions, 1 000 000 nodes",
            1_000,
            sites::senlin::site(1_000, 1_000_000),
        ),
        (
            "hybrid, 2 000 candidates, 1 600 rules for 20 of them each",
            2_000,
            sites::hybrid::narrow(1_600, 2_000),
        ),
    ];
    for (name, losses, site) in sites {
        run.losses(&format!("risk: {name}"), &site, losses, 10.0);
    }
}

/// Why something is placed, what would place it elsewhere, and what moved since another state, over
/// a plan of the site.
fn changes(run: &Run) {
    let sites = [
        (
            "ogc",
            sites::ogc::site(500, 600, 20),
            ("p1/a1", "c255"),
            ("region: us-west", "region: eu-west"),
        ),
        (
            "ocm",
            sites::ocm::site(4_000, 2_500),
            ("default/p1", "cluster2610"),
            ("zone: z1", "zone: z3"),
        ),
        (
            "senlin",
            sites::senlin::site(1_000, 70_000),
            ("web", "region-324"),
            ("weight: 7}", "weight: 57}"),
        ),
        (
            "hybrid",
            sites::hybrid::narrow(6_400, 8_000),
            ("default/r1", "cluster4001"),
            ("weight: 50", "weight: 90"),
        ),
        (
            "airship",
            sites::airship::site(1_600, 14_000, Form::Bare),
            ("g33", "n3699"),
            ("critical: true", "critical: false"),
        ),
    ];
    for (name, site, (subject, candidate), edit) in sites {
        let plan = (PLAN, &site);
        let why = ["why", subject, "-o", "json", "--now", NOW];
        let wide = format!("why, 5 MB of {name}");
        run.work(&wide, (&why, &site), plan, 1.5);
        let why = ["why", subject, candidate, "-o", "json", "--now", NOW];
        let wide = format!("why of a candidate, 5 MB of {name}");
        run.work(&wide, (&why, &site), plan, 1.5);
        let before = site.edited(&format!("{name}-before"), &[edit]);
        let before = before.path.display().to_string();
        let against = [
            "plan",
            "--against",
            &before,
            "-o",
            "json",
            "--no-input",
            "--now",
            NOW,
        ];
        let wide = format!("--against, 5 MB of {name}");
        run.work(&wide, (&against, &site), plan, 4.0);
    }
    let against = |overlays| {
        let after = sites::kustomize::with_clusters(overlays);
        let after = after.kept(&format!("against-{overlays}"));
        let before = sites::kustomize::with_clusters(overlays);
        let base = before.path.join("base/placements.yaml");
        let text = fs::read_to_string(&base).unwrap();
        fs::write(&base, text.replacen("region: r1", "region: r2", 1)).unwrap();
        let before = before.kept(&format!("against-{overlays}-before"));
        (after, before.path.display().to_string())
    };
    let (half, half_before) = against(500);
    let (full, full_before) = against(1_000);
    let arguments = |before| [PLAN, &["--against", before]].concat();
    run.work(
        "--against, a base of 1 000 overlays, over 500",
        (&arguments(full_before.as_str()), &full),
        (&arguments(half_before.as_str()), &half),
        2.3,
    );
}

/// Kustomizations: very many of them, and one beside `kubectl`.
fn kustomize(run: &Run) {
    let half = sites::kustomize::site(500, 1_000).kept("kustomize-half");
    let full = sites::kustomize::site(1_000, 1_000);
    run.once(
        "render --list, 1 000 overlays over 1 000 documents",
        LIST,
        &full,
    );
    run.doubled("render --list, twice the overlays", LIST, &half, &full);
    let overlay = sites::kustomize::overlay(&full, 0);
    run.once("render of one overlay", RENDER, &overlay);
    run.beside(
        "render of one overlay",
        RENDER,
        &["kubectl", "kustomize"],
        &overlay,
    );
}

/// A change of a small file of a large site in an editor, and of a site of half the size.
fn editor(run: &Run) {
    let package = |part| sites::ogc::site(2_000 / part, 3_200 / part, 20);
    let placement = |part| sites::ocm::site(24_000 / part, 12_000 / part);
    let mixed = |part| package(2 * part).with(&placement(2 * part));
    type Sites<'s> = &'s dyn Fn(usize) -> Site;
    let sites: [(&str, Sites<'_>, sites::Edited); 4] = [
        ("packages: a package", &package, sites::ogc::ONE),
        ("OCM: a placement", &placement, sites::ocm::ONE),
        ("half of each: a package", &mixed, sites::ogc::ONE),
        ("half of each: a placement", &mixed, sites::ocm::ONE),
    ];
    for (name, site, (text, from, to)) in sites {
        let changed = |part| {
            let site = site(part).and(("one.yaml", text));
            (editor::change(&site, "one.yaml", from, to), site.bytes)
        };
        run.edited(name, changed(2).0, changed(1));
    }
}

/// How long the program takes to start.
fn start(run: &Run) {
    let nothing = Site::empty();
    run.once("planner --version", VERSION, &nothing);
}
