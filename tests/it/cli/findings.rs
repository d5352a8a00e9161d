//! Findings: each is said once, by the page or on standard error; ignores, levels and the baseline
//! count in every command alike.

use std::path::Path;

use crate::support::{BROKEN, Folder, PACKAGE, application, cluster, site, too_large};

/// A folder with the site `fixtures/retail`.
fn retail() -> Folder {
    fn take(folder: &Folder, from: &Path, root: &Path) {
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                take(folder, &path, root);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy();
                folder.write(
                    &format!("retail/{name}"),
                    std::fs::read_to_string(&path).unwrap(),
                );
            }
        }
    }
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/retail");
    take(&folder, &root, &root);
    folder
}

#[test]
fn what_a_section_does_not_show_is_said() {
    let folder = retail();
    let shown = "leaves volumes behind";
    let whole = folder.at(&["plan", "retail", "--no-input"]);
    assert!(whole.out.contains(shown) && !whole.err.contains("volume_out_of_bounds"));
    for args in [
        &["--yes"][..],
        &["--no-input"],
        &["--no-input", "-o", "json"],
    ] {
        let args = [&["plan", "retail", "--section", "placements"], args].concat();
        let section = folder.at(&args);
        assert!(!section.out.contains(shown), "{section:#?}");
        section
            .says("ogc::volume_out_of_bounds")
            .says("pgdata-db-0");
    }
}

#[test]
fn a_section_says_why_another_one_fails() {
    let folder = Folder::of(&[("a.yaml", &too_large())]);
    let answer = folder.at(&["plan", "a.yaml", "--section", "placements"]);
    answer.ends(3).says("shop/web cannot be placed");
    assert_eq!(
        answer.out,
        "In other sections: 1 Application without a Cluster.\n\
         Error: planning failed, nothing can be deployed.\n\
         Reasons, and what would help: planner why shop/web --in a.yaml\n"
    );
    let shown = folder.at(&["plan", "a.yaml", "--section", "applications"]);
    assert_eq!(shown.ends(3).err, "");
    assert!(!shown.out.contains("In other sections"), "{shown:#?}");
}

/// A site with an unknown field in a Placement, which is a warning.
fn with_warning(comment: &str) -> String {
    format!(
        "{}---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {{name: any, namespace: default}}\nspec:\n  toleratons: []{comment}\n",
        site()
    )
}

const COMMENT: &str = "  # planner: ignore[schema::unknown_field]: on purpose";

#[test]
fn ignores_levels_and_the_baseline_count_in_every_command() {
    let commands = [
        &["plan", "a.yaml", "--no-input"][..],
        &["plan", "a.yaml", "--section", "placements", "--no-input"],
        &["plan", "a.yaml", "--no-input", "-o", "json"],
        &["plan", "a.yaml", "--against", "empty"],
        &["graph", "a.yaml"],
    ];
    let said = |folder: &Folder, args: &[&str]| {
        let answer = folder.at(args);
        answer.out.contains("unknown_field") || answer.err.contains("unknown_field")
    };
    let of = |text: &str| Folder::of(&[("a.yaml", text), ("empty/none.txt", "")]);
    for args in commands {
        assert!(said(&of(&with_warning("")), args), "{args:?}");
        assert!(!said(&of(&with_warning(COMMENT)), args), "{args:?}");
        let level = of(&with_warning(""));
        level.write(
            "planner.toml",
            "[rules]\n\"schema::unknown_field\" = \"off\"\n",
        );
        assert!(!said(&level, args), "{args:?}");
        let known = of(&with_warning(""));
        known
            .at(&["validate", "a.yaml", "--update-baseline", "--grow"])
            .ends(0);
        assert!(!said(&known, args), "{args:?}");
    }
}

#[test]
fn a_comment_that_covers_nothing_is_for_validate_to_judge() {
    let text = format!("# planner: ignore[ogc::bad_name]\n{}", site());
    let folder = Folder::of(&[("a.yaml", &text)]);
    let checked = folder.at(&["validate", "a.yaml"]);
    assert!(checked.out.contains("ignore_unused"), "{checked:#?}");
    let plan = folder.at(&["plan", "a.yaml", "--no-input", "-q"]);
    assert_eq!(plan.ends(0).err, "");
}

