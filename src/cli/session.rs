//! The start of every command over a site: flags, configuration, clock, reading.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, Metadata};
use std::io::{ErrorKind, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::config::{Config, Unusable};
use crate::diagnostic::Sink;
use crate::document::System;
use crate::load::{self, HubFault, HubFile, Loaded, Refusal, Request, View, display_name};
use crate::options::{CheckOptions, Options, Order};
use crate::render::{clean, diagnostics};
use crate::source::Sources;
use crate::systems;
use crate::workspace::{self, KnownFindings, baseline_file, settings};

use super::args::{CommonArgs, Compat, OrderArg};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::progress::{self, Doing};
use super::records;

/// The documents that a command reads, and the options by which it judges and plans them.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// The configuration in force.
    pub config: Config,
    /// How the site is judged.
    pub settings: CheckOptions,
    /// How it is planned.
    pub options: Options,
    /// The documents to read.
    pub request: Request,
    /// The number of the newest record before the site was read.
    pub seen: u64,
    verbose: bool,
    /// The baseline; its file is never read as a document.
    pub known: KnownFindings,
    /// `--config`.
    config_named: Option<PathBuf>,
    /// `--hub`, if it names a file.
    pub hub_named: Option<PathBuf>,
}

/// Nothing is freed before the program ends: that would only take time.
pub(super) fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl Session {
    /// Understands the flags and reads the configuration.
    ///
    /// # Errors
    /// Bad arguments (64), a bad configuration (78).
    pub(super) fn new(
        paths: &[PathBuf],
        args: &CommonArgs,
        console: &Console,
    ) -> Result<Self, Failure> {
        Self::with_baseline(paths, args, None, console)
    }

    /// The same with a baseline that is named.
    ///
    /// # Errors
    /// Bad arguments (64), a bad configuration or baseline (78).
    pub(super) fn with_baseline(
        paths: &[PathBuf],
        args: &CommonArgs,
        baseline: Option<&Path>,
        console: &Console,
    ) -> Result<Self, Failure> {
        let paths = if paths.is_empty() {
            vec![PathBuf::from(".")]
        } else {
            paths.to_vec()
        };
        let directory = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        let jobs = threads(args.jobs)?;
        let now = now(args)?;
        let (stdin_wanted, hub_stdin) = of_stdin(&paths, args)?;
        let first = first(&paths, &directory, console)?;
        let config_file = config_file(&paths, first.is_some(), args.config.as_deref());
        let config_file = config_file.map_err(|fault| {
            let mut said = (Sink::default(), Sources::default());
            fault.report(&directory.to_string_lossy(), &mut said.1, &mut said.0);
            said_of(Exit::Config, said, console)
        })?;
        let config = configuration(config_file.as_deref(), &directory, console)?;
        let mut stdin = if stdin_wanted || hub_stdin {
            let say = || Doing::from("Reading standard input…");
            let read = || read_stdin(config.limits.file_bytes);
            Some(progress::watch(console, say, read)?)
        } else {
            None
        };
        let is_dir = first.is_some_and(|first| first.is_dir());
        let records = records_of(&paths, is_dir, args);
        // Where they cannot be looked at, reading the site says so.
        let largest = |records: &Path| records::largest(records).unwrap_or(0);
        let seen = records.as_deref().map_or(0, largest);
        let named = baseline.map(Path::to_path_buf);
        let view = View::default();
        let baseline = named.unwrap_or_else(|| baseline_file(&config, &paths, is_dir, &view));
        let known = KnownFindings::read(baseline.clone(), &directory, &view)
            .map_err(|why| super::baseline::fault(&baseline, &why))?;
        let mut never = vec![known.path.clone()];
        let hub = hub_file(
            &paths,
            args,
            &config,
            hub_stdin.then(|| stdin.take()).flatten(),
        )?;
        never.extend(hub.iter().map(|hub| hub.path.clone()));
        let request = Request {
            hub,
            stdin,
            stdin_name: args
                .stdin_filename
                .clone()
                .unwrap_or_else(|| "<stdin>".into()),
            records,
            records_named: args.records.is_some(),
            never,
            site: args.site.clone(),
            jobs,
            ..settings::request(&config, paths, directory)
        };
        Ok(Self {
            settings: settings_of(args, &config, now, jobs),
            options: options_of(args, &config, jobs),
            config,
            request,
            seen,
            verbose: args.verbose,
            known,
            config_named: args.config.clone(),
            hub_named: args.hub.clone().filter(|hub| hub.as_os_str() != "-"),
        })
    }

    /// Reads the site.
    ///
    /// # Errors
    /// A request that cannot be understood (64, 78).
    pub(super) fn open(&self, console: &Console) -> Result<Loaded, Failure> {
        let loaded = open(&self.request, console)?;
        self.mention(&loaded, console);
        Ok(loaded)
    }

    /// Reads the site again, with other texts instead of those of some files.
    ///
    /// # Errors
    /// As the first time.
    pub(super) fn again(&self, texts: BTreeMap<String, String>) -> Result<Loaded, Failure> {
        load::open(&workspace::edited(&self.request, texts)).map_err(refusal)
    }

    /// Refuses to approve a site that is no longer what was planned.
    ///
    /// # Errors
    /// A file that has changed, gone or appeared since the site was read, `planner.toml` among
    /// them.
    pub(super) fn unchanged(&self, loaded: &Loaded) -> Result<(), Failure> {
        // A new record is named as one, not as a file.
        if let Some(directory) = self.request.records.as_deref() {
            records::unchanged(directory, self.seen)?;
        }
        let changed = load::changed(&self.request, loaded).map_err(refusal)?;
        let paths = &self.request.paths;
        let first = paths.first().and_then(|first| fs::metadata(first).ok());
        let config = config_file(paths, first.is_some(), self.config_named.as_deref());
        let config = config.unwrap_or_else(|fault| Some(fault.path));
        let file = match (changed, config.or_else(|| self.config.path.clone())) {
            (Some(file), _) => file,
            (None, Some(path)) if self.config_again(&path).as_ref() != Some(&self.config) => {
                let here = env::current_dir().unwrap_or_default();
                display_name(&path.to_string_lossy(), &here.to_string_lossy())
            }
            _ => return Ok(()),
        };
        let message = format!("the site changed: {file}; plan again");
        Err(Failure::new(Exit::Fault, message))
    }

    fn config_again(&self, path: &Path) -> Option<Config> {
        let config = settings::configuration(Some(path), Path::new(""), &View::default());
        config.ok().map(|(config, _)| config)
    }

    /// The files that were read, for outputs that must not replace them.
    pub(super) fn inputs(&self, loaded: &Loaded) -> Vec<PathBuf> {
        let mut inputs = loaded.files.clone();
        inputs.extend(loaded.ignores.iter().cloned());
        inputs.extend(self.config.path.clone());
        inputs.extend(self.request.never.iter().cloned());
        inputs.extend(self.request.beside.iter().cloned());
        inputs
    }
}

