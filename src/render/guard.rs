//! The guard in words and as data.

use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Sink};
use crate::guard::{Cause, Condition, Guard, Loss, Verdict};
use crate::hub::rules::GUARD;
use crate::kit::plural::{first_names, plural};

use super::markdown::code;
use super::text::{Page, Screen, Tone};

/// Losses that a line names.
const NAMED: usize = 3;

/// A guard, and why each loss is one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// The losses and conditions.
    pub guard: Guard,
    /// The cause of each loss.
    pub causes: Vec<Cause>,
    /// The state compared with: `hub`, or the other state.
    pub before: String,
}

/// The extent of a loss: `loses all 12 clusters`.
fn lost(loss: &Loss) -> String {
    let (removed, had) = (loss.removed.len(), loss.before.clusters.len());
    let place = loss.before.place();
    match (loss.gone, removed == had) {
        (true, _) if had == 0 => "is deleted".to_owned(),
        (true, _) => format!("is deleted, with {}", plural(had, place)),
        (false, true) if had == 1 && loss.left > 0 && place == "Cluster" => {
            let clusters: Vec<&str> = loss.removed.iter().map(String::as_str).collect();
            format!("leaves {}", clusters.join(", "))
        }
        (false, true) if had == 1 => format!("loses its only {place}"),
        (false, true) => format!("loses all {}", plural(had, place)),
        (false, false) => format!("loses {removed} of {}", plural(had, place)),
    }
}

impl Judged {
    /// The verdict of a condition, as one line.
    fn line(&self, verdict: &Verdict) -> String {
        if verdict.held {
            return match verdict.condition {
                Condition::Removed(_) => {
                    format!(
                        "{} of {} would be removed",
                        verdict.removed,
                        plural(verdict.of, self.guard.noun)
                    )
                }
                _ => "not reached".to_owned(),
            };
        }
        let parts = self.parts(verdict, true);
        match verdict.condition {
            Condition::Removed(_) => format!(
                "{} of {} would be removed; {}",
                verdict.removed,
                plural(verdict.of, self.guard.noun),
                parts.join("; ")
            ),
            _ => parts.join("; "),
        }
    }

    /// The losses that a condition is about, with their causes or without.
    fn parts(&self, verdict: &Verdict, because: bool) -> Vec<String> {
        let each = verdict.subjects.iter().take(NAMED).map(|at| {
            let loss = &self.guard.losses[*at];
            let said = format!("{} {}", loss.before.called(), lost(loss));
            match &self.causes[*at].text {
                cause if because => format!("{said}: {cause}"),
                _ => said,
            }
        });
        let mut parts: Vec<String> = each.collect();
        if verdict.subjects.len() > NAMED {
            parts.push(format!("and {} more", verdict.subjects.len() - NAMED));
        }
        if !verdict.unplaced.is_empty() {
            let some = first_names(verdict.unplaced.iter(), NAMED);
            let verb = if verdict.unplaced.len() == 1 {
                "has"
            } else {
                "have"
            };
            parts.push(format!("{some} {verb} no place"));
        }
        if !verdict.clusters.is_empty() {
            let some = verdict
                .clusters
                .iter()
                .take(5)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let count = plural(verdict.clusters.len(), "cluster");
            parts.push(match verdict.condition {
                Condition::Pages => {
                    format!("{count} briefly in no PlacementDecision: {some}")
                }
                _ => format!("{count} too much to lose: {some}"),
            });
        }
        parts
    }

    /// The same without the causes, which stand below.
    fn brief(&self, verdict: &Verdict) -> String {
        match verdict.condition {
            Condition::Removed(_) => format!(
                "{} of {} would be removed ({}%)",
                verdict.removed,
                plural(verdict.of, self.guard.noun),
                verdict.removed * 100 / verdict.of.max(1)
            ),
            _ => self.parts(verdict, false).join("; "),
        }
    }

    fn headline(&self) -> String {
        let verdicts = &self.guard.verdicts;
        let reached = verdicts.iter().filter(|verdict| !verdict.held).count();
        match reached {
            0 if !self.guard.unknown.is_empty() => {
                "Refused by --fail-on: the plan is partial".to_owned()
            }
            0 => format!(
                "Allowed by --fail-on: {} checked",
                plural(verdicts.len(), "condition")
            ),
            _ => format!(
                "Refused by --fail-on: {reached} of {}",
                plural(verdicts.len(), "condition")
            ),
        }
    }

    /// The parts of which it is not known what they take away; none where all is built.
    fn unknown(&self) -> Option<String> {
        let unknown = &self.guard.unknown;
        let verb = if unknown.len() == 1 { "is" } else { "are" };
        let names = first_names(unknown.iter(), NAMED);
        let said = format!("{names} {verb} not built, so what would be removed is not known");
        (!unknown.is_empty()).then_some(said)
    }

