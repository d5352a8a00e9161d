//! The sites of kustomizations, and the ones that a run reads.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::kit::plural::{first_names, plural};
use crate::kustomize::{Built, Choice, Document, Files as _, Root, Roots, Site, rules};
use crate::load::{Refusal, Request, walk};

use super::Taking;

/// Kustomizations that a note names.
const NAMED: usize = 5;

/// The builds that are planned.
#[derive(Default)]
pub(super) struct Chosen {
    pub(super) builds: Vec<Built>,
    /// The names of their sites.
    pub(super) names: Vec<String>,
    /// The names of the sites that are to be read after them.
    pub(super) others: Vec<String>,
}

impl Taking<'_> {
    /// The builds of the sites that are read.
    pub(super) fn choose(&mut self, roots: &Roots) -> Result<Chosen, Refusal> {
        let mut chosen = Chosen::default();
        for area in self.areas.iter().filter(|area| area.is_root) {
            self.directories.insert(area.top.clone());
            chosen.builds.push(self.builder.build(&area.top));
        }
        let sites = sites(self.request, roots)?;
        let names: Vec<&String> = sites.iter().filter_map(|site| site.name.as_ref()).collect();
        let by_default = self.request.default_site.iter();
        let by_default = by_default.filter(|_| !names.is_empty());
        let wanted = match self.request.site.as_slice() {
            [_, ..] if names.is_empty() && !self.is_for_us => Vec::new(),
            [] => by_default.collect(),
            named => named.iter().collect(),
        };
        let picked: Vec<Cow<'_, Site>> = match wanted.as_slice() {
            [] if names.len() > 1 && self.request.first_site => {
                let others = names.iter().skip(1).copied().cloned();
                chosen.others = others.collect();
                sites.first().map(Cow::Borrowed).into_iter().collect()
            }
            [] if names.len() > 1 => return Err(self.several(roots, &sites)),
            [] => sites.first().map(Cow::Borrowed).into_iter().collect(),
            wanted => {
                let each = wanted.iter().map(|name| self.named(name, roots, &sites));
                each.collect::<Result<_, _>>()?
            }
        };
        let numbers: BTreeSet<usize> = picked
            .iter()
            .flat_map(|site| &site.roots)
            .copied()
            .collect();
        if picked.len() > 1
            && roots
                .choices
                .iter()
                .any(|choice| excludes(choice, &numbers))
        {
            return Err(Refusal::Exclusive {
                root: self.root(),
                sites: wanted.into_iter().cloned().collect(),
            });
        }
        chosen.names = picked.iter().filter_map(|site| site.name.clone()).collect();
        let builds = numbers.iter().map(|root| roots.roots[*root].built.clone());
        chosen.builds.extend(builds);
        Ok(chosen)
    }

    /// The site of a name.
    fn named<'s>(
        &self,
        wanted: &str,
        roots: &Roots,
        sites: &'s [Site],
    ) -> Result<Cow<'s, Site>, Refusal> {
        let mut own = sites.iter();
        let own = own.find(|site| site.name.as_deref() == Some(wanted));
        if let (None, [_, ..]) = (own, self.request.instead_of_site.as_slice()) {
            return Ok(Cow::Owned(self.instead(wanted, roots)));
        }
        // Where nothing differs any more there is one site, which all alternatives are in.
        let last = |root: &Root| root.built.directory.ends_with(wanted);
        let agreed = || {
            let mut all = roots.roots.iter();
            let first = sites.first();
            first.filter(|site| site.name.is_none() && all.any(last))
        };
        let names = sites.iter().filter_map(|site| site.name.clone());
        let own = own.or_else(agreed).map(Cow::Borrowed);
        own.ok_or_else(|| Refusal::NoSite {
            root: self.root(),
            wanted: wanted.to_owned(),
            sites: names.collect(),
        })
    }

    /// The kustomizations that count instead of a site that is not there.
    fn instead(&self, wanted: &str, roots: &Roots) -> Site {
        let counts = |root: &Root| {
            let below = self.below(&root.built.directory);
            self.request.instead_of_site.contains(&below)
        };
        let roots = roots.roots.iter().zip(0..);
        Site {
            name: Some(wanted.to_owned()),
            roots: roots
                .filter(|(root, _)| counts(root))
                .map(|(_, at)| at)
                .collect(),
        }
    }

    /// Several sites, none of them named.
    fn several(&self, roots: &Roots, sites: &[Site]) -> Refusal {
        let below = |root: &usize| self.below(&roots.roots[*root].built.directory);
        let site = |site: &Site| {
            let roots = site.roots.iter().map(below);
            Some((site.name.clone()?, roots.collect()))
        };
        Refusal::Sites {
            root: self.root(),
            sites: sites.iter().filter_map(site).collect(),
        }
    }

    /// The PATH as messages call it.
    fn root(&self) -> String {
        let first = self.request.paths.first();
        first.map_or_else(String::new, |path| path.display().to_string())
    }
}

