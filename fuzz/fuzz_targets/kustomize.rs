//! Any texts as a directory of kustomizations: all are built, and what is built is read again.
#![no_main]

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use planner::kustomize::{Builder, Files, Kind, ReadFault};
use planner::load;
use planner::source::Sources;
use planner::yaml::{Limits, parse};

/// What begins the name of the next file.
const FILE: &str = "=== ";

/// The files of one input.
struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    fn of(text: &str) -> Self {
        let mut files = BTreeMap::new();
        let mut name = PathBuf::from("/site/kustomization.yaml");
        for line in text.split_inclusive('\n') {
            match line.strip_prefix(FILE) {
                Some(next) => name = lexical(&Path::new("/site").join(next.trim())),
                None => {
                    let file: &mut Vec<u8> = files.entry(name.clone()).or_default();
                    file.extend(line.as_bytes());
                }
            }
        }
        Self(files)
    }
}

fn lexical(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => {
                whole.pop();
            }
            _ => {}
        }
    }
    whole
}

impl Files for Memory {
    fn kind(&self, path: &Path) -> Option<Kind> {
        let path = lexical(path);
        if self.0.contains_key(&path) {
            return Some(Kind::File);
        }
        let holds = |file: &PathBuf| file.starts_with(&path);
        self.0.keys().any(holds).then_some(Kind::Directory)
    }

    fn real(&self, path: &Path) -> PathBuf {
        lexical(path)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadFault> {
        let file = self.0.get(&lexical(path));
        file.cloned().ok_or_else(|| ReadFault::Unreadable("there is none".into()))
    }

    fn names(&self, directory: &Path) -> Vec<(String, bool)> {
        let mut names = BTreeMap::new();
        for file in self.0.keys() {
            let Ok(below) = file.strip_prefix(directory) else {
                continue;
            };
            let mut parts = below.components();
            if let Some(first) = parts.next() {
                let name = first.as_os_str().to_string_lossy().into_owned();
                names.insert(name, parts.next().is_some());
            }
        }
        names.into_iter().collect()
    }

    fn name(&self, path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }
}

fuzz_target!(|text: &str| {
    let files = Memory::of(text);
    let paths = [PathBuf::from("/site")];
    let builder = Builder::new(&files, &paths, Sources::default(), [], Limits::default());
    let mut builder = builder.open().with_traps(&load::TRAPS);
    let homes = builder.discover(&paths);
    let roots = builder.roots(homes, &[], &|group, kind| load::is_ours(group, kind), true);
    let _ = builder.notes(&roots, &[]);
    for root in &roots.roots {
        for document in &root.built.documents {
            let tree = document.tree();
            let _ = (tree, document.json());
        }
    }
    let sources = std::mem::take(&mut builder.sources);
    for root in roots.roots {
        let mut out = Vec::new();
        planner::render::text::rendered(&root.built.documents, true, &sources, &mut out)
            .expect("written");
        let text = String::from_utf8(out).expect("text");
        let again = parse(Default::default(), &text, 0..text.len(), Limits::default());
        assert!(again.faults.is_empty(), "{text}\n{:?}", again.faults);
        assert_eq!(again.documents.len(), root.built.documents.len(), "{text}");
    }
});
