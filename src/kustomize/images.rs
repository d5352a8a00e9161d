//! Images: names, tags and digests, wherever containers are listed.

use std::cell::Cell;
use std::sync::Arc;

use regex::Regex;

use crate::source::Place;

use super::fault::Fault;
use super::file::{FieldSpec, Image};
use super::heap::{Heap, SetImage, Stop};
use super::node::{Node, Value};
use super::paths::{self, Create, Problem};
use super::rules;
use super::scalar::Scalar;

/// Places in which images may be looked for, each image in each place.
const MOST: usize = 5_000_000;

/// Sets the images of everything.
pub(super) fn all(heap: &mut Heap, images: &[Image], specs: &[FieldSpec]) -> Result<(), Stop> {
    let looked = Cell::new(0);
    for image in images {
        let name = image.name.as_ref().map_or("", |name| &*name.text);
        let pattern = Pattern::new(name);
        for resource in &mut heap.resources.list {
            if &*resource.kind() == "CustomResourceDefinition" {
                continue;
            }
            let mut own = None;
            let setting = Setting {
                image,
                pattern: &pattern,
                looked: &looked,
            };
            let mut changed = lists(&mut resource.node, setting, &mut own);
            for spec in specs {
                if changed.is_err() {
                    break;
                }
                changed = paths::apply(resource, spec, Create::No, image.place, &mut |node| {
                    setting.set(node, &mut own)
                });
            }
            changed.map_err(|why| Fault::new(&rules::UNREADABLE, why, image.place))?;
            if looked.get() > MOST {
                let message = format!("{} images are too many for what is built", images.len());
                let fault = Fault::new(&rules::LIMIT, message, image.place);
                return Err(fault
                    .help("set them in kustomizations of fewer objects")
                    .into());
            }
            heap.images.extend(own.map(|(now, place)| SetImage {
                kind: resource.kind(),
                object: resource.shown(),
                now,
                place,
                of: resource.node.place,
            }));
        }
    }
    Ok(())
}

/// Whether a list of containers stands anywhere below.
fn holds(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::List(items) => items.iter().any(|item| holds(item)),
        Value::Map(entries) => entries
            .iter()
            .any(|entry| is_list(&entry.key) || holds(&entry.value)),
    }
}

fn is_list(key: &str) -> bool {
    matches!(key, "containers" | "initContainers")
}

/// The first image that was set in an object: its new text, and the value that sets it.
type First = Option<(Arc<str>, Place)>;

/// Sets the images of all lists of containers, at any depth.
fn lists(node: &mut Arc<Node>, setting: Setting<'_>, first: &mut First) -> Result<(), Problem> {
    if !holds(node) {
        return Ok(());
    }
    match &mut Arc::make_mut(node).value {
        Value::Scalar(_) => Ok(()),
        Value::List(items) => items
            .iter_mut()
            .try_for_each(|item| lists(item, setting, first)),
        Value::Map(entries) => entries.iter_mut().try_for_each(|entry| {
            lists(&mut entry.value, setting, first)?;
            if !is_list(&entry.key) || !matches!(entry.value.value, Value::List(_)) {
                return Ok(());
            }
            let Value::List(items) = &mut Arc::make_mut(&mut entry.value).value else {
                return Ok(());
            };
            for item in items {
                if item.is_null() {
                    continue;
                }
                if !item.is_map() {
                    return Err(format!("an item of `{}` is no mapping", entry.key));
                }
                let Some(entries) = Arc::make_mut(item).entries_mut() else {
                    continue;
                };
                let mut entries = entries.iter_mut();
                if let Some(own) = entries.find(|entry| &*entry.key == "image") {
                    setting.set(&mut own.value, first)?;
                }
            }
            Ok(())
        }),
    }
}

/// The images of a name, which kustomize takes for a regular expression.
enum Pattern<'n> {
    /// A name that is none: itself, with a tag and a digest or without.
    Plain(&'n str),
    /// Any other one; nothing fits a faulty one.
    Expression(Option<Regex>),
}

/// Tag and digest of an image.
const VERSION: &str = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$";

impl<'n> Pattern<'n> {
    fn new(name: &'n str) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-:".contains(&byte);
        if name.bytes().all(is_plain) {
            return Self::Plain(name);
        }
        Self::Expression(Regex::new(&format!("^{name}{VERSION}")).ok())
    }

