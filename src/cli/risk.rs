//! `planner risk`: the plan without each thing in turn, ranked.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::diagnostic::Severity;
use crate::plan;
use crate::plan::Quality;
use crate::render::text::{self, Screen};
use crate::render::{Review, diagnostics, json, markdown};
use crate::risk::{self, Class};
use crate::site;

use super::args::{RiskArgs, RiskFailOn};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::progress;
use super::session::{self, Session, keep};

const FORMATS: &[&str] = &["text", "json", "yaml", "markdown"];

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &RiskArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = output::parse(&args.output, FORMATS)?;
    let session = keep(Session::new(&args.input.paths, &args.common, console)?);
    let loaded = keep(session.open(console)?);
    output::guard(&outputs, &session.inputs(loaded))?;
    let checked = keep(site::check(loaded, &session.rules));
    let plan = keep(plan::make(checked, &session.options));
    let found = checked.report(&[&plan.findings]);
    let sources = &loaded.sources;
    let nothing = session::nothing(checked, plan);
    let things = risk::things(plan);
    if args.pairs && things.len() > risk::PAIRS {
        return Err(Failure::usage(format!(
            "--pairs takes at most {} things, and the site has {}",
            risk::PAIRS,
            things.len()
        )));
    }
    let done = AtomicUsize::new(0);
    let all = match args.pairs {
        true => things.len() * things.len().saturating_sub(1) / 2,
        false => things.len(),
    };
    let say = || {
        format!(
            "Losing one thing after another: {} of {all}",
            done.load(Relaxed)
        )
    };
    let count = || {
        done.fetch_add(1, Relaxed);
    };
    let assess = || risk::assess(plan, &things, args.pairs, &session.options, &count);
    let assessed = plan
        .shown()
        .is_some()
        .then(|| progress::watch(console, say, assess));
    for output in &outputs {
        output::emit(output, console, |out| {
            let data = || json::risk(assessed.as_ref(), plan.now, plan.counts, &found, sources);
            let mut screen = console.screen();
            if output.file.is_some() {
                screen = Screen::piped();
            }
            match (output.format, &assessed) {
                ("json", _) => json::write_json(&data(), out),
                ("yaml", _) => json::write_yaml(&data(), out),
                _ if nothing => Ok(()),
                ("markdown", Some(risk)) => out.write_all(markdown::risk(risk).as_bytes()),
                ("markdown", None) => {
                    let errors = found.count(Severity::Error);
                    out.write_all(markdown::invalid("risk", errors, &Review::default()).as_bytes())
                }
                (_, Some(risk)) => out.write_all(text::risk::risk(risk).write(&screen).as_bytes()),
                (_, None) => {
                    let page = text::invalid(&found, &screen);
                    out.write_all(page.write(&screen).as_bytes())
                }
            }
        })?;
    }
    if matches!(output::on_stdout(&outputs), "text" | "markdown") {
        let told = found.filtered(crate::diagnostic::Diagnostic::is_error);
        console.err(&diagnostics::full(&told, sources, console.look_on_stderr()));
    }
    if nothing {
        console.err("planner: nothing to lose: no document of ours was found\n");
        return Ok(Exit::NoInput);
    }
    if plan.result() == Quality::Invalid {
        return Ok(Exit::Fault);
    }
    let losses = assessed.iter().flat_map(|risk| &risk.losses);
    let fails = |loss: &risk::Loss| match args.fail_on {
        Some(RiskFailOn::Critical) => loss.class == Class::Fatal,
        Some(RiskFailOn::Unplaceable) => loss.class == Class::Fatal || loss.unplaced() > 0,
        Some(RiskFailOn::Volume) => loss.class <= Class::Volumes,
        None => false,
    };
    let mut failing = losses.filter(|loss| fails(loss));
    Ok(match failing.next() {
        Some(_) => Exit::Unplaceable,
        None => Exit::Success,
    })
}
