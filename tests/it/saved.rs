//! Saved plans: written, shown, applied, compared, refused when stale.

use crate::support::{self, Answer, Folder, NOW, PACKAGE, cluster};
use serde_json::{Value, json};

fn application(name: &str) -> String {
    format!(
        "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  \
          package: shop\n  \
         containers:\n  - {{name: c, image: \"i:1\", requests: {{cpu: \"1\", memory: 1Gi}}}}\n"
    )
}

/// Two Clusters and an Application, which goes to oslo.
fn site() -> Folder {
    let folder = Folder::new();
    folder.write(
        "site/package.yaml",
        format!("{PACKAGE}{}", application("web")),
    );
    folder.write("site/oslo.yaml", cluster("oslo", 2024, 5, "Up"));
    folder.write("site/riga.yaml", cluster("riga", 2023, 7, "Up"));
    folder
}

/// The site with a saved plan beside it.
fn saved() -> Folder {
    let folder = site();
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    folder
}

fn file(folder: &Folder) -> Value {
    let file = serde_json::from_str(&folder.read("shop.plan")).unwrap();
    support::answers::as_described(file)
}

fn apply(folder: &Folder) -> Answer {
    folder.at(&["proceed", "shop.plan", "--yes"])
}

/// Refused as stale, for this reason, and nothing written.
#[track_caller]
fn stale(folder: &Folder, reason: &str) {
    let before = folder.files();
    let answer = apply(folder);
    answer.ends(1).says("shop.plan is stale").says(reason);
    assert_eq!(folder.files(), before);
    folder
        .at(&["show", "shop.plan", "site"])
        .ends(0)
        .says("It is stale");
}

#[test]
fn a_file_holds_what_was_decided_and_the_lines_to_copy_are_printed() {
    let folder = site();
    let answer = folder.at(&["plan", "site", "--out", "shop.plan"]);
    let file = file(&folder);
    let digest = file["digest"].as_str().unwrap();
    let ending =
        format!("    planner show shop.plan\n    planner proceed shop.plan --digest {digest}\n");
    assert!(answer.ends(0).out.ends_with(&ending), "{answer:?}");
    assert!(!answer.err.contains("Not recorded"));
    let keys: Vec<&String> = file.as_object().unwrap().keys().collect();
    let wanted = "apiVersion kind formatVersion planner now directory paths options basis documents \
      revision counts result outcome digest";
    assert_eq!(keys, wanted.split(' ').collect::<Vec<_>>());
    assert_eq!(file["kind"], "SavedPlan");
    assert_eq!(file["paths"], json!(["site"]));
    assert_eq!(file["options"], json!({}));
    assert_eq!(
        file["basis"],
        json!({"records": 0, "packages": {"shop": null}})
    );
    assert_eq!(file["outcome"]["applications"][0]["cluster"], "oslo");
    assert!(file["outcome"].get("diagnostics").is_none());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let meta = std::fs::metadata(folder.path().join("shop.plan")).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
    }
    // Saved again it is the same, and standard output is the plan's alone.
    let again = folder.at(&["plan", "site", "--out", "shop.plan", "-o", "json"]);
    assert_eq!(again.ends(0).json()["kind"], "Plan");
    assert_eq!(self::file(&folder), file);
}

#[test]
fn the_same_outcome_is_applied() {
    let folder = saved();
    apply(&folder)
        .ends(0)
        .says("the same")
        .says("Wrote site/planner-records/0001-shop.yaml");
    let record = folder.read("site/planner-records/0001-shop.yaml");
    assert!(record.contains(file(&folder)["digest"].as_str().unwrap()));
    assert_eq!(
        folder.at(&["plan", "site", "-o", "json"]).json()["result"],
        "unchanged"
    );
}

