//! Rollouts: their next steps, and their waves on a time line.

use serde_json::Value;

use crate::kit::plural::plural;

use super::groups::span;
use super::item::{list, number, some, text, texts};
use super::kinds::ALL;
use super::page::Page;

/// Rollouts that are drawn, and waves of one.
const ROLLOUTS: usize = 200;
const WAVES: usize = 100;
/// The measures of the time line.
const WIDTH: usize = 900;
const HEIGHT: usize = 26;

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
        steps(page, rollouts);
    }
    let left = page.rows(waves.iter().enumerate(), ROLLOUTS, |page, (at, row)| {
        one(page, row, at);
    });
    page.left_out(left, "rollout", ALL);
    page.markup("</section>\n");
}

fn steps(page: &mut Page<'_>, rollouts: &[Value]) {
    page.markup("<h3>Next steps</h3>");
    let heads = [
        "Step",
        "Rollout",
        "Strategy",
        "Rolls out to",
        "Timed out",
        "Check again after",
    ];
    page.table("Next steps of rollouts", &heads, |page| {
        for row in rollouts.iter().take(ROLLOUTS) {
            let names = |key: &str| {
                let all = list(row, key).iter();
                let all: Vec<&str> = all.map(|one| text(one, "clusterName")).collect();
                some(&all, 8)
            };
            page.markup("<tr>").head(text(row, "name"));
            let to = format!(
                "{} to {}",
                text(row, "manifestWorkReplicaSet"),
                text(row, "placement")
            );
            page.cell(&to).cell(text(row, "strategyType"));
            match text(row, "error") {
                "" => page.cell(&names("clustersToRollout")),
                error => page
                    .markup("<td class=\"failed\">! ")
                    .text(error)
                    .markup("</td>"),
            };
            page.cell(&names("clustersTimeOut"))
                .cell(text(row, "recheckAfter"));
            page.markup("</tr>\n");
        }
    });
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
    let heads: &[&'static str] = match each {
        0 => &["#Wave", "#Clusters", "Which"],
        _ => &[
            "#Wave",
            "#Clusters",
            "Which",
            "Starts after",
            "Lasts at least",
        ],
    };
    page.table(&format!("Waves of {name}"), heads, |page| {
        for (wave, number) in waves.iter().take(WAVES).zip(1_u64..) {
            let names = texts(wave, "clusters");
            page.markup("<tr>")
                .figure(&number.to_string())
                .figure(&names.len().to_string());
            page.cell(&some(&names, 12));
            if each > 0 {
                page.cell(&match number {
                    1 => "at once".to_owned(),
                    later => span(each.saturating_mul(later - 1)),
                });
                page.cell(&span(each));
            }
            page.markup("</tr>\n");
        }
    });
    page.left_out(waves.len().saturating_sub(WAVES), "wave", ALL);
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
