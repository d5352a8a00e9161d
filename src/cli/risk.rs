//! `planner risk`: the plan without each thing in turn, ranked.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::diagnostic::Severity;
use crate::plan::Quality;
use crate::render::{Review, diagnostics, json, markdown, text};
use crate::risk::{self, Class};

use super::args::{RiskArgs, RiskFailOn};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::RiskFormat;
use super::output::Outputs;
use super::progress;
use super::session::{self, Session, keep};
use super::unanswered::Inputs;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &RiskArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let inputs = Inputs::of(&args.common, &args.input.paths);
    outputs.answer(&inputs, console, || assess(args, &outputs, console))
}

fn assess(
    args: &RiskArgs,
    outputs: &Outputs<RiskFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let session = keep(Session::new(&args.input.paths, &args.common, console)?);
    let loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let checked = keep(progress::check(loaded, &session.rules, console));
    let plan = keep(progress::plan(checked, &session.options, console));
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
    for output in outputs.answered() {
        output.emit(console, |out| {
            let data =
                || json::RiskAnswer::new(assessed.as_ref(), plan.now, plan.counts, &found, sources);
            let screen = output.screen(console);
            match (output.format, &assessed) {
                (RiskFormat::Json, _) => json::write_json(&data(), out),
                (RiskFormat::Yaml, _) => json::write_yaml(&data(), out),
                _ if nothing => Ok(()),
                (RiskFormat::Markdown, Some(risk)) => {
                    out.write_all(markdown::risk(risk).as_bytes())
                }
                (RiskFormat::Markdown, None) => {
                    let errors = found.count(Severity::Error);
                    out.write_all(markdown::invalid("risk", errors, &Review::default()).as_bytes())
                }
                (RiskFormat::Text, Some(risk)) => {
                    out.write_all(text::risk::risk(risk).write(&screen).as_bytes())
                }
                (RiskFormat::Text, None) => {
                    let page = text::invalid(&found, &screen);
                    out.write_all(page.write(&screen).as_bytes())
                }
            }
        })?;
    }
    if outputs.for_people() {
        let reported = found.filtered(crate::diagnostic::Diagnostic::is_error);
        console.err(&diagnostics::full(
            &reported,
            sources,
            console.look_on_stderr(),
        ));
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
