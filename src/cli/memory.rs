//! A limit of memory (`ulimit -v`): what does not fit ends with a message.
//!
//! Memory that cannot be had ends a program at once, wherever it is, and only another one can say
//! so. So under a limit this program runs once more, with the same arguments and streams, and what
//! becomes of that run is what becomes of this one.

use std::process::ExitCode;

/// Names the process that waits for this one.
const WAITS: &str = "PLANNER_WAITS";

/// Does the work, under a limit of memory in a process of its own.
pub(super) fn run(work: impl FnOnce() -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(ended) = elsewhere::run() {
        return ended;
    }
    work()
}

#[cfg(target_os = "linux")]
mod elsewhere {
    use std::env;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, ExitCode, ExitStatus};

    use rustix::process::{
        Pid, Resource, Signal, getpid, getppid, getrlimit, kill_process,
        set_parent_process_death_signal,
    };

    use super::WAITS;
    use crate::cli::Exit;
    use crate::cli::confirm::on_interrupt;
    use crate::cli::console::{ColorChoice, Console};

    /// How the run in another process ended; none where the work is to be done here.
    pub(super) fn run() -> Option<ExitCode> {
        let limit = getrlimit(Resource::As).current?;
        let waits = env::var(WAITS).ok().and_then(|id| id.parse::<i32>().ok());
        let parent = getppid().map(|id| id.as_raw_nonzero().get());
        if waits.is_some() && waits == parent {
            // Without the other process nobody takes the answer.
            let _ = set_parent_process_death_signal(Some(Signal::TERM));
            return None;
        }
        let mut other = Command::new(env::current_exe().ok()?)
            .args(env::args_os().skip(1))
            // Where in the program it happens says nothing.
            .env("RUST_BACKTRACE", "0")
            .env(WAITS, getpid().as_raw_nonzero().get().to_string())
            .spawn()
            .ok()?;
        // Whoever ends this process means the other one, which may have something to say.
        let id = i32::try_from(other.id()).ok().and_then(Pid::from_raw);
        let forward = move || {
            let _ = id.map(|id| kill_process(id, Signal::INT));
        };
        // Without it the other process goes with this one.
        on_interrupt(forward);
        Some(ended(other.wait().ok()?, limit))
    }

    fn ended(status: ExitStatus, limit: u64) -> ExitCode {
        let signal = status.signal();
        let memory = [Signal::ABORT, Signal::SEGV, Signal::BUS];
        if memory.iter().any(|one| signal == Some(one.as_raw())) {
            Console::new(ColorChoice::Never, false, false).err(&format!(
                "planner: out of memory: the limit (`ulimit -v`) is {} MiB; raise it, or give \
                 fewer PATHs\n",
                limit >> 20
            ));
            return ExitCode::from(Exit::Fault.code());
        }
        let code = status.code().or_else(|| Some(128 + signal?));
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}
