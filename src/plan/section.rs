//! The sections of a plan: what is constant about each, and how its answers are made.

use std::sync::Arc;

use crate::diagnostic::Sink;
use crate::document::{DocumentKind, System};
use crate::kit::progress::UNIT;
use crate::options::Options;
use crate::site::Checked;
use crate::{airship, delivery, hybrid, ocm, ogc, senlin};

use super::Quality;

/// A section of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Deployment groups.
    Groups,
    /// The regions of Senlin clusters.
    Regions,
    /// Placements.
    Placements,
    /// The consumers of placements.
    Deliveries,
    /// The PlacementRules that Placements replaced.
    LegacyRules,
    /// Hybrid placement rules.
    Rules,
    /// Applications of Packages.
    Applications,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One place, or none.
    Place,
    /// Any number of places.
    Places,
    /// A deployment group.
    Group,
    /// A number.
    Count,
}

/// The constants of a section.
#[derive(Debug)]
pub struct Info {
    section: Section,
    key: &'static str,
    system: System,
    /// The form of its answers.
    pub form: Form,
    /// The noun for one of its rows.
    pub noun: &'static str,
    /// The noun for one of its places.
    pub place: &'static str,
    /// The noun for what fails in it, where failures are counted by themselves.
    pub failing: Option<&'static str>,
    /// Whether the rows of one namespace are decided together, so that `planner why` takes the name
    /// of the namespace.
    pub decides_together: bool,
}

/// Placements, and what the constants of most sections are.
const PLACEMENTS: Info = Info {
    section: Section::Placements,
    key: "placements",
    system: System::Ocm,
    form: Form::Places,
    noun: "Placement",
    place: "cluster",
    failing: None,
    decides_together: false,
};

/// The sections, in the order in which a site comes up.
const SECTIONS: [Info; 7] = [
    Info {
        section: Section::Groups,
        key: "deploymentStrategy",
        system: System::Airship,
        form: Form::Group,
        noun: "group",
        ..PLACEMENTS
    },
    Info {
        section: Section::Regions,
        key: "regionPlacements",
        system: System::Senlin,
        form: Form::Count,
        noun: "Region",
        place: "region",
        failing: Some("action"),
        decides_together: true,
    },
    Info {
        failing: Some("Placement"),
        ..PLACEMENTS
    },
    Info {
        section: Section::Deliveries,
        key: "deliveries",
        noun: "delivery",
        ..PLACEMENTS
    },
    Info {
        section: Section::LegacyRules,
        key: "legacyRules",
        noun: "PlacementRule",
        ..PLACEMENTS
    },
    Info {
        section: Section::Rules,
        key: "placementRules",
        system: System::Hybrid,
        noun: "PlacementRule",
        place: "decision",
        failing: Some("PlacementRule"),
        ..PLACEMENTS
    },
    // The total of Applications counts those without a Cluster.
    Info {
        section: Section::Applications,
        key: "applications",
        system: System::Ogc,
        form: Form::Place,
        noun: "Application",
        place: "Cluster",
        ..PLACEMENTS
    },
];

impl Section {
    /// All sections, in the order in which a site comes up.
    pub const ALL: [Self; SECTIONS.len()] = {
        let mut all = [Self::Groups; SECTIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = SECTIONS[at].section;
            at += 1;
        }
        all
    };

    /// Its constants.
    #[must_use]
    pub const fn info(self) -> &'static Info {
        &SECTIONS[self as usize]
    }

    /// Its key in a plan as data.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.info().key
    }

    /// The system that makes it.
    #[must_use]
    pub const fn system(self) -> System {
        self.info().system
    }

    /// The section of the decisions that a system makes itself: its first one.
    #[must_use]
    pub fn of(system: System) -> Self {
        let mut own = SECTIONS.iter().filter(|info| info.system == system);
        own.next().map_or(Self::Groups, |info| info.section)
    }
}

