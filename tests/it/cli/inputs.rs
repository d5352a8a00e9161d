//! What is read: PATHs, endings, hidden and ignored files, standard input.

use crate::support::{BROKEN, FOREIGN, Folder, answer, site};

fn paths(answer: &crate::support::Answer) -> Vec<String> {
    let found = answer.json()["diagnostics"].clone();
    let path = |found: &serde_json::Value| Some(found["primary"]["path"].as_str()?.to_owned());
    let mut paths: Vec<String> = found.as_array().unwrap().iter().filter_map(path).collect();
    paths.dedup();
    paths
}

#[test]
fn a_directory_gives_every_yaml_and_json_file_below() {
    let folder = Folder::of(&[
        ("s/a.yaml", "a: [\n"),
        ("s/b.yml", "a: [\n"),
        ("s/deep/er/c.json", "[\n"),
        ("s/README.md", "a: [\n"),
        ("s/d.yaml.orig", "a: [\n"),
        ("s/.hidden.yaml", "a: [\n"),
        ("s/.git/x.yaml", "a: [\n"),
        ("s/upper.YAML", "a: [\n"),
    ]);
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(
        paths(answer.ends(1)),
        ["s/a.yaml", "s/b.yml", "s/deep/er/c.json"]
    );
    // A file that is named is read whatever it is called.
    for name in ["s/README.md", "s/.hidden.yaml", "s/d.yaml.orig"] {
        let answer = folder.at(&["validate", name, "-o", "json"]);
        assert_eq!(paths(answer.ends(1)), [name]);
    }
}

#[test]
fn the_default_is_the_current_directory() {
    let folder = Folder::of(&[("a.yaml", &site()), ("deep/b.yaml", BROKEN)]);
    let answer = folder.at(&["validate", "-o", "json"]);
    assert_eq!(paths(answer.ends(1)), ["deep/b.yaml"]);
    folder.at(&["why", "shop/web"]).ends(1);
    let sound = Folder::of(&[("a.yaml", &site())]);
    sound.at(&["why", "shop/web"]).ends(0);
    sound
        .at(&["plan", "--yes"])
        .ends(0)
        .says("Wrote planner-records/0001-shop.yaml");
}

#[test]
fn ignored_files_are_left_out_and_named_ones_are_not() {
    let folder = Folder::of(&[
        (".git/HEAD", ""),
        (".gitignore", "/s/out/\n*.gen.yaml\n"),
        ("s/a.yaml", &site()),
        ("s/out/b.yaml", BROKEN),
        ("s/c.gen.yaml", BROKEN),
        ("s/deep/.gitignore", "d.yaml\n!e.gen.yaml\n"),
        ("s/deep/d.yaml", BROKEN),
        ("s/deep/e.gen.yaml", "a: [\n"),
    ]);
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(paths(answer.ends(0)), ["s/deep/e.gen.yaml"]);
    let answer = folder.at(&["validate", "s/out/b.yaml", "-o", "json"]);
    assert_eq!(paths(answer.ends(1)), ["s/out/b.yaml"]);
}

#[test]
fn a_file_named_twice_is_read_once() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let once = folder.at(&["plan", "s", "-o", "json"]);
    for again in [
        &["s", "s/a.yaml"][..],
        &["s/a.yaml", "./s/../s/a.yaml", "s"],
    ] {
        let args = [&["plan"], again, &["-o", "json"]].concat();
        assert_eq!(folder.at(&args).out, once.out, "{again:?}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.yaml", folder.path().join("s/b.yaml")).unwrap();
        assert_eq!(folder.at(&["plan", "s", "-o", "json"]).out, once.out);
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_round_are_findings() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link("gone.yaml", "s/dangling.yaml");
    link("round.yaml", "s/round.yaml");
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(paths(answer.ends(1)), ["s/dangling.yaml", "s/round.yaml"]);
}

