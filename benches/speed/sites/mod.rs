//! Generated sites: the same bytes on every machine.

pub mod airship;
pub mod deliveries;
pub mod growth;
pub mod hub;
pub mod hybrid;
pub mod kustomize;
pub mod many;
pub mod ocm;
pub mod ogc;
pub mod senlin;
pub mod small;
pub mod snapshot;

use std::fs;
use std::path::PathBuf;

/// How much the documents of an inventory hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// What such documents hold in the field.
    Whole,
    /// What decides, and nothing else.
    Bare,
}

/// A document, and a value of it with another one.
pub type Edited = (&'static str, &'static str, &'static str);

/// A site on the disk.
#[derive(Debug)]
pub struct Site {
    /// The file or directory to name to the program.
    pub path: PathBuf,
    /// Bytes of YAML.
    pub bytes: u64,
}

/// Where sites are generated: below the target directory.
pub fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("speed");
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Site {
    /// A directory with nothing in it.
    pub fn empty() -> Self {
        Self::of("empty", &[])
    }

    /// The same under another name, so that the next one of its name does not replace it.
    pub fn kept(self, name: &str) -> Self {
        let path = folder().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::rename(&self.path, &path).unwrap();
        Self { path, ..self }
    }

    /// A copy under another name in which a text that is there once or more is another one, the
    /// first time.
    pub fn edited(&self, name: &str, edits: &[(&str, &str)]) -> Self {
        let files = fs::read_dir(&self.path).unwrap().map(|file| {
            let file = file.unwrap().path();
            let mut text = fs::read_to_string(&file).unwrap();
            for (from, to) in edits {
                text = text.replacen(from, to, 1);
            }
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            (name, text)
        });
        let files: Vec<(String, String)> = files.collect();
        Self::of(name, &files)
    }

    /// The site with one more file.
    pub fn and(self, (name, text): (&str, &str)) -> Self {
        fs::write(self.path.join(name), text).unwrap();
        Self {
            bytes: self.bytes + text.len() as u64,
            ..self
        }
    }

    /// The site with another one in a directory of its own.
    pub fn with(self, other: &Self) -> Self {
        let path = self.path.join("other");
        fs::rename(&other.path, path).unwrap();
        Self {
            bytes: self.bytes + other.bytes,
            ..self
        }
    }

    /// A directory of files, made anew.
    pub fn of(name: &str, files: &[(String, String)]) -> Self {
        let path = folder().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let mut bytes = 0;
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
            bytes += text.len() as u64;
        }
        Self { path, bytes }
    }
}

/// Numbers that look random and are the same everywhere (splitmix64).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }

    /// One of several words.
    pub fn one<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.roll(words.len())]
    }
}
