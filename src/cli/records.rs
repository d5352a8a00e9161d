//! Records: what Proceed writes, always as a new file, never over something else.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::failure::Failure;

/// The folder of records in a directory.
pub(super) const DEFAULT: &str = "planner-records";

/// The largest number among the records of a directory; 0 without one.
#[must_use]
pub(super) fn largest(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else {
        return 0;
    };
    let number = |name: &str| {
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        (digits.len() >= 4 && name[digits.len()..].starts_with('-'))
            .then(|| digits.parse::<u64>().ok())?
    };
    entries
        .flatten()
        .filter_map(|entry| number(&entry.file_name().to_string_lossy()))
        .max()
        .unwrap_or(0)
}

/// Writes the record with the number after `seen`, the largest when the site was read.
///
/// # Errors
/// A record that has appeared since (1), and what the operating system says (1).
pub(super) fn write(
    directory: &Path,
    seen: u64,
    what: &str,
    documents: &str,
) -> Result<PathBuf, Failure> {
    if largest(directory) != seen {
        return Err(stale(directory));
    }
    let path = directory.join(format!("{:04}-{what}.yaml", seen + 1));
    let failed =
        |error: io::Error| Failure::system(error, format!("cannot write {}", path.display()));
    fs::create_dir_all(directory).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix(".planner-")
        .tempfile_in(directory)
        .map_err(failed)?;
    let written = file
        .write_all(documents.as_bytes())
        .and_then(|()| file.as_file().sync_all());
    written.map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(mode).map_err(failed)?;
    }
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(stale(directory)),
        Err(error) => Err(failed(error.error)),
    }
}

fn stale(directory: &Path) -> Failure {
    let directory = directory.display();
    Failure::new(
        Exit::Fault,
        format!("a record has appeared in {directory} since the site was read; plan again"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_and_nothing_is_written_over() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("records");
        assert_eq!(largest(&directory), 0);
        let first = write(&directory, 0, "shop", "a: 1\n").unwrap();
        assert!(first.ends_with("0001-shop.yaml"));
        assert_eq!(largest(&directory), 1);
        assert_eq!(
            write(&directory, 0, "shop", "b: 1\n").unwrap_err().exit,
            Exit::Fault
        );
        fs::write(directory.join("12345-site.yaml"), "").unwrap();
        fs::write(directory.join("notes.yaml"), "").unwrap();
        assert_eq!(largest(&directory), 12345);
        assert_eq!(fs::read_to_string(first).unwrap(), "a: 1\n");
    }
}
