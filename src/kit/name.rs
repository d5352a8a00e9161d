//! The syntax of Kubernetes names and labels.

use std::fmt;

/// Longest DNS label, label value, and name part of a label key.
const LABEL: usize = 63;
/// Longest DNS subdomain.
const SUBDOMAIN: usize = 253;

/// Why a text is not a name; its display form gives the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Nothing is there, but something must be.
    Empty,
    /// More characters than the number given.
    Long(usize),
    /// Not an RFC 1123 label.
    Label,
    /// Not an RFC 1123 subdomain.
    Subdomain,
    /// Not the name part of a qualified name, and not a label value.
    Qualified,
    /// More than one `/` in a qualified name.
    Slash,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Long(most) => write!(f, "it has more than {most} characters"),
            Self::Label => f.write_str(
                "only a-z, 0-9 and - are allowed, and it begins and ends with a letter or digit",
            ),
            Self::Subdomain => f.write_str(
                "only a-z, 0-9, - and . are allowed, and each part between dots begins and ends \
                 with a letter or digit",
            ),
            Self::Qualified => f.write_str(
                "only A-Z, a-z, 0-9, -, _ and . are allowed, and it begins and ends with a \
                 letter or digit",
            ),
            Self::Slash => f.write_str("it has more than one /"),
        }
    }
}

impl std::error::Error for NameError {}

/// An RFC 1123 label: at most 63 of `a-z 0-9 -`, a letter or digit at both ends (Kubernetes'
/// `IsDNS1123Label`).
///
/// # Errors
///
/// The fault of the text.
pub fn label(text: &str) -> Result<(), NameError> {
    sized(text, LABEL)?;
    lower(text).then_some(()).ok_or(NameError::Label)
}

/// An RFC 1123 subdomain: at most 253 characters, dots between parts that are made like labels
/// but may be longer (Kubernetes' `IsDNS1123Subdomain`).
///
/// # Errors
///
/// The fault of the text.
pub fn subdomain(text: &str) -> Result<(), NameError> {
    sized(text, SUBDOMAIN)?;
    let well_formed = text.split('.').all(lower);
    well_formed.then_some(()).ok_or(NameError::Subdomain)
}

/// A label key: a name of at most 63 characters, before it if wanted a subdomain and `/`
/// (Kubernetes' `IsQualifiedName`).
///
/// # Errors
///
/// The fault of the text.
pub fn label_key(text: &str) -> Result<(), NameError> {
    let mut parts = text.split('/');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        return Err(NameError::Slash);
    }
    if second.is_some() {
        subdomain(first)?;
    }
    let name = second.unwrap_or(first);
    sized(name, LABEL)?;
    qualified(name)
}

/// A label value: nothing, or at most 63 characters made like the name part of a label key
/// (Kubernetes' `IsValidLabelValue`).
///
/// # Errors
///
/// The fault of the text.
pub fn label_value(text: &str) -> Result<(), NameError> {
    if text.is_empty() {
        return Ok(());
    }
    sized(text, LABEL)?;
    qualified(text)
}

/// Help for a text that does not have this form: what to write instead.
#[must_use]
pub fn correction(text: &str, form: impl Fn(&str) -> Result<(), NameError>) -> String {
    let with_dashes = |text: &str, kept: &[char]| {
        let kept = |c: char| c.is_ascii_alphanumeric() || kept.contains(&c);
        // One dash for what is not allowed, and for the dashes around it.
        let parts = text.split(|c| !kept(c) && c != '-');
        let parts = parts.map(|part| part.trim_matches('-'));
        let parts: Vec<&str> = if text.chars().all(|c| kept(c) || c == '-') {
            vec![text]
        } else {
            parts.filter(|part| !part.is_empty()).collect()
        };
        let text = parts.join("-");
        let ends = |c: char| !c.is_ascii_alphanumeric();
        text.trim_matches(ends).to_owned()
    };
    let lower = text.to_lowercase();
    let likely = [
        with_dashes(text, &['_', '.', '/']),
        with_dashes(&lower, &['.', '/']),
        with_dashes(&lower, &[]),
    ];
    let mut likely = likely.into_iter().filter(|text| !text.is_empty());
    match (likely.find(|text| form(text).is_ok()), form(text)) {
        (Some(name), _) => format!("write `{name}`"),
        (None, Err(NameError::Long(most))) => format!("use at most {most} characters"),
        _ => "use letters, digits and `-`, with a letter or digit at both ends".to_owned(),
    }
}

