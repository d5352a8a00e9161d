//! The question at a terminal: who is asked, which words are understood, what is written.
#![allow(
    clippy::unwrap_used,
    reason = "a session that does not start must stop the test"
)]
#![cfg(unix)]

mod support;

use rexpect::session::PtySession;
use support::terminal::{ended, shell, start};
use support::{BROKEN, FOREIGN, Folder, NOW, application, cluster, site, too_large};

const QUESTION: &str = "Proceed and save this plan? [proceed/cancel] ";
const WHOLE: &str = "Proceed and save this plan? Type \"proceed\", or \"cancel\": ";

fn plan(folder: &Folder, more: &[&str]) -> PtySession {
    start(folder.command(&[&["plan", "s", "--now", NOW], more].concat()))
}

fn folder() -> Folder {
    Folder::of(&[("s/a.yaml", &site())])
}

const RECORD: &str = "s/planner-records/0001-shop.yaml";

#[test]
fn every_word_for_yes_proceeds() {
    for word in ["proceed", "p", "yes", "y", "PROCEED", " Y ", "Yes\t"] {
        let folder = folder();
        let mut session = plan(&folder, &[]);
        session.exp_string(QUESTION).unwrap();
        session.send_line(word).unwrap();
        let (rest, status) = ended(session);
        assert_eq!(status, 0, "{word:?}: {rest}");
        assert!(
            rest.contains(&format!("Wrote {RECORD}")),
            "{word:?}: {rest}"
        );
        assert!(folder.read(RECORD).contains("name: shop-1"));
    }
}

#[test]
fn what_proceed_writes_is_said_before_it_is_asked() {
    let folder = folder();
    let mut session = plan(&folder, &["--color", "never"]);
    let before = session.exp_string(QUESTION).unwrap();
    let before = before.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = format!(
        "= stays, + is new, ~ changes, - goes, ! is lost or has no place Proceed saves this plan as \
         {RECORD}; nothing is deployed."
    );
    assert!(before.contains(&wanted), "{before}");
    session.send_line("proceed").unwrap();
    let (rest, _) = ended(session);
    assert!(rest.contains(&format!("Wrote {RECORD}")), "{rest}");
    let record = folder.read(RECORD);
    let comment: Vec<&str> = record
        .lines()
        .take_while(|line| line.starts_with('#'))
        .collect();
    assert!(
        comment.join(" ").contains("is the plan's assumption"),
        "{record}"
    );
}

#[test]
fn more_deletions_than_nodes_want_the_whole_word() {
    let shrink = include_str!("../fixtures/senlin/shrink.yaml");
    let folder = Folder::of(&[("s/a.yaml", shrink)]);
    let mut session = plan(&folder, &[]);
    let before = session
        .exp_string("Proceed and save this plan? Type \"proceed\"")
        .unwrap();
    assert!(before.contains("would lose 3 of 2 nodes"), "{before}");
    session.send_line("y").unwrap();
    session.exp_string("Please type").unwrap();
    session.send_line("n").unwrap();
    assert_eq!(ended(session).1, 4);
}

#[test]
fn what_is_at_stake_stands_below_the_findings() {
    let shrink = "type: senlin.policy.region_placement\nversion: 1.0\n\
                  properties: {regions: [{name: north}]}\n---\n\
                  type: senlin.cluster\nversion: 1.0\n\
                  properties: {name: c, desired_capacity: 5, max_nodes_per_cluster: 3,\n  \
                  known_regions: [north], node_counts: {north: 5}}\n---\n\
                  type: senlin.action\nversion: 1.0\n\
                  properties: {action: CLUSTER_SCALE_IN, inputs: {count: 1}}\n";
    let folder = Folder::of(&[("s/a.yaml", shrink)]);
    let mut session = plan(&folder, &["--color", "never"]);
    let before = session.exp_string("Type \"proceed\"").unwrap();
    let at = |text: &str| {
        before
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {before}"))
    };
    assert!(at("planner validate s") < at("At stake:"), "{before}");
    assert!(at("At stake:") < at("Proceed saves"), "{before}");
    assert_eq!(before.matches("At stake:").count(), 1, "{before}");
    session.send_line("cancel").unwrap();
    ended(session);
}