#[test]
fn of_groups_nothing_is_recorded_and_it_is_said_why() {
    let groups = include_str!("../../fixtures/corpus/airship/seed-example-1-all-succeed.yaml");
    let folder = Folder::of(&[("groups.yaml", groups)]);
    let why = "Nothing to record: deployment groups are planned again each time.";
    let saved = folder.at(&["plan", "groups.yaml", "--out", "shop.plan"]);
    let ending = format!("{why}\n\nSaved shop.plan.\n");
    assert!(saved.ends(0).out.ends_with(&ending), "{saved:?}");
    assert!(!saved.out.contains("No changes"), "{saved:?}");
    let data = folder.at(&["plan", "groups.yaml", "--out", "shop.plan", "-o", "json"]);
    assert_eq!(data.ends(0).err, format!("Saved shop.plan. {why}\n"));
    let applied = apply(&folder);
    assert!(applied.ends(0).out.ends_with(&format!("{why}\n")));
    assert_eq!(applied.err.matches("othing to record").count(), 0);
}

#[test]
fn proceed_gives_the_reasons_of_the_plan_that_was_saved() {
    let folder = Folder::new();
    let site = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/site");
    folder.copy(site.as_ref(), "site");
    let not_chosen = |answer: &Answer| {
        let (_, from) = answer.out.split_once("  Not chosen: ").unwrap();
        from.split_once("\n\n").unwrap().0.to_owned()
    };
    let planned = folder.at(&["plan", "site", "--out", "shop.plan"]);
    let reasons = not_chosen(planned.ends(0));
    assert!(reasons.contains("in round 1;"), "{reasons}");
    assert_eq!(not_chosen(apply(&folder).ends(0)), reasons);
}

#[test]
fn other_documents_with_the_same_outcome_are_one_note() {
    let folder = saved();
    let digest = file(&folder)["digest"].clone();
    let text = folder
        .read("site/oslo.yaml")
        .replace("labels: {", "labels: {unused: yes-please, ");
    folder.write("site/oslo.yaml", format!("# A comment.\n{text}"));
    apply(&folder)
        .ends(0)
        .says("The documents have changed")
        .says("Wrote");
    let again = site();
    again.write("site/oslo.yaml", format!("# A comment.\n{text}"));
    again.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    assert_eq!(file(&again)["digest"], digest);
    assert_ne!(file(&again)["documents"], file(&folder)["documents"]);
}

#[test]
fn another_time_with_the_same_outcome_goes_on() {
    let folder = saved();
    let answer = folder.run(&[
        "proceed",
        "shop.plan",
        "--yes",
        "--now",
        "2027-05-05T05:05:05Z",
    ]);
    answer.ends(0).says("Wrote");
}

#[test]
fn another_outcome_is_stale_and_its_moves_are_listed() {
    let folder = saved();
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    stale(&folder, "the plan is now different");
    let answer = folder.at(&["proceed", "shop.plan", "-o", "json"]);
    let moves = &answer.ends(1).json()["moves"];
    assert_eq!(moves[0]["subject"], "shop/web");
    assert_eq!(
        (&moves[0]["from"], &moves[0]["to"]),
        (&json!("oslo"), &json!("riga"))
    );
    let moved = |line: &str| line.starts_with("~ shop/web") && line.contains("oslo  riga");
    let shown = apply(&folder);
    assert!(shown.out.lines().any(moved), "{shown:?}");
}

#[test]
fn a_plan_is_used_once() {
    let folder = saved();
    apply(&folder).ends(0);
    stale(&folder, "already recorded as 0001");
    // The same with records before it.
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    assert_eq!(
        file(&folder)["basis"],
        json!({"records": 1, "packages": {"shop": "shop-1"}})
    );
    apply(&folder).ends(0);
    stale(&folder, "already recorded as 0002");
}

#[test]
fn what_was_recorded_in_between_makes_it_stale() {
    let folder = saved();
    folder.at(&["plan", "site", "--yes"]).ends(0);
    stale(&folder, "record 0001 was written since");
    let folder = saved();
    folder.write(
        "site/deployment.yaml",
        "apiVersion: planner/v1\nkind: Deployment\nmetadata: {name: by-hand, creationTimestamp: \
          \"2025-01-01T00:00:00Z\"}\n\
         spec: {package: shop}\nstatus:\n  phase: Running\n  \
         workloads: [{application: web, cluster: oslo}]\n",
    );
    stale(
        &folder,
        "Deployment by-hand of Package shop was added since",
    );
}

