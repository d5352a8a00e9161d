//! What the tests of the whole program share: a folder of its own, the program, a small site.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]
#![allow(dead_code)]

pub(crate) mod altered;
pub(crate) mod answers;
pub(crate) mod damage;
pub(crate) mod fleet;
pub(crate) mod picture;
pub(crate) mod random;
pub(crate) mod screen;
pub(crate) mod sites;
#[cfg(unix)]
pub(crate) mod terminal;
pub(crate) mod whole;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The instant every test judges at.
pub(crate) const NOW: &str = "2026-01-01T00:00:00Z";

/// The program.
pub(crate) const PLANNER: &str = env!("CARGO_BIN_EXE_planner");

/// What the program answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Answer {
    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let json = serde_json::from_str(&self.out);
        answers::as_described(json.unwrap_or_else(|error| panic!("{error}: {self:?}")))
    }

    /// The status, and nothing else to be said of it.
    #[track_caller]
    pub(crate) fn ends(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    /// Standard error names it.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Self {
        assert!(self.err.contains(words), "no {words:?} in {self:#?}");
        self
    }

    /// The codes of the findings in JSON, in their order.
    #[track_caller]
    pub(crate) fn codes(&self) -> Vec<String> {
        let found = self.json()["diagnostics"].clone();
        let code = |found: &Value| found["code"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(code).collect()
    }
}

/// A folder that is gone after the test, and the program run in it.
pub(crate) struct Folder {
    home: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let home = tempfile::Builder::new()
            .prefix("planner")
            .tempdir()
            .unwrap();
        Self { home }
    }

    /// A folder with these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Copies a directory with all below it.
    pub(crate) fn copy(&self, from: &Path, name: &str) {
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                self.copy(&path, &name);
            } else {
                drop(self.write(&name, fs::read(&path).unwrap()));
            }
        }
    }

    /// Copies directories of `fixtures`, under the names that they have there.
    pub(crate) fn copy_fixtures(&self, names: &[&str]) {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        for name in names {
            self.copy(&fixtures.join(name), name);
        }
    }

    /// Every file below, by name, hidden ones too.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut open = vec![self.path().to_path_buf()];
        let mut found = Vec::new();
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(self.path()).unwrap();
                    found.push(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    /// The program in this folder, without what the environment of the tests would add.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PLANNER);
        command.args(args).current_dir(self.path());
        for name in [
            "CI",
            "NO_COLOR",
            "CLICOLOR_FORCE",
            "COLUMNS",
            "LC_ALL",
            "LC_CTYPE",
            "LANG",
        ] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm").stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Answer {
        answer(&mut self.command(args))
    }

    /// Runs the program at the instant of the tests.
    pub(crate) fn at(&self, args: &[&str]) -> Answer {
        let mut all = args.to_vec();
        all.extend(["--now", NOW]);
        self.run(&all)
    }

    /// Runs the program with a text on standard input.
    pub(crate) fn piped(&self, args: &[&str], input: impl AsRef<[u8]>) -> Answer {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The program may end without reading all of it.
        let _ = stdin.write_all(input.as_ref());
        drop(stdin);
        told(child.wait_with_output().unwrap())
    }
}

/// Runs a command to its end.
pub(crate) fn answer(command: &mut Command) -> Answer {
    told(command.output().unwrap())
}

fn told(output: std::process::Output) -> Answer {
    Answer {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A Cluster that takes anything: name, year it was made in, cost, status.
pub(crate) fn cluster(name: &str, year: u32, cost: u32, phase: &str) -> String {
    format!(
        "---\napiVersion: planner/v1\nkind: Cluster\nmetadata:\n  name: {name}\n  \
         creationTimestamp: \"{year}-01-01T00:00:00Z\"\n  labels: {{cost: \"{cost}\"}}\nspec:\n  \
         projects: [retail]\n  nodes:\n  - {{name: n1, allocatable: {{cpu: \"8\", memory: 32Gi}}}}\n  \
         volumeProviders:\n  - {{name: disks, type: StandardSSD}}\nstatus: {{phase: {phase}}}\n"
    )
}

/// A Project and its Package, which wants the cheapest Cluster.
pub(crate) const PACKAGE: &str = "\
apiVersion: planner/v1
kind: Project
metadata: {name: retail}
---
apiVersion: planner/v1
kind: Package
metadata: {name: shop}
spec:
  project: retail
  rules:
  - {key: cost, operator: MinOf}
  storageRequests:
  - {name: data, type: StandardSSD, capacity: 20Gi}
";

/// An Application of the Package `shop`; with a volume if wanted.
pub(crate) fn application(name: &str, cpu: &str, volume: bool) -> String {
    let mounts = if volume {
        ", mounts: [{path: /data, storageRequest: data}]"
    } else {
        ""
    };
    format!(
        "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  \
         package: shop\n  containers:\n  \
         - {{name: main, image: \"example.com/{name}:1\", requests: {{cpu: \"{cpu}\"}}{mounts}}}\n"
    )
}

/// Two Clusters and a Package of two Applications: `db` with a volume, `web` without.
pub(crate) fn site() -> String {
    [
        PACKAGE.to_owned(),
        cluster("lyon", 2021, 7, "Up"),
        cluster("oslo", 2022, 5, "Up"),
        application("db", "1", true),
        application("web", "1", false),
    ]
    .concat()
}

/// The site in which `web` asks for more than any Node has.
pub(crate) fn too_large() -> String {
    [
        PACKAGE.to_owned(),
        cluster("lyon", 2021, 7, "Up"),
        application("web", "100", false),
    ]
    .concat()
}

/// A site with a fault: the operator does not exist.
pub(crate) const BROKEN: &str = "\
apiVersion: planner/v1
kind: Project
metadata: {name: retail}
---
apiVersion: planner/v1
kind: Package
metadata: {name: shop}
spec:
  project: retail
  rules:
  - {key: cost, operator: Cheapest}
";

/// A document that is not ours.
pub(crate) const FOREIGN: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";

/// A folder in `fixtures/corpus`.
pub(crate) fn corpus_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/corpus")
        .join(name)
}

/// The documents of a corpus, in the order of their names.
pub(crate) fn corpus_paths(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(corpus_folder(name)).expect("the corpus");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    paths.sort();
    paths
}

/// The cases of a corpus: the path and name of each document, with the result beside it.
pub(crate) fn corpus(name: &str) -> Vec<(PathBuf, String, Value)> {
    let case = |path: PathBuf| {
        let wanted = fs::read_to_string(path.with_extension("json")).expect("a result");
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let name = stem.expect("a name").to_owned();
        (path, name, serde_json::from_str(&wanted).expect("JSON"))
    };
    corpus_paths(name).into_iter().map(case).collect()
}
