//! A part of a sweep as a file, and the parts put together.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{AtATime, Loss, Margin, Risk, Shard, Today};

/// The `kind` of such a file.
const KIND: &str = "RiskPart";

/// A part of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    api_version: String,
    kind: String,
    format_version: String,
    /// The data that all parts of the sweep share.
    pub sweep: Sweep,
    /// Which part this is, from 1.
    pub part: u32,
    /// Its losses, the worst first.
    pub losses: Vec<Loss>,
    /// Over all of the above.
    digest: String,
}

/// The data that all parts of one sweep share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sweep {
    /// The version of the program.
    pub planner: String,
    /// The instant everything was judged at.
    pub now: String,
    /// One digest over the names and bytes of all files that were read.
    pub site: String,
    /// The options that change an outcome.
    pub options: Vec<String>,
    /// How many things are lost at a time.
    pub at_a_time: AtATime,
    /// How many parts there are.
    pub of: u32,
    /// How the documents were counted.
    pub documents: Value,
    /// The snapshot of a hub: the line that screens begin with, and the same as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<(String, Value)>,
    /// How much each subject can still lose.
    pub margins: Vec<Margin>,
    /// The subjects that have no place before any loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub today: Vec<Today>,
    /// The findings.
    pub diagnostics: Vec<Value>,
}

impl Sweep {
    /// How another sweep differs from this one.
    fn differs(&self, other: &Self) -> Option<String> {
        let parts = |count: u32| match count {
            1 => "1 part".to_owned(),
            _ => format!("{count} parts"),
        };
        let differs = if self.planner != other.planner {
            format!(
                "it was made by planner {}, not {}",
                other.planner, self.planner
            )
        } else if self.site != other.site {
            "its documents or their paths differ".to_owned()
        } else if self.options != other.options {
            let options = |sweep: &Self| match sweep.options.as_slice() {
                [] => "no options".to_owned(),
                options => options.join(" "),
            };
            format!(
                "it was made with {}, not with {}",
                options(other),
                options(self)
            )
        } else if self.now != other.now {
            format!("its time is {}, not {} (--now)", other.now, self.now)
        } else if self.at_a_time != other.at_a_time {
            let (own, others) = (self.at_a_time.noun(), other.at_a_time.noun());
            format!("it loses each {others}, not each {own}")
        } else if self.of != other.of {
            format!("its sweep has {}, not {}", parts(other.of), parts(self.of))
        } else if self != other {
            "its plan or its findings differ".to_owned()
        } else {
            return None;
        };
        Some(differs)
    }
}

impl Part {
    /// The part with these losses.
    #[must_use]
    pub fn of(sweep: Sweep, shard: Shard, losses: Vec<Loss>) -> Self {
        let mut part = Self {
            api_version: "planner/v1".to_owned(),
            kind: KIND.to_owned(),
            format_version: "1".to_owned(),
            sweep,
            part: shard.number,
            losses,
            digest: String::new(),
        };
        part.digest = part.own_digest();
        part
    }

    fn own_digest(&self) -> String {
        let mut hashed = Hashed(Sha256::new());
        // Writing into a hash never fails.
        let _ = serde_json::to_writer(&mut hashed, &(&self.sweep, self.part, &self.losses));
        let bytes = hashed.0.finalize();
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{digits}")
    }
}

/// Hashes the text as it is written, without a buffer.
struct Hashed(Sha256);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The head of a file that is not a readable part.
#[derive(Deserialize)]
struct Head {
    kind: Option<Value>,
    sweep: Option<HeadSweep>,
}

#[derive(Deserialize)]
struct HeadSweep {
    planner: Option<String>,
}

