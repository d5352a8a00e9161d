//! Both states of a site: read, planned and compared.

use std::io;
use std::path::Path;

use jiff::Timestamp;

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::diff::{self, Diff, FoundIn, State};
use crate::hub;
use crate::load::Request;
use crate::load::git::{self, GitFault};
use crate::page::layout::count;
use crate::plan::partial;
use crate::plan::{LeftOut, Quality};
use crate::render::Review;
use crate::render::csv::{self, Form};
use crate::render::guard::Judged;
use crate::render::json::{Findings, PlanDiff};
use crate::render::text::Page;
use crate::render::{diagnostics, markdown, text};
use crate::source::Sources;
use crate::workspace::at_revision;

use super::super::answer::{Data, Out, Outcome, Run};
use super::super::args::PlanArgs;
use super::super::confirm;
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::{AgainstFormat, Format, GITHUB, SARIF};
use super::super::guard::{self, Conditions};
use super::super::progress::{self, Doing};
use super::super::session::{self, Session, keep};
use super::super::site::{Planned, Site};

/// A state of the site as it is found.
pub(in crate::cli) struct Side {
    pub(in crate::cli) site: Site,
    pub(in crate::cli) plan: Planned,
    pub(in crate::cli) found: Sink,
}

impl Side {
    fn of(site: Site, console: &Console) -> Self {
        let plan = site.plan(console);
        let found = site.report(&[&plan.findings]);
        Self { site, plan, found }
    }

    pub(in crate::cli) fn findings(&self) -> FoundIn<'_, 'static> {
        FoundIn {
            sink: &self.found,
            documents: &self.site.checked.documents,
        }
    }
}

/// Both states of a site.
pub(in crate::cli) struct Sides {
    /// The one that is planned.
    pub(in crate::cli) new: Side,
    /// The other.
    pub(in crate::cli) old: Side,
    /// The moves, if nothing was refused or the rest is wanted.
    pub(in crate::cli) diff: Option<Diff>,
    /// Files of the other state by its name.
    pub(in crate::cli) called: &'static Sources,
}

/// Reads and plans both.
///
/// # Errors
/// A bad configuration, no such revision, an output that is an input.
pub(in crate::cli) fn sides<F: Format>(
    mut session: Session,
    packages: &[String],
    against: &str,
    run: &Run<'_, F>,
) -> Result<Sides, Failure> {
    let console = run.console;
    let partly = session.options.keep_going;
    // Refused documents are reported; the others are compared anyway.
    session.options.keep_going = true;
    session.options.packages = packages.to_vec();
    // Of the programs that run for us none is left behind.
    confirm::watch_interrupts(console);
    let other = keep(earlier(against, &session, run.common.records.is_some())?);
    let old_loaded = keep(session::open(&other.request, console)?);
    if let Some(hub) = &mut session.request.hub {
        hub.before = hub::keys(&old_loaded.documents());
    }
    let site = Site::read(session, run)?;
    run.outputs.guard(&other.inputs(old_loaded))?;
    site.check_packages(packages)?;
    let new = Side::of(site, console);
    let old = Side::of(Site::of(other, old_loaded, console), console);
    let refused = new.plan.refused() || old.plan.refused();
    let diff = (!refused || partly).then(|| difference(&old, &new, console));
    // Both states are merged with the same snapshot.
    let hub = old_loaded.hub.as_ref().map(|hub| hub.source);
    let called = |name: &str| format!("{against}:{name}");
    let called = keep(old_loaded.sources.called(hub, called));
    Ok(Sides {
        new,
        old,
        diff,
        called,
    })
}

impl Sides {
    /// Whether neither holds anything for us.
    pub(in crate::cli) fn is_nothing(&self) -> bool {
        self.new.site.is_nothing(self.new.plan) && self.old.site.loaded.files_read == 0
    }
}

/// Two states compared, and how that ends.
pub(super) struct Judgement {
    pub(super) compared: Compared,
    pub(super) outcome: Outcome,
    /// The findings that are reported.
    pub(super) told: Sink,
    /// The findings about the other state, if it refused something.
    pub(super) refused_before: Sink,
    pub(super) called: &'static Sources,
}

