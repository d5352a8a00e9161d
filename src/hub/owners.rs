//! Who last wrote a field of an object, by its `managedFields`.

use crate::yaml::Node;

/// The managers of one object.
#[derive(Debug, Default)]
pub struct Owners<'a>(Vec<Manager<'a>>);

/// One entry of `managedFields`.
#[derive(Debug, Clone, Copy)]
struct Manager<'a> {
    name: &'a str,
    applies: bool,
    subresource: &'a str,
    time: &'a str,
    fields: Node<'a>,
}

/// Who wrote a field, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Writer<'a> {
    /// When, as written.
    pub time: &'a str,
    /// The manager.
    pub name: &'a str,
    /// Whether it applies (server-side apply).
    pub applies: bool,
}

impl<'a> Owners<'a> {
    /// The managers of an object.
    #[must_use]
    pub fn of(object: Node<'a>) -> Self {
        let entries = object.at(&["metadata", "managedFields"]);
        let entries = entries.into_iter().flat_map(Node::items);
        let manager = |entry: Node<'a>| {
            let text = |key| entry.get(key).and_then(Node::text).unwrap_or("");
            Some(Manager {
                name: text("manager"),
                applies: text("operation") == "Apply",
                subresource: text("subresource"),
                time: text("time"),
                fields: entry.get("fieldsV1")?,
            })
        };
        Self(entries.filter_map(manager).collect())
    }

    /// Whether a field is there by an apply alone: taking it out of the document takes it away.
    #[must_use]
    pub fn only_applied(&self, path: &[&str]) -> bool {
        let mut owners = self
            .0
            .iter()
            .filter(|one| names(one.fields, path))
            .peekable();
        owners.peek().is_some() && owners.all(|one| one.applies && one.subresource.is_empty())
    }

    /// Who wrote a field last.
    #[must_use]
    pub fn writer(&self, path: &[&str]) -> Option<Writer<'a>> {
        let own = self.0.iter().filter(|one| one.subresource.is_empty());
        let named = own.filter(|one| names(one.fields, path));
        named.map(Manager::writer).max()
    }

    /// Who wrote a field of the status last.
    #[must_use]
    pub fn of_status(&self) -> Option<Writer<'a>> {
        let status = |one: &&Manager<'a>| {
            one.subresource == "status" && one.fields.get("f:status").is_some()
        };
        self.0.iter().filter(status).map(Manager::writer).max()
    }
}

impl<'a> Manager<'a> {
    fn writer(&self) -> Writer<'a> {
        Writer {
            time: self.time,
            name: self.name,
            applies: self.applies,
        }
    }
}

/// Whether a set of fields names a field, or something above it as a whole.
fn names(mut fields: Node<'_>, path: &[&str]) -> bool {
    for (step, key) in path.iter().enumerate() {
        if step > 0 && fields.is_empty() {
            return true;
        }
        match fields.get(&format!("f:{key}")) {
            Some(below) => fields = below,
            None => return false,
        }
    }
    true
}
