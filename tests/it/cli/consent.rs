//! What is approved is what was read; what is written is what was asked for.
#![cfg(unix)]

use crate::support::{BROKEN, Folder, site};

#[test]
fn a_baseline_never_covers_what_could_not_be_read() {
    let known = BROKEN.replace("retail", "other");
    let folder = Folder::of(&[("a.yaml", &known), ("b.yaml", "a: [\n")]);
    let args = ["validate", ".", "--update-baseline", "--grow"];
    folder
        .at(&args)
        .ends(1)
        .says("is unchanged: not everything could be read");
    assert!(!folder.has("planner-baseline.json"));
    folder.at(&[&args[..], &["--exit-zero"]].concat()).ends(1);
    folder.write("b.yaml", "a: []\n");
    folder.at(&args);
    assert!(folder.has("planner-baseline.json"));
    let before = folder.read("planner-baseline.json");
    for unread in [&[0xff, 0xfe, b'a'][..], b"a: *gone\n", b"[a]: 1\n"] {
        folder.write("b.yaml", unread);
        folder.at(&args).ends(1);
        assert_eq!(folder.read("planner-baseline.json"), before);
    }
    folder.write("b.yaml", "a: []\n");
    folder.write("planner.toml", "[limits]\nnodes = 5\n");
    folder.at(&args).ends(1);
    assert_eq!(folder.read("planner-baseline.json"), before);
}

#[test]
fn no_output_replaces_anything_that_was_read() {
    let folder = Folder::of(&[
        ("s/a.yaml", &site()),
        ("s/.gitignore", "*.tmp\n"),
        ("old/b.yaml", &site()),
        ("planner.toml", ""),
    ]);
    folder.at(&["plan", "--yes", "s"]).ends(0);
    for name in [
        "s/a.yaml",
        "s/.gitignore",
        "old/b.yaml",
        "planner.toml",
        "s/planner-records/0001-shop.yaml",
    ] {
        let before = folder.read(name);
        let output = format!("json={name}");
        folder
            .at(&["plan", "s", "--against", "old", "-o", &output])
            .ends(64)
            .says("is one of the inputs");
        assert_eq!(folder.read(name), before, "{name}");
    }
}

#[test]
fn no_output_takes_the_name_of_an_input() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    std::fs::hard_link(folder.path().join("s/a.yaml"), folder.path().join("b")).unwrap();
    let update = ["validate", "s", "--baseline", "new.json"];
    for (args, output) in [
        (&["plan", "s"][..], "b"),
        (&["validate", "s"], "s/planner-baseline.json"),
        (&update, "new.json"),
        (
            &[&update[..], &["--update-baseline", "--grow"]].concat(),
            "./new.json",
        ),
    ] {
        let before = folder.files();
        folder
            .at(&[args, &["-o", &format!("json={output}")]].concat())
            .ends(64)
            .says("is one of the inputs");
        assert_eq!(folder.files(), before, "{args:?}");
        assert_eq!(folder.read("s/a.yaml"), site());
    }
}

#[test]
fn nothing_was_written_is_said_only_when_true() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    folder
        .at(&["plan", "a.yaml"])
        .says("Nothing was written. Use --yes to proceed.");
    let answer = folder.at(&["plan", "a.yaml", "-o", "json=out.json"]);
    answer.says("No record was written. Use --yes to proceed.");
    assert!(!answer.err.contains("Nothing was written"), "{answer:?}");
}
