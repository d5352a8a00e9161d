//! The whole program without its process: load, check, plan, write; and what must hold then.

use planner::load::{self, Loaded, Request};
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::render::diagnostics::{Look, concise, full};
use planner::render::text::Screen;
use planner::render::{clean_lines, json, text};
use planner::site;
use planner::source::{Place, Sources};
use planner::why::Ways;
use planner::yaml::Node;

/// What the program writes of a site.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The plan as JSON.
    pub(crate) data: String,
    /// The plan as a screen.
    pub(crate) screen: String,
    /// The findings.
    pub(crate) findings: String,
    /// Whether anything was refused.
    pub(crate) refused: bool,
}

/// The request for a text on standard input.
pub(crate) fn piped(text: impl Into<Vec<u8>>) -> Request {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(text.into());
    request
}

fn inside(place: Place, sources: &Sources, what: &str) {
    let text = &sources.get(place.source).text;
    let (start, end) = (place.span.start as usize, place.span.end as usize);
    let good = start <= end
        && end <= text.len()
        && text.is_char_boundary(start)
        && text.is_char_boundary(end);
    assert!(good, "{what}: {start}..{end} of {}", text.len());
}

fn nodes_are_inside(loaded: &Loaded) {
    let documents = loaded.documents();
    let mut open: Vec<Node<'_>> = documents.all.iter().map(|document| document.node).collect();
    // An expanded alias may hold a million nodes; the first ones tell.
    let mut left = 20_000;
    while let Some(node) = open.pop() {
        inside(node.place(), &loaded.sources, "a node");
        left -= 1;
        if left == 0 {
            break;
        }
        open.extend(node.items());
        open.extend(node.entries().flat_map(|(key, value)| [key, value]));
    }
}

/// Runs everything over a request and checks what holds of any input.
pub(crate) fn run(request: &Request) -> Written {
    let loaded = load::open(request).expect("a request that can be understood");
    nodes_are_inside(&loaded);
    let settings = CheckOptions {
        jobs: request.jobs,
        ..CheckOptions::at(super::NOW.parse().expect("a time"))
    };
    let options = Options {
        keep_going: true,
        trace: true,
        jobs: request.jobs,
        ..Options::default()
    };
    let sources = &loaded.sources;
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &options);
    let mut sink = checked.report(&[&plan.findings]);
    for found in &sink.diagnostics {
        let labels = found.primary.iter().chain(&found.related);
        labels.for_each(|label| inside(label.place, sources, found.rule.code));
    }
    let counts = plan.counts;
    assert!(
        counts.planned + counts.not_ours <= counts.read,
        "{counts:?}"
    );
    let refused = plan.refused();
    let answer = json::PlanAnswer::new(&plan, &sink, sources);
    let mut data = Vec::new();
    answer.write_json(1, &mut data).expect("written");
    drop(answer);
    let data = String::from_utf8(data).expect("text");
    super::answers::as_described(serde_json::from_str(&data).expect("JSON"));
    let screen = Screen {
        trace: true,
        ..Screen::columns(80)
    };
    let page = text::plan(&plan, &Ways::new(), &screen, None, "").write(&screen);
    let look = Look {
        links: false,
        width: 80,
        screen: None,
        color: false,
        unicode: true,
    };
    let mut findings = concise(&sink, sources);
    sink.diagnostics.truncate(20);
    findings.push_str(&full(&sink, sources, look));
    for written in [&data, &page, &findings] {
        let harmful = written.lines().find(|line| clean_lines(line) != *line);
        assert!(harmful.is_none(), "{harmful:?}");
    }
    Written {
        data,
        screen: page,
        findings,
        refused,
    }
}