#[cfg(unix)]
#[test]
fn links_to_directories_are_followed_where_they_stay_below_the_path() {
    let folder = Folder::of(&[
        ("s/real/a.yaml", BROKEN),
        ("s/.kept/b.yaml", BROKEN),
        ("out/c.yaml", BROKEN),
    ]);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link("real", "s/again");
    link(".", "s/loop");
    link("../s/.kept", "s/seen");
    link("../out", "s/out");
    let answer = folder.at(&["validate", "s", "-o", "concise"]);
    let places = |name: &str| answer.out.matches(&format!("{name}:")).count() > 0;
    assert!(
        places("s/real/a.yaml") && places("s/seen/b.yaml"),
        "{}",
        answer.out
    );
    assert!(
        !places("s/again/a.yaml") && !places("s/out/c.yaml"),
        "{}",
        answer.out
    );
    let note = "note[io::leads_out] `s/out` is a link that leads out of the PATHs";
    assert!(answer.out.contains(note), "{}", answer.out);
    answer.says("in 2 files");
}

/// A link, made.
#[cfg(unix)]
fn link(folder: &Folder, to: &str, name: &str) {
    std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
}

#[cfg(unix)]
#[test]
fn files_elsewhere_are_not_read_through_links() {
    let folder = Folder::of(&[
        ("s/a.yaml", &site()),
        ("s/deep/readme.txt", ""),
        ("out/token.yaml", "kind: Placement\nTOKEN: [ghp_secret\n"),
        ("out/more.yaml", "kind: Placement\nTOKEN: [ghp_secret\n"),
    ]);
    link(&folder, "../../out/token.yaml", "s/deep/values.yaml");
    link(&folder, "../out", "s/linked");
    for args in [
        &["validate", "s"][..],
        &["plan", "s"],
        &["validate", "s", "-o", "github"],
    ] {
        let answer = folder.at(args);
        let said = [answer.ends(0).err.as_str(), &answer.out].concat();
        assert!(!said.contains("ghp_secret"), "{args:?}: {answer:#?}");
    }
    let note = folder.at(&["validate", "s", "-o", "concise"]).out;
    let wanted =
        "2 links lead out of the PATHs, so they are not read: `s/deep/values.yaml`, `s/linked`";
    assert!(note.contains(wanted), "{note}");
    // What is meant is read: a further PATH, the file itself, or all links.
    let read = |args: &[&str], wanted: &[&str]| {
        let answer = folder.at(&[&["validate", "-o", "json"], args].concat());
        assert_eq!(paths(answer.ends(1)), wanted, "{args:?}");
    };
    read(&["s", "out/token.yaml"], &["out/token.yaml"]);
    read(&["s/deep/values.yaml"], &["s/deep/values.yaml"]);
    folder.write("planner.toml", "follow-links = true\n");
    read(&["s"], &["s/deep/values.yaml", "s/linked/more.yaml"]);
    // No further than the repository: its configuration is not that of the machine.
    folder.write("s/planner.toml", "follow-links = true\n");
    std::fs::remove_file(folder.path().join("planner.toml")).unwrap();
    std::fs::create_dir(folder.path().join("s/.git")).unwrap();
    let answer = folder.at(&["validate", "s"]);
    let said = [answer.ends(0).err.as_str(), &answer.out].concat();
    assert!(!said.contains("ghp_secret"), "{answer:#?}");
    assert!(said.contains("2 links lead out"), "{answer:#?}");
}

#[cfg(unix)]
#[test]
fn the_layers_of_a_repository_are_read_below_it_alone() {
    let definition = "schema: pegleg/SiteDefinition/v1\nmetadata: {schema: metadata/Document/v1, \
                      name: x, layeringDefinition: {layer: site, abstract: false}, \
                      storagePolicy: cleartext}\ndata: {site_type: cruiser, repositories: {}}\n";
    let folder = Folder::of(&[
        ("r/site/x/site-definition.yaml", definition),
        ("r/global/readme.txt", ""),
        ("out.yaml", "TOKEN: [ghp_secret\n"),
    ]);
    link(&folder, "../../out.yaml", "r/global/a.yaml");
    let answer = folder.at(&["validate", "r"]);
    let said = [answer.err.as_str(), &answer.out].concat();
    assert!(!said.contains("ghp_secret"), "{answer:#?}");
    assert!(
        said.contains("`r/global/a.yaml` is a link that leads out"),
        "{answer:#?}"
    );
}

