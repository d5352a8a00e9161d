//! A policy document, checked as upstream checks it.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::diagnostic::Sink;
use crate::senlin::model::{Policy, Region};
use crate::senlin::rules;
use crate::yaml::{Node, Scalar};

use super::fault::{self, about, bare};
use super::value::{NoInteger, converted, python, scalar};

/// Reads the policy; faults go to the sink in upstream's words.
pub(super) fn lower<'a>(node: Node<'a>, sink: &mut Sink) -> Policy<'a> {
    const KEYS: &[&str] = &["type", "version", "description", "properties"];
    fault::unknown_keys(node, "", KEYS, sink);
    let mut policy = Policy {
        place: fault::head(node).place(),
        ..Policy::default()
    };
    if let Some((key, value)) = node.entry("description")
        && value.is_null()
    {
        sink.push(
            about(&rules::WRONG_TYPE, "the description of a policy is null")
                .at(key.place(), "no value here")
                .pointer("/description")
                .upstream("The value 'None' is not a valid string.")
                .help("write text, or leave the key out"),
        );
    }
    let Some(properties) = required(node, "properties", "", sink) else {
        return policy;
    };
    if !properties.is_mapping() {
        sink.push(fault::not_a(properties, "/properties", "Map"));
        return policy;
    }
    fault::unknown_keys(properties, "/properties", &["regions"], sink);
    let Some(list) = required(properties, "regions", "/properties", sink) else {
        return policy;
    };
    policy.regions_place = list.place();
    if !list.is_sequence() {
        sink.push(fault::not_a(list, "/properties/regions", "List"));
        return policy;
    }
    policy.regions = regions(list, sink);
    policy
}

fn required<'a>(map: Node<'a>, key: &str, path: &str, sink: &mut Sink) -> Option<Node<'a>> {
    match map.entry(key) {
        Some((_, value)) if !value.is_null() => Some(value),
        Some((name, _)) => {
            sink.push(
                about(&rules::MISSING_KEY, format!("`{key}` of a policy is null"))
                    .at(name.place(), "no value here")
                    .pointer(format!("{path}/{key}"))
                    .help("a policy needs `properties` with a list of `regions`"),
            );
            None
        }
        None => {
            sink.push(
                about(&rules::MISSING_KEY, format!("a policy without `{key}`"))
                    .at(fault::head(map).place(), format!("`{key}` is missing here"))
                    .pointer(if path.is_empty() { "/" } else { path })
                    .help("a policy needs `properties` with a list of `regions`"),
            );
            None
        }
    }
}

/// The regions: a repeated name keeps the position of the first entry and takes weight and cap
/// of the last.
fn regions<'a>(list: Node<'a>, sink: &mut Sink) -> Vec<Region<'a>> {
    let mut regions: Vec<Region<'a>> = Vec::with_capacity(list.len());
    let mut positions: FxHashMap<Cow<'a, str>, usize> = FxHashMap::default();
    for (at, item) in list.items().enumerate() {
        let path = || format!("/properties/regions/{at}");
        if !item.is_mapping() {
            sink.push(fault::not_a(item, &path(), "Map"));
            continue;
        }
        if item
            .entries()
            .any(|(key, _)| !fault::is_known(key, REGION_KEYS))
        {
            fault::unknown_keys(item, &path(), REGION_KEYS, sink);
        }
        let Some(name) = name(item, &path, sink) else {
            continue;
        };
        let (weight, weight_place) = match item.get("weight") {
            Some(node) => (number(node, "weight", &path, sink), Some(node.place())),
            None => (Some(100), None),
        };
        let cap = match item.get("cap") {
            Some(node) => number(node, "cap", &path, sink),
            None => Some(-1),
        };
        let (Some(weight), Some(cap)) = (weight, cap) else {
            continue;
        };
        let place = item.get("name").unwrap_or(item).place();
        let region = Region {
            name: name.clone(),
            weight,
            cap,
            place,
            weight_place,
        };
        if let Some(first) = positions.get(&name) {
            sink.push(fault::duplicate_region(
                &name,
                place,
                regions[*first].place,
                &path(),
            ));
            regions[*first] = region;
        } else {
            positions.insert(name, regions.len());
            regions.push(region);
        }
    }
    regions
}

const REGION_KEYS: &[&str] = &["name", "weight", "cap"];

/// The name: a number becomes its decimal text. A name that is missing or empty passes upstream
/// and then fits no node; it is refused here.
fn name<'a>(item: Node<'a>, path: &dyn Fn() -> String, sink: &mut Sink) -> Option<Cow<'a, str>> {
    let Some((key, node)) = item.entry("name") else {
        sink.push(
            about(&rules::MISSING_KEY, "a region without a name")
                .at(item.place(), "`name` is missing here")
                .pointer(path())
                .help("write the region's `name`"),
        );
        return None;
    };
    let pointer = || format!("{}/name", path());
    match scalar(node) {
        Some(Scalar::Null) => {
            sink.push(
                about(&rules::WRONG_TYPE, "the name of a region is null")
                    .at(key.place(), "no value here")
                    .pointer(pointer())
                    .upstream("The value 'None' is not a valid string.")
                    .help("write the region's name"),
            );
            None
        }
        Some(Scalar::Text("")) => {
            sink.push(
                about(&rules::WRONG_TYPE, "the name of a region is empty")
                    .at(node.place(), "an empty name")
                    .pointer(pointer())
                    .help("write the region's name"),
            );
            None
        }
        Some(_) => Some(python(node)),
        None => {
            sink.push(
                about(&rules::WRONG_TYPE, "the name of a region is not text")
                    .at(node.place(), "text is expected here")
                    .pointer(pointer())
                    .help("write the region's name"),
            );
            None
        }
    }
}

fn number(node: Node<'_>, field: &str, path: &dyn Fn() -> String, sink: &mut Sink) -> Option<i128> {
    let fault = match converted(node) {
        Ok(number) => return Some(number),
        Err(fault) => fault,
    };
    let value = python(node);
    let message = match fault {
        NoInteger::TooLarge => format!("{field} {value} is beyond ±10^30"),
        _ if node.is_null() => format!("{field} is null"),
        _ => format!("{field} `{value}` is not an integer"),
    };
    let mut found = about(&rules::WRONG_TYPE, message)
        .at(node.place(), "an integer is expected here")
        .pointer(format!("{}/{field}", path()))
        .help({
            let write = bare(node, "an integer");
            let write = write.map_or("write an integer".to_owned(), |n| format!("write `{n}`"));
            match field {
                "cap" => format!("{write}, or leave `cap` out for no cap"),
                _ => format!("{write}, or leave `weight` out for 100"),
            }
        });
    if fault == NoInteger::Refused {
        found = found.upstream(format!("The value '{value}' is not a valid Integer"));
    }
    sink.push(found);
    None
}
