//! Flags that several commands take.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};

use super::super::console::ColorChoice;
use super::super::failure::Failure;
use super::super::formats::Format;
use super::super::output::Outputs;
use super::help;

/// The documents to read.
#[derive(Debug, Clone, Args)]
pub struct InputArgs {
    /// Files or directories to read, or - for standard input [default: .]
    ///
    /// In a directory every .yaml, .yml and .json file is read, recursively, except for hidden
    /// files and those that .gitignore excludes. The root of an Airship repository (a directory
    /// with site/) is read as a repository.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// The heading of the common flags.
const COMMON: &str = "Common options";

/// Flags of every command that reads a site.
///
/// `--help` lists them briefly and last, see `common`; `-h` and the manual treat them like
/// all others.
#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    /// When to colour the output
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_long_help = true, help_heading = COMMON
    )]
    pub color: ColorChoice,
    /// Print results only
    #[arg(long, short, hide_long_help = true, help_heading = COMMON)]
    pub quiet: bool,
    /// Show long results without a pager ($PAGER)
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub no_pager: bool,
    /// List every file that is read
    #[arg(long, short, conflicts_with = "quiet", hide_long_help = true, help_heading = COMMON)]
    pub verbose: bool,
    /// The time of the plan (RFC 3339) [default: the current time]
    #[arg(long, value_name = "TIME", hide_long_help = true, help_heading = COMMON)]
    pub now: Option<String>,
    /// Treat unrecognised documents as errors
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub strict: bool,
    /// Follow the upstream code where it differs from its specification
    #[arg(long, value_name = "WHAT", hide_long_help = true, help_heading = COMMON)]
    pub compat: Option<Compat>,
    /// The configuration file [default: the nearest planner.toml above the first PATH]
    #[arg(long, value_name = "FILE", hide_long_help = true, help_heading = COMMON)]
    pub config: Option<PathBuf>,
    /// Worker threads [default: one per processor]
    #[arg(long, value_name = "N", hide_long_help = true, help_heading = COMMON)]
    pub jobs: Option<usize>,
    /// Directory with the records of earlier plans [default: planner-records/ in the first PATH]
    #[arg(long, value_name = "DIR", hide_long_help = true, help_heading = COMMON)]
    pub records: Option<PathBuf>,
    /// A snapshot of the hub: one file of its objects, or - for standard input
    #[arg(long, value_name = "FILE", hide_long_help = true, help_heading = COMMON)]
    pub hub: Option<PathBuf>,
    /// With --hub: keep objects that are no longer in the documents
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub no_prune: bool,
    /// Which site to use if there are several: of an Airship repository, or of kustomizations that
    /// make the same objects differently (repeatable: one for each choice)
    #[arg(long, value_name = "NAME", hide_long_help = true, help_heading = COMMON)]
    pub site: Vec<String>,
    /// Treat Airship documents as already rendered
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub rendered: bool,
    /// Skip invalid documents and plan the rest
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub keep_going: bool,
    /// Require one Node with both the CPU and the memory of an Application
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub same_node: bool,
    /// The order of deployment groups
    #[arg(
        long,
        value_name = "ORDER",
        default_value = "waves",
        hide_long_help = true, help_heading = COMMON
    )]
    pub order: OrderArg,
    /// Allow advisors of placement rules to run commands
    #[arg(long, hide_long_help = true, help_heading = COMMON)]
    pub allow_commands: bool,
    /// The name of standard input in messages
    #[arg(long, value_name = "NAME", hide_long_help = true, help_heading = COMMON)]
    pub stdin_filename: Option<String>,
}

/// The flags that say how a site is read and planned.
pub(super) const SITE_FLAGS: [&str; 14] = [
    "now",
    "strict",
    "compat",
    "config",
    "records",
    "hub",
    "no_prune",
    "site",
    "rendered",
    "keep_going",
    "same_node",
    "order",
    "allow_commands",
    "stdin_filename",
];

/// The common flags as `--help` ends with them: a line or two for each.
pub fn common() -> String {
    common_of("")
}

/// The same of a command.
fn common_of(command: &str) -> String {
    let flags = CommonArgs::augment_args(Command::new("common"));
    let flags = flags.mut_args(|flag| {
        let idle = !has_meaning(command, flag.get_id().as_str());
        flag.hide(idle)
    });
    let flags = flags.disable_help_flag(true).max_term_width(100);
    let mut flags = flags.help_template("{all-args}");
    flags.render_help().to_string().trim_end().to_owned()
}

/// The implementation to agree with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// The original code's.
    Upstream,
}

/// The order of deployment groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// Wave by wave, in document order
    Waves,
    /// The older stack order
    Stack,
}

/// Flags that mean something for every command, and for every one that reads a site.
const ALWAYS: [&str; 3] = ["color", "quiet", "no_pager"];
const READING: [&str; 7] = [
    "verbose",
    "now",
    "strict",
    "config",
    "jobs",
    "keep_going",
    "stdin_filename",
];

/// Whether a common flag means anything for a command; `--help` lists no others.
fn has_meaning(command: &str, flag: &str) -> bool {
    let own: &[&str] = match command {
        "init" => return ALWAYS.contains(&flag),
        "render" => return ALWAYS.contains(&flag) || ["config", "site"].contains(&flag),
        "graph" => &["site", "rendered", "order", "hub", "no_prune"],
        // Of the groups and their nodes alone.
        "export" => &["site", "rendered", "order"],
        // Of a hub alone.
        "drift" | "migrate" => &["records", "hub", "no_prune"],
        // Places no Application and asks no advisor.
        "simulate" => return !["same_node", "allow_commands"].contains(&flag),
        // Runs nothing, and no finding is about the order.
        "validate" => return !["order", "allow_commands"].contains(&flag),
        // All plans are made in one order.
        "risk" => return flag != "order",
        // Of files that are there already.
        "show" | "proceed" | "diff" => return flag != "stdin_filename",
        _ => return true,
    };
    ALWAYS.contains(&flag) || READING.contains(&flag) || own.contains(&flag)
}