    fn fits(&self, image: &str) -> bool {
        match self {
            Self::Plain(name) => image.strip_prefix(name).is_some_and(is_version),
            Self::Expression(pattern) => {
                let pattern = pattern.as_ref();
                pattern.is_some_and(|pattern| pattern.is_match(image))
            }
        }
    }
}

/// Whether a text is what [`VERSION`] describes.
fn is_version(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_.{}-".contains(&byte);
    let (tag, digest) = match text.find('@') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let fits = |part: &str, lead: &str| {
        let rest = part.strip_prefix(lead);
        part.is_empty() || rest.is_some_and(|rest| rest.bytes().all(letter))
    };
    fits(tag, ":") && fits(digest, "@sha256:")
}

/// An image to set, and the pattern of those that it is set for.
#[derive(Clone, Copy)]
struct Setting<'s> {
    image: &'s Image,
    pattern: &'s Pattern<'s>,
    /// How many places were looked at.
    looked: &'s Cell<usize>,
}

impl Setting<'_> {
    fn set(self, node: &mut Arc<Node>, first: &mut First) -> Result<(), Problem> {
        let Self { image, pattern, .. } = self;
        self.looked.set(self.looked.get() + 1);
        let Some(old) = node.as_scalar() else {
            return Err("an image is a mapping or list".to_owned());
        };
        if !pattern.fits(&old.text) {
            return Ok(());
        }
        let (name, mut tag, mut digest) = split(&old.text);
        let mut place = image.place;
        let mut name = name.to_owned();
        if let Some(new) = &image.new_name {
            name.clear();
            name.push_str(&new.text);
            place = new.place;
        }
        let joined;
        match (&image.new_tag, &image.digest, &image.tag_suffix) {
            (Some(new), Some(by_digest), _) => {
                (tag, digest) = (&new.text, &by_digest.text);
                place = new.place;
            }
            (Some(new), None, _) => {
                (tag, digest) = (&new.text, "");
                place = new.place;
            }
            (None, Some(by_digest), _) => {
                (tag, digest) = ("", &by_digest.text);
                place = by_digest.place;
            }
            (None, None, Some(suffix)) => {
                joined = format!("{tag}{}", suffix.text);
                (tag, digest) = (&joined, "");
                place = suffix.place;
            }
            (None, None, None) => {}
        }
        if !tag.is_empty() {
            name.push(':');
            name.push_str(tag);
        }
        if !digest.is_empty() {
            name.push('@');
            name.push_str(digest);
        }
        if *name == *old.text {
            return Ok(());
        }
        first.get_or_insert_with(|| (name.as_str().into(), place));
        *node = Node::scalar(Scalar::instead(name, Some(old)), place);
        Ok(())
    }
}

/// The name, tag and digest of an image.
fn split(image: &str) -> (&str, &str, &str) {
    let slash = image.find('/').filter(|at| *at > 0).unwrap_or(0);
    let at = image[slash..].find('@').map(|at| at + slash);
    let colon = image[slash..].find(':').map(|at| at + slash);
    match (at, colon) {
        (None, None) => (image, "", ""),
        (Some(at), colon) if colon.is_none_or(|colon| at < colon) => {
            (&image[..at], "", &image[at + 1..])
        }
        (Some(at), Some(colon)) => (&image[..colon], &image[colon + 1..at], &image[at + 1..]),
        (_, colon) => {
            let colon = colon.unwrap_or(image.len());
            (&image[..colon], image.get(colon + 1..).unwrap_or(""), "")
        }
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::{VERSION, is_version, split};

    #[test]
    fn versions_are_those_of_the_expression() {
        let expression = Regex::new(&format!("^{VERSION}")).unwrap();
        let parts = [
            "",
            ":",
            "@",
            "@sha256:",
            ":1.0",
            "a",
            "{}",
            "/",
            "@sha256:0",
        ];
        for one in parts {
            for two in parts {
                for three in parts {
                    let text = format!("{one}{two}{three}");
                    assert_eq!(is_version(&text), expression.is_match(&text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn images_have_names_tags_and_digests() {
        assert_eq!(split("nginx"), ("nginx", "", ""));
        assert_eq!(split("host:5000/nginx:1"), ("host:5000/nginx", "1", ""));
        assert_eq!(split("nginx@sha256:0"), ("nginx", "", "sha256:0"));
        assert_eq!(split("a/nginx:1@sha256:0"), ("a/nginx", "1", "sha256:0"));
    }
}
