//! `planner risk --shard` and `--merge`: a sweep in parts, on as many machines as needed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

use crate::load::{has_known_ending, read_file, room};
use crate::render::csv::{self, Form};
use crate::render::{clean, json, markdown, text};
use crate::risk::part::{self, Part, Sweep};
use crate::risk::{AtATime, Margin, Risk, Shard, Today};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::RiskArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::RiskFormat;
use super::output::Outputs;
use super::saved;
use super::site::Site;

/// Bytes of a part, at most.
const LIMIT: u64 = 4 << 30;
/// How many times the memory of a document's byte one of its bytes takes.
const TIMES: u64 = 2;

/// How many things are lost at a time.
pub(super) fn at_a_time(args: &RiskArgs) -> AtATime {
    match (args.pairs, args.triples) {
        (_, true) => AtATime::Triples,
        (true, false) => AtATime::Pairs,
        (false, false) => AtATime::One,
    }
}

/// `--shard K/N`.
///
/// # Errors
/// The text is no part, or the part comes without the time that all parts are judged at (64).
pub(super) fn shard(args: &RiskArgs) -> Result<Option<Shard>, Failure> {
    let Some(text) = &args.shard else {
        return Ok(None);
    };
    let shard = text.split_once('/').and_then(|(number, of)| {
        let shard = Shard {
            number: number.parse().ok()?,
            of: of.parse().ok()?,
        };
        (1..=shard.of).contains(&shard.number).then_some(shard)
    });
    let Some(shard) = shard else {
        return Err(Failure::usage(format!(
            "--shard {}: expected K/N, part K of N, such as 1/4",
            clean(text)
        )));
    };
    if args.common.now.is_none() {
        return Err(Failure::usage(
            "--shard needs --now TIME: all parts must be planned for the same time",
        ));
    }
    Ok(Some(shard))
}

/// The outputs of a part: JSON, and beside a file a line on standard output.
///
/// # Errors
/// Other formats, and no JSON (64).
pub(super) fn outputs(args: &RiskArgs) -> Result<Outputs<RiskFormat>, Failure> {
    let words = &args.output.words;
    if args.shard.is_none() {
        return args.output.outputs();
    }
    let outputs = if words.is_empty() {
        return Ok(Outputs::stdout(RiskFormat::Json));
    } else {
        args.output.outputs()?
    };
    let is_other = |format| !matches!(format, RiskFormat::Json | RiskFormat::Text);
    let other = outputs.all().iter().any(|output| is_other(output.format));
    if other || !outputs.has(RiskFormat::Json) {
        return Err(Failure::usage(
            "--shard writes its part as JSON: use --output json=FILE; --merge supports the other \
             formats",
        ));
    }
    Ok(outputs)
}

/// Refuses to write a part among the documents that it was made from: the next part would read it.
///
/// # Errors
/// A file of an output that lies in a directory of the PATHs (64).
pub(super) fn check_place(outputs: &Outputs<RiskFormat>, args: &RiskArgs) -> Result<(), Failure> {
    let here = [PathBuf::from(".")];
    let paths = match args.input.paths.as_slice() {
        [] => here.as_slice(),
        paths => paths,
    };
    let roots: Vec<PathBuf> = paths.iter().flat_map(fs::canonicalize).collect();
    for file in outputs.all().iter().filter_map(|one| one.file.as_deref()) {
        let directory = match file.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => continue,
        };
        let Ok(directory) = directory.canonicalize() else {
            continue;
        };
        if has_known_ending(file) && roots.iter().any(|root| directory.starts_with(root)) {
            return Err(Failure::usage(format!(
                "--output {}: write parts outside the PATHs, or the next run would read this one",
                clean(&file.to_string_lossy())
            )));
        }
    }
    Ok(())
}

