//! URLs, IP addresses and networks as the Kubernetes CEL libraries read them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An absolute URL or an absolute path, in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) scheme: String,
    /// With port, and IPv6 addresses in brackets.
    pub(super) host: String,
    pub(super) escaped_path: String,
    query: String,
    user: String,
    fragment: String,
}

impl Url {
    /// Reads as Go's `url.ParseRequestURI` judges and `url.Parse` divides.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fault = |what: &str| format!("parse {text:?}: {what}");
        if text.is_empty() {
            return Err(fault("empty url"));
        }
        if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
            return Err(fault("net/url: invalid control character in URL"));
        }
        let (scheme, rest) = split_scheme(text).map_err(fault)?;
        if scheme.is_empty() && !text.starts_with('/') {
            return Err(fault("invalid URI for request"));
        }
        let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Self {
            scheme,
            host: String::new(),
            escaped_path: String::new(),
            query: query.to_owned(),
            user: String::new(),
            fragment: fragment.to_owned(),
        };
        // An opaque URL such as `mailto:a@b` has neither host nor path.
        let mut path = if rest.starts_with('/') { rest } else { "" };
        let has_authority =
            rest.starts_with("//") && (!url.scheme.is_empty() || !rest.starts_with("///"));
        if has_authority {
            let after = &rest[2..];
            let end = after.find('/').unwrap_or(after.len());
            let (authority, after) = after.split_at(end);
            path = after;
            let host = match authority.rsplit_once('@') {
                Some((user, host)) => {
                    if !user.bytes().all(is_user_byte) {
                        return Err(fault("net/url: invalid userinfo"));
                    }
                    url.user = user.to_owned();
                    host
                }
                None => authority,
            };
            check_host(host).map_err(|what| fault(&what))?;
            // `ParseRequestURI` knows no fragment: right behind the host it is part of it.
            if path.is_empty() && query.is_empty() && text.contains('#') {
                return Err(fault("invalid character \"#\" in host name"));
            }
            url.host = unescape(host).ok_or_else(|| fault("invalid URL escape"))?;
        }
        unescape(path).ok_or_else(|| fault("invalid URL escape"))?;
        url.escaped_path = escape_path(path);
        Ok(url)
    }

    /// The host without port and brackets.
    pub(super) fn hostname(&self) -> &str {
        let (host, _) = split_port(&self.host);
        host.strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host)
    }

    /// The port's digits; empty without one.
    pub(super) fn port(&self) -> &str {
        split_port(&self.host).1
    }

    /// The query by key, in order of first appearance; what cannot be unescaped is left out.
    pub(super) fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for part in self
            .query
            .split('&')
            .filter(|part| !part.is_empty() && !part.contains(';'))
        {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let plain = |text: &str| unescape(&text.replace('+', " "));
            let (Some(key), Some(value)) = (plain(key), plain(value)) else {
                continue;
            };
            match found.iter_mut().find(|(name, _)| *name == key) {
                Some((_, values)) => values.push(value),
                None => found.push((key, vec![value])),
            }
        }
        found
    }
}

fn split_scheme(text: &str) -> Result<(String, &str), &'static str> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme"),
            b':' => return Ok((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Ok((String::new(), text))
}

fn is_user_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)
}

fn check_host(host: &str) -> Result<(), String> {
    let after = match host.strip_prefix('[') {
        Some(inner) => {
            let Some((_, after)) = inner.split_once(']') else {
                return Err("missing ']' in host".to_owned());
            };
            after
        }
        None => match host.find(':') {
            Some(at) => &host[host.rfind(':').unwrap_or(at)..],
            None => "",
        },
    };
    let digits = after.strip_prefix(':').unwrap_or(after);
    let is_port = after.is_empty() || after.starts_with(':');
    if !is_port || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("invalid port {after:?} after host"));
    }
    // Go takes only the last colon for the port's; others make the host invalid for IPv6 alone.
    if !host.starts_with('[') && host.matches(':').count() > 1 {
        return Err(format!("invalid port {after:?} after host"));
    }
    let valid = |byte: u8| {
        byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]<>\"%".contains(&byte) || byte >= 0x80
    };
    if let Some(bad) = host.bytes().find(|byte| !valid(*byte)) {
        return Err(format!(
            "invalid character {:?} in host name",
            char::from(bad)
        ));
    }
    Ok(())
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rfind(':') {
        Some(at) if !host[at..].contains(']') => (&host[..at], &host[at + 1..]),
        _ => (host, ""),
    }
}

fn unescape(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = text.get(at + 1..at + 3)?;
            plain.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            plain.push(bytes[at]);
            at += 1;
        }
    }
    Some(String::from_utf8_lossy(&plain).into_owned())
}

