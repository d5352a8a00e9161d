//! The engine room of the servers: edits count like files, nothing outside is read, nothing is
//! written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use planner::document::System;
use planner::render::{diagnostics, json};
use planner::workspace::{Choices, Fault, Purpose, Snapshot, Workspace, compare};

use crate::support::random::Dice;
use crate::support::{self, Folder, NOW};

fn choices() -> Choices {
    Choices {
        config: None,
        site: None,
        now: NOW.parse().unwrap(),
        allow_commands: false,
        program: None,
        jobs: 2,
    }
}

/// Everything that can be said of a site, or why nothing can.
fn told(workspace: &mut Workspace, path: &Path) -> String {
    let job = match workspace.job(path, &choices()) {
        Ok(job) => job,
        Err(fault) => return fault.to_string(),
    };
    let mut text = String::new();
    for purpose in [Purpose::Validate, Purpose::Plan] {
        match job.run(purpose) {
            Err(fault) => text.push_str(&fault.to_string()),
            Ok(snapshot) => {
                let (found, sources) = (&snapshot.findings, snapshot.sources());
                let names = sources.files.iter().map(|file| file.name.as_str());
                text.push_str(&names.collect::<Vec<_>>().join("\n"));
                text.push_str(&diagnostics::concise(found, sources));
                let mut plan = Vec::new();
                let answer = json::PlanAnswer::new(snapshot.plan(), found, sources);
                answer.write_json(1, &mut plan).unwrap();
                text.push_str(&String::from_utf8(plan).unwrap());
            }
        }
    }
    text
}

fn planned(workspace: &mut Workspace, path: &Path) -> Arc<Snapshot> {
    let job = workspace.job(path, &choices()).unwrap();
    job.run(Purpose::Plan).unwrap()
}

/// Directories of documents of every kind, under every kind of repository.
fn sites() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let cases = fs::read_dir(fixtures.join("repositories")).unwrap();
    let cases = cases.map(|case| case.unwrap().path().join("files"));
    let mut sites: Vec<PathBuf> = cases.filter(|files| files.is_dir()).collect();
    sites.sort();
    sites.extend([fixtures.join("site"), fixtures.join("retail")]);
    sites
}

/// A site in a folder of its own, its links as they are.
fn copy_of(site: &Path) -> Folder {
    let folder = Folder::new();
    let mut copy = Command::new("cp");
    let copied = copy.arg("-R").arg(site).arg(folder.path().join("files"));
    assert!(copied.status().unwrap().success());
    folder
}

/// A change of one file: its new text, or that it is deleted.
type Edit = (String, Option<String>);

/// Changes as they come: texts of other files, deletions, new files in old and new directories.
fn edits(dice: &mut Dice, folder: &Folder, files: &[String]) -> Vec<Edit> {
    let count = 1 + dice.roll(3);
    let mut edits = Vec::new();
    for number in 0..count {
        let name = files[dice.roll(files.len() as u64) as usize].clone();
        let other = &files[dice.roll(files.len() as u64) as usize];
        let Ok(text) = fs::read_to_string(folder.path().join(other)) else {
            continue;
        };
        let home = name.rsplit_once('/').map_or("", |(home, _)| home);
        let home = if home.is_empty() {
            String::new()
        } else {
            format!("{home}/")
        };
        edits.push(match dice.roll(7) {
            0 | 1 => (name, None),
            2 => (name, Some(text)),
            3 => (format!("{home}new-{number}.yaml"), Some(text)),
            4 => (format!("{home}new/deep/{number}.yml"), Some(text)),
            5 => (
                format!("{home}new/kustomization.yaml"),
                Some("namePrefix: new-\nresources: [deep/0.yml, ../new-0.yaml]\n".to_owned()),
            ),
            _ => {
                let of_site = ["planner.toml", ".gitignore", "kustomization.yaml"];
                let name = dice.of(&of_site).to_owned();
                let text = match name.as_str() {
                    "planner.toml" => "exclude = [\"**/new-0.yaml\"]\n",
                    ".gitignore" => "new/\n",
                    _ => "resources: [new-0.yaml]\n",
                };
                (name, Some(text.to_owned()))
            }
        });
    }
    edits
}

