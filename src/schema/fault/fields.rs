//! Fields that are missing, and fields that a kind does not have.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Fault;
use super::forms;
use super::reader::{Located, Reader};
use super::spellings::{Instead, instead};
use super::words::{escape, glued, join, part, shorten};
use crate::diagnostic::Fix;
use crate::kit::nearest::{did_you_mean, nearest, ranked};
use crate::yaml::Node;

/// The fields of a mapping that its schema knows, and those of them that are not there.
struct Fields<'s> {
    known: Vec<&'s str>,
    free: Vec<&'s str>,
}

impl<'s> Fields<'s> {
    fn new(holder: Option<&'s Value>, node: Node<'_>) -> Self {
        let known: Vec<&str> = holder
            .and_then(|holder| holder.get("properties"))
            .and_then(Value::as_object)
            .map(|known| known.keys().map(String::as_str).collect())
            .unwrap_or_default();
        let absent = |name: &&str| node.get(name).is_none();
        let free = known.iter().copied().filter(absent).collect();
        Self { known, free }
    }
}

impl<'a> Reader<'_, 'a> {
    /// About a field that is missing: the schema says what it is for.
    pub(super) fn missing(
        &self,
        mut fault: Fault<'a>,
        found: &Located<'a>,
        property: &str,
        holder: Option<&Value>,
    ) -> Fault<'a> {
        fault.pointer = format!("{}/{}", fault.pointer, escape(property));
        fault.place = self.owner(found);
        fault.label = format!("has no `{property}`");
        fault.node = None;
        let fields = holder.and_then(|holder| holder.get("properties")?.as_object());
        let written = fields.and_then(|fields| written_as(found.node, property, fields));
        fault.help = fault.help.or_else(|| {
            if let Some(written) = written {
                return Some(format!("write `{property}` instead of `{written}`"));
            }
            let about = holder?.pointer(&format!("/properties/{}", escape(property)))?;
            let about = about.get("description")?.as_str()?.trim_end_matches('.');
            let words = forms::words(self.schema, holder?, property);
            let words = words.filter(|words| !about.contains(words[0]));
            if let Some(words) = words {
                let words = words.join("`, `");
                return Some(format!("add `{property}`: {about}: `{words}`"));
            }
            Some(match forms::example(holder?, property) {
                Some(example) => {
                    format!("add `{property}`: {about}; such as `{property}: {example}`")
                }
                None => format!("add `{property}`: {about}"),
            })
        });
        fault.field = join(&found.field, property);
        fault
    }

    /// About fields that the kind does not have; `blank` is what is said of each so far.
    pub(super) fn unknown(
        &self,
        unexpected: &[String],
        found: &Located<'a>,
        holder: Option<&Value>,
        blank: &dyn Fn() -> Fault<'a>,
    ) -> Vec<Fault<'a>> {
        let fields = Fields::new(holder, found.node);
        let made = |key: &String| self.unknown_one(blank(), found, key, &fields, holder);
        let mut made: Vec<Fault<'a>> = unexpected.iter().map(made).collect();
        only_one_each(&mut made);
        made
    }

    fn unknown_one(
        &self,
        mut fault: Fault<'a>,
        found: &Located<'a>,
        key: &str,
        fields: &Fields<'_>,
        holder: Option<&Value>,
    ) -> Fault<'a> {
        let shown = shorten(key);
        let owner = if found.field.is_empty() {
            "the document"
        } else {
            &found.field
        };
        fault.message = format!("`{shown}` is not a field of `{owner}`");
        if found.field.is_empty() {
            fault.message = format!("`{shown}` is not a field of this kind");
        }
        fault.pointer = format!("{}/{}", fault.pointer, escape(key));
        fault.field = join(&found.field, key);
        fault.label = "unknown field".into();
        if let Some((key, value)) = self.cursors.entry(found.node, key) {
            fault.place = key.place();
            fault.node = Some(value);
        }
        fault.allowed = fields.free.iter().map(|name| (*name).to_owned()).collect();
        let glued = glued(key).filter(|(name, _)| fields.known.contains(name));
        if let Some((name, value)) = glued {
            fault.message = format!("no space after `{name}:`, so `{shown}` is one text");
            fault.help = Some(part(name, value));
        } else {
            self.advise(&mut fault, found, key, fields, holder);
        }
        fault
    }

    /// Suggests a replacement for a field that the kind does not have.
    fn advise(
        &self,
        fault: &mut Fault<'a>,
        found: &Located<'a>,
        key: &str,
        fields: &Fields<'_>,
        holder: Option<&Value>,
    ) {
        let Fields { known, free } = fields;
        let mut near = ranked(key, free.iter().copied());
        let value = fault.node;
        let mut contents = value.into_iter().flat_map(Node::entries);
        let ours = |(key, _): (Node<'_>, Node<'_>)| key.text().is_some_and(|k| known.contains(&k));
        if found.field.is_empty() && key == "spec" && contents.any(ours) {
            fault.help = Some("write its contents in the document itself".to_owned());
            return;
        }
        match instead(self.root, key, known) {
            Some(Instead::Words(words)) => {
                fault.help = Some((*words).to_owned());
                return;
            }
            Some(Instead::Form(field, words)) => {
                fault.help = Some((*words).to_owned());
                fault.meant = Some(join(&found.field, field));
                return;
            }
            Some(Instead::Field(field)) if free.contains(field) => near = vec![field],
            _ => {}
        }
        let is_rule = known.as_slice() == ["key", "operator", "values"]
            && self.root.get("apiVersion").and_then(Node::text) == Some("planner/v1");
        if is_rule
            && near.is_empty()
            && found.node.get("key").is_none()
            && let Some(value) = value.filter(|value| value.is_scalar()).and_then(Node::text)
        {
            let rule = format!(
                "{{key: {}, operator: Equals, values: [{}]}}",
                shorten(key),
                shorten(value)
            );
            fault.help = Some(format!("write `{rule}`"));
            return;
        }
        let elsewhere = near.first() != Some(&key);
        if let Some(help) = forms::home(self.schema, &found.field, key).filter(|_| elsewhere) {
            fault.help = Some(help);
            return;
        }
        let above = || forms::home_above(self.schema, &found.field, key);
        if let Some(help) = near.is_empty().then(above).flatten() {
            fault.help = Some(help);
            return;
        }
        if let Some(help) = value.and_then(|value| forms::selector(key, value, known)) {
            fault.help = Some(help);
            return;
        }
        let below = holder.filter(|_| near.is_empty());
        if let Some(home) = below.and_then(|holder| forms::home_below(self.schema, holder, key)) {
            fault.help = Some(format!("write it in `{home}`"));
            fault.meant = Some(join(&found.field, home));
            return;
        }
        let meant = match (near.first(), known.as_slice()) {
            (None, [only]) if free.len() == 1 => Some(only),
            (near, _) => near,
        };
        fault.meant = meant.map(|meant| join(&found.field, meant));
        fault.help = match near.first() {
            Some(name) => {
                // The fields dropped so far will count: that changes what the document means.
                if let Some((key, _)) = self.cursors.entry(found.node, key) {
                    let text = key.spelled(name);
                    let fix = Fix::replace(format!("write `{name}`"), fault.place, text);
                    fault.fix = Some(fix.risky());
                }
                Some(did_you_mean(name))
            }
            None if meant.is_some() => meant.map(|meant| format!("write `{meant}` in its place")),
            None if known.is_empty() || known.len() > 20 => Some("remove it".into()),
            None => Some(format!(
                "remove it; the allowed fields are {}",
                known.join(", ")
            )),
        };
    }
}

/// The key that somebody wrote for a field: in another style, or cut short.
fn written_as<'a>(
    node: Node<'a>,
    property: &str,
    fields: &serde_json::Map<String, Value>,
) -> Option<&'a str> {
    let bare = |word: &str| word.replace(['_', '-'], "").to_lowercase();
    let keys = node.entries().filter_map(|(key, _)| key.text());
    let mut keys = keys.filter(|key| !fields.contains_key(*key));
    keys.find(|key| {
        let is_head = key.len() > 3 && bare(property).starts_with(&bare(key));
        is_head || nearest(property, [*key]).is_some()
    })
}

/// Two keys of one mapping that would become the same one: either may be meant, and neither is
/// offered.
fn only_one_each(faults: &mut [Fault<'_>]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for fix in faults.iter().filter_map(|fault| fault.fix.as_ref()) {
        *seen.entry(fix.title.clone()).or_default() += 1;
    }
    for fault in faults {
        let again = |fix: &Fix| seen.get(&fix.title).is_some_and(|count| *count > 1);
        if fault.fix.as_ref().is_some_and(again) {
            fault.fix = None;
        }
    }
}
