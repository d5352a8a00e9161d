//! A run of the deployment strategy as text, simulated or by an engine.

use super::super::json::{action_word, status_word};
use super::{is_whole, names, span, title};
use crate::airship::Strategy;
use crate::airship::engine::run::{
    Action, Criterion, DeploymentRun, DeploymentVerdict, Reason, Status, Step,
};
use crate::airship::model::Criteria;
use crate::airship::ran::Ran;
use crate::airship::{rules, terms};
use crate::diagnostic::Rule;
use crate::kit::safe::clean;
use crate::page::layout::{count, hanging, list};
use crate::page::{Page, Screen, Tone, wrap};

/// Rules whose findings a run itself shows.
const ON_RUN: &[&Rule] = &[&rules::EMPTY_GROUP, &rules::UNASSIGNED_NODES];

/// Groups that are left to do, at most.
const LEFT: usize = 50;
/// Groups with failures that a screen shows step by step, at most.
const FAILURES: usize = 12;
/// Blanks before what happened in a step.
const STEP: usize = 20;

/// The report of a run: how it ends, its groups in order, then nodes by status. A long report
/// repeats how the run ends.
#[must_use]
pub fn run(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen) -> Page {
    let verdict = run.verdict.word();
    let tone = match run.verdict {
        DeploymentVerdict::Success => Tone::Good,
        DeploymentVerdict::Partial => Tone::Change,
        DeploymentVerdict::Failed => Tone::Failed,
    };
    let mut page = Page::new();
    page.pieces(vec![
        (Tone::Strong, "Deployment: ".to_owned()),
        (tone, verdict.to_owned()),
    ]);
    if let Some(text) = missed(strategy, run, screen) {
        page.prose(screen, Tone::Plain, &text, 2);
    }
    page.gap();
    page.append(steps(strategy, run, screen));
    nodes(strategy, run, screen, &mut page);
    // On a short screen the first line is still in view.
    if is_whole(screen) {
        page.gap();
        page.pieces(vec![
            (Tone::Plain, "verdict: ".to_owned()),
            (tone, verdict.to_owned()),
        ]);
    }
    page.tells(ON_RUN);
    page
}

/// How many groups fail, and how many nodes are not deployed; nothing if all is well.
fn missed(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen) -> Option<String> {
    let site = strategy.site;
    let failed = run.steps.chunk_by(of_one_group);
    let failed = failed.filter(|steps| steps.iter().any(|step| step.reason.is_some()));
    let failed: Vec<u32> = failed
        .filter_map(|steps| Some(steps.first()?.group))
        .collect();
    let group = |at: &u32| &site.groups[*at as usize];
    let critical = failed.iter().map(group).filter(|group| group.critical);
    let critical: Vec<&str> = critical.map(|group| group.name.text).collect();
    let nodes = || run.nodes.iter().flatten();
    let all = nodes().count();
    let left = nodes().filter(|status| **status != Status::Success).count();
    let mut parts = Vec::new();
    if !failed.is_empty() {
        let verb = if failed.len() == 1 { "fails" } else { "fail" };
        let groups = run.steps.chunk_by(of_one_group).count();
        let critical = match critical.len() {
            0 => "none is critical".to_owned(),
            _ => format!("critical: {}", list(critical.iter().copied(), screen)),
        };
        parts.push(format!(
            "{} of {} {verb} ({critical})",
            failed.len(),
            count(groups, "group")
        ));
    }
    if left > 0 {
        let verb = if left == 1 { "is" } else { "are" };
        let nodes = count(all, "node");
        parts.push(format!("{left} of {nodes} {verb} not deployed"));
    }
    (!parts.is_empty()).then(|| format!("{}.", parts.join(", ")))
}

