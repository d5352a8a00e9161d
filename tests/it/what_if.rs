//! The pages `docs/what-if.md` and `docs/fleet.md` do what they say: in copies of the repository's
//! example sites their files are written, their commands run, their outputs compared.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Folder;

/// Runs git without anybody's settings, always by the same hand at the same time.
fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .current_dir(folder.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Someone")
            .env(format!("GIT_{who}_EMAIL"), "someone@example.com")
            .env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A commit is another one after each change of the example.
fn without_commits(text: &str) -> String {
    let words = text.split_inclusive(' ').map(|word| {
        let end = word.trim_end();
        let is_commit = end.len() == 40 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_commit {
            word.replace(end, &"0".repeat(40))
        } else {
            word.to_owned()
        }
    });
    words.collect()
}

/// What one line of a console says.
pub(crate) fn said(folder: &Folder, line: &str) -> String {
    let (line, tail) = match line.split_once(" | tail -n ") {
        Some((line, count)) => (line, count.parse().unwrap()),
        None => (line, usize::MAX),
    };
    let (line, head) = match line.split_once(" | head -n ") {
        Some((line, count)) => (line, count.parse().unwrap()),
        None => (line, usize::MAX),
    };
    let (line, errors) = match line.strip_suffix(" 2>/dev/null") {
        Some(line) => (line, 0),
        None => (line, usize::MAX),
    };
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["$", "planner", arguments @ ..] => {
            let answer = folder.at(arguments);
            let hidden = answer.out.lines().count().saturating_sub(tail);
            let lines = answer.out.lines().skip(hidden).take(head);
            let lines = lines.chain(answer.err.lines().take(errors));
            lines.map(|line| without_commits(line) + "\n").collect()
        }
        ["$", "git", arguments @ ..] => {
            git(folder, arguments);
            String::new()
        }
        _ => unreachable!("a command of planner or git: {line}"),
    }
}

/// The page with what its commands say now.
fn as_run(page: &str, folder: &Folder) -> String {
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let block = |lines: &mut std::str::Lines<'_>| -> Vec<String> {
            let block = lines.take_while(|line| *line != "```");
            block.map(str::to_owned).collect()
        };
        match line {
            "```yaml" => {
                let text = block(&mut lines).join("\n") + "\n";
                let name = text.lines().next().and_then(|line| line.strip_prefix("# "));
                folder.write(name.expect("the name of the file"), &text);
                out.push_str(&text);
            }
            "```console" => {
                for line in block(&mut lines)
                    .iter()
                    .filter(|line| line.starts_with("$ "))
                {
                    out.push_str(&format!("{line}\n{}", said(folder, line)));
                }
            }
            _ => continue,
        }
        out.push_str("```\n");
    }
    out
}

#[test]
fn every_command_of_the_page_says_what_the_page_says() {
    check("docs/what-if.md", "fixtures/site");
}

#[test]
fn every_command_of_the_page_about_a_fleet_says_what_the_page_says() {
    check("docs/fleet.md", "fixtures/ocm/fleet");
}

/// Runs a page in a copy of a site.
fn check(page: &str, site: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(page);
    let page = fs::read_to_string(&path).unwrap();
    let folder = Folder::new();
    folder.copy(&root.join(site), site);
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "clone"]);
    let now = as_run(&page, &folder);
    if std::env::var_os("PLANNER_UPDATE").is_some() {
        fs::write(&path, &now).unwrap();
        return;
    }
    assert!(now == page, "{now}");
}