#[test]
fn edits_count_like_files_that_are_written() {
    let mut dice = Dice(48);
    let mut changed = 0;
    for site in sites() {
        for _ in 0..3 {
            let folder = copy_of(&site);
            let home = folder.path().join("files");
            let files = folder.files();
            let mut workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
            let before = told(&mut workspace, &home);
            let made = below_site(edits(&mut dice, &folder, &files));
            for (name, text) in &made {
                let path = folder.path().join(name);
                match text {
                    Some(text) => workspace.set(&path, text.as_str()).unwrap(),
                    None => workspace.delete(&path).unwrap(),
                }
            }
            let edited = told(&mut workspace, &home);
            assert_eq!(folder.files(), files, "something was written");
            for (name, text) in &made {
                match text {
                    Some(text) => drop(folder.write(name, text)),
                    None => drop(fs::remove_file(folder.path().join(name))),
                }
            }
            let mut fresh = Workspace::new(std::slice::from_ref(&home)).unwrap();
            let written = told(&mut fresh, &home);
            assert_eq!(edited, written, "{}: {made:#?}", site.display());
            changed += usize::from(edited != before);
            for (name, _) in &made {
                workspace.reset(&folder.path().join(name));
            }
            assert_eq!(
                told(&mut workspace, &home),
                written,
                "the disk counts again"
            );
        }
    }
    assert!(changed > 30, "only {changed} edits changed anything");
}

/// Edits below the site.
fn below_site(mut made: Vec<Edit>) -> Vec<Edit> {
    for (name, _) in &mut made {
        if !name.starts_with("files/") {
            name.insert_str(0, "files/");
        }
    }
    made
}

#[test]
fn what_is_read_again_equals_a_run_from_nothing() {
    let mut dice = Dice(47);
    let mut changed = 0;
    for site in sites() {
        let folder = copy_of(&site);
        let home = folder.path().join("files");
        let files = folder.files();
        let workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
        let mut workspace = workspace.with_kept_models();
        let mut fresh = Workspace::new(std::slice::from_ref(&home)).unwrap();
        let mut before = told(&mut workspace, &home);
        for generation in 0..6 {
            for (name, text) in below_site(edits(&mut dice, &folder, &files)) {
                let path = folder.path().join(&name);
                // Some are written, some are not yet, and some that are not are given up.
                match (dice.roll(4), text) {
                    (0, Some(text)) => drop(folder.write(&name, text)),
                    (1, _) => {
                        workspace.reset(&path);
                        fresh.reset(&path);
                    }
                    (_, Some(text)) => {
                        // A comment moves everything behind it.
                        let text = format!("# {generation}\n{text}");
                        workspace.set(&path, text.as_str()).unwrap();
                        fresh.set(&path, text).unwrap();
                    }
                    (_, None) => {
                        workspace.delete(&path).unwrap();
                        fresh.delete(&path).unwrap();
                    }
                }
            }
            let again = told(&mut workspace, &home);
            let from_nothing = told(&mut fresh.with_nothing_read(), &home);
            assert_eq!(again, from_nothing, "{}, {generation}", site.display());
            changed += usize::from(again != before);
            before = again;
        }
    }
    assert!(changed > 60, "only {changed} edits changed anything");
}