/// The result of a run by an engine, and the steps that are left.
#[must_use]
pub fn ran(strategy: &Strategy<'_, '_>, ran: &Ran, screen: &Screen) -> Page {
    let site = strategy.site;
    let mut page = if ran.complete {
        run(strategy, &ran.run, screen)
    } else {
        let mut page = steps(strategy, &ran.run, screen);
        nodes(strategy, &ran.run, screen, &mut page);
        page.gap();
        page.line("No verdict: the run has not ended.");
        page.tells(ON_RUN);
        page
    };
    if ran.rest.is_empty() {
        return page;
    }
    page.gap();
    page.line("Left to do");
    let most = if is_whole(screen) {
        ran.rest.len()
    } else {
        LEFT
    };
    for rest in ran.rest.iter().take(most) {
        let group = |number: &u32| site.groups[*number as usize].name.text;
        let mut parts = vec![match rest.nodes.len() {
            0 => "no node".to_owned(),
            number => format!(
                "{}: {}",
                count(number, "node"),
                names(site, &rest.nodes, screen)
            ),
        }];
        if !rest.after.is_empty() {
            parts.push(format!(
                "after {}",
                list(rest.after.iter().map(group), screen)
            ));
        }
        let lead = format!("  {}  ", clean(group(&rest.group)));
        hanging(&mut page, screen, Tone::Plain, &lead, &parts.join("; "));
    }
    let more = ran.rest.len().saturating_sub(most);
    if more > 0 {
        page.line(format!(
            "  and {}; --trace lists each",
            count(more, "more group")
        ));
    }
    page
}

/// Whether two steps are of one group.
fn of_one_group(one: &Step, other: &Step) -> bool {
    one.group == other.group
}

/// The groups in the order in which they ran, and how each of their steps ended. On a screen only
/// those with failures of their own; of the others the names.
fn steps(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen) -> Page {
    let mut page = Page::new();
    let enough = enough(strategy, run);
    let groups: Vec<&[Step]> = run.steps.chunk_by(of_one_group).collect();
    let whole = is_whole(screen);
    let (mut well, mut blocked, mut more) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first, mut shown) = (0, 0);
    for steps in groups {
        let begin = first;
        first += steps.len();
        let Some(one) = steps.first() else { continue };
        let is_well = steps
            .iter()
            .all(|step| step.reason.is_none() && step.failed.is_empty());
        let list = match one.reason {
            _ if whole => None,
            _ if is_well => Some(&mut well),
            Some(Reason::Dependency) => Some(&mut blocked),
            _ if shown == FAILURES => Some(&mut more),
            _ => None,
        };
        match list {
            Some(list) => list.push(one.group),
            None => {
                shown += 1;
                group(strategy, run, (steps, &enough[begin..]), screen, &mut page);
            }
        }
    }
    let said = [
        (&more, "more ", "with failures"),
        (
            &blocked,
            "",
            "not started, because a group before them fails",
        ),
        (&well, "", "without any failure"),
    ];
    if said.iter().any(|(groups, ..)| !groups.is_empty()) {
        page.gap();
    }
    for (groups, other, what) in said {
        if groups.is_empty() {
            continue;
        }
        let name = |at: &u32| strategy.site.groups[*at as usize].name.text;
        let number = count(groups.len(), &format!("{other}group"));
        let names = list(groups.iter().map(name), screen);
        page.prose(screen, Tone::Plain, &format!("{number} {what}: {names}"), 4);
    }
    if !more.is_empty() {
        page.prose(
            screen,
            Tone::Dim,
            "--trace lists the steps of each group.",
            0,
        );
    }
    page
}

/// Writes the steps of one group.
fn group(
    strategy: &Strategy<'_, '_>,
    run: &DeploymentRun,
    (steps, enough): (&[Step], &[usize]),
    screen: &Screen,
    page: &mut Page,
) {
    let Some(first) = steps.first() else { return };
    let group = &strategy.site.groups[first.group as usize];
    let tone = if group.critical {
        Tone::Strong
    } else {
        Tone::Plain
    };
    page.toned(tone, title(group));
    for (step, good) in steps.iter().zip(enough) {
        let (word, tone) = match step.reason {
            None => ("SUCCESS", Tone::Good),
            Some(_) => ("FAILED", Tone::Failed),
        };
        let action = action_word(step.action);
        let width = screen.prose().map(|width| width - STEP);
        let text = outcome_of(strategy, run, (step, *good), screen);
        for (number, line) in wrap(&text, width, 0).into_iter().enumerate() {
            if number == 0 {
                page.pieces(vec![
                    (Tone::Plain, format!("  {action:<9}")),
                    (tone, format!("{word:<9}")),
                    (Tone::Plain, line),
                ]);
            } else {
                page.line(format!("{}{line}", " ".repeat(STEP)));
            }
        }
    }
}

