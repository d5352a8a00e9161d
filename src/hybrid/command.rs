//! Runs the programs that advise: without a shell, in a process group of their own, with limits.
//!
//! See "Advisors" in planner-placement(7). The only part of hybrid placement that
//! touches the world, and only if the user allows it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::engine::{Decision, Given, Request, Runner};
use super::model::{Command as Written, Inventory, Object, ObjectId, Reference};
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::safe::clean_lines;
use crate::options::Options;
use crate::process::Group;
use crate::source::Sources;

/// Most bytes a program may write.
const OUTPUT_LIMIT: u64 = 1 << 20;
/// How long a killed program may take to be gone before it is left to the system.
const GRACE: Duration = Duration::from_secs(2);

/// Why a program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    NotAllowed,
    NotStarted(String),
    Status(String),
    TimedOut(u64),
    TooLong,
    NotUtf8,
    Form(String),
}

/// Runs programs for the engine and keeps what went wrong.
pub struct Commands<'s> {
    sources: &'s Sources,
    options: &'s Options,
    found: Vec<Diagnostic>,
}

impl<'s> Commands<'s> {
    /// Commands run in the directories of these files, if they are allowed.
    #[must_use]
    pub fn new(sources: &'s Sources, options: &'s Options) -> Self {
        Self {
            sources,
            options,
            found: Vec::new(),
        }
    }

    /// Hands over what went wrong.
    pub fn report(self, sink: &mut Sink) {
        self.found.into_iter().for_each(|found| sink.push(found));
    }

    fn answer(&self, request: &Request<'_, '_>) -> Result<Vec<Given>, Fault> {
        if !self.options.allow_commands {
            return Err(Fault::NotAllowed);
        }
        let name = &self.sources.get(request.command.place.source).name;
        let home = Path::new(name).parent().unwrap_or(Path::new(""));
        let directory = self.options.directory.join(home);
        let output = run(request.command, &directory, self.options, question(request))?;
        let text = std::str::from_utf8(&output).map_err(|_| Fault::NotUtf8)?;
        let mut given = read(text).map_err(Fault::Form)?;
        for one in &mut given {
            one.place = request.command.place;
        }
        Ok(given)
    }
}

impl Runner for Commands<'_> {
    fn ask(&mut self, request: &Request<'_, '_>) -> Option<Vec<Given>> {
        match self.answer(request) {
            Ok(given) => Some(given),
            Err(fault) => {
                self.found.push(finding(request, &fault));
                None
            }
        }
    }
}

fn finding(request: &Request<'_, '_>, fault: &Fault) -> Diagnostic {
    let program = request.command.argv.first().copied().unwrap_or_default();
    let advisor = request.advisor.name;
    let (rule, what, help) = match fault {
        Fault::NotAllowed => (
            &rules::COMMAND_NOT_RUN,
            format!("`{program}` was not run for advisor `{advisor}`"),
            "pass --allow-commands if you trust it; without its answer the rule waits",
        ),
        Fault::NotStarted(why) => (
            &rules::COMMAND_FAILED,
            format!("`{program}` cannot be started for advisor `{advisor}`: {why}"),
            "the program is looked up in PATH, or with a / from the document's directory",
        ),
        Fault::Status(status) => (
            &rules::COMMAND_FAILED,
            format!("`{program}` failed for advisor `{advisor}`: {status}"),
            "its standard error shows why; an answer needs exit status 0",
        ),
        Fault::TimedOut(seconds) => (
            &rules::COMMAND_FAILED,
            format!("`{program}` took longer than {seconds} s for advisor `{advisor}`"),
            "it was stopped; raise `timeoutSeconds` if it needs more time",
        ),
        Fault::TooLong => (
            &rules::COMMAND_FAILED,
            format!("`{program}` wrote more than 1 MiB for advisor `{advisor}`"),
            "it was stopped; write only the recommendations to standard output",
        ),
        Fault::NotUtf8 => (
            &rules::COMMAND_ANSWER,
            format!("the output of `{program}` for advisor `{advisor}` is not UTF-8"),
            "write JSON in UTF-8",
        ),
        Fault::Form(why) => (
            &rules::COMMAND_ANSWER,
            format!("the output of `{program}` for advisor `{advisor}` is not an answer: {why}"),
            "write one JSON object: {\"recommendations\": [{\"name\": \"a\", \"score\": 70}]}",
        ),
    };
    Diagnostic::new(rule, what)
        .not_refusing()
        .at(
            request.command.place,
            format!("asked in round {}", request.round),
        )
        .related(request.advisor.place, "the advisor it answers for")
        .help(help)
        .object(super::object_of(request.rule))
}

