//! Everything that the documents of consumers hold.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::addon::read::{AddOn, Installed};
use super::application_set::read::{ApplicationSet, Foreign};
use super::decision::Decisions;
use super::disaster_recovery::read::{Control, DrPolicy};
use super::doubt::Doubt;
use super::gitops::read::GitOpsCluster;
use super::id::Id;
use super::open::Open;
use super::placement_rule::read::{Hub, Rule};
use super::policy::read::{Binding, Policy, PolicySet};
use super::subscription::read::Subscription;
use super::work::read::{Template, Work};
use crate::document::DocumentKind;
use crate::source::{Place, Text};

/// A Channel: its namespace and name.
#[derive(Debug, Clone, Copy)]
pub struct Channel<'a> {
    /// Where it is written, or else where the name is.
    pub namespace: Text<'a>,
    /// Its name.
    pub name: Text<'a>,
}

/// Everything that the consumers' documents hold. Refused objects are not here, but for those that
/// get a row which says so.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// Policies, in document order, including refused ones.
    pub policies: Vec<Policy<'a>>,
    /// Sets of policies, in document order.
    pub sets: Vec<PolicySet<'a>>,
    /// Bindings of policies, in document order.
    pub bindings: Vec<Binding<'a>>,
    /// Bindings of a version that is not served: they bind nothing, but what they name is checked.
    pub unserved: Vec<Binding<'a>>,
    /// Rules that Placement replaced, in document order.
    pub rules: Vec<Rule<'a>>,
    /// The facts that rules ask of clusters and Placements never do: conditions and roles.
    pub hub: Hub<'a>,
    /// The facts that the documents leave open.
    pub open: Open<'a>,
    /// The statements that refused documents would have made about others.
    pub(in crate::delivery) doubt: Doubt<'a>,
    /// Whether generators make policies: they are made of the whole site.
    pub made: bool,
    /// Whether a rule names its author: what authors may see is written in any role.
    pub authored: bool,
    /// ApplicationSets that read decisions or clusters, in document order.
    pub application_sets: Vec<ApplicationSet<'a>>,
    /// GitOpsClusters, in document order.
    pub gitops: Vec<GitOpsCluster<'a>>,
    /// Subscriptions, in document order.
    pub subscriptions: Vec<Subscription<'a>>,
    /// Channels, by namespace and name.
    pub channels: Vec<Channel<'a>>,
    /// The DRPlacementControls, in document order.
    pub controls: Vec<Control<'a>>,
    /// The clusters between which workloads move.
    pub dr_policies: Vec<DrPolicy<'a>>,
    /// ConfigMaps and Secrets, if an ApplicationSet may read them.
    pub foreign: Foreign<'a>,
    /// PlacementDecisions by their places, where something reads them.
    pub decisions: FxHashMap<Place, Decisions<'a>>,
    /// PlacementRules whose PlacementDecisions say that they are theirs, by namespace and name.
    pub ruled: FxHashSet<(&'a str, &'a str)>,
    /// The clusters by the addresses that their documents give, where an ApplicationSet may ask.
    pub addresses: FxHashMap<&'a str, &'a str>,
    /// Placements with the annotation that switches scheduling off, and what it says.
    pub marks: FxHashMap<(&'a str, &'a str), Text<'a>>,
    /// Add-ons, in document order.
    pub addons: Vec<AddOn<'a>>,
    /// Add-ons on clusters, in document order.
    pub installed: Vec<Installed<'a>>,
    /// The configurations of add-ons, by kind, namespace and name.
    pub configurations: BTreeSet<(&'static str, &'a str, &'a str)>,
    /// Works on clusters, in document order.
    pub works: Vec<Work<'a>>,
    /// The templates of replica sets of works, by the places of their names.
    pub templates: FxHashMap<Place, Template<'a>>,
    /// Objects that were refused: they are not missing.
    pub refused: FxHashMap<(DocumentKind, &'a str, &'a str), Place>,
}

impl<'a> Model<'a> {
    /// Whether no document of a consumer is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
            && self.sets.is_empty()
            && self.bindings.is_empty()
            && self.rules.is_empty()
            && self.addons.is_empty()
            && self.installed.is_empty()
            && self.works.is_empty()
            && self.templates.is_empty()
            && !self.reads_decisions()
    }

    /// The clusters that add-ons and works are on.
    pub fn clusters(&self) -> impl Iterator<Item = &'a str> {
        let installed = self.installed.iter().map(|one| one.id.namespace);
        installed.chain(self.works.iter().map(|work| work.id.namespace))
    }

    /// Whether some consumer reads PlacementDecisions itself.
    #[must_use]
    pub fn reads_decisions(&self) -> bool {
        !(self.application_sets.is_empty()
            && self.gitops.is_empty()
            && self.subscriptions.is_empty()
            && self.controls.is_empty())
    }
}

impl Model<'_> {
    /// Takes out what several documents define in different ways, by the places of the first ones:
    /// nobody knows which one counts.
    pub(in crate::delivery) fn leave_out(&mut self, doubled: &FxHashSet<Place>) {
        let counts = |id: &Id<'_>| !doubled.contains(&id.place);
        for policy in &mut self.policies {
            if !counts(&policy.id) {
                policy.refused = Some(format!("Policy `{}` is defined twice", policy.id.name));
            }
        }
        self.sets.retain(|one| counts(&one.id));
        self.bindings.retain(|one| counts(&one.id));
        self.rules.retain(|one| counts(&one.id));
        self.application_sets.retain(|one| counts(&one.id));
        self.gitops.retain(|one| counts(&one.id));
        self.subscriptions.retain(|one| counts(&one.id));
        self.controls.retain(|one| counts(&one.id));
        self.addons.retain(|one| counts(&one.id));
        self.installed.retain(|one| counts(&one.id));
        self.works.retain(|one| counts(&one.id));
    }
}