/// A text with another digit, letter or word in one place.
fn altered(dice: &mut Dice, text: &str) -> String {
    let words: Vec<(usize, &str)> = text
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .scan(0, |at, word| {
            let from = *at;
            *at += word.len();
            Some((from, word.trim_end_matches(|c: char| !c.is_alphanumeric())))
        })
        .filter(|(_, word)| !word.is_empty())
        .collect();
    if words.is_empty() {
        return format!("{text}#");
    }
    let (at, word) = words[dice.roll(words.len() as u64) as usize];
    let (_, other) = words[dice.roll(words.len() as u64) as usize];
    let other = match dice.roll(4) {
        0 => other.to_owned(),
        1 => format!("{word}{word}"),
        2 => "7".to_owned(),
        _ => format!("{word}x"),
    };
    format!("{}{other}{}", &text[..at], &text[at + word.len()..])
}

#[test]
fn what_depends_on_no_change_is_kept_and_stays_true() {
    let mut dice = Dice(471);
    let (mut kept, mut changed) = (0, 0);
    for site in sites() {
        let folder = copy_of(&site);
        let home = folder.path().join("files");
        let files = folder.files();
        let workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
        let mut workspace = workspace.with_kept_models();
        let mut fresh = Workspace::new(std::slice::from_ref(&home)).unwrap();
        let mut before = told(&mut workspace, &home);
        for _ in 0..5 {
            let name = &files[dice.roll(files.len() as u64) as usize];
            let path = folder.path().join(name);
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let text = altered(&mut dice, &text);
            workspace.set(&path, text.as_str()).unwrap();
            fresh.set(&path, text).unwrap();
            let again = told(&mut workspace, &home);
            let from_nothing = told(&mut fresh.with_nothing_read(), &home);
            assert_eq!(again, from_nothing, "{}: {name}", site.display());
            changed += usize::from(again != before);
            before = again;
            let job = workspace.job(&home, &choices());
            let snapshot = job.and_then(|job| job.run(Purpose::Validate));
            kept += usize::from(snapshot.is_ok_and(|snapshot| !snapshot.kept().is_empty()));
            if dice.roll(2) == 0 {
                workspace.reset(&path);
                fresh.reset(&path);
            }
        }
    }
    assert!(changed > 40, "only {changed} edits changed anything");
    assert!(kept > 40, "only {kept} snapshots kept anything");
}

#[test]
fn models_are_kept_after_a_document_has_come() {
    let placement = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                     metadata: {name: p, namespace: d}\nspec: {numberOfClusters: 1}\n";
    let package =
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: p}\nspec: {project: a}\n";
    let folder = Folder::of(&[("a.yaml", placement), ("b.yaml", package)]);
    let home = folder.path();
    let workspace = Workspace::new(&[home.to_path_buf()]).unwrap();
    let mut workspace = workspace.with_kept_models();
    let mut kept = |text: &str| {
        workspace.set(&home.join("a.yaml"), text).unwrap();
        let job = workspace.job(home, &choices()).unwrap();
        job.run(Purpose::Validate).unwrap().kept()
    };
    assert_eq!(kept(placement), []);
    let two = format!(
        "{placement}---\n{}",
        placement.replace("name: p", "name: q")
    );
    let other = |text: &str| text.replace("Clusters: 1", "Clusters: 2");
    for text in [&other(placement), &two, &other(&two)] {
        let kept = kept(text);
        assert!(
            kept.contains(&System::Ogc) && !kept.contains(&System::Ocm),
            "{kept:?}"
        );
    }
}

#[test]
fn findings_are_those_of_the_command() {
    for site in sites() {
        let folder = copy_of(&site);
        let home = folder.path().join("files");
        let mut workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
        let job = workspace.job(&home, &choices()).unwrap();
        let mut command = folder.command(&["validate", "-o", "concise", "--now", NOW]);
        let answer = support::answer(command.current_dir(&home));
        match job.run(Purpose::Validate) {
            Ok(snapshot) => {
                let told = diagnostics::concise(&snapshot.findings, snapshot.sources());
                assert_eq!(told, answer.out, "{}", site.display());
            }
            Err(fault) => {
                assert_eq!(answer.status, 64, "{fault}: {answer:#?}");
            }
        }
    }
}

