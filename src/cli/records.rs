//! Records: what Proceed writes, always as a new file, never over something else.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::exit::Exit;
use super::failure::Failure;
use super::write::{self, Fault};
use crate::document::record;
use crate::load::list;
use crate::records::Recorded;

/// The largest number among the records of a directory; 0 without one.
///
/// # Errors
/// Any error from the operating system but a missing directory.
pub(super) fn largest(directory: &Path) -> io::Result<u64> {
    Ok(numbers(directory)?.into_iter().max().unwrap_or(0))
}

fn numbers(directory: &Path) -> io::Result<Vec<u64>> {
    let entries = match list::names(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let number = |name: &str| {
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        let numbered = digits.len() >= 4 && name[digits.len()..].starts_with('-');
        // A number beyond all others leaves none to follow it.
        numbered.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let mut found = Vec::new();
    for entry in entries {
        found.extend(number(&entry?.name.to_string_lossy()));
    }
    Ok(found)
}

/// The number of the record after the largest one.
///
/// # Errors
/// When there is none (1).
pub(super) fn next(directory: &Path, largest: u64) -> Result<u64, Failure> {
    largest.checked_add(1).ok_or_else(|| {
        let directory = directory.display();
        Failure::new(
            Exit::Fault,
            format!(
                "no record number is left in {directory}: one of its files is numbered {largest} \
                 or higher; rename it"
            ),
        )
    })
}

/// The file of a record.
pub(super) fn path(directory: &Path, number: u64, what: &str) -> PathBuf {
    directory.join(format!("{}-{what}.yaml", record::shown(number)))
}

/// Refuses where records have come or gone since the site was read.
///
/// # Errors
/// As it says (1).
pub(super) fn unchanged(directory: &Path, seen: u64) -> Result<(), Failure> {
    let now = largest(directory)
        .map_err(|error| Failure::system(error, format!("cannot read {}", directory.display())))?;
    if now == seen {
        Ok(())
    } else {
        Err(stale(directory, seen, now))
    }
}

/// Writes the record with the number after `seen`, the largest when the site was read. Of
/// several runs that do so at once, one does; a run that is killed leaves the number free.
/// `check` says whether the site is still what was approved: it is asked when nothing but the
/// name of the record is missing.
///
/// # Errors
/// A record that has appeared since (1), documents that a second reader of YAML reads otherwise
/// (1), those of `check`, and what the operating system says (1).
pub(super) fn write(
    directory: &Path,
    seen: u64,
    recorded: &Recorded,
    check: impl Fn() -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let number = next(directory, seen)?;
    let path = path(directory, number, &recorded.what);
    let failed =
        |error: io::Error| Failure::system(error, format!("cannot write {}", path.display()));
    write::create_directory(directory).map_err(failed)?;
    // The number is claimed, not the name: other plans write under other names.
    let lock = write::lock(directory).map_err(failed)?;
    unchanged(directory, seen)?;
    let ready = write::New::of(&path, recorded.text.as_bytes()).map_err(failed)?;
    // The next plan starts from what is on the disk, so that is what must read as it was meant.
    let read = recorded.read_back(&ready.text().map_err(failed)?);
    read.map_err(|why| {
        let path = path.display();
        let message = format!(
            "cannot write {path}: the record would not read back as planned: \
             {why}"
        );
        Failure::new(Exit::Fault, message)
    })?;
    check()?;
    let created = ready.create();
    if let Err(Fault::Failed(error)) = &created
        && error.kind() == ErrorKind::AlreadyExists
    {
        return Err(stale(directory, seen, number));
    }
    created.map_err(|fault| fault.of(&path.display().to_string()))?;
    let same = |other: &u64| *other == number;
    let twice = || -> io::Result<bool> {
        let all = numbers(directory)?;
        Ok(all.into_iter().filter(same).count() > 1)
    };
    if lock.is_none() && twice().map_err(failed)? {
        fs::remove_file(&path).map_err(failed)?;
        return Err(stale(directory, seen, number));
    }
    Ok(path)
}

fn stale(directory: &Path, seen: u64, now: u64) -> Failure {
    let message = if now > seen {
        let now = record::shown(now);
        format!("record {now} appeared while you were deciding; plan again")
    } else {
        let directory = directory.display();
        format!("records in {directory} were removed while you were deciding; plan again")
    };
    Failure::new(Exit::Fault, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(what: &str) -> Recorded {
        Recorded::new(what, String::new(), vec![serde_json::json!({"a": 1})])
    }

    fn shop() -> Recorded {
        made("shop")
    }

    fn fine() -> Result<(), Failure> {
        Ok(())
    }

    #[test]
    fn the_site_is_looked_at_when_only_the_name_is_missing() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("records");
        let check = || {
            let held = fs::File::open(&directory).unwrap();
            assert!(held.try_lock().is_err(), "nobody else writes meanwhile");
            let made: Vec<_> = fs::read_dir(&directory).unwrap().collect();
            let [Ok(made)] = made.as_slice() else {
                panic!("{made:?}")
            };
            assert_eq!(fs::read_to_string(made.path()).unwrap(), "---\na: 1\n");
            Err(Failure::new(Exit::Fault, "the site changed"))
        };
        let refused = write(&directory, 0, &shop(), check).unwrap_err();
        assert!(format!("{:?}", refused.error).contains("the site changed"));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    }

    #[test]
    fn what_would_not_read_back_gets_no_name() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("records");
        let mut recorded = shop();
        recorded.text = "---\na: 2\n".into();
        let refused = write(&directory, 0, &recorded, fine).unwrap_err();
        let said = format!("{:?}", refused.error);
        assert!(said.contains("document 1 has a different value"), "{said}");
        assert_eq!(refused.exit, Exit::Fault);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    }

    #[test]
    fn numbers_go_on_and_nothing_is_written_over() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("records");
        assert_eq!(largest(&directory).unwrap(), 0);
        let first = write(&directory, 0, &shop(), fine).unwrap();
        assert!(first.ends_with("0001-shop.yaml"));
        assert_eq!(largest(&directory).unwrap(), 1);
        assert_eq!(
            write(&directory, 0, &shop(), fine).unwrap_err().exit,
            Exit::Fault
        );
        // Another name would be free, but a record has come since the site was read, or is gone.
        for seen in [0, 2] {
            let stale = write(&directory, seen, &made("other"), fine).unwrap_err();
            assert_eq!(stale.exit, Exit::Fault);
        }
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        fs::write(directory.join("12345-site.yaml"), "").unwrap();
        fs::write(directory.join("notes.yaml"), "").unwrap();
        assert_eq!(largest(&directory).unwrap(), 12345);
        assert_eq!(fs::read_to_string(first).unwrap(), "---\na: 1\n");
    }

    #[test]
    fn a_number_is_given_once_whatever_the_names() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("deep/records");
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let written = std::thread::scope(|scope| {
            let one = |name: &'static str| {
                let directory = &directory;
                scope.spawn(move || write(directory, 0, &made(name), fine))
            };
            let all: Vec<_> = names.into_iter().map(one).collect();
            let all = all.into_iter().map(|one| one.join().unwrap());
            all.filter(|one| match one {
                Ok(_) => true,
                Err(failure) => {
                    let said = format!("{:?}", failure.error);
                    assert!(said.contains("record 0001 appeared"), "{said}");
                    false
                }
            })
            .count()
        });
        assert_eq!(written, 1);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[test]
    fn there_is_no_number_after_the_last() {
        let home = tempfile::tempdir().unwrap();
        for name in ["18446744073709551615-x.yaml", "99999999999999999999-x.yaml"] {
            let directory = home.path().join(&name[..1]);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join(name), "").unwrap();
            let seen = largest(&directory).unwrap();
            let refused = write(&directory, seen, &made("site"), fine).unwrap_err();
            assert_eq!(refused.exit, Exit::Fault);
            assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        }
    }
}
