//! `--output FORMAT[=FILE]`: which formats, where to, written whole or not at all.

use std::cell::Cell;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::console::Console;
use super::failure::Failure;
use super::formats::Format;
use super::write::{self, Fault, Readers};
use crate::kit::nearest::{hint, nearest};
use crate::render::text::Screen;

/// One output asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output<F> {
    /// The format.
    pub format: F,
    /// The file; standard output without one.
    pub file: Option<PathBuf>,
}

impl<F> Output<F> {
    /// The screen that it is written for.
    pub(super) fn screen(&self, console: &Console) -> Screen {
        match self.file {
            Some(_) => Screen::piped(),
            None => console.screen(),
        }
    }

    /// Writes it, to its file or to standard output.
    ///
    /// # Errors
    /// An output that cannot be written (1).
    pub(super) fn emit(
        &self,
        console: &Console,
        produce: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let (name, result) = match &self.file {
            Some(file) => {
                let written = write::replace(file, Readers::AsBefore, produce);
                (file.display().to_string(), written)
            }
            None => {
                let written = console.stream(produce).map_err(Fault::Failed);
                ("standard output".to_owned(), written)
            }
        };
        result.map_err(|fault| fault.of(&name))
    }
}

/// All outputs of a run; one of them goes to standard output.
#[derive(Debug)]
pub(super) struct Outputs<F> {
    all: Vec<Output<F>>,
    /// None of the files is an input.
    guarded: Cell<bool>,
}

impl<F: Format> Outputs<F> {
    /// Reads the flags' values. Without one for standard output the first format goes there.
    ///
    /// # Errors
    /// Unknown formats, and two formats for standard output.
    pub(super) fn parse(words: &[String]) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for word in words {
            all.push(one(word)?);
        }
        match all.iter().filter(|output| output.file.is_none()).count() {
            0 => all.insert(
                0,
                Output {
                    format: F::value_variants()[0],
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
        Ok(Self::of(all))
    }

    /// One file alone; `-` is standard output.
    ///
    /// # Errors
    /// A file without a name.
    pub(super) fn to_file(format: F, word: &str) -> Result<Self, Failure> {
        let named = format!("{}=", format.word());
        let file = match word.strip_prefix(&named).unwrap_or(word) {
            "" => return Err(Failure::usage("--output: the file has no name")),
            "-" => None,
            file => Some(PathBuf::from(file)),
        };
        Ok(Self::of(vec![Output { format, file }]))
    }

    /// Standard output alone.
    pub(super) fn stdout(format: F) -> Self {
        Self::of(vec![Output { format, file: None }])
    }

    fn of(all: Vec<Output<F>>) -> Self {
        Self {
            all,
            guarded: Cell::new(false),
        }
    }

    /// With files as seen from anywhere: the site may lie elsewhere.
    ///
    /// # Errors
    /// There is no working directory.
    pub(super) fn absolute(mut self) -> Result<Self, Failure> {
        let here =
            env::current_dir().map_err(|error| Failure::system(error, "no working directory"))?;
        for output in &mut self.all {
            output.file = output.file.take().map(|file| here.join(file));
        }
        Ok(self)
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Output<F>] {
        &self.all
    }

    /// Whether the files have been held against what was read.
    pub(super) fn are_guarded(&self) -> bool {
        self.guarded.get()
    }

    /// Whether a format is among them.
    pub(super) fn has(&self, format: F) -> bool {
        self.all.iter().any(|output| output.format == format)
    }

    /// Whether standard output is for people.
    pub(super) fn for_people(&self) -> bool {
        let mut stdout = self.all.iter().filter(|output| output.file.is_none());
        stdout.all(|output| output.format.program().is_none())
    }

    /// Refuses to write over an input or another output.
    ///
    /// # Errors
    /// When an output's file is one of the inputs, a directory, or the file of two outputs.
    pub(super) fn guard(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        self.guard_with(None, inputs)
    }

    /// The same, with one more file that is to be written.
    ///
    /// # Errors
    /// As [`Self::guard`].
    pub(super) fn guard_with(
        &self,
        more: Option<&Path>,
        inputs: &[PathBuf],
    ) -> Result<(), Failure> {
        let files = self.all.iter().filter_map(|output| output.file.as_deref());
        guard(files.chain(more), inputs)?;
        self.guarded.set(true);
        Ok(())
    }
}

fn one<F: Format>(word: &str) -> Result<Output<F>, Failure> {
    let (name, file) = match word.split_once('=') {
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (word, None),
    };
    let known = F::value_variants();
    let Some(format) = known.iter().find(|format| format.word() == name) else {
        let known: Vec<String> = known.iter().map(|format| format.word()).collect();
        let near = nearest(name, known.iter().map(String::as_str));
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
            "--output {word}: the file has no name"
        )));
    }
    Ok(Output {
        format: *format,
        file,
    })
}

/// Refuses files that are inputs, directories or written twice.
///
/// # Errors
/// As it says (64).
pub(super) fn guard<'f>(
    files: impl Iterator<Item = &'f Path>,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for file in files {
        let target = real(file);
        let device = |path: &Path| fs::metadata(path).is_ok_and(|meta| !meta.is_file());
        if seen.contains(&target) && !device(&target) {
            let file = file.display();
            return Err(Failure::usage(format!("two outputs go to {file}")));
        }
        if let Some(why) = write::unfit(file) {
            let file = file.display();
            return Err(Failure::usage(why).context(format!("cannot write {file}")));
        }
        let other_name = other_name(&target);
        let is_target = |input: &PathBuf| real(input) == target || other_name(input);
        seen.push(target.clone());
        if !device(&target) && inputs.iter().any(is_target) {
            return Err(Failure::usage(format!(
                "{} is one of the inputs and will not be overwritten",
                file.display()
            )));
        }
    }
    Ok(())
}

/// A path without links, whether or not there is a file.
fn real(path: &Path) -> PathBuf {
    let beside = || {
        let directory = match path.parent()? {
            parent if parent.as_os_str().is_empty() => Path::new("."),
            parent => parent,
        };
        Some(directory.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize()
        .ok()
        .or_else(beside)
        .unwrap_or_else(|| path.to_path_buf())
}

/// Whether another path is a name of the same file (a hard link).
#[cfg(unix)]
fn other_name(target: &Path) -> impl Fn(&Path) -> bool + use<> {
    use std::os::unix::fs::MetadataExt as _;
    let linked = fs::metadata(target).ok().filter(|meta| meta.nlink() > 1);
    let identity = |meta: &fs::Metadata| (meta.dev(), meta.ino());
    let linked = linked.as_ref().map(identity);
    move |path| {
        linked.is_some_and(|file| fs::metadata(path).is_ok_and(|meta| identity(&meta) == file))
    }
}

#[cfg(not(unix))]
fn other_name(_target: &Path) -> impl Fn(&Path) -> bool + use<> {
    |_| false
}
