//! The site of a run: read, checked and planned step by step, and what is reported of it.

use std::collections::BTreeMap;
use std::io;

use crate::diagnostic::{Severity, Sink};
use crate::kit::nearest::{hint, nearest};
use crate::load::Loaded;
use crate::plan::Plan;
use crate::render::diagnostics::Findings;
use crate::render::guard::Judged;
use crate::site::{Changes, Checked, Thing};
use crate::source::Sources;
use crate::systems;

use super::answer::{Out, Run};
use super::confirm;
use super::console::Console;
use super::failure::Failure;
use super::formats::{Format, Tool};
use super::progress;
use super::session::{Session, keep, refusal};

/// A checked site; what was read lives until the program ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    /// How it was read.
    pub(super) session: &'static Session,
    /// The documents.
    pub(super) loaded: &'static Loaded,
    /// The models.
    pub(super) checked: &'static Checked<'static>,
}

/// A plan of a site.
pub(super) type Planned = &'static Plan<'static, 'static>;

impl Site {
    /// Reads and checks a site; refuses outputs that would replace what was read.
    ///
    /// # Errors
    /// A request that cannot be understood (64, 78), an output that is an input (64).
    pub(super) fn read<F: Format>(session: Session, run: &Run<'_, F>) -> Result<Self, Failure> {
        let session = keep(session);
        let loaded = keep(session.open(run.console)?);
        run.outputs.guard(&session.inputs(loaded))?;
        loaded
            .not_records_alone(&session.request)
            .map_err(refusal)?;
        Ok(Self::of(session, loaded, run.console))
    }

    /// Checks what was read.
    pub(super) fn of(
        session: &'static Session,
        loaded: &'static Loaded,
        console: &Console,
    ) -> Self {
        let checked = keep(progress::check(loaded, &session.settings, console));
        Self {
            session,
            loaded,
            checked,
        }
    }

    /// Another site of the same PATHs. Its places are those of this one, as all kustomizations are
    /// read in the same order.
    ///
    /// # Errors
    /// As the first time.
    pub(super) fn other(&self, name: &str, console: &Console) -> Result<Self, Failure> {
        let mut session = self.session.clone();
        session.request.site = vec![name.to_owned()];
        let session = keep(session);
        let loaded = keep(session.again(BTreeMap::new())?);
        Ok(Self::of(session, loaded, console))
    }

    /// Without the things that `--without` names.
    ///
    /// # Errors
    /// A name that is not understood or not there (64), with the nearest.
    pub(super) fn without(self, names: &[String]) -> Result<Self, Failure> {
        if names.is_empty() {
            return Ok(self);
        }
        let things = names.iter().map(|name| {
            let usage = |why: String| Failure::usage(why).context(format!("--without {name}"));
            Thing::parse(name).map_err(usage)
        });
        let things = things.collect::<Result<Vec<Thing>, Failure>>()?;
        let changed = self.checked.changed(Changes::without(things));
        let changed =
            changed.map_err(|why| Failure::usage(why.to_string()).context("--without"))?;
        Ok(Self {
            checked: keep(keep(changed).check()),
            ..self
        })
    }

    /// Plans it. Of the programs that run for us none is left behind by an interrupt.
    pub(super) fn plan(&self, console: &Console) -> Planned {
        if self.session.options.allow_commands {
            confirm::watch_interrupts(console);
        }
        keep(progress::plan(self.checked, &self.session.options, console))
    }

    /// The same, with full lists of candidates where they are wanted.
    pub(super) fn plan_traced(&self, console: &Console, trace: bool) -> Planned {
        let mut session = self.session.clone();
        session.options.trace = trace;
        let traced = Self {
            session: keep(session),
            ..*self
        };
        traced.plan(console)
    }

    /// The findings of the site and those of `more`, as ignores, levels and the baseline leave
    /// them.
    pub(super) fn report(&self, more: &[&Sink]) -> Sink {
        self.settled(self.checked.report(more))
    }

    /// These findings alone, as ignores, levels and the baseline have them.
    pub(super) fn judged(&self, found: Sink) -> Sink {
        self.settled(self.checked.judged(found))
    }

    /// The findings of a plan at the lines that cause them, as another tool reads them: all
    /// findings, the failures to place, and the refusals of a guard.
    pub(super) fn annotate(
        &self,
        plan: &Plan<'_, '_>,
        judged: Option<&Judged>,
        tool: Tool,
        out: &mut Out<'_>,
    ) -> io::Result<()> {
        let refused = judged.map(Judged::findings).unwrap_or_default();
        let found = self.report(&[&plan.findings, &refused, &systems::unplaceable(plan)]);
        out.tool(tool, self.findings(&found))
    }

    /// Findings as other tools read them.
    pub(super) fn findings<'f>(&self, sink: &'f Sink) -> Findings<'f, 'static> {
        Findings {
            sink,
            documents: &self.checked.documents,
            prefix: "",
            fails: Severity::Error,
        }
    }

    fn settled(&self, mut found: Sink) -> Sink {
        self.session
            .known
            .settle(&mut found, &self.checked.documents);
        found
    }

    /// The texts.
    pub(super) fn sources(&self) -> &'static Sources {
        self.checked.documents.sources
    }

    /// Whether it has no document of ours, refused ones apart.
    pub(super) fn is_nothing(&self, plan: &Plan<'_, '_>) -> bool {
        self.loaded.files_read == 0 || (plan.counts.is_nothing() && !plan.refused())
    }

    /// Whether there is nothing to plan: nothing for us, nothing to place, or no cluster to place
    /// it on.
    pub(super) fn plans_nothing(&self, plan: &Plan<'_, '_>) -> bool {
        let clusters = plan.clusters().iter().any(|(number, _)| *number > 0);
        self.is_nothing(plan) || (plan.is_empty() && (clusters || !plan.without_hub.is_empty()))
    }

    /// Refuses Packages that it does not have.
    ///
    /// # Errors
    /// A name that is not there (64).
    pub(super) fn check_packages(&self, wanted: &[String]) -> Result<(), Failure> {
        let model = &self.checked.ogc;
        let names = || {
            let packages = model.packages.iter().map(|package| package.name);
            packages.chain(model.deployments.iter().map(|one| one.package))
        };
        for wanted in wanted {
            if !names().any(|name| name == wanted) {
                let near = nearest(wanted, names());
                let hint = hint(near.as_slice());
                return Err(Failure::usage(format!(
                    "there is no Package \"{wanted}\"{hint}"
                )));
            }
        }
        Ok(())
    }
}