    /// The refusals, a line for each condition; nothing where all is allowed.
    #[must_use]
    pub fn refusal(&self, screen: &Screen) -> Page {
        let mut page = Page::new();
        if let Some(unknown) = self.unknown() {
            let rest = format!(": {unknown}");
            page.lead(
                (Tone::Failed, "Refused by --fail-on"),
                &rest,
                4,
                screen.prose(),
            );
        }
        for verdict in self.guard.verdicts.iter().filter(|verdict| !verdict.held) {
            let lead = format!("Refused by --fail-on {}", verdict.condition);
            let rest = format!(": {}", self.brief(verdict));
            page.lead((Tone::Failed, &lead), &rest, 4, screen.prose());
        }
        page.gap();
        page.tells(&[&GUARD]);
        page
    }

    /// The end of a screen that names the causes of every loss.
    #[must_use]
    pub fn way(&self, screen: &Screen) -> Page {
        if self.guard.is_held() {
            return self.page(screen);
        }
        let mut page = Page::new();
        page.line("");
        page.prose(screen, Tone::Strong, WAY, 0);
        page
    }

    /// The conditions with the losses and their causes.
    #[must_use]
    pub fn page(&self, screen: &Screen) -> Page {
        let mut page = Page::new();
        page.line("");
        let tone = if self.guard.is_held() {
            Tone::Strong
        } else {
            Tone::Failed
        };
        page.toned(tone, self.headline());
        for verdict in &self.guard.verdicts {
            let sign = if verdict.held { "=" } else { "!" };
            let text = format!("{sign} {}: {}", verdict.condition, self.line(verdict));
            page.prose(screen, Tone::Plain, &text, 4);
        }
        if let Some(unknown) = self.unknown() {
            page.prose(screen, Tone::Plain, &format!("! {unknown}"), 4);
        }
        if !self.guard.is_held() {
            page.prose(screen, Tone::Strong, WAY, 0);
        }
        page
    }

    /// As the first block of a comment.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!(
            "### {}\n\n| | Condition | |\n|---|---|---|\n",
            self.headline()
        );
        for verdict in &self.guard.verdicts {
            let sign = if verdict.held { "=" } else { "!" };
            let line = if verdict.held {
                self.line(verdict)
            } else {
                self.brief(verdict)
            };
            let condition = verdict.condition.to_string();
            out.push_str(&format!(
                "| `{sign}` | {} | {} |\n",
                code(&condition),
                code(&line)
            ));
        }
        if let Some(unknown) = self.unknown() {
            out.push_str(&format!("| `!` | | {} |\n", code(&unknown)));
        }
        if !self.guard.is_held() {
            out.push_str(&format!(
                "\n{}\n",
                WAY.replace("--fail-on none", "`--fail-on none`")
            ));
        }
        out.push('\n');
        out
    }

    /// As findings, at the first line of each cause.
    #[must_use]
    pub fn findings(&self) -> Sink {
        let mut sink = Sink::default();
        if let Some(unknown) = self.unknown() {
            let message = format!("refused by --fail-on: {unknown}");
            sink.push(Diagnostic::new(&GUARD, message).help(WAY).not_refusing());
        }
        for verdict in self.guard.verdicts.iter().filter(|verdict| !verdict.held) {
            let message = format!(
                "refused by --fail-on {}: {}",
                verdict.condition,
                self.line(verdict)
            );
            let mut found = Diagnostic::new(&GUARD, message).help(WAY).not_refusing();
            let mut causes = verdict.subjects.iter().map(|at| &self.causes[*at]);
            if let Some(place) = causes.find_map(|cause| cause.place) {
                found = found.at(place, "the cause");
            }
            sink.push(found);
        }
        sink
    }

    /// As data.
    #[must_use]
    pub fn data(&self) -> Value {
        let subject = |at: &usize| {
            let loss = &self.guard.losses[*at];
            let mut row = json!({
                "kind": loss.before.kind,
                "name": loss.before.name,
                "removed": loss.removed,
                "was": loss.before.clusters.len(),
                "because": [self.causes[*at].text],
            });
            if !loss.before.namespace.is_empty() {
                row["namespace"] = loss.before.namespace.as_str().into();
            }
            row
        };
        let condition = |verdict: &Verdict| {
            let mut data = json!({
                "condition": verdict.condition.to_string(),
                "held": verdict.held,
                "removed": verdict.removed,
                "of": verdict.of,
                "subjects": verdict.subjects.iter().map(subject).collect::<Vec<_>>(),
                "clusters": verdict.clusters,
            });
            if verdict.condition == Condition::Unplaceable {
                data["unplaceable"] = verdict.unplaced.as_slice().into();
            }
            data
        };
        let mut data = json!({
            "held": self.guard.is_held(),
            "before": self.before,
            "conditions": self.guard.verdicts.iter().map(condition).collect::<Vec<_>>(),
        });
        if !self.guard.unknown.is_empty() {
            data["unknown"] = self.guard.unknown.as_slice().into();
        }
        data
    }
}

/// The way through.
const WAY: &str = "If this is intended: --fail-on none";
