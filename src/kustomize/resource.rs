//! Objects of a build: the document, what it is called now, and what it was called before.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::source::Place;

use super::node::Node;
use super::scalar::Scalar;
use super::tables;

/// The identity of an object: none and `default` are one namespace, and built-in
/// cluster-scoped kinds have none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Id {
    pub(super) api_version: Arc<str>,
    pub(super) kind: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) namespace: Arc<str>,
}

/// A former name of an object.
#[derive(Debug, Clone)]
pub(super) struct Former {
    pub(super) kind: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) namespace: Arc<str>,
}

/// How a generated object treats one that is there: it must be new, replaces it or merges into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Behavior {
    #[default]
    Create,
    Replace,
    Merge,
}

/// An object of a build.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    pub(super) node: Arc<Node>,
    pub(super) former: Vec<Former>,
    pub(super) prefixes: Vec<Arc<str>>,
    pub(super) suffixes: Vec<Arc<str>>,
    /// Whether its name gets a hash of its content.
    pub(super) hash: bool,
    pub(super) behavior: Behavior,
    /// The variables that name it.
    pub(super) vars: Vec<Arc<str>>,
    /// Whether a patch removed it.
    pub(super) gone: bool,
    /// The name of the PolicyGenerator that made it: there is more in it than is known.
    pub(super) generator: Option<Arc<str>>,
}

/// The namespace of what has none.
pub(super) const CLUSTER: &str = "_non_namespaceable_";

thread_local! {
    static EMPTY: Arc<str> = Arc::from("");
    static DEFAULT: Arc<str> = Arc::from("default");
    static NONE: Arc<str> = Arc::from(CLUSTER);
}

/// The group of an apiVersion.
pub(super) fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// The version of an apiVersion.
pub(super) fn version(api_version: &str) -> &str {
    api_version
        .split_once('/')
        .map_or(api_version, |(_, version)| version)
}

/// The text of a field that says something.
fn filled(node: Option<&Arc<Node>>) -> Arc<str> {
    let text = node.and_then(|node| node.as_text());
    text.cloned().unwrap_or_else(|| EMPTY.with(Arc::clone))
}

/// The namespace that counts for an identity.
pub(super) fn effective(api_version: &str, kind: &str, namespace: &Arc<str>) -> Arc<str> {
    if tables::is_cluster_scoped(api_version, kind) {
        return NONE.with(Arc::clone);
    }
    match &**namespace {
        "" => DEFAULT.with(Arc::clone),
        _ => Arc::clone(namespace),
    }
}

impl Resource {
    pub(super) fn new(node: Arc<Node>) -> Self {
        Self {
            node,
            former: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            hash: false,
            behavior: Behavior::Create,
            vars: Vec::new(),
            gone: false,
            generator: None,
        }
    }

    /// An object of a file. Annotations of another build may say what it was called before.
    pub(super) fn read(node: Arc<Node>) -> Self {
        let mut resource = Self::new(node);
        let Some(annotations) = resource.node.at(&["metadata", "annotations"]) else {
            return resource;
        };
        let listed = |name: &str| -> Vec<Arc<str>> {
            let text = annotations.get(&format!("internal.config.kubernetes.io/previous{name}"));
            let text = text.and_then(|text| text.as_text());
            text.map_or_else(Vec::new, |text| text.split(',').map(Arc::from).collect())
        };
        let (kinds, names, namespaces) = (listed("Kinds"), listed("Names"), listed("Namespaces"));
        if kinds.len() == names.len() && names.len() == namespaces.len() {
            let former = kinds.into_iter().zip(names).zip(namespaces);
            let former = former.map(|((kind, name), namespace)| Former {
                kind,
                name,
                namespace,
            });
            resource.former = former.collect();
        }
        resource
    }

    pub(super) fn api_version(&self) -> Arc<str> {
        filled(self.node.get("apiVersion"))
    }

    pub(super) fn kind(&self) -> Arc<str> {
        filled(self.node.get("kind"))
    }

    pub(super) fn name(&self) -> Arc<str> {
        filled(self.node.at(&["metadata", "name"]))
    }

    fn name_text(&self) -> &str {
        let name = self.node.at(&["metadata", "name"]);
        name.and_then(|name| name.as_text()).map_or("", |name| name)
    }