#[test]
fn what_goes_for_good_wants_the_whole_word() {
    let folder = folder();
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let parts = site();
    let without_web = parts.replace(&application("web", "1", false), "");
    assert_ne!(parts, without_web);
    folder.write("s/a.yaml", without_web);
    let mut session = plan(&folder, &["--color", "never"]);
    let before = session.exp_string(WHOLE).unwrap();
    assert!(
        before.contains("- 1 Application is withdrawn: shop/web"),
        "{before}"
    );
    session.send_line("yes").unwrap();
    session.exp_string("Please type").unwrap();
    session.send_line("proceed").unwrap();
    assert_eq!(ended(session).1, 0);
}

#[test]
fn every_word_for_no_cancels() {
    for word in ["cancel", "c", "no", "n", "CANCEL", " No ", "", "   "] {
        let folder = folder();
        let mut session = plan(&folder, &[]);
        session.exp_string(QUESTION).unwrap();
        session.send_line(word).unwrap();
        let (rest, status) = ended(session);
        assert_eq!(status, 4, "{word:?}: {rest}");
        assert!(rest.contains("Cancelled. Nothing was written."), "{rest}");
        assert_eq!(folder.files(), ["s/a.yaml"]);
    }
}

#[test]
fn the_end_of_input_cancels() {
    let folder = folder();
    for before in ["", "proceed"] {
        let mut session = plan(&folder, &[]);
        session.exp_string(QUESTION).unwrap();
        session.send(before).unwrap();
        session.send_control('d').unwrap();
        if !before.is_empty() {
            // The first one only hands over the word.
            session.send_control('d').unwrap();
        }
        let (rest, status) = ended(session);
        assert_eq!(status, 4, "{rest}");
        assert!(rest.contains("Cancelled. Nothing was written."), "{rest}");
        assert_eq!(folder.files(), ["s/a.yaml"]);
    }
}

#[test]
fn an_interrupt_cancels_with_130() {
    let folder = folder();
    for before in ["", "proc"] {
        let mut session = plan(&folder, &["--detailed-exitcode"]);
        session.exp_string(QUESTION).unwrap();
        session.send(before).unwrap();
        session.send_control('c').unwrap();
        let (rest, status) = ended(session);
        assert_eq!(status, 130, "{rest}");
        assert!(rest.contains("Cancelled. Nothing was written."), "{rest}");
        assert_eq!(folder.files(), ["s/a.yaml"]);
    }
}

#[test]
fn three_wrong_answers_cancel() {
    let folder = folder();
    let mut session = plan(&folder, &[]);
    for wrong in ["maybe", "proceeed", "\u{1b}[A"] {
        session.exp_string(QUESTION).unwrap();
        session.send_line(wrong).unwrap();
    }
    let (rest, status) = ended(session);
    assert_eq!(status, 4, "{rest}");
    assert!(rest.contains("Cancelled. Nothing was written."), "{rest}");
    assert!(!rest.contains(QUESTION), "{rest}");
    // Two wrong ones are forgiven.
    let mut session = plan(&folder, &[]);
    for answer in ["ye", "1", "p"] {
        session.exp_string(QUESTION).unwrap();
        session.send_line(answer).unwrap();
    }
    assert_eq!(ended(session).1, 0);
    assert!(folder.has(RECORD));
}

#[test]
fn the_plan_comes_before_the_question() {
    let folder = folder();
    let mut session = plan(&folder, &["--color", "never"]);
    let before = session.exp_string(QUESTION).unwrap();
    assert!(
        before.contains("2 to place, 0 to move, 0 to withdraw, 0 unchanged."),
        "{before}"
    );
    assert!(
        before.find("lowest cost (5)") < before.find("2 to place"),
        "{before}"
    );
    session.send_line("n").unwrap();
    assert_eq!(ended(session).1, 4);
}

#[test]
fn yes_asks_nobody() {
    let folder = folder();
    let (said, status) = ended(plan(&folder, &["--yes"]));
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("Wrote") && !said.contains("[proceed/cancel]"),
        "{said}"
    );
}

#[test]
fn who_cannot_be_asked_gets_a_preview() {
    let folder = folder();
    for more in [&["--no-input"][..], &["-o", "json"], &["-o", "yaml"]] {
        let (said, status) = ended(plan(&folder, more));
        assert_eq!(status, 0, "{said}");
        assert!(
            said.contains("--yes") && said.contains("Nothing was written"),
            "{said}"
        );
        assert!(!said.contains("[proceed/cancel]"), "{said}");
    }
    // A machine format that goes to a file rules nothing out.
    let mut session = plan(&folder, &["-o", "json=plan.json"]);
    session.exp_string(QUESTION).unwrap();
    session.send_line("n").unwrap();
    assert_eq!(ended(session).1, 4);
    assert_eq!(folder.files(), ["plan.json", "s/a.yaml"]);
}

