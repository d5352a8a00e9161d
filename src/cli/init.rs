//! `planner init`: the files that a repository needs to be checked.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::document::{DocumentKind, System};
use crate::kit::plural::plural;
use crate::kit::safe::shell_word;
use crate::load::{self, Loaded, Refusal, read_file, repository};
use crate::ocm::EXPORT;
use crate::render::clean;

use super::args::InitArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use super::write::{self, Fault};

const SETTINGS: &str = include_str!("init/planner.toml");
const GITHUB: &str = include_str!("init/github.yml");
const GITLAB: &str = include_str!("init/gitlab.yml");
const HOOKS: &str = include_str!("init/pre-commit.yaml");
const HOOK: &str = include_str!("init/hook.yaml");
const AGENTS: &str = include_str!("init/AGENTS.md");

/// Names that only repositories have in which agents work.
const OF_AGENTS: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude",
    ".codex",
    ".cursor",
    ".mcp.json",
    ".github/copilot-instructions.md",
];

/// A file to write, or what is to be done about one that is there already.
struct Step {
    /// Its name from the repository's root.
    name: PathBuf,
    text: String,
    /// The lines that the user adds by hand if the file is there.
    instead: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// A DIR that is no directory or cannot stand in a workflow (64); a file that cannot be written.
pub(super) fn run(args: &InitArgs, console: &Console) -> Result<Exit, Failure> {
    let directory = args.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    if !directory.is_dir() {
        let directory = directory.display();
        return Err(Failure::usage(format!("{directory} is not a directory")));
    }
    let mut session = Session::new(std::slice::from_ref(&directory), &args.common, console)?;
    let sites = match load::open(&session.request) {
        Err(Refusal::Sites { sites, .. }) => sites,
        _ => Vec::new(),
    };
    session.request.first_site = true;
    let loaded = session.open(console)?;
    let (root, site) = root(&directory)?;
    let mut steps = steps(&root, &site);
    steps[0].text.push_str(&proposed(&sites));
    if args.diff {
        let fresh = steps
            .iter()
            .filter(|step| !is_there(&root.join(&step.name)));
        let texts = fresh.map(|step| (name_of(step), "", step.text.as_str()));
        let texts: Vec<(String, &str, &str)> = texts.collect();
        let texts = texts
            .iter()
            .map(|(name, before, after)| (name.as_str(), *before, *after));
        let patch = crate::render::patch(texts, console.terminal().as_ref());
        if patch.is_empty() {
            let there = "nothing to write: every file that init writes is there";
            return Err(Failure::new(Exit::NoInput, there));
        }
        console.out(&patch)?;
        return Ok(Exit::Success);
    }
    let mut said = found(&loaded);
    if !sites.is_empty() {
        let names: Vec<&str> = sites.iter().map(|(name, _)| name.as_str()).collect();
        said.push_str(&format!(
            "\n{}: {}. They make the same objects differently; planner plan shows a row for \
             each.\n",
            plural(sites.len(), "site"),
            clean(&names.join(", "))
        ));
    }
    said.push('\n');
    said.push_str(&take(&root, &steps)?);
    let is_job = |step: &Step| step.name.extension().is_some_and(|ending| ending == "yml");
    if !steps.iter().any(is_job) {
        said.push_str(
            "\nNo CI job: there is no .github, .forgejo, .gitea or .gitlab-ci.yml. Create the \
             one that you use and run planner init again.\n",
        );
    }
    said.push_str(if loaded.documents().all.is_empty() {
        "\nNext: add documents (planner-placement(7) has examples for each system), then run \
         planner validate\n"
    } else {
        "\nNext: run planner validate, then planner plan\n"
    });
    console.out(&said)?;
    Ok(Exit::Success)
}

/// The sites of kustomizations as `planner.toml` names them.
fn proposed(sites: &[(String, Vec<PathBuf>)]) -> String {
    let mut text = String::new();
    if sites.is_empty() {
        return text;
    }
    text.push_str(
        "\n# The sites of this repository: kustomizations that are planned together. A note names \
         those that\n# are in none. `default-site`, at the top of this file, is the one that \
         counts without --site.\n",
    );
    for (name, roots) in sites {
        let roots = roots.iter().map(|root| {
            let name = root.to_string_lossy().replace('\\', "/");
            Value::from(if name.is_empty() { "." } else { &name }).to_string()
        });
        let roots: Vec<String> = roots.collect();
        text.push_str(&format!(
            "\n[[site]]\nname = {}\nroots = [{}]\n",
            Value::from(name.as_str()),
            roots.join(", ")
        ));
    }
    text
}

/// The root of the repository that holds the directory, and the directory's name from there.
fn root(directory: &Path) -> Result<(PathBuf, String), Failure> {
    let failed = |error| Failure::system(error, format!("cannot read {}", directory.display()));
    let whole = directory.canonicalize().map_err(failed)?;
    let root = repository(&whole).unwrap_or(&whole).to_path_buf();
    let site = whole.strip_prefix(&root).unwrap_or(Path::new(""));
    let site = site.to_string_lossy().replace('\\', "/");
    if site.contains("${{") || site.chars().any(char::is_control) {
        return Err(Failure::usage(format!(
            "a workflow cannot name the directory {}",
            clean(&site)
        )));
    }
    match site.as_str() {
        "" => Ok((root, ".".to_owned())),
        _ => Ok((root, site)),
    }
}

/// The files that this repository gets. Its directories and files tell which forge it uses.
fn steps(root: &Path, site: &str) -> Vec<Step> {
    let quoted = Value::from(site).to_string();
    let filled = |text: &str| {
        text.replace("@SITE@", &quoted)
            .replace("@WORD@", &shell_word(site))
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
    };
    let step = |name: &str, text: &str| Step {
        name: PathBuf::from(name),
        text: filled(text),
        instead: None,
    };
    let mut steps = vec![Step {
        name: Path::new(site).join("planner.toml"),
        ..step("", SETTINGS)
    }];
    for forge in [".github", ".forgejo", ".gitea"] {
        if root.join(forge).is_dir() {
            steps.push(step(&format!("{forge}/workflows/planner.yml"), GITHUB));
        }
    }
    if root.join(".gitlab-ci.yml").exists() {
        steps.push(Step {
            instead: Some("include:\n  - local: .gitlab/planner.yml\n".to_owned()),
            ..step(".gitlab-ci.yml", "")
        });
        steps.push(step(".gitlab/planner.yml", GITLAB));
    }
    let hook = filled(HOOK);
    steps.push(Step {
        instead: Some(hook.clone()),
        ..step(".pre-commit-config.yaml", &HOOKS.replace("@HOOK@\n", &hook))
    });
    if OF_AGENTS.iter().any(|name| is_there(&root.join(name))) {
        let text = filled(AGENTS);
        steps.push(Step {
            instead: Some(text),
            ..step("AGENTS.md", AGENTS)
        });
    }
    steps
}

fn name_of(step: &Step) -> String {
    let name = step.name.to_string_lossy().replace('\\', "/");
    let name = name.strip_prefix("./").unwrap_or(&name);
    clean(name).into_owned()
}

/// Whether the name is taken, by whatever it is.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// So much of a file that is there is read to see whether it has the step.
const MOST_BYTES: u64 = 1 << 20;

/// Writes the files that are not there yet, all of them or none, and says what was done.
fn take(root: &Path, steps: &[Step]) -> Result<String, Failure> {
    let paths: Vec<PathBuf> = steps.iter().map(|step| root.join(&step.name)).collect();
    let mut said = String::new();
    let mut set = Vec::new();
    for (step, path) in steps.iter().zip(&paths) {
        let name = name_of(step);
        if is_there(path) {
            let there = read_file(path, MOST_BYTES).unwrap_or_default();
            let there = String::from_utf8_lossy(&there);
            said.push_str(&match &step.instead {
                Some(text) if there.contains(text.trim()) => {
                    format!("{name} already has the step\n")
                }
                Some(text) => format!("{name} already exists; add to it:\n\n{text}\n"),
                None => format!("{name} already exists\n"),
            });
            continue;
        }
        let way = write::leads_out(root, &step.name).and_then(|way| match way {
            Some(why) => Err(io::Error::other(why)),
            None => Ok(()),
        });
        way.map_err(|error| Fault::Failed(error).of(&name))?;
        set.push(write::Entry {
            path,
            text: step.text.as_bytes(),
            is_new: true,
        });
        said.push_str(&format!("Wrote {name}\n"));
    }
    let written = write::replace_all(&set);
    written.map_err(|(path, fault)| {
        let name = path.strip_prefix(root).unwrap_or(path);
        fault.of(&clean(&name.to_string_lossy()))
    })?;
    Ok(said)
}

/// The contents of the directory, in a few lines.
fn found(loaded: &Loaded) -> String {
    let documents = loaded.documents();
    let mut counts: BTreeMap<u8, (System, usize)> = BTreeMap::new();
    let (mut placements, mut clusters) = (0, 0);
    for document in &documents.all {
        if let Some(system) = document.kind.system() {
            counts.entry(system.rank()).or_insert((system, 0)).1 += 1;
        }
        match document.kind {
            DocumentKind::Placement => placements += 1,
            DocumentKind::ManagedCluster => clusters += 1,
            _ => {}
        }
    }
    let all = documents.all.len();
    let ours: usize = counts.values().map(|(_, count)| count).sum();
    let mut text = match all {
        0 => "Found no documents.\n".to_owned(),
        1 => "Found 1 document.\n".to_owned(),
        _ => format!("Found {all} documents.\n"),
    };
    for (system, count) in counts.values() {
        text.push_str(&format!("  {count:>6}  {}\n", system.title()));
    }
    if all > ours {
        text.push_str(&format!(
            "  {:>6}  of other kinds, which planner leaves alone\n",
            all - ours
        ));
    }
    if placements > 0 && clusters == 0 {
        text.push_str(&format!(
            "\nThere are {placements} Placements and no ManagedCluster. The clusters are on the \
             hub; export them, and plan with --hub hub.yaml:\n\n    {EXPORT}\n"
        ));
    }
    text
}
