//! `planner render`: what a kustomization makes.

mod list;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Sink;
use crate::document::secret::hide_in_finding;
use crate::kustomize::{Builder, Built, Document, Files as _, Kind, NAMES};
use crate::load;
use crate::render::{json, text};
use crate::source::{Place, Sources};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::RenderArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::RenderFormat;
use super::session::{Session, keep};

/// Runs the command.
///
/// # Errors
/// Bad arguments, several kustomizations, none at all.
pub(super) fn run(args: &RenderArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let path = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let paths = vec![path.clone()];
    let run = Run::new(&args.common, &paths, outputs, console);
    run.answer(|| {
        let session = keep(Session::new(&paths, &args.common, console)?);
        let request = &session.request;
        let directory = request.directory.join(&path);
        if request.kind(&directory) != Some(Kind::Directory) {
            let what = path.display();
            return Err(Failure::new(
                Exit::NoInput,
                format!("{what}: there is no such directory"),
            ));
        }
        if args.list {
            return list::run(session, &path, &directory);
        }
        let is_file = |name: &str| request.kind(&directory.join(name)) == Some(Kind::File);
        if !NAMES.iter().any(|name| is_file(name)) {
            let what = path.display();
            return Err(Failure::new(
                Exit::NoInput,
                format!("{what}: there is no kustomization"),
            ));
        }
        let builder = Builder::new(request, &paths, Sources::default(), [], request.limits);
        let around = load::repository(&directory).unwrap_or(&request.directory);
        let builder = builder.open().around(around).with_traps(&load::TRAPS);
        let mut builder = builder.with_generate(request.generate);
        let built = builder.build(&directory);
        let mut found = Sink::default();
        found.diagnostics.extend(built.findings.iter().cloned());
        let copied = built.documents.iter().flat_map(Document::secrets);
        hide_secrets(&mut found, &builder.sources, &copied.collect::<Vec<_>>());
        let outcome = if found.has_errors() {
            Outcome::Fault
        } else {
            Outcome::Fine
        };
        let sources: &'static Sources = keep(std::mem::take(&mut builder.sources));
        let answer = Rendering {
            name: shown(&path),
            built,
            origins: args.origins,
            found: found.clone(),
            sources,
        };
        Ok(Answer::new(answer, outcome).found(found, sources))
    })
}

/// Takes the values of Secrets out of findings.
fn hide_secrets(found: &mut Sink, sources: &Sources, copied: &[(Place, Arc<str>)]) {
    for found in &mut found.diagnostics {
        hide_in_finding(found, sources, copied);
    }
}

/// The name of a directory in data.
fn shown(path: &Path) -> String {
    let name = path.to_string_lossy().replace('\\', "/");
    let name = name.trim_end_matches('/').trim_start_matches("./");
    match name {
        "" => ".".to_owned(),
        name => name.to_owned(),
    }
}

/// The built documents.
struct Rendering {
    name: String,
    built: Built,
    origins: bool,
    found: Sink,
    sources: &'static Sources,
}

impl Data<RenderFormat> for Rendering {
    fn write(&self, format: RenderFormat, out: &mut Out<'_>) -> io::Result<()> {
        match format {
            RenderFormat::Yaml => text::rendered(
                &self.built.documents,
                self.origins,
                self.sources,
                out.bare(),
            ),
            RenderFormat::Json => {
                let built = [(self.name.clone(), &self.built)];
                out.json(&json::Rendered::new(
                    &built,
                    self.origins,
                    &self.found,
                    self.sources,
                ))
            }
        }
    }
}