/// The snapshot of the hub, as flags and configuration name it.
fn hub_file(
    paths: &[PathBuf],
    args: &CommonArgs,
    config: &Config,
    stdin: Option<Vec<u8>>,
) -> Result<Option<HubFile>, Failure> {
    let configured = config.hub.as_ref().map(|hub| config.directory().join(hub));
    let Some(path) = args.hub.clone().or(configured) else {
        return if args.no_prune {
            Err(Failure::usage("--no-prune needs --hub"))
        } else {
            Ok(None)
        };
    };
    let real = |path: &Path| path.canonicalize().ok();
    let own = real(&path);
    if own.is_some() && paths.iter().any(|one| real(one) == own) {
        let name = path.display();
        return Err(Failure::usage(format!(
            "--hub {name}: the same file is a PATH; pass the documents as PATH and the hub's \
             objects with --hub"
        )));
    }
    let max_age = config.hub_max_age.unwrap_or(settings::HUB_MAX_AGE);
    let mut file = HubFile::new(path, stdin, max_age);
    file.no_prune = args.no_prune;
    Ok(Some(file))
}

/// Whether documents, and whether the snapshot, come from standard input.
fn of_stdin(paths: &[PathBuf], args: &CommonArgs) -> Result<(bool, bool), Failure> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    let documents = paths.iter().any(|path| is_stdin(path));
    let hub = args.hub.as_deref().is_some_and(is_stdin);
    let is_terminal = || std::io::stdin().is_terminal();
    let why = match (documents, hub) {
        (true, true) if !is_terminal() => "standard input cannot be both a PATH and --hub",
        (true, _) if is_terminal() => "standard input is a terminal; pipe the documents in",
        (false, true) if is_terminal() => "standard input is a terminal; pipe the snapshot in",
        _ => return Ok((documents, hub)),
    };
    Err(Failure::usage(why))
}