const SECRET: &str = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: secret}\n";

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_directories_is_read() {
    use std::os::unix::fs::symlink;
    let folder = Folder::of(&[
        ("secret.yaml", SECRET),
        (
            "planner.toml",
            "[rules]\n\"planner::io::link\" = \"secret\"\n",
        ),
        (".planner-baseline.json", "secret"),
        ("hub.yaml", SECRET),
        ("base/kustomization.yaml", "resources: [secret.yaml]\n"),
        ("base/secret.yaml", SECRET),
        ("site/a.yaml", &support::site()),
        (
            "site/overlay/kustomization.yaml",
            "resources: [../../base, ../../secret.yaml]\n",
        ),
    ]);
    let home = folder.path().join("site");
    symlink("../secret.yaml", home.join("link.yaml")).unwrap();
    symlink("../base", home.join("directory")).unwrap();
    symlink("..", home.join("planner-records")).unwrap();
    let mut workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
    for path in [home.clone(), home.join("overlay"), home.join("a.yaml")] {
        assert!(!told(&mut workspace, &path).contains("name: secret"));
        let job = workspace.job(&path, &choices()).unwrap();
        for purpose in [Purpose::Plan, Purpose::Validate] {
            let snapshot = job.run(purpose).unwrap();
            let texts = snapshot.sources().files.iter().map(|file| &file.text);
            assert!(!texts.into_iter().any(|text| text.contains("secret}")));
        }
    }
    // A link that is followed, whatever the repository's settings say.
    for (name, text) in [
        ("planner.toml", "follow-links = true\n"),
        ("planner.toml", "[paths]\nfollow-links = true\n"),
    ] {
        workspace.set(&home.join(name), text).unwrap();
        assert!(!told(&mut workspace, &home).contains("\"secret\""));
    }
    // The snapshot of a hub that lies outside.
    workspace
        .set(&home.join("planner.toml"), "hub = \"../hub.yaml\"\n")
        .unwrap();
    let fault = workspace.job(&home, &choices()).unwrap_err();
    assert!(matches!(fault, Fault::Outside(_)), "{fault}");
    // Paths that lead out.
    for path in [
        "../secret.yaml",
        "link.yaml",
        "directory",
        "x/../../secret.yaml",
        "/etc/passwd",
    ] {
        let path = home.join(path);
        let fault = workspace.job(&path, &choices()).unwrap_err();
        assert!(matches!(fault, Fault::Outside(_)), "{fault}");
        assert!(workspace.set(&path, "").is_err(), "{path:?}");
    }
}

#[test]
fn a_revision_is_compared_with_what_is_not_yet_written() {
    let folder = Folder::of(&[("site/site.yaml", &support::site()), ("other.yaml", SECRET)]);
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A", "-f"],
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.com",
            "commit",
            "-q",
            "-m",
            "x",
        ],
    ] {
        let status = Command::new("git")
            .args(args)
            .current_dir(folder.path())
            .status();
        assert!(status.unwrap().success());
    }
    let home = folder.path().join("site");
    let mut workspace = Workspace::new(std::slice::from_ref(&home)).unwrap();
    let job = workspace.job(&home, &choices()).unwrap();
    let head = job.at_revision("HEAD").unwrap();
    let before = head.run(Purpose::Plan).unwrap();
    let nothing = compare(&before, &planned(&mut workspace, &home));
    assert!(nothing.diff.unwrap().moves.is_empty());
    // The cheapest cluster goes.
    let text = support::site().replace("cost: \"5\"", "cost: \"50\"");
    workspace.set(&home.join("site.yaml"), text).unwrap();
    let moved = compare(&before, &planned(&mut workspace, &home));
    assert_eq!(moved.diff.unwrap().moves.len(), 2);
    for name in ["no-such", "-x", "--help", "HEAD:x", "a\nb", ""] {
        let fault = job.at_revision(name).unwrap_err();
        assert!(matches!(fault, Fault::Revision(..)), "{name}: {fault}");
    }
}
