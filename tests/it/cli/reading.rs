//! What is read and what cannot be: special files, closed directories, ignore files.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::support::{BROKEN, Folder, cluster, site};

/// Where the findings are and what they say.
fn found(folder: &Folder, args: &[&str]) -> Vec<(String, String)> {
    let answer = folder.at(&[args, &["-o", "json"]].concat());
    let all = answer.json()["diagnostics"].clone();
    let one = |found: &serde_json::Value| {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        (text(&found["primary"]["path"]), text(&found["message"]))
    };
    all.as_array().unwrap().iter().map(one).collect()
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Permissions bind everybody but the superuser.
fn permissions_bind(folder: &Folder) -> bool {
    let probe = folder.write("probe", "");
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o000)).unwrap();
    let binds = fs::read(&probe).is_err();
    fs::remove_file(&probe).unwrap();
    binds
}

#[test]
fn a_directory_that_cannot_be_searched_is_no_empty_one() {
    let folder = Folder::of(&[
        ("s/a.yaml", &site()),
        ("s/shut/b.yaml", &cluster("rome", 2020, 1, "Up")),
        ("s/shut/deep/c.yaml", &cluster("bari", 2020, 1, "Up")),
    ]);
    if !permissions_bind(&folder) {
        return;
    }
    let shut = folder.path().join("s/shut");
    for (mode, names) in [
        (
            0o444,
            &["s/shut/.gitignore", "s/shut/b.yaml", "s/shut/deep"][..],
        ),
        (0o000, &["s/shut"]),
    ] {
        fs::set_permissions(&shut, fs::Permissions::from_mode(mode)).unwrap();
        let said = found(&folder, &["validate", "s"]);
        let yes = folder.at(&["plan", "--yes", "s"]);
        let out = folder.write("planner.toml", "exclude = [\"s/shut/\"]\n");
        let excluded = folder.at(&["plan", "s"]);
        fs::remove_file(out).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o755)).unwrap();
        let paths: Vec<&str> = said.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, names, "{said:?}");
        assert!(said[0].1.contains("permission denied"), "{said:?}");
        yes.ends(1);
        excluded.ends(0);
        assert!(!folder.has("s/planner-records"));
    }
}

#[test]
fn special_files_are_named_at_once() {
    for name in ["s/b.yaml", "s/.gitignore", "s/deep/.gitignore"] {
        let folder = Folder::of(&[("s/a.yaml", &site()), ("s/deep/c.yaml", "")]);
        let path = folder.path().join(name);
        pipe(&path);
        let said = found(&folder, &["validate", "s"]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(said[0].0, name);
        assert!(said[0].1.contains("named pipe"), "{said:?}");
        folder.at(&["plan", "--yes", "s"]).ends(1);
        assert!(!folder.has("s/planner-records"));
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        let said = found(&folder, &["validate", "s"]);
        assert!(said[0].1.contains("device"), "{said:?}");
        fs::remove_file(&path).unwrap();
        let _socket = UnixListener::bind(&path).unwrap();
        let said = found(&folder, &["validate", "s"]);
        assert!(said[0].1.contains("socket"), "{said:?}");
    }
    let folder = Folder::of(&[("a.yaml", &site())]);
    pipe(&folder.path().join("pipe"));
    let said = found(&folder, &["validate", "pipe"]);
    assert!(said[0].1.contains("named pipe"), "{said:?}");
}

#[test]
fn special_files_of_the_program_itself_are_named_at_once() {
    for (name, status) in [
        ("planner.toml", 78),
        ("planner-baseline.json", 78),
        (".git/info/exclude", 1),
    ] {
        let folder = Folder::of(&[("a.yaml", &site()), (".git/info/x", "")]);
        let path = folder.path().join(name);
        pipe(&path);
        let answer = folder.at(&["validate", "."]);
        let said = [answer.err.as_str(), &answer.out].concat();
        assert!(said.contains("named pipe"), "{answer:?}");
        assert!(said.contains(name), "{answer:?}");
        answer.ends(status);
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        let answer = folder.at(&["validate", "."]);
        let said = [answer.err.as_str(), &answer.out].concat();
        assert!(said.contains("it is a device"), "{answer:?}");
        answer.ends(status);
    }
    let large = format!("# {}\n", "x".repeat(2000));
    let folder = Folder::of(&[
        ("a.yaml", "a: 1\n"),
        (".gitignore", &large),
        ("planner.toml", "[limits]\nfile-bytes = 1000\n"),
    ]);
    let said = found(&folder, &["validate", "."]);
    assert!(said[0].1.contains("larger than the limit"), "{said:?}");
}

#[test]
fn a_stream_that_the_caller_opened_is_read() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let shell = format!("{} plan <(cat a.yaml)", crate::support::PLANNER);
    let mut command = Command::new("bash");
    let command = command.args(["-c", &shell]).current_dir(folder.path());
    crate::support::answer(command).ends(0);
}

