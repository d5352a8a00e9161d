//! A checkout that wants to run: modules and programs under every name that an entry point looks
//! for, settings of git, and links where results are written. Each would leave a mark.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::forge::Forge;
use super::{REPOSITORY, Runner, component, site};
use crate::support::PLANNER;

/// Modules that Python or pip imports, if it looks into the directory where it starts.
const MODULES: [&str; 14] = [
    "base64",
    "ensurepip",
    "gzip",
    "json",
    "logging",
    "os",
    "pip",
    "re",
    "setuptools",
    "sitecustomize",
    "ssl",
    "urllib",
    "usercustomize",
    "venv",
];

/// Programs that an entry point starts, or could start.
const PROGRAMS: [&str; 13] = [
    "bash", "cat", "cp", "dirname", "env", "git", "mktemp", "pip", "planner", "python", "python3",
    "rm", "sh",
];

/// Places of programs in the checkout.
const PLACES: [&str; 5] = [".", "bin", ".planner-python/bin", "tools", "site"];

/// Files in which an entry point writes.
const RESULTS: [&str; 6] = [
    "planner.sarif",
    "planner.md",
    "planner.xml",
    "gl-code-quality-report.json",
    ".planner-requirements.txt",
    "planner-comment.md",
];

struct Hostile {
    runner: Runner,
    /// What is there once something of the checkout has run.
    marks: PathBuf,
    /// A file outside, to which the links lead.
    outside: PathBuf,
}

impl Hostile {
    fn new() -> Option<Self> {
        let runner = Runner::new(Forge::new(&[], false))?;
        let marks = runner.folder.path().join("marks");
        let outside = runner.folder.path().join("outside");
        fs::create_dir_all(&marks).unwrap();
        fs::write(&outside, "kept").unwrap();
        let tree = runner.checkout();
        let write = |name: &str, text: &str| {
            let path = tree.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        for module in MODULES {
            let mark = marks.join(format!("module-{module}"));
            let text = format!("open({:?}, 'w')\n", mark.display().to_string());
            write(&format!("{module}.py"), &text);
            write(&format!("site/{module}.py"), &text);
        }
        for place in PLACES {
            for name in PROGRAMS {
                let mark = marks.join(format!("program-{name}"));
                let text = format!("#!/bin/sh\n: > {}\n", mark.display());
                write(&format!("{place}/{name}"), &text);
            }
        }
        let hook = format!("#!/bin/sh\n: > {}\n", marks.join("hook").display());
        write("hooks/post-checkout", &hook);
        write("setup.cfg", "[install]\nprefix = evil\n");
        write("pyvenv.cfg", "home = bin\n");
        write(".gitattributes", "* filter=evil diff=evil\n");
        for name in RESULTS {
            symlink(&outside, tree.join(name)).unwrap();
        }
        runner.commit("site/a.yaml", &site("east"), "Go east");
        // As a runner that keeps its checkouts may have it.
        let run = hook_of(&marks, "setting");
        for key in ["core.fsmonitor", "filter.evil.clean", "diff.evil.textconv"] {
            runner.git(&["config", key, &run]);
        }
        let hooks = tree.join("hooks");
        runner.git(&["config", "core.hooksPath", &hooks.display().to_string()]);
        fs::read_dir(&marks).unwrap().for_each(|mark| {
            fs::remove_file(mark.unwrap().path()).unwrap();
        });
        Some(Self {
            runner,
            marks,
            outside,
        })
    }

    /// The search path of a runner, with every way into the checkout before it.
    fn search(&self) -> String {
        let tree = self.runner.checkout();
        let inside = PLACES.map(|place| tree.join(place).display().to_string());
        let rest = std::env::var("PATH").unwrap();
        format!("{}:.:bin::{rest}", inside.join(":"))
    }

    #[track_caller]
    fn is_harmless(&self, entry: &str, output: &Output) {
        let marks = fs::read_dir(&self.marks).unwrap();
        let marks: Vec<_> = marks.map(|mark| mark.unwrap().file_name()).collect();
        assert!(marks.is_empty(), "{entry}: {marks:?} ran: {output:?}");
        let kept = fs::read_to_string(&self.outside).unwrap();
        assert_eq!(kept, "kept", "{entry}: {output:?}");
    }
}

fn hook_of(marks: &Path, name: &str) -> String {
    format!(": > {}; cat", marks.join(name).display())
}

/// Programs of the checkout in the search path, and a virtual environment that the action makes.
#[test]
fn the_action_runs_nothing_of_the_checkout() {
    let Some(hostile) = Hostile::new() else {
        return;
    };
    let search = hostile.search();
    let tree = hostile.runner.checkout();
    let lock = hostile.runner.temp().join("lock");
    // A release that no index has: everything up to the download runs.
    let release = format!("site-planner==0.0.0 --hash=sha256:{}\n", "0".repeat(64));
    fs::write(&lock, release).unwrap();
    for step in ["validate", "compare", "upload", "comment", "install"] {
        let more = [
            ("PATH", search.as_str()),
            ("GITHUB_WORKSPACE", tree.to_str().unwrap()),
            ("PYTHONPATH", tree.to_str().unwrap()),
            ("PLANNER_AGAINST", "main"),
            ("PLANNER_LOCK", lock.to_str().unwrap()),
            ("PIP_NO_INDEX", "1"),
        ];
        let output = hostile.runner.step(step, &more);
        hostile.is_harmless(step, &output);
        let fails = step == "install";
        assert_eq!(output.status.success(), !fails, "{step}: {output:?}");
    }
    assert_eq!(hostile.runner.forge.state.lock().unwrap().comments.len(), 1);
}

#[test]
fn the_template_runs_nothing_of_the_checkout() {
    let Some(hostile) = Hostile::new() else {
        return;
    };
    let tools = hostile.runner.temp().join("tools");
    let search = format!("{}:{}", hostile.search(), tools.display());
    // The tool of the test stands before the system's programs, and behind the checkout's.
    let search = search.replacen(
        &std::env::var("PATH").unwrap(),
        &format!("{}:{}", tools.display(), std::env::var("PATH").unwrap()),
        1,
    );
    let output = component(&hostile.runner, &[("PATH", &search)]);
    hostile.is_harmless("template", &output);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(hostile.runner.forge.state.lock().unwrap().comments.len(), 1);
    let left = fs::read_dir(hostile.runner.checkout()).unwrap();
    let left = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("tmp")
    });
    assert_eq!(left.count(), 0);
}