#[test]
fn other_options_and_paths_are_bad_arguments() {
    let folder = saved();
    folder
        .at(&["proceed", "shop.plan", "--same-node"])
        .ends(64)
        .says("--same-node");
    folder
        .at(&["proceed", "shop.plan", "site/oslo.yaml"])
        .ends(64)
        .says("made from other PATHs: site");
    folder
        .at(&["proceed", "shop.plan", "site", "--yes"])
        .ends(0);
    let folder = site();
    folder
        .at(&[
            "plan",
            "site",
            "--same-node",
            "--package",
            "shop",
            "--out",
            "shop.plan",
        ])
        .ends(0);
    assert_eq!(
        file(&folder)["options"],
        json!({"packages": ["shop"], "sameNode": true})
    );
    // What a file says is no consent.
    apply(&folder)
        .ends(64)
        .says("was saved with --same-node --package shop; give it again");
    assert!(!folder.has("site/planner-records"));
    let shown = folder.at(&["show", "shop.plan"]);
    assert!(
        shown.ends(0).out.contains("made with --same-node"),
        "{shown:?}"
    );
    let same = [
        "proceed",
        "shop.plan",
        "--same-node",
        "--package",
        "shop",
        "--yes",
    ];
    folder.at(&same).ends(0);
    let folder = site();
    folder
        .at(&["plan", "site", "--allow-commands", "--out", "shop.plan"])
        .ends(0);
    apply(&folder).ends(64).says("--allow-commands");
    folder
        .at(&["proceed", "shop.plan", "--allow-commands", "--yes"])
        .ends(0);
}

#[test]
fn a_file_does_not_say_where_records_go() {
    let folder = site();
    let plan = [
        "plan",
        "site",
        "--records",
        "elsewhere",
        "--out",
        "shop.plan",
    ];
    let line = "planner proceed shop.plan --records elsewhere --digest sha256:";
    assert!(folder.at(&plan).ends(0).out.contains(line));
    apply(&folder).ends(64).says("--records elsewhere");
    let other = ["proceed", "shop.plan", "--records", "other", "--yes"];
    folder.at(&other).ends(64).says("--records");
    assert!(
        !folder.has("elsewhere") && !folder.has("other") && !folder.has("site/planner-records")
    );
    // The same place by another name, from another directory.
    let place = folder.path().join("elsewhere");
    let arguments = [
        "proceed",
        "../shop.plan",
        "--yes",
        "--now",
        NOW,
        "--records",
    ];
    let mut command = folder.command(&arguments);
    command.arg(&place).current_dir(folder.path().join("site"));
    support::answer(&mut command)
        .ends(0)
        .says("Wrote elsewhere/0001-shop.yaml");
    // One name for two places.
    let folder = site();
    folder.at(&plan).ends(0);
    let arguments = [&arguments[..], &["elsewhere"]].concat();
    let mut command = folder.command(&arguments);
    command.current_dir(folder.path().join("site"));
    support::answer(&mut command).ends(64);
}

/// Runs `apply` in a directory below the folder.
fn apply_in(folder: &Folder, directory: &str, file: &str) -> Answer {
    let mut command = folder.command(&["proceed", file, "--yes", "--now", NOW]);
    command.current_dir(folder.path().join(directory));
    support::answer(&mut command)
}

/// Saves a plan of `.` in the site.
fn plan_here(folder: &Folder, out: &str) {
    let mut command = folder.command(&["plan", ".", "--out", out, "--now", NOW]);
    command.current_dir(folder.path().join("site"));
    support::answer(&mut command).ends(0);
}

