//! Ignores in place: `# planner: ignore[CODE, CODE] until 2027-01-01: reason`.
//!
//! A comment covers findings of its own line; one that has a line to itself also those of
//! the next line that is not a comment. What covers nothing is itself a finding.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rustc_hash::FxHashMap;

use crate::kit::nearest::nearest;
use crate::source::{Place, Source, SourceId, Sources, Span};

use super::rules::{EXPIRED, SYNTAX, UNKNOWN, UNUSED, WITHOUT_REASON};
use super::{Codes, Diagnostic, Fix, Rule, Severity, Sink, Suppressed, Suppression, short_code};

/// The mark that begins every ignore, after `#` and blanks.
const MARK: &str = "planner:";
const WORD: &str = "ignore";

/// How ignores are judged.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'r> {
    /// The instant at which `until` is judged.
    pub now: Timestamp,
    /// Whether every ignore needs a reason.
    pub reasons: bool,
    /// All codes there are.
    pub codes: &'r Codes,
    /// Whether unused comments are reported: only where everything that they cover is checked.
    pub comments: bool,
}

/// One code of a comment.
#[derive(Debug, Clone, Copy)]
struct Code {
    rule: &'static Rule,
    place: Place,
    used: bool,
}

#[derive(Debug)]
struct Ignore<'s> {
    place: Place,
    codes: Box<[Code]>,
    expired: bool,
    reason: Option<&'s str>,
}

/// The lines that comments cover, each with the number of a comment, in order.
type Lines = Vec<(SourceId, u32, u32)>;

/// Findings about comments; none is made where none is wanted.
struct Faults<'s> {
    sink: Sink,
    wanted: bool,
    /// The nearest code of each name that is none.
    near: FxHashMap<&'s str, Option<&'static str>>,
}

impl<'s> Faults<'s> {
    fn push(&mut self, make: impl FnOnce() -> Diagnostic) {
        if self.wanted {
            self.sink.push(make());
        }
    }

    /// A name that is no code.
    fn unknown(&mut self, name: &'s str, place: Place, codes: &Codes) {
        if self.wanted {
            let near = self.near.entry(name);
            let near = *near.or_insert_with(|| nearest(short_code(name), codes.short()));
            self.sink.push(unknown(name, place, near));
        }
    }
}

/// Takes the findings that comments cover out of the sink, and reports comments that are of
/// no use. `inside` says which ascending offsets of a file lie inside scalars.
pub fn apply(
    sink: &mut Sink,
    sources: &Sources,
    inside: impl Fn(SourceId, &[u32]) -> Vec<bool>,
    judge: Judge<'_>,
) {
    let mut ignores: Vec<Ignore<'_>> = Vec::new();
    let mut faults = Faults {
        sink: Sink::default(),
        wanted: judge.comments,
        near: FxHashMap::default(),
    };
    let mut lines = Lines::new();
    for (id, source) in (0..).map(SourceId).zip(&sources.files) {
        let marks = marks(&source.text);
        if marks.is_empty() {
            continue;
        }
        let text = inside(id, &marks);
        let mut above = None;
        for (mark, _) in marks.iter().zip(text).filter(|(_, inside)| !inside) {
            let Some(ignore) = read(id, source, *mark, judge, &mut faults) else {
                continue;
            };
            let line = source.line_of(*mark);
            above = below(source, line, above);
            let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            for line in [Some(line), above].into_iter().flatten() {
                lines.push((id, number(line), number(ignores.len())));
            }
            ignores.push(ignore);
        }
    }
    lines.sort_unstable();
    cover(sink, sources, &mut ignores, &lines);
    for ignore in &ignores {
        report(ignore, judge, &mut faults);
    }
    sink.append(faults.sink);
}

/// Offsets of the `#` of every comment that begins with the mark, or would if it were one.
fn marks(text: &str) -> Vec<u32> {
    let hash = |at: usize| {
        let before = text[..at].trim_end_matches([' ', '\t']).strip_suffix('#')?;
        let begins = before.is_empty() || before.ends_with([' ', '\t', '\n', '\u{feff}']);
        begins.then(|| u32::try_from(before.len()).ok())?
    };
    memchr::memmem::find_iter(text.as_bytes(), MARK)
        .filter_map(hash)
        .collect()
}

