//! Rows as comma- or tab-separated values (RFC 4180): a head, then a row a line. The columns of an
//! answer are the same in every run.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::Value;

use crate::diagnostic::Object;
use crate::diff::Diff;
use crate::drift::{Decision, Drift, Next};
use crate::plan::{Answer, Mark, Plan, Row};
use crate::risk::{Loss, Risk, Volume};
use crate::source::{Place, Sources};
use crate::systems;

use super::{clean, phrase};

/// The separator between the names of a list.
const BETWEEN: &str = "; ";

/// How the cells of a line are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By commas; lines end with CR and LF.
    Csv,
    /// By tabs; lines end with LF.
    Tsv,
}

/// A cell that no spreadsheet takes for a formula and no terminal for a command.
fn cell(text: &str, form: Form) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let shown = if is_formula {
        Cow::Owned(format!("'{}", clean(text)))
    } else {
        clean(text)
    };
    // Of what has to be quoted only these are left: a clean text has no tabs and no line breaks.
    if form == Form::Csv && shown.contains([',', '"', ';']) {
        Cow::Owned(format!("\"{}\"", shown.replace('"', "\"\"")))
    } else {
        shown
    }
}

/// Lines that are written one by one.
struct Lines<'o> {
    form: Form,
    out: &'o mut dyn Write,
}

impl<'o> Lines<'o> {
    fn begin(form: Form, heads: &[&str], out: &'o mut dyn Write) -> io::Result<Self> {
        let mut lines = Self { form, out };
        lines.line(heads)?;
        Ok(lines)
    }

    fn line(&mut self, cells: &[impl AsRef<str>]) -> io::Result<()> {
        let (between, end) = match self.form {
            Form::Csv => (",", "\r\n"),
            Form::Tsv => ("\t", "\n"),
        };
        for (at, text) in cells.iter().enumerate() {
            let between = if at == 0 { "" } else { between };
            let shown = cell(text.as_ref(), self.form);
            write!(self.out, "{between}{shown}")?;
        }
        self.out.write_all(end.as_bytes())
    }
}

fn list<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let mut all = String::new();
    for name in names {
        if !all.is_empty() {
            all.push_str(BETWEEN);
        }
        all.push_str(name.as_ref());
    }
    all
}

fn answer(answer: Option<&Answer<'_>>) -> String {
    match answer {
        Some(Answer::Count(count)) => count.to_string(),
        answer => list(answer.into_iter().flat_map(Answer::names)),
    }
}

fn position(answer: Option<&Answer<'_>>) -> String {
    match answer {
        Some(Answer::Group { position, .. }) => position.to_string(),
        _ => String::new(),
    }
}

/// The rows of a plan, or of one section of it; nothing but the heads where documents were refused.
///
/// # Errors
/// Any error from the writer.
pub fn plan(
    plan: &Plan<'_, '_>,
    section: Option<&str>,
    changes_only: bool,
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heads = [
        "section",
        "kind",
        "namespace",
        "name",
        "change",
        "position",
        "was",
        "now",
        "because",
        "path",
        "line",
    ];
    let mut lines = Lines::begin(form, &heads, out)?;
    let sources = plan.site.documents.sources;
    let wanted = |row: &Row<'_>| {
        section.is_none_or(|section| section == row.section.key())
            && !(changes_only && row.mark == Mark::Same)
    };
    let rows = plan.shown().into_iter().flat_map(systems::rows);
    for row in rows.filter(wanted) {
        let (was, now) = (row.facts.was(), row.facts.now());
        let failure = row.facts.failure().filter(|_| row.fails);
        let at = row.at.line(Some(sources));
        lines.line(&[
            row.section.key(),
            row.kind,
            row.name.namespace,
            row.name.name,
            row.mark.word(),
            &position(now.as_ref()),
            &answer(was.as_ref()),
            &answer(now.as_ref()),
            &failure.unwrap_or_else(|| row.facts.because()),
            at.map_or("", |(path, _)| path),
            &at.map_or(String::new(), |(_, line)| line.to_string()),
        ])?;
    }
    Ok(())
}

/// The moves between two plans; only the heads where documents were refused.
///
/// # Errors
/// Any error from the writer.
pub fn diff(diff: Option<&Diff>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let heads = [
        "section",
        "subject",
        "change",
        "position",
        "from",
        "to",
        "because",
        "confirmed",
        "error",
        "volumesLeft",
    ];
    let mut lines = Lines::begin(form, &heads, out)?;
    if let Some(diff) = diff {
        for moved in &diff.moves {
            lines.line(&[
                moved.subject.section.key(),
                &moved.subject.name,
                phrase::mark(moved).word(),
                &position(moved.to.as_ref()),
                &answer(moved.from.as_ref()),
                &answer(moved.to.as_ref()),
                &phrase::plain(phrase::because(diff, moved)),
                if moved.confirmed { "true" } else { "false" },
                moved.error.as_deref().unwrap_or_default(),
                &list(&moved.volumes_left),
            ])?;
        }
    }
    Ok(())
}

/// The impact of each loss; nothing but the heads where documents were refused.
///
/// # Errors
/// Any error from the writer.
pub fn risk(risk: Option<&Risk>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let heads = [
        "kind", "name", "class", "verdict", "unplaced", "volumes", "moves",
    ];
    let mut lines = Lines::begin(form, &heads, out)?;
    for loss in risk.into_iter().flat_map(|risk| &risk.losses) {
        let volumes = loss.volumes.iter();
        let volume = |one: &Volume| format!("{} {} on {}", one.kind, one.name, one.cluster);
        let [unplaced, moves] = impact(loss);
        lines.line(&[
            &loss.kind,
            loss.name.as_str(),
            loss.class.word(),
            loss.verdict.as_deref().unwrap_or_default(),
            &unplaced,
            &list(volumes.map(volume)),
            &moves,
        ])?;
    }
    Ok(())
}