#[test]
fn a_plan_of_here_is_applied_where_it_was_made_and_nowhere_else() {
    for (out, from, file) in [
        ("shop.plan", ".", "site/shop.plan"),
        ("shop.plan", "site/plans", "../shop.plan"),
        ("plans/shop.plan", "site/plans", "shop.plan"),
        ("plans/shop.plan", ".", "site/plans/shop.plan"),
        ("../shop.plan", ".", "shop.plan"),
    ] {
        let folder = site();
        folder.write("site/plans/readme.txt", "");
        plan_here(&folder, out);
        apply_in(&folder, from, file).ends(0).says("the same");
        let again = apply_in(&folder, "site", out);
        again.ends(1).says("already recorded as 0001");
        let files = folder.files();
        let records = files.iter().filter(|name| name.contains("0001-"));
        assert_eq!(
            records.collect::<Vec<_>>(),
            ["site/planner-records/0001-shop.yaml"]
        );
    }
    // A file that was moved does not say where it was made.
    let folder = site();
    plan_here(&folder, "shop.plan");
    folder.write("other/shop.plan", folder.read("site/shop.plan"));
    std::fs::remove_file(folder.path().join("site/shop.plan")).unwrap();
    let before = folder.files();
    for (from, file) in [
        (".", "other/shop.plan"),
        ("other", "shop.plan"),
        ("site", "../other/shop.plan"),
    ] {
        let answer = apply_in(&folder, from, file);
        assert_eq!(answer.status, 1, "{from}: {answer:?}");
    }
    assert_eq!(folder.files(), before);
    // PATHs that are typed have to be the same.
    plan_here(&folder, "shop.plan");
    let arguments = ["proceed", "site/shop.plan", ".", "--yes"];
    folder.at(&arguments).ends(64).says("made from other PATHs");
    folder
        .at(&["proceed", "site/shop.plan", "site", "--yes"])
        .ends(0);
}

#[test]
fn a_file_larger_than_a_saved_plan_is_not_read() {
    let folder = saved();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(folder.path().join("shop.plan"));
    file.unwrap().set_len((64 << 20) + 1).unwrap();
    for command in ["show", "proceed"] {
        let answer = folder.at(&[command, "shop.plan"]);
        answer.ends(1).says("larger than a saved plan may be");
    }
}

#[test]
fn formats_digests_and_programs_are_told_apart() {
    let folder = saved();
    let written = file(&folder);
    let edited = |key: &str, value: Value| {
        let mut file = written.clone();
        file[key] = value;
        folder.write("shop.plan", file.to_string());
        apply(&folder)
    };
    edited("formatVersion", json!("2"))
        .ends(78)
        .says("format 2")
        .says("format 1");
    edited("digest", json!("sha256:0"))
        .ends(1)
        .says("changed after it was saved");
    edited("basis", json!({"records": 7, "packages": {}}))
        .ends(1)
        .says("changed after it was saved");
    edited("kind", json!("Plan"))
        .ends(1)
        .says("not a saved plan");
    edited("planner", json!("9.9.9")).ends(0).says("Wrote");
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    let stale = edited("planner", json!("9.9.9"));
    stale
        .ends(1)
        .says("saved by planner 9.9.9")
        .says("already recorded");
}

#[test]
fn a_file_that_is_no_plan_is_refused_and_nothing_is_written() {
    let folder = saved();
    let whole = folder.read("shop.plan");
    let brackets = "[".repeat(3_000_000);
    let texts = [
        "",
        "{",
        "no",
        "[]",
        "null",
        &whole[..whole.len() / 2],
        &whole[..1],
        &brackets,
        "\0\u{1}\u{7f}",
    ];
    for text in texts {
        folder.write("shop.plan", text);
        let before = folder.files();
        for command in ["proceed", "show"] {
            folder.at(&[command, "shop.plan"]).ends(1).says("shop.plan");
        }
        folder.at(&["diff", "shop.plan", "site"]).ends(1);
        assert_eq!(folder.files(), before);
    }
    folder.write("shop.plan", [0xff, 0xfe, 0x00]);
    apply(&folder).ends(1);
    folder
        .at(&["proceed", "gone.plan"])
        .ends(66)
        .says("no such file");
    folder.at(&["proceed", "site"]).ends(1);
}

