//! The site that a call is about, with the edits that it carries.

use std::path::{Path, PathBuf};

use crate::load::resolved;
use crate::workspace::{Choices, Fault, Job, Workspace};

use super::Settings;
use super::arguments::{Arguments, Mistake};

/// The sites of the directories that may be read.
pub(super) struct Sites {
    workspace: Workspace,
    settings: Settings,
}

impl Sites {
    /// The sites below the directories of the settings.
    ///
    /// # Errors
    /// A directory that does not exist.
    pub(super) fn new(settings: Settings) -> Result<Self, Fault> {
        let workspace = Workspace::new(&settings.roots)?;
        Ok(Self {
            workspace,
            settings,
        })
    }

    /// The directories that may be read.
    pub(super) fn roots(&self) -> Vec<String> {
        let roots = self.workspace.roots().iter();
        roots.map(|root| root.display().to_string()).collect()
    }

    /// Where a path of a call lies: relative ones below the first directory that has it.
    fn place(&self, path: &str) -> PathBuf {
        let roots = self.workspace.roots();
        let mut places = roots.iter().map(|root| root.join(path));
        let there = places.clone().find(|place| place.exists());
        there
            .or_else(|| places.next())
            .unwrap_or_else(|| PathBuf::from(path))
    }

    /// The directory that names of files in a call are relative to, as those in its answer are.
    fn root(&self, path: &str) -> PathBuf {
        let place = resolved(&self.place(path));
        let roots = self.workspace.roots();
        let root = roots.iter().find(|root| place.starts_with(root));
        root.or(roots.first()).cloned().unwrap_or_default()
    }

    /// The site that a call is about, without its edits.
    pub(super) fn plain(&mut self, arguments: Arguments<'_>) -> Result<Job, Mistake> {
        let path = arguments.text("path")?.unwrap_or(".");
        let place = self.place(path);
        let site = arguments.text("site")?.map(str::to_owned);
        let now = arguments.now()?.or(self.settings.now);
        let choices = Choices {
            config: self.settings.config.clone(),
            site: site.or_else(|| self.settings.site.clone()),
            now: now.unwrap_or_else(|| (self.settings.clock)()),
            allow_commands: false,
            program: None,
            jobs: self.settings.jobs,
        };
        let job = self.workspace.job(&place, &choices);
        job.map_err(|fault| self.mistake(path, &fault))
    }

    /// The site that a call is about, with its edits.
    pub(super) fn job(&mut self, arguments: Arguments<'_>) -> Result<Job, Mistake> {
        let overlay = arguments.overlay()?;
        let root = self.root(arguments.text("path")?.unwrap_or("."));
        let mut edited: Vec<PathBuf> = Vec::new();
        let mut put = || {
            for (name, text) in &overlay {
                let path = root.join(Path::new(name));
                let set = match text {
                    Some(text) => self.workspace.set(&path, *text),
                    None => self.workspace.delete(&path),
                };
                set.map_err(|fault| self.mistake(name, &fault))?;
                edited.push(path);
            }
            self.plain(arguments)
        };
        let job = put();
        // No call sees the edits of another one.
        for path in edited {
            self.workspace.reset(&path);
        }
        job
    }

    /// The mistake for which there is no site, with what to send instead.
    pub(super) fn mistake(&self, sent: &str, fault: &Fault) -> Mistake {
        let roots = self.roots().join(", ");
        Mistake::new(match fault {
            Fault::Outside(_) => format!(
                "{sent} lies outside of the directories that may be read ({roots}): send a path \
                 below them, or start the server with its directory"
            ),
            Fault::Missing(_) => format!(
                "there is no file or directory {sent}: send a path relative to {roots}, or \
                 \".\" for all of it"
            ),
            Fault::Refused(refusal) => {
                let told = refusal.to_string();
                told.replace("name one with --site", "send one of them as \"site\"")
                    .replace("--site", "\"site\"")
            }
            Fault::Revision(..) => format!("{fault}: send one such as HEAD, or a branch"),
            fault => fault.to_string(),
        })
    }
}
