//! Memory: how much is left, so that input that does not fit is refused before it is read.

use std::fmt;

/// Bytes of memory for each byte of documents that are read and planned, at most.
const FACTOR: u64 = 6;
/// The memory that threads and the program itself take.
const BESIDE: u64 = 64 << 20;

/// A size that does not fit into the memory that this process may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom {
    /// Bytes that were to be read.
    pub bytes: u64,
    /// Bytes of memory that they need.
    pub needed: u64,
    /// Bytes of memory that are left.
    pub left: u64,
}

impl fmt::Display for NoRoom {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            bytes,
            needed,
            left,
        } = self;
        let mebibytes = |bytes: &u64| bytes.div_ceil(1 << 20);
        write!(
            to,
            "not enough memory to read {bytes} bytes: about {} MiB are needed, but the limit \
             (`ulimit -v`) leaves {} MiB; raise it, or give fewer PATHs",
            mebibytes(needed),
            left >> 20
        )
    }
}

impl std::error::Error for NoRoom {}

/// Refuses to read files that do not fit; they are asked for their sizes only where a limit is set.
///
/// # Errors
/// They do not fit.
pub fn check(bytes: impl FnOnce() -> u64) -> Result<(), NoRoom> {
    match left() {
        Some(left) => fits(bytes(), left),
        None => Ok(()),
    }
}

fn fits(bytes: u64, left: u64) -> Result<(), NoRoom> {
    let needed = bytes.saturating_mul(FACTOR).saturating_add(BESIDE);
    if needed <= left {
        Ok(())
    } else {
        Err(NoRoom {
            bytes,
            needed,
            left,
        })
    }
}

/// Bytes of memory that this process may still take; none where no limit is set.
fn left() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        let limit = getrlimit(Resource::As).current?;
        Some(limit.saturating_sub(taken()))
    }
    #[cfg(not(unix))]
    None
}

/// Bytes of memory that are counted against the limit already; 0 where the system does not say.
#[cfg(unix)]
fn taken() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes.saturating_mul(1 << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_times_the_bytes_have_to_fit() {
        let (mebibyte, left) = (1 << 20, 512 << 20);
        assert_eq!(fits(74 * mebibyte, left), Ok(()));
        let refused = fits(75 * mebibyte, left).unwrap_err();
        assert_eq!(refused.needed, (75 * 6 + 64) * mebibyte);
        assert!(refused.to_string().contains("about 514 MiB"), "{refused}");
        assert!(fits(u64::MAX, left).is_err());
    }
}
