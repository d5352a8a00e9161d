//! What every command over a site does first: configuration, clock, reading, checking.

use std::collections::BTreeMap;
use std::env;
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use jiff::Timestamp;

use crate::config::{self, Config};
use crate::diagnostic::{Diagnostic, Sink, baseline};
use crate::document::rules::NOT_OURS;
use crate::document::{DocumentKind, Documents, System};
use crate::load::{self, Loaded, Refusal, Request};
use crate::options::{Options, Order};
use crate::render::{clean, diagnostics};
use crate::source::Sources;

use super::args::{CommonArgs, Compat, OrderArg};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::records;

/// The site as read, before it is checked.
#[derive(Debug)]
pub(super) struct Session {
    /// The configuration in force.
    pub config: Config,
    /// What the engines may depend on.
    pub options: Options,
    /// The files and documents.
    pub loaded: Loaded,
    /// Where records lie; none for standard input without `--records`.
    pub records: Option<PathBuf>,
    /// The number of the newest record before the site was read.
    pub seen: u64,
    /// The files that were read, for outputs that must not replace them.
    pub inputs: Vec<PathBuf>,
    /// The PATHs, `.` when none was typed.
    pub paths: Vec<PathBuf>,
    /// What was read.
    pub request: Request,
    strict: bool,
    verbose: bool,
    /// The baseline; never read as a document.
    pub baseline: PathBuf,
}

/// Reads what the flags name.
///
/// # Errors
/// Bad arguments (64), a bad configuration (78).
pub(super) fn open(
    paths: &[PathBuf],
    args: &CommonArgs,
    console: &Console,
) -> Result<Session, Failure> {
    open_beside(paths, args, console, None)
}

/// The same, with a baseline that lies elsewhere.
///
/// # Errors
/// Bad arguments (64), a bad configuration (78).
pub(super) fn open_beside(
    paths: &[PathBuf],
    args: &CommonArgs,
    console: &Console,
    baseline: Option<&Path>,
) -> Result<Session, Failure> {
    let paths = if paths.is_empty() {
        vec![PathBuf::from(".")]
    } else {
        paths.to_vec()
    };
    let directory = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let jobs = match args.jobs {
        Some(0) => return Err(Failure::usage("--jobs must be at least 1")),
        Some(jobs) => jobs.min(256),
        None => available_parallelism().map_or(1, usize::from),
    };
    let options = options(args, jobs)?;
    let stdin_wanted = paths.iter().any(|path| path.as_os_str() == "-");
    if stdin_wanted && std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "standard input is a terminal; pipe the documents in",
        ));
    }
    let config = configuration(&paths, args, &directory, console)?;
    let stdin = if stdin_wanted {
        Some(read_stdin(config.limits.file_bytes)?)
    } else {
        None
    };
    let records = records_of(&paths, args);
    let seen = records.as_deref().map_or(0, records::largest);
    let baseline = baseline.map_or_else(|| default_baseline(&config, &paths), Path::to_path_buf);
    let request = Request {
        paths: paths.clone(),
        stdin,
        stdin_name: args
            .stdin_filename
            .clone()
            .unwrap_or_else(|| "<stdin>".into()),
        directory,
        include: config.include.clone(),
        exclude: config.exclude.clone(),
        config_directory: config.directory(),
        records: records.clone(),
        never: vec![baseline.clone()],
        overlay: BTreeMap::new(),
        limits: config.limits,
        site: args.site.clone(),
        snapshot: None,
        treated_as: None,
        jobs,
    };
    let loaded = read(&request, console)?;
    let mut inputs = loaded.files.clone();
    inputs.extend(config.path.clone());
    inputs.extend(request.never.iter().cloned());
    Ok(Session {
        config,
        options,
        loaded,
        records,
        seen,
        inputs,
        paths,
        request: Request {
            stdin: None,
            ..request
        },
        strict: args.strict,
        verbose: args.verbose,
        baseline,
    })
}

/// Reads the files of a request.
///
/// # Errors
/// A request that cannot be understood (64, 78).
pub(super) fn read(request: &Request, console: &Console) -> Result<Loaded, Failure> {
    super::progress::watch(console, || load::load(request)).map_err(refusal)
}

/// The clock is read here and nowhere else.
fn options(args: &CommonArgs, jobs: usize) -> Result<Options, Failure> {
    let now = match &args.now {
        None => whole_seconds(Timestamp::now()),
        Some(text) => text.parse::<Timestamp>().map_err(|_| {
            Failure::usage(format!(
                "--now {text}: expected a time such as 2026-01-01T00:00:00Z (RFC 3339)"
            ))
        })?,
    };
    Ok(Options {
        same_node: args.same_node,
        upstream: args.compat == Some(Compat::Upstream),
        order: match args.order {
            OrderArg::Waves => Order::Waves,
            OrderArg::Stack => Order::Stack,
        },
        keep_going: args.keep_going,
        allow_commands: args.allow_commands,
        site: args.site.clone(),
        rendered: args.rendered,
        jobs,
        ..Options::at(now)
    })
}

fn whole_seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

