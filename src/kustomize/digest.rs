//! Hashes of documents: the same for the same data, whatever the order of its keys. A value that
//! several documents share is hashed once.

use std::hash::Hasher as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::node::{Node, Value};

/// The hashes of the values that documents share. The values stay alive, so that no other one
/// gets their address.
#[derive(Debug, Default)]
pub struct Digests(FxHashMap<usize, (Arc<Node>, u128)>);

fn mix(bytes: &[u8], seed: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(seed);
    hasher.write(bytes);
    hasher.write_usize(bytes.len());
    hasher.finish()
}

fn both(bytes: &[u8], kind: u64) -> u128 {
    u128::from(mix(bytes, kind)) << 64 | u128::from(mix(bytes, !kind))
}

fn pair(one: u128, two: u128, kind: u64) -> u128 {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&one.to_le_bytes());
    bytes[16..].copy_from_slice(&two.to_le_bytes());
    both(&bytes, kind)
}

/// The part of a key and its value in the hash of their mapping: the hash is the sum of its parts.
fn entry(key: &str, value: u128) -> u128 {
    pair(both(key.as_bytes(), 96), value, 95)
}

/// The hash of texts that tell an object apart.
pub(super) fn identity(texts: [&str; 4]) -> u128 {
    let texts = texts.map(|text| both(text.as_bytes(), 94));
    texts.into_iter().fold(93, |sum, text| pair(sum, text, 92))
}

impl Digests {
    /// The hash of a value.
    pub(super) fn of(&mut self, node: &Arc<Node>) -> u128 {
        if Arc::strong_count(node) == 1 || node.as_scalar().is_some() {
            return self.hash(node);
        }
        let address = Arc::as_ptr(node).addr();
        if let Some((_, known)) = self.0.get(&address) {
            return *known;
        }
        let digest = self.hash(node);
        self.0.insert(address, (Arc::clone(node), digest));
        digest
    }

    fn hash(&mut self, node: &Node) -> u128 {
        match &node.value {
            Value::Scalar(scalar) => {
                let (tag, text) = scalar.canonical();
                both(text.as_bytes(), tag as u64 + 1)
            }
            Value::List(items) => items
                .iter()
                .fold(both(b"[", 99), |sum, item| pair(sum, self.of(item), 98)),
            Value::Map(entries) => entries.iter().fold(both(b"{", 97), |sum, own| {
                sum.wrapping_add(entry(&own.key, self.of(&own.value)))
            }),
        }
    }

    /// The hash of a document without `metadata.namespace`.
    pub(super) fn without_namespace(&mut self, document: &Arc<Node>) -> u128 {
        let whole = self.of(document);
        let Some(metadata) = document.get("metadata") else {
            return whole;
        };
        let Some(namespace) = metadata.get("namespace") else {
            return whole;
        };
        let before = self.of(metadata);
        let after = before.wrapping_sub(entry("namespace", self.of(namespace)));
        whole
            .wrapping_sub(entry("metadata", before))
            .wrapping_add(entry("metadata", after))
    }
}

#[cfg(test)]
mod tests {
    use crate::kustomize::node::{Entry, Node, Value};
    use crate::source::Place;

    use super::{Arc, Digests};

    fn map(pairs: &[(&str, &Arc<Node>)]) -> Arc<Node> {
        let entries = pairs.iter().map(|(key, value)| Entry {
            key: (*key).into(),
            place: Place::default(),
            value: Arc::clone(value),
        });
        Node::new(Value::Map(entries.collect()), Place::default())
    }

    #[test]
    fn equal_data_has_one_hash_shared_or_not() {
        let text = |text: &str| Node::text(text, Place::default());
        let spec = map(&[("a", &text("1")), ("b", &text("2"))]);
        let turned = map(&[("b", &text("2")), ("a", &text("1"))]);
        let named = map(&[("name", &text("web"))]);
        let placed = map(&[("name", &text("web")), ("namespace", &text("shop"))]);
        let one = map(&[("metadata", &named), ("spec", &spec)]);
        let two = map(&[("spec", &turned), ("metadata", &placed)]);
        let mut digests = Digests::default();
        assert_eq!(digests.of(&spec), digests.of(&turned));
        assert_ne!(digests.of(&one), digests.of(&two));
        assert_eq!(digests.of(&one), digests.without_namespace(&two));
        let other = map(&[("metadata", &named), ("spec", &text("2"))]);
        assert_ne!(digests.of(&one), digests.of(&other));
    }
}
