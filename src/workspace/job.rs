//! One run over a site, which any thread may make.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Sink;
use crate::expect;
use crate::fix::{self, Fixed, Judged, Texts};
use crate::hub;
use crate::load::git::{Git, GitFault};
use crate::load::{self, EarlierFiles, Request};
use crate::options::{CheckOptions, Options};
use crate::plan::{self, Plan};
use crate::rules;
use crate::site::{self, Checked};
use crate::systems;

use super::base::Base;
use super::fault::Fault;
use super::known::KnownFindings;
use super::settings::validating;
use super::snapshot::{Part, Snapshot};

/// The purpose of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To find what is wrong with the site, as `planner validate` does: every site of the path.
    Validate,
    /// To plan it, as `planner plan` does.
    Plan,
    /// To explain single decisions of it, as `planner why` does: nothing is planned before it is
    /// asked about.
    Explain,
}

/// One run over a site. It writes nothing, and runs commands of advisors only if its options allow
/// them.
#[derive(Debug, Clone)]
pub struct Job {
    /// The generation of the workspace that it belongs to.
    pub generation: u64,
    /// The documents to read.
    pub request: Request,
    /// How it is judged.
    pub settings: CheckOptions,
    /// How it is planned.
    pub options: Options,
    /// The baseline.
    pub known: KnownFindings,
    /// The directories that may be read.
    pub(super) roots: Vec<PathBuf>,
    /// The part of the site that reviews keep.
    pub(super) base: Base,
}

impl Job {
    /// Reads, checks and plans.
    ///
    /// # Errors
    /// A request that cannot be understood. What is wrong with documents are findings.
    pub fn run(&self, purpose: Purpose) -> Result<Arc<Snapshot>, Fault> {
        let mut job = self.clone();
        match purpose {
            Purpose::Validate => {
                validating(&mut job.request, &mut job.settings, &mut job.options);
            }
            Purpose::Plan => job.options.partial = true,
            Purpose::Explain => {
                job.options.systems.clear();
                job.options.partial = true;
            }
        }
        let loaded = load::open(&job.request).map_err(Fault::Refused)?;
        if matches!(purpose, Purpose::Plan) {
            loaded
                .not_records_alone(&job.request)
                .map_err(Fault::Refused)?;
        }
        let is_review = matches!(purpose, Purpose::Validate);
        let loaded = Arc::new(loaded);
        let base = if is_review {
            let by = (self.generation, &job.request);
            self.base.of(by, &loaded, &mut job.settings, &job.options)
        } else {
            None
        };
        let other_sites = loaded.builds.other_sites.clone();
        let mut more = Sink::default();
        for site in &other_sites {
            more.append(job.of_other_site(site)?);
        }
        let inputs = (loaded, job.settings, job.options);
        let known = &job.known;
        let findings = |plan: &Plan<'_, '_>| match purpose {
            Purpose::Validate => {
                let mut found = validated(plan.site, plan, &systems::unplaceable(plan));
                let documents = &plan.site.documents;
                if !other_sites.is_empty() {
                    found.append(more);
                    found.sort(documents.sources);
                    found.dedup();
                }
                if known.exists {
                    known.cover(&mut found, documents);
                    found.sort(documents.sources);
                }
                found
            }
            Purpose::Plan | Purpose::Explain => {
                let mut found = plan.site.report(&[&plan.findings]);
                known.settle(&mut found, &plan.site.documents);
                found
            }
        };
        let part = Part::Whole(base);
        let snapshot = Snapshot::new(self.generation, job.request, inputs, part, findings);
        Ok(Arc::new(snapshot))
    }

    /// The findings of another site of the same paths; their places are those of the first site,
    /// as all kustomizations are read in the same order.
    fn of_other_site(&self, name: &str) -> Result<Sink, Fault> {
        let mut request = self.request.clone();
        request.site = vec![name.to_owned()];
        let loaded = load::open(&request).map_err(Fault::Refused)?;
        let checked = site::check(&loaded, &self.settings);
        let plan = plan::make(&checked, &self.options);
        Ok(validated(&checked, &plan, &systems::unplaceable(&plan)))
    }

