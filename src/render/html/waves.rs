//! Rollouts: their next steps, and their waves on a time line.

use serde_json::Value;

use crate::kit::plural::{first_names, plural};
use crate::plan::Plan;
use crate::plan::detail::{Cell, Columns, Detail};
use crate::systems::outcome::{first, list, number, text};

use super::details;
use super::groups::span;
use super::page::{ALL, Page};

/// Rollouts that are drawn, and waves of one.
const ROLLOUTS: usize = 200;
const WAVES: usize = 100;
/// The measures of the time line.
const WIDTH: usize = 900;
const HEIGHT: usize = 26;

/// The waves of a plan, with how long each takes at least where the documents say so.
pub(super) fn of_plan(plan: &Plan<'_, '_>, mut waves: Vec<Value>) -> Vec<Value> {
    for row in &mut waves {
        let sets = plan.site.ocm.replica_sets.iter();
        let mut named = sets.filter(|set| {
            (set.namespace, set.name)
                == (text(row, "namespace"), text(row, "manifestWorkReplicaSet"))
        });
        let own = named.next().and_then(|set| {
            let mut own = set.placements.iter();
            own.find(|own| own.name.text == text(row, "placement"))
        });
        let seconds = own.map_or(0, |own| own.strategy.min_success_nanos / 1_000_000_000);
        if seconds > 0 {
            row["minSuccessSeconds"] = seconds.into();
        }
    }
    waves
}

/// The section.
pub(super) fn write(page: &mut Page<'_>, rollouts: &[Value], waves: &[Value]) {
    if rollouts.is_empty() && waves.is_empty() {
        return;
    }
    page.markup(
        "<section id=\"waves\" class=\"full\" data-system=\"placements\"><h2>Rollouts</h2>",
    );
    page.markup(
        "<p>Which clusters a change reaches together, wave after wave from a clean start.</p>\n",
    );
    if !rollouts.is_empty() {
        page.markup("<h3>Next steps</h3>");
        details::write(page, "", &[steps(rollouts)]);
    }
    let left = page.rows(waves.iter().enumerate(), ROLLOUTS, |page, (at, row)| {
        one(page, row, at);
    });
    page.left_out(left, "rollout", ALL);
    page.markup("</section>\n");
}

fn steps(rollouts: &[Value]) -> Detail<'_> {
    let names = |row: &Value, key: &str| {
        let clusters = list(row, key).iter();
        first_names(clusters.map(|one| text(one, "clusterName")), 8)
    };
    let set = |row| text(row, "manifestWorkReplicaSet");
    Columns::of("rollout", "Next steps of rollouts", rollouts)
        .with("Step", |row| Cell::Name(text(row, "name").into()))
        .with("Rollout", |row| {
            format!("{} to {}", set(row), text(row, "placement"))
        })
        .with("Strategy", |row| text(row, "strategyType"))
        .with("Rolls out to", |row| match text(row, "error") {
            "" => names(row, "clustersToRollout").into(),
            error => Cell::Failed(error.into()),
        })
        .with("Timed out", |row| names(row, "clustersTimeOut"))
        .with("Check again after", |row| text(row, "recheckAfter"))
        .end()
}

fn one(page: &mut Page<'_>, row: &Value, at: usize) {
    let name = match text(row, "clusterManagementAddOn") {
        "" => format!(
            "{}/{} to {}",
            text(row, "namespace"),
            text(row, "manifestWorkReplicaSet"),
            text(row, "placement")
        ),
        addon => format!("Add-on {addon} to {}", text(row, "placement")),
    };
    let waves = list(row, "waves");
    let clusters: usize = waves.iter().map(|wave| list(wave, "clusters").len()).sum();
    let each = number(row, "minSuccessSeconds");
    page.markup("<h3>")
        .text(&name)
        .markup(" <small>")
        .text(&plural(waves.len(), "wave"));
    page.markup(", ").text(&plural(clusters, "cluster"));
    if each > 0 {
        let whole = each.saturating_mul(waves.len() as u64);
        page.markup(", at least ").text(&span(whole));
    }
    page.markup("</small></h3>\n");
    line(page, waves, each, &name, at);
    let number = |number: u64| Cell::Figure(number.to_string().into());
    let clusters = |wave| list(wave, "clusters").len() as u64;
    let mut table = Columns::of("wave", "Waves of {}", (1_u64..).zip(waves))
        .with("#Wave", |(wave, _)| number(wave))
        .with("#Clusters", |(_, wave)| number(clusters(wave)))
        .with("Which", |(_, wave)| first(wave, "clusters", 12));
    if each > 0 {
        table = table
            .with("Starts after", |(wave, _)| match wave {
                1 => "at once".to_owned(),
                later => span(each.saturating_mul(later - 1)),
            })
            .with("Lasts at least", |_| span(each));
    }
    details::write(page, &name, &[table.end()]);
}

/// A bar for each wave, one after the other.
fn line(page: &mut Page<'_>, waves: &[Value], each: u64, name: &str, at: usize) {
    let shown = waves.len().min(WAVES);
    if shown == 0 {
        return;
    }
    let most = waves.iter().map(|wave| list(wave, "clusters").len()).max();
    let most = most.unwrap_or_default().max(1);
    let step = (WIDTH / shown).clamp(7, 180);
    let width = step * shown;
    let height = 2 * HEIGHT + 40;
    page.wide(&format!("Time line of {name}"), |page| {
        let title = format!("line-{at}");
        page.markup("<svg role=\"img\"")
            .attribute("aria-labelledby", &title);
        page.attribute("viewBox", &format!("0 0 {} {height}", width + 2));
        page.length("width", width + 2)
            .length("height", height)
            .markup("><title");
        page.attribute("id", &title)
            .markup(">Time line of ")
            .text(name)
            .markup("</title>");
        for (wave, number) in waves.iter().take(shown).zip(0..) {
            let clusters = list(wave, "clusters").len();
            let tall = (2 * HEIGHT * clusters / most).max(4);
            page.markup("<rect class=\"fill\" rx=\"2\"")
                .length("x", number * step);
            page.length("y", 2 * HEIGHT - tall + 16)
                .length("width", step - 3);
            page.length("height", tall).markup("/>");
            if step >= 26 {
                page.markup("<text class=\"small\"")
                    .length("x", number * step + 2);
                page.length("y", 2 * HEIGHT - tall + 12)
                    .markup(">")
                    .number(clusters)
                    .markup("</text>");
                page.markup("<text class=\"small\"")
                    .length("x", number * step + 2);
                page.length("y", 2 * HEIGHT + 32).markup(">");
                match each {
                    0 => page.number(number + 1),
                    each if step >= 60 => page.text(&match number {
                        0 => "start".to_owned(),
                        _ => format!("+{}", span(each.saturating_mul(number as u64))),
                    }),
                    _ => page.number(number + 1),
                };
                page.markup("</text>");
            }
        }
        page.markup("</svg>");
    });
}