#[test]
fn names_with_control_characters_do_not_reach_the_terminal() {
    let folder = saved();
    let mut value = file(&folder);
    value["paths"] = json!(["site\u{1b}[31m"]);
    folder.write("shop.plan", value.to_string());
    let answer = folder.at(&["show", "shop.plan"]);
    assert!(!answer.ends(0).out.contains('\u{1b}'), "{answer:?}");
}

#[test]
fn the_digest_ties_the_approval_to_the_plan() {
    let folder = saved();
    let digest = file(&folder)["digest"].as_str().unwrap().to_owned();
    folder
        .at(&["proceed", "shop.plan", "--yes", "--digest", "sha256:12"])
        .ends(1)
        .says("not the approved plan");
    folder
        .at(&["proceed", "shop.plan", "--yes", "--digest", &digest])
        .ends(0);
}

#[test]
fn a_plan_that_cannot_be_carried_out_is_not_saved() {
    let folder = site();
    folder.write("site/oslo.yaml", cluster("oslo", 2024, 5, "Down"));
    folder.write("site/riga.yaml", cluster("riga", 2023, 7, "Down"));
    folder
        .at(&["plan", "site", "--out", "shop.plan"])
        .ends(3)
        .says("was not written");
    folder.write(
        "site/bad.yaml",
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: x}\nspec: {}\n",
    );
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(1);
    assert!(!folder.has("shop.plan"));
    folder
        .at(&["plan", "site", "--keep-going", "--out", "shop.plan"])
        .ends(64);
    folder
        .at(&["plan", "site", "--yes", "--out", "shop.plan"])
        .ends(64);
    folder.at(&["plan", "-", "--out", "shop.plan"]).ends(64);
}

#[test]
fn a_plan_without_changes_says_so() {
    let folder = saved();
    apply(&folder).ends(0);
    let answer = folder.at(&["plan", "site", "--out", "shop.plan"]);
    assert!(answer.ends(0).out.contains("nothing to record"));
    assert!(
        folder
            .at(&["show", "shop.plan"])
            .ends(0)
            .out
            .contains("nothing to record")
    );
    apply(&folder).ends(0).says("nothing to record");
}

#[test]
fn a_saved_plan_in_a_site_is_not_ours_and_never_replaces_a_document() {
    let folder = site();
    folder
        .at(&["plan", "site", "--out", "site/plan.json"])
        .ends(0);
    folder
        .at(&["plan", "site", "--out", "site/plan.json"])
        .ends(0);
    folder
        .at(&["proceed", "site/plan.json", "--yes"])
        .ends(0)
        .says("the same");
    let plan = folder.at(&["plan", "site", "-o", "json"]);
    assert_eq!(plan.json()["documents"]["notOurs"], 1);
    let document = folder.read("site/oslo.yaml");
    folder
        .at(&["plan", "site", "--out", "site/oslo.yaml"])
        .ends(64);
    assert_eq!(folder.read("site/oslo.yaml"), document);
}

#[test]
fn it_is_applied_from_another_directory() {
    let folder = saved();
    folder.write("elsewhere/readme.txt", "");
    let mut command = folder.command(&["proceed", "../shop.plan", "--yes", "--now", NOW]);
    command.current_dir(folder.path().join("elsewhere"));
    support::answer(&mut command)
        .ends(0)
        .says("Paths are relative to .., where the plan was made.")
        .says("the same");
    assert!(folder.has("site/planner-records/0001-shop.yaml"));
    std::fs::remove_dir_all(folder.path().join("site")).unwrap();
    apply(&folder).ends(1).says("is not here");
}