/// The line of a file after a word.
fn entry(file: &str, word: &str) -> String {
    let text = fs::read_to_string(Path::new(REPOSITORY).join(file)).unwrap();
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(word));
    lines.next_back().unwrap().trim().to_owned()
}

fn run(hostile: &Hostile, words: &[&str], search: &str) -> Output {
    Command::new(PLANNER)
        .args(words)
        .current_dir(hostile.runner.checkout())
        .env_clear()
        .env("PATH", search)
        .output()
        .unwrap()
}

#[test]
fn the_hook_runs_nothing_of_the_checkout() {
    let Some(hostile) = Hostile::new() else {
        return;
    };
    let hook = entry(".pre-commit-hooks.yaml", "entry:");
    let words: Vec<&str> = hook.split(' ').skip(1).collect();
    let output = run(&hostile, &words, &hostile.search());
    hostile.is_harmless("hook", &output);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_container_runs_nothing_of_the_checkout() {
    let Some(hostile) = Hostile::new() else {
        return;
    };
    assert_eq!(entry("Dockerfile", "ENTRYPOINT"), r#"["/usr/bin/planner"]"#);
    // A tree that is mounted; the image itself holds no program but planner.
    for words in [
        ["validate", "site"].as_slice(),
        &["plan", "site", "--against", "main", "--no-input"],
        &["report", "site", "-o", "/dev/null"],
    ] {
        for search in ["", &hostile.search()] {
            let output = run(&hostile, words, search);
            hostile.is_harmless(&words.join(" "), &output);
            let without_git = search.is_empty() && words.contains(&"--against");
            assert_eq!(
                output.status.success(),
                !without_git,
                "{words:?}: {output:?}"
            );
        }
    }
}