#[test]
fn ci_asks_nobody_unless_it_says_no() {
    let folder = folder();
    for value in ["true", "1", "yes"] {
        let mut command = folder.command(&["plan", "s"]);
        command.env("CI", value);
        let (said, status) = ended(start(command));
        assert_eq!(status, 0, "{said}");
        assert!(
            said.contains("CI is set") && said.contains("--yes"),
            "{said}"
        );
    }
    for value in ["", "0", "false"] {
        let mut command = folder.command(&["plan", "s"]);
        command.env("CI", value);
        let mut session = start(command);
        session.exp_string(QUESTION).unwrap();
        session.send_line("c").unwrap();
        assert_eq!(ended(session).1, 4);
    }
}

#[test]
fn a_stream_that_is_no_terminal_asks_nobody() {
    for stream in ["</dev/null", ">out.txt", "2>err.txt", "| cat"] {
        let folder = folder();
        let line = format!("\"$PLANNER\" plan s {stream}");
        let (said, status) = ended(shell(&folder, &line));
        assert_eq!(status, 0, "{stream}: {said}");
        assert!(!said.contains("[proceed/cancel]"), "{stream}: {said}");
        let end = if folder.has("err.txt") {
            folder.read("err.txt")
        } else {
            said.clone()
        };
        assert!(end.contains("no terminal to ask on"), "{stream}: {said}");
        assert!(!folder.has("s/planner-records"), "{stream}");
        let plan = if folder.has("out.txt") {
            folder.read("out.txt")
        } else {
            said
        };
        assert!(plan.contains("2 to place"), "{stream}: {plan}");
    }
    let folder = folder();
    let (said, status) = ended(shell(&folder, "\"$PLANNER\" plan - <s/a.yaml"));
    assert!(status == 0 && said.contains("--yes"), "{said}");
    let (said, status) = ended(shell(&folder, "\"$PLANNER\" plan -"));
    assert!(status == 64 && said.contains("terminal"), "{said}");
}

#[test]
fn nothing_is_asked_where_nothing_can_be_done() {
    let cases = [
        (too_large(), 3),
        (BROKEN.to_owned(), 1),
        (FOREIGN.to_owned(), 66),
    ];
    for (text, wanted) in cases {
        let folder = Folder::of(&[("s/a.yaml", &text)]);
        let (said, status) = ended(plan(&folder, &[]));
        assert_eq!(status, wanted, "{said}");
        assert!(!said.contains("Proceed with"), "{said}");
        assert!(!said.contains("--yes"), "nothing to approve: {said}");
    }
    let folder = folder();
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let (said, status) = ended(plan(&folder, &[]));
    assert!(status == 0 && said.contains("No changes"), "{said}");
    assert!(!said.contains("Proceed with"), "{said}");
}

/// The site with its two Clusters in these states.
fn with(lyon: (u32, &str), oslo: (u32, &str)) -> String {
    [
        support::PACKAGE.to_owned(),
        cluster("lyon", 2021, lyon.0, lyon.1),
        cluster("oslo", 2022, oslo.0, oslo.1),
        application("db", "1", true),
        application("web", "1", false),
    ]
    .concat()
}