/// The answers of all systems; a section is `None` where the site holds nothing for it, or where
/// it was not planned.
#[derive(Debug, Default)]
pub struct Answers<'s, 'a> {
    /// Deployment groups.
    pub strategy: Option<airship::Strategy<'s, 'a>>,
    /// Region placements.
    pub regions: senlin::Regions<'s, 'a>,
    /// Placements and rollouts.
    pub placements: Option<ocm::Outcome<'a>>,
    /// The clusters that each consumer reaches.
    pub deliveries: Option<Arc<delivery::follow::Deliveries<'a>>>,
    /// Placement rules and their rounds.
    pub placement_rules: Option<Arc<hybrid::engine::Outcome>>,
    /// Applications and their Clusters.
    pub applications: Option<Arc<ogc::engine::Outcome<'a>>>,
    /// The objects that are not planned because no document holds a cluster: how many of each kind.
    pub without_hub: Vec<(usize, &'static str)>,
}

/// A site, and the options to plan it with.
pub(super) struct Asked<'o, 's, 'a> {
    pub(super) site: &'s Checked<'a>,
    pub(super) options: &'o Options,
    /// Whether everything is planned: nothing was refused, or it is planned anyway.
    pub(super) complete: bool,
    /// The answers for a site of which this one may have reused models.
    pub(super) before: Option<(&'o Checked<'a>, &'o Answers<'s, 'a>)>,
}

/// Whether a system is planned in every run.
#[must_use]
pub fn is_always_planned(system: System) -> bool {
    matches!(system, System::Airship | System::Senlin)
}

/// Whether a site has anything for a system to plan, whatever the options.
#[must_use]
pub fn has_plan(site: &Checked<'_>, system: System) -> bool {
    match system {
        System::Airship => site.airship.site.is_some() || !site.airship.each.is_empty(),
        System::Senlin => !site.senlin.sets.is_empty(),
        System::Ocm => ocm::has_plan(&site.ocm) || delivery::has_plan(&site.delivery, &site.ocm),
        System::Hybrid => !site.hybrid.placement_rules.is_empty(),
        System::Ogc => !site.ogc.packages.is_empty() || !site.ogc.deployments.is_empty(),
    }
}

/// Whether Proceed records the decisions of a system.
pub(super) fn is_recorded(site: &Checked<'_>, system: System) -> bool {
    match system {
        // Deployment groups are planned again each time.
        System::Airship => false,
        // Decisions of a hub are the hub's to write.
        System::Ocm => site.hub.is_none(),
        System::Senlin | System::Hybrid | System::Ogc => true,
    }
}

/// Documents that bear on few placements and consumers, which are known.
const BEARS_LITTLE: [DocumentKind; 4] = [
    DocumentKind::ManagedClusterSetBinding,
    DocumentKind::ManifestWorkReplicaSet,
    DocumentKind::Placement,
    DocumentKind::PlacementDecision,
];

impl Asked<'_, '_, '_> {
    /// The amount of planning work, as the engines count it: an application is a small part of a
    /// placement or a rule.
    fn work(&self) -> usize {
        let (site, systems) = (self.site, &self.options.systems);
        let of = |system, count: usize| if systems.contains(&system) { count } else { 0 };
        let placements = site.ocm.placements.len();
        let passes = if self.options.sequential && placements > 1 {
            2
        } else {
            1
        };
        of(System::Ocm, passes * placements) * UNIT
            + of(System::Hybrid, site.hybrid.placement_rules.len()) * UNIT
            + of(System::Ogc, site.ogc.applications.len())
    }

    /// Whether what is wrong with all other documents can be said as well: those that were refused
    /// are of other systems, or consumers, whose findings know of it.
    fn ends_nothing(&self, findings: &Sink) -> bool {
        let refused = self.site.refused(&[&self.site.findings, findings]);
        let mut documents = self.site.documents.all.iter();
        documents.all(|document| {
            !refused.contains(&document.index)
                || document.kind.system() != Some(System::Ocm)
                || document.kind.is_consumer()
                || BEARS_LITTLE.contains(&document.kind)
        })
    }
}

impl<'s, 'a> Answers<'s, 'a> {
    /// The answers that are given in every run, and the next steps of rollouts.
    pub(super) fn judged(
        site: &'s Checked<'a>,
        options: &Options,
        findings: &mut Sink,
    ) -> (Self, Vec<ocm::engine::Rollout<'a>>) {
        let strategy = airship::plan(&site.airship, options.order);
        let regions = senlin::plan(&site.senlin);
        let rollouts = ocm::rollouts(&site.ocm, site.settings.now);
        if let Some(strategy) = strategy.as_ref().filter(|_| !options.quiet) {
            airship::rules::planned(strategy, findings);
        }
        airship::planned_each(&site.airship, options.order, findings);
        senlin::rules::planned(&regions, findings);
        ocm::rules::planned(&site.ocm, &rollouts, findings);
        let answers = Self {
            strategy,
            regions,
            ..Self::default()
        };
        (answers, rollouts)
    }