/// The settings that all parts of this run share.
pub(super) fn sweep(
    args: &RiskArgs,
    shard: Shard,
    site: Site,
    (margins, today): (Vec<Margin>, Vec<Today>),
    answer: json::RiskAnswer<'_>,
) -> Sweep {
    let common = &args.common;
    let mut options = saved::options(common);
    let flags = [
        (common.keep_going, "--keep-going"),
        (common.strict, "--strict"),
        (common.no_prune, "--no-prune"),
    ];
    let flags = flags.into_iter().filter(|(given, _)| *given);
    options.extend(flags.map(|(_, flag)| flag.to_owned()));
    let config = site.session.config.path.as_ref();
    let config = config.and_then(|path| fs::read(path).ok());
    let (now, documents, diagnostics) = answer.common();
    let hub = site.checked.hub.as_ref().map(|hub| {
        let sources = site.sources();
        let data = serde_json::to_value(json::Hub::new(hub, sources));
        let line = text::hub(hub, sources, site.checked.settings.now);
        (line, data.unwrap_or(Value::Null))
    });
    Sweep {
        planner: env!("CARGO_PKG_VERSION").to_owned(),
        now,
        site: saved::digest(site.loaded, config.as_deref()),
        options,
        at_a_time: at_a_time(args),
        of: shard.of,
        documents,
        hub,
        margins,
        today,
        diagnostics,
    }
}

/// `--merge FILE…`.
///
/// # Errors
/// Files that cannot be read, and parts that are missing, doubled or of another sweep (1).
pub(super) fn merge(
    args: &RiskArgs,
    console: &Console,
    fails: impl Fn(&Risk) -> bool,
) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.merge, outputs, console);
    run.answer(|| {
        run.outputs.guard(&args.merge)?;
        let (mut parts, mut wrong) = (Vec::new(), Vec::new());
        for path in &args.merge {
            let name = clean(&path.to_string_lossy()).into_owned();
            match read(path) {
                Ok(part) => parts.push((name, part)),
                Err(error) => wrong.push(format!("{:#}", error.context(name))),
            }
        }
        if wrong.is_empty() {
            match part::merge(parts) {
                Ok((sweep, risk)) => {
                    let outcome = if fails(&risk) {
                        Outcome::Unplaceable
                    } else {
                        Outcome::Fine
                    };
                    let hub = sweep.hub.clone();
                    let trace = args.trace;
                    let merged = Merged { sweep, risk, trace };
                    return Ok(Answer::new(merged, outcome).of_known_hub(hub));
                }
                Err(faults) => wrong = faults,
            }
        }
        let wrong: Vec<_> = wrong.iter().map(|fault| clean(fault)).collect();
        Err(Failure::new(Exit::Fault, wrong.join("\n         ")))
    })
}

fn read(path: &Path) -> anyhow::Result<Part> {
    let text = read_text(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::Error::msg("there is no such file"),
        _ => anyhow::Error::new(error).context("cannot be read"),
    })?;
    let part = part::read(&text).map_err(anyhow::Error::msg);
    part.context("this is not a part of a sweep")
}

fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len().min(LIMIT);
    room::check(|| size.saturating_mul(TIMES)).map_err(io::Error::other)?;
    let text = read_file(path, LIMIT)?;
    if text.len() as u64 > LIMIT {
        Err(io::Error::other(format!(
            "it is larger than a part may be ({LIMIT} bytes)"
        )))
    } else {
        Ok(text)
    }
}

struct Merged {
    sweep: Sweep,
    risk: Risk,
    trace: bool,
}

impl Data<RiskFormat> for Merged {
    fn write(&self, format: RiskFormat, out: &mut Out<'_>) -> io::Result<()> {
        let data = || json::RiskAnswer::merged(&self.risk, &self.sweep);
        match format {
            RiskFormat::Json => out.json(&data()),
            RiskFormat::Yaml => out.yaml(&data()),
            RiskFormat::Csv => csv::risk(Some(&self.risk), Form::Csv, out.bare()),
            RiskFormat::Tsv => csv::risk(Some(&self.risk), Form::Tsv, out.bare()),
            RiskFormat::Markdown => out.text(&markdown::risk(&self.risk)),
            RiskFormat::Text => {
                out.screen.trace = self.trace;
                out.page(&text::risk::risk(&self.risk, &out.screen))
            }
        }
    }
}