#[cfg(unix)]
#[test]
fn records_that_cannot_be_looked_at_are_not_passed_over() {
    type Make = fn(&Folder);
    let cases: [(Make, &str); 6] = [
        (
            |folder| link(folder, "gone", "s/planner-records"),
            "is broken",
        ),
        (
            |folder| link(folder, "planner-records", "s/planner-records"),
            "symbolic links",
        ),
        (
            |folder| link(folder, "/dev/null", "s/planner-records"),
            "not a directory",
        ),
        (
            |folder| drop(folder.write("s/planner-records", "")),
            "not a directory",
        ),
        (
            |folder| {
                let path = folder.path().join("s/planner-records");
                let made = std::process::Command::new("mkfifo").arg(path).status();
                assert!(made.unwrap().success());
            },
            "not a directory",
        ),
        (
            |folder| {
                folder.write("elsewhere/0007-shop.yaml", "");
                link(folder, "../elsewhere", "s/planner-records");
            },
            "leads out of the site",
        ),
    ];
    for (make, why) in cases {
        let folder = Folder::of(&[("s/a.yaml", &site())]);
        make(&folder);
        for args in [
            &["plan", "s", "--yes"][..],
            &["validate", "s"],
            &["plan", "s", "--yes", "-o", "json"],
        ] {
            let answer = folder.at(args);
            answer.ends(1);
            let said = [answer.err.as_str(), &answer.out].concat();
            assert!(
                said.contains("io::unreadable") && said.contains(why),
                "{why}: {answer:#?}"
            );
        }
        assert!(!folder.files().iter().any(|name| name.contains("0001")));
    }
    // A record of its own.
    for (target, why) in [
        ("gone", "the link is broken"),
        ("../../kept.yaml", "a link that leads out of the site"),
    ] {
        let folder = Folder::of(&[("s/a.yaml", &site()), ("kept.yaml", "")]);
        folder.at(&["plan", "s", "--yes"]).ends(0);
        let record = folder.path().join("s/planner-records/0001-shop.yaml");
        std::fs::rename(record, folder.path().join("kept.yaml")).unwrap();
        link(&folder, target, "s/planner-records/0001-shop.yaml");
        for args in [&["plan", "s", "--yes"][..], &["validate", "s"]] {
            let answer = folder.at(args);
            answer.ends(1);
            let said = [answer.err.as_str(), &answer.out].concat();
            assert!(
                said.contains("io::unreadable") && said.contains(why),
                "{why}: {answer:#?}"
            );
        }
        assert!(!folder.has("s/planner-records/0002-shop.yaml"));
    }
    // The caller may name a directory anywhere.
    let folder = Folder::of(&[("s/a.yaml", &site()), ("elsewhere/readme.txt", "")]);
    link(&folder, "../elsewhere", "s/planner-records");
    let named = ["plan", "s", "--yes", "--records", "s/planner-records"];
    folder.at(&named).ends(0);
    assert!(folder.has("elsewhere/0001-shop.yaml"));
    let folder = Folder::of(&[("s/a.yaml", &site()), ("s/kept/readme.txt", "")]);
    link(&folder, "kept", "s/planner-records");
    folder.at(&["plan", "s", "--yes"]).ends(0);
    assert!(folder.has("s/kept/0001-shop.yaml"));
}

