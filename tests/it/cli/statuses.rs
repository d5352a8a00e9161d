//! Exit statuses: each of them, and which one counts where several apply.

use std::path::Path;
use std::process::Command;

use crate::support::{BROKEN, FOREIGN, Folder, site, too_large};

#[test]
fn a_plan_that_can_be_carried_out_is_0_and_2_if_that_is_asked_for() {
    let folder = Folder::of(&[("site/a.yaml", &site())]);
    folder.at(&["plan", "site"]).ends(0);
    folder.at(&["plan", "site", "--detailed-exitcode"]).ends(2);
    folder
        .at(&["plan", "site", "--yes", "--detailed-exitcode"])
        .ends(2);
    // Now nothing would change.
    folder.at(&["plan", "site", "--detailed-exitcode"]).ends(0);
}

#[test]
fn refused_documents_are_1() {
    let folder = Folder::of(&[("site/a.yaml", &[&site(), "---\n", BROKEN].concat())]);
    for command in ["plan", "validate"] {
        folder.at(&[command, "site"]).ends(1);
        folder.at(&[command, "site", "-o", "json"]).ends(1);
    }
    let plan = folder.at(&["plan", "site", "-o", "json"]).json();
    assert_eq!(plan["result"], "invalid");
    assert!(plan.get("applications").is_none());
    folder.at(&["plan", "site", "--yes"]).ends(1);
    folder
        .at(&["plan", "site", "--keep-going", "--yes"])
        .ends(1);
    assert_eq!(
        folder.files(),
        ["site/a.yaml"],
        "a refused plan writes nothing"
    );
    folder.at(&["why", "shop/web", "--in", "site"]).ends(1);
}

#[test]
fn keep_going_plans_the_rest_and_stays_invalid() {
    let orphan = "---\napiVersion: planner/v1\nkind: Application\nmetadata: {name: lost}\n\
                  spec: {package: shop, replicas: 0, containers: []}\n";
    let folder = Folder::of(&[("a.yaml", &[&site(), orphan].concat())]);
    let answer = folder.at(&["plan", "a.yaml", "--keep-going", "-o", "json"]);
    answer.ends(1);
    let plan = answer.json();
    assert_eq!(plan["result"], "invalid");
    assert_eq!(
        plan["applications"].as_array().unwrap().len(),
        2,
        "{plan:#}"
    );
}

#[test]
fn what_cannot_be_placed_is_3_and_writes_nothing() {
    let folder = Folder::of(&[("a.yaml", &too_large())]);
    folder.at(&["plan", "a.yaml"]).ends(3);
    folder
        .at(&["plan", "a.yaml", "--detailed-exitcode"])
        .ends(3);
    folder.at(&["plan", "a.yaml", "--yes"]).ends(3);
    let plan = folder.at(&["plan", "a.yaml", "-o", "json"]).ends(3).json();
    assert_eq!(plan["result"], "unplaceable");
    folder.at(&["why", "shop/web", "--in", "a.yaml"]).ends(3);
    folder
        .at(&["why", "shop/web", "lyon", "--in", "a.yaml"])
        .ends(0);
    assert_eq!(folder.files(), ["a.yaml"]);
}

#[test]
fn bad_arguments_are_64() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let bad: &[&[&str]] = &[
        &[],
        &["plam"],
        &["plan", "--no-such-flag"],
        &["plan", "a.yaml", "-o", "xml"],
        &["plan", "a.yaml", "-o", "json", "-o", "yaml"],
        &["plan", "a.yaml", "-o", "json="],
        &["plan", "a.yaml", "-o", "json=a.yaml"],
        &["plan", "a.yaml", "-o", "json=./a.yaml"],
        &["plan", "a.yaml", "-o", "json=p.json", "-o", "yaml=p.json"],
        &["plan", "a.yaml", "--now", "yesterday"],
        &["plan", "a.yaml", "--jobs", "0"],
        &["plan", "a.yaml", "--jobs", "many"],
        &["plan", "a.yaml", "--color", "sometimes"],
        &["plan", "a.yaml", "--section", "aplications"],
        &["plan", "a.yaml", "--package", "shoop"],
        &["plan", "a.yaml", "--compat", "downstream"],
        &["plan", "a.yaml", "--quiet", "--verbose"],
        &["plan", "-", "--yes"],
        &["validate", "a.yaml", "-o", "text"],
        &["validate", "a.yaml", "--fail-on", "anything"],
        &["why", "shop/wbe", "--in", "a.yaml"],
        &["why", "shop/web", "olso", "--in", "a.yaml"],
        &["explain", "planner::io::banary"],
        &["schema", "Palcement"],
        &["completions", "tcsh9"],
    ];
    for args in bad {
        let answer = folder.piped(args, site());
        assert_eq!(answer.status, 64, "{args:?}: {answer:#?}");
        assert_eq!(answer.out, "", "{args:?}");
        assert!(!answer.err.is_empty(), "{args:?}");
    }
    assert_eq!(folder.read("a.yaml"), site(), "inputs are not written over");
    assert_eq!(folder.files(), ["a.yaml"]);
}