#[test]
fn ignore_files_count_within_their_repository() {
    // Above a repository nothing counts.
    let folder = Folder::of(&[
        (".gitignore", "*.yaml\n"),
        ("repo/.git/HEAD", ""),
        ("repo/.git/info/exclude", "private.yaml\n"),
        ("repo/.gitignore", "out/\n"),
        ("repo/s/a.yaml", &site()),
        ("repo/s/private.yaml", BROKEN),
        ("repo/s/out/b.yaml", BROKEN),
    ]);
    folder.at(&["plan", "repo/s"]).ends(0);
    folder.at(&["plan", "repo"]).ends(0);
    // Without a repository those from the PATH on.
    let folder = Folder::of(&[
        (".gitignore", "*.yaml\n"),
        ("s/.gitignore", "out/\n"),
        ("s/a.yaml", &site()),
        ("s/out/b.yaml", BROKEN),
    ]);
    folder.at(&["plan", "s"]).ends(0);
    // A repository inside another one has its own.
    let folder = Folder::of(&[
        (".git/HEAD", ""),
        (".gitignore", "*.yaml\n"),
        ("inner/.git", "gitdir: ../.git/modules/inner\n"),
        (".git/modules/inner/info/exclude", "b.yaml\n"),
        ("inner/a.yaml", &site()),
        ("inner/b.yaml", BROKEN),
    ]);
    folder.at(&["plan", "."]).ends(0);
    folder.at(&["plan", "inner"]).ends(0);
}

#[test]
fn an_ignored_file_that_git_tracks_is_read() {
    let policy = |name: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: \
             {name}, namespace: gov}}\nspec: {{disabled: false, remediationAction: inform, \
             policy-templates: []}}\n"
        )
    };
    let binding = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
                   metadata: {name: b, namespace: gov}\nplacementRef: {apiGroup: \
                   cluster.open-cluster-management.io, kind: Placement, name: all}\nsubjects:\n- \
                   {apiGroup: policy.open-cluster-management.io, kind: Policy, name: made}\n---\n\
                   apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                   metadata: {name: all, namespace: gov}\nspec: {}\n";
    let folder = Folder::of(&[
        (".gitignore", "made/\n.hidden/\n"),
        ("s/binding.yaml", binding),
        ("s/policy.yaml", &policy("own")),
        ("s/made/deep/policy.yaml", &policy("made")),
        ("s/made/note.txt", ""),
        ("s/.hidden/broken.yaml", BROKEN),
    ]);
    let run = |words: &[&str]| {
        let mut git = Command::new("git");
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let git = git.arg("-C").arg(folder.path()).args(identity).args(words);
        let answer = git.output().unwrap();
        assert!(answer.status.success(), "{answer:?}");
    };
    run(&["init", "-q"]);
    run(&["add", "."]);
    let unknown = |folder: &Folder| {
        let codes = folder.at(&["validate", "s", "-o", "json"]).codes();
        codes.contains(&"planner::ocm::unknown_policy".to_owned())
    };
    assert!(unknown(&folder));
    for version in ["2", "4"] {
        run(&["update-index", "--index-version", version]);
        run(&["add", "-f", "."]);
        assert!(!unknown(&folder), "{version}");
    }
    // A revision holds what is tracked.
    run(&["commit", "-qm", "all"]);
    let words = ["plan", "s", "--against", "HEAD", "-o", "json", "--no-input"];
    let diff = folder.at(&words).json();
    assert_eq!(diff["moves"], serde_json::json!([]), "{diff:#}");
    let new = &diff["findings"]["new"];
    assert_eq!(new, &serde_json::json!([]), "{diff:#}");
}