#[test]
fn json_texts_need_no_mark_between_them() {
    let one = |name: &str| {
        format!(
            r#"{{"apiVersion": "planner/v1", "kind": "Project", "metadata": {{"name": "{name}"}}}}"#
        )
    };
    let text = format!("{}\n{}{}", one("a"), one("b"), one("C"));
    let folder = Folder::of(&[("s/a.json", text.as_str())]);
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(answer.ends(1).codes(), ["planner::ogc::bad_name"]);
    assert_eq!(answer.json()["documents"]["read"], 3);
    assert_eq!(answer.json()["diagnostics"][0]["primary"]["line"], 2);
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_counted() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    std::os::unix::fs::symlink("gone.yaml", folder.path().join("s/b.yaml")).unwrap();
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["unreadable"], 1);
    folder
        .at(&["validate", "s"])
        .says("in 2 files (1 of them could not be read): 6 checked; 1 error.");
    let answer = folder.at(&["validate", "s/a.yaml", "s/b.yaml", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["unreadable"], 1);
    folder.at(&["validate", "nowhere"]).ends(66);
}

#[test]
fn standard_input_is_one_file_with_a_name() {
    let folder = Folder::new();
    folder.piped(&["plan", "-"], site()).ends(0);
    let answer = folder.piped(&["validate", "-", "-o", "json"], BROKEN);
    assert_eq!(paths(answer.ends(1)), ["<stdin>"]);
    let args = [
        "validate",
        "-",
        "--stdin-filename",
        "site/new.yaml",
        "-o",
        "json",
    ];
    let answer = folder.piped(&args, BROKEN);
    assert_eq!(paths(answer.ends(1)), ["site/new.yaml"]);
    folder.write("rest.yaml", FOREIGN);
    let both = folder.piped(&["plan", "rest.yaml", "-", "-o", "json"], site());
    assert_eq!(both.ends(0).json()["documents"]["notOurs"], 1);
    let preview = folder.piped(&["plan", "-"], site());
    preview.says("--yes");
    assert_eq!(folder.files(), ["rest.yaml"]);
}

#[test]
fn documents_are_counted_as_the_contract_says() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n\
                - {apiVersion: v1, kind: B}\n";
    let text = [
        &site(),
        "---\n---\n# nothing\n---\n",
        list,
        "---\na: [\n---\nb: c\n",
    ]
    .concat();
    let folder = Folder::of(&[("a.yaml", &text)]);
    let plan = folder
        .at(&["plan", "a.yaml", "--keep-going", "-o", "json"])
        .ends(1)
        .json();
    let wanted = serde_json::json!({"read": 10, "planned": 6, "notOurs": 3});
    assert_eq!(plan["documents"], wanted);
    // What is refused for its meaning takes no part either.
    let twice = "---\napiVersion: planner/v1\nkind: Project\nmetadata: {name: Bad}\n\
                 ---\napiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n";
    folder.write("b.yaml", [&site(), twice].concat());
    let plan = folder
        .at(&["plan", "b.yaml", "--keep-going", "-o", "json"])
        .ends(1)
        .json();
    let wanted = serde_json::json!({"read": 8, "planned": 6, "notOurs": 0});
    assert_eq!(plan["documents"], wanted);
    let summary = folder.at(&["validate", "a.yaml"]);
    summary
        .says("10 documents in 1 file")
        .says("6 checked")
        .says("3 not recognised");
    summary.says("1 unreadable").says("1 error");
}

#[test]
fn our_own_answers_are_never_read_as_documents() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let plan = folder.at(&[
        "plan",
        "s",
        "-o",
        "json=s/plan.json",
        "-o",
        "yaml=s/plan.yaml",
    ]);
    plan.ends(0);
    folder
        .at(&["validate", "s", "-o", "json=s/found.json"])
        .ends(0);
    folder
        .at(&["why", "shop/web", "--in", "s", "-o", "json=s/why.json"])
        .ends(0);
    let again = folder.at(&["plan", "s", "-o", "json"]).ends(0).json();
    assert_eq!(again["documents"]["notOurs"], 4);
    assert_eq!(again["diagnostics"], serde_json::json!([]));
}

