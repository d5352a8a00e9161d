//! The objects that a patch is for.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kustomize::fault::Fault;
use crate::kustomize::fields::Text;
use crate::kustomize::file::Selector;
use crate::kustomize::heap::{Heap, Stop};
use crate::kustomize::node::Node;
use crate::kustomize::resource::{Id, Resource, shown};
use crate::kustomize::rules;
use crate::kustomize::select::Compiled;
use crate::source::Place;

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
    let found = |place: Place| Diagnostic::new(rule, message).at(place, "");
    match misfit(heap, target) {
        Some((place, Some((near, there)))) => found(place)
            .related(there, "the object that is there")
            .help(did_you_mean(&near)),
        other => found(other.map_or(target.place, |(place, _)| place))
            .help("correct the target, or remove the patch"),
    }
}

/// A field of a target, a target with it, and the path of what it selects by.
type Part<'t> = (&'t Option<Text>, Selector, Option<&'static [&'static str]>);

/// The field of a target that no object has, and the nearest text that an object has in that field.
fn misfit(heap: &Heap, target: &Selector) -> Option<(Place, Option<(String, Place)>)> {
    let list = &heap.resources.list;
    let near = |wanted: &Text, path: &[&str]| {
        let texts = list.iter().filter_map(|one| one.node.at(path));
        let texts: Vec<(&str, Place)> = texts
            .filter_map(|node| Some((&**node.as_text()?, node.place)))
            .collect();
        let near = nearest(&wanted.text, texts.iter().map(|(text, _)| *text))?;
        let (text, place) = texts.iter().find(|(text, _)| *text == near)?;
        Some(((*text).to_owned(), *place))
    };
    let kind = || Selector {
        kind: target.kind.clone(),
        ..Selector::default()
    };
    let name = || Selector {
        name: target.name.clone(),
        ..kind()
    };
    // Each alone, then with those before it.
    let parts: [Part<'_>; 8] = [
        (&target.kind, kind(), Some(&["kind"])),
        (
            &target.name,
            Selector {
                kind: None,
                ..name()
            },
            Some(&["metadata", "name"]),
        ),
        (&target.name, name(), Some(&["metadata", "name"])),
        (
            &target.namespace,
            Selector {
                namespace: target.namespace.clone(),
                ..name()
            },
            Some(&["metadata", "namespace"]),
        ),
        (
            &target.labels,
            Selector {
                labels: target.labels.clone(),
                ..name()
            },
            None,
        ),
        (
            &target.annotations,
            Selector {
                annotations: target.annotations.clone(),
                ..name()
            },
            None,
        ),
        (
            &target.group,
            Selector {
                group: target.group.clone(),
                ..name()
            },
            None,
        ),
        (
            &target.version,
            Selector {
                version: target.version.clone(),
                ..name()
            },
            None,
        ),
    ];
    for (text, part, path) in parts {
        let Some(text) = text else { continue };
        let Ok(compiled) = Compiled::new(&part) else {
            continue;
        };
        if !list
            .iter()
            .any(|one| matches!(compiled.selects(one), Ok(true)))
        {
            return Some((text.place, path.and_then(|path| near(text, path))));
        }
    }
    None
}

/// The object that a merge patch names; none in a build that lacks parts.
/// `from` is the line that lists the patch.
pub(super) fn target(
    heap: &mut Heap,
    patch: &Arc<Node>,
    from: Place,
) -> Result<Option<usize>, Stop> {
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
    let (here, help, there) = unfit(list, patch, &wanted);
    let fault = Fault::new(&rules::NO_TARGET, message, here);
    let fault = match there {
        Some(place) => fault.related(place, "the object that is there"),
        None => fault,
    };
    let fault = if from.source == here.source {
        fault
    } else {
        fault.related(from, "listed here")
    };
    heap.unless_part(fault.help(help))?;
    Ok(None)
}

/// Why no object fits a patch: the place in the patch, what helps, and the place in the object that
/// is nearest.
fn unfit(list: &[Resource], patch: &Node, wanted: &Id) -> (Place, String, Option<Place>) {
    let field = |node: &Node, path: &[&str]| node.at(path).map(|node| node.place);
    let own = |path: &[&str]| field(patch, path).unwrap_or(patch.place);
    let is_named = |one: &&Resource| {
        one.name() == wanted.name || one.former.iter().any(|old| old.name == wanted.name)
    };
    let named = || list.iter().filter(is_named);
    if let Some(one) = named().find(|one| one.kind() == wanted.kind) {
        if one.api_version() != wanted.api_version {
            let help = format!("its apiVersion is `{}`", one.api_version());
            return (
                own(&["apiVersion"]),
                help,
                field(&one.node, &["apiVersion"]),
            );
        }
        let at = ["metadata", "namespace"];
        let here = field(patch, &at).unwrap_or_else(|| own(&["metadata", "name"]));
        return match &*one.namespace() {
            "" => {
                let help = format!("{} has no namespace", one.shown());
                (here, help, field(&one.node, &["metadata", "name"]))
            }
            namespace => {
                let help =
                    format!("it has a namespace: write `namespace: {namespace}` into the patch");
                (here, help, field(&one.node, &at))
            }
        };
    }
    // A name that many kinds share says nothing; a kind that is nearly the same does.
    let kinds: Vec<Arc<str>> = named().map(Resource::kind).collect();
    if let Some(near) = nearest(&wanted.kind, kinds.iter().map(|kind| &**kind)) {
        let one = named().find(|one| *one.kind() == *near);
        let there = one.and_then(|one| field(&one.node, &["kind"]));
        let help = format!("the object of that name is a `{near}`: write the same kind in both");
        return (own(&["kind"]), help, there);
    }
    let kin = || list.iter().filter(|one| one.kind() == wanted.kind);
    let names: Vec<Arc<str>> = kin().map(Resource::name).collect();
    match nearest(&wanted.name, names.iter().map(|name| &**name)) {
        Some(near) => {
            let one = kin().find(|one| *one.name() == *near);
            let there = one.and_then(|one| field(&one.node, &["metadata", "name"]));
            (own(&["metadata", "name"]), did_you_mean(near), there)
        }
        None => {
            let help = if list.is_empty() {
                "list the object under `resources`: nothing is there to be patched"
            } else {
                "correct its kind, name and namespace, or remove the patch"
            };
            let at: &[&str] = if names.is_empty() {
                &["kind"]
            } else {
                &["metadata", "name"]
            };
            (own(at), help.to_owned(), None)
        }
    }
}
