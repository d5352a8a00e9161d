//! Every page of a code is run: its example triggers the code, what it says to use instead
//! does not.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

use planner::diagnostic::ignore::{self, Judge};
use planner::diagnostic::{Rule, Sink};
use planner::document::DocumentKind;
use planner::hybrid::engine::Keep;
use planner::load::{self, Request};
use planner::options::Options;
use planner::{plan, rules, site};

/// Pages about files, directories, limits and configuration, which no document shows.
const WITHOUT_DOCUMENTS: &[&str] = &[
    "planner::airship::faults_format",
    "planner::airship::left_out",
    "planner::airship::remote_repository",
    "planner::airship::rendered_too_large",
    "planner::airship::substitution_skipped",
    "planner::airship::unknown_fault",
    "planner::config::",
    "planner::io::",
    "planner::yaml::too_many_nodes",
];

/// Said of files beside the site: the faults of `planner simulate`.
const ELSEWHERE: &[&str] = &["planner::ocm::rollout_faults"];

/// Said of commands that were allowed to run.
const COMMANDS: &[&str] = &[
    "planner::hybrid::command_answer",
    "planner::hybrid::command_failed",
];

/// A block of a page and the words after `yaml` in its fence.
struct Block<'p> {
    words: &'p str,
    text: &'p str,
}

/// The first YAML block of a section.
fn block<'p>(rule: &'p Rule, section: &str) -> Option<Block<'p>> {
    let (_, rest) = rule.docs.split_once(&format!("\n## {section}\n"))?;
    let rest = rest.split("\n## ").next()?;
    let (_, rest) = rest.split_once("```yaml")?;
    let (words, rest) = rest.split_once('\n')?;
    let (text, _) = rest.split_once("```")?;
    Some(Block { words, text })
}

/// The codes that a document alone brings up, in checks and in the plan.
fn codes(rule: &Rule, block: &Block<'_>) -> Vec<&'static str> {
    let request = Request {
        stdin: Some(block.text.as_bytes().to_vec()),
        stdin_name: "page.yaml".into(),
        ..Request::of(vec!["-".into()])
    };
    let mut loaded = load::load(&request).expect("standard input alone refuses nothing");
    let mut sink = std::mem::take(&mut loaded.sink);
    let documents = loaded.documents();
    let mut options = Options::at("2026-06-01T00:00:00Z".parse().expect("a time"));
    options.validating = !block.words.contains("plan");
    options.allow_commands = COMMANDS.contains(&rule.code);
    options.upstream = block.words.contains("upstream");
    let checked = site::check(&documents, loaded.unreadable, &options, &mut sink);
    let all = rules::all();
    let judge = Judge {
        now: options.now,
        reasons: block.words.contains("require-reason"),
        rules: &all,
    };
    let inside = |source, offsets: &[u32]| loaded.inside_scalars(source, offsets);
    ignore::apply(&mut sink, documents.sources, inside, judge);
    let mut planned = Sink::default();
    let _ = plan::make(
        &checked,
        documents.sources,
        &options,
        Keep::Last,
        &mut planned,
    );
    sink.append(planned);
    let mut codes: Vec<&str> = sink
        .diagnostics
        .iter()
        .map(|found| found.rule.code)
        .collect();
    let foreign =
        |document: &planner::document::Document<'_>| document.kind == DocumentKind::Foreign;
    if block.words.contains("strict") && documents.all.iter().any(foreign) {
        codes.push("planner::site::not_ours");
    }
    codes
}

#[test]
fn every_example_triggers_its_code_and_what_to_use_instead_does_not() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let exempt = WITHOUT_DOCUMENTS
            .iter()
            .any(|area| rule.code.starts_with(area));
        let (Some(example), Some(instead)) = (block(rule, "Example"), block(rule, "Use instead"))
        else {
            if !exempt {
                wrong.push(format!("{}: its page has no blocks of YAML", rule.code));
            }
            continue;
        };
        let found = codes(rule, &example);
        if !found.contains(&rule.code) && !ELSEWHERE.contains(&rule.code) {
            wrong.push(format!("{}: the example gives {found:?}", rule.code));
        }
        let found = codes(rule, &instead);
        if found.contains(&rule.code) {
            wrong.push(format!("{}: so does what to use instead", rule.code));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} pages:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