#[test]
fn names_that_were_nearly_right_are_offered() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let near = |args: &[&str], name: &str| {
        folder.at(args).ends(64).says(name);
    };
    near(&["why", "shop/wbe", "--in", "a.yaml"], "shop/web");
    near(&["why", "shop/web", "olso", "--in", "a.yaml"], "oslo");
    near(&["plan", "a.yaml", "--package", "shoop"], "shop");
    near(
        &["plan", "a.yaml", "--section", "aplications"],
        "applications",
    );
    near(&["plan", "a.yaml", "-o", "jsn"], "json");
    let answer = folder.run(&["schema", "Palcement"]);
    answer.ends(64).says("Placement");
    let answer = folder.run(&["explain", "yaml::sintax"]);
    answer.ends(64).says("yaml::syntax");
    let answer = folder.run(&["explain", "unknwon_field"]);
    answer
        .ends(64)
        .says("did you mean kustomize::unknown_field or schema::unknown_field?");
    let answer = folder.run(&["explain", "unbound_set"]);
    // The name alone is enough where only one code has it.
    answer.ends(0);
    assert!(answer.out.starts_with("# planner::ocm::unbound_set"));
    // All codes of one name.
    let answer = folder.run(&["explain", "unplaceable"]);
    let pages = answer.ends(0).out.matches("\nSeverity: ").count();
    assert_eq!(pages, 3, "{}", answer.out);
    let listed = folder.run(&["explain", "unplaceable", "-o", "json"]);
    assert_eq!(listed.ends(0).json().as_array().map(Vec::len), Some(3));
    // A format of the same command with something to compare with.
    let answer = folder.run(&["plan", "a.yaml", "-o", "markdown"]);
    answer.ends(64).says("--against");
    // A path in the candidate's place.
    let answer = folder.at(&["why", "shop/web", "./a.yaml"]);
    assert_eq!(
        answer.ends(0).out,
        folder.at(&["why", "shop/web", "--in", "a.yaml"]).out
    );
    let answer = folder.at(&["why", "shop/web", "oslo", "./a.yaml"]);
    let named = folder.at(&["why", "shop/web", "oslo", "--in", "./a.yaml"]);
    assert_eq!(answer.ends(0).out, named.out);
    // Without a slash, too, unless a candidate has that name.
    let answer = folder.at(&["why", "shop/web", "a.yaml"]);
    let named = folder.at(&["why", "shop/web", "--in", "a.yaml"]);
    assert_eq!(answer.ends(0).out, named.out);
    let candidate = folder.at(&["why", "shop/web", "oslo"]);
    assert!(!candidate.err.contains("--in"), "{}", candidate.err);
    folder.write("oslo/note.txt", "");
    let both = folder.at(&["why", "shop/web", "oslo"]);
    assert_eq!(both.ends(0).out, candidate.ends(0).out);
    both.says("oslo is a candidate; to read the path, use --in oslo");
    // Where the site as a whole cannot be asked, the part that is named can.
    folder.write("part/a.yaml", site());
    let answer = folder.at(&["why", "shop/web", "part"]);
    assert_eq!(answer.ends(0).out.lines().next(), named.out.lines().next());
    let answer = folder.at(&["why", "shop/web", "a.yaml", "--in", "a.yaml"]);
    answer.ends(64).says("did you mean --in a.yaml?");
}

#[test]
fn every_help_says_how_the_command_ends() {
    let folder = Folder::new();
    for command in ["plan", "proceed", "validate", "explain", "schema", "why"] {
        let help = folder.run(&[command, "--help"]).ends(0).out.clone();
        let (_, statuses) = help.split_once("Exit status:").expect(command);
        let asks = ["plan", "proceed"].contains(&command);
        assert_eq!(statuses.contains("  4    cancelled"), asks, "{help}");
        assert!(statuses.contains("  64   "), "{help}");
    }
}