fn configuration(
    paths: &[PathBuf],
    args: &CommonArgs,
    directory: &Path,
    console: &Console,
) -> Result<Config, Failure> {
    let file = match &args.config {
        Some(file) => Some(file.clone()),
        None => {
            let first = paths.first().filter(|path| path.as_os_str() != "-");
            let start = first.cloned().unwrap_or_else(|| PathBuf::from("."));
            let start = if start.exists() {
                start
            } else {
                PathBuf::from(".")
            };
            config::find(&start)
        }
    };
    let Some(file) = file else {
        return Ok(Config::default());
    };
    let mut sources = Sources::default();
    let mut sink = Sink::default();
    let config = config::read(&file, &directory.to_string_lossy(), &mut sources, &mut sink);
    if sink.has_errors() {
        sink.sort(&sources);
        console.err(&diagnostics::full(
            &sink,
            &sources,
            console.look_on_stderr(),
        ));
        return Err(Failure::said(Exit::Config));
    }
    Ok(config)
}

/// Beside `planner.toml`; without one in the directory of the first PATH.
fn default_baseline(config: &Config, paths: &[PathBuf]) -> PathBuf {
    let first = paths.first().filter(|path| path.as_os_str() != "-");
    let directory = match first {
        _ if config.path.is_some() => config.directory(),
        Some(first) if first.is_dir() => first.clone(),
        Some(first) => first.parent().map(Path::to_path_buf).unwrap_or_default(),
        None => PathBuf::new(),
    };
    directory.join(baseline::FILE_NAME)
}

/// Where records lie (contract, section 4); nowhere for standard input without `--records`.
pub(super) fn records_of(paths: &[PathBuf], args: &CommonArgs) -> Option<PathBuf> {
    if let Some(records) = &args.records {
        return Some(records.clone());
    }
    match paths.first() {
        Some(first) if first.as_os_str() == "-" => None,
        Some(first) if first.as_os_str() != "." && first.is_dir() => {
            Some(first.join(records::DEFAULT))
        }
        Some(first) if first.as_os_str() != "." => Some(first.with_extension("records")),
        _ => Some(PathBuf::from(records::DEFAULT)),
    }
}

fn read_stdin(limit: u64) -> Result<Vec<u8>, Failure> {
    let stdin = std::io::stdin();
    let mut bytes = Vec::new();
    // One byte more than the limit tells that there is more.
    match stdin
        .lock()
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
    {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::system(error, "cannot read standard input")),
    }
}

fn refusal(refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Glob(glob) => Failure::new(
            Exit::Config,
            format!("planner.toml: \"{glob}\" is not a glob"),
        ),
        Refusal::Site {
            root,
            wanted: Some(wanted),
            sites,
        } => {
            let near = crate::kit::nearest::nearest(&wanted, sites.iter().map(String::as_str));
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let sites = sites.join(", ");
            Failure::usage(format!(
                "{root} has no site \"{wanted}\" (it has {sites}){hint}"
            ))
        }
        Refusal::Site {
            root,
            wanted: None,
            sites,
        } => Failure::usage(format!(
            "{root} holds {} sites; name one with --site ({})",
            sites.len(),
            sites.join(", ")
        )),
    }
}

/// Where each specification says how statement and code differ.
const DIFFERENCES: [(System, &str); 4] = [
    (System::Ocm, "OCM placement, section 10"),
    (System::Hybrid, "hybrid placement rules, section 10"),
    (System::Ogc, "OGC deployment planning, section 8"),
    (System::Senlin, "Senlin region placement, section 11"),
];

impl Session {
    /// Reads everything again, with other texts in place of those of some files.
    ///
    /// # Errors
    /// As the first time.
    pub(super) fn reload(&mut self, overlay: BTreeMap<String, String>) -> Result<(), Failure> {
        if self.request.stdin.is_none() {
            // Standard input is read once; its text stands among the others.
            let name = &self.request.stdin_name;
            let mut files = self.loaded.sources.files.iter();
            let stdin = files.find(|source| source.name == *name);
            self.request.stdin = stdin.map(|source| source.text.clone().into_bytes());
        }
        self.request.overlay = overlay;
        self.loaded = load::load(&self.request).map_err(refusal)?;
        Ok(())
    }

    /// What is to be said on standard error before any answer: the files read (`--verbose`), and
    /// that `--compat` changes nothing for the systems that ignore it.
    pub(super) fn print_notes(&self, documents: &Documents<'_>, console: &Console) {
        if self.verbose {
            let mut text = String::new();
            for source in &documents.sources.files {
                text.push_str(&format!("read {}\n", clean(&source.name)));
            }
            console.note(&text);
        }
        if !self.options.upstream {
            return;
        }
        let there = |system: System| {
            documents
                .all
                .iter()
                .any(|document| document.kind.system() == Some(system))
        };
        let ignoring = DIFFERENCES.iter().filter(|(system, _)| there(*system));
        let sections: Vec<&str> = ignoring.map(|(_, section)| *section).collect();
        if !sections.is_empty() {
            let sections = sections.join("; ");
            console.note(&format!(
                "--compat upstream changes nothing here ({sections})\n"
            ));
        }
    }

    /// With `--strict`: every document that is nobody's is an error that does not refuse.
    pub(super) fn report_foreign(&self, documents: &Documents<'_>, sink: &mut Sink) {
        if !self.strict {
            return;
        }
        let foreign = |kind: DocumentKind| kind == DocumentKind::Foreign;
        for document in documents
            .all
            .iter()
            .filter(|d| foreign(d.kind) && !d.refused)
        {
            let place = document.head().place();
            sink.push(
                Diagnostic::new(&NOT_OURS, "no system of planner knows this document")
                    .at(place, "not planned, not checked")
                    .help("leave it out with `exclude` in planner.toml, or do without --strict")
                    .not_refusing(),
            );
        }
    }
}
