//! The functions of texts.

use std::sync::Arc;

use crate::kit::quantity::Quantity;
use crate::ocm::engine::cel::format::Format;
use crate::ocm::engine::cel::net::{Cidr, Url, parse_ip};
use crate::ocm::engine::cel::strings;
use crate::ocm::engine::cel::value::{Outcome, Value, no_overload, text};

pub(super) fn of_text(name: &str, source: &str, rest: &[Value]) -> Outcome {
    use Value as V;
    match (name, rest) {
        ("charAt", [V::Int(at)]) => strings::char_at(source, *at),
        ("indexOf", [V::Text(part)]) => strings::index_of(source, part, 0),
        ("indexOf", [V::Text(part), V::Int(from)]) => strings::index_of(source, part, *from),
        ("lastIndexOf", [V::Text(part)]) => strings::last_index_of(source, part, None),
        ("lastIndexOf", [V::Text(part), V::Int(from)]) => {
            strings::last_index_of(source, part, Some(*from))
        }
        ("lowerAscii", []) => Ok(text(source.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(text(source.to_ascii_uppercase())),
        ("trim", []) => Ok(text(source.trim())),
        ("reverse", []) => Ok(text(source.chars().rev().collect::<String>())),
        ("replace", [V::Text(old), V::Text(new)]) => Ok(strings::replace(source, old, new, -1)),
        ("replace", [V::Text(old), V::Text(new), V::Int(limit)]) => {
            Ok(strings::replace(source, old, new, *limit))
        }
        ("split", [V::Text(separator)]) => Ok(strings::split(source, separator, -1)),
        ("split", [V::Text(separator), V::Int(limit)]) => {
            Ok(strings::split(source, separator, *limit))
        }
        ("substring", [V::Int(start)]) => strings::substring(source, *start, None),
        ("substring", [V::Int(start), V::Int(end)]) => {
            strings::substring(source, *start, Some(*end))
        }
        ("format", [V::List(args)]) => strings::format(source, args),
        ("strings.quote", []) => Ok(strings::quote(source)),
        ("url", []) => Ok(V::Url(Arc::new(Url::parse(source)?))),
        ("isURL", []) => Ok(V::Bool(Url::parse(source).is_ok())),
        ("quantity", []) => Ok(V::Quantity(
            Quantity::parse(source).map_err(|error| error.to_string())?,
        )),
        ("isQuantity", []) => Ok(V::Bool(Quantity::parse(source).is_ok())),
        ("ip", []) => Ok(V::Ip(parse_ip(source)?)),
        ("isIP", []) => Ok(V::Bool(parse_ip(source).is_ok())),
        ("ip.isCanonical", []) => Ok(V::Bool(parse_ip(source)?.to_string() == source)),
        ("cidr", []) => Ok(V::Cidr(Cidr::parse(source)?)),
        ("isCIDR", []) => Ok(V::Bool(Cidr::parse(source).is_ok())),
        ("semver", []) => {
            let version = semver::Version::parse(source).map_err(|error| error.to_string())?;
            Ok(V::Semver(Arc::new(version)))
        }
        ("isSemver", []) => Ok(V::Bool(semver::Version::parse(source).is_ok())),
        ("format.named", []) => Ok(V::Optional(
            Format::named(source).map(|format| Arc::new(V::Format(format))),
        )),
        _ => Err(no_overload()),
    }
}
