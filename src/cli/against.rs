//! `planner plan --against`: two states of a site, and what moves between their plans.

mod each;
mod states;

pub(super) use states::sides;

use states::{Judgement, Sides};

use super::answer::{Answer, Run};
use super::args::PlanArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::AgainstFormat;
use super::guard::Conditions;
use super::output::Outputs;
use super::session::Session;
use super::sites::may_be_several;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, no such revision, an output that cannot be written.
pub(super) fn run(args: &PlanArgs, against: &str, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::parse(&args.output.words)?;
    if args.input.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage(
            "--against needs PATHs: standard input has no earlier state",
        ));
    }
    let run = Run::new(&args.common, &args.input.paths, outputs, console).and([against]);
    run.answer(|| compare(args, against, &run))
}

fn compare(
    args: &PlanArgs,
    against: &str,
    run: &Run<'_, AgainstFormat>,
) -> Result<Answer<AgainstFormat>, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, run.console)?;
    let conditions = Conditions::of(args, &session)?;
    session.request.first_site = may_be_several(args) && conditions.is_empty();
    let first = sides(session.clone(), &args.package, against, run)?;
    let names = names(&first);
    if !names.is_empty() {
        return each::answer(args, against, session, &names, run);
    }
    let judgement = Judgement::of(args, against, first, &conditions)?;
    let site = judgement.compared.site;
    Ok(Answer::new(judgement.compared, judgement.outcome)
        .found(judgement.told, site.sources())
        .found(judgement.refused_before, judgement.called)
        .of_hub(site.checked))
}

/// The sites of both states, if one of them has several.
fn names(sides: &Sides) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for side in [&sides.new, &sides.old] {
        let builds = &side.site.loaded.builds;
        let of_several = builds.site_names().into_iter();
        for name in of_several.filter(|_| !builds.other_sites.is_empty()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