/// Reads a part.
///
/// # Errors
/// Why it is none.
pub fn read(text: &[u8]) -> Result<Part, String> {
    let part: Part = match serde_json::from_slice(text) {
        Ok(part) => part,
        Err(error) => {
            let head = serde_json::from_slice::<Head>(text).ok();
            check_head(head.as_ref())?;
            return Err(error.to_string());
        }
    };
    check_kind(&part.kind)?;
    check_version(&part.sweep.planner)?;
    if part.digest != part.own_digest() {
        return Err("it was changed after it was written: its digest does not match".to_owned());
    }
    if !(1..=part.sweep.of).contains(&part.part) {
        return Err(format!("it is part {} of {}", part.part, part.sweep.of));
    }
    Ok(part)
}

fn check_head(head: Option<&Head>) -> Result<(), String> {
    let Some(head) = head else {
        return Ok(());
    };
    match head.kind.as_ref().and_then(Value::as_str) {
        Some(kind) => check_kind(kind)?,
        None => return Err(format!("it has no `kind: {KIND}`")),
    }
    let version = head
        .sweep
        .as_ref()
        .and_then(|sweep| sweep.planner.as_deref());
    version.map_or(Ok(()), check_version)
}

fn check_kind(kind: &str) -> Result<(), String> {
    if kind == KIND {
        Ok(())
    } else {
        Err(format!("its kind is {kind:?}, not {KIND:?}"))
    }
}

/// Another version may have other decisions and outputs.
fn check_version(version: &str) -> Result<(), String> {
    let own = env!("CARGO_PKG_VERSION");
    if version == own {
        Ok(())
    } else {
        Err(format!(
            "it was made by planner {version}, but this is planner {own}"
        ))
    }
}

/// Parts that are named when they are missing, at most.
const NAMED: usize = 20;

/// Puts the parts of one sweep together, whatever their order; each with its name.
///
/// # Errors
/// Every part that is missing, is there twice or belongs to another sweep, by name.
pub fn merge(mut parts: Vec<(String, Part)>) -> Result<(Sweep, Risk), Vec<String>> {
    let Some((first, sweep)) = parts
        .first()
        .map(|(name, part)| (name.clone(), part.sweep.clone()))
    else {
        return Err(vec!["no part was given".to_owned()]);
    };
    let mut wrong = Vec::new();
    parts.retain(|(name, part)| match sweep.differs(&part.sweep) {
        Some(what) => {
            wrong.push(format!("{name} does not belong with {first}: {what}"));
            false
        }
        None => true,
    });
    parts.sort_by_key(|(_, part)| part.part);
    for same in parts.chunk_by(|(_, one), (_, other)| one.part == other.part) {
        if let [(one, part), (other, _), ..] = same {
            let number = part.part;
            wrong.push(format!(
                "{one} and {other} are both part {number} of {}",
                sweep.of
            ));
        }
    }
    wrong.extend(missing(&parts, sweep.of));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut losses: Vec<Loss> = parts
        .into_iter()
        .flat_map(|(_, part)| part.losses)
        .collect();
    // Equal losses stay in the order of the parts, which is that of the sets.
    losses.sort_by(Loss::by_weight);
    let risk = Risk {
        losses,
        margins: sweep.margins.clone(),
        today: sweep.today.clone(),
        together: Vec::new(),
    };
    Ok((sweep, risk))
}

/// Which parts are not there, in one line; the parts are in order.
fn missing(parts: &[(String, Part)], of: u32) -> Option<String> {
    let is_there = |number: &u32| {
        let found = parts.binary_search_by_key(number, |(_, part)| part.part);
        found.is_ok()
    };
    let there = parts.chunk_by(|(_, one), (_, other)| one.part == other.part);
    let count = of as usize - there.count();
    let absent = (1..=of).filter(|number| !is_there(number)).take(NAMED);
    let absent: Vec<String> = absent.map(|number| number.to_string()).collect();
    match absent.as_slice() {
        [] => None,
        [one] => Some(format!("part {one} of {of} is missing")),
        [all @ .., last] if count == absent.len() => Some(format!(
            "parts {} and {last} of {of} are missing",
            all.join(", ")
        )),
        all => Some(format!(
            "parts {} and {} more of {of} are missing",
            all.join(", "),
            count - all.len()
        )),
    }
}
