//! Which module may name which (ARCHITECTURE.md, the table of walls), and that no two name each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use planner::document::System;

use super::uses::{Crate, Sources, split};

/// Whether a module is a system; a row for one of their parts holds for each of them, about itself
/// alone.
pub(crate) fn is_system(module: &str) -> bool {
    System::ALL.iter().any(|system| system.name() == module)
}

/// The parts of a system that have a row of their own; all else of it is `X`.
const PARTS: [&str; 6] = ["engine", "lower", "model", "repair", "rules", "why"];

/// Each module and all that it may name. What has no row may name nothing, and be named by nobody.
const ROWS: &[(&str, &[&str])] = &[
    ("kit", &[]),
    ("source", &[]),
    ("parallel", &[]),
    // Programs are started by those who read git and by those who ask advisors.
    ("process", &[]),
    ("gotemplate", &[]),
    ("yaml", &["source"]),
    ("diagnostic", &["kit", "source"]),
    // What a fix means is shown by checking and planning what it makes.
    (
        "fix",
        &["diagnostic", "options", "plan", "site", "source", "systems"],
    ),
    ("document", &["diagnostic", "kit", "source", "yaml"]),
    (
        "schema",
        &["diagnostic", "document", "kit", "source", "yaml"],
    ),
    // Which kinds are planned, and what generators of ours make, it is told.
    ("kustomize", &["diagnostic", "kit", "source", "yaml"]),
    ("options", &["diagnostic", "document", "kit"]),
    ("why", &["diagnostic", "document", "kit", "source", "yaml"]),
    (
        "load",
        &[
            "diagnostic",
            "document",
            "kit",
            "kustomize",
            "parallel",
            "process",
            "schema",
            "source",
            "yaml",
        ],
    ),
    ("config", &["diagnostic", "kit", "load", "source", "yaml"]),
    ("X::model", &["kit", "source"]),
    ("X::engine", &["X", "X::model", "kit", "source"]),
    (
        "X::lower",
        &[
            "X",
            "X::engine",
            "X::model",
            "X::rules",
            "diagnostic",
            "document",
            "kit",
            "parallel",
            "schema",
            "source",
            "yaml",
            "options",
        ],
    ),
    (
        "X::rules",
        &[
            "X",
            "X::engine",
            "X::model",
            "diagnostic",
            "document",
            "kit",
            "source",
        ],
    ),
    (
        "X::why",
        &[
            "X",
            "X::engine",
            "X::model",
            "diagnostic",
            "document",
            "kit",
            "source",
            "why",
        ],
    ),
    (
        "X",
        &[
            "X::engine",
            "X::lower",
            "X::model",
            "X::repair",
            "X::rules",
            "X::why",
            "diagnostic",
            "document",
            "kit",
            "options",
            "parallel",
            "process",
            "repair",
            "schema",
            "source",
            "why",
            "yaml",
        ],
    ),
    // What the consumers of placements come to; no engine knows of them.
    (
        "delivery",
        &[
            "X",
            "X::engine",
            "X::lower",
            "X::model",
            "diagnostic",
            "document",
            "gotemplate",
            "kit",
            "kustomize",
            "parallel",
            "repair",
            "schema",
            "source",
            "why",
            "yaml",
        ],
    ),
    // How much a plan may take away.
    (
        "guard",
        &[
            "X",
            "X::engine",
            "delivery",
            "kit",
            "plan",
            "source",
            "systems",
        ],
    ),
    // What a hub has, and what the next apply makes of it.
    (
        "hub",
        &["diagnostic", "document", "kit", "load", "source", "yaml"],
    ),
    (
        "drift",
        &[
            "X::model",
            "delivery",
            "diagnostic",
            "document",
            "hub",
            "kit",
            "load",
            "options",
            "parallel",
            "plan",
            "site",
            "source",
            "yaml",
        ],
    ),
    // PlacementRules as Placements: texts, each planned before and after.
    (
        "migrate",
        &[
            "X::lower", "X::model", "delivery", "document", "kit", "options", "parallel", "plan",
            "repair", "site", "source", "yaml",
        ],
    ),
    (
        "site",
        &[
            "X",
            "X::model",
            "X::rules",
            "delivery",
            "diagnostic",
            "document",
            "hub",
            "kit",
            "kustomize",
            "load",
            "options",
            "schema",
            "source",
            "yaml",
        ],
    ),
    (
        "plan",
        &[
            "X",
            "X::engine",
            "X::model",
            "X::rules",
            "delivery",
            "diagnostic",
            "document",
            "kit",
            "kustomize",
            "load",
            "options",
            "plan::again",
            "plan::ties",
            "site",
            "source",
        ],
    ),
    (
        "diff",
        &[
            "X",
            "X::engine",
            "diagnostic",
            "document",
            "kit",
            "options",
            "parallel",
            "plan",
            "site",
            "source",
            "systems",
            "yaml",
        ],
    ),
    (
        "expect",
        &[
            "X",
            "X::engine",
            "diagnostic",
            "diff",
            "document",
            "kit",
            "load",
            "options",
            "parallel",
            "plan",
            "plan::again",
            "schema",
            "site",
            "source",
            "yaml",
        ],
    ),
    ("saved", &["diff", "document", "kit", "plan", "systems"]),
    // What engines are told of a strategy: text, and no word about where it goes.
    ("export", &["X", "X::engine", "X::model"]),
    // What a loss changes, as data.
    ("loss", &["document", "kit", "X::engine", "site", "why"]),
    (
        "risk",
        &[
            "X",
            "X::engine",
            "X::model",
            "delivery",
            "diff",
            "document",
            "kit",
            "options",
            "parallel",
            "plan",
            "plan::again",
            "site",
            "source",
            "systems",
            "why",
            "loss",
            "systems::X",
        ],
    ),
    // What can be done about losses.
    (
        "remedies",
        &[
            "changes", "diff", "document", "options", "parallel", "plan", "repair", "risk", "site",
            "systems", "why", "yaml", "loss",
        ],
    ),
    // What every system answers alike, and what each of them answers.
    (
        "systems",
        &[
            "systems::X",
            "diagnostic",
            "document",
            "kit",
            "options",
            "plan",
            "repair",
            "site",
            "why",
            "data",
            "page",
            "systems::delivery",
            "loss",
        ],
    ),
    (
        "systems::X",
        &[
            "X",
            "X::engine",
            "X::model",
            "X::repair",
            "X::rules",
            "X::why",
            "delivery",
            "diagnostic",
            "document",
            "kit",
            "options",
            "plan",
            "plan::again",
            "repair",
            "site",
            "systems",
            "why",
            "data",
            "page",
            "source",
            "systems::delivery",
            "loss",
        ],
    ),
    (
        "systems::delivery",
        &[
            "X",
            "data",
            "delivery",
            "document",
            "kit",
            "page",
            "plan",
            "source",
            "systems",
            "why",
            "loss",
            "options",
            "repair",
            "site",
            "plan::again",
        ],
    ),
    (
        "X::repair",
        &[
            "X",
            "X::engine",
            "X::model",
            "X::why",
            "document",
            "kit",
            "repair",
            "source",
            "yaml",
        ],
    ),
    // What is planned once more, and where two plans disagree.
    (
        "plan::again",
        &[
            "X",
            "X::engine",
            "X::model",
            "delivery",
            "kit",
            "options",
            "plan",
            "site",
        ],
    ),
    (
        "plan::ties",
        &[
            "X",
            "X::engine",
            "X::model",
            "diagnostic",
            "document",
            "kit",
            "plan",
            "source",
        ],
    ),
    // Text and data: what all answers are written with.
    ("page", &["diagnostic", "kit", "plan"]),
    ("data", &["kit", "parallel"]),
    ("repair", &["document", "kit", "source", "yaml"]),
    (
        "changes",
        &[
            "X",
            "X::engine",
            "diff",
            "document",
            "kit",
            "options",
            "plan",
            "repair",
            "site",
            "systems",
            "why",
            "yaml",
        ],
    ),
    (
        "rules",
        &[
            "config",
            "delivery",
            "diagnostic",
            "document",
            "expect",
            "hub",
            "kustomize",
            "load",
            "plan",
            "plan::ties",
            "schema",
            "systems",
        ],
    ),
    (
        "render",
        &[
            "X",
            "X::engine",
            "X::model",
            "X::rules",
            "X::why",
            "changes",
            "delivery",
            "diagnostic",
            "diff",
            "document",
            "drift",
            "expect",
            "guard",
            "hub",
            "kit",
            "kustomize",
            "migrate",
            "parallel",
            "plan",
            "page",
            "risk",
            "saved",
            "site",
            "source",
            "systems",
            "why",
            "yaml",
            "data",
            "systems::X",
            "systems::delivery",
            "loss",
        ],
    ),
    ("records", &["document", "kit", "plan", "render", "systems"]),
    // What the servers share: the site of a run at one moment.
    (
        "workspace",
        &[
            "config",
            "diagnostic",
            "diff",
            "document",
            "expect",
            "fix",
            "hub",
            "load",
            "options",
            "plan",
            "rules",
            "site",
            "source",
            "systems",
            "yaml",
            "why",
        ],
    ),
    // The server for agents: it translates.
    (
        "mcp",
        &[
            "changes",
            "diagnostic",
            "document",
            "fix",
            "kit",
            "load",
            "loss",
            "plan",
            "render",
            "repair",
            "risk",
            "rules",
            "schema",
            "site",
            "source",
            "systems",
            "why",
            "workspace",
        ],
    ),
    // The language server translates; it decides nothing.
    (
        "lsp",
        &[
            "delivery",
            "diagnostic",
            "diff",
            "document",
            "fix",
            "gotemplate",
            "kit",
            "parallel",
            "plan",
            "render",
            "risk",
            "schema",
            "site",
            "source",
            "systems",
            "why",
            "workspace",
            "yaml",
            "page",
            "loss",
        ],
    ),
    (
        "cli",
        &[
            "X",
            "X::engine",
            "X::why",
            "changes",
            "config",
            "delivery",
            "diagnostic",
            "diff",
            "document",
            "drift",
            "expect",
            "export",
            "fix",
            "guard",
            "hub",
            "kit",
            "kustomize",
            "load",
            "lsp",
            "mcp",
            "migrate",
            "options",
            "parallel",
            "plan",
            "plan::again",
            "process",
            "records",
            "remedies",
            "render",
            "page",
            "repair",
            "risk",
            "rules",
            "saved",
            "schema",
            "site",
            "source",
            "systems",
            "why",
            "workspace",
            "yaml",
            "systems::X",
            "systems::delivery",
            "loss",
        ],
    ),
];

