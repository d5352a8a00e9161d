//! Why nothing could be read at all.

use std::fmt;
use std::path::PathBuf;

use super::hub::file::HubFault;
use super::room::NoRoom;
use crate::kit::nearest::{hint, nearest};
use crate::kit::plural::{first_names, listed};
use crate::kit::safe::{clean, shell_word};

/// Kustomizations of a site that are named, at most.
const HELD: usize = 3;

/// Why nothing could be read at all: the call is at fault, not a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A glob of the configuration is not one.
    Glob(String),
    /// The repository holds several sites (or not the one named); their names.
    Site {
        /// The repository.
        root: String,
        /// The site asked for.
        wanted: Option<String>,
        /// The sites there are.
        sites: Vec<String>,
    },
    /// Several repositories have sites, and none was named.
    Repositories {
        /// The PATH.
        root: String,
        /// The repositories, each with its sites.
        repositories: Vec<(String, Vec<String>)>,
    },
    /// No site of kustomizations has this name.
    NoSite {
        /// The PATH.
        root: String,
        /// The site asked for.
        wanted: String,
        /// The sites there are.
        sites: Vec<String>,
    },
    /// Some kustomizations exclude one another, and no site was named.
    Sites {
        /// The PATH.
        root: String,
        /// The names of the sites, each with its kustomizations, relative to the PATH.
        sites: Vec<(String, Vec<PathBuf>)>,
    },
    /// Sites that were named exclude one another.
    Exclusive {
        /// The PATH.
        root: String,
        /// The sites asked for.
        sites: Vec<String>,
    },
    /// The files do not fit into the memory that may be taken.
    Memory(NoRoom),
    /// The snapshot of the hub cannot be used.
    Hub(HubFault),
    /// The PATHs hold nothing but records.
    Records {
        /// The first file of them.
        file: String,
        /// The site that they belong to, if their directory tells.
        site: Option<String>,
    },
    /// Several repositories have a site of the name asked for.
    Root {
        /// The site asked for.
        site: String,
        /// The repositories.
        roots: Vec<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(why) => write!(to, "{why}"),
            Self::Hub(fault) => write!(to, "{fault}"),
            Self::Glob(glob) => write!(to, "\"{glob}\" is not a glob"),
            Self::Site {
                root,
                wanted: Some(wanted),
                sites,
            } if sites.is_empty() => write!(
                to,
                "{root} is not an Airship repository, so it has no site \"{wanted}\""
            ),
            Self::Site {
                root,
                wanted: Some(wanted),
                sites,
            } => {
                let near = nearest(wanted, sites.iter().map(String::as_str));
                let (hint, sites) = (hint(near.as_slice()), sites.join(", "));
                write!(to, "{root} has no site \"{wanted}\" (it has {sites}){hint}")
            }
            Self::Site {
                root,
                wanted: None,
                sites,
            } => {
                let (count, names) = (sites.len(), sites.join(", "));
                write!(
                    to,
                    "{root} has {count} sites; name one with --site ({names})"
                )
            }
            Self::Repositories { root, repositories } => {
                let count: usize = repositories.iter().map(|(_, sites)| sites.len()).sum();
                let number = repositories.len();
                write!(
                    to,
                    "{root} has {count} sites in {number} repositories; give the path of one:"
                )?;
                let width = repositories.iter().map(|(path, _)| path.len()).max();
                let width = width.unwrap_or_default();
                repositories.iter().try_for_each(|(path, sites)| {
                    let sites = first_names(sites.iter(), HELD);
                    write!(to, "\n  {path:width$}  {sites}")
                })
            }
            Self::NoSite {
                root,
                wanted,
                sites,
            } if sites.is_empty() => {
                write!(
                    to,
                    "{root} has one site, and it has no name; leave --site {wanted} out"
                )
            }
            Self::NoSite {
                root,
                wanted,
                sites,
            } => {
                let near = nearest(wanted, sites.iter().map(String::as_str));
                let (hint, sites) = (hint(near.as_slice()), sites.join(", "));
                write!(to, "{root} has no site \"{wanted}\" (it has {sites}){hint}")
            }
            Self::Sites { root, sites } => {
                let count = sites.len();
                write!(to, "{root} has {count} sites; name one with --site:")?;
                let width = sites.iter().map(|(name, _)| name.len()).max();
                let width = width.unwrap_or_default();
                sites.iter().try_for_each(|(name, holds)| {
                    let holds = holds.iter().map(|home| home.display().to_string());
                    write!(to, "\n  {name:width$}  {}", first_names(holds, HELD))
                })
            }
            Self::Exclusive { root, sites } => write!(
                to,
                "{root}: the sites {} make the same objects differently; name one of them",
                listed(sites)
            ),
            Self::Records { file, site } => {
                let file = clean(file);
                write!(
                    to,
                    "{file} is a record that planner wrote, and there is no site beside it: all \
                     that it decided would be withdrawn; "
                )?;
                match site {
                    Some(site) => {
                        let site = shell_word(site);
                        write!(to, "to plan its site, run `planner plan {site}`")
                    }
                    None => write!(
                        to,
                        "to plan its site, run `planner plan SITE --records DIR`, where DIR holds \
                         the records"
                    ),
                }
            }
            Self::Root { site, roots } => {
                let roots = roots.join(", ");
                write!(
                    to,
                    "several repositories have a site \"{site}\": name one of {roots}"
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}