#[test]
fn volumes_left_behind_want_the_whole_word_once() {
    let folder = Folder::of(&[("s/a.yaml", &with((7, "Up"), (5, "Up")))]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    folder.write("s/a.yaml", with((7, "Up"), (5, "Down")));
    for (answers, status) in [
        (&["y", "yes", "Y"][..], 4),
        (&["y", "n"], 4),
        (&["", ""], 4),
        (&["c"], 4),
        (&["what", "y", "Proceed"], 0),
    ] {
        let mut session = plan(&folder, &["--color", "never"]);
        let before = session.exp_string(WHOLE).unwrap();
        let (_, stake) = before.split_once("At stake:").unwrap();
        let volume = "1 volume is left behind: PersistentVolumeClaim data-db-0 of shop/db on oslo";
        let stake = stake.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stake.contains(volume), "{before}");
        assert!(before.contains("Deployment shop-1 is Running"), "{before}");
        for answer in answers {
            session.send_line(answer).unwrap();
        }
        let (rest, ended) = ended(session);
        assert_eq!(ended, status, "{answers:?}: {rest}");
        if answers[0] == "y" {
            let words = "Please type \"proceed\" in full, or \"cancel\": ";
            assert!(rest.contains(words), "{rest}");
        }
        assert_eq!(folder.has("s/planner-records/0002-shop.yaml"), status == 0);
    }
    // The volume on oslo stays out of bounds, but the newest Deployment does not hold it.
    folder.write(
        "s/a.yaml",
        with((7, "Up"), (5, "Down")) + &application("new", "1", false),
    );
    let mut session = plan(&folder, &[]);
    session.exp_string(QUESTION).unwrap();
    session.send_line("yes").unwrap();
    assert_eq!(ended(session).1, 0);
}

#[test]
fn three_proceeds_in_a_row_keep_a_volume_where_it_is() {
    let folder = Folder::of(&[("s/a.yaml", &with((7, "Up"), (5, "Up")))]);
    for (number, costs) in [(1, (7, 5)), (2, (3, 5)), (3, (3, 1))] {
        folder.write("s/a.yaml", with((costs.0, "Up"), (costs.1, "Up")));
        let mut session = plan(&folder, &["--color", "never"]);
        // The third one leaves a Cluster without Applications.
        let question = if number == 3 { WHOLE } else { QUESTION };
        session.exp_string(question).unwrap();
        session.send_line("proceed").unwrap();
        let (rest, status) = ended(session);
        assert_eq!(status, 0, "{rest}");
        let record = folder.read(&format!("s/planner-records/000{number}-shop.yaml"));
        let web = if costs.0 < costs.1 { "lyon" } else { "oslo" };
        assert!(
            record.contains("application: db\n    cluster: oslo\n"),
            "{record}"
        );
        assert!(
            record.contains(&format!("application: web\n    cluster: {web}")),
            "{record}"
        );
        assert!(record.contains("name: data-db-0"), "{record}");
        assert!(
            record.contains(&format!("name: shop-{number}\n")),
            "{record}"
        );
    }
    let found = folder.at(&["validate", "s", "-o", "json"]);
    assert!(found.ends(0).codes().is_empty(), "{found:#?}");
    let after = folder.at(&["plan", "s", "-o", "json"]).json();
    assert_eq!(after["result"], "unchanged");
}

#[test]
fn a_record_that_appears_meanwhile_is_not_written_over() {
    let folder = folder();
    let mut session = plan(&folder, &[]);
    session.exp_string(QUESTION).unwrap();
    folder.write(RECORD, "# somebody was quicker\n");
    session.send_line("proceed").unwrap();
    let (rest, status) = ended(session);
    assert_eq!(status, 1, "{rest}");
    let said = "record 0001 appeared while you were deciding; plan again";
    assert!(rest.contains(said), "{rest}");
    assert_eq!(folder.files(), ["s/a.yaml", RECORD]);
    assert_eq!(folder.read(RECORD), "# somebody was quicker\n");
}

#[test]
fn detailed_statuses_are_those_of_the_answer() {
    let folder = folder();
    let mut session = plan(&folder, &["--detailed-exitcode"]);
    session.exp_string(QUESTION).unwrap();
    session.send_line("cancel").unwrap();
    assert_eq!(ended(session).1, 4);
    let mut session = plan(&folder, &["--detailed-exitcode"]);
    session.exp_string(QUESTION).unwrap();
    session.send_line("proceed").unwrap();
    assert_eq!(ended(session).1, 2);
}

#[test]
fn codes_are_links_on_terminals_that_know_them() {
    const LINK: &str = "\u{1b}]8;;https://docs.rs/crate/site-planner/";
    let folder = Folder::of(&[("s/a.yaml", BROKEN)]);
    let said = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = folder.command(args);
        command.envs(variables.iter().copied());
        ended(start(command)).0
    };
    let knowing = [("FORCE_HYPERLINK", "1")];
    let text = said(&knowing, &["validate", "s"]);
    assert!(
        text.contains(LINK) && !text.contains("planner explain CODE"),
        "{text}"
    );
    for (variables, args) in [
        (&[("FORCE_HYPERLINK", "0")][..], &["validate", "s"][..]),
        (&knowing, &["validate", "s", "--color", "never"]),
    ] {
        let text = said(variables, args);
        assert!(!text.contains("\u{1b}]8"), "{text}");
        assert!(text.contains("planner explain CODE"), "{text}");
    }
    let mut piped = folder.command(&["validate", "s"]);
    let answer = support::answer(piped.envs(knowing));
    assert!(!answer.out.contains('\u{1b}'), "{}", answer.out);
}

