//! The settings by which a site is read, judged and planned: `planner.toml`, the place of its
//! records, and the defaults. Commands and servers share them.

use std::env;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::config::{self, Config, Unusable};
use crate::diagnostic::Sink;
use crate::document::record;
use crate::load::{self, Request, View};
use crate::options::{CheckOptions, Ignores, Options};
use crate::rules;
use crate::site;
use crate::source::Sources;

/// How old a snapshot of a hub may be, in seconds, unless `planner.toml` says so.
pub const HUB_MAX_AGE: i64 = 24 * 60 * 60;

/// The directory of records below a PATH.
pub const RECORDS: &str = record::DIRECTORY;

/// Findings, and the files that they are in.
pub type Told = (Sink, Sources);

/// The `planner.toml` in force: the one named, else the nearest above the first PATH.
///
/// # Errors
/// One that cannot be looked at, or that is a link out of the repository.
pub fn config_file(
    paths: &[PathBuf],
    first_exists: bool,
    named: Option<&Path>,
    view: &View,
) -> Result<Option<PathBuf>, Unusable> {
    if let Some(named) = named {
        return Ok(Some(named.to_path_buf()));
    }
    let start = paths.first().filter(|_| first_exists);
    config::find(start.map_or(Path::new("."), PathBuf::as_path), view)
}

/// Reads a configuration. Gives notes about codes that have been renamed; names are relative to
/// `directory`.
///
/// # Errors
/// The faults of the file.
pub fn configuration(
    file: Option<&Path>,
    directory: &Path,
    view: &View,
) -> Result<(Config, Told), Told> {
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    let Some(file) = file else {
        return Ok((Config::default(), (sink, sources)));
    };
    let (name, codes) = (directory.to_string_lossy(), rules::codes());
    let config = config::read(file, &name, &codes, view, &mut sources, &mut sink);
    if sink.has_errors() {
        sink.sort(&sources);
        return Err((sink, sources));
    }
    Ok((config, (sink, sources)))
}

/// Where records lie that no one named; nowhere for standard input.
#[must_use]
pub fn records_of(paths: &[PathBuf], is_dir: bool) -> Option<PathBuf> {
    match paths.first() {
        Some(first) if first.as_os_str() == "-" => None,
        Some(first) if first.as_os_str() != "." && is_dir => Some(first.join(RECORDS)),
        Some(first) if first.as_os_str() != "." => Some(first.with_extension("records")),
        _ => Some(PathBuf::from(RECORDS)),
    }
}

/// The directory that links of a site may lead to where they are followed: its repository. Who
/// changes the site may not be allowed to read what lies beside it.
fn followed(directory: &Path) -> PathBuf {
    let real = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_path_buf());
    load::repository(&real).map_or_else(|| real.clone(), Path::to_path_buf)
}

/// The request that the configuration makes.
#[must_use]
pub fn request(config: &Config, paths: Vec<PathBuf>, directory: PathBuf) -> Request {
    Request {
        directory,
        include: config.include.clone(),
        exclude: config.exclude.clone(),
        config_directory: config.directory(),
        follow_links: config.follow_links.then(|| followed(&config.directory())),
        limits: config.limits,
        sites: config.sites.clone(),
        default_site: config.default_site.clone(),
        generate: Some(site::policy_generator),
        ..Request::of(paths)
    }
}

/// The variables of the environment that commands of advisors see: these and those that
/// `planner.toml` names.
#[must_use]
pub fn environment(more: &[String]) -> Vec<(String, String)> {
    let always = ["PATH", "HOME", "LANG"].map(str::to_owned);
    let mut names: Vec<&String> = always.iter().chain(more).collect();
    names.sort();
    names.dedup();
    let there = names.into_iter().filter_map(|name| {
        let value = env::var_os(name)?.into_string().ok()?;
        Some((name.clone(), value))
    });
    there.collect()
}

/// How a site is checked as the configuration has it.
#[must_use]
pub fn check_options(config: &Config, now: Timestamp, jobs: usize) -> CheckOptions {
    CheckOptions {
        ignores: Some(Ignores {
            reasons: config.require_reason,
            codes: rules::codes(),
        }),
        levels: config.levels.clone(),
        jobs,
        ..CheckOptions::at(now)
    }
}

/// Makes the options those of `planner validate`: the site is judged for its own sake, with every
/// site that the PATHs hold.
pub fn validating(request: &mut Request, settings: &mut CheckOptions, options: &mut Options) {
    settings.validating = true;
    request.every_site = true;
    request.first_site = true;
    options.unscored = true;
    options.sequential = false;
}