/// The line (from 0) below a comment that it covers: the next that is not a comment, if the
/// comment has its line to itself. `above` is what the comment before it covers.
fn below(source: &Source, line: usize, above: Option<usize>) -> Option<usize> {
    let is_comment = |line: usize| source.line_text(line).trim_start().starts_with('#');
    if !is_comment(line) {
        return None;
    }
    // In a stack of comments all cover the same line.
    let known = above.filter(|above| *above > line);
    known.or_else(|| (line + 1..source.line_starts().len()).find(|next| !is_comment(*next)))
}

/// Reads one comment; what cannot be read is reported and covers nothing.
fn read<'s>(
    id: SourceId,
    source: &'s Source,
    hash: u32,
    judge: Judge<'_>,
    faults: &mut Faults<'s>,
) -> Option<Ignore<'s>> {
    let start = hash as usize;
    let line = source.text[start..].lines().next().unwrap_or("").trim_end();
    let place = |part: &str| {
        // `part` is a slice of the line.
        let from = part.as_ptr() as usize - line.as_ptr() as usize + start;
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Place {
            source: id,
            span: Span {
                start: offset(from),
                end: offset(from + part.len()),
            },
        }
    };
    let (_, rest) = line.split_once(MARK)?;
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    if word != WORD {
        let near = nearest(word, [WORD])?;
        faults.push(|| {
            let message = format!("`{word}` is not a keyword of planner comments");
            Diagnostic::new(&SYNTAX, message)
                .at(place(word), "has no effect")
                .suggest_edit(Some(near), place(word), "")
        });
        return None;
    }
    let broken = |message: String, part: &str| {
        Diagnostic::new(&SYNTAX, message)
            .at(place(part), "has no effect")
            .help("write `# planner: ignore[CODE, CODE] until 2027-01-01: reason`")
    };
    let Some((list, rest)) = rest
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    else {
        faults.push(|| broken("an ignore needs its codes in brackets".into(), line));
        return None;
    };
    let (until, rest) = match until(rest) {
        Ok(read) => read,
        Err(date) => {
            let message = || format!("`{date}` is not a date such as 2027-01-01");
            faults.push(|| broken(message(), if date.is_empty() { line } else { date }));
            return None;
        }
    };
    let reason = rest.trim_start().trim_start_matches(':').trim();
    let mut codes = Vec::new();
    for name in list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let Some(meaning) = judge.codes.find(name) else {
            faults.unknown(name, place(name), judge.codes);
            continue;
        };
        codes.extend(meaning.rule().map(|rule| Code {
            rule,
            place: place(name),
            used: false,
        }));
        if let Some(note) = meaning.note(name) {
            faults.push(|| former(note, meaning.rule(), place(name)));
        }
    }
    if list.trim().is_empty() {
        faults.push(|| broken("an ignore needs at least one code".into(), line));
    }
    let today = judge.now.to_zoned(TimeZone::UTC).date();
    Some(Ignore {
        place: place(line),
        codes: codes.into(),
        expired: until.is_some_and(|until| until < today),
        reason: Some(reason).filter(|reason| !reason.is_empty()),
    })
}

/// The last day, if one is given, and what follows it; the text that is none otherwise.
fn until(rest: &str) -> Result<(Option<Date>, &str), &str> {
    match rest.trim_start().strip_prefix("until") {
        Some(rest) if rest.starts_with([' ', '\t']) => {
            let rest = rest.trim_start();
            let end = rest.find([' ', '\t', ':']).unwrap_or(rest.len());
            let (date, rest) = rest.split_at(end);
            let until = date.parse().map_err(|_| date)?;
            Ok((Some(until), rest))
        }
        _ => Ok((None, rest)),
    }
}

/// A code that was renamed and still covers the same findings, or that was retired.
fn former(note: String, rule: Option<&'static Rule>, place: Place) -> Diagnostic {
    let found = Diagnostic::new(&UNKNOWN, note).severity(Severity::Note);
    let Some(rule) = rule else {
        return found.at(place, "covers nothing").help("remove it");
    };
    let now = short_code(rule.code);
    let found = found
        .at(place, "an old name")
        .help(format!("write `{now}`"));
    found.fix(Fix::replace(format!("write `{now}`"), place, now))
}

fn unknown(name: &str, place: Place, near: Option<&'static str>) -> Diagnostic {
    Diagnostic::new(&UNKNOWN, format!("there is no code `{name}` to ignore"))
        .at(place, "not a code")
        .suggest_edit(near, place, "`planner explain` lists the codes")
}