#[test]
fn completions_offer_codes_and_kinds() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.run(&["completions", shell]).ends(0).out.clone();
        for word in ["ManagedCluster", "unplaceable", "planner why 2>/dev/null"] {
            assert!(script.contains(word), "{shell} does not offer {word}");
        }
    }
}

/// What a shell offers after these words, in a folder with a site.
fn offered(folder: &Folder, shell: &str, words: &[&str]) -> Option<String> {
    let script = folder.run(&["completions", shell]).ends(0).out.clone();
    folder.write("script", script);
    let line = words.join(" ");
    let number = words.len() - 1;
    let test = match shell {
        "fish" => format!("source ./script; complete -C 'planner {line}'"),
        _ => format!(
            "source ./script; COMP_WORDS=(planner {line}); COMP_CWORD={}; [ {number} -gt 1 ] || \
             COMP_WORDS+=(''); _planner planner \"${{COMP_WORDS[COMP_CWORD]}}\" {}; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            number + 1,
            words[number.saturating_sub(1)],
        ),
    };
    let bin = Path::new(crate::support::PLANNER).parent()?;
    let path = std::env::var("PATH").ok()?;
    let mut command = Command::new(shell);
    command.args(["-c", &test]).current_dir(folder.path());
    command.env("PATH", format!("{}:{path}", bin.display()));
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn shells_offer_codes_kinds_and_the_names_of_the_site() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    // A shell that is not there is not tried.
    for shell in ["bash", "fish"] {
        for (words, wanted) in [
            (["explain", "unpl"], "unplaceable"),
            (["schema", "ManagedClusterS"], "ManagedClusterSet"),
            (["why", "shop/w"], "shop/web"),
        ] {
            if let Some(said) = offered(&folder, shell, &words) {
                assert!(
                    said.lines().any(|line| line.trim() == wanted),
                    "{shell} {words:?}: {said}"
                );
            }
        }
    }
}

/// A name is a word to type; whatever a shell would make of it stays text.
#[test]
fn names_that_a_shell_would_run_are_offered_as_text() {
    let folder = Folder::of(&[(
        "a.yaml",
        include_str!("../../../fixtures/cli/hostile-names.yaml"),
    )]);
    for shell in ["bash", "fish"] {
        let Some(said) = offered(&folder, shell, &["why", "''"]) else {
            continue;
        };
        assert!(said.contains("touch"), "{shell}: {said}");
        assert!(!folder.path().join("pwned").exists(), "{shell}: {said}");
    }
}

#[test]
fn a_command_lists_the_options_that_mean_something_for_it() {
    let folder = Folder::new();
    let lists = |command: &str, flag: &str| {
        let long = folder.run(&[command, "--help"]).ends(0).out.clone();
        long.contains(flag)
    };
    for (command, listed, other) in [
        ("init", "--color", "--same-node"),
        ("graph", "--order", "--records"),
        ("graph", "--hub", "--same-node"),
        ("export", "--rendered", "--allow-commands"),
        ("drift", "--hub", "--order"),
    ] {
        assert!(
            lists(command, listed) && !lists(command, other),
            "{command}"
        );
    }
    assert!(lists("plan", "--hub") && lists("plan", "--same-node"));
    // What is not listed is understood all the same.
    folder.write("a.yaml", site());
    folder.at(&["graph", "a.yaml", "--same-node"]).ends(66);
}

#[test]
fn why_alone_lists_what_it_can_explain() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let answer = folder.at(&["why", "--in", "s"]);
    let names: Vec<&str> = answer.ends(0).out.lines().collect();
    assert!(names.contains(&"shop/web"), "{answer:?}");
    folder.at(&["why", "--in", "s", "-o", "json"]).ends(64);
    let empty = Folder::of(&[("e/a.txt", "")]);
    let answer = empty.at(&["why", "--in", "e"]);
    answer.ends(66).says("nothing to explain");
    let refused = Folder::of(&[("a.yaml", "kind: [")]);
    let answer = refused.at(&["why", "--in", "a.yaml"]);
    answer.ends(1).says("`planner validate` lists their errors");
}

#[test]
fn nothing_to_do_is_66() {
    let folder = Folder::of(&[("empty/notes.txt", "x"), ("foreign/a.yaml", FOREIGN)]);
    for command in ["plan", "validate"] {
        folder.at(&[command, "empty"]).ends(66);
        folder.at(&[command, "missing"]).ends(66);
        let answer = folder.at(&[command, "foreign"]);
        answer.ends(66);
        assert!(
            answer.err.contains("document"),
            "it says what was found: {answer:#?}"
        );
        folder
            .at(&[command, "foreign", "-o", "json"])
            .ends(66)
            .json();
        folder.at(&[command, "empty", "-o", "json"]).ends(66).json();
        assert_eq!(folder.piped(&[command, "-"], "").status, 66);
        assert_eq!(folder.piped(&[command, "-"], "# nothing\n---\n").status, 66);
    }
    folder.at(&["why", "shop/web", "--in", "empty"]).ends(66);
}

