//! Where an Application goes.

use crate::delivery::application_set::argo::hub::{IN_CLUSTER, IN_CLUSTER_SERVER, Sight};
use crate::delivery::application_set::argo::render::Rendered;
use crate::delivery::application_set::argo::value::Params;

/// The label that makes the agent of a cluster fetch the Application.
pub const PULL_LABEL: &str = "apps.open-cluster-management.io/pull-to-ocm-managed-cluster";
/// The annotation with the cluster that fetches it.
pub const PULL_ANNOTATION: &str = "apps.open-cluster-management.io/ocm-managed-cluster";
/// The annotation that keeps Argo CD of the hub from deploying it.
pub const SKIP_ANNOTATION: &str = "argocd.argoproj.io/skip-reconcile";

/// Why no Application is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dropped {
    /// Its name is empty, or no DNS name.
    Name(String),
    /// Another one of the set has its name.
    Twice(String),
    /// Its destination has both a name and an address.
    Both,
    /// Its destination has neither.
    Neither,
    /// The address of its destination is none.
    Address(String),
    /// Argo CD knows no cluster of that name.
    Unregistered(String),
}

/// The destination as rendered.
#[derive(Debug)]
pub struct Destination {
    /// `name`.
    pub name: Rendered,
    /// `server`.
    pub server: Rendered,
}

impl Destination {
    /// The cluster that Argo CD deploys to, if it is known.
    ///
    /// # Errors
    /// Why Argo CD refuses it.
    pub fn cluster(
        &self,
        params: &Params<'_>,
        sight: &Sight<'_, '_>,
    ) -> Result<Option<u32>, Dropped> {
        let clusters = sight.clusters;
        let own = params.own.map(|own| clusters.meant(own));
        match (self.name.is_empty(), self.server.is_empty()) {
            (true, true) => return Err(Dropped::Neither),
            (false, false) => return Err(Dropped::Both),
            _ => {}
        }
        match &self.server {
            Rendered::Server(cluster) => return Ok(Some(clusters.meant(*cluster))),
            Rendered::Unknown => return Ok(own),
            Rendered::Text(server) if server.is_empty() => {}
            Rendered::Text(server) => {
                let address = server.trim_end_matches('/');
                if address == IN_CLUSTER_SERVER {
                    return Ok(Some(clusters.hub));
                }
                if !["http://", "https://"]
                    .iter()
                    .any(|scheme| address.starts_with(scheme))
                {
                    return Err(Dropped::Address(server.clone()));
                }
                let found = clusters.addresses.get(address);
                return Ok(found.and_then(|name| clusters.names.find(name)));
            }
        }
        let name = match &self.name {
            Rendered::Text(name) => name,
            // An address is not a name.
            Rendered::Server(_) => return Err(Dropped::Unregistered("{{server}}".to_owned())),
            Rendered::Unknown => return Ok(own),
        };
        if name == IN_CLUSTER {
            return Ok(Some(clusters.hub));
        }
        let number = clusters.names.find(name);
        let known = number.filter(|number| {
            if sight.registered.known {
                sight.knows(*number)
            } else {
                clusters.managed.contains(*number as usize) || params.own == Some(*number)
            }
        });
        match known {
            Some(number) => Ok(Some(clusters.meant(number))),
            None if sight.registered.others.contains(name) => Ok(None),
            None => Err(Dropped::Unregistered(name.clone())),
        }
    }
}

/// Whether a text is true for Go.
#[must_use]
pub fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True")
}
