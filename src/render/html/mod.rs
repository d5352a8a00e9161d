//! A plan as one page to look at: complete in itself, without a request to anywhere.

mod details;
mod findings;
mod groups;
mod head;
mod item;
mod live;
mod losses;
mod map;
mod matrix;
mod moves;
mod page;
mod section;
mod sums;
mod waves;

pub use moves::Moves;
pub use page::Link;

use data_encoding::BASE64;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::diagnostic::Sink;
use crate::plan::{Plan, Quality};
use crate::render::json::PlanAnswer;
use crate::risk::Risk;
use crate::saved::{SavedRow, Sections};
use crate::source::Sources;

use item::Section;
use live::Contents;
use page::Page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Bytes that all items may take, and those of each other section.
const ITEMS: usize = 5 << 20;
const OTHERS: usize = 1 << 19;

/// The contents of a page.
pub struct Report<'r> {
    /// The site, as it was named.
    pub title: &'r str,
    /// The instant everything was judged at.
    pub now: String,
    /// The commit of the documents, and whether they are exactly those.
    pub revision: Option<(String, bool)>,
    /// Where lines of documents are shown.
    pub link: Option<&'r Link>,
    /// The quality of the plan.
    pub result: Quality,
    /// Whether there was nothing to plan.
    pub nothing: bool,
    /// How the documents were counted: what they are, and how many.
    pub documents: Vec<(&'static str, usize)>,
    /// The notes on the plan: its missing parts, and whether it is stale.
    pub notes: Vec<String>,
    /// The plan.
    pub planned: Planned<'r>,
    /// The findings, and the sources they point into.
    pub found: Option<(&'r Sink, &'r Sources)>,
    /// The moves against another state.
    pub moves: Option<Moves<'r>>,
    /// The impact of losses.
    pub risk: Option<&'r Risk>,
    /// A simulated run of the deployment groups.
    pub run: Option<&'r Value>,
}

/// A plan to show.
#[derive(Clone, Copy)]
pub enum Planned<'r> {
    /// One that was just made.
    Now(&'r Plan<'r, 'r>, &'r PlanAnswer<'r, 'r>),
    /// The sections of one that was saved.
    Saved(&'r Sections, &'r [SavedRow]),
}

impl Report<'_> {
    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        let contents = match self.planned {
            Planned::Now(plan, answer) => Contents::of(plan, answer),
            Planned::Saved(outcome, rows) => Contents::saved(outcome, rows),
        };
        let mut page = Page::new(self.link);
        self.begin(&mut page);
        page.allow(OTHERS);
        head::write(&mut page, self, &contents);
        self.sections(&mut page, &contents);
        self.end(&mut page);
        page.finish()
    }

    fn begin(&self, page: &mut Page<'_>) {
        let hash = |text: &str| BASE64.encode(&Sha256::digest(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
             form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        page.markup("<meta http-equiv=\"Content-Security-Policy\"");
        page.policy(&policy).markup("/>\n");
        page.markup("<meta name=\"referrer\" content=\"no-referrer\"/>\n");
        page.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
        page.markup("<meta name=\"generator\" content=\"planner ");
        page.markup(env!("CARGO_PKG_VERSION"))
            .markup("\"/>\n<title>")
            .text(self.title);
        page.markup(" \u{2013} planner report</title>\n<style>")
            .markup(STYLE);
        page.markup("</style>\n</head>\n<body>\n");
        page.markup("<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
        page.markup("<div class=\"frame\">\n");
    }

    fn sections(&self, page: &mut Page<'_>, contents: &Contents<'_>) {
        if let Some(moves) = &self.moves {
            moves::write(page.allow(OTHERS), moves);
        }
        let mut room = ITEMS;
        for (section, rest) in contents
            .sections
            .iter()
            .zip((1..=contents.sections.len()).rev())
        {
            let start = page.len();
            section::write(page, section, room / rest);
            room = room.saturating_sub(page.len() - start);
        }
        if let Some(strategy) = &contents.strategy {
            groups::write(page.allow(OTHERS), strategy, self.run);
        }
        waves::write(page.allow(OTHERS), &contents.rollouts, &contents.waves);
        sums::write(page.allow(OTHERS), &contents.sums);
        map::write(page.allow(OTHERS), &contents.boxes);
        if let Some(risk) = self.risk {
            losses::write(page.allow(OTHERS), risk);
        }
        if let Some((sink, sources)) = self.found {
            findings::write(page.allow(OTHERS), sink, sources);
        }
    }

    fn end(&self, page: &mut Page<'_>) {
        page.markup("</main>\n<footer id=\"documents\"><p>");
        for (at, (what, number)) in self.documents.iter().enumerate() {
            page.markup(if at == 0 { "" } else { ", " })
                .number(*number)
                .markup(" ")
                .markup(what);
        }
        page.markup(". Made by planner ")
            .markup(env!("CARGO_PKG_VERSION"));
        page.markup(
            ". The same data: <code>planner plan -o json</code>.</p></footer>\n</div>\n<script>",
        );
        page.markup(SCRIPT).markup("</script>\n</body>\n</html>\n");
    }
}

/// How many items change, and how many of them fail.
fn totals(sections: &[Section<'_>]) -> (usize, usize) {
    let moving = sections.iter().map(Section::moving).sum();
    let failed = sections.iter().map(Section::failing).sum();
    (moving, failed)
}