fn sized(text: &str, most: usize) -> Result<(), NameError> {
    if text.is_empty() {
        Err(NameError::Empty)
    } else if text.len() > most {
        Err(NameError::Long(most))
    } else {
        Ok(())
    }
}

fn lower(text: &str) -> bool {
    let edge = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    enclosed(text, edge) && text.bytes().all(|b| edge(b) || b == b'-')
}

fn qualified(text: &str) -> Result<(), NameError> {
    let edge = |b: u8| b.is_ascii_alphanumeric();
    let inner = |b: u8| edge(b) || matches!(b, b'-' | b'_' | b'.');
    let well_formed = enclosed(text, edge) && text.bytes().all(inner);
    well_formed.then_some(()).ok_or(NameError::Qualified)
}

fn enclosed(text: &str, edge: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().copied().is_some_and(&edge) && bytes.last().copied().is_some_and(&edge)
}

/// The first bytes of a text as a number: ordered as the texts are, where they differ there.
/// Many names are sorted faster by it.
#[must_use]
pub fn first_bytes(text: &str) -> u128 {
    let mut first = [0; 16];
    let length = text.len().min(first.len());
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u128::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_subdomains() {
        for text in ["a", "9", "a-b", "a--b", &"a".repeat(63)] {
            assert_eq!(label(text), Ok(()), "{text}");
            assert_eq!(subdomain(text), Ok(()), "{text}");
        }
        for text in ["-a", "a-", "A", "a_b", "a b", "a/b", "ä", "a\n"] {
            assert_eq!(label(text), Err(NameError::Label), "{text}");
            assert_eq!(subdomain(text), Err(NameError::Subdomain), "{text}");
        }
        assert_eq!(label(""), Err(NameError::Empty));
        assert_eq!(label("a.b"), Err(NameError::Label));
        assert_eq!(label(&"a".repeat(64)), Err(NameError::Long(63)));
        assert_eq!(subdomain("a.b-c.9"), Ok(()));
        assert_eq!(subdomain("a..b"), Err(NameError::Subdomain));
        assert_eq!(subdomain(&"a".repeat(254)), Err(NameError::Long(253)));
    }

    #[test]
    fn a_correction_is_of_the_form() {
        assert_eq!(correction("Bad_NS", label), "write `bad-ns`");
        assert_eq!(correction("Oslo.1_b", subdomain), "write `oslo.1-b`");
        assert_eq!(correction("Oslo.1_b", label), "write `oslo-1-b`");
        assert_eq!(correction("-a b-", label_value), "write `a-b`");
        assert_eq!(correction("A_b.c/d e", label_key), "write `a-b.c/d-e`");
        let long = "a".repeat(64);
        assert_eq!(correction(&long, label), "use at most 63 characters");
        for text in ["", "ä", "/", "\u{7}"] {
            let help = "use letters, digits and `-`, with a letter or digit at both ends";
            assert_eq!(correction(text, label), help, "{text}");
        }
    }

    #[test]
    fn keys_and_values() {
        for text in ["a", "A_b.c-9", "example.com/a", "x/Y"] {
            assert_eq!(label_key(text), Ok(()), "{text}");
        }
        assert_eq!(label_key(""), Err(NameError::Empty));
        assert_eq!(label_key("/a"), Err(NameError::Empty));
        assert_eq!(label_key("a/"), Err(NameError::Empty));
        assert_eq!(label_key("a/b/c"), Err(NameError::Slash));
        assert_eq!(label_key("A.com/b"), Err(NameError::Subdomain));
        assert_eq!(label_key("_a"), Err(NameError::Qualified));
        assert_eq!(label_value(""), Ok(()));
        assert_eq!(label_value("eu-west_1.x"), Ok(()));
        assert_eq!(label_value("a,b"), Err(NameError::Qualified));
        assert_eq!(label_value(&"a".repeat(64)), Err(NameError::Long(63)));
    }
}
