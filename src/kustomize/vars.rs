//! Variables: `$(NAME)` in the fields that may hold one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Place;

use super::fault::Fault;
use super::file::Var;
use super::heap::{Heap, Stop};
use super::node::{Node, Value};
use super::paths::{self, Create, Problem};
use super::replace::{leads_to_secret, look_up, smart_split};
use super::resource::{effective, shown};
use super::rules;
use super::scalar::{Scalar, Tag};
use super::tables::{self, Config};

/// Bytes of a text with its variables replaced, at most.
const LONGEST: usize = 1 << 20;

fn refused(why: String, var: &Var) -> Fault {
    Fault::new(&rules::VARIABLE, why, var.name.place)
}

/// Adds variables of what is read.
pub(super) fn merge(heap: &mut Heap, vars: &[Var]) -> Result<(), Stop> {
    for var in vars {
        if let Some(old) = heap.vars.iter().find(|old| old.name.text == var.name.text) {
            let fault = refused(format!("two variables are called `{}`", var.name.text), var);
            return Err(fault
                .help("rename one of them")
                .related(old.name.place, "the other one")
                .into());
        }
        heap.vars.push(var.clone());
    }
    Ok(())
}

/// Binds variables of a kustomization to their objects.
pub(super) fn collect(heap: &mut Heap, vars: &[Var]) -> Result<(), Stop> {
    for var in vars {
        let cluster = tables::is_cluster_scoped(&var.api_version, &var.kind);
        let wanted = effective(&var.api_version, &var.kind, &var.namespace.as_str().into());
        let exact = cluster || !var.namespace.is_empty();
        let mut found = Vec::new();
        for (resource, at) in heap.resources.list.iter().zip(0..) {
            let mut ids = resource.ids().into_iter();
            let fits = ids.any(|id| {
                *id.name == *var.object
                    && *id.kind == *var.kind
                    && *id.api_version == *var.api_version
                    && (!exact || id.namespace == wanted)
            });
            if fits {
                found.push(at);
            }
        }
        if found.len() > 1 {
            let message = format!(
                "the variable `{}` names several objects: {}",
                var.name.text,
                shown(&var.kind, &var.namespace, &var.object)
            );
            return Err(refused(message, var)
                .help("add `namespace` to its `objref`")
                .into());
        }
        if let Some(at) = found.first() {
            let name = Arc::clone(&var.name.text);
            heap.resources.list[*at].vars.push(name);
        }
    }
    merge(heap, vars)
}

/// Writes the values of all variables where they are used.
pub(super) fn resolve(heap: &mut Heap) -> Result<(), Stop> {
    if heap.vars.is_empty() {
        return Ok(());
    }
    let mut values: FxHashMap<Arc<str>, (Option<Arc<Node>>, Place)> = FxHashMap::default();
    for var in heap.vars.clone() {
        let name = &var.name.text;
        let mut bound = heap
            .resources
            .list
            .iter()
            .filter(|one| one.vars.contains(name));
        let Some(resource) = bound.next() else {
            let message = format!(
                "no object is {}, which the variable `{name}` names",
                shown(&var.kind, &var.namespace, &var.object)
            );
            heap.unless_part(refused(message, &var).help("correct its `objref`"))?;
            continue;
        };
        let path = smart_split(&var.field);
        let Some(value) = look_up(&resource.node, &path) else {
            let message = format!("{} has no `{}`", resource.shown(), var.field);
            return Err(refused(message, &var)
                .help("correct the `fieldPath` of the variable")
                .related(resource.node.place, "the object")
                .into());
        };
        let value = if leads_to_secret(&resource.node, &path) {
            &value.as_secret()
        } else {
            value
        };
        let scalar = value.as_scalar().is_some().then(|| Arc::clone(value));
        values.insert(Arc::clone(name), (scalar, var.place));
    }
    if values.is_empty() {
        return Ok(());
    }
    let own = heap.config.clone();
    let config = own.as_deref().unwrap_or(Config::usual());
    let kinds: FxHashSet<&str> = config.vars.iter().map(|spec| &*spec.kind).collect();
    let open = kinds.contains("");
    for resource in &mut heap.resources.list {
        if !open && !kinds.contains(&*resource.kind()) {
            continue;
        }
        for spec in &config.vars {
            let set = &mut |node: &mut Arc<Node>| replace(node, &values);
            let place = resource.node.place;
            paths::apply(resource, spec, Create::No, place, set)
                .map_err(|why| Fault::new(&rules::VARIABLE, why, place))?;
        }
    }
    Ok(())
}