#[test]
fn a_broken_or_binary_file_is_1_and_not_nothing() {
    let folder = Folder::of(&[("broken/a.yaml", "a: [1\n"), ("binary/a.yaml", "\0\u{1}")]);
    folder.write("large/a.yaml", "a: b\n".repeat(100));
    folder.write("large/planner.toml", "[limits]\nfile-bytes = 100\n");
    for command in ["plan", "validate"] {
        for place in ["broken", "binary", "large"] {
            folder.at(&[command, place]).ends(1);
        }
    }
}

#[test]
fn a_path_that_is_missing_is_a_finding_and_1_if_others_were_read() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    for command in ["plan", "validate"] {
        let answer = folder.at(&[command, "a.yaml", "gone.yaml", "-o", "json"]);
        answer.ends(1);
        let found = &answer.json()["diagnostics"][0];
        assert_eq!(found["code"], "planner::io::not_found");
        assert_eq!(found["primary"]["path"], "gone.yaml");
        assert_eq!(found["primary"]["line"], 1);
        assert_eq!(found["primary"]["column"], 1);
        folder.at(&[command, "a.yaml", "gone"]).ends(1);
    }
}

#[test]
fn bad_configuration_is_78_but_bad_arguments_come_first() {
    let folder = Folder::of(&[("a.yaml", BROKEN), ("planner.toml", "exclud = []\n")]);
    for args in [["plan", "a.yaml"], ["validate", "a.yaml"]] {
        folder.at(&args).ends(78).says("exclude");
    }
    folder.at(&["why", "x", "--in", "a.yaml"]).ends(78);
    let first: &[&[&str]] = &[
        &["plan", "a.yaml", "--now", "soon"],
        &["plan", "a.yaml", "--jobs", "0"],
        &["plan", "-", "--yes"],
        &["validate", "a.yaml", "-o", "xml"],
    ];
    for args in first {
        assert_eq!(folder.piped(args, site()).status, 64, "{args:?}");
    }
    folder.write("planner.toml", "exclude = [\"[\"]\n");
    folder.at(&["plan", "."]).ends(78);
    folder.write("planner.toml", "");
    folder
        .at(&["plan", "a.yaml", "--config", "other.toml"])
        .ends(78);
    let missing = folder.at(&["plan", "gone.yaml", "--config", "other.toml"]);
    missing.ends(78);
}

#[test]
fn validate_is_1_at_the_severity_that_fails() {
    let warned = [
        &site(),
        "---\napiVersion: cluster.open-cluster-management.io/v1beta1\n\
                            kind: Placemnt\nmetadata: {name: p}\n",
    ]
    .concat();
    let folder = Folder::of(&[("a.yaml", &warned)]);
    let answer = folder.at(&["validate", "a.yaml", "-o", "json"]);
    assert_eq!(answer.ends(0).codes(), ["planner::site::near_kind"]);
    folder
        .at(&["validate", "a.yaml", "--fail-on", "warning"])
        .ends(1);
    folder
        .at(&["validate", "a.yaml", "--fail-on", "note"])
        .ends(1);
    folder
        .at(&["validate", "a.yaml", "--fail-on", "warning", "--exit-zero"])
        .ends(0);
    folder.write("planner.toml", "fail-on = \"warning\"\n");
    folder.at(&["validate", "a.yaml"]).ends(1);
    folder
        .at(&["validate", "a.yaml", "--fail-on", "error"])
        .ends(0);
}

#[test]
fn exit_zero_hides_findings_and_nothing_else() {
    let folder = Folder::of(&[("a.yaml", BROKEN), ("empty/x", "")]);
    folder.at(&["validate", "a.yaml", "--exit-zero"]).ends(0);
    folder.at(&["validate", "empty", "--exit-zero"]).ends(66);
    folder
        .at(&["validate", "a.yaml", "--exit-zero", "--jobs", "0"])
        .ends(64);
}

