//! The program at a pseudo-terminal.

use std::process::{Command, Stdio};

use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};

use super::{Folder, PLANNER};

/// How long to wait for a word of the program, in milliseconds.
const PATIENCE: Option<u64> = Some(60_000);

pub(crate) fn start(mut command: Command) -> PtySession {
    command.stdin(Stdio::inherit());
    spawn_command(command, PATIENCE).unwrap()
}

/// The rest of the output and the status.
pub(crate) fn ended(mut session: PtySession) -> (String, i32) {
    let rest = session.exp_eof().unwrap();
    match session.process().wait().unwrap() {
        WaitStatus::Exited(_, status) => (rest, status),
        other => panic!("{other:?}: {rest}"),
    }
}

/// The rest of the output as UTF-8: each byte of it comes as a character of its own.
pub(crate) fn said(session: PtySession) -> String {
    let bytes = ended(session)
        .0
        .chars()
        .map(|c| u8::try_from(c).unwrap())
        .collect();
    String::from_utf8(bytes).unwrap()
}

/// The program in a shell at a terminal, so that streams can be redirected one by one.
pub(crate) fn shell(folder: &Folder, line: &str) -> PtySession {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder.path());
    for (name, value) in folder.command(&[]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("PLANNER", PLANNER);
    start(command)
}