/// For each step, how many nodes of its group are as far as it takes them when it ends.
fn enough(strategy: &Strategy<'_, '_>, run: &DeploymentRun) -> Vec<usize> {
    let mut far = vec![Status::NotStarted; run.nodes.len()];
    let mut all = Vec::with_capacity(run.steps.len());
    for step in &run.steps {
        let to = match step.action {
            Action::Prepare => Status::Prepared,
            Action::Deploy => Status::Success,
        };
        step.succeeded
            .iter()
            .for_each(|node| far[*node as usize] = to);
        step.failed
            .iter()
            .for_each(|node| far[*node as usize] = Status::Failure);
        let members = strategy.deployment.members[step.group as usize].iter();
        let is_far = |status| status == to || status == Status::Success;
        all.push(members.filter(|node| is_far(far[**node as usize])).count());
    }
    all
}

/// The nodes by their status after the run.
fn nodes(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen, page: &mut Page) {
    let site = strategy.site;
    page.gap();
    page.line("Nodes after the run");
    let all = [
        Status::NotStarted,
        Status::Prepared,
        Status::Success,
        Status::Failure,
    ];
    for status in all {
        let has = |node: &u32| run.nodes[*node as usize] == Some(status);
        let total = u32::try_from(run.nodes.len()).unwrap_or(u32::MAX);
        let nodes: Vec<u32> = (0..total).filter(has).collect();
        if !nodes.is_empty() {
            let word = status_word(status);
            let text = format!("{}: {}", nodes.len(), names(site, &nodes, screen));
            hanging(page, screen, Tone::Plain, &format!("  {word:<13}"), &text);
        }
    }
    if !strategy.deployment.unassigned.is_empty() {
        let nodes = &strategy.deployment.unassigned;
        let text = format!("{}: {}", nodes.len(), names(site, nodes, screen));
        hanging(page, screen, Tone::Plain, "  in no group  ", &text);
    }
}

/// The outcome of a step.
fn outcome_of(
    strategy: &Strategy<'_, '_>,
    run: &DeploymentRun,
    (step, good): (&Step, usize),
    screen: &Screen,
) -> String {
    let site = strategy.site;
    let group = &site.groups[step.group as usize];
    match step.reason {
        Some(Reason::Dependency) => {
            let failed = group.depends_on.iter().filter_map(|need| need.group);
            let mut failed: Vec<u32> = failed
                .filter(|need| !run.succeeded[*need as usize])
                .collect();
            failed.dedup();
            let name = |need: &u32| site.groups[*need as usize].name.text;
            let list = list(failed.iter().map(name), screen);
            return format!("due to dependency: {list}");
        }
        Some(Reason::PrepareFailed) => return "due to prepare failure".to_owned(),
        _ => {}
    }
    let mut parts = vec![match (step.sent.len(), step.failed.len()) {
        (0, _) => "nothing to send".to_owned(),
        (sent, 0) => format!("{sent} of {sent} succeeded"),
        (sent, failed) => {
            format!(
                "{failed} of {sent} failed: {}",
                names(site, &step.failed, screen)
            )
        }
    }];
    if step.timed_out {
        let limit = match step.action {
            Action::Prepare => site.timing.prepare_limit(),
            Action::Deploy => site.timing.deploy_limit(),
        };
        parts.push(format!("timed out after {}", span(limit)));
    }
    if !step.failed.is_empty() || !step.criteria_failed.is_empty() {
        let all = strategy.deployment.members[step.group as usize].len();
        parts.extend(judged(group.criteria.as_ref(), step, (good, all)));
    }
    parts.join("; ")
}

/// The result of the step under each criterion: `9 of 10 succeeded (minimum 90 percent)`.
fn judged(criteria: Option<&Criteria>, step: &Step, (good, all): (usize, usize)) -> Vec<String> {
    let given = criteria.copied().unwrap_or_default();
    let set = [
        (Criterion::Percent, given.percent.is_some()),
        (Criterion::Minimum, given.minimum.is_some()),
        (Criterion::MaximumFailed, given.maximum_failed.is_some()),
    ];
    let set = set.into_iter().filter(|(_, is_set)| *is_set);
    let judged = set.zip(terms::bounds(&given)).map(|((one, _), phrase)| {
        let number = match one {
            Criterion::MaximumFailed => all - good,
            _ => good,
        };
        let word = match one {
            Criterion::MaximumFailed => "failed",
            _ => "succeeded",
        };
        let misses = if step.criteria_failed.contains(&one) {
            ", not met"
        } else {
            ""
        };
        format!("{number} of {all} {word} ({phrase}{misses})")
    });
    let mut judged: Vec<String> = judged.collect();
    if judged.is_empty() && step.reason.is_none() {
        judged.push("no criteria: succeeds all the same".to_owned());
    }
    judged
}