/// Worker threads.
///
/// # Errors
/// None (64).
pub(super) fn threads(wanted: Option<usize>) -> Result<usize, Failure> {
    match wanted {
        Some(0) => Err(Failure::usage("--jobs must be at least 1")),
        Some(jobs) => Ok(jobs.min(256)),
        None => Ok(available_parallelism().map_or(1, usize::from)),
    }
}

/// How a site is checked, by the flags and the configuration.
fn settings_of(args: &CommonArgs, config: &Config, now: Timestamp, jobs: usize) -> CheckOptions {
    CheckOptions {
        upstream: args.compat == Some(Compat::Upstream),
        rendered: args.rendered,
        strict: args.strict,
        ..settings::check_options(config, now, jobs)
    }
}

/// How it is planned, by the same.
fn options_of(args: &CommonArgs, config: &Config, jobs: usize) -> Options {
    Options {
        same_node: args.same_node,
        order: match args.order {
            OrderArg::Waves => Order::Waves,
            OrderArg::Stack => Order::Stack,
        },
        keep_going: args.keep_going,
        allow_commands: args.allow_commands,
        environment: settings::environment(&config.advisor_environment),
        program: env::current_exe().ok(),
        jobs,
        ..Options::default()
    }
}

/// Reads the files of a request.
///
/// # Errors
/// A request that cannot be understood (64, 78).
pub(super) fn open(request: &Request, console: &Console) -> Result<Loaded, Failure> {
    let read = &request.progress;
    progress::watch(
        console,
        || progress::reading(read.read()),
        || load::open(request),
    )
    .map_err(refusal)
}

/// The clock is read here and nowhere else.
pub(super) fn now(args: &CommonArgs) -> Result<Timestamp, Failure> {
    args.now.as_deref().map_or_else(|| Ok(clock()), at_named)
}

/// The present, in whole seconds.
pub(super) fn clock() -> Timestamp {
    whole_seconds(Timestamp::now())
}

/// The instant that `--now` names.
///
/// # Errors
/// It is no time (64).
pub(super) fn at_named(text: &str) -> Result<Timestamp, Failure> {
    at(text).ok_or_else(|| {
        Failure::usage(format!(
            "--now {text}: expected a time such as 2026-01-01T00:00:00Z (RFC 3339)"
        ))
    })
}

/// A time as RFC 3339 has it. The last hours of the year 9999 are the only ones that may lie
/// beyond what can be reckoned with: the last moment that can stands for them.
fn at(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let (date, zone) = text.split_at_checked(text.find(['Z', 'z']).unwrap_or_else(|| {
        // `+01:00`
        text.len().saturating_sub(6)
    }))?;
    let date = date.parse::<DateTime>().ok()?;
    // The zone is one where it is one of a day that can be reckoned with.
    let zone_fits = format!("2026-01-01T00:00:00{zone}").parse::<Timestamp>();
    let is_last = date.year() == 9999 && (date.month(), date.day()) >= (12, 30);
    (is_last && zone_fits.is_ok()).then(|| whole_seconds(Timestamp::MAX))
}

