//! URIs of files, as clients write them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The path of a file's URI; none of any other scheme.
pub(super) fn to_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let slash = rest.find('/')?;
    let (host, path) = rest.split_at(slash);
    let bytes = decoded(path)?;
    if cfg!(windows) {
        let text = String::from_utf8(bytes).ok()?;
        if !host.is_empty() && host != "localhost" {
            return Some(PathBuf::from(format!("//{host}{text}")));
        }
        // `/c:/site` is a path of the drive.
        let drive = text.as_bytes().get(2) == Some(&b':');
        let path = text.strip_prefix('/').filter(|_| drive);
        return Some(PathBuf::from(path.unwrap_or(&text)));
    }
    os_path(bytes)
}

#[cfg(unix)]
fn os_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn os_path(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The bytes of a text in which `%41` stands for `A`.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = digit(digits[0])? * 16 + digit(digits[1])?;
        bytes.push(u8::try_from(byte).ok()?);
        rest = after;
    }
    // No path has such a byte.
    (!bytes.contains(&0)).then_some(bytes)
}

/// The URI of a file at an absolute path.
pub(super) fn from_path(path: &Path) -> String {
    let text;
    #[cfg(unix)]
    let bytes = {
        use std::os::unix::ffi::OsStrExt as _;
        text = path.as_os_str();
        text.as_bytes()
    };
    #[cfg(not(unix))]
    let bytes = {
        text = path.to_string_lossy().replace('\\', "/");
        text.as_bytes()
    };
    let mut uri = String::from(match bytes {
        [b'/', b'/', ..] => "file:",
        [b'/', ..] => "file://",
        _ => "file:///",
    });
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_name_the_same_file() {
        for path in ["/a/b.yaml", "/mit leer/ü#?%.yaml", "/c:/x"] {
            let uri = from_path(Path::new(path));
            assert_eq!(to_path(&uri).as_deref(), Some(Path::new(path)), "{uri}");
        }
        assert_eq!(from_path(Path::new("/a b")), "file:///a%20b");
        assert_eq!(
            to_path("file://localhost/a%2Bb"),
            Some(PathBuf::from("/a+b"))
        );
    }

    #[test]
    fn other_uris_name_no_file() {
        let others = [
            "untitled:Untitled-1",
            "https://a/b",
            "file:///a%0",
            "file:///a%00",
            "file://",
        ];
        for uri in others {
            assert_eq!(to_path(uri), None, "{uri}");
        }
    }
}