#[test]
fn a_refusal_says_what_covers_it() {
    let operator = "  - {key: cost, operator: Cheapest}";
    let ignored = BROKEN.replace(
        operator,
        &format!("{operator} # planner: ignore[schema::value]"),
    );
    let cases = [
        (ignored.as_str(), "", false, "ignored here"),
        (
            BROKEN,
            "[rules]\n\"schema::value\" = \"off\"\n",
            false,
            "planner.toml turns it off",
        ),
        (BROKEN, "", true, "the baseline covers it"),
    ];
    for (text, config, baseline, why) in cases {
        let folder = Folder::of(&[("a.yaml", text), ("planner.toml", config)]);
        if baseline {
            let update = ["validate", "a.yaml", "--update-baseline", "--grow"];
            folder.at(&update).ends(0);
        }
        folder.at(&["validate", "a.yaml"]).ends(0);
        let plan = folder.at(&["plan", "a.yaml"]);
        plan.ends(1).says("Cheapest");
        assert!(
            plan.out.contains("documents were refused (1 error)"),
            "{plan:#?}"
        );
        let data = folder.at(&["plan", "a.yaml", "-o", "json"]).json();
        assert_eq!(data["result"], "invalid");
        let found = &data["diagnostics"][0];
        assert_eq!(found["code"], "planner::schema::value", "{data:#}");
        assert!(found.to_string().contains(why), "{found:#}");
    }
}

/// The page lists what is new; standard error does not say it again.
#[test]
fn a_new_finding_is_told_once_against_another_state() {
    let folder = Folder::of(&[
        ("old/site.yaml", &with_warning("")),
        ("new/site.yaml", &with_warning("")),
    ]);
    folder.write("old/site.yaml", site());
    let answer = folder.at(&["plan", "new", "--against", "old"]);
    let told = |text: &str| text.matches("unknown_field").count();
    assert_eq!(
        (told(&answer.out), told(&answer.err)),
        (1, 0),
        "{answer:#?}"
    );
}

/// Applications that find no place for the same reasons are told of together.
#[test]
fn the_same_reasons_are_given_once() {
    let more = |name| application(name, "100", false);
    let large = [
        too_large(),
        more("api"),
        more("shop"),
        application("db", "99", false),
    ]
    .concat();
    let folder = Folder::of(&[("a.yaml", &large)]);
    let answer = folder.at(&["plan", "a.yaml"]);
    for (names, number) in [("api, shop, web", 1), ("db", 1), ("    ", 0)] {
        let head = format!("\n{names} cannot be placed:\n");
        assert_eq!(answer.out.matches(&head).count(), number, "{answer:#?}");
    }
    let reason = "needs 100 on one Node; the largest there has 8";
    assert_eq!(answer.out.matches(reason).count(), 1, "{answer:#?}");
}

/// What an earlier plan left behind is warned of, and no part of what this one comes to.
#[test]
fn a_volume_is_left_behind_once() {
    let folder = retail();
    let first = folder.at(&["plan", "retail", "--yes"]);
    assert!(first.out.contains(" 1 volume left behind."), "{first:#?}");
    let shop = folder
        .read("retail/shop.yaml")
        .replace("name: web}", "name: front}");
    folder.write("retail/shop.yaml", shop);
    let second = folder.at(&["plan", "retail", "--no-input"]);
    assert!(second.out.contains("1 to place"), "{second:#?}");
    assert!(
        second.out.contains("left volumes behind in earlier"),
        "{second:#?}"
    );
    assert!(!second.out.contains("volume left behind."), "{second:#?}");
}

/// An add-on that goes from one cluster to another one leaves the first.
#[test]
fn what_leaves_a_cluster_is_at_stake() {
    let fleet = include_str!("../../../fixtures/deliveries/fleet.yaml");
    let folder = Folder::of(&[("site/fleet.yaml", fleet)]);
    let answer = folder.at(&["plan", "site", "--yes"]);
    let leaves = "- 1 delivery leaves clusters: ClusterManagementAddOn search (riga)\n";
    assert!(answer.out.contains(leaves), "{answer:#?}");
    let total = "1 decision added, 0 removed, 0 unchanged; 2 of 2 deliveries changed.\n";
    assert!(answer.out.contains(total), "{answer:#?}");
}

#[test]
fn the_same_fault_in_another_object_is_new() {
    let wrong =
        |name: &str| application(name, "1", false).replace("cpu: \"1\"", "cpu: \"1\", memroy: 1Gi");
    let base = [PACKAGE, &cluster("lyon", 2021, 7, "Up")].concat();
    let before = format!("{base}{}", wrong("a"));
    let after = format!("{base}{}{}", wrong("a"), wrong("b"));
    let folder = Folder::of(&[("old/a.yaml", &before), ("new/a.yaml", &after)]);
    let codes = |found: &serde_json::Value| -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
        let one = |one: &serde_json::Value| (text(&one["code"]), text(&one["object"]["name"]));
        found.as_array().unwrap().iter().map(one).collect()
    };
    let to = |from: &str, to: &str| {
        let answer = folder
            .at(&["plan", to, "--against", from, "-o", "json"])
            .json();
        (
            codes(&answer["findings"]["new"]),
            codes(&answer["findings"]["gone"]),
        )
    };
    let (new, gone) = to("old", "new");
    assert!(
        !new.is_empty() && new.iter().all(|(_, name)| name == "b"),
        "{new:?}"
    );
    assert_eq!(gone, []);
    let (none, removed) = to("new", "old");
    assert_eq!((none, removed), (Vec::new(), new));
}
