//! `planner plan` over a repository with several sites: a row for each, and what fails in them.

use std::collections::BTreeSet;
use std::hash::{Hash as _, Hasher as _};
use std::io;

use rustc_hash::{FxHashSet, FxHasher};

use crate::diagnostic::Sink;
use crate::kit::plural::plural;
use crate::plan::Quality;
use crate::render::json::{PlanAnswer, SiteAnswer, SitesAnswer};
use crate::render::text::sites::{self, Row};
use crate::site::Counts;
use crate::systems;
use crate::yaml::{Kind, Node};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::PlanArgs;
use super::failure::Failure;
use super::formats::{GITHUB, PlanFormat, SARIF};
use super::onward::inputs;
use super::site::{Planned, Site};

/// Sites that are planned in one run.
const MOST: usize = 50;

/// Whether a plan may be of several sites: nothing is asked, recorded, saved or refused.
pub(super) fn may_be_several(args: &PlanArgs) -> bool {
    !args.consent.yes
        && args.out.is_none()
        && args.section.is_none()
        && args.fail_on.is_empty()
        && args.common.hub.is_none()
}

/// Whether a site that was read is one of several.
pub(super) fn is_one_of_several(site: Site) -> bool {
    !site.loaded.builds.other_sites.is_empty()
}

/// The site that was read and all others, planned.
pub(super) fn answer(
    site: Site,
    plan: Planned,
    run: &Run<'_, PlanFormat>,
) -> Result<Answer<PlanFormat>, Failure> {
    let builds = &site.loaded.builds;
    let first = builds.sites.first().map_or("", String::as_str);
    let names = builds.site_names();
    let count = names.len();
    let of_one = [PlanFormat::Csv, PlanFormat::Tsv];
    refuse_many(
        &names,
        of_one.into_iter().any(|format| run.outputs.has(format)),
    )?;
    let mut all = vec![(first, site, plan)];
    for name in &builds.other_sites {
        let other = site.other(name, run.console)?;
        all.push((name, other, other.plan(run.console)));
    }
    let mut found = Sink::default();
    for (_, site, plan) in &all {
        found.append(site.report(&[&plan.findings, &systems::unplaceable(plan)]));
    }
    found.sort(site.sources());
    found.dedup();
    let common: Option<BTreeSet<&String>> = all
        .iter()
        .map(|(_, site, _)| roots(site).collect())
        .reduce(|one: BTreeSet<&String>, other| one.intersection(&other).copied().collect());
    let common = common.unwrap_or_default();
    let own = |site: &Site| -> Vec<String> {
        let own = roots(site).filter(|name| !common.contains(name));
        own.cloned().collect()
    };
    let results = all.iter().map(|(_, _, plan)| plan.result());
    let result = results.max().unwrap_or(Quality::Unchanged);
    let verdicts = all.iter().map(|(_, _, plan)| plan.verdict());
    let verdict = verdicts.max().unwrap_or(Quality::Unchanged);
    let outcome = Outcome::of(verdict, false);
    let counts = counts(
        &all.iter()
            .map(|(_, site, plan)| (*site, *plan))
            .collect::<Vec<_>>(),
    );
    let sites = all.iter().map(|(name, site, plan)| OneSite {
        name,
        roots: own(site),
        site: *site,
        plan,
    });
    let planned = Sites {
        sites: sites.collect(),
        result,
        counts,
        found: found.clone(),
    };
    let note = format!("Not recorded: there are {}.\n", plural(count, "site"));
    Ok(Answer::new(planned, outcome)
        .found(found, site.sources())
        .note(note))
}

/// Refuses sites that are too many for one answer, or several of them where it `shows_one`.
///
/// # Errors
/// Their names (64).
pub(super) fn refuse_many(names: &[String], shows_one: bool) -> Result<(), Failure> {
    if names.len() <= MOST && !shows_one {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "there are {}; name one with --site ({})",
        plural(names.len(), "site"),
        names.join(", ")
    )))
}

/// The kustomizations of a site.
fn roots(site: &Site) -> impl Iterator<Item = &'static String> {
    site.loaded.builds.roots.iter().map(|root| &root.name)
}

/// How the documents of several sites count, those that several have once.
pub(super) fn counts(sites: &[(Site, Planned)]) -> Counts {
    if let [(_, plan)] = sites {
        return plan.counts;
    }
    let mut seen: FxHashSet<(u64, u64)> = FxHashSet::default();
    let mut sum: Option<Counts> = None;
    for (site, plan) in sites {
        let checked = site.checked;
        let documents = checked.documents.all.iter();
        let new = documents.filter(|document| {
            let place = document.node.place();
            let mut data = FxHasher::default();
            hash(document.node, &mut data);
            let span = (u64::from(place.source.0) << 32) | u64::from(place.span.start);
            seen.insert((span, data.finish()))
        });
        let new: FxHashSet<u32> = new.map(|document| document.index).collect();
        let found = [&checked.findings, &plan.findings];
        let own = checked.counts_of(&found, |document| new.contains(&document.index));
        sum = Some(match sum {
            None => plan.counts,
            Some(sum) => Counts {
                read: sum.read + new.len(),
                planned: sum.planned + own.planned,
                not_ours: sum.not_ours + own.not_ours,
                left_out: sum.left_out + own.left_out,
                ..sum
            },
        });
    }
    sum.unwrap_or_default()
}

/// Hashes the data of a document.
fn hash(node: Node<'_>, to: &mut FxHasher) {
    match node.kind() {
        Kind::Scalar => (node.text(), node.is_plain()).hash(to),
        Kind::Sequence => {
            node.len().hash(to);
            node.items().for_each(|item| hash(item, to));
        }
        Kind::Mapping => {
            node.len().hash(to);
            for (key, value) in node.entries() {
                hash(key, to);
                hash(value, to);
            }
        }
    }
}

/// A site among several.
struct OneSite {
    name: &'static str,
    /// The kustomizations that other sites do not have.
    roots: Vec<String>,
    site: Site,
    plan: Planned,
}

/// The plans of several sites.
struct Sites {
    sites: Vec<OneSite>,
    result: Quality,
    counts: Counts,
    found: Sink,
}

impl Sites {
    fn answer(&self) -> SitesAnswer<'_, 'static> {
        let nothing: &'static Sink = super::session::keep(Sink::default());
        let first = &self.sites[0];
        let sources = first.site.sources();
        let sites = self.sites.iter().map(|one| SiteAnswer {
            name: one.name,
            roots: &one.roots,
            plan: PlanAnswer::new(one.plan, nothing, one.site.sources()),
        });
        let head = (first.plan.now, self.counts);
        SitesAnswer::new(head, self.result, sites.collect(), (&self.found, sources))
    }
}

impl Data<PlanFormat> for Sites {
    fn write(&self, format: PlanFormat, out: &mut Out<'_>) -> io::Result<()> {
        let found = || self.sites[0].site.findings(&self.found);
        match format {
            PlanFormat::Json => out.json(&self.answer()),
            PlanFormat::Yaml => out.yaml(&self.answer()),
            PlanFormat::Sarif => out.tool(SARIF, found()),
            PlanFormat::Github => out.tool(GITHUB, found()),
            PlanFormat::Text | PlanFormat::Csv | PlanFormat::Tsv => {
                let rows = self.sites.iter().map(|one| Row {
                    site: one.name,
                    roots: &one.roots,
                    plan: one.plan,
                });
                let rows: Vec<Row<'_, '_>> = rows.collect();
                let paths = inputs(self.sites[0].site.session);
                out.page(&sites::plans(&rows, &paths, &out.screen))
            }
        }
    }
}
