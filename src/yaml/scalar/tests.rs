//! The API server's reader beside a model of it, which goes step by step as its Go code does
//! (`resolve.go` of go-yaml, `atoi.go` and `atof.go` of Go) and shares nothing with ours.

use std::sync::LazyLock;

use regex::Regex;

use super::{Dialect, Scalar, resolve};

macro_rules! pattern {
    ($text:literal) => {
        LazyLock::new(|| Regex::new($text).expect("a pattern"))
    };
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Error {
    Syntax,
    Range,
}

/// The JSON value of a scalar.
#[derive(Debug, PartialEq)]
enum Model {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    NotFinite,
    Text,
}

fn parse_uint(text: &str, base: u32) -> Result<u64, Error> {
    if text.is_empty() {
        return Err(Error::Syntax);
    }
    let mut rest: Vec<char> = text.chars().collect();
    let mut radix = base;
    if base == 0 {
        radix = 10;
        if rest[0] == '0' {
            let prefix = rest.get(1).map(char::to_ascii_lowercase);
            (radix, rest) = match prefix {
                Some('b') if rest.len() >= 3 => (2, rest[2..].to_vec()),
                Some('o') if rest.len() >= 3 => (8, rest[2..].to_vec()),
                Some('x') if rest.len() >= 3 => (16, rest[2..].to_vec()),
                _ => (8, rest[1..].to_vec()),
            };
        }
    }
    let mut value: u64 = 0;
    let mut overflow = false;
    for letter in rest {
        let digit = letter.to_digit(radix).ok_or(Error::Syntax)?;
        if overflow {
            continue;
        }
        let next = value.checked_mul(radix.into());
        match next.and_then(|next| next.checked_add(digit.into())) {
            Some(next) => value = next,
            // Go stops here and does not look at what follows.
            None => overflow = true,
        }
        if overflow {
            return Err(Error::Range);
        }
    }
    Ok(value)
}

fn parse_int(text: &str, base: u32) -> Result<i64, Error> {
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let value = parse_uint(digits, base)?;
    let cutoff = 1_u64 << 63;
    match negative {
        false if value >= cutoff => Err(Error::Range),
        true if value > cutoff => Err(Error::Range),
        true => Ok((value as i64).wrapping_neg()),
        false => Ok(value as i64),
    }
}

/// Go's floats, decimal ones: underscores stand between digits, and too large is an error.
fn parse_float(text: &str) -> Result<f64, Error> {
    static FORM: LazyLock<Regex> =
        pattern!(r"^[-+]?([0-9_]+(\.[0-9_]*)?|\.[0-9_]+)([eE][-+]?[0-9_]+)?$");
    static MISPLACED: LazyLock<Regex> = pattern!(r"(^|[^0-9])_|_([^0-9]|$)");
    if !FORM.is_match(text) || MISPLACED.is_match(text) {
        return Err(Error::Syntax);
    }
    let value: f64 = text.replace('_', "").parse().map_err(|_| Error::Syntax)?;
    if value.is_infinite() {
        return Err(Error::Range);
    }
    Ok(value)
}

fn model(text: &str) -> Model {
    static STYLE: LazyLock<Regex> =
        pattern!(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$");
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Model::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Model::Bool(false);
        }
        "" | "~" | "null" | "Null" | "NULL" => return Model::Null,
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => return Model::NotFinite,
        _ => {}
    }
    match text.as_bytes()[0] {
        b'.' => parse_float(text).map_or(Model::Text, Model::Float),
        b'0'..=b'9' | b'+' | b'-' => {
            let plain = text.replace('_', "");
            if let Ok(value) = parse_int(&plain, 0) {
                return Model::Int(value.into());
            }
            if let Ok(value) = parse_uint(&plain, 0) {
                return Model::Int(value.into());
            }
            if STYLE.is_match(&plain)
                && let Ok(value) = parse_float(&plain)
            {
                return Model::Float(value);
            }
            if let Some(bits) = plain.strip_prefix("0b") {
                if let Ok(value) = parse_int(bits, 2) {
                    return Model::Int(value.into());
                }
                if let Ok(value) = parse_uint(bits, 2) {
                    return Model::Int(value.into());
                }
            } else if let Some(bits) = plain.strip_prefix("-0b")
                && let Ok(value) = parse_int(&format!("-{bits}"), 2)
            {
                return Model::Int(value.into());
            }
            Model::Text
        }
        _ => Model::Text,
    }
}

fn ours(text: &str) -> Model {
    match resolve(text, Dialect::Kubernetes) {
        Scalar::Null => Model::Null,
        Scalar::Bool(value) => Model::Bool(value),
        Scalar::Int(value) => Model::Int(value),
        Scalar::Float(value) if value.is_finite() => Model::Float(value),
        Scalar::Float(_) => Model::NotFinite,
        Scalar::BigInt(_) | Scalar::Time(_) | Scalar::Text(_) => Model::Text,
    }
}

