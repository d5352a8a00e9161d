//! Findings about the steps of a rollout.

use std::collections::BTreeSet;

use crate::delivery::application_set::about::About;
use crate::delivery::application_set::argo::rolling::{Ask, MaxUpdate, share};
use crate::delivery::application_set::argo::set::{StepPlaces, Strategy};
use crate::delivery::application_set::read::ApplicationSet;
use crate::delivery::application_set::rollout::{names_of, rollout};
use crate::delivery::findings::say::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::rules::{ROLLING_MAX_UPDATE, ROLLING_STEPS};
use crate::diagnostic::{Severity, Sink};
use crate::kit::nearest::within;
use crate::kit::plural::plural;

use crate::delivery::application_set::findings::some;

/// Reports the faults of the steps of a set.
pub(super) fn check(
    set: &ApplicationSet<'_>,
    about: &About,
    deliveries: &Deliveries<'_>,
    model: &Model<'_>,
    sink: &mut Sink,
) {
    let id = &set.id;
    let (asks, places, whole) = match &set.set.strategy {
        Strategy::AllAtOnce => return,
        Strategy::Misspelt(kind) => {
            if within(&kind.text.to_lowercase(), "rollingsync", 2) {
                let message = format!(
                    "`{}` is not a strategy: all Applications are synced at once",
                    kind.text
                );
                let help = "write `RollingSync`";
                sink.push(say(
                    &ROLLING_STEPS,
                    id,
                    (kind.place, "not a strategy"),
                    message,
                    help,
                ));
            }
            return;
        }
        Strategy::Rolling(asks, places, whole) => (asks, places, *whole),
    };
    written(id, asks, places, sink);
    let doubtful = model.doubt.registers(id.namespace);
    if about.nameless > 0 || about.applications == 0 || doubtful {
        return;
    }
    let names = &deliveries.ground.names;
    let (applications, dropped) = deliveries.view.rolled(set, model, names);
    let rollout = rollout(asks, &applications, &dropped, &BTreeSet::new());
    let names = |all: &[usize]| {
        let name = |at: &usize| applications[*at].name.as_deref().unwrap_or("");
        some(&all.iter().map(name).collect::<Vec<_>>())
    };
    if !rollout.never.is_empty() {
        let count = rollout.never.len();
        let message = format!("no step matches {}: never synced", names(&rollout.never));
        let message = match count {
            1 => message,
            many => format!("{message} ({many} Applications)"),
        };
        let help = "add a last step without expressions";
        sink.push(say(
            &ROLLING_STEPS,
            id,
            (whole, "does not match all"),
            message,
            help,
        ));
    }
    for (number, ((step, ask), place)) in (1..).zip(rollout.steps.iter().zip(asks).zip(places)) {
        let later = &rollout.steps[number..];
        let stops = later.iter().any(|step| !step.applications.is_empty());
        if !step.dropped.is_empty() && step.reached && stops {
            let missing = names_of(&step.dropped, &dropped);
            let message = format!(
                "step {number} waits for {}, which Argo CD does not create: no later step begins",
                some(&missing)
            );
            let at = (place.step, "never completes");
            let help = "correct the Applications that are not created";
            sink.push(say(&ROLLING_STEPS, id, at, message, help));
        }
        if step.applications.is_empty() && step.also.is_empty() && step.dropped.is_empty() {
            let message = format!("step {number} matches no Application");
            let at = (place.step, "matches none");
            let help = "correct its expressions, or remove it";
            sink.push(say(&ROLLING_STEPS, id, at, message, help));
        }
        if !step.also.is_empty() {
            let also = names(&step.also);
            let message = format!("step {number} also matches {also} of an earlier step");
            let at = (place.step, "matches them again");
            let help = "keep each Application in one step";
            sink.push(say(&ROLLING_STEPS, id, at, message, help));
        }
        if step.at_once == 0 && !step.applications.is_empty() && ask.max_update.is_some() {
            let all = plural(step.applications.len(), "Application");
            let message = format!(
                "step {number} may sync none of {all}: it never completes, and no later step begins"
            );
            let at = (place.max_update, "none at all");
            sink.push(say(&ROLLING_MAX_UPDATE, id, at, message, "write 1 or more"));
        }
    }
}

/// Reports the faults of the steps as they are written.
fn written(id: &Id<'_>, asks: &[Ask<'_>], places: &[StepPlaces], sink: &mut Sink) {
    for (ask, place) in asks.iter().zip(places) {
        for (expression, place) in ask.expressions.iter().zip(&place.expressions) {
            if !matches!(expression.operator, "In" | "NotIn") {
                let message = format!(
                    "`{}` is not an operator of a step: the step matches the Applications without \
                     the label `{}`",
                    expression.operator, expression.key
                );
                let at = (*place, "no such operator");
                sink.push(say(&ROLLING_STEPS, id, at, message, "write In or NotIn"));
            }
        }
        if let Some(MaxUpdate::Text(text)) = ask.max_update
            && share(text, 100).is_none()
        {
            let message = format!("`maxUpdate` is `{text}`: one Application is synced at a time");
            let at = (place.max_update, "not a percentage");
            let help = "write a number, or a percentage such as `25%`";
            let found = say(&ROLLING_MAX_UPDATE, id, at, message, help);
            sink.push(found.severity(Severity::Warning));
        }
    }
}