/// Moves covered findings to the suppressed ones.
fn cover(
    sink: &mut Sink,
    sources: &Sources,
    ignores: &mut [Ignore<'_>],
    lines: &[(SourceId, u32, u32)],
) {
    if ignores.is_empty() {
        return;
    }
    // The comment that covers a code on a line: each pair is looked up once.
    let mut known: FxHashMap<(SourceId, u32, &str), Option<u32>> = FxHashMap::default();
    let mut kept = Vec::with_capacity(sink.diagnostics.len());
    for found in std::mem::take(&mut sink.diagnostics) {
        let place = found.primary.as_ref().map(|label| label.place);
        let here = place.and_then(|place| {
            let line = sources.get(place.source).line_of(place.span.start);
            Some((place.source, u32::try_from(line).ok()?))
        });
        let by = here.and_then(|(source, line)| {
            let first = lines.partition_point(|(of, own, _)| (*of, *own) < (source, line));
            let on = lines[first..].iter();
            let on = on.take_while(|(of, own, _)| (*of, *own) == (source, line));
            let mut on = on.map(|(.., at)| *at).peekable();
            on.peek()?;
            let by = known.entry((source, line, found.rule.code));
            *by.or_insert_with(|| covering(ignores, on, found.rule.code))
        });
        let by = by.map(|at| {
            let ignore = &ignores[at as usize];
            Suppression::Ignore {
                reason: ignore.reason.map(str::to_owned),
                place: ignore.place,
            }
        });
        match by {
            Some(by) => {
                sink.refusal_hidden |= found.refuses;
                sink.suppressed.push(Suppressed {
                    diagnostic: found,
                    by,
                });
            }
            None => kept.push(found),
        }
    }
    sink.diagnostics.extend(kept);
}

/// The last of these comments that is in force and covers a code; all that name it are of use.
fn covering(ignores: &mut [Ignore<'_>], on: impl Iterator<Item = u32>, code: &str) -> Option<u32> {
    let mut by = None;
    for at in on {
        let ignore = &mut ignores[at as usize];
        for one in ignore.codes.iter_mut().filter(|one| one.rule.code == code) {
            one.used = true;
            if !ignore.expired {
                by = Some(at);
            }
        }
    }
    by
}

/// Reports the findings about a comment itself.
fn report(ignore: &Ignore<'_>, judge: Judge<'_>, faults: &mut Faults<'_>) {
    for code in ignore.codes.iter().filter(|code| !code.used) {
        let name = short_code(code.rule.code);
        faults.push(|| {
            Diagnostic::new(&UNUSED, format!("there is no `{name}` here to ignore"))
                .at(code.place, "has no effect")
                .help("remove it")
        });
    }
    if ignore.expired && ignore.codes.iter().any(|code| code.used) {
        faults.push(|| {
            Diagnostic::new(&EXPIRED, "this ignore has expired")
                .at(ignore.place, "no longer has an effect")
                .help("fix the finding, or set a new date")
        });
    }
    if judge.reasons && ignore.reason.is_none() {
        faults.push(|| {
            Diagnostic::new(&WITHOUT_REASON, "the ignore has no reason")
                .at(ignore.place, "no reason")
                .help("write it after a colon: `# planner: ignore[CODE]: reason`")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::changed_codes;
    use super::*;

    #[test]
    fn a_former_code_still_covers_its_findings() {
        let codes = changed_codes();
        let rule = codes.rules[0];
        let mut sources = Sources::default();
        let text =
            "a: 1 # planner: ignore[ogc::old_name]: known\nb: 2 # planner: ignore[ogc::gone]\n";
        let source = sources.add(Source::new("a.yaml".into(), text.into()));
        let place = Place {
            source,
            span: Span { start: 0, end: 1 },
        };
        let mut sink = Sink::default();
        sink.push(Diagnostic::new(rule, "found").at(place, ""));
        let judge = Judge {
            now: "2026-01-01T00:00:00Z".parse().unwrap(),
            reasons: false,
            codes: &codes,
            comments: true,
        };
        apply(
            &mut sink,
            &sources,
            |_, marks| vec![false; marks.len()],
            judge,
        );
        let wanted = [
            "`ogc::old_name` is now called `ogc::new_name`",
            "`ogc::gone` was retired in 0.2.0: the schema says it",
        ];
        assert_eq!(crate::diagnostic::notes(&sink), wanted);
        assert_eq!(sink.suppressed.len(), 1);
    }
}