#[test]
fn saved_plans_are_compared() {
    let folder = saved();
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    folder.at(&["plan", "site", "--out", "later.plan"]).ends(0);
    let diff = folder.at(&["diff", "shop.plan", "later.plan", "-o", "json"]);
    let json = diff.ends(0).json();
    assert_eq!(
        (&json["kind"], &json["against"]),
        (&json!("PlanDiff"), &json!("shop.plan"))
    );
    assert_eq!(json["moves"][0]["to"], "riga");
    folder
        .at(&["diff", "shop.plan", "later.plan", "--detailed-exitcode"])
        .ends(2);
    let site = folder.at(&["diff", "shop.plan", "site", "-o", "json"]);
    assert_eq!(site.ends(0).json()["moves"], json["moves"]);
    folder
        .at(&["diff", "shop.plan", "shop.plan", "--detailed-exitcode"])
        .ends(0);
    folder.at(&["diff", "site", "shop.plan"]).ends(64);
    // Without another side it is the site here.
    folder.at(&["diff", "shop.plan"]).ends(0);
}

#[test]
fn what_is_shown_as_data_is_the_plan() {
    let folder = saved();
    let plan = folder.at(&["plan", "site", "-o", "json"]).json();
    assert_eq!(
        folder
            .at(&["show", "shop.plan", "-o", "json"])
            .ends(0)
            .json(),
        plan
    );
}

/// Runs git without anybody's settings.
fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
        .args(arguments)
        .current_dir(folder.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    assert!(command.output().unwrap().status.success(), "{arguments:?}");
}

#[test]
fn where_git_has_the_documents_what_changed_is_said() {
    let folder = site();
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "one"]);
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    assert_eq!(file(&folder)["revision"].as_str().unwrap().len(), 40);
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    let apply = folder.at(&["proceed", "shop.plan", "-o", "json"]);
    let stale = apply.ends(1).json();
    let because = &stale["moves"][0]["because"];
    assert_eq!(
        because[0]["object"],
        json!({"kind": "Cluster", "name": "riga"})
    );
    assert_eq!(
        (&because[0]["before"], &because[0]["after"]),
        (&json!("7"), &json!("1"))
    );
    assert_eq!(stale["moves"][0]["confirmed"], true);
    assert_eq!(stale["stale"], json!(["the plan is now different"]));
    let diff = folder.at(&["diff", "shop.plan", "site", "-o", "json"]);
    assert_eq!(diff.ends(0).json()["moves"], stale["moves"]);
    // Of two saved plans as well.
    git(&folder, &["commit", "--quiet", "--all", "--message", "two"]);
    folder.at(&["plan", "site", "--out", "later.plan"]).ends(0);
    let diff = folder.at(&["diff", "shop.plan", "later.plan", "-o", "json"]);
    assert_eq!(diff.ends(0).json()["moves"], stale["moves"]);
    // Documents that no revision has say nothing.
    folder.write("site/oslo.yaml", cluster("oslo", 2024, 6, "Up"));
    folder.at(&["plan", "site", "--out", "dirty.plan"]).ends(0);
    folder.write("site/riga.yaml", cluster("riga", 2023, 7, "Up"));
    let diff = folder.at(&["diff", "dirty.plan", "site", "-o", "json"]);
    assert_eq!(diff.ends(0).json()["moves"][0]["because"], json!([]));
}

#[test]
fn the_later_site_has_its_say() {
    let folder = saved();
    folder.write("empty/readme.txt", "");
    folder.at(&["diff", "shop.plan", "empty"]).ends(66);
    folder.write("site/oslo.yaml", cluster("oslo", 2024, 5, "Down"));
    folder.write("site/riga.yaml", cluster("riga", 2023, 7, "Down"));
    let diff = folder.at(&["diff", "shop.plan", "site", "-o", "json"]);
    let json = diff.ends(3).json();
    assert_eq!(json["result"], "unplaceable");
    assert!(json["moves"][0]["error"].is_string(), "{json}");
    folder.write(
        "site/bad.yaml",
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: x}\nspec: {}\n",
    );
    let diff = folder.at(&["diff", "shop.plan", "site", "-o", "json"]);
    let json = diff.ends(1).json();
    assert_eq!(json["result"], "invalid");
    assert!(!json["diagnostics"].as_array().unwrap().is_empty());
}