/// Crates that any module may use: values, maps, sets and the forms of data.
const ANYWHERE: &[&str] = &[
    "fixedbitset",
    "indexmap",
    "jiff",
    "rustc_hash",
    "serde",
    "serde_json",
];

/// All other crates, and the modules that may use each.
const CRATES: &[(&str, &[&str])] = &[
    ("anyhow", &["cli"]),
    ("cel", &["ocm::engine::cel"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli::man"]),
    ("comfy_table", &["page::layout::table"]),
    ("crossbeam_channel", &["lsp"]),
    ("ctrlc", &["cli::confirm"]),
    (
        "data_encoding",
        &[
            "delivery::application_set::read",
            "delivery::placement_rule::read",
            "kustomize::generate",
            "render::html",
        ],
    ),
    ("gen_lsp_types", &["lsp"]),
    // Only its features count.
    ("getrandom", &[]),
    ("globset", &["load::walk"]),
    ("ignore", &["load"]),
    ("jsonschema", &["config::read", "schema"]),
    ("lsp_server", &["lsp"]),
    (
        "memchr",
        &[
            "diagnostic::ignore",
            "document::secret",
            "load",
            "source",
            "yaml",
        ],
    ),
    (
        "miette",
        &["render::diagnostics::full", "render::diagnostics::excerpt"],
    ),
    ("nix", &["cli"]),
    ("petgraph", &["kit::dag"]),
    ("pulldown_cmark", &["render::roff"]),
    (
        "regex",
        &[
            "airship::layering::substitute",
            "kustomize",
            "ocm::engine::cel",
            "schema::shape",
            "yaml::scalar::tests",
        ],
    ),
    ("roff", &["cli::man", "render::roff"]),
    ("rustix", &["cli", "load", "process"]),
    ("self_cell", &["workspace::snapshot"]),
    ("semver", &["ocm::engine::cel"]),
    (
        "serde_yaml",
        &["delivery::application_set::argo::generate", "records"],
    ),
    (
        "sha2",
        &[
            "export",
            "kustomize::generate",
            "render::html",
            "risk::part",
            "saved::digest",
        ],
    ),
    ("similar", &["render::patch"]),
    ("strsim", &["kit"]),
    ("supports_hyperlinks", &["cli::console"]),
    ("tempfile", &["cli::write", "load::git"]),
    ("terminal_size", &["cli::args::help", "cli::console"]),
    ("textwrap", &["page"]),
    ("toml", &["config::read"]),
    ("unicode_width", &["page"]),
];

/// What plans, and all that may name it: outside of the systems `plan` alone.
const PLANNING: &[(&str, &[&str])] = &[
    ("airship::engine::plan", &["airship"]),
    ("airship::engine::loss::Losses::new", &["plan::again"]),
    ("airship::engine::moved::moved", &["plan::again"]),
    ("airship::engine::run::run", &["plan::again"]),
    ("airship::engine::weakest::taken_down", &["plan::again"]),
    ("airship::engine::weakest::weakest", &["plan::again"]),
    ("airship::plan", &["plan::again", "plan::section"]),
    (
        "airship::sites::planned_each",
        &["airship", "plan::section"],
    ),
    ("hybrid::engine::plan", &["hybrid"]),
    ("hybrid::engine::Trials::new", &["plan::again"]),
    ("hybrid::engine::loss::Losses::new", &["plan::again"]),
    ("hybrid::engine::loss::Touched::new", &["plan::again"]),
    ("hybrid::plan", &["plan::section"]),
    ("hybrid::unaided", &["plan::section"]),
    // A hub is an index, too: by it a review finds which clusters a selector matches, and a repair
    // which placements a cluster could be selected by.
    (
        "ocm::engine::hub::Hub::new",
        &["ocm::repair::touched", "ocm::rules::review", "ocm::study"],
    ),
    ("ocm::engine::loss::Losses::new", &["plan::again"]),
    ("ocm::engine::place::place", &["ocm::study"]),
    ("ocm::engine::place::place_without", &[]),
    ("ocm::engine::plan_placements", &["ocm"]),
    ("ocm::engine::plan_rollouts", &["ocm"]),
    ("ocm::engine::plan_waves", &["ocm"]),
    ("ocm::engine::rollout::run::run", &["ocm::simulate"]),
    ("ocm::engine::rollout::step", &[]),
    ("ocm::plan", &["plan", "plan::again"]),
    ("ocm::rollouts", &["plan::section"]),
    ("ocm::simulate::runs", &["plan::again"]),
    ("ocm::study::Study::of", &["plan::again"]),
    ("ogc::engine::plan", &["ogc", "plan::again"]),
    ("ogc::engine::loss::Losses::new", &["plan::again"]),
    ("ogc::engine::moved::moved", &["plan::again"]),
    ("ogc::plan", &["plan::section"]),
    ("senlin::engine::plan", &["plan::again", "senlin"]),
    ("senlin::plan", &["plan::section"]),
];

/// The row of a module, and its system. What a system answers to commands lies in `systems`, above
/// the plan that it answers from.
fn unit(module: &str) -> (String, Option<String>) {
    let parts = split(module);
    let first = parts.first().cloned().unwrap_or_default();
    let answering = parts.get(1).filter(|part| is_system(part));
    if let Some(system) = answering.filter(|_| first == "systems") {
        return ("systems::X".to_owned(), Some(system.clone()));
    }
    if !is_system(&first) {
        let own = |row: &&str| module == *row || module.starts_with(&format!("{row}::"));
        let row = ROWS.iter().map(|(row, _)| *row).filter(own);
        let row = row.max_by_key(|row| row.len());
        return (row.map_or(first, str::to_owned), None);
    }
    let part = parts.get(1).filter(|part| PARTS.contains(&part.as_str()));
    let unit = part.map_or("X".to_owned(), |part| format!("X::{part}"));
    (unit, Some(first))
}

/// What is named without a row that allows it, and cycles of files that name each other.
pub(crate) fn violations(sources: &Sources) -> Vec<String> {
    let this = Crate::new(sources);
    let edges = this.edges();
    let rows: BTreeMap<&str, &[&str]> = ROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    for (from, to) in &edges {
        // The root only lists the modules, and `main` calls it.
        if from.is_empty() || to.is_empty() {
            continue;
        }
        let ((unit_from, system), (unit_to, other)) = (unit(from), unit(to));
        let known = rows.get(unit_from.as_str());
        let same = unit_from == unit_to && system == other;
        let allowed = known.is_some_and(|known| same || known.contains(&unit_to.as_str()));
        let strange = system.is_some() && other.is_some() && system != other;
        if !allowed || strange {
            wrong.push(format!("{from} names {to}"));
        }
    }
    wrong.extend(cycles(&edges));
    wrong.extend(planners(&this, sources));
    wrong.extend(strangers(&this));
    wrong
}

/// Uses of other crates beyond [`CRATES`].
fn strangers(this: &Crate) -> Vec<String> {
    let mut wrong = Vec::new();
    for (other, allowed) in CRATES {
        let within = |module: &str, part: &&str| {
            let below = module.strip_prefix(*part);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let strange = |module: &&str| !allowed.iter().any(|part| within(module, part));
        let strange = this.users_of(other).filter(strange);
        wrong.extend(strange.map(|module| format!("{module} uses the crate {other}")));
    }
    wrong
}

/// The names of all rows, of modules and of crates.
pub(crate) fn rows() -> (Vec<&'static str>, Vec<&'static str>) {
    let modules = ROWS.iter().map(|(name, _)| *name);
    let crates = CRATES.iter().map(|(name, _)| *name);
    (
        modules.collect(),
        crates.chain(ANYWHERE.iter().copied()).collect(),
    )
}

/// Who plans without being allowed to, and rows of [`PLANNING`] for what is not there.
fn planners(this: &Crate, sources: &Sources) -> Vec<String> {
    let mentions = this.mentions();
    let mut wrong = Vec::new();
    for system in System::ALL.map(System::name) {
        let engine = format!("{system}::engine::");
        if !PLANNING.iter().any(|(item, _)| item.starts_with(&engine)) {
            wrong.push(format!("no row says who may name what plans in {engine}"));
        }
    }
    for (item, allowed) in PLANNING {
        let engine = item.split("::engine::").next().filter(|own| own != item);
        let engine = engine.map(|system| format!("{system}::engine"));
        // An engine is made of such calls.
        let own = |from: &str| {
            let engine = engine.as_deref();
            engine.is_some_and(|own| from == own || from.starts_with(&format!("{own}::")))
        };
        let mentioned = mentions.iter().filter(|(_, named)| named == item);
        for (from, _) in mentioned.filter(|(from, _)| !own(from)) {
            if !allowed.contains(&from.as_str()) {
                wrong.push(format!("{from} plans with {item}"));
            }
        }
        let parts = split(item);
        let name = format!("fn {}", parts.last().map_or("", String::as_str));
        let is_type = |part: &&String| part.starts_with(char::is_uppercase);
        let types = parts.iter().filter(is_type).count();
        let module = parts[..parts.len() - 1 - types].join("::");
        let defined = sources
            .get(&module)
            .is_some_and(|text| text.contains(&name));
        if !defined {
            wrong.push(format!("{item} is not there"));
        }
    }
    wrong
}

/// Files that name each other, neither of which lies in the other.
fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<String> {
    let within = |a: &str, b: &str| b.is_empty() || a.starts_with(&format!("{b}::"));
    let beside = |a: &str, b: &str| !within(a, b) && !within(b, a);
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        if beside(from, to) {
            next.entry(from).or_default().push(to);
        }
    }
    let mut wrong = Vec::new();
    for start in next.keys() {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = next[start].clone();
        while let Some(at) = open.pop() {
            if at == *start {
                wrong.push(format!("{start} lies on a cycle"));
                break;
            }
            if seen.insert(at) {
                open.extend(next.get(at).into_iter().flatten());
            }
        }
    }
    wrong
}

/// Modules and what is planted in them: each must be seen.
pub(crate) const PLANTED: &[(&[(&str, &str)], &str)] = &[
    (
        &[("kit::name", "use crate::source::Span;")],
        "kit::name names source",
    ),
    (
        &[("source", "use super::yaml::Node;")],
        "source names yaml::node",
    ),
    (
        &[(
            "diagnostic::sink",
            "use crate::{kit::name, load::{self, Loaded}};",
        )],
        "diagnostic::sink names load",
    ),
    (
        &[(
            "ocm::engine::score",
            "use crate::{\n    diagnostic::{Rule,\n    Sink},\n};",
        )],
        "ocm::engine::score names diagnostic::sink",
    ),
    (
        &[("ocm::model", "fn planted(tree: &crate::yaml::Tree) {}")],
        "ocm::model names yaml::tree",
    ),
    (
        &[(
            "airship::rules::notes",
            "pub(crate) use crate::ogc::model::Model as Other;",
        )],
        "airship::rules::notes names ogc::model",
    ),
    (
        &[(
            "ocm::engine::rollout::run",
            "use super::super::super::rules::DURATION;",
        )],
        "ocm::engine::rollout::run names ocm::rules",
    ),
    (
        &[(
            "render::graph",
            "fn planted() { let _ = super::super::load::display_name; }",
        )],
        "render::graph names load",
    ),
    (&[("site", "use crate::expect;")], "site names expect"),
    (
        &[
            ("site", "pub use crate::load::Loaded as Files;"),
            ("diff::run", "use crate::site::Files;"),
        ],
        "diff::run names load",
    ),
    (
        &[
            ("cli::graph", "use super::simulate::planted;"),
            ("cli::simulate", "fn planted() { super::graph::run(); }"),
        ],
        "cli::graph lies on a cycle",
    ),
    (&[("planted", "use crate::kit;")], "planted names kit"),
    (
        &[(
            "diff::run",
            "use crate::ocm;\nfn planted() { ocm::model::planted(); }",
        )],
        "diff::run names ocm::model",
    ),
    (
        &[("expect::run", "use toml::Value;")],
        "expect::run uses the crate toml",
    ),
    (
        &[("risk::loss", "fn planted() { miette::bail!(); }")],
        "risk::loss uses the crate miette",
    ),
    (
        &[("plan::ties", "use crate::expect;")],
        "plan::ties names expect",
    ),
    (
        &[("ogc::why", "fn planted() { let _ = super::engine::plan; }")],
        "ogc::why plans with ogc::engine::plan",
    ),
    (
        &[(
            "ocm::repair",
            "use super::engine::hub;\nfn planted() { hub::Hub::new(); }",
        )],
        "ocm::repair plans with ocm::engine::hub::Hub::new",
    ),
    (
        &[(
            "risk::compare",
            "use crate::ogc::engine::{self as filters, Losses};\nfn planted() { Losses::new(); }",
        )],
        "risk::compare plans with ogc::engine::loss::Losses::new",
    ),
    (
        &[(
            "cli::simulate",
            "use crate::airship::{engine::{run as other}};\nfn planted() { other::run(); }",
        )],
        "cli::simulate plans with airship::engine::run::run",
    ),
];