#[test]
fn differences_are_coloured_at_a_terminal() {
    const RULE: &str = "\
apiVersion: apps.open-cluster-management.io/v1
kind: PlacementRule
metadata: {name: prod, namespace: web}
spec: {clusterSelector: {matchLabels: {env: prod}}}
";
    const QUOTED: &str = "\
apiVersion: planner/v1
kind: Project
metadata: {name: retail, labels: {tier: yes}}
";
    let folder = Folder::of(&[
        ("rule.yaml", RULE),
        ("quoted.yaml", QUOTED),
        (
            "lost.yaml",
            include_str!("../fixtures/remedies/hybrid.yaml"),
        ),
    ]);
    for line in [
        "migrate rule.yaml",
        "validate quoted.yaml --fix --diff",
        "risk lost.yaml --remedies all --diff",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let piped = folder.at(&args).out.clone();
        assert!(
            piped.contains("\n+") && !piped.contains('\u{1b}'),
            "{piped}"
        );
        folder.write("quoted.yaml", QUOTED);
        let (said, _) = ended(start(folder.command(&args)));
        for code in ["\u{1b}[1m--- a/", "\u{1b}[2m@@ ", "\u{1b}[32m+"] {
            assert!(said.contains(code), "{line}: {said}");
        }
    }
}

