//! `planner.toml`: where it is found, what it sets, what is refused in it.

use crate::support::{Answer, BROKEN, Folder, site};

fn codes(answer: &Answer) -> Vec<String> {
    answer.codes()
}

#[test]
fn it_is_found_upwards_from_the_first_path() {
    let off = "[rules]\n\"site::near_kind\" = \"error\"\n";
    let near = "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRul\nmetadata: {name: a}\n";
    let text = [&site(), "---\n", near].concat();
    let folder = Folder::of(&[("top/planner.toml", off), ("top/s/a.yaml", &text)]);
    let project = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: bank}\n---\n";
    folder.write("other/b.yaml", [project, near].concat());
    folder.at(&["validate", "top/s"]).ends(1);
    folder.at(&["validate", "top/s/a.yaml"]).ends(1);
    folder.at(&["validate", "top/s", "other"]).ends(1);
    folder.at(&["validate", "other"]).ends(0);
    folder.at(&["validate", "other", "top/s"]).ends(0);
    folder
        .at(&["validate", "other", "--config", "top/planner.toml"])
        .ends(1);
    // A level is a level: the plan is not refused for it.
    folder.at(&["plan", "top/s"]).ends(0);
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_name() {
    let cases = [
        ("exclud = []\n", "exclude"),
        ("[limits]\ndeph = 3\n", "depth"),
        ("[rules]\n\"yaml::sintax\" = \"note\"\n", "yaml::syntax"),
        ("[limit]\ndepth = 3\n", "limits"),
    ];
    for (text, near) in cases {
        let folder = Folder::of(&[("planner.toml", text), ("a.yaml", &site())]);
        folder
            .at(&["plan"])
            .ends(78)
            .says(near)
            .says("planner.toml:");
    }
    let broken = [
        "include = 3\n",
        "exclude = [1]\n",
        "fail-on = \"never\"\n",
        "[limits]\ndepth = 0\n",
        "[limits]\ndepth = 513\n",
        "[limits]\ndepth = -1\n",
        "[limits]\nfile-bytes = 99999999999\n",
        "[rules]\n\"yaml::syntax\" = \"loud\"\n",
        "require-reason = 1\n",
        "limits = 3\n",
        "rules = []\n",
        "a = \n",
        "include = [\"x\"]\ninclude = [\"y\"]\n",
        "exclude = [\"a[\"]\n",
    ];
    for text in broken {
        let folder = Folder::of(&[("planner.toml", text), ("a.yaml", &site())]);
        let answer = folder.at(&["plan", "-o", "json"]);
        answer.ends(78).says("planner.toml");
        let codes = answer.codes();
        let found = |code: &String| code.starts_with("planner::config::");
        assert!(!codes.is_empty() && codes.iter().all(found), "{codes:?}");
        assert_eq!(answer.json()["result"], "invalid", "{text}");
    }
    let folder = Folder::of(&[("a.yaml", &site())]);
    folder.write("planner.toml", b"\xff\xfe");
    folder.at(&["plan"]).ends(78).says("planner.toml");
}

#[cfg(unix)]
#[test]
fn one_that_cannot_be_used_is_not_passed_over() {
    use std::os::unix::fs::symlink;
    let toml = "planner.toml";
    let cases = [
        ("nothing", "no such file"),
        ("planner.toml", "symbolic links"),
        ("../../out.toml", "leads out of the repository"),
        ("..", "directory"),
    ];
    for (to, why) in cases {
        let folder = Folder::of(&[
            ("r/.git/HEAD", ""),
            ("r/s/a.yaml", &site()),
            ("out.toml", "fail-on = \"note\"\n"),
        ]);
        symlink(to, folder.path().join("r/s").join(toml)).unwrap();
        for args in [
            &["plan", "r/s", "-o", "json"][..],
            &["validate", "r/s", "-o", "json"],
        ] {
            let answer = folder.at(args);
            answer.ends(78).says(why).says("r/s/planner.toml");
            assert_eq!(codes(&answer), ["planner::config::unreadable"]);
        }
        let named = format!("r/s/{toml}");
        let status = if to.contains("out") { 0 } else { 78 };
        folder.at(&["plan", "r/s", "--config", &named]).ends(status);
    }
    let folder = Folder::of(&[("s/a.yaml", &site()), ("s/planner.toml/x", "")]);
    folder.at(&["plan", "s"]).ends(78).says("directory");
    // Within the repository a link is fine.
    let folder = Folder::of(&[
        ("r/.git/HEAD", ""),
        ("r/s/a.yaml", BROKEN),
        ("r/own.toml", "exclude = [\"a.yaml\"]\n"),
    ]);
    symlink("../own.toml", folder.path().join("r/s").join(toml)).unwrap();
    folder.at(&["validate", "r/s"]).ends(66);
}