#[test]
fn names_of_files_are_relative_and_never_raw() {
    let folder = Folder::of(&[("s/a.yaml", BROKEN)]);
    let absolute = folder.path().join("s/a.yaml");
    let answer = folder.at(&["validate", absolute.to_str().unwrap(), "-o", "json"]);
    assert_eq!(paths(&answer), ["s/a.yaml"]);
    let deep = Folder::of(&[("a/b/c.yaml", BROKEN)]);
    std::fs::create_dir(deep.path().join("a/d")).unwrap();
    let mut command = deep.command(&["validate", "../b", "-o", "json"]);
    command.current_dir(deep.path().join("a/d"));
    assert_eq!(
        paths(&crate::support::answer(&mut command)),
        ["../b/c.yaml"]
    );
    #[cfg(unix)]
    {
        folder.write("s/\u{1b}[31mred.yaml", BROKEN);
        for format in ["full", "concise"] {
            let answer = folder.at(&["validate", "s", "-o", format]);
            assert!(!answer.out.contains('\u{1b}') && answer.out.contains("red.yaml"));
        }
        let gone = folder.at(&["plan", "\u{1b}[31mgone.yaml"]);
        assert!(!gone.err.contains('\u{1b}'), "{gone:#?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_name_that_is_no_utf8_is_read() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("s")).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"s/a\xff.yaml");
    std::fs::write(folder.path().join(name), BROKEN).unwrap();
    let answer = folder.at(&["validate", "s", "-o", "json"]);
    assert_eq!(paths(answer.ends(1)), ["s/a\u{fffd}.yaml"]);
    let mut command = folder.command(&["validate", "-o", "concise"]);
    crate::support::answer(command.arg(name)).ends(1);
    let mut command = folder.command(&["plan"]);
    let mut value = std::ffi::OsString::from("-o");
    value.push("json=");
    crate::support::answer(command.arg(name).arg(value)).ends(64);
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_read_and_endless_files_are_not() {
    let folder = Folder::of(&[("planner.toml", "[limits]\nfile-bytes = 1000000\n")]);
    let answer = folder.at(&["validate", "/dev/zero", "-o", "json"]);
    assert_eq!(answer.ends(66).codes(), ["planner::io::unreadable"]);
    let endless = std::fs::File::open("/dev/zero").unwrap();
    let mut command = folder.command(&["validate", "/dev/stdin", "-o", "json"]);
    let answer = crate::support::answer(command.stdin(endless));
    assert_eq!(answer.ends(1).codes(), ["planner::io::file_too_large"]);
    let answer = folder.piped(&["plan", "/dev/stdin"], site());
    answer.ends(0);
}

#[test]
fn who_reads_a_part_of_a_site_hears_where_it_begins() {
    let project = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n";
    let package =
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: shop}\nspec: {project: retail}\n";
    let folder = Folder::of(&[
        ("r/.git/HEAD", "ref: refs/heads/main\n"),
        ("r/sites/a/project.yaml", project),
        ("r/sites/a/packages/shop/shop.yaml", package),
    ]);
    let part = "r/sites/a/packages/shop";
    let said = |directory: &str, args: &[&str]| {
        let mut command = folder.command(args);
        command.current_dir(folder.path().join(directory));
        answer(&mut command).err
    };
    // The nearest directory with documents, within the repository.
    assert!(said("", &["plan", part]).contains("did you mean `planner plan r/sites/a`?\n"));
    assert!(said(part, &["validate"]).contains("did you mean `planner validate ../..`?\n"));
    assert!(said(part, &["why", "web"]).contains("did you mean `planner why web --in ../..`?\n"));
    // `planner.toml` says it better.
    folder.write("r/planner.toml", "");
    assert!(said(part, &["plan"]).contains("did you mean `planner plan ../../../..`?\n"));
    // Not where that has errors of its own.
    folder.write(
        "r/sites/a/broken.yaml",
        "apiVersion: planner/v1\nkind: Project\n",
    );
    assert!(!said(part, &["plan"]).contains("did you mean"));
    folder.write("r/sites/a/broken.yaml", "");
    // Nothing is said of the site itself, or where nothing is missing.
    assert!(!said("r", &["plan"]).contains("did you mean"));
    folder.write("r/sites/a/packages/shop/project.yaml", project);
    assert!(!said(part, &["validate"]).contains("did you mean"));
}
