//! Every common flag on every command that reads a site: what it changes, or why it changes nothing.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use clap::Args as _;
use planner::cli::args::CommonArgs;

use self::Shows::{Hides, Nothing, Prints, Says, Status, Writes};
use crate::support::{Answer, Folder, NOW};

/// What is seen of a flag. Words must be there with the flag, and not without it (or the reverse).
#[derive(Debug, Clone, Copy)]
enum Shows {
    /// The exit status without and with it.
    Status(i32, i32),
    /// Words on standard output.
    Prints(&'static str),
    /// Words on standard error.
    Says(&'static str),
    /// Words that go from standard error.
    Hides(&'static str),
    /// A file.
    Writes(&'static str),
    /// Nothing at all, and why.
    Nothing(&'static str),
}

struct Row {
    flag: &'static [&'static str],
    /// Given with and without the flag.
    also: &'static [&'static str],
    /// Another document of the site.
    document: Option<(&'static str, &'static str)>,
    /// What `why` is asked about.
    subject: &'static str,
    /// The site is piped in where a command reads standard input.
    piped: bool,
    on: &'static [(&'static [&'static str], Shows)],
}

const ROW: Row = Row {
    flag: &[],
    also: &[],
    document: None,
    subject: "shop/web",
    piped: false,
    on: &[],
};

/// `against` is `plan --against`, `without` is `plan --without`, `out` is `plan --out`.
const COMMANDS: &[&str] = &[
    "plan", "against", "without", "out", "validate", "simulate", "why", "graph", "test", "risk",
    "report", "show", "proceed", "diff",
];

/// Commands that plan what was not saved.
const FRESH: &[&str] = &[
    "plan", "against", "without", "out", "validate", "simulate", "why", "graph", "test", "risk",
    "report",
];

/// Commands over a saved plan: it names the options it was made with.
const SAVED: &[&str] = &["show", "proceed", "diff"];

const OTHER_OPTIONS: Shows = Says("was saved without");

const SITE: &[(&str, &str)] = &[
    ("shop.yaml", include_str!("flags/shop.yaml")),
    ("machines.yaml", include_str!("flags/machines.yaml")),
    ("foreign.yaml", include_str!("flags/foreign.yaml")),
    ("tests.yaml", include_str!("flags/tests.yaml")),
];

const REFUSED: (&str, &str) = ("refused.yaml", include_str!("flags/refused.yaml"));

const ROWS: &[Row] = &[
    Row {
        flag: &["--color", "always"],
        on: &[
            (
                &[
                    "plan", "against", "without", "out", "validate", "simulate", "why", "test",
                    "risk", "show",
                ],
                Prints("\u{1b}["),
            ),
            (&["proceed", "diff"], Prints("\u{1b}[")),
            (&["graph"], Says("\u{1b}[")),
            (&["report"], Nothing("a page has colours of its own")),
        ],
        ..ROW
    },
    Row {
        flag: &["--no-pager"],
        on: &[(COMMANDS, Nothing("nothing in a pipe goes through a pager"))],
        ..ROW
    },
    Row {
        flag: &["--quiet"],
        also: &["--compat", "upstream"],
        on: &[(FRESH, Hides("changes nothing here"))],
        ..ROW
    },
    Row {
        flag: &["--quiet"],
        on: &[
            (&["show"], Hides("It is up to date")),
            (&["proceed"], Hides("Checking saved.json")),
            (&["diff"], Nothing("it prints results only anyway")),
        ],
        ..ROW
    },
    Row {
        flag: &["--verbose"],
        on: &[(COMMANDS, Says("read site/shop.yaml"))],
        ..ROW
    },
    Row {
        flag: &["--now", "2027-02-02T00:00:00Z"],
        also: &["--output", "json"],
        on: &[(
            &[
                "plan", "against", "without", "out", "simulate", "why", "test", "risk", "proceed",
                "diff",
            ],
            Prints("2027-02-02"),
        )],
        ..ROW
    },
    Row {
        flag: &["--now", "2027-02-02T00:00:00Z"],
        on: &[(&["report"], Prints("2027-02-02"))],
        ..ROW
    },
    Row {
        flag: &["--now", "soon"],
        on: &[(COMMANDS, Status(0, 64))],
        ..ROW
    },
    Row {
        flag: &["--strict"],
        on: &[
            (
                &[
                    "plan", "out", "simulate", "why", "graph", "test", "risk", "report",
                ],
                Says("site::not_ours"),
            ),
            (&["against"], Prints("site::not_ours")),
            (SAVED, Says("site::not_ours")),
            (&["validate", "test"], Status(0, 1)),
        ],
        ..ROW
    },
    Row {
        flag: &["--strict"],
        also: &["--output", "json"],
        on: &[(&["without"], Prints("site::not_ours"))],
        ..ROW
    },
    Row {
        flag: &["--compat", "upstream"],
        on: &[
            (FRESH, Says("changes nothing here")),
            (SAVED, OTHER_OPTIONS),
        ],
        ..ROW
    },
    Row {
        flag: &["--compat", "upstream"],
        subject: "second",
        on: &[
            (&["plan", "out"], Prints("second  -    1 ")),
            (&["graph"], Prints("second (1 node)")),
        ],
        ..ROW
    },
    Row {
        flag: &["--config", "other.toml"],
        on: &[
            (
                &[
                    "plan", "out", "validate", "simulate", "why", "graph", "test", "risk", "report",
                ],
                Status(0, 66),
            ),
            (&["against"], Prints("0 unchanged")),
            (&["without"], Says("there is no node/m1")),
            (SAVED, OTHER_OPTIONS),
        ],
        ..ROW
    },
    // How many threads work changes no answer.
    Row {
        flag: &["--jobs", "0"],
        on: &[(COMMANDS, Status(0, 64))],
        ..ROW
    },
    Row {
        flag: &["--records", "kept"],
        on: &[(FRESH, Status(0, 1)), (SAVED, OTHER_OPTIONS)],
        ..ROW
    },
    Row {
        flag: &["--hub", "missing.yaml"],
        on: &[
            (
                &[
                    "plan", "against", "without", "validate", "simulate", "why", "graph", "test",
                    "risk", "report", "out",
                ],
                Says("hub snapshot missing.yaml: cannot be read"),
            ),
            (SAVED, OTHER_OPTIONS),
        ],
        ..ROW
    },
    Row {
        flag: &["--no-prune"],
        on: &[
            (FRESH, Says("--no-prune needs --hub")),
            (SAVED, OTHER_OPTIONS),
        ],
        ..ROW
    },
    Row {
        flag: &["--site", "north"],
        on: &[
            (FRESH, Says("has no site \"north\"")),
            (SAVED, OTHER_OPTIONS),
        ],
        ..ROW
    },
    Row {
        flag: &["--rendered"],
        document: Some(("layers.yaml", include_str!("flags/layers.yaml"))),
        on: &[(FRESH, Status(1, 0)), (SAVED, OTHER_OPTIONS)],
        ..ROW
    },
    Row {
        flag: &["--keep-going"],
        document: Some(REFUSED),
        on: &[
            (&["plan", "risk"], Prints("lyon")),
            (&["without"], Prints("Plan without node/m1")),
            (&["report"], Prints("id=\"applications\"")),
            (&["against"], Prints("Plan against old")),
            (&["simulate"], Prints("SUCCESS")),
            (&["why"], Prints("lyon")),
            (&["test"], Status(1, 0)),
            (&["out", "proceed", "diff"], Status(1, 64)),
            (&["show"], Status(0, 64)),
            (
                &["graph"],
                Nothing("a sound strategy is drawn whatever else is refused"),
            ),
        ],
        ..ROW
    },
    Row {
        flag: &["--keep-going"],
        also: &["--same-node"],
        document: Some(REFUSED),
        on: &[(&["validate"], Prints("ogc::unplaceable"))],
        ..ROW
    },
    Row {
        flag: &["--same-node"],
        on: &[
            (
                &["plan", "against", "without", "out", "why", "report"],
                Status(0, 3),
            ),
            (
                &["risk"],
                Prints("No loss (of 5) fails the deployment or leaves work"),
            ),
            (&["validate"], Prints("ogc::unplaceable")),
            (&["test"], Prints("it is on no cluster")),
            (SAVED, OTHER_OPTIONS),
            (
                &["simulate", "graph"],
                Nothing("neither places an Application"),
            ),
        ],
        ..ROW
    },
    Row {
        flag: &["--order", "stack"],
        subject: "second",
        on: &[
            (&["plan", "out"], Prints("second  -    3          1")),
            (&["simulate"], Prints("3 of 3 succeeded")),
            (
                &["report"],
                Prints("<td class=\"n\">1</td><th scope=\"row\">second</th>"),
            ),
            (&["why"], Prints("group 1 of 3 in the order")),
            (&["graph"], Prints("second (3 nodes)\"];\n  g0")),
            (&["test"], Status(0, 1)),
            (SAVED, OTHER_OPTIONS),
            (
                &["against"],
                Nothing("both states are planned in that order"),
            ),
            (
                &["without", "risk"],
                Nothing("both plans are made in that order"),
            ),
            (&["validate"], Nothing("no finding speaks of the order")),
        ],
        ..ROW
    },
    Row {
        flag: &["--allow-commands"],
        document: Some(("advised.yaml", include_str!("flags/advised.yaml"))),
        subject: "hybrid:default/app",
        on: &[
            (
                &["plan", "out", "why", "risk"],
                Says("hybrid::command_answer"),
            ),
            (&["against", "report"], Prints("hybrid::command_answer")),
            (SAVED, OTHER_OPTIONS),
            (&["test", "why", "without"], Writes("site/ran")),
            (&["validate"], Nothing("it never runs a program")),
            (
                &["simulate", "graph"],
                Nothing("neither plans a PlacementRule"),
            ),
        ],
        ..ROW
    },
    Row {
        flag: &["--stdin-filename", "piped.yaml"],
        piped: true,
        on: &[
            (
                &["plan", "simulate", "why", "graph", "risk", "report"],
                Says("piped.yaml:"),
            ),
            (&["validate"], Prints("piped.yaml:")),
            (&["test"], Says("piped.yaml:")),
            (
                &["against", "out", "show", "proceed", "diff"],
                Nothing("they read no standard input"),
            ),
            (
                &["without"],
                Nothing("what is wrong with the whole site is not said again"),
            ),
        ],
        ..ROW
    },
    // Not a common flag, but one of every command but `graph`, whose formats are those of graphs.
    Row {
        flag: &["--output", "json"],
        on: &[
            (
                &[
                    "plan", "against", "without", "out", "validate", "simulate", "why", "test",
                    "risk", "show", "proceed", "diff",
                ],
                Prints("\"apiVersion\": \"planner/v1\""),
            ),
            (&["graph"], Prints("\"groups\"")),
            (&["report"], Status(0, 64)),
        ],
        ..ROW
    },
    Row {
        flag: &["--output", "jsn"],
        on: &[(COMMANDS, Status(0, 64))],
        ..ROW
    },
];

/// The plan of the site as it is, saved without any flag.
static SAVED_PLAN: OnceLock<String> = OnceLock::new();

fn saved_plan() -> String {
    let folder = Folder::new();
    for (name, text) in SITE {
        folder.write(&format!("site/{name}"), text);
    }
    folder.at(&["plan", "site", "--out", "saved.json"]).ends(0);
    folder.read("saved.json")
}

fn folder(row: &Row) -> Folder {
    let folder = Folder::new();
    for (name, text) in SITE {
        folder.write(&format!("site/{name}"), text);
        folder.write(&format!("old/{name}"), text);
    }
    folder.write(
        "other.toml",
        "exclude = [\"**/shop.yaml\", \"**/machines.yaml\", \"**/tests.yaml\"]\n",
    );
    folder.write("kept/0001-site.yaml", REFUSED.1);
    folder.write("saved.json", SAVED_PLAN.get_or_init(saved_plan));
    if let Some((name, text)) = row.document {
        folder.write(&format!("site/{name}"), text);
    }
    folder
}

fn run(row: &Row, command: &str, with: bool) -> (Answer, Vec<String>) {
    let folder = folder(row);
    let site = match row.on.iter().find(|(on, _)| on.contains(&command)) {
        Some((_, Nothing(_))) | None => "site",
        _ if row.piped => "-",
        _ => "site",
    };
    let mut args = match command {
        "against" => vec!["plan", site, "--against", "old"],
        "out" => vec!["plan", site, "--out", "new.json"],
        "without" => vec!["plan", site, "--without", "node/m1"],
        "why" => vec!["why", row.subject, "--in", site],
        "report" => vec!["report", site, "-o", "-"],
        "show" => vec!["show", "saved.json", site],
        "proceed" => vec!["proceed", "saved.json"],
        "diff" => vec!["diff", "saved.json", site],
        other => vec![other, site],
    };
    args.extend(row.also);
    if with {
        args.extend(row.flag);
    }
    if !args.contains(&"--now") {
        args.extend(["--now", NOW]);
    }
    let answer = match site {
        "-" => folder.piped(&args, REFUSED.1),
        _ => folder.run(&args),
    };
    (answer, folder.files())
}

fn check(row: &Row, command: &str, shows: Shows) -> Result<(), String> {
    let (without, before) = run(row, command, false);
    let (with, after) = run(row, command, true);
    let has = |files: &[String], name| files.iter().any(|file| file == name);
    let seen = match shows {
        Status(was, is) => (without.status, with.status) == (was, is),
        Prints(words) => with.out.contains(words) && !without.out.contains(words),
        Says(words) => with.err.contains(words) && !without.err.contains(words),
        Hides(words) => without.err.contains(words) && !with.err.contains(words),
        Writes(name) => has(&after, name) && !has(&before, name),
        Nothing(why) => !why.is_empty() && without == with && before == after,
    };
    if seen {
        return Ok(());
    }
    let flag = row.flag.join(" ");
    Err(format!(
        "{command} {flag}: expected {shows:?}\nwithout: {without:#?}\nwith: {with:#?}\n"
    ))
}

#[test]
fn every_common_flag_is_honoured_by_every_command() {
    let cases = ROWS.iter().flat_map(|row| {
        let on = row.on.iter();
        on.flat_map(move |(commands, shows)| commands.iter().map(move |one| (row, *one, *shows)))
    });
    let cases: Vec<_> = cases.collect();
    let wrong = planner::parallel::map(2, &cases, |(row, command, shows)| {
        check(row, command, *shows).err()
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Flags without an effect in the cases above that mean something all the same.
const LISTED: [(&str, &str); 3] = [
    ("--color", "report"),
    ("--quiet", "diff"),
    ("--keep-going", "graph"),
];

#[test]
fn help_lists_no_common_flag_that_means_nothing() {
    let commands = ["plan", "against", "without", "out"];
    for row in ROWS {
        let idle = row
            .on
            .iter()
            .filter(|(_, shows)| matches!(shows, Nothing(_)));
        let idle = idle.flat_map(|(on, _)| on.iter());
        for command in idle.filter(|command| !commands.contains(command)) {
            let flag = row.flag[0];
            let help = Folder::of(&[]).run(&[command, "--help"]).out;
            let listed = help.contains(&format!(" {flag}"));
            assert_eq!(
                listed,
                LISTED.contains(&(flag, command)) || flag == "--no-pager",
                "{command} {flag}"
            );
        }
    }
}

#[test]
fn no_common_flag_and_no_command_is_left_out() {
    let known = CommonArgs::augment_args(clap::Command::new("planner"));
    let common = known.get_arguments().filter_map(|flag| flag.get_long());
    for flag in common.chain(["output"]) {
        let rows = ROWS.iter().filter(|row| row.flag[0] == format!("--{flag}"));
        let on = rows
            .flat_map(|row| row.on)
            .flat_map(|(commands, _)| *commands);
        let on: BTreeSet<&str> = on.copied().collect();
        let missing: Vec<_> = COMMANDS.iter().filter(|one| !on.contains(**one)).collect();
        assert!(missing.is_empty(), "--{flag} is not tried on {missing:?}");
    }
}