/// The sites that kustomizations are planned in: those of the configuration, else one for each
/// alternative. A PATH that is a kustomization is its build alone, in no site.
///
/// # Errors
/// A glob of the configuration that is none.
pub fn sites(request: &Request, roots: &Roots) -> Result<Vec<Site>, Refusal> {
    if request.sites.is_empty() || roots.roots.is_empty() {
        return Ok(roots.sites.clone());
    }
    let mut all = Vec::new();
    for site in &request.sites {
        let globs = walk::globs(&site.roots)?;
        let numbers = roots.roots.iter().zip(0..);
        let numbers = numbers.filter(|(root, _)| globs.is_match(configured(request, root)));
        all.push(Site {
            name: Some(site.name.clone()),
            roots: numbers.map(|(_, at)| at).collect(),
        });
    }
    Ok(all)
}

/// A note about the kustomizations that no site of the configuration has.
///
/// # Errors
/// A glob of the configuration that is none.
pub fn siteless(request: &Request, roots: &Roots) -> Result<Option<Diagnostic>, Refusal> {
    let globs = request.sites.iter().flat_map(|site| &site.roots);
    let globs = walk::globs(&globs.cloned().collect::<Vec<_>>())?;
    let without = roots.roots.iter();
    let without = without.filter(|root| !globs.is_match(configured(request, root)));
    let without: Vec<&Root> = without.collect();
    let Some(first) = without.first().filter(|_| !request.sites.is_empty()) else {
        return Ok(None);
    };
    let names = without
        .iter()
        .map(|root| request.name(&root.built.directory));
    let names: Vec<String> = names.collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} {verb} in no `[[site]]` and not planned: {}",
        plural(names.len(), "kustomization"),
        first_names(names.iter(), NAMED)
    );
    let note = Diagnostic::new(&rules::SITELESS, message)
        .help("add the directory to the `roots` of a `[[site]]` in planner.toml");
    let faults = first.built.findings.iter();
    let mut faults = faults.filter_map(|found| Some(found.primary.as_ref()?.place));
    let at = first.built.documents.first().map(Document::place);
    Ok(Some(match at.or_else(|| faults.next()) {
        Some(place) => note.at(place, "the first of them"),
        None => note,
    }))
}

/// The directory of a kustomization as globs of the configuration have it.
fn configured(request: &Request, root: &Root) -> PathBuf {
    below_configuration(request, &root.built.directory)
}

/// A path as globs of the configuration have it.
pub(super) fn below_configuration(request: &Request, path: &Path) -> PathBuf {
    let base = request.real(&request.config_directory);
    path.strip_prefix(&base).unwrap_or(path).to_path_buf()
}

/// Whether roots of several alternatives are among these.
fn excludes(choice: &Choice, roots: &BTreeSet<usize>) -> bool {
    let alternatives = choice.alternatives.iter();
    let picked = alternatives.filter(|one| one.roots.iter().any(|root| roots.contains(root)));
    picked.count() > 1
}
