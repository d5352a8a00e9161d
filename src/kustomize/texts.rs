//! The files of kustomizations: found, read once, and refused where they may not be read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::path::lexical;
use crate::source::{Place, Source, SourceId, Sources, Span};
use crate::yaml::Limits;

use super::fault::Fault;
use super::fields::Text;
use super::files::{Files, Kind, ReadFault};
use super::node::Node;
use super::read::{self, Unreadable};
use super::rules;

/// A text that was read once.
type Documents = Result<Vec<Arc<Node>>, Unreadable>;
/// A file that cannot be read: the class of the fault is its kind.
type FileText = Result<(SourceId, Arc<Source>), Option<ReadFault>>;

/// The files that were read so far.
pub struct Texts<'f> {
    pub(super) files: &'f dyn Files,
    /// The files that were read, and those of the caller.
    pub sources: Sources,
    numbers: FxHashMap<PathBuf, SourceId>,
    pub(super) limits: Limits,
    documents: FxHashMap<PathBuf, Arc<Documents>>,
    /// The files that kustomizations name, and their own.
    pub(super) touched: FxHashSet<PathBuf>,
}

impl<'f> Texts<'f> {
    /// Files of which the caller has read some.
    pub(super) fn new(
        files: &'f dyn Files,
        sources: Sources,
        read: impl IntoIterator<Item = (PathBuf, SourceId)>,
        limits: Limits,
    ) -> Self {
        let read = read.into_iter();
        Self {
            files,
            sources,
            numbers: read
                .map(|(path, number)| (files.real(&path), number))
                .collect(),
            limits,
            documents: FxHashMap::default(),
            touched: FxHashSet::default(),
        }
    }

    /// The number of a file, which is read if it has none.
    pub(super) fn text(&mut self, path: &Path) -> FileText {
        if let Some(number) = self.numbers.get(path) {
            let source = &self.sources.files[number.0 as usize];
            return Ok((*number, Arc::clone(source)));
        }
        let bytes = self.files.read(path).map_err(Some)?;
        let text = String::from_utf8(bytes).map_err(|_| None)?;
        let name = self.files.name(path);
        let number = self.sources.add(Source::new(name, text));
        self.numbers.insert(path.to_path_buf(), number);
        Ok((number, Arc::clone(&self.sources.files[number.0 as usize])))
    }

    /// The real path of a file that a kustomization names; a fault where it may not be read.
    pub(super) fn locate(
        &self,
        home: &Path,
        path: &Text,
        rule_of_missing: &str,
    ) -> Result<PathBuf, Fault> {
        let whole = home.join(&*path.text);
        if Path::new(&*path.text).is_absolute() {
            return Err(outside(path, "is an absolute path"));
        }
        let real = self.files.real(&whole);
        match self.files.kind(&whole) {
            Some(Kind::File) if real.starts_with(home) => Ok(real),
            Some(Kind::File) => Err(outside(
                path,
                "is not in or below the directory of the kustomization",
            )),
            Some(Kind::Directory) => Err(Fault::new(
                &rules::MISSING,
                format!("`{}` is a directory, not {rule_of_missing}", path.text),
                path.place,
            )
            .help("name a file")),
            None => Err(self.missing(home, path)),
        }
    }

    /// A path that names nothing.
    pub(super) fn missing(&self, home: &Path, path: &Text) -> Fault {
        let shown = match &*path.text {
            "" => "an empty path".to_owned(),
            text => format!("`{}`", text.lines().next().unwrap_or(text)),
        };
        let fault = Fault::new(&rules::MISSING, format!("{shown} is not there"), path.place);
        let (above, last) = path.text.rsplit_once('/').unwrap_or(("", &path.text));
        let names = self.files.names(&lexical(&home.join(above)));
        let near = nearest(last, names.iter().map(|(name, _)| name.as_str()));
        match near {
            Some(near) if above.is_empty() => fault.help(did_you_mean(near)),
            Some(near) => fault.help(did_you_mean(&format!("{above}/{near}"))),
            None => fault.help("correct the path, or add the file"),
        }
    }

    /// The content of a file that a kustomization names.
    pub(super) fn content(
        &mut self,
        home: &Path,
        path: &Text,
        what: &str,
    ) -> Result<(SourceId, Arc<Source>), Fault> {
        let real = self.locate(home, path, what)?;
        self.touched.insert(real.clone());
        self.text(&real).map_err(|why| closed(path, why))
    }

    /// The bytes of a file that a kustomization names.
    pub(super) fn bytes(&mut self, home: &Path, path: &Text) -> Result<Vec<u8>, Fault> {
        let real = self.locate(home, path, "a file")?;
        self.touched.insert(real.clone());
        self.files
            .read(&real)
            .map_err(|why| closed(path, Some(why)))
    }

    /// The documents of a file, read once.
    fn file_documents(&mut self, real: &Path, path: &Text) -> Result<Arc<Documents>, Fault> {
        if let Some(known) = self.documents.get(real) {
            return Ok(Arc::clone(known));
        }
        let (source, text) = self.text(real).map_err(|why| closed(path, why))?;
        let at = |span: Span| Place { source, span };
        let read = read::documents(&text.text, self.limits, &at).and_then(read::objects);
        let read = Arc::new(read);
        self.documents.insert(real.to_path_buf(), Arc::clone(&read));
        Ok(read)
    }

    /// The objects of a file that a kustomization names.
    pub(super) fn objects(&mut self, home: &Path, path: &Text) -> Result<Vec<Arc<Node>>, Fault> {
        let real = self.locate(home, path, "a file")?;
        self.touched.insert(real.clone());
        let documents = self.file_documents(&real, path)?;
        match &*documents {
            Ok(nodes) => Ok(nodes.clone()),
            Err(why) => Err(unreadable(why, path.place)),
        }
    }
}

pub(super) fn outside(path: &Text, why: &str) -> Fault {
    Fault::new(
        &rules::OUTSIDE,
        format!("`{}` {why}", path.text),
        path.place,
    )
    .help("move the file there, or give the directory a kustomization and list that")
}

/// A file that cannot be read as text.
pub(super) fn closed(path: &Text, why: Option<ReadFault>) -> Fault {
    let text = &path.text;
    match why {
        Some(ReadFault::Unreadable(why)) => Fault::new(
            &rules::MISSING,
            format!("`{text}` cannot be read: {why}"),
            path.place,
        ),
        Some(ReadFault::TooLarge(limit)) => Fault::new(
            &rules::LIMIT,
            format!("`{text}` is larger than the limit of {limit} bytes"),
            path.place,
        )
        .help("raise `file-bytes` under `[limits]` in planner.toml"),
        None => Fault::new(
            &rules::UNREADABLE,
            format!("`{text}` is not UTF-8"),
            path.place,
        )
        .help("save it as UTF-8"),
    }
}

/// A file whose documents cannot be read; `from` is the line that lists it.
pub(super) fn unreadable(why: &Unreadable, from: Place) -> Fault {
    let rule = if why.limit {
        &rules::LIMIT
    } else {
        &rules::UNREADABLE
    };
    let fault = Fault::new(rule, why.message.clone(), why.place);
    let fault = match &why.help {
        Some(help) => fault.help(help.clone()),
        None => fault,
    };
    if from == why.place {
        fault
    } else {
        fault.related(from, "listed here")
    }
}