/// The subjects that a loss leaves without a place, and those that it moves.
fn impact(loss: &Loss) -> [String; 2] {
    let (unplaced, moved): (Vec<_>, Vec<_>) = {
        let effects = loss.effects().into_iter();
        effects.partition(|effect| effect.unplaced)
    };
    [unplaced, moved].map(|effects| {
        list(effects.iter().map(|effect| match effect.noun {
            "group" => format!("Group {}", effect.name),
            "delivery" => effect.name.to_string(),
            noun => format!("{noun} {}", effect.name),
        }))
    })
}

/// The differences between hub and documents; only the heads where documents were refused.
///
/// # Errors
/// Any error from the writer.
pub fn drift(
    drift: Option<&Drift>,
    sources: &Sources,
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heads = [
        "part",
        "kind",
        "namespace",
        "name",
        "field",
        "git",
        "hub",
        "added",
        "removed",
        "because",
        "by",
        "at",
        "path",
        "line",
    ];
    let mut lines = Lines::begin(form, &heads, out)?;
    let Some(drift) = drift else {
        return Ok(());
    };
    for (object, field) in &drift.fields {
        let by = field.by.as_ref();
        let mut row = of_object("fields", object, Some(field.place), sources);
        row.field = field.name();
        [row.git, row.hub] = [&field.git, &field.hub].map(|value| written(value.as_ref()));
        row.by = by.map_or("", |(by, _)| by).to_owned();
        row.when = by.map_or("", |(_, at)| at).to_owned();
        row.because = (if field.stays { "stays" } else { "" }).to_owned();
        row.write(&mut lines)?;
    }
    for (object, place) in &drift.missing {
        of_object("missing", object, Some(*place), sources).write(&mut lines)?;
    }
    for gone in &drift.extra {
        let mut row = of_object("extra", &gone.object, Some(gone.place), sources);
        row.by.clone_from(&gone.by);
        row.write(&mut lines)?;
    }
    for one in &drift.decisions {
        decision(one, sources).write(&mut lines)?;
    }
    for one in &drift.next {
        next(one, sources).write(&mut lines)?;
    }
    Ok(())
}

/// A row of drift.
#[derive(Default)]
struct DriftRow {
    part: &'static str,
    kind: String,
    namespace: String,
    name: String,
    field: String,
    git: String,
    hub: String,
    added: String,
    removed: String,
    because: String,
    by: String,
    when: String,
    at: Option<(String, usize)>,
}

impl DriftRow {
    fn write(&self, lines: &mut Lines<'_>) -> io::Result<()> {
        let (path, line) = match &self.at {
            Some((path, line)) => (path.as_str(), line.to_string()),
            None => ("", String::new()),
        };
        lines.line(&[
            self.part,
            &self.kind,
            &self.namespace,
            &self.name,
            &self.field,
            &self.git,
            &self.hub,
            &self.added,
            &self.removed,
            &self.because,
            &self.by,
            &self.when,
            path,
            &line,
        ])
    }
}

fn line_of(place: Place, sources: &Sources) -> (String, usize) {
    let source = sources.get(place.source);
    (source.name.clone(), source.position(place.span.start).line)
}

fn of_object(
    part: &'static str,
    object: &Object,
    place: Option<Place>,
    sources: &Sources,
) -> DriftRow {
    DriftRow {
        part,
        kind: object.kind.clone(),
        namespace: object.namespace.clone().unwrap_or_default(),
        name: object.name.clone(),
        at: place.map(|place| line_of(place, sources)),
        ..DriftRow::default()
    }
}

fn decision(one: &Decision, sources: &Sources) -> DriftRow {
    let by = one.by.as_ref();
    DriftRow {
        part: "decisions",
        kind: "Placement".to_owned(),
        namespace: one.namespace.clone(),
        name: one.placement.clone(),
        added: list(&one.added),
        removed: list(&one.removed),
        because: one.why.word().to_owned(),
        by: by.map_or("", |(by, _)| by).to_owned(),
        when: by.map_or("", |(_, at)| at).to_owned(),
        at: Some(line_of(one.place, sources)),
        ..DriftRow::default()
    }
}

fn next(one: &Next, sources: &Sources) -> DriftRow {
    DriftRow {
        part: "next",
        kind: "Placement".to_owned(),
        namespace: one.namespace.clone(),
        name: one.placement.clone(),
        added: list(&one.added),
        removed: list(&one.removed),
        because: list(one.because.iter().map(super::drift::because)),
        at: one.place.map(|place| line_of(place, sources)),
        ..DriftRow::default()
    }
}

/// A value as text, as JSON where it is no text.
fn written(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        let rows = [
            ("plain", "plain", "plain"),
            ("a,b", "\"a,b\"", "a,b"),
            ("say \"x\"", "\"say \"\"x\"\"\"", "say \"x\""),
            ("=1+1", "'=1+1", "'=1+1"),
            ("+1", "'+1", "'+1"),
            ("-1", "'-1", "'-1"),
            ("@sum", "'@sum", "'@sum"),
            ("\tx", "'\\tx", "'\\tx"),
            ("\rx", "'\\rx", "'\\rx"),
            ("a\nb\tc", "a\\nb\\tc", "a\\nb\\tc"),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\"", "'=a,\"b\""),
        ];
        for (text, csv, tsv) in rows {
            assert_eq!(cell(text, Form::Csv), csv, "{text:?}");
            assert_eq!(cell(text, Form::Tsv), tsv, "{text:?}");
        }
    }
}