fn whole_seconds(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The first PATH on the disk; `None` where there is nothing of that name. Where records and the
/// configuration are looked for depends on it, so that it is asked once.
///
/// # Errors
/// It cannot be looked at (1).
fn first(
    paths: &[PathBuf],
    directory: &Path,
    console: &Console,
) -> Result<Option<Metadata>, Failure> {
    let Some(first) = paths.first().filter(|path| path.as_os_str() != "-") else {
        return Ok(None);
    };
    match fs::metadata(first) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => {
            let found = load::unreadable(first, directory, &error);
            Err(said_of(Exit::Fault, found, console))
        }
    }
}

/// The `planner.toml` in force.
fn config_file(
    paths: &[PathBuf],
    first_exists: bool,
    named: Option<&Path>,
) -> Result<Option<PathBuf>, Unusable> {
    settings::config_file(paths, first_exists, named, &View::default())
}

/// Ends with findings, which are printed here.
fn said_of(exit: Exit, (sink, sources): (Sink, Sources), console: &Console) -> Failure {
    let look = console.look_on_stderr();
    console.err(&diagnostics::full(&sink, &sources, look));
    Failure::said(exit, sink, sources)
}

fn configuration(
    file: Option<&Path>,
    directory: &Path,
    console: &Console,
) -> Result<Config, Failure> {
    let read = settings::configuration(file, directory, &View::default());
    let (config, notes) = read.map_err(|told| said_of(Exit::Config, told, console))?;
    if !notes.0.diagnostics.is_empty() {
        // Codes that have been renamed.
        let look = console.look_on_stderr();
        console.note(&diagnostics::full(&notes.0, &notes.1, look));
    }
    Ok(config)
}

/// Where records lie; nowhere for standard input without `--records`.
pub(super) fn records_of(paths: &[PathBuf], is_dir: bool, args: &CommonArgs) -> Option<PathBuf> {
    let named = args.records.clone();
    named.or_else(|| settings::records_of(paths, is_dir))
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

/// Why nothing was read, as the end of the command.
pub(super) fn refusal(refusal: Refusal) -> Failure {
    match &refusal {
        Refusal::Hub(HubFault::Missing(_) | HubFault::Nothing(..) | HubFault::Unreadable(..)) => {
            Failure::new(Exit::NoInput, refusal.to_string())
        }
        Refusal::Hub(HubFault::Broken(_)) => Failure::new(Exit::Fault, refusal.to_string()),
        Refusal::Memory(_) => Failure::new(Exit::Fault, refusal.to_string()),
        Refusal::Glob(_) => Failure::new(Exit::Config, format!("planner.toml: {refusal}")),
        Refusal::Site { .. }
        | Refusal::Repositories { .. }
        | Refusal::NoSite { .. }
        | Refusal::Sites { .. }
        | Refusal::Exclusive { .. }
        | Refusal::Records { .. }
        | Refusal::Root { .. } => Failure::usage(refusal.to_string()),
    }
}

impl Session {
    /// Writes to standard error, before any answer, the files read (`--verbose`), and that
    /// `--compat` changes nothing for the systems that ignore it.
    fn mention(&self, loaded: &Loaded, console: &Console) {
        if self.verbose {
            let mut text = String::new();
            for source in &loaded.sources.files {
                text.push_str(&format!("read {}\n", clean(&source.name)));
            }
            let slow = loaded.documents_read_slowly();
            let all = loaded.documents_read();
            text.push_str(&format!(
                "documents: {all}, {slow} of them read by the full parser\n"
            ));
            console.note(&text);
        }
        if !self.settings.upstream {
            return;
        }
        let documents = loaded.documents();
        let there = |system: System| {
            documents
                .all
                .iter()
                .any(|document| document.kind.system() == Some(system))
        };
        let ignoring = systems::all()
            .into_iter()
            .filter(|one| there(one.profile().system));
        let sections: Vec<&str> = ignoring
            .filter_map(|one| one.profile().differences)
            .collect();
        if !sections.is_empty() {
            let sections = sections.join("; ");
            console.note(&format!(
                "--compat upstream changes nothing here (see planner-placement(7): {sections})\n"
            ));
        }
    }
}