#[test]
fn nesting_without_end_is_refused_wherever_it_is() {
    let folder = saved();
    let whole = folder.read("shop.plan");
    let deep = "[".repeat(200_000);
    let texts = [
        "{\"a\":".repeat(200_000),
        deep.clone(),
        format!("{{\"outcome\": {deep}"),
        whole.replacen(
            "\"outcome\": {",
            &format!("\"outcome\": {{\"x\": {deep},"),
            1,
        ),
        format!("\"{}", "x".repeat(200_000)),
        "9".repeat(200_000),
    ];
    for text in texts {
        folder.write("shop.plan", &text);
        let before = folder.files();
        for command in ["proceed", "show"] {
            folder.at(&[command, "shop.plan"]).ends(1).says("shop.plan");
        }
        assert_eq!(folder.files(), before);
    }
}

/// Runs the program, which is killed as soon as a file has more than so many blocks.
#[cfg(unix)]
fn killed_beyond(blocks: usize, folder: &Folder, arguments: &[&str]) -> Answer {
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "ulimit -c 0; ulimit -f \"$0\" && exec \"$@\""])
        .arg(blocks.to_string())
        .arg(support::PLANNER)
        .args(arguments)
        .args(["--now", NOW])
        .current_dir(folder.path());
    support::answer(&mut command)
}

#[cfg(unix)]
#[test]
fn a_run_killed_while_it_writes_leaves_no_half_of_a_file() {
    let folder = site();
    let plans = |folder: &Folder| {
        folder
            .files()
            .into_iter()
            .filter(|name| name.ends_with(".plan"))
            .count()
    };
    for blocks in 0..3 {
        let answer = killed_beyond(blocks, &folder, &["plan", "site", "--out", "shop.plan"]);
        match answer.status {
            0 => break,
            _ => assert!(!folder.has("shop.plan"), "{blocks}: {answer:?}"),
        }
    }
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    let whole = folder.read("shop.plan");
    // Over another one: that stays.
    folder.write("site/riga.yaml", cluster("riga", 2023, 1, "Up"));
    let answer = killed_beyond(0, &folder, &["plan", "site", "--out", "shop.plan"]);
    assert_ne!(answer.status, 0, "{answer:?}");
    assert_eq!(folder.read("shop.plan"), whole);
    assert_eq!(plans(&folder), 1);
    // A record is there as a whole or not at all.
    folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
    let answer = killed_beyond(0, &folder, &["proceed", "shop.plan", "--yes"]);
    assert_ne!(answer.status, 0, "{answer:?}");
    assert!(!folder.has("site/planner-records/0001-shop.yaml"));
    apply(&folder).ends(0).says("Wrote");
}

#[test]
fn a_plan_of_one_site_among_several_is_applied_as_such() {
    let folder = Folder::new();
    let home = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/repositories/deployed/files"
    );
    folder.copy(std::path::Path::new(home), "fleet");
    let args = ["plan", "fleet", "--site", "prod", "--out", "prod.plan"];
    let answer = folder.at(&args);
    answer.ends(0);
    let words = answer.out.lines().next_back().unwrap();
    let words = words.split_whitespace().skip(1);
    let line: Vec<&str> = words.chain(["--yes"]).collect();
    let file: Value = serde_json::from_str(&folder.read("prod.plan")).unwrap();
    assert_eq!(file["options"], json!({"site": ["prod"]}));
    for other in [vec![], vec!["--site", "dev"]] {
        let args = [vec!["proceed", "prod.plan", "--yes"], other].concat();
        folder.at(&args).ends(64).says("--site");
    }
    // Another overlay is another site: it changes nothing here.
    let patch = "fleet/overlays/dev/kustomization.yaml";
    let text = folder.read(patch);
    folder.write(patch, text + "commonAnnotations: {owner: team}\n");
    folder
        .at(&["show", "prod.plan", "fleet", "--site", "prod"])
        .ends(0)
        .says("up to date");
    folder
        .at(&line)
        .ends(0)
        .says("the same")
        .says("Wrote fleet/planner-records/0001-");
    let again = folder.at(&["plan", "fleet", "--site", "prod", "-o", "json"]);
    assert_eq!(again.json()["result"], "unchanged");
    folder.at(&line).ends(1).says("prod.plan is stale");
}