#[test]
fn strict_makes_foreign_documents_errors_that_do_not_refuse() {
    let folder = Folder::of(&[("a.yaml", &[&site(), "---\n", FOREIGN].concat())]);
    folder.at(&["validate", "a.yaml"]).ends(0);
    let answer = folder.at(&["validate", "a.yaml", "--strict", "-o", "json"]);
    assert_eq!(answer.ends(1).codes(), ["planner::site::not_ours"]);
    let plan = folder
        .at(&["plan", "a.yaml", "--strict", "-o", "json"])
        .json();
    assert_eq!(plan["result"], "ready");
    assert_eq!(plan["documents"]["notOurs"], 1);
}

#[test]
fn help_and_version_are_0() {
    let folder = Folder::new();
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["-V"],
        &["plan", "--help"],
    ] {
        let answer = folder.run(args);
        answer.ends(0);
        assert!(!answer.out.is_empty() && answer.err.is_empty(), "{args:?}");
    }
}

#[test]
fn help_tells_the_marks_and_lists_the_common_flags_briefly_and_last() {
    let folder = Folder::new();
    let help = folder.run(&["plan", "--help"]).out;
    for mark in ["=", "+", "~", "-", "!"] {
        let line = format!("\n  {mark}  ");
        assert!(help.contains(&line), "{line} in {help}");
    }
    let all = 19;
    for (command, idle) in [
        ("plan", 0),
        ("why", 0),
        ("test", 0),
        ("diff", 1),
        ("risk", 1),
        ("validate", 2),
        ("simulate", 2),
    ] {
        let long = folder.run(&[command, "--help"]).out;
        let (own, common) = long.split_once("\nCommon options:\n").unwrap();
        assert!(!own.contains("--keep-going\n"), "{own}");
        assert!(
            common.lines().all(|line| line.starts_with("  ")),
            "{common}"
        );
        let flags = |text: &str| text.lines().filter(|line| line.contains(" --")).count();
        assert_eq!(flags(common), all - idle, "{common}");
        assert!(long.starts_with("Examples:\n"), "{long}");
        let short = folder.run(&[command, "-h"]).out;
        assert!(
            short.contains(&format!("planner {command} --help\n")),
            "{short}"
        );
    }
}

#[test]
fn brief_help_fits_a_screen() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]).out;
    let (_, commands) = help.split_once("Look:\n").unwrap();
    let (commands, _) = commands.split_once("`planner COMMAND").unwrap();
    let commands = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut seen = 0;
    for command in commands {
        let help = folder.run(&[command, "-h"]).ends(0).out.clone();
        assert!(help.lines().count() <= 40, "{command}: {help}");
        seen += 1;
    }
    assert!(seen > 20);
    let whole = folder.run(&["-h"]).out;
    assert!(whole.lines().count() <= 40, "{whole}");
}

#[test]
fn habits_of_other_programs_name_the_command() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    for (args, said) in [
        (&["plan", "-f", "s"][..], "`planner plan PATH`"),
        (&["plan", "s", "--dry-run"], "planner plan --no-input"),
        (&["apply", "-f", "s"], "planner proceed FILE"),
        (&["get", "placements"], "planner why NAME"),
        (&["diff", "-f", "s"], "planner plan --against REV"),
        (
            &["validate", "s", "--format", "json"],
            "`planner validate -o FORMAT`",
        ),
        (&["destroy"], "planner plan --without"),
        (&["state", "list"], "planner show FILE"),
    ] {
        let answer = folder.at(args);
        answer.ends(64).says(said);
        assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
    }
    let answer = folder.at(&["plan", "--no-such"]);
    assert!(
        !answer.ends(64).err.contains("as a value"),
        "{}",
        answer.err
    );
}

#[test]
fn a_path_that_does_not_exist_is_one_line() {
    let folder = Folder::new();
    for command in ["plan", "validate", "risk"] {
        let answer = folder.at(&[command, "nowhere"]);
        let said = format!("{}{}", answer.out, answer.err);
        assert_eq!(said, "planner: nowhere: no such file or directory\n");
        answer.ends(66);
    }
}

#[test]
fn the_status_never_depends_on_the_format() {
    let cases = [
        (site(), 2),
        (too_large(), 3),
        (BROKEN.to_owned(), 1),
        (FOREIGN.to_owned(), 66),
    ];
    for (text, status) in cases {
        let folder = Folder::of(&[("a.yaml", &text)]);
        for format in ["text", "json", "yaml", "json=plan.json", "yaml=/dev/null"] {
            folder
                .at(&["plan", "a.yaml", "--detailed-exitcode", "-o", format])
                .ends(status);
        }
        let status = folder.at(&["validate", "a.yaml"]).status;
        for format in ["concise", "json", "full=found.txt"] {
            folder
                .at(&["validate", "a.yaml", "-o", format])
                .ends(status);
        }
    }
}
