//! The command line: arguments, streams, the question, exit statuses. The only module that
//! prints, reads the environment or looks at the clock.

mod against;
mod answer;
pub mod args;
mod baseline;
mod begins;
mod confirm;
pub mod console;
mod drift;
mod exit;
mod explain;
mod export;
mod failure;
mod fixes;
mod formats;
mod generate;
mod graph;
mod guard;
mod habits;
mod init;
mod inputs;
mod keep;
mod lsp;
mod man;
mod mcp;
mod memory;
mod migrate;
mod onward;
mod output;
mod pager;
mod plan;
mod proceed;
mod progress;
mod records;
mod render;
mod report;
mod result;
mod revision;
mod risk;
mod saved;
mod session;
mod simulate;
mod site;
mod sites;
mod sweep;
mod test;
mod validate;
mod why;
mod without;
mod write;

use std::env;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::thread;

use clap::error::ErrorKind;

use crate::parallel;
use crate::process;
use args::{Cli, Command};
use console::{ColorChoice, Console};
pub use exit::Exit;
use failure::Failure;
pub use man::pages;

/// Runs the program with the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    if env::args_os()
        .nth(1)
        .is_some_and(|first| first == process::GUARD)
    {
        return process::guard(io::stdin().lock());
    }
    report_full_files();
    memory::run(|| {
        // A thread has the stack that it asks for, whatever the limit of the first one is.
        let started = parallel::thread().spawn(work);
        match started.map(thread::JoinHandle::join) {
            Ok(Ok(ended)) => ended,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => work(),
        }
    })
}

/// A file that may not grow any further (`ulimit -f`) is an error like any other, not the end of
/// the program.
fn report_full_files() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let full: SigSet = [Signal::SIGXFSZ].into_iter().collect();
        // Before the first thread starts: all have it then. Child programs start without.
        let _ = full.thread_block();
    }
}

fn work() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            let fine = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            let words: Vec<_> = env::args_os().skip(1).collect();
            let words = words.iter().filter_map(|word| word.to_str());
            if let Some(line) = habits::line(words).filter(|_| !fine) {
                Console::new(ColorChoice::Auto, false, false).err(&format!("planner: {line}\n"));
                return ExitCode::from(Exit::Usage.code());
            }
            let printed = error.print().and_then(|()| io::stdout().flush());
            return ExitCode::from(match printed {
                // A reader that has gone away is not a fault.
                Err(error) if fine && error.kind() != io::ErrorKind::BrokenPipe => {
                    Exit::Fault.code()
                }
                _ if fine => 0,
                _ => Exit::Usage.code(),
            });
        }
    };
    let common = match &cli.command {
        Command::Validate(args) => Some(&args.common),
        Command::Plan(args) => Some(&args.common),
        Command::Test(args) => Some(&args.common),
        Command::Why(args) => Some(&args.common),
        Command::Simulate(args) => Some(&args.common),
        Command::Graph(args) => Some(&args.common),
        Command::Export(args) => Some(&args.common),
        Command::Drift(args) => Some(&args.common),
        Command::Migrate(args) => Some(&args.common),
        Command::Render(args) => Some(&args.common),
        Command::Risk(args) => Some(&args.common),
        Command::Report(args) => Some(&args.common),
        Command::Show(args) => Some(&args.common),
        Command::Proceed(args) => Some(&args.common),
        Command::Diff(args) => Some(&args.common),
        Command::Init(args) => Some(&args.common),
        Command::Explain(_)
        | Command::Lsp(_)
        | Command::Mcp(_)
        | Command::Schema(_)
        | Command::Completions(_)
        | Command::Man(_) => None,
    };
    let console = Console::new(
        common.map_or(ColorChoice::Auto, |common| common.color),
        common.is_some_and(|common| common.quiet),
        common.is_none_or(|common| !common.no_pager),
    );
    confirm::watch_interrupts(&console);
    let exit = dispatch(&cli.command, &console).unwrap_or_else(|failure| {
        if let Some(error) = failure.error {
            let message = format!("{error:#}");
            console.err(&format!(
                "planner: {}\n",
                crate::render::clean_lines(&message)
            ));
        }
        failure.exit
    });
    ExitCode::from(exit.code())
}

fn dispatch(command: &Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Validate(args) => validate::run(args, console),
        Command::Explain(args) => explain::run(args, console),
        Command::Init(args) => init::run(args, console),
        Command::Lsp(args) => lsp::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Schema(args) => generate::schema(args, console),
        Command::Completions(args) => generate::completions(args, console),
        Command::Man(args) => man::run(args, console),
        Command::Plan(args) => match &args.against {
            Some(against) => against::run(args, against, console),
            None if !args.without.is_empty() => without::run(args, console),
            None => plan::run(args, console),
        },
        Command::Test(args) => test::run(args, console),
        Command::Why(args) => why::run(args, console),
        Command::Simulate(args) => match &args.result {
            Some(file) => result::run(args, file, console),
            None => simulate::run(args, console),
        },
        Command::Graph(args) => graph::run(args, console),
        Command::Export(args) => export::run(args, console),
        Command::Drift(args) => drift::run(args, console),
        Command::Migrate(args) => migrate::run(args, console),
        Command::Render(args) => render::run(args, console),
        Command::Risk(args) => risk::run(args, console),
        Command::Report(args) => report::run(args, console),
        Command::Show(args) => saved::show(args, console),
        Command::Proceed(args) => saved::proceed(args, console),
        Command::Diff(args) => saved::diff(args, console),
    }
}