impl Judgement {
    /// Judges what moves between both states.
    ///
    /// # Errors
    /// Nothing to compare with (64).
    pub(super) fn of(
        args: &PlanArgs,
        against: &str,
        sides: Sides,
        conditions: &Conditions,
    ) -> Result<Self, Failure> {
        let nothing = sides.is_nothing();
        let Sides {
            new,
            old,
            diff,
            called,
        } = sides;
        let site = new.site;
        let judged = guard::of_states(conditions, site, (old.plan, new.plan), against)?;
        let stopped = judged
            .as_ref()
            .is_some_and(|judged| !judged.guard.is_held());
        let refused = new.plan.refused() || old.plan.refused();
        let quality = if refused {
            Quality::Invalid
        } else {
            new.plan.quality
        };
        let moved = diff.as_ref().is_some_and(|diff| !diff.moves.is_empty());
        let outcome = match nothing {
            true => Outcome::nothing(super::super::plan::NOTHING),
            false if stopped && quality != Quality::Invalid => Outcome::Unplaceable,
            false => {
                let changes = moved && args.detailed_exitcode;
                Outcome::of(conditions.quality(quality), changes)
            }
        };
        let refusals = judged.as_ref().map(Judged::findings).unwrap_or_default();
        let (found_new, found_gone) = diff::findings(old.findings(), new.findings());
        // What was wrong before, and refused nothing, is no longer of interest.
        let refused_before = if old.found.refused() {
            old.found.clone()
        } else {
            Sink::default()
        };
        // People hear of errors and of what is new.
        let mut told = new.found.filtered(Diagnostic::is_error);
        told.append(found_new.filtered(|found| !found.is_error()));
        told.append(refusals.clone());
        told.sort(site.sources());
        let missing = [
            (partial::missing(new.plan.site), site.sources()),
            (partial::missing(old.plan.site), called),
        ];
        let is_whole = missing.iter().all(|(parts, _)| parts.is_empty());
        let compared = Compared {
            site,
            plan: new.plan,
            now: new.plan.now,
            against: against.to_owned(),
            trace: args.trace,
            result: if is_whole || quality == Quality::Invalid {
                quality.compared(moved)
            } else {
                Quality::Partial
            },
            missing,
            judged,
            diff,
            new: with(new.found, refusals),
            old: refused_before.clone(),
            found_new,
            found_gone,
            sources: site.sources(),
            called,
        };
        Ok(Self {
            compared,
            outcome,
            told,
            refused_before,
            called,
        })
    }
}

fn difference(old: &Side, new: &Side, console: &Console) -> Diff {
    let before = State::of(old.plan);
    let after = State::of(new.plan).keeping(old.plan, new.plan);
    let decisions = after.decisions.len();
    let progress = &new.site.session.options.progress;
    progress.begin(0);
    let say = || {
        let text = format!("Comparing {}", count(decisions, "decision"));
        Doing::of(text, progress)
    };
    let compare = || diff::compare(&before, &after, &new.site.session.options);
    let mut diff = progress::watch(console, say, compare);
    diff.add_failures(new.plan);
    diff
}

/// Findings, and more of them.
fn with(mut found: Sink, more: Sink) -> Sink {
    found.append(more);
    found
}

