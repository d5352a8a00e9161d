//! The named formats of Kubernetes' CEL library `format`.

use crate::kit::selector::{label_value_problems, qualified_name_problems};

/// One of the named formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format(&'static str);

/// All names.
pub(super) const NAMES: [&str; 13] = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

impl Format {
    pub(super) fn named(name: &str) -> Option<Self> {
        NAMES.into_iter().find(|known| *known == name).map(Self)
    }

    /// The reasons why a text does not have the format; empty if it does.
    pub(super) fn problems(self, text: &str) -> Vec<String> {
        // A prefix may end in a dash: the rest of the name is still to come.
        let unmasked = |text: &str| match text.strip_suffix('-') {
            Some(stem) if !stem.is_empty() => format!("{stem}a"),
            _ => text.to_owned(),
        };
        let when = |bad: bool, problem: &str| {
            if bad {
                vec![problem.to_owned()]
            } else {
                Vec::new()
            }
        };
        match self.0 {
            "dns1123Label" => when(!is_label(text, 63, true), LABEL),
            "dns1123LabelPrefix" => when(!is_label(&unmasked(text), 63, true), LABEL),
            "dns1035Label" => when(!is_label(text, 63, false), LABEL_1035),
            "dns1035LabelPrefix" => when(!is_label(&unmasked(text), 63, false), LABEL_1035),
            "dns1123Subdomain" => when(!is_subdomain(text), SUBDOMAIN),
            "dns1123SubdomainPrefix" => when(!is_subdomain(&unmasked(text)), SUBDOMAIN),
            "qualifiedName" => qualified_name_problems(text),
            "labelValue" => label_value_problems(text),
            "uri" => super::net::Url::parse(text).err().into_iter().collect(),
            "uuid" => when(!is_uuid(text), "does not match the UUID format"),
            "byte" => when(!is_base64(text), "invalid base64"),
            "date" => when(!is_date(text), "invalid date"),
            _ => when(!is_datetime(text), "invalid datetime"),
        }
    }
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
                     characters or '-', and must start and end with an alphanumeric character";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or \
                          '-', start with an alphabetic character, and end with an alphanumeric \
                          character";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
                         characters, '-' or '.', and must start and end with an alphanumeric \
                         character";

fn is_label(text: &str, most: usize, digit_first: bool) -> bool {
    let bytes = text.as_bytes();
    let letter = |byte: &u8| byte.is_ascii_lowercase();
    let edge = |byte: &u8| letter(byte) || byte.is_ascii_digit();
    let first = bytes
        .first()
        .is_some_and(|byte| letter(byte) || digit_first && edge(byte));
    first
        && text.len() <= most
        && bytes.last().is_some_and(edge)
        && bytes.iter().all(|byte| edge(byte) || *byte == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(|part| is_label(part, 253, true))
}

fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some(part) = rest.get(..length) else {
            return false;
        };
        if !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = &rest[length..];
    }
    rest.is_empty()
}

fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    !bytes.is_empty()
        && bytes.len().is_multiple_of(4)
        && padding <= 2
        && bytes[..bytes.len() - padding]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte))
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_datetime(text: &str) -> bool {
    crate::kit::time::parse_rfc3339(&text.to_ascii_uppercase()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for (name, good, bad) in [
            ("dns1123Label", "1-a", "a_b"),
            ("dns1123LabelPrefix", "my-label-prefix-", "-"),
            ("dns1123Subdomain", "apiextensions.k8s.io", "a..b"),
            ("dns1035Label", "a1", "1a"),
            ("qualifiedName", "apiextensions.k8s.io/v1beta1", "a/b/c"),
            ("labelValue", "", "a b"),
            ("uri", "http://example.com", "example.com"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
            ("byte", "aGVsbG8=", "aGVsbG8"),
            ("date", "2021-01-01", "2021-13-01"),
            ("datetime", "2021-01-01T00:00:00Z", "2021-01-01"),
        ] {
            let format = Format::named(name).unwrap();
            assert!(format.problems(good).is_empty(), "{name} {good}");
            assert!(!format.problems(bad).is_empty(), "{name} {bad}");
        }
        assert_eq!(Format::named("email"), None);
    }
}