/// Numbers, damaged numbers, words and letters, the same ones every time.
fn scalars(count: usize) -> impl Iterator<Item = String> {
    const SEEDS: &[&str] = &[
        "1e3",
        "12e03",
        "08",
        "0o7",
        "0O17",
        "0b1",
        "0B101",
        "-0b11",
        "0b+1",
        "0b-1",
        "0x1F",
        "0XfF",
        "-0x10",
        "1_000",
        "_1",
        "1_",
        "0_",
        "0_8",
        ".5",
        "+.5",
        "-.5",
        ".5e3",
        "._5",
        ".5_0",
        "5.",
        "5.e3",
        "+1",
        "-1",
        "--1",
        "+-1",
        "y",
        "N",
        "yes",
        "On",
        "off",
        "TRUE",
        "False",
        "null",
        "~",
        "Null",
        "12:30",
        "1:30:00.5",
        "190:20:30",
        "2020-01-01",
        "2020-02-30",
        "2001-12-14t21:59:43.10-05:00",
        ".inf",
        "-.INF",
        "+.inf",
        ".nan",
        "+.nan",
        "1.5e+3",
        "1.5e3",
        "1e",
        "1e+",
        "0",
        "-0",
        "00",
        "007",
        "0777",
        "0789",
        "1.2.3",
        "1e400",
        "-1e400",
        "1e-400",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "+18446744073709551615",
        "0x8000000000000000",
        "0xFFFFFFFFFFFFFFFFF",
        "-0xFFFFFFFFFFFFFFFFF",
        "01777777777777777777777",
        "07777777777777777777777777",
        "0o7777777777777777777777777",
        "=",
        "<<",
        "none",
        "0x",
        "0b",
        "0o",
        "-",
        "+",
        ".",
        "..",
        "1__0",
        "0x_1",
        "1_e3",
        "infinity",
        ".infinity",
        "+inf",
        "nan",
        "1e5.5",
        "0x1p3",
        "0b102",
        "0o8",
    ];
    const LETTERS: &[u8] = b"0123456789001177__++--..eEeExXoObB:aAfFyYnN~tsl";
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    (0..count).map(move |at| {
        if let Some(seed) = SEEDS.get(at) {
            return (*seed).to_owned();
        }
        let mut text = match random(2) {
            0 => SEEDS[random(SEEDS.len())].as_bytes().to_vec(),
            _ => Vec::new(),
        };
        for _ in 0..1 + random(if text.is_empty() { 8 } else { 3 }) {
            let letter = LETTERS[random(LETTERS.len())];
            let place = random(text.len() + 1);
            match random(3) {
                0 if place < text.len() => text[place] = letter,
                1 if place < text.len() => drop(text.remove(place)),
                _ => text.insert(place, letter),
            }
        }
        String::from_utf8(text).unwrap_or_default()
    })
}

#[test]
fn documents_of_the_api_server_are_read_as_by_go_yaml() {
    let mut kinds = [0; 6];
    for text in scalars(60_000) {
        let (found, wanted) = (ours(&text), model(&text));
        assert_eq!(found, wanted, "`{text}`");
        kinds[match wanted {
            Model::Null => 0,
            Model::Bool(_) => 1,
            Model::Int(_) => 2,
            Model::Float(_) => 3,
            Model::NotFinite => 4,
            Model::Text => 5,
        }] += 1;
    }
    assert!(kinds.iter().all(|count| *count > 40), "{kinds:?}");
}

#[test]
fn plain_scalars_are_read_as_yaml_1_1() {
    use Scalar::{Bool, Float, Int, Null, Text, Time};
    let cases = [
        ("", Null),
        ("null", Null),
        ("yes", Bool(true)),
        ("Off", Bool(false)),
        ("y", Text("y")),
        ("0", Int(0)),
        ("-0", Int(0)),
        ("0144", Int(100)),
        ("0x32", Int(50)),
        ("0b11", Int(3)),
        ("0_", Int(0)),
        ("-0__", Int(0)),
        ("1_000", Int(1000)),
        ("12:30", Int(750)),
        ("+7", Int(7)),
        ("08", Text("08")),
        ("0o17", Text("0o17")),
        ("1e3", Text("1e3")),
        ("1.2.3", Text("1.2.3")),
        (".5", Float(0.5)),
        ("1.", Float(1.0)),
        ("1.5e+3", Float(1500.0)),
        ("1.5e3", Text("1.5e3")),
        ("-", Text("-")),
        (".", Text(".")),
        ("1:60", Text("1:60")),
        ("190:20:30.15", Float(685_230.15)),
        ("2020-01-01", Time("2020-01-01")),
        ("2023-02-11T09:00:00Z", Time("2023-02-11T09:00:00Z")),
        (
            "2001-12-14 21:59:43.10 -5",
            Time("2001-12-14 21:59:43.10 -5"),
        ),
        ("2020-1-1", Text("2020-1-1")),
        ("none", Text("none")),
    ];
    for (text, wanted) in cases {
        assert_eq!(resolve(text, Dialect::PyYaml), wanted, "{text}");
    }
    for dialect in [Dialect::Ogc, Dialect::Kubernetes] {
        assert_eq!(resolve("y", dialect), Bool(true));
        assert_eq!(resolve("12:30", dialect), Text("12:30"));
        assert_eq!(resolve("190:20:30.15", dialect), Text("190:20:30.15"));
    }
    assert_eq!(resolve("1e3", Dialect::Ogc), Text("1e3"));
    let big = "9".repeat(60);
    assert_eq!(resolve(&big, Dialect::PyYaml), Scalar::BigInt(&big));
}
