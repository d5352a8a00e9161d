//! Programs that run for us, each in a process group that ends whole: when the time is up, on
//! Ctrl-C, and, where a guard stands by, whatever becomes of this program.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

/// The argument under which this program is the guard of a process group.
pub const GUARD: &str = "__guard";

/// The process group that runs just now; 0 if none.
static RUNNING: AtomicI32 = AtomicI32::new(0);

/// Whether Ctrl-C has come: this program ends any moment.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the program that runs just now with all it started; for the handler of Ctrl-C, which must
/// end this program next: what waited for the other one waits for that.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::SeqCst);
    end(RUNNING.swap(0, Ordering::SeqCst));
}

/// The guard of a process group: waits until the pipe on standard input closes, as it does when
/// the program that started it is gone, and then ends the group, itself included.
#[must_use]
pub fn guard(mut pipe: impl io::Read) -> ExitCode {
    // However reading ends, the other process is gone.
    let _ = io::copy(&mut pipe, &mut io::sink());
    #[cfg(unix)]
    {
        use rustix::process::{getpgrp, getpid};
        // Started by hand it may be in a group of others, which is none of its business.
        if getpgrp() == getpid() {
            end(getpid().as_raw_nonzero().get());
        }
    }
    ExitCode::SUCCESS
}

#[cfg(unix)]
fn end(group: i32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = Pid::from_raw(group).filter(|_| group > 1) {
        // It may be gone already, as intended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end(_group: i32) {}

/// A process group, empty until a program is started in it; ended when it is dropped. Where there
/// are no process groups the program alone is ended, by the code that started it.
#[derive(Debug)]
pub(crate) struct Group {
    /// The group; 0 as long as there is none.
    id: i32,
    /// Leads the group, so that no other group can get its number; dropped, its pipe closes.
    guard: Option<Child>,
}

impl Group {
    /// A group with a guard, if one can be started: `program` is this program.
    pub(crate) fn new(program: Option<&Path>) -> Self {
        let guard = program
            .filter(|_| cfg!(unix))
            .and_then(|program| stand_by(program).ok());
        let id = guard.as_ref().map_or(0, id);
        Self { id, guard }
    }

    /// Starts a program in the group.
    pub(crate) fn start(&mut self, command: &mut Command) -> io::Result<Child> {
        lead(command, self.id);
        let child = command.spawn()?;
        if self.id == 0 {
            self.id = id(&child);
        }
        RUNNING.store(self.id, Ordering::SeqCst);
        Ok(child)
    }

    /// Ends all that is in the group.
    pub(crate) fn end(&mut self) {
        let _ = RUNNING.compare_exchange(self.id, 0, Ordering::SeqCst, Ordering::SeqCst);
        end(std::mem::take(&mut self.id));
        if let Some(mut guard) = self.guard.take() {
            // It was ended with the group; else its pipe closes here.
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
        // Without its answer the plan, and so the status, would differ.
        while INTERRUPTED.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

fn id(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap_or(0)
}

/// Starts the guard of a new group.
fn stand_by(program: &Path) -> io::Result<Child> {
    let mut command = Command::new(program);
    command
        .arg(GUARD)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    lead(&mut command, 0);
    command.spawn()
}

/// Has a program join a group, or lead one of its own.
fn lead(command: &mut Command, group: i32) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, group);
    #[cfg(not(unix))]
    let _ = (command, group);
}
