//! The shape of help: commands in groups, examples first, the options that people use.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::render::text::wrap;

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Look", &["plan", "validate", "graph", "render"]),
    (
        "Ask",
        &["why", "risk", "simulate", "drift", "explain", "schema"],
    ),
    ("Decide", &["proceed", "show", "diff", "test"]),
    ("Hand over", &["report", "export", "migrate"]),
    ("Set up", &["init", "lsp", "mcp", "completions", "man"]),
];

/// The options of a command that `-h` lists, where it has more than these.
const USED: [(&str, &[&str]); 8] = [
    ("plan", &["words", "against", "out", "fail_on", "yes"]),
    ("validate", &["words", "fail_on", "baseline", "fix", "diff"]),
    (
        "simulate",
        &["words", "fail", "fail_rack", "faults", "weakest"],
    ),
    ("why", &["words", "paths", "changes", "diff", "without"]),
    ("risk", &["words", "pairs", "limit", "remedies", "fail_on"]),
    ("report", &["output", "against", "plan", "risk", "title"]),
    ("migrate", &["words", "write", "allow", "by_taints"]),
    ("export", &["to", "name", "force"]),
];

/// Examples of each command that reads something.
const EXAMPLES: [(&str, &[(&str, &str)]); 17] = [
    (
        "plan",
        &[
            ("planner plan", "plan the site here, then ask"),
            (
                "planner plan site --against main",
                "what this branch moves, and why",
            ),
            (
                "planner plan site --out site.plan",
                "save it for `planner proceed`",
            ),
        ],
    ),
    (
        "validate",
        &[
            ("planner validate", "every fault of the site here"),
            ("planner validate site --fix", "apply the safe fixes"),
            ("planner validate -o sarif=found.sarif", "for a code host"),
        ],
    ),
    (
        "graph",
        &[
            ("planner graph site", "the order of the deployment groups"),
            ("planner graph site -o mermaid", "for a page in Markdown"),
        ],
    ),
    (
        "render",
        &[
            (
                "planner render --list",
                "the kustomizations that are deployed",
            ),
            ("planner render overlays/prod", "what one of them makes"),
        ],
    ),
    (
        "why",
        &[
            ("planner why", "the names that can be explained"),
            ("planner why shop/web", "why it is where it is"),
            (
                "planner why shop/web oslo",
                "why not on oslo, and what would change that",
            ),
        ],
    ),
    (
        "risk",
        &[
            (
                "planner risk site",
                "the impact of each single loss, the worst first",
            ),
            (
                "planner risk site --remedies",
                "and the edits that would help",
            ),
        ],
    ),
    (
        "simulate",
        &[
            (
                "planner simulate site --fail node-1",
                "the run if node-1 fails",
            ),
            (
                "planner simulate site --weakest",
                "the fewest failures that stop it",
            ),
        ],
    ),
    (
        "drift",
        &[(
            "planner drift site --hub hub.yaml",
            "what differs on the hub, and why",
        )],
    ),
    (
        "explain",
        &[("planner explain ocm::unbound_set", "the page of a code")],
    ),
    (
        "proceed",
        &[(
            "planner proceed site.plan",
            "approve a plan saved with `plan --out`",
        )],
    ),
    (
        "show",
        &[
            ("planner show site.plan", "a saved plan"),
            ("planner show site.plan site", "and whether it still holds"),
        ],
    ),
    (
        "diff",
        &[
            (
                "planner diff old.plan new.plan",
                "what moves between two saved plans",
            ),
            ("planner diff old.plan site", "and up to the site as it is"),
        ],
    ),
    (
        "test",
        &[(
            "planner test site",
            "the expectations in PlanTest documents",
        )],
    ),
    (
        "report",
        &[
            ("planner report site -o plan.html", "one page to look at"),
            (
                "planner report --against main -o plan.html",
                "with what moves",
            ),
        ],
    ),
    (
        "export",
        &[(
            "planner export ansible site --to run",
            "playbooks of the strategy",
        )],
    ),
    (
        "migrate",
        &[
            ("planner migrate site", "the difference, with proof"),
            ("planner migrate site --write", "and write it"),
        ],
    ),
    (
        "init",
        &[
            ("planner init", "set up the repository here"),
            ("planner init --diff", "see what that would write"),
        ],
    ),
];

