//! The functions of what Kubernetes adds: quantities, versions, addresses, URLs, formats.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::kit::quantity::Quantity;
use crate::ocm::engine::cel::format::{Format, NAMES};
use crate::ocm::engine::cel::net::{Cidr, is_kind, parse_ip};
use crate::ocm::engine::cel::value::{Outcome, Value, no_overload, some, text, texts};

pub(super) fn of_kubernetes(name: &str, args: &[Value]) -> Outcome {
    use Value as V;
    match args {
        [] => {
            let named = name
                .strip_prefix("format.")
                .filter(|name| NAMES.contains(name));
            named
                .and_then(Format::named)
                .map(V::Format)
                .ok_or_else(no_overload)
        }
        [V::Format(format), V::Text(source)] if name == "validate" => {
            let problems = format.problems(source);
            Ok(if problems.is_empty() {
                V::Optional(None)
            } else {
                some(texts(problems))
            })
        }
        [V::Quantity(_), ..] => of_quantity(name, args),
        [V::Semver(a), V::Semver(b)] => order(name, a.cmp_precedence(b)),
        [V::Semver(version)] => {
            let part = match name {
                "major" => version.major,
                "minor" => version.minor,
                "patch" => version.patch,
                _ => return Err(no_overload()),
            };
            Ok(V::Int(i64::try_from(part).unwrap_or(i64::MAX)))
        }
        [V::Url(url)] => Ok(match name {
            "getScheme" => text(&url.scheme),
            "getHost" => text(&url.host),
            "getHostname" => text(url.hostname()),
            "getPort" => text(url.port()),
            "getEscapedPath" => text(&url.escaped_path),
            "getQuery" => {
                let query = url.query().into_iter();
                V::Map(Arc::new(
                    query
                        .map(|(key, values)| (text(key), texts(values)))
                        .collect(),
                ))
            }
            _ => return Err(no_overload()),
        }),
        [V::Ip(address)] => match name {
            "family" => Ok(V::Int(if address.is_ipv4() { 4 } else { 6 })),
            kind => is_kind(*address, kind).map(V::Bool).ok_or_else(no_overload),
        },
        [V::Cidr(_), ..] => of_cidr(name, args),
        _ => Err(no_overload()),
    }
}

fn order(name: &str, ordering: Ordering) -> Outcome {
    match name {
        "isGreaterThan" => Ok(Value::Bool(ordering.is_gt())),
        "isLessThan" => Ok(Value::Bool(ordering.is_lt())),
        "compareTo" => Ok(Value::Int(ordering as i64)),
        _ => Err(no_overload()),
    }
}

fn of_quantity(name: &str, args: &[Value]) -> Outcome {
    use Value as V;
    match args {
        [V::Quantity(a), V::Quantity(b)] => match name {
            "add" => Ok(V::Quantity(*a + *b)),
            "sub" => Ok(V::Quantity(Quantity::from_nano(
                a.nano().saturating_sub(b.nano()),
            ))),
            _ => order(name, a.cmp(b)),
        },
        [V::Quantity(a), V::Int(b)] => {
            let b = Quantity::from_units(*b).nano();
            match name {
                "add" => Ok(V::Quantity(Quantity::from_nano(a.nano().saturating_add(b)))),
                "sub" => Ok(V::Quantity(Quantity::from_nano(a.nano().saturating_sub(b)))),
                _ => Err(no_overload()),
            }
        }
        [V::Quantity(quantity)] => {
            let nano = quantity.nano();
            let unit = 1_000_000_000;
            let whole = (nano % unit == 0)
                .then(|| i64::try_from(nano / unit).ok())
                .flatten();
            match name {
                "sign" => Ok(V::Int(nano.signum() as i64)),
                "isInteger" => Ok(V::Bool(whole.is_some())),
                "asInteger" => whole
                    .map(V::Int)
                    .ok_or_else(|| "cannot convert value to integer".to_owned()),
                "asApproximateFloat" => Ok(V::Double(nano as f64 / 1e9)),
                _ => Err(no_overload()),
            }
        }
        _ => Err(no_overload()),
    }
}

fn of_cidr(name: &str, args: &[Value]) -> Outcome {
    use Value as V;
    match args {
        [V::Cidr(cidr)] => match name {
            "ip" => Ok(V::Ip(cidr.address)),
            "masked" => Ok(V::Cidr(cidr.masked())),
            "prefixLength" => Ok(V::Int(cidr.bits.into())),
            _ => Err(no_overload()),
        },
        [V::Cidr(cidr), V::Ip(address)] if name == "containsIP" => {
            Ok(V::Bool(cidr.contains_ip(*address)))
        }
        [V::Cidr(cidr), V::Text(source)] if name == "containsIP" => {
            Ok(V::Bool(cidr.contains_ip(parse_ip(source)?)))
        }
        [V::Cidr(cidr), V::Cidr(other)] if name == "containsCIDR" => {
            Ok(V::Bool(cidr.contains_cidr(*other)))
        }
        [V::Cidr(cidr), V::Text(source)] if name == "containsCIDR" => {
            Ok(V::Bool(cidr.contains_cidr(Cidr::parse(source)?)))
        }
        _ => Err(no_overload()),
    }
}
