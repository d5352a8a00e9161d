//! The tutorial, the README and the page of the systems do what they say: their files are written,
//! their commands run, their outputs compared.

use std::fs;
use std::path::Path;

use crate::support::picture;
use crate::support::screen::{asked, shown};
use crate::support::{Folder, NOW};
use planner::load::Request;
use planner::options::{CheckOptions, Options};
use planner::render::text::Screen;

/// A page with what its commands say now. A block of YAML whose first line is the name of a file
/// is written; in a block of commands the lines after each `$ planner …` are what it says, and a
/// block of text that begins with `$ planner plan FILE` is that plan at a terminal of 80 columns.
fn page_as_run(page: &str, runs_commands: bool) -> String {
    let folder = Folder::of(&[]);
    let mut out = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let language = line.strip_prefix("```").unwrap_or_default();
        if language.is_empty() {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.join("\n") + "\n";
        let first = block.first().copied().unwrap_or_default();
        let planned = first.strip_prefix("$ planner plan ");
        match (language, first.strip_prefix("# "), planned) {
            ("yaml", Some(name), _) => {
                folder.write(name, &text);
                out.push_str(&text);
            }
            ("text", _, Some(file)) => {
                out.push_str(&format!("{first}\n{}", plan_of(&folder, file)));
            }
            ("console", ..) if runs_commands => run(&folder, &block, &mut out),
            _ => out.push_str(&text),
        }
        out.push_str("```\n");
    }
    out
}

/// The plan of a file of the folder as a terminal shows it.
fn plan_of(folder: &Folder, file: &str) -> String {
    let mut request = Request::of(vec![folder.path().join(file)]);
    request.directory = folder.path().to_path_buf();
    let settings = CheckOptions::at(NOW.parse().unwrap());
    shown(
        &request,
        &settings,
        &Options::default(),
        &Screen::columns(80),
    )
}

/// The commands of a block with what they say.
fn run(folder: &Folder, block: &[&str], out: &mut String) {
    let commands = block
        .iter()
        .filter_map(|line| line.strip_prefix("$ planner "));
    for command in commands {
        let args: Vec<&str> = command.split(' ').collect();
        let answer = folder.at(&args);
        let (said, remarked) = (answer.out, answer.err);
        out.push_str(&format!("$ planner {command}\n{said}{remarked}"));
    }
}

#[track_caller]
fn says_what_its_commands_say(page: &str, runs_commands: bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let page = fs::read_to_string(&path).unwrap();
    let now = page_as_run(&page, runs_commands);
    if std::env::var_os("PLANNER_UPDATE").is_some() {
        fs::write(&path, &now).unwrap();
    } else {
        assert!(now == page, "{now}");
    }
}

#[test]
fn every_command_of_the_tutorial_says_what_the_page_says() {
    says_what_its_commands_say("docs/tutorial.md", true);
}

#[test]
fn every_site_of_the_readme_and_of_each_system_gives_the_plan_that_it_shows() {
    // Their commands are those of sites that they do not hold.
    for page in ["README.md", "docs/systems.md"] {
        says_what_its_commands_say(page, false);
    }
}

#[test]
fn the_pictures_of_the_readme_are_what_the_program_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut request = Request::of(vec![root.join("fixtures/retail")]);
    request.directory = root.to_path_buf();
    let settings = CheckOptions::at(NOW.parse().unwrap());
    let screen = Screen {
        color: true,
        ..Screen::columns(80)
    };
    let record = "fixtures/retail/planner-records/0001-site.yaml";
    let plan = asked(&request, &settings, record, &screen);
    // The Package in which most happens, and what stands above the question.
    let from = plan.find("\u{1b}[1mPlan for Package shop").unwrap();
    let screen = format!(
        "$ planner plan fixtures/retail\n\n{}\nProceed and save this plan? Type \"proceed\", or \
         \"cancel\": ",
        &plan[from..]
    );
    for look in picture::LOOKS {
        let now = picture::of(&screen, 80, &look);
        let path = root.join(format!("docs/plan-{}.svg", look.name));
        if std::env::var_os("PLANNER_UPDATE").is_some() {
            fs::write(&path, &now).unwrap();
        } else {
            let kept = fs::read_to_string(&path).unwrap();
            assert!(kept == now, "{} is out of date", path.display());
        }
    }
}
