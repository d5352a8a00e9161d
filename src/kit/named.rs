//! The name of an object with its namespace: written, read and compared in one way.

use std::fmt;

/// `namespace/name`, or the name alone where there is no namespace. The namespace of an
/// Application is its Package, that of a region its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name<'a> {
    /// The namespace, empty without one.
    pub namespace: &'a str,
    /// The name within it.
    pub name: &'a str,
}

impl<'a> Name<'a> {
    /// A name in a namespace, which may be empty.
    #[must_use]
    pub const fn new(namespace: &'a str, name: &'a str) -> Self {
        Self { namespace, name }
    }

    /// Reads `namespace/name` or `name`.
    #[must_use]
    pub fn parse(text: &'a str) -> Self {
        let (namespace, name) = text.split_once('/').unwrap_or(("", text));
        Self { namespace, name }
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            f.write_str(self.namespace)?;
            f.write_str("/")?;
        }
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["web", "shop/web", "a/b/c"] {
            assert_eq!(Name::parse(text).to_string(), text);
        }
        assert_eq!(Name::parse("shop/web"), Name::new("shop", "web"));
        assert_eq!(Name::new("", "web").to_string(), "web");
    }
}