#[test]
fn terminals_are_coloured_unless_told_otherwise() {
    let folder = folder();
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = folder.command(&["plan", "s", "--no-input"]);
        command.envs(variables.iter().copied());
        ended(start(command)).0.contains('\u{1b}')
    };
    assert!(coloured(&[]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
    assert!(coloured(&[("NO_COLOR", "")]));
    assert!(!coloured(&[("TERM", "dumb")]));
    assert!(coloured(&[("CLICOLOR_FORCE", "0")]));
    // Decided per stream.
    let broken = Folder::of(&[("s/a.yaml", BROKEN)]);
    let (said, _) = ended(shell(&broken, "\"$PLANNER\" plan s >out.txt"));
    assert!(said.contains('\u{1b}'), "{said}");
    assert!(!broken.read("out.txt").contains('\u{1b}'));
    let (said, _) = ended(shell(&broken, "\"$PLANNER\" validate s 2>err.txt"));
    assert!(said.contains('\u{1b}') && !broken.read("err.txt").contains('\u{1b}'));
}

#[test]
fn lines_keep_to_the_width_of_the_terminal() {
    let long = "a".repeat(63);
    let folder = Folder::of(&[("s/a.yaml", &(site() + &application(&long, "1", false)))]);
    let plain = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    for columns in [40, 60, 80, 100, 120, 200] {
        let line =
            format!("stty cols {columns} rows 24; \"$PLANNER\" plan s --no-input --no-pager");
        let (said, status) = ended(shell(&folder, &line));
        assert_eq!(status, 0, "{said}");
        assert!(said.contains(&long), "nothing is cut off: {said}");
        let said = plain.replace_all(&said, "").replace('\r', "");
        for line in said
            .lines()
            .filter(|line| !line.contains(&long) && !line.contains("--yes"))
        {
            let head = line.contains("Clusters left") || line.contains("Decided by");
            let wide = line.chars().count() > columns.max(60);
            assert!(head || !wide, "{columns}: {line}");
        }
    }
}

#[test]
fn a_long_plan_shows_what_changes_and_counts_the_rest() {
    let mut text = site();
    for number in 0..250 {
        text.push_str(&application(&format!("app-{number}"), "1", false));
    }
    let folder = Folder::of(&[("s/a.yaml", &text)]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    folder.write("s/b.yaml", application("newest", "1", false));
    let mut session = plan(&folder, &["--color", "never"]);
    let before = session.exp_string(QUESTION).unwrap();
    assert!(
        before.contains("+ newest") && !before.contains("= app-7 "),
        "{before}"
    );
    assert!(
        before.contains("252 unchanged") && before.contains("-o json"),
        "{before}"
    );
    session.send_line("n").unwrap();
    assert_eq!(ended(session).1, 4);
}

#[test]
fn a_site_that_changes_while_the_question_stands_is_not_approved() {
    let more = cluster("rome", 2020, 1, "Up");
    let deployment = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: other}\n";
    let longer = [site(), "# seen\n".into()].concat();
    // What each file is meanwhile; nothing where it is gone.
    let edits = [
        ("s/a.yaml", Some(longer.as_str())),
        ("s/b.yaml", None),
        ("s/c.yaml", Some(more.as_str())),
        ("s/.gitignore", Some("b.yaml\n")),
        ("planner.toml", Some("exclude = [\"x\"]\n")),
        // One that lies nearer.
        ("s/planner.toml", Some("exclude = [\"x\"]\n")),
    ];
    for (name, text) in edits {
        let folder = folder();
        folder.write("s/b.yaml", deployment);
        folder.write("planner.toml", "");
        let mut session = plan(&folder, &[]);
        session.exp_string(QUESTION).unwrap();
        match text {
            Some(text) => drop(folder.write(name, text)),
            None => std::fs::remove_file(folder.path().join(name)).unwrap(),
        }
        session.send_line("proceed").unwrap();
        let (rest, status) = ended(session);
        assert_eq!(status, 1, "{name}: {rest}");
        assert!(
            rest.contains("the site changed: ") && rest.contains("plan again"),
            "{name}: {rest}"
        );
        assert!(!folder.has("s/planner-records"), "{name}");
    }
}

#[test]
fn what_was_typed_ahead_is_no_answer() {
    let folder = folder();
    let mut session = plan(&folder, &[]);
    session.send_line("proceed").unwrap();
    session.exp_string(QUESTION).unwrap();
    session.send_line("cancel").unwrap();
    let (rest, status) = ended(session);
    assert_eq!(status, 4, "{rest}");
    assert_eq!(folder.files(), ["s/a.yaml"]);
}

#[test]
fn what_takes_long_is_said_while_it_lasts() {
    let folder = folder();
    let line = "cat | \"$PLANNER\" plan - --no-input --color never";
    let mut session = shell(&folder, line);
    // Reading takes as long as nothing is typed.
    session.exp_string("Reading standard input").unwrap();
    for line in site().lines() {
        session.send_line(line).unwrap();
    }
    session.send_control('d').unwrap();
    let (rest, status) = ended(session);
    let gone = rest.find("\r\u{1b}[K").expect("the line is wiped");
    let plan = rest.find("Plan for Package shop").expect("the plan");
    assert!(gone < plan && status == 0, "{status}: {rest}");
}

/// The text without the codes of its colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.filter_map(|part| Some(part.split_once('m')?.1));
    rest.fold(first, |text, part| text + part)
}

#[test]
fn a_long_plan_goes_through_the_pager_unless_a_question_follows() {
    let folder = folder();
    let at = |size: &str, args: &str| {
        let pager = "PAGER=\"sed s/^/P:/\"";
        let line = format!("stty rows {size} cols 80; {pager} $PLANNER plan s --now {NOW} {args}");
        let (said, _) = ended(shell(&folder, &line));
        said
    };
    let paged = at("5", "--no-input");
    let paged = without_colours(&paged);
    assert!(paged.starts_with("P:Plan for Package shop"), "{paged}");
    for (size, args) in [("5", "--no-input --no-pager"), ("50", "--no-input")] {
        let plain = at(size, args);
        assert!(!plain.contains("P:"), "{plain}");
    }
    let piped = at("5", "--no-input | cat");
    assert!(!piped.contains("P:"), "{piped}");
    // A pager that is not there is none.
    let line = format!("stty rows 5; PAGER=no-such-pager $PLANNER plan s --now {NOW} --no-input");
    let (said, status) = ended(shell(&folder, &line));
    assert!(
        status == 0 && said.contains("Plan for Package shop"),
        "{said}"
    );
    // A question: no pager, and the one thing to do next stands above it.
    let line = format!("stty rows 5 cols 80; $PLANNER plan s --now {NOW}");
    let mut session = shell(&folder, &line);
    let before = session.exp_string(QUESTION).unwrap();
    assert!(before.contains("planner report s -o plan.html"), "{before}");
    session.send_line("cancel").unwrap();
    ended(session);
}