/// The columns before what a command is about, and the start of its further lines.
const NAME: usize = 15;
const BELOW: &str = "\n               ";

/// The columns of help, as `clap` takes them.
fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal
        .or_else(columns)
        .unwrap_or(100)
        .clamp(2 * NAME, 100)
}

/// The text of `planner --help`: the commands in groups, and where to start.
pub(super) fn overview(command: Command) -> Command {
    let about = |name: &str| {
        let of = command.find_subcommand(name);
        let about = of.and_then(Command::get_about).map(ToString::to_string);
        let about = about.unwrap_or_default();
        // The details are on its own help.
        about
            .split(": ")
            .next()
            .map(str::to_owned)
            .unwrap_or_default()
    };
    let width = width();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(groups, "{title}:");
        for name in names {
            let about = wrap(&about(name), Some(width - NAME), 0).join(BELOW);
            let _ = writeln!(groups, "  {name:<11}  {about}");
        }
        groups.push('\n');
    }
    let end = "`planner COMMAND -h` has the options of a command, `--help` all of them with \
               examples; `planner -V` prints the version.";
    let end = wrap(end, Some(width), 0).join("\n");
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\nExample: planner plan site\n\n\
         {groups}{end}\n"
    );
    command.help_template(template)
}

/// Examples in front of `--help`, and of the options only those that people use in `-h`.
pub(super) fn shaped(command: Command, is_common: impl Fn(&Arg) -> bool) -> Command {
    let name = command.get_name().to_owned();
    let used = USED.iter().find(|(command, _)| *command == name);
    let mut hidden = 0;
    let command = command.mut_args(|flag| {
        let id = flag.get_id().as_str();
        let is_rare = !flag.is_positional() && used.is_some_and(|(_, ids)| !ids.contains(&id));
        let hides = is_common(&flag) || is_rare;
        hidden += usize::from(hides && !flag.is_hide_set());
        let is_hidden = flag.is_hide_short_help_set();
        flag.hide_short_help(is_hidden || hides)
    });
    let command = match examples(&name) {
        Some(examples) => command.before_long_help(examples),
        None => command,
    };
    match hidden {
        0 => command,
        more => {
            let more = crate::kit::plural::plural(more, "more option");
            command.after_help(format!("{more}, and examples: planner {name} --help"))
        }
    }
}

fn examples(name: &str) -> Option<String> {
    let (_, lines) = EXAMPLES.iter().find(|(command, _)| *command == name)?;
    let width = lines.iter().map(|(line, _)| line.len()).max()?;
    let mut text = String::from("Examples:");
    for (line, what) in *lines {
        let _ = write!(text, "\n  {line:width$}  {what}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        let command = super::super::command();
        let mut names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        names.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn every_example_is_a_command_line() {
        for (command, lines) in EXAMPLES {
            for (line, _) in lines {
                let words = line.split(' ');
                assert_eq!(words.clone().nth(1), Some(command), "{line}");
                let read = super::super::command().try_get_matches_from(words);
                assert!(read.is_ok(), "{line}: {:?}", read.err());
            }
        }
    }

    #[test]
    fn the_options_that_people_use_are_options() {
        for (name, ids) in USED {
            let mut command = super::super::command();
            command.build();
            let command = command.find_subcommand(name).expect(name);
            let known = |id: &&&str| command.get_arguments().any(|arg| arg.get_id() == **id);
            assert_eq!(ids.iter().find(|id| !known(id)), None, "{name}");
        }
    }
}
