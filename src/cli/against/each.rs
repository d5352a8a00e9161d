//! Two states of a repository with several sites: a block for each, equal ones once.

use std::io;

use serde_json::Value;

use crate::diagnostic::{Severity, Sink};
use crate::diff::Diff;
use crate::kit::plural::{listed, plural};
use crate::load;
use crate::render::json::SitesDiff;
use crate::render::text::{Page, Screen};
use crate::render::{Review, diagnostics, markdown, text};

use super::super::answer::{Answer, Data, Out, Outcome, Run};
use super::super::args::PlanArgs;
use super::super::failure::Failure;
use super::super::formats::{AgainstFormat, GITHUB, SARIF};
use super::super::guard::Conditions;
use super::super::session::{self, Session};
use super::super::sites::refuse_many;
use super::states::{Compared, Judgement, earlier, sides};

/// The sites of these names, each compared.
pub(super) fn answer(
    args: &PlanArgs,
    against: &str,
    session: Session,
    names: &[String],
    run: &Run<'_, AgainstFormat>,
) -> Result<Answer<AgainstFormat>, Failure> {
    let of_one = [AgainstFormat::Csv, AgainstFormat::Tsv];
    let shows_one = of_one.into_iter().any(|format| run.outputs.has(format));
    refuse_many(names, shows_one)?;
    let before = earlier(against, &session, run.common.records.is_some())?.request;
    let now = session.request.clone();
    let conditions = Conditions::default();
    let (mut sites, mut told, mut refused_before) = (Vec::new(), Sink::default(), Sink::default());
    let mut outcome = Outcome::nothing(super::super::plan::NOTHING);
    for name in names {
        let mut session = session.clone();
        session.request.site = vec![name.clone()];
        session.request.instead_of_site = roots([&now, &before], name)?;
        let sides = sides(session, &args.package, against, run)?;
        let judgement = Judgement::of(args, against, sides, &conditions)?;
        let shown = judgement.compared.without_roots();
        outcome = outcome.worst(judgement.outcome);
        told.append(judgement.told);
        refused_before.append(judgement.refused_before);
        sites.push(OneSite {
            name: name.clone(),
            compared: judgement.compared,
            diff: shown.0,
            review: shown.1,
        });
    }
    let first = &sites[0].compared;
    let (sources, called) = (first.sources, first.called);
    told.sort(sources);
    told.dedup();
    refused_before.sort(called);
    refused_before.dedup();
    let compared = Each {
        sites,
        told: told.clone(),
    };
    Ok(Answer::new(compared, outcome)
        .found(told, sources)
        .found(refused_before, called))
}

/// The kustomizations of a site in the first of these states that has it.
fn roots(states: [&load::Request; 2], name: &str) -> Result<Vec<std::path::PathBuf>, Failure> {
    let mut fault = None;
    for state in states {
        let request = load::Request {
            site: vec![name.to_owned()],
            ..state.clone()
        };
        match load::open(&request) {
            Ok(loaded) => {
                let roots = loaded.builds.roots.iter();
                return Ok(roots.map(|root| root.below.clone()).collect());
            }
            Err(why) => fault = fault.or(Some(why)),
        }
    }
    Err(fault.map_or_else(|| Failure::usage(name.to_owned()), session::refusal))
}

/// The sites of a repository, compared.
struct Each {
    sites: Vec<OneSite>,
    told: Sink,
}

/// One of them.
struct OneSite {
    name: String,
    compared: Compared,
    /// The moves as a block shows them: its headline says which kustomizations they are in.
    diff: Option<Diff>,
    review: Review,
}

/// A block of a page, and the names of the sites that it is true of.
struct Block<'e> {
    site: &'e OneSite,
    names: Vec<&'e str>,
    text: String,
}

