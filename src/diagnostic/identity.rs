//! The identity of a finding, in a form that survives edits: no lines, no columns.

use std::fmt;

use super::{Object, short_code};

/// Code, object and pointer of a finding; two findings of one identity are equals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The code.
    pub code: String,
    /// The object, without `field` and `rule`.
    pub object: Option<Object>,
    /// JSON Pointer in the document, in which an item that has a name or key is named by it.
    pub pointer: Option<String>,
    /// The file, where no object with a name tells the finding from others.
    pub path: Option<String>,
}

impl Identity {
    /// The fingerprint by which other programs know it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let mut print = Fingerprint::default();
        print.feed(&self.code);
        if let Some(object) = &self.object {
            print.feed(&object.kind);
            print.feed(&object.name);
            let qualifiers = [&object.package, &object.cluster, &object.namespace];
            for qualifier in qualifiers {
                print.feed(qualifier.as_deref().unwrap_or(""));
            }
        }
        print.feed(self.pointer.as_deref().unwrap_or(""));
        print.feed(self.path.as_deref().unwrap_or(""));
        print
    }
}

/// An identity as a number: FNV-1a over 128 bits, which has to be stable for ever and well spread,
/// not secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u128);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fingerprint {
    fn feed(&mut self, text: &str) {
        // The end of a text counts, so that no two lists of texts run together.
        for byte in text.bytes().chain([0xff]) {
            self.0 ^= u128::from(byte);
            self.0 = self
                .0
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    /// 32 hexadecimal digits; `equal` counts the findings of this identity up to this one.
    #[must_use]
    pub fn of_equal(mut self, equal: usize) -> String {
        self.feed(&equal.to_string());
        format!("{:032x}", self.0)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(short_code(&self.code))?;
        if let Some(path) = &self.path {
            write!(f, " in {path}")?;
        }
        if let Some(object) = &self.object {
            write!(f, ", {} ", object.kind)?;
            let owners = [&object.namespace, &object.package, &object.cluster];
            for owner in owners.into_iter().flatten() {
                write!(f, "{owner}/")?;
            }
            f.write_str(&object.name)?;
        }
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => write!(f, " at {pointer}"),
            _ => Ok(()),
        }
    }
}
