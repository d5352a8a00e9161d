//! The pager of long screens, as git starts it.

use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a pager shows something: Ctrl-C is its own then.
static PAGING: AtomicBool = AtomicBool::new(false);

/// Whether a pager shows something.
pub(super) fn is_paging() -> bool {
    PAGING.load(Ordering::SeqCst)
}

/// The command of the pager; none where the environment wants none.
fn pager() -> Option<OsString> {
    let named = ["PLANNER_PAGER", "PAGER"].into_iter();
    let command = named.filter_map(env::var_os).next();
    let command = command.unwrap_or_else(|| "less".into());
    (!command.is_empty() && command != "cat").then_some(command)
}

/// Shows a text in the pager until the reader leaves it. Gives whether there is one.
pub(super) fn show(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<bool> {
    let Some(pager) = pager() else {
        return Ok(false);
    };
    // A command with its options, as git reads it.
    let mut command = if cfg!(unix) {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&pager);
        shell
    } else {
        Command::new(&pager)
    };
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    PAGING.store(true, Ordering::SeqCst);
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else {
        PAGING.store(false, Ordering::SeqCst);
        return Ok(false);
    };
    let written = match child.stdin.take() {
        Some(mut to) => write(&mut to),
        None => Ok(()),
    };
    let ended = child.wait();
    PAGING.store(false, Ordering::SeqCst);
    // 126 and 127 are the shell's: there is no such program.
    if ended?.code().is_some_and(|code| code == 126 || code == 127) {
        return Ok(false);
    }
    match written {
        // The reader has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(true),
        result => result.map(|()| true),
    }
}