impl Each {
    /// The blocks of all sites, equal ones once, and the sites in which nothing is to be said.
    fn blocks(&self) -> (Vec<Block<'_>>, Vec<&str>) {
        let (mut blocks, mut quiet): (Vec<Block<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
        for site in &self.sites {
            if site.is_quiet() {
                quiet.push(&site.name);
                continue;
            }
            let text = site.markdown("");
            match blocks.iter_mut().find(|block| block.text == text) {
                Some(block) => block.names.push(&site.name),
                None => blocks.push(Block {
                    site,
                    names: vec![&site.name],
                    text,
                }),
            }
        }
        (blocks, quiet)
    }

    fn markdown(&self) -> String {
        let (blocks, quiet) = self.blocks();
        let mut out = String::new();
        for block in &blocks {
            let title = block.title(&markdown::code);
            out.push_str(&block.site.markdown(&title));
            out.push('\n');
        }
        if !quiet.is_empty() {
            let names: Vec<String> = quiet.iter().map(|name| markdown::code(name)).collect();
            out.push_str(&format!("Nothing moves in {}.\n", listed(&names)));
        }
        out
    }

    fn page(&self, screen: &Screen) -> Page {
        let (blocks, quiet) = self.blocks();
        let mut page = Page::new();
        for block in &blocks {
            page.gap();
            let title = block.title(&str::to_owned);
            page.append(match &block.site.diff {
                Some(diff) => text::reviewed_as(diff, &title, &block.site.review, screen),
                None => text::refused_as(block.site.compared.errors(), &title, screen),
            });
        }
        if !quiet.is_empty() {
            page.gap();
            let names: Vec<String> = quiet.iter().map(|name| (*name).to_owned()).collect();
            page.line(format!("Nothing moves in {}.", listed(&names)));
        }
        page
    }
}

impl Block<'_> {
    fn title(&self, code: &dyn Fn(&str) -> String) -> String {
        let names: Vec<String> = self.names.iter().map(|name| code(name)).collect();
        let against = code(&self.site.compared.against);
        match names.as_slice() {
            [name] => format!("Plan of site {name} against {against}"),
            names => format!(
                "Plan of {} against {against}: the same in {}",
                plural(names.len(), "site"),
                listed(names)
            ),
        }
    }
}

impl OneSite {
    /// Whether there is nothing to say of it.
    fn is_quiet(&self) -> bool {
        let review = &self.review;
        self.diff.as_ref().is_some_and(|diff| diff.moves.is_empty())
            && [&review.new, &review.gone, &review.not_compared]
                .iter()
                .all(|lines| lines.is_empty())
    }

    fn markdown(&self, title: &str) -> String {
        match &self.diff {
            Some(diff) => markdown::reviewed_as(diff, title, &self.review),
            None => markdown::invalid_as(title, self.compared.errors(), &self.review),
        }
    }
}

impl Compared {
    fn errors(&self) -> usize {
        self.new.count(Severity::Error) + self.old.count(Severity::Error)
    }

    /// The moves and findings without the kustomizations that they are in.
    fn without_roots(&self) -> (Option<Diff>, Review) {
        let mut diff = self.diff.clone();
        for cause in diff.iter_mut().flat_map(|diff| &mut diff.causes) {
            cause.roots.clear();
        }
        let bare = |sink: &Sink| {
            let mut sink = sink.clone();
            for found in &mut sink.diagnostics {
                found.roots.clear();
            }
            sink
        };
        let review = self.review_of([&self.found_new, &self.found_gone].map(bare));
        (diff, review)
    }
}

impl Data<AgainstFormat> for Each {
    fn write(&self, format: AgainstFormat, out: &mut Out<'_>) -> io::Result<()> {
        let first = &self.sites[0].compared;
        let findings = || first.site.findings(&self.told);
        let data = || {
            let sites = self.sites.iter().map(|site| {
                let data = serde_json::to_value(site.compared.answer()).unwrap_or_default();
                (site.name.as_str(), data)
            });
            let sites: Vec<(&str, Value)> = sites.collect();
            let results = self.sites.iter().map(|site| site.compared.result);
            let result = results.max().map_or("unchanged", |result| result.word());
            let found = diagnostics::json(&self.told, first.sources);
            SitesDiff::new(first.now, &first.against, result, sites, found)
        };
        match format {
            AgainstFormat::Json => out.json(&data()),
            AgainstFormat::Yaml => out.yaml(&data()),
            AgainstFormat::Sarif => out.tool(SARIF, findings()),
            AgainstFormat::Github => out.tool(GITHUB, findings()),
            AgainstFormat::Markdown => out.text(&self.markdown()),
            AgainstFormat::Text | AgainstFormat::Csv | AgainstFormat::Tsv => {
                out.page(&self.page(&out.screen))
            }
        }
    }
}