/// Runs a program to its end and returns its output.
fn run(
    asked: &Written<'_>,
    directory: &Path,
    options: &Options,
    question: String,
) -> Result<Vec<u8>, Fault> {
    let [program, arguments @ ..] = &asked.argv[..] else {
        return Err(Fault::NotStarted("no program is named".into()));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(
            options
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // All that is left of the group ends with it.
    let mut group = Group::new(options.program.as_deref());
    let mut child = group
        .start(&mut command)
        .map_err(|error| Fault::NotStarted(error.to_string()))?;
    if let Some(stdin) = child.stdin.take() {
        // Another thread, so that a program that reads nothing does not hold us up; it ends
        // with the program.
        let _ = helper(move || feed(stdin, &question));
    }
    let stderr = child.stderr.take();
    let (heard, listening) = mpsc::channel::<()>();
    let _ = helper(move || {
        pass_on(stderr);
        drop(heard);
    });
    let (send, receive) = mpsc::channel();
    helper(move || {
        let _ = send.send(collect(child));
    })
    .map_err(|error| Fault::NotStarted(error.to_string()))?;
    let seconds = asked.timeout_seconds;
    let ended = match receive.recv_timeout(Duration::from_secs(seconds)) {
        Ok(ended) => ended,
        Err(RecvTimeoutError::Timeout) => {
            group.end();
            let _ = receive.recv_timeout(GRACE);
            Err(Fault::TimedOut(seconds))
        }
        Err(RecvTimeoutError::Disconnected) => Err(Fault::Status("its result was lost".into())),
    };
    group.end();
    // Its last words come before ours.
    let _ = listening.recv_timeout(GRACE);
    ended
}

/// Starts a thread; a system that has no room for one must not end the program.
fn helper(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Passes on a program's standard error, made harmless.
fn pass_on(stderr: Option<ChildStderr>) {
    let Some(stderr) = stderr else { return };
    let mut said = BufReader::new(stderr.take(OUTPUT_LIMIT));
    let mut line = Vec::new();
    while said.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        // The program has ended, so an error of its input does not matter.
        let _ = std::io::stderr().write_all(clean_lines(&text).as_bytes());
        line.clear();
    }
    // Read the output beyond the limit too, so that the program does not wait, and drop it.
    let _ = std::io::copy(&mut said.into_inner().into_inner(), &mut std::io::sink());
}

fn feed(mut stdin: ChildStdin, question: &str) {
    // A program need not read the question.
    let _ = stdin.write_all(question.as_bytes());
}

/// Reads all output, then waits for the end.
fn collect(mut child: Child) -> Result<Vec<u8>, Fault> {
    let mut output = Vec::new();
    let read = match child.stdout.take() {
        Some(stdout) => stdout.take(OUTPUT_LIMIT + 1).read_to_end(&mut output),
        None => Ok(0),
    };
    if output.len() as u64 > OUTPUT_LIMIT {
        let _ = child.kill();
        let _ = child.wait();
        return Err(Fault::TooLong);
    }
    let status = child.wait();
    match (read, status) {
        (Ok(_), Ok(status)) if status.success() => Ok(output),
        (Ok(_), Ok(status)) => Err(Fault::Status(said(status))),
        (Err(error), _) | (_, Err(error)) => Err(Fault::Status(error.to_string())),
    }
}

fn said(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => "it was stopped by a signal".to_owned(),
    }
}

/// The question a program reads.
fn question(request: &Request<'_, '_>) -> String {
    let rule = request.rule;
    let object = |raw: &str| match raw {
        "" | "null" => "{}".to_owned(),
        raw => raw.to_owned(),
    };
    let inventory = &request.model.inventory;
    let candidates = request.candidates.iter();
    let candidates: Vec<Value> = candidates.map(|&id| described(inventory, id)).collect();
    let decisions = request.decisions.iter().map(|decision| match *decision {
        Decision::Object(id) => referred(inventory.object(id)),
        Decision::Unknown(index) => unknown(&rule.decisions[index]),
        Decision::Hub => Value::Null,
    });
    let decisions: Vec<Value> = decisions.collect();
    let advisor = request.advisor;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{{\"apiVersion\":\"planner/v1\",\"kind\":\"AdvisorRequest\",\"round\":{},\
         \"advisor\":{{\"name\":{},\"type\":\"{}\",\"weight\":{},\"rules\":{}}},\
         \"placementRule\":{{\"metadata\":{},\"spec\":{}}},\
         \"candidates\":{},\"decisions\":{}}}",
        request.round,
        Value::from(advisor.name),
        advisor.role.word(),
        advisor.weight,
        object(&advisor.rules_json),
        object(&rule.json.metadata),
        object(&rule.json.spec),
        Value::from(candidates),
        Value::from(decisions),
    );
    out
}

fn referred(object: &Object<'_>) -> Value {
    let mut value = serde_json::json!({
        "apiVersion": object.api_version,
        "kind": object.kind,
        "name": object.name,
    });
    if !object.namespace.is_empty() {
        value["namespace"] = object.namespace.into();
    }
    value
}

fn described(inventory: &Inventory<'_>, id: ObjectId) -> Value {
    let labels = inventory.labels_of(id);
    let labels = labels.map(|(key, value)| (key.to_owned(), Value::from(value)));
    let amounts = inventory.amounts_of(id);
    let amounts = amounts.map(|(key, value)| (key.to_owned(), Value::from(value)));
    let mut value = referred(inventory.object(id));
    value["labels"] = labels.collect();
    value["allocatable"] = amounts.collect();
    value
}

fn unknown(reference: &Reference<'_>) -> Value {
    let parts = [
        ("apiVersion", reference.api_version),
        ("kind", reference.kind),
        ("name", reference.name),
        ("namespace", reference.namespace),
    ];
    let given = { parts.into_iter() }.filter(|(_, text)| !text.is_empty());
    given
        .map(|(key, text)| (key.to_owned(), Value::from(text)))
        .collect()
}

/// Reads an answer, checked as the schema checks recommendations in documents.
fn read(text: &str) -> Result<Vec<Given>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON ({error})"))?;
    let list = value.get("recommendations");
    let Some(Value::Array(list)) = list else {
        return Err("`recommendations` must be a list".into());
    };
    let given = list.iter().enumerate().map(|(index, item)| {
        let at = format!("recommendations[{index}]");
        let Value::Object(item) = item else {
            return Err(format!("`{at}` must be a mapping"));
        };
        let text = |key: &str| match item.get(key) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(format!("`{at}.{key}` must be a string, not {other}")),
        };
        let score = match item.get("score") {
            None | Some(Value::Null) => None,
            Some(score) => {
                let within = score.as_i64().filter(|score| (0..=100).contains(score));
                Some(within.ok_or_else(|| {
                    format!("`{at}.score` must be a whole number from 0 to 100, not {score}")
                })?)
            }
        };
        Ok(Given {
            kind: text("kind")?,
            namespace: text("namespace")?,
            name: text("name")?,
            score,
            ..Given::default()
        })
    });
    given.collect()
}