    /// The same for the site as a git revision has it, without edits.
    ///
    /// # Errors
    /// A revision that cannot be read.
    pub fn at_revision(&self, revision: &str) -> Result<Self, Fault> {
        let git = |fault| Fault::Revision(revision.to_owned(), fault);
        let mut request = at_revision(revision, &self.request).map_err(git)?;
        if let Some(snapshot) = &mut request.snapshot {
            snapshot.keep_within(&self.roots);
        }
        Ok(Self {
            request,
            ..self.clone()
        })
    }

    /// The same for a site that comes after another state of it: what that state alone has, the
    /// hub loses.
    #[must_use]
    pub fn after(&self, earlier: &Snapshot) -> Self {
        let mut job = self.clone();
        if let Some(hub) = &mut job.request.hub {
            hub.before = hub::keys(&earlier.loaded().documents());
        }
        job
    }

    /// The texts after all fixes that hold; those that can change what documents mean only if
    /// `risky`. Nothing is written.
    ///
    /// # Errors
    /// A request that cannot be understood.
    pub fn fixed(&self, risky: bool) -> Result<Fixed, Fault> {
        let mut job = self.clone();
        validating(&mut job.request, &mut job.settings, &mut job.options);
        let records = job.request.records.clone();
        let directory = job.request.directory.clone();
        let frozen = |name: &str| {
            let records = records.as_ref();
            records.is_some_and(|records| directory.join(name).starts_with(records))
        };
        let judge = |texts: &Texts, of: Option<&[u32]>| {
            let request = edited(&job.request, texts.clone());
            let loaded = load::open(&request).map_err(Fault::Refused)?;
            Ok(judged(loaded, &job.settings, &job.options, of).settled())
        };
        fix::apply_all(judge, risky, &frozen)
    }
}

/// The findings of `validate`, those of PlanTests and `more` among them.
#[must_use]
pub fn validated(checked: &Checked<'_>, plan: &Plan<'_, '_>, more: &Sink) -> Sink {
    let mut tests = Sink::default();
    expect::check(&checked.documents, &rules::codes(), &mut tests);
    checked.report(&[&plan.findings, more, &tests])
}

/// A request with texts in place of those of files, by their names.
#[must_use]
pub fn edited(request: &Request, texts: BTreeMap<String, String>) -> Request {
    let mut request = request.clone();
    for (name, text) in texts {
        if request.stdin.is_some() && name == request.stdin_name {
            request.stdin = Some(text.into_bytes());
        } else {
            request.view.set(&request.directory.join(name), text);
        }
    }
    request
}

/// A site as fixes are judged by; `of` are the documents whose meaning is wanted.
#[must_use]
pub fn judged(
    loaded: load::Loaded,
    settings: &CheckOptions,
    options: &Options,
    of: Option<&[u32]>,
) -> Judged {
    let checked = site::check(&loaded, settings);
    let plan = plan::make(&checked, options);
    let found = validated(&checked, &plan, &Sink::default());
    let accepted = fix::accepted(&checked, &plan.findings);
    let meaning = fix::meaning(&checked, of.unwrap_or(&accepted));
    let documents = checked.documents.all.len();
    let fixes = found.diagnostics.iter().filter_map(|one| one.fix.as_ref());
    let places = fixes.flat_map(|fix| fix.edits.iter().map(|edit| edit.place));
    let users = loaded.builds.users(&places.collect());
    drop(plan);
    drop(checked);
    Judged {
        documents,
        accepted,
        meaning,
        users,
        findings: found.diagnostics,
        shared: loaded.shared(),
        sources: loaded.sources,
    }
}

/// The program `git`.
#[must_use]
pub fn git() -> Git {
    Git::on(env::var_os("PATH").as_deref())
}

/// A request for the site as a git revision has it.
///
/// # Errors
/// See [`GitFault`].
pub fn at_revision(revision: &str, request: &Request) -> Result<Request, GitFault> {
    let limit = request.limits.file_bytes;
    let mut paths = request.paths.clone();
    // Records are read where they lie in the repository, and nowhere else.
    let named = paths.len();
    paths.extend(request.records.clone());
    let git = git();
    let read = |paths: &[PathBuf]| git.read(revision, paths, &request.directory, limit);
    let snapshot = match read(&paths) {
        Err(GitFault::Outside(_)) => read(&paths[..named]),
        read => read,
    };
    Ok(Request {
        snapshot: Some(snapshot?),
        earlier: EarlierFiles::default(),
        ..request.clone()
    })
}
