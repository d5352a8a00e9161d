//! `--output FORMAT[=FILE]`: which formats, where to, written whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::console::Console;
use super::failure::Failure;
use super::write;
use crate::kit::nearest::{hint, nearest};

/// One output asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    /// The format's name.
    pub format: &'static str,
    /// The file; standard output without one.
    pub file: Option<PathBuf>,
}

/// Reads the flags' values. Without one for standard output the first of `known` goes there.
///
/// # Errors
/// Unknown formats, and two formats for standard output.
pub(super) fn parse(values: &[String], known: &[&'static str]) -> Result<Vec<Output>, Failure> {
    let mut outputs: Vec<Output> = Vec::new();
    for value in values {
        let (name, file) = match value.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (value.as_str(), None),
        };
        let Some(format) = known.iter().find(|format| **format == name) else {
            let near = nearest(name, known.iter().copied());
            let hint = hint(near.as_slice());
            let list = known.join(", ");
            return Err(Failure::usage(format!(
                "there is no output format \"{name}\" here (there are {list}){hint}"
            )));
        };
        if file
            .as_ref()
            .is_some_and(|file| file.as_os_str().is_empty())
        {
            return Err(Failure::usage(format!(
                "--output {value}: the file has no name"
            )));
        }
        outputs.push(Output { format, file });
    }
    match outputs
        .iter()
        .filter(|output| output.file.is_none())
        .count()
    {
        0 => outputs.insert(
            0,
            Output {
                format: known[0],
                file: None,
            },
        ),
        1 => {}
        _ => {
            return Err(Failure::usage(
                "only one --output can go to standard output; give the others a file, \
                 FORMAT=FILE",
            ));
        }
    }
    Ok(outputs)
}

/// The format of standard output.
#[must_use]
pub(super) fn on_stdout(outputs: &[Output]) -> &'static str {
    outputs
        .iter()
        .find(|output| output.file.is_none())
        .map_or("text", |output| output.format)
}

/// Refuses to write over an input or another output.
///
/// # Errors
/// When an output's file is one of the inputs, a directory, or the file of two outputs.
pub(super) fn guard(outputs: &[Output], inputs: &[PathBuf]) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    let mut seen: Vec<PathBuf> = Vec::new();
    for output in outputs {
        let Some(file) = &output.file else { continue };
        let target = real(file);
        let device = |path: &Path| std::fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        let name = target.clone().unwrap_or_else(|| file.clone());
        if seen.contains(&name) && !device(&name) {
            let file = file.display();
            return Err(Failure::usage(format!("two outputs go to {file}")));
        }
        seen.push(name);
        let Some(target) = target else { continue };
        if target.is_dir() {
            return Err(Failure::usage(format!("{} is a directory", file.display())));
        }
        if inputs
            .iter()
            .any(|input| real(input).as_ref() == Some(&target))
        {
            return Err(Failure::usage(format!(
                "{} is one of the inputs; it is not written over",
                file.display()
            )));
        }
    }
    Ok(())
}

/// Writes one output, to its file or to standard output.
///
/// # Errors
/// An output that cannot be written (1).
pub(super) fn emit(
    output: &Output,
    console: &Console,
    produce: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let (name, result) = match &output.file {
        Some(file) => (file.display().to_string(), write::replace(file, produce)),
        None => ("standard output".to_owned(), console.stream(produce)),
    };
    result.map_err(|error| Failure::system(error, format!("cannot write {name}")))
}