type Values = FxHashMap<Arc<str>, (Option<Arc<Node>>, Place)>;

fn replace(node: &mut Arc<Node>, values: &Values) -> Result<(), Problem> {
    if node.is_null() {
        return Ok(());
    }
    let is_text = |node: &Node| {
        node.as_scalar()
            .is_some_and(|scalar| scalar.kind() == Tag::Text)
    };
    match &node.value {
        Value::Scalar(_) => {
            if is_text(node) {
                expand(node, values)?;
            }
        }
        Value::Map(entries) => {
            for at in 0..entries.len() {
                let Value::Map(entries) = &mut Arc::make_mut(node).value else {
                    break;
                };
                if is_text(&entries[at].value) {
                    expand(&mut entries[at].value, values)?;
                }
            }
        }
        Value::List(items) => {
            if !items.iter().all(|item| is_text(item)) {
                return Err("an item of the list is no text".to_owned());
            }
            for at in 0..items.len() {
                let Value::List(items) = &mut Arc::make_mut(node).value else {
                    break;
                };
                expand(&mut items[at], values)?;
            }
        }
    }
    Ok(())
}

/// Replaces the variables of a text; one that is nothing but a variable takes its type too.
fn expand(node: &mut Arc<Node>, values: &Values) -> Result<(), Problem> {
    let Some(old) = node.as_scalar() else {
        return Ok(());
    };
    let text = Arc::clone(&old.text);
    if !text.contains('$') {
        return Ok(());
    }
    let value = |name: &str| {
        let (value, place) = values.get(name)?;
        Some((value.as_ref()?, *place))
    };
    let whole = text
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'));
    if let Some((value, place)) = whole.filter(|name| !name.contains(')')).and_then(value) {
        let own = Arc::make_mut(node);
        if let Some(scalar) = value.as_scalar() {
            let (text, plain) = scalar.written();
            own.value = Value::Scalar(match (plain, scalar.kind()) {
                (true, Tag::Null) | (false, _) => Scalar::text(text.as_ref()),
                (true, tag) => Scalar::plain(tag, text.as_ref()),
            });
        }
        own.by = Some(place);
        own.secret |= value.secret;
        return Ok(());
    }
    let mut made = String::new();
    let (mut by, mut is_secret) = (None, false);
    let mut rest = &*text;
    while let Some(at) = rest.find('$') {
        made.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(first) = rest.chars().next() else {
            made.push('$');
            break;
        };
        match (first, rest.find(')')) {
            ('$', _) => {
                made.push('$');
                rest = &rest[1..];
            }
            ('(', Some(end)) => {
                let name = &rest[1..end];
                match value(name) {
                    Some((value, place)) => {
                        by = Some(place);
                        is_secret |= value.secret;
                        let text = value
                            .as_scalar()
                            .map(|scalar| scalar.written().0.into_owned());
                        made.push_str(&text.unwrap_or_default());
                        if made.len() > LONGEST {
                            return Err("variables make a text longer than 1 MiB".to_owned());
                        }
                    }
                    None => made.push_str(&format!("$({name})")),
                }
                rest = &rest[end + 1..];
            }
            (first, _) => {
                made.push('$');
                made.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    made.push_str(rest);
    if *made == *text {
        return Ok(());
    }
    let own = Arc::make_mut(node);
    own.value = Value::Scalar(Scalar::text(made));
    own.by = by.or(own.by);
    own.secret |= is_secret;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_as_in_a_shell_of_kubernetes() {
        let text = |text: &str| Node::text(text, Place::default());
        let values: Values = [("A", "a"), ("E", ""), ("R", "$(A)")]
            .into_iter()
            .map(|(name, value)| (Arc::from(name), (Some(text(value)), Place::default())))
            .collect();
        for (from, wanted) in [
            ("$(A)", "a"),
            ("x-$(A)-$(E)y", "x-a-y"),
            ("$$(A)", "$(A)"),
            ("$(R)", "$(A)"),
            ("$(NO) $A $", "$(NO) $A $"),
            ("$(A", "$(A"),
            ("$$$$(A)$(A)", "$$(A)a"),
        ] {
            let mut node = text(from);
            expand(&mut node, &values).unwrap();
            assert_eq!(&*node.as_scalar().unwrap().text, wanted, "{from}");
        }
    }
}