    pub(super) fn namespace(&self) -> Arc<str> {
        filled(self.node.at(&["metadata", "namespace"]))
    }

    /// Its identity now.
    pub(super) fn id(&self) -> Id {
        let (api_version, kind) = (self.api_version(), self.kind());
        let namespace = effective(&api_version, &kind, &self.namespace());
        Id {
            namespace,
            name: self.name(),
            kind,
            api_version,
        }
    }

    /// Its first identity.
    pub(super) fn first_id(&self) -> Id {
        match self.former.first() {
            Some(former) => self.once(former),
            None => self.id(),
        }
    }

    fn once(&self, former: &Former) -> Id {
        Id {
            api_version: self.api_version(),
            kind: Arc::clone(&former.kind),
            name: Arc::clone(&former.name),
            namespace: Arc::clone(&former.namespace),
        }
    }

    /// The names that it had before, and the one that it has now.
    pub(super) fn ids(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = self.former.iter().map(|former| self.once(former)).collect();
        ids.push(self.id());
        ids
    }

    /// Remembers what it is called, before that changes.
    pub(super) fn remember(&mut self) {
        let Id {
            kind,
            name,
            namespace,
            ..
        } = self.id();
        self.former.push(Former {
            kind,
            name,
            namespace,
        });
    }

    /// Writes a text into `metadata`, in the quotes of the old one.
    pub(super) fn set_metadata(&mut self, key: &str, text: &str, place: Place, by: Option<Place>) {
        let root = Arc::make_mut(&mut self.node);
        if root
            .get("metadata")
            .is_none_or(|metadata| !metadata.is_map())
        {
            root.set("metadata", Node::map(place));
        }
        let Some(entries) = root.entries_mut() else {
            return;
        };
        let mut entries = entries.iter_mut();
        let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") else {
            return;
        };
        let metadata = Arc::make_mut(&mut metadata.value);
        let old = metadata.get(key).and_then(|old| old.as_scalar());
        let scalar = Scalar::instead(text, old);
        let mut node = Node::scalar(scalar, place);
        Arc::make_mut(&mut node).by = by;
        metadata.set(key, node);
    }

    /// The labels or annotations, as texts.
    pub(super) fn texts(&self, field: &str) -> Vec<(Arc<str>, Arc<str>)> {
        let map = self.node.at(&["metadata", field]);
        let entries = map.map_or(&[][..], |map| map.entries());
        let text = |node: &Node| {
            let scalar = node.as_scalar();
            scalar.map_or_else(|| Arc::from(""), |scalar| Arc::clone(&scalar.text))
        };
        entries
            .iter()
            .map(|entry| (Arc::clone(&entry.key), text(&entry.value)))
            .collect()
    }

    /// How messages call it.
    pub(super) fn shown(&self) -> String {
        shown(&self.kind(), &self.namespace(), &self.name())
    }
}

/// How messages call an object.
pub(super) fn shown(kind: &str, namespace: &str, name: &str) -> String {
    match namespace {
        "" | CLUSTER => format!("{kind} `{name}`"),
        namespace => format!("{kind} `{namespace}/{name}`"),
    }
}

/// The objects of a build.
#[derive(Debug, Clone, Default)]
pub(super) struct Resources {
    pub(super) list: Vec<Resource>,
}

impl Resources {
    /// The first pair of objects with the same identity.
    pub(super) fn twice(&self) -> Option<(&Resource, &Resource)> {
        // Names differ most often: identities are only made where they agree.
        let mut names: FxHashMap<&str, bool> = FxHashMap::default();
        for resource in &self.list {
            let again = names
                .entry(resource.name_text())
                .and_modify(|twice| *twice = true);
            again.or_insert(false);
        }
        let mut seen: FxHashMap<Id, &Resource> = FxHashMap::default();
        let mut alike = self.list.iter();
        let mut alike = alike
            .by_ref()
            .filter(|resource| names[resource.name_text()]);
        alike.find_map(|resource| Some((seen.insert(resource.id(), resource)?, resource)))
    }

    /// Takes out what patches removed.
    pub(super) fn sweep(&mut self) {
        self.list
            .retain(|resource| !resource.gone && !resource.node.is_nothing());
    }
}