/// Ends `--help` of a command that takes the common flags with them. Deferred until it is the
/// command that was typed: writing them down takes longer than all else before a command runs.
pub(super) fn ending_with_common(command: Command) -> Command {
    command.defer(|command| {
        let is_common = |flag: &Arg| flag.get_help_heading() == Some(COMMON);
        let name = command.get_name().to_owned();
        let command = command.mut_args(|flag| {
            let idle = is_common(&flag) && !has_meaning(&name, flag.get_id().as_str());
            let is_hidden = flag.is_hide_set();
            flag.hide(idle || is_hidden)
        });
        let command = help::shaped(command, is_common);
        let reads_a_site = command.get_arguments().any(is_common);
        let own = command.get_after_long_help().map(ToString::to_string);
        let own = own.unwrap_or_default();
        let mut text = own.trim_end().to_owned();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&statuses(command.get_name()));
        if reads_a_site {
            text.push_str("\n\n");
            text.push_str(&common_of(&name));
        }
        command.after_long_help(text)
    })
}

/// The exit statuses of a command.
fn statuses(command: &str) -> String {
    let plans = [
        "plan", "proceed", "show", "diff", "why", "risk", "simulate", "test", "graph", "validate",
        "report", "export", "drift", "migrate", "render",
    ];
    let configured = [&plans[..], &["init"]].concat();
    let all: [(u8, &str, &[&str]); 12] = [
        (0, "success", &[]),
        (
            1,
            "documents have errors, or a file cannot be read or written",
            &[],
        ),
        (
            1,
            "a PlacementRule cannot be migrated, or a reference must be changed by hand",
            &["migrate"],
        ),
        (
            2,
            "something would change (--detailed-exitcode)",
            &["plan", "diff", "report"],
        ),
        (
            2,
            "a field, an object or a decision differs from the documents",
            &["drift"],
        ),
        (
            3,
            "something cannot be placed, or fails",
            &[
                "plan", "proceed", "diff", "why", "risk", "simulate", "report", "export",
            ],
        ),
        (4, "cancelled", &["plan", "proceed"]),
        (64, "the arguments are wrong", &[]),
        (66, "there is nothing to do", &plans),
        (66, "the snapshot of the hub cannot be read", &["init"]),
        (78, "the configuration is wrong", &configured),
        (130, "interrupted", &["plan", "proceed"]),
    ];
    let rows = all.iter();
    let rows = rows.filter(|(.., of)| of.is_empty() || of.contains(&command));
    let lines: Vec<String> = rows
        .map(|(number, what, _)| format!("  {number:<5}{what}"))
        .collect();
    format!("Exit status:\n{}", lines.join("\n"))
}

/// `--output`, for a command with these formats.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs<F: Format> {
    #[arg(
        long = "output",
        short = 'o',
        value_name = "FORMAT[=FILE]",
        help = output_help::<F>(),
        value_parser = FormatParser::<F>(PhantomData),
        hide_possible_values = true
    )]
    #[allow(missing_docs)]
    pub words: Vec<String>,
    #[arg(skip)]
    formats: PhantomData<F>,
}

impl<F: Format> OutputArgs<F> {
    /// The outputs asked for.
    ///
    /// # Errors
    /// Unknown formats, and two formats for standard output.
    pub(in crate::cli) fn outputs(&self) -> Result<Outputs<F>, Failure> {
        Outputs::parse(&self.words)
    }
}

fn output_help<F: Format>() -> String {
    let words: Vec<String> = F::value_variants().iter().map(|one| one.word()).collect();
    let (last, others) = words.split_last().unzip();
    format!(
        "Output format: {} or {}; =FILE writes it to a file (repeatable)",
        others.unwrap_or_default().join(", "),
        last.map_or("", |last| last)
    )
}

/// Offers the formats to completions; what is typed is read by the command, which knows where it
/// is to go.
#[derive(Debug, Clone)]
struct FormatParser<F>(PhantomData<F>);

impl<F: Format> TypedValueParser for FormatParser<F> {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all = F::value_variants().iter();
        Some(Box::new(all.filter_map(|one| one.to_possible_value())))
    }
}

/// `--without`, for the commands that take it as it is.
#[derive(Debug, Clone, Args)]
pub struct WithoutArgs {
    /// Plan as if this and everything in it were gone: cluster/NAME, node/NAME, rack/NAME,
    /// region/NAME, set/NAME or label/KEY[=VALUE] (repeatable)
    #[arg(long, value_name = "KIND/NAME")]
    pub without: Vec<String>,
}

/// The consent to a record: given, asked for, or refused.
#[derive(Debug, Clone, Copy, Args)]
pub struct ConsentArgs {
    /// Proceed without asking
    #[arg(long)]
    pub yes: bool,
    /// Never ask
    #[arg(long)]
    pub no_input: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_common_flag_is_about_the_site_or_known_not_to_be() {
        let flags = CommonArgs::augment_args(Command::new("common"));
        for flag in flags.get_arguments() {
            let of_site = SITE_FLAGS.contains(&flag.get_id().as_str());
            let is_other =
                ["color", "quiet", "no_pager", "verbose", "jobs"].contains(&flag.get_id().as_str());
            assert_ne!(of_site, is_other, "{}", flag.get_id());
        }
    }
}