/// The path with everything escaped that must be; what is escaped already stays.
fn escape_path(path: &str) -> String {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@!'()*[]%".contains(&byte);
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        if valid(byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// An address without zone, not an IPv4 address in IPv6 clothes.
pub(super) fn parse_ip(text: &str) -> Result<IpAddr, String> {
    if text.contains('%') {
        return Err(format!(
            "IP address {text:?} with zone value is not allowed"
        ));
    }
    let address: IpAddr = text
        .parse()
        .map_err(|_| format!("IP Address {text:?} parse error during conversion from string"))?;
    if let IpAddr::V6(v6) = address
        && v6.to_ipv4_mapped().is_some()
    {
        return Err(format!("IPv4-mapped IPv6 address {text:?} is not allowed"));
    }
    Ok(address)
}

/// `ip.isGlobalUnicast` and its kin, as Go's `net/netip` defines them.
pub(super) fn is_kind(address: IpAddr, kind: &str) -> Option<bool> {
    let link_local_unicast = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    Some(match kind {
        "isUnspecified" => address.is_unspecified(),
        "isLoopback" => address.is_loopback(),
        "isLinkLocalMulticast" => match address {
            IpAddr::V4(v4) => v4.octets()[..3] == [224, 0, 0],
            IpAddr::V6(v6) => v6.segments()[0] & 0xff0f == 0xff02,
        },
        "isLinkLocalUnicast" => link_local_unicast,
        "isGlobalUnicast" => {
            address != IpAddr::V4(Ipv4Addr::BROADCAST)
                && !address.is_unspecified()
                && !address.is_loopback()
                && !address.is_multicast()
                && !link_local_unicast
        }
        _ => return None,
    })
}

/// A network in CIDR notation; bits behind the prefix may be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cidr {
    pub(super) address: IpAddr,
    pub(super) bits: u8,
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Cidr {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let fault =
            || format!("network address parse error during conversion from string: {text:?}");
        let (address, bits) = text.rsplit_once('/').ok_or_else(fault)?;
        let address = parse_ip(address).map_err(|_| fault())?;
        let digits = bits.bytes().all(|byte| byte.is_ascii_digit());
        let leading_zero = bits.len() > 1 && bits.starts_with('0');
        let bits: u8 = bits.parse().map_err(|_| fault())?;
        if !digits || leading_zero || bits > if address.is_ipv4() { 32 } else { 128 } {
            return Err(fault());
        }
        Ok(Self { address, bits })
    }

    /// With the bits behind the prefix cleared.
    pub(super) fn masked(self) -> Self {
        let address = match self.address {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX
                    .checked_shl(128 - u32::from(self.bits))
                    .unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
            }
        };
        Self { address, ..self }
    }

    pub(super) fn contains_ip(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && Self { address, ..self }.masked().address == self.masked().address
    }

    /// As upstream computes it: the other network must begin where this one begins
    /// (Kubernetes `cel/library/cidr.go` compares without masking the other's address).
    pub(super) fn contains_cidr(self, other: Self) -> bool {
        self.masked().address == other.address && self.bits <= other.bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let url = Url::parse("https://user:pass@Example.com:80/path?k1=a&k2=b&k2=c#x").unwrap();
        assert_eq!(
            (url.scheme.as_str(), url.host.as_str()),
            ("https", "Example.com:80")
        );
        assert_eq!((url.hostname(), url.port()), ("Example.com", "80"));
        assert_eq!(url.escaped_path, "/path");
        assert_eq!(url.query()[1], ("k2".into(), vec!["b".into(), "c".into()]));
        let six = Url::parse("https://[::1]:80/").unwrap();
        assert_eq!(
            (six.host.as_str(), six.hostname(), six.port()),
            ("[::1]:80", "::1", "80")
        );
        let spaces = Url::parse("https://example.com/path with spaces/").unwrap();
        assert_eq!(spaces.escaped_path, "/path%20with%20spaces/");
        assert_eq!(Url::parse("/absolute-path").unwrap().host, "");
        for bad in [
            "https://a:b:c/",
            "../relative-path",
            "",
            "example.com/x",
            "https://[::1",
            "https://example.com#x",
        ] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
        let opaque = Url::parse("mailto:a@example.com?x=y").unwrap();
        assert_eq!(
            (opaque.scheme.as_str(), opaque.host.as_str()),
            ("mailto", "")
        );
        assert_eq!(
            (opaque.escaped_path.as_str(), opaque.query.as_str()),
            ("", "x=y")
        );
    }

    #[test]
    fn addresses() {
        assert!(parse_ip("127.0.0.1").is_ok());
        for bad in [
            "127.0.0.256",
            ":::1",
            "::ffff:1.2.3.4",
            "fe80::1%eth0",
            "01.2.3.4",
        ] {
            assert!(parse_ip(bad).is_err(), "{bad}");
        }
        let kind = |text: &str, kind| is_kind(parse_ip(text).unwrap(), kind).unwrap();
        assert!(kind("224.0.0.1", "isLinkLocalMulticast"));
        assert!(!kind("224.0.1.1", "isLinkLocalMulticast"));
        assert!(kind("192.168.0.1", "isGlobalUnicast"));
        assert!(!kind("255.255.255.255", "isGlobalUnicast"));
        let net = Cidr::parse("192.168.0.0/16").unwrap();
        assert!(net.contains_ip(parse_ip("192.168.9.9").unwrap()));
        assert!(!net.contains_ip(parse_ip("::1").unwrap()));
        assert_eq!(
            Cidr::parse("192.168.0.1/24").unwrap().masked().to_string(),
            "192.168.0.0/24"
        );
        for bad in ["192.168.0.0/33", "::1/129", "1.2.3.4", "1.2.3.4/08"] {
            assert!(Cidr::parse(bad).is_err(), "{bad}");
        }
    }
}