/// Two states, compared.
pub(super) struct Compared {
    pub(super) site: Site,
    pub(super) plan: Planned,
    pub(super) judged: Option<Judged>,
    pub(super) now: Timestamp,
    pub(super) against: String,
    /// Whether every subject of an effect is named.
    pub(super) trace: bool,
    pub(super) result: Quality,
    /// The parts of both states that are not built, with the texts of the state.
    pub(super) missing: [(Vec<LeftOut>, &'static Sources); 2],
    /// None where documents were refused.
    pub(super) diff: Option<Diff>,
    pub(super) new: Sink,
    /// The findings about the other state, if it refused something.
    pub(super) old: Sink,
    pub(super) found_new: Sink,
    pub(super) found_gone: Sink,
    pub(super) sources: &'static Sources,
    /// Files of the other state by its name.
    pub(super) called: &'static Sources,
}

impl Compared {
    pub(super) fn answer(&self) -> PlanDiff<'_> {
        let (sources, called) = (self.sources, self.called);
        let all = diagnostics::json(&self.new, sources).and(diagnostics::json(&self.old, called));
        let findings = Findings {
            new: diagnostics::json(&self.found_new, sources),
            gone: diagnostics::json(&self.found_gone, called),
        };
        let (result, diff) = (self.result.word(), self.diff.as_ref());
        PlanDiff::new(self.now, &self.against, result, diff, all)
            .with_findings(findings)
            .without(&self.missing)
            .guarded(self.judged.as_ref().map(Judged::data))
    }

    /// The new findings and those that are gone; all errors where nothing could be compared.
    fn review(&self) -> Review {
        self.review_of([self.found_new.clone(), self.found_gone.clone()])
    }

    /// The same with these findings.
    pub(super) fn review_of(&self, [found_new, found_gone]: [Sink; 2]) -> Review {
        let lines = |sink: &Sink, sources: &Sources| -> Vec<String> {
            let text = diagnostics::concise(sink, sources);
            text.lines().map(str::to_owned).collect()
        };
        if self.diff.is_some() {
            return Review {
                new: lines(&found_new, self.sources),
                gone: lines(&found_gone, self.called),
                not_compared: self
                    .missing
                    .iter()
                    .flat_map(|(parts, sources)| text::missing(parts, sources))
                    .collect(),
            };
        }
        let errors = |sink: &Sink| sink.filtered(Diagnostic::is_error);
        let mut new = lines(&errors(&self.new), self.sources);
        new.extend(lines(&errors(&self.old), self.called));
        Review {
            new,
            ..Review::default()
        }
    }
}

impl Data<AgainstFormat> for Compared {
    fn write(&self, format: AgainstFormat, out: &mut Out<'_>) -> io::Result<()> {
        let errors = self.new.count(Severity::Error) + self.old.count(Severity::Error);
        let (review, against) = (self.review(), &self.against);
        match (format, &self.diff) {
            (AgainstFormat::Json, _) => out.json(&self.answer()),
            (AgainstFormat::Yaml, _) => out.yaml(&self.answer()),
            (AgainstFormat::Csv, diff) => csv::diff(diff.as_ref(), Form::Csv, out.bare()),
            (AgainstFormat::Tsv, diff) => csv::diff(diff.as_ref(), Form::Tsv, out.bare()),
            (AgainstFormat::Sarif, _) => {
                (self.site).annotate(self.plan, self.judged.as_ref(), SARIF, out)
            }
            (AgainstFormat::Github, _) => {
                (self.site).annotate(self.plan, self.judged.as_ref(), GITHUB, out)
            }
            (AgainstFormat::Markdown, Some(diff)) => {
                let head = self.judged.as_ref().map(Judged::markdown);
                let text = markdown::reviewed(diff, against, &review);
                out.text(&(head.unwrap_or_default() + &text))
            }
            (AgainstFormat::Markdown, None) => {
                out.text(&markdown::invalid(against, errors, &review))
            }
            (AgainstFormat::Text, Some(diff)) => {
                out.screen.trace = self.trace;
                let judged = self.judged.as_ref();
                let refusal = judged.map(|judged| judged.refusal(&out.screen));
                let mut page = refusal.unwrap_or_default();
                page.append(text::reviewed(diff, against, &review, &out.screen));
                page.append(judged.map_or_else(Page::new, |judged| judged.way(&out.screen)));
                out.page(&page)?;
                out.tells(&self.found_new);
                Ok(())
            }
            (AgainstFormat::Text, None) => out.page(&text::refused(errors, &out.screen)),
        }
    }
}

/// The session of the other state. Flags speak of the state that is planned, and what another
/// state names as a program is nobody's consent to run it.
pub(super) fn earlier(
    against: &str,
    session: &Session,
    records_named: bool,
) -> Result<Session, Failure> {
    let mut earlier = session.clone();
    earlier.request = other(against, session, records_named)?;
    earlier.settings.strict = false;
    earlier.options.allow_commands = false;
    Ok(earlier)
}

/// The request that reads the other state of the site.
fn other(against: &str, session: &Session, records_named: bool) -> Result<Request, Failure> {
    let directory = Path::new(against);
    if directory.is_dir() {
        return Ok(session.request.elsewhere(directory, records_named));
    }
    at_revision(against, &session.request).map_err(|fault| refusal(against, fault))
}

fn refusal(against: &str, fault: GitFault) -> Failure {
    let none = format!("--against {against}: there is no such directory");
    match fault {
        GitFault::NoGit(why) => {
            Failure::usage(why).context(format!("{none}, and git cannot be run"))
        }
        GitFault::NoRepository(home) => Failure::usage(format!(
            "{none}, and {} is not in a git repository",
            home.display()
        )),
        GitFault::OtherOwner(home) => Failure::usage(format!(
            "{none}, and the git repository of {} belongs to another user; `git config --global \
             --add safe.directory DIRECTORY` says that you trust it",
            home.display()
        )),
        GitFault::NoRevision => Failure::usage(format!("{none} and no such git revision")),
        GitFault::Outside(path) => Failure::usage(format!(
            "--against {against}: {} is outside the git repository",
            path.display()
        )),
        GitFault::Hangs => Failure::new(
            Exit::Fault,
            format!(
                "--against {against}: git did not respond for {} s",
                git::PATIENCE.as_secs()
            ),
        ),
        GitFault::TooLarge(why) | GitFault::Broken(why) => {
            Failure::new(Exit::Fault, why).context(format!("--against {against}"))
        }
    }
}
