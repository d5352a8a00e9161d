//! The tutorial does what it says: its files are written, its commands run, its outputs compared.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod support;

use std::fs;
use std::path::Path;

use support::Folder;

/// A page with what its commands say now: the lines after each `$ planner …` up to the next.
fn page_as_run(page: &str) -> String {
    let folder = Folder::of(&[]);
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let language = line.strip_prefix("```").unwrap_or_default();
        let block: Vec<&str> = match language {
            "yaml" | "console" => lines.by_ref().take_while(|line| *line != "```").collect(),
            _ => continue,
        };
        if language == "yaml" {
            let text = block.join("\n") + "\n";
            let name = block.first().and_then(|line| line.strip_prefix("# "));
            folder.write(name.expect("the name of the file"), &text);
            out.push_str(&text);
        } else {
            for command in block
                .iter()
                .filter_map(|line| line.strip_prefix("$ planner "))
            {
                let args: Vec<&str> = command.split(' ').collect();
                let answer = folder.at(&args);
                out.push_str(&format!(
                    "$ planner {command}\n{}{}",
                    answer.out, answer.err
                ));
            }
        }
        out.push_str("```\n");
    }
    out
}

#[test]
fn every_command_of_the_tutorial_says_what_the_page_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorial.md");
    let page = fs::read_to_string(&path).unwrap();
    let now = page_as_run(&page);
    if std::env::var_os("PLANNER_UPDATE").is_some() {
        fs::write(&path, &now).unwrap();
    }
    assert!(
        now == page || std::env::var_os("PLANNER_UPDATE").is_some(),
        "{now}"
    );
}