    /// Plans the placements of the systems asked for.
    pub(super) fn place(
        &mut self,
        asked: &Asked<'_, 's, 'a>,
        rollouts: Vec<ocm::engine::Rollout<'a>>,
        findings: &mut Sink,
    ) {
        let (site, options, now) = (asked.site, asked.options, asked.site.settings.now);
        // A command of an advisor may answer differently.
        let before = asked.before.filter(|_| site.settings.validating);
        let ocm = before.filter(|(before, _)| Arc::ptr_eq(&before.ocm, &site.ocm));
        options.progress.begin(asked.work());
        let wanted = |system| options.systems.contains(&system);
        let followed = asked.complete || site.settings.validating && asked.ends_nothing(findings);
        if followed && wanted(System::Ocm) && ocm::has_plan(&site.ocm) {
            // A condition may quote a selector, whose value a build may have copied from a Secret.
            let copied = site.loaded.builds.copied();
            let whole = |(before, _): &(&Checked<'_>, &Self)| {
                let copies = !copied.is_empty() || !before.loaded.builds.copied().is_empty();
                !before.lacks_clusters && !copies
            };
            let known = ocm.filter(whole);
            let known = known.and_then(|(_, answers)| answers.placements.as_ref());
            let placements = match known {
                Some(outcome) => Arc::clone(&outcome.placements),
                None => Arc::new(ocm::placements(&site.ocm, now, options)),
            };
            let mut outcome = ocm::with_waves(&site.ocm, placements, rollouts);
            if !copied.is_empty() {
                outcome.hide(&|text| copied.hide(text));
            }
            ocm::rules::exhausted(&site.ocm, &outcome.placements, findings);
            ocm::rules::never_settles(&site.ocm, &outcome.placements, findings);
            self.placements = Some(outcome);
        }
        if followed && wanted(System::Ocm) && delivery::has_plan(&site.delivery, &site.ocm) {
            let (model, hub) = (&site.delivery, &site.ocm);
            let decided = self.placements.as_ref();
            let sources = site.documents.sources;
            let known = ocm.filter(|(before, _)| Arc::ptr_eq(&before.delivery, &site.delivery));
            let known = known.and_then(|(_, answers)| answers.deliveries.clone());
            let deliveries =
                known.unwrap_or_else(|| Arc::new(delivery::reach(model, hub, decided)));
            delivery::judge(model, hub, &deliveries, sources, findings);
            let site = delivery::addon::follow::staged::Site {
                model,
                hub,
                decided,
                as_it_is: false,
            };
            let waves = delivery::addon::follow::staged::waves(site, &deliveries);
            if let Some(outcome) = &mut self.placements {
                outcome.waves.extend(waves);
            }
            self.deliveries = Some(deliveries);
        }
        // The clusters are on the hub: from these documents alone every Placement would be empty.
        if site.lacks_clusters && followed && wanted(System::Ocm) {
            let placements = (site.ocm.placements.len(), "Placement");
            self.without_hub = delivery::choosing(&site.delivery).to_vec();
            self.without_hub.insert(0, placements);
            self.without_hub.retain(|(number, _)| *number > 0);
            if let Some(outcome) = &mut self.placements {
                outcome.placements = Arc::default();
                outcome.waves.clear();
            }
        }
        // Answers are judged even where other documents were refused.
        let judged = asked.complete || site.settings.validating;
        if judged && wanted(System::Hybrid) && has_plan(site, System::Hybrid) {
            let known = before.filter(|(before, _)| Arc::ptr_eq(&before.hybrid, &site.hybrid));
            let known = known.and_then(|(_, answers)| answers.placement_rules.clone());
            let outcome = known.unwrap_or_else(|| {
                Arc::new(if site.settings.validating {
                    hybrid::unaided(&site.hybrid, options)
                } else {
                    let sources = site.documents.sources;
                    hybrid::plan(&site.hybrid, sources, options, findings)
                })
            });
            hybrid::rules::planned(&site.hybrid, &outcome, findings);
            self.placement_rules = Some(outcome);
        }
        let model = &site.ogc;
        if asked.complete && wanted(System::Ogc) && has_plan(site, System::Ogc) {
            let known = before.filter(|(before, _)| Arc::ptr_eq(&before.ogc, model));
            let known = known.and_then(|(_, answers)| answers.applications.clone());
            let outcome = known.unwrap_or_else(|| Arc::new(ogc::plan(model, options)));
            if site.settings.validating {
                ogc::rules::review(model, &outcome, findings);
            } else {
                ogc::rules::planned(model, &outcome, findings);
            }
            self.applications = Some(outcome);
        }
    }

    /// The overall result of a system's section, if it has one.
    pub(super) fn amounts_to(&self, system: System) -> Option<Quality> {
        match system {
            System::Airship => self.strategy.as_ref().map(|_| Quality::Ready),
            System::Senlin => {
                let sets = &self.regions.planned;
                let failed = sets.iter().any(senlin::Planned::fails);
                let changed = sets.iter().any(senlin::Planned::changes);
                (!sets.is_empty()).then(|| Quality::of(failed, changed))
            }
            System::Ocm => {
                let outcome = self.placements.as_ref()?;
                let changed = !outcome.is_unchanged();
                Some(Quality::of(outcome.is_unplaceable(), changed))
            }
            System::Hybrid => {
                let ended = &self.placement_rules.as_ref()?.ended;
                let unplaceable = ended.iter().any(|rule| rule.state.is_unplaced());
                let changed = ended.iter().any(|rule| rule.changed);
                Some(Quality::of(unplaceable, changed))
            }
            System::Ogc => {
                let outcome = self.applications.as_ref()?;
                let changed = !outcome.is_unchanged();
                Some(Quality::of(outcome.is_unplaceable(), changed))
            }
        }
    }

    /// The clusters that each consumer reaches, if the documents hold clusters to reach.
    #[must_use]
    pub fn followed(&self) -> Option<&delivery::follow::Deliveries<'a>> {
        let deliveries = self.deliveries.as_deref();
        deliveries.filter(|_| self.without_hub.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_section_has_its_row_and_each_system_a_section() {
        for section in Section::ALL {
            assert_eq!(section.info().section, section);
        }
        for system in System::ALL {
            assert_eq!(Section::of(system).system(), system);
        }
    }
}
