//! The earlier Deployments of Applications: where each one was, and the volumes that it left there.

use rustc_hash::FxHashMap;

use crate::ogc::model::{Deployment, DeploymentPhase, Model, PersistentResource, Workload};

/// Earlier Deployments by Package and Application; Planned ones count for nothing.
#[derive(Debug, Default)]
pub(super) struct History<'m, 'a> {
    newest: FxHashMap<&'a str, &'m Deployment<'a>>,
    workloads: FxHashMap<(&'a str, &'a str), Vec<&'m Workload<'a>>>,
    gone: Vec<&'m Deployment<'a>>,
}

impl<'m, 'a> History<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        let mut history = Self::default();
        let counted = |deployment: &&Deployment<'_>| deployment.phase != DeploymentPhase::Planned;
        for deployment in model.deployments.iter().rev().filter(counted) {
            let package = deployment.package;
            history.newest.entry(package).or_insert_with(|| {
                if deployment.phase.is_in_force() && model.package(package).is_none() {
                    history.gone.push(deployment);
                }
                deployment
            });
            for workload in &deployment.workloads {
                let known = (package, workload.application);
                history.workloads.entry(known).or_default().push(workload);
            }
        }
        history
            .gone
            .sort_unstable_by_key(|deployment| deployment.package);
        history
    }

    /// The newest Deployment of a Package.
    pub(super) fn newest(&self, package: &str) -> Option<&'m Deployment<'a>> {
        self.newest.get(package).copied()
    }

    /// The newest Deployments of Packages which are gone, by Package, as far as they stand.
    pub(super) fn gone(&self) -> &[&'m Deployment<'a>] {
        &self.gone
    }

    /// The Workloads of an Application, newest first.
    pub(super) fn workloads(&self, package: &'a str, application: &'a str) -> &[&'m Workload<'a>] {
        self.workloads
            .get(&(package, application))
            .map_or(&[], Vec::as_slice)
    }

    /// Every persistent resource recorded for an Application, each once, with its Cluster: by
    /// Cluster, kind and name.
    pub(super) fn resources(
        &self,
        package: &'a str,
        application: &'a str,
    ) -> Vec<(&'a str, &'m PersistentResource<'a>)> {
        let workloads = self.workloads(package, application);
        let mut found: Vec<_> = workloads
            .iter()
            .flat_map(|workload| workload.resources.iter().map(|r| (workload.cluster, r)))
            .collect();
        found.sort_by_key(|(cluster, resource)| (*cluster, resource.kind, resource.name));
        found.dedup_by_key(|(cluster, resource)| (*cluster, resource.kind, resource.name));
        found
    }
}
