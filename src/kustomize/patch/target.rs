//! The objects that a patch is for.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kustomize::fault::Fault;
use crate::kustomize::fields::Text;
use crate::kustomize::file::Selector;
use crate::kustomize::heap::{Heap, Stop};
use crate::kustomize::node::Node;
use crate::kustomize::resource::{Resource, shown};
use crate::kustomize::rules;
use crate::kustomize::select::Compiled;

/// The objects that a target selects; a warning if there are none.
pub(super) fn select(heap: &mut Heap, target: &Selector) -> Result<Vec<usize>, Stop> {
    heap.works(target.place)?;
    let compiled = Compiled::new(target)?;
    let mut selected = Vec::new();
    for (resource, at) in heap.resources.list.iter().zip(0..) {
        if compiled.selects(resource)? {
            selected.push(at);
        }
    }
    if selected.is_empty() {
        heap.notes.push(idle(heap, target));
    }
    Ok(selected)
}

/// A target that selects nothing.
fn idle(heap: &Heap, target: &Selector) -> Diagnostic {
    let list = &heap.resources.list;
    let by = |text: &Option<Text>, name: &str| {
        let text = text.as_ref()?;
        Some(format!("{name} `{}`", text.text))
    };
    let said = [
        by(&target.group, "group"),
        by(&target.version, "version"),
        by(&target.kind, "kind"),
        by(&target.name, "name"),
        by(&target.namespace, "namespace"),
        by(&target.labels, "labels"),
        by(&target.annotations, "annotations"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let message = if heap.is_part() {
        format!(
            "the target of this patch selects nothing ({}); its object may come from what is \
             left out",
            said.join(", ")
        )
    } else {
        format!(
            "the target of this patch selects nothing ({})",
            said.join(", ")
        )
    };
    let rule = if heap.is_part() {
        &rules::PERHAPS_LEFT_OUT
    } else {
        &rules::IDLE_PATCH
    };
    let found = Diagnostic::new(rule, message).at(target.place, "");
    let kinds: Vec<Arc<str>> = list.iter().map(Resource::kind).collect();
    let names: Vec<Arc<str>> = list.iter().map(Resource::name).collect();
    let near = |wanted: &Option<Text>, known: &[Arc<str>]| {
        let wanted = &wanted.as_ref()?.text;
        if known.contains(wanted) {
            return None;
        }
        nearest(wanted, known.iter().map(|one| &**one)).map(did_you_mean)
    };
    match near(&target.kind, &kinds).or_else(|| near(&target.name, &names)) {
        Some(help) => found.help(help),
        None => found.help("correct the target, or remove the patch"),
    }
}

/// The object that a merge patch names; none in a build that lacks parts.
pub(super) fn target(heap: &mut Heap, patch: &Arc<Node>) -> Result<Option<usize>, Stop> {
    let wanted = Resource::new(Arc::clone(patch)).id();
    let list = &heap.resources.list;
    let is_it = |resource: &&Resource| {
        !resource.gone && (resource.id() == wanted || resource.ids().contains(&wanted))
    };
    // Names differ most often: the identity is only made where they agree.
    let named = |resource: &Resource| {
        resource.name() == wanted.name || resource.former.iter().any(|old| old.name == wanted.name)
    };
    let found = list.iter().enumerate();
    let mut found = found.filter(|(_, resource)| named(resource) && is_it(resource));
    let (first, second) = (found.next(), found.next());
    if let (Some((_, one)), Some((_, two))) = (first, second) {
        let message = format!(
            "several objects fit the patch of {}",
            shown(&wanted.kind, &wanted.namespace, &wanted.name)
        );
        return Err(Fault::new(&rules::NO_TARGET, message, patch.place)
            .help("add a `target`")
            .related(one.node.place, "one of them")
            .related(two.node.place, "another one")
            .into());
    }
    if let Some((at, _)) = first {
        return Ok(Some(at));
    }
    let resource = Resource::new(Arc::clone(patch));
    let message = format!("no object fits the patch of {}", resource.shown());
    let fault = Fault::new(&rules::NO_TARGET, message, patch.place);
    let alike = |one: &&Resource| one.kind() == wanted.kind && one.name() == wanted.name;
    let field = |one: &Resource, key: &str| one.node.at(&["metadata", key]).map(|node| node.place);
    let (help, there) = match list.iter().find(alike) {
        Some(one) if one.api_version() != wanted.api_version => (
            format!("its apiVersion is `{}`", one.api_version()),
            one.node.get("apiVersion").map(|node| node.place),
        ),
        Some(one) => match &*one.namespace() {
            "" => (
                format!("{} has no namespace", one.shown()),
                field(one, "name"),
            ),
            namespace => (
                format!("it has a namespace: write `namespace: {namespace}` into the patch"),
                field(one, "namespace"),
            ),
        },
        None => {
            let kin = || list.iter().filter(|one| one.kind() == wanted.kind);
            let names: Vec<Arc<str>> = kin().map(Resource::name).collect();
            match nearest(&wanted.name, names.iter().map(|name| &**name)) {
                Some(near) => {
                    let named = kin().find(|one| &*one.name() == near);
                    let place = named.and_then(|one| field(one, "name"));
                    (did_you_mean(near), place)
                }
                None => {
                    let help = "correct its kind, name and namespace, or remove the patch";
                    (help.to_owned(), None)
                }
            }
        }
    };
    let fault = match there {
        Some(place) => fault.related(place, "the object that is there"),
        None => fault,
    };
    heap.unless_part(fault.help(help))?;
    Ok(None)
}