#[test]
fn include_and_exclude_choose_among_found_files() {
    let folder = Folder::of(&[
        ("planner.toml", ""),
        ("s/a.yaml", &site()),
        ("s/charts/b.yaml", BROKEN),
        ("s/deep/charts/c.yaml", BROKEN),
    ]);
    let with = |text: &str, args: &[&str]| {
        folder.write("planner.toml", text);
        folder.at(&[&["validate", "-o", "concise"], args].concat())
    };
    with("", &["s"]).ends(1);
    with("exclude = [\"s/charts/\", \"**/charts/**\"]\n", &["s"]).ends(0);
    with("exclude = [\"**/charts/\"]\n", &[]).ends(0);
    with("exclude = [\"charts/\"]\n", &["s"]).ends(1);
    with("include = [\"s/*.yaml\"]\n", &["s"]).ends(0);
    with(
        "include = [\"s/**\"]\nexclude = [\"**/charts/*.yaml\"]\n",
        &["s"],
    )
    .ends(0);
    with("include = [\"none/**\"]\n", &["s"]).ends(66);
    // A file that is named is meant.
    with("exclude = [\"**/charts/**\"]\n", &["s/charts/b.yaml"]).ends(1);
}

#[test]
fn levels_are_set_by_code_and_hide_no_refusal() {
    let folder = Folder::of(&[("a.yaml", BROKEN)]);
    let answer = folder.at(&["validate", "-o", "json"]);
    let code = codes(answer.ends(1))[0].clone();
    for (level, status) in [("error", 1), ("warning", 0), ("note", 0), ("off", 0)] {
        folder.write(
            "planner.toml",
            format!("[rules]\n\"{code}\" = \"{level}\"\n"),
        );
        let answer = folder.at(&["validate", "-o", "json"]);
        answer.ends(status);
        assert_eq!(codes(&answer).len(), usize::from(level != "off"));
        // What was refused stays refused.
        let plan = folder.at(&["plan", "-o", "json"]);
        assert_eq!(plan.ends(1).json()["result"], "invalid");
    }
}

#[test]
fn limits_can_be_set_and_say_how() {
    let deep = "a: [[[[1]]]]\n";
    let many = "a: 1\n---\na: 2\n---\na: 3\n";
    let alias = "a: &a [1, 2, 3]\nb: [*a, *a]\n";
    let cases = [
        ("depth = 4", deep, "planner::yaml::too_deep", "depth"),
        ("nodes = 5", many, "planner::yaml::too_many_nodes", "nodes"),
        (
            "documents = 2",
            many,
            "planner::io::too_many_documents",
            "documents",
        ),
        (
            "alias-nodes = 4",
            alias,
            "planner::yaml::too_many_aliases",
            "alias-nodes",
        ),
        (
            "file-bytes = 5",
            many,
            "planner::io::file_too_large",
            "file-bytes",
        ),
    ];
    for (limit, text, code, key) in cases {
        let folder = Folder::of(&[("a.yaml", text)]);
        folder.at(&["validate", "-o", "json"]).ends(66);
        folder.write("planner.toml", format!("[limits]\n{limit}\n"));
        let answer = folder.at(&["validate", "-o", "json"]);
        assert_eq!(answer.ends(1).codes(), [code], "{limit}");
        let help = answer.json()["diagnostics"][0]["help"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            help.contains(key) && help.contains("planner.toml"),
            "{help}"
        );
    }
}
