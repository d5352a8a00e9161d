//! `planner report`: the structure of the page, what is on it, and what never is.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::sites;
use crate::support::{BROKEN, FOREIGN, Folder, PACKAGE, application, cluster, site, too_large};
use data_encoding::BASE64;
use roxmltree::{Document, Node, ParsingOptions};
use sha2::{Digest as _, Sha256};

/// The sites that pages are made of: all five systems, and some of one each.
const FIXTURES: [&str; 6] = [
    "site",
    "retail",
    "hybrid/board",
    "senlin/grow.yaml",
    "ocm/hub",
    "deliveries/fleet.yaml",
];

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    root.join(name).to_str().unwrap().to_owned()
}

/// The page of a site, with these arguments.
#[track_caller]
fn page(folder: &Folder, status: i32, args: &[&str]) -> String {
    let mut all = vec!["report", "-o", "-"];
    all.extend(args);
    folder.at(&all).ends(status).out.clone()
}

fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}"))
}

fn named<'a, 'd>(page: &'a Document<'d>, tag: &'a str) -> impl Iterator<Item = Node<'a, 'd>> {
    page.descendants()
        .filter(move |node| node.has_tag_name(tag))
}

fn of_id<'a, 'd>(page: &'a Document<'d>, id: &str) -> Option<Node<'a, 'd>> {
    page.descendants()
        .find(|node| node.attribute("id") == Some(id))
}

fn words(node: Node<'_, '_>) -> String {
    let all: String = node
        .descendants()
        .filter_map(|one| one.text().filter(|_| one.is_text()))
        .collect();
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What holds for every page.
fn sound(text: &str) {
    let page = parsed(text);
    let mut ids = BTreeSet::new();
    for node in page.descendants().filter(Node::is_element) {
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id), "{id} is there twice");
        }
        for attribute in node.attributes() {
            let name = attribute.name();
            assert!(name != "style" && !name.starts_with("on"), "{name}");
            assert!(
                name != "src" && name != "srcdoc" && name != "action",
                "{name}"
            );
        }
        if matches!(node.tag_name().name(), "table" | "svg")
            && node.attribute("class") != Some("bar")
        {
            let mut above = node.ancestors();
            let is_wide = |one: &Node<'_, '_>| one.attribute("class") == Some("wide");
            let wide = above.find(is_wide).expect("it scrolls by itself");
            assert_eq!(wide.attribute("tabindex"), Some("0"));
            assert!(
                wide.attribute("aria-label")
                    .is_some_and(|label| !label.is_empty())
            );
        }
    }
    let refers = ["for", "aria-labelledby", "aria-describedby"];
    for node in page.descendants() {
        for name in refers {
            for id in node
                .attribute(name)
                .into_iter()
                .flat_map(str::split_whitespace)
            {
                assert!(ids.contains(id), "{name}={id}");
            }
        }
        if let Some(link) = node.attribute("href") {
            match link.strip_prefix('#') {
                Some(id) => assert!(ids.contains(id), "{link} leads nowhere: {}", words(node)),
                None => assert!(link.starts_with("https://forge.example/"), "{link}"),
            }
        }
    }
    let labels: Vec<_> = page
        .descendants()
        .filter(|node| node.attribute("class") == Some("wide"))
        .collect();
    let distinct: BTreeSet<_> = labels
        .iter()
        .map(|node| node.attribute("aria-label"))
        .collect();
    assert_eq!(
        labels.len(),
        distinct.len(),
        "regions are told apart by their labels"
    );
    // Headings go down one step at a time.
    let mut last = 0;
    for node in page.descendants() {
        let level = match node.tag_name().name() {
            "h1" => 1,
            "h2" => 2,
            "h3" => 3,
            _ => continue,
        };
        assert!(level <= last + 1, "{}", words(node));
        last = level;
    }
    assert_eq!(named(&page, "h1").count(), 1);
    let (style, script) = (only(&page, "style"), only(&page, "script"));
    let policy = named(&page, "meta")
        .find(|meta| meta.attribute("http-equiv").is_some())
        .unwrap();
    let hash = |node: Node<'_, '_>| BASE64.encode(&Sha256::digest(node.text().unwrap().as_bytes()));
    assert_eq!(
        policy.attribute("content").unwrap(),
        format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
             form-action 'none'",
            hash(style),
            hash(script)
        )
    );
    let head = named(&page, "head").next().unwrap();
    let first: Vec<_> = head.children().filter(Node::is_element).take(2).collect();
    assert_eq!(first[0].attribute("charset"), Some("utf-8"));
    assert_eq!(
        first[1], policy,
        "the policy is there before anything it governs"
    );
    let raw = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
    assert!(!text.contains(raw));
    assert!(text.len() <= 8 << 20, "{} bytes", text.len());
}

fn only<'a, 'd>(page: &'a Document<'d>, tag: &'a str) -> Node<'a, 'd> {
    let all: Vec<_> = named(page, tag).collect();
    assert_eq!(all.len(), 1, "{tag}");
    all[0]
}

#[test]
fn pages_are_well_formed_and_complete_in_themselves() {
    for name in FIXTURES {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(name);
        let folder = Folder::new();
        if from.is_dir() {
            folder.copy(&from, "site");
        } else {
            drop(folder.write("site/one.yaml", std::fs::read(&from).unwrap()));
        }
        let answer = folder.at(&["report", "site", "-o", "-", "--risk"]);
        assert_eq!(answer.status, 0, "{name}: {}", answer.err);
        sound(&answer.out);
        let home = folder.path().to_str().unwrap();
        assert!(!answer.out.contains(home), "{name}: an absolute path");
    }
}

#[test]
fn the_whole_site_has_every_section() {
    let path = fixture("site");
    let text = page(&Folder::new(), 0, &[&path, "--risk"]);
    sound(&text);
    let page = parsed(&text);
    for id in [
        "changes",
        "applications",
        "placements",
        "rules",
        "regions",
        "groups",
        "waves",
        "clusters",
        "map",
        "risk",
        "findings",
        "documents",
    ] {
        assert!(of_id(&page, id).is_some(), "no section {id}");
    }
    let graph = of_id(&page, "groups").unwrap();
    let drawn = graph
        .descendants()
        .find(|node| node.has_tag_name("svg"))
        .unwrap();
    let table = drawn.attribute("aria-describedby").unwrap();
    let rows = of_id(&page, table)
        .unwrap()
        .descendants()
        .filter(|node| node.has_tag_name("tr"));
    let boxes = drawn.descendants().filter(|node| {
        node.attribute("class")
            .is_some_and(|class| class.starts_with("box"))
    });
    assert_eq!(
        rows.count() - 1,
        boxes.count(),
        "a box for each row of the table"
    );
}

/// The rows of the table of changes: mark, name, answer, reason.
fn changes(page: &Document<'_>) -> Vec<(String, String, String, String)> {
    let Some(section) = of_id(page, "changes") else {
        return Vec::new();
    };
    let rows = section
        .descendants()
        .filter(|node| node.attribute("data-mark").is_some());
    let row = |row: Node<'_, '_>| {
        let cells: Vec<_> = row.children().filter(Node::is_element).map(words).collect();
        let mark = row.attribute("data-mark").unwrap().to_owned();
        (mark, cells[1].clone(), cells[3].clone(), cells[4].clone())
    };
    rows.map(row).collect()
}

#[test]
fn it_says_what_the_plan_says() {
    let folder = Folder::of(&[("site.yaml", &site())]);
    let text = page(&folder, 0, &["site.yaml"]);
    let shown = parsed(&text);
    let row = |name: &str, place: &str| {
        let why = format!("lowest cost (5) {place}");
        (
            "new".to_owned(),
            format!("shop/{name}"),
            "oslo".to_owned(),
            why,
        )
    };
    let lines: Vec<usize> = ["name: db}", "name: web}"]
        .map(|name| site().lines().position(|line| line.contains(name)).unwrap() + 1)
        .to_vec();
    assert_eq!(
        changes(&shown),
        [
            row("db", &format!("site.yaml:{}", lines[0])),
            row("web", &format!("site.yaml:{}", lines[1]))
        ]
    );
    assert_eq!(
        words(only(&shown, "h1")),
        "2 changes, and everything can be placed"
    );
    let all = words(of_id(&shown, "applications").unwrap());
    for part in [
        "Min/Max Label Compliance",
        "cost MinOf",
        "package",
        "retail",
    ] {
        assert!(all.contains(part), "no {part} in {all}");
    }
}

#[test]
fn what_fails_comes_first_and_has_the_status_of_the_plan() {
    let folder = Folder::of(&[("site.yaml", &too_large())]);
    let text = page(&folder, 3, &["site.yaml"]);
    sound(&text);
    let shown = parsed(&text);
    assert_eq!(
        words(only(&shown, "h1")),
        "The plan fails: 1 item cannot be placed"
    );
    assert_eq!(changes(&shown)[0].0, "failed");
    assert!(words(of_id(&shown, "applications").unwrap()).contains("Compute Sufficient"));
    folder.write("site.yaml", BROKEN);
    let text = page(&folder, 1, &["site.yaml"]);
    sound(&text);
    let shown = parsed(&text);
    assert_eq!(words(only(&shown, "h1")), "No plan: documents were refused");
    assert!(words(of_id(&shown, "findings").unwrap()).contains("Cheapest"));
}

#[test]
fn what_reaches_nothing_any_more_fails_no_plan() {
    for (case, changes, said) in [
        ("ocm/rollout-all", "2 changes", "Pass: nothing to record"),
        ("policies/union-109", "2 changes", "Warn: ready"),
    ] {
        let file = fixture(&format!("corpus/{case}.yaml"));
        let page = page(&Folder::new(), 0, &[&file]);
        let page = parsed(&page);
        let head = format!("{changes}, and everything can be placed");
        assert_eq!(words(only(&page, "h1")), head, "{case}");
        let mut spans = named(&page, "span").map(words);
        assert!(spans.any(|span| span.contains(said)), "{case}");
    }
}

#[test]
fn a_site_with_nothing_to_plan_has_a_page_that_says_so() {
    let folder = Folder::of(&[("site.yaml", FOREIGN)]);
    let text = page(&folder, 66, &["site.yaml"]);
    sound(&text);
    assert_eq!(
        words(only(&parsed(&text), "h1")),
        "There is nothing to plan"
    );
}

/// What a name may hold that a page must not obey.
fn hostile() -> Vec<String> {
    let mut all: Vec<String> = [
        "<script>alert(1)</script>",
        "\" onmouseover=\"alert(1)",
        "' autofocus onfocus='alert(1)",
        "</title></style></script><img src=x onerror=alert(1)>",
        "]]><!-- <![CDATA[",
        "&lt;b&gt; &#60;i&#62;",
        "a\u{202e}b\u{2066}c",
        "\u{1b}[31mred",
        "javascript:alert(1)",
        "{{constructor.constructor('alert(1)')()}}",
    ]
    .map(str::to_owned)
    .to_vec();
    all.push("x".repeat(64 << 10));
    all
}

/// Deployment groups, whose names may be anything: one called this, and one that needs it.
fn with_group(name: &str) -> String {
    let quoted = serde_json::to_string(name).unwrap();
    let quoted: String = quoted
        .chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                format!("\\u{:04x}", c as u32)
            }
        })
        .collect();
    let site = sites::airship(2);
    assert!(site.contains("{name: g1,"));
    site.replace("{name: g0,", &format!("{{name: {quoted},"))
        .replace(
            "{name: g1, critical: false, depends_on: []",
            &format!("{{name: g1, critical: false, depends_on: [{quoted}]"),
        )
}

fn elements(page: &str) -> Vec<String> {
    let page = parsed(page);
    let all = page.descendants().filter(Node::is_element);
    all.map(|node| node.tag_name().name().to_owned()).collect()
}

#[test]
fn no_text_of_a_document_is_markup() {
    let folder = Folder::new();
    let made = |name: &str| {
        folder.write("site.yaml", with_group(name));
        let text = page(&folder, 0, &["site.yaml", "--title", name]);
        sound(&text);
        text
    };
    let tame = made("tame");
    assert!(words(of_id(&parsed(&tame), "groups").unwrap()).contains("tame"));
    for name in hostile() {
        assert_eq!(elements(&made(&name)), elements(&tame), "{name:.40}");
    }
}

#[test]
fn the_same_site_makes_the_same_page() {
    let folder = Folder::new();
    for name in FIXTURES {
        let path = fixture(name);
        // The page says when it was made.
        let args = ["report", &path, "-o", "-", "--now", "2026-01-01T00:00:00Z"];
        let with = |jobs: &str| folder.at(&[&args[..], &["--jobs", jobs]].concat());
        let (one, other) = (with("1"), with("4"));
        assert_eq!(one, other, "{name}");
    }
}

#[test]
fn a_link_to_an_item_survives_what_is_added_beside_it() {
    let folder = Folder::of(&[("site.yaml", &site())]);
    let id = |name: &str| {
        let text = page(&folder, 0, &["site.yaml"]);
        let shown = parsed(&text);
        let all = shown
            .descendants()
            .filter(|node| node.has_tag_name("details"));
        let mut own =
            all.filter(|node| words(*node).contains(name) && node.attribute("id").is_some());
        own.next().unwrap().attribute("id").unwrap().to_owned()
    };
    let before = id("shop/web");
    folder.write("site.yaml", site() + &application("api", "1", false));
    assert_eq!(id("shop/web"), before);
    assert_ne!(id("shop/api"), before);
}

#[test]
fn it_is_written_whole_or_not_at_all() {
    let folder = Folder::of(&[("site.yaml", &site())]);
    folder.write("page.html", "an older page");
    folder
        .at(&["report", "site.yaml", "-o", "page.html"])
        .ends(0);
    let first = folder.read("page.html");
    sound(&first);
    folder
        .at(&["report", "site.yaml", "--output=html=page.html"])
        .ends(0);
    assert_eq!(folder.read("page.html"), first);
    assert_eq!(page(&folder, 0, &["site.yaml"]), first);
    folder
        .at(&["report", "site.yaml", "-o", "site.yaml"])
        .ends(64)
        .says("one of the inputs");
    assert_eq!(folder.read("site.yaml"), site());
    folder
        .at(&["report", "site.yaml", "-o", ""])
        .ends(64)
        .says("no name");
    folder
        .at(&["report", "site.yaml", "-o", "no/such/page.html"])
        .ends(1);
    folder
        .at(&["report", "site.yaml"])
        .ends(64)
        .says("--output");
    let files = folder.files();
    assert_eq!(
        files,
        ["page.html", "site.yaml"],
        "no record, nothing half written"
    );
}

#[test]
fn places_are_links_where_a_template_is_given() {
    let folder = Folder::of(&[("site.yaml", &site())]);
    let template = "https://forge.example/blob/main/{path}#L{line}";
    let text = page(&folder, 0, &["site.yaml", "--link", template]);
    sound(&text);
    let line = site()
        .lines()
        .position(|line| line.contains("name: web}"))
        .unwrap()
        + 1;
    let wanted = format!("https://forge.example/blob/main/site.yaml#L{line}");
    assert!(text.contains(&wanted), "no {wanted}");
    let refused = |template: &str, why: &str| {
        let args = ["report", "site.yaml", "-o", "-", "--link", template];
        folder.at(&args).ends(64).says(why);
    };
    refused("javascript:alert('{path}')", "https://");
    refused("https://forge.example/", "{path}");
    refused("https://forge.example/{rev}/{path}", "{rev}");
}

#[test]
fn it_compares_with_another_state_and_without_things() {
    let folder = Folder::of(&[("old/site.yaml", &site()), ("site.yaml", &site())]);
    folder.write("site.yaml", site().replace("cost: \"5\"", "cost: \"9\""));
    let text = page(&folder, 0, &["site.yaml", "--against", "old"]);
    sound(&text);
    let shown = parsed(&text);
    let moves = words(of_id(&shown, "moves").unwrap());
    for part in [
        "Moves compared with old",
        "shop/web",
        "oslo",
        "lyon",
        "site.yaml:",
    ] {
        assert!(moves.contains(part), "no {part} in {moves}");
    }
    let text = page(&folder, 0, &["old", "--without", "cluster/oslo"]);
    sound(&text);
    let shown = parsed(&text);
    let moves = words(of_id(&shown, "moves").unwrap());
    assert!(
        moves.contains("without cluster/oslo") && moves.contains("lyon"),
        "{moves}"
    );
    let none = ["report", "old", "-o", "-", "--without", "cluster/osol"];
    folder.at(&none).ends(64).says("did you mean cluster/oslo?");
    folder
        .at(&["report", "old", "-o", "-", "--against", "nowhere"])
        .ends(64);
}

#[test]
fn a_saved_plan_makes_a_page_that_says_whether_it_is_stale() {
    let folder = Folder::of(&[("site.yaml", &site())]);
    folder
        .at(&["plan", "site.yaml", "--out", "saved.json"])
        .ends(0);
    let text = page(&folder, 0, &["--plan", "saved.json"]);
    sound(&text);
    let live = page(&folder, 0, &["site.yaml"]);
    let (saved, now) = (parsed(&text), parsed(&live));
    let decided = |page: &Document<'_>| -> Vec<(String, String, String)> {
        changes(page)
            .into_iter()
            .map(|(mark, name, answer, _)| (mark, name, answer))
            .collect()
    };
    assert_eq!(decided(&saved), decided(&now));
    let text = page(&folder, 0, &["--plan", "saved.json", "site.yaml"]);
    assert!(words(only(&parsed(&text), "header")).contains("It is up to date."));
    folder.write("site.yaml", site().replace("cost: \"5\"", "cost: \"9\""));
    let text = page(&folder, 0, &["--plan", "saved.json", "site.yaml"]);
    assert!(words(only(&parsed(&text), "header")).contains("It is stale: "));
    folder
        .at(&["report", "--plan", "site.yaml", "-o", "-"])
        .ends(1);
    folder
        .at(&["report", "--plan", "none.json", "-o", "-"])
        .ends(66);
}

/// A saved plan knows which clusters have work, but not where they are.
#[test]
fn the_map_of_a_saved_plan_counts_like_that_of_the_plan() {
    let folder = Folder::new();
    folder.copy(Path::new(&fixture("ocm/fleet")), "fleet");
    let plan = ["plan", "fleet", "--out", "fleet.plan", "--no-input"];
    folder.at(&plan).ends(0);
    let counts = |args: &[&str]| {
        let text = page(&folder, 0, args);
        let page = parsed(&text);
        let map = of_id(&page, "map").unwrap();
        let rows = map.descendants();
        let rows = rows.filter(|node| node.attribute("data-mark").is_some());
        let cells = |row: Node<'_, '_>| -> Vec<String> {
            row.children().filter(Node::is_element).map(words).collect()
        };
        let rows = rows.map(cells).filter(|row| row[4..] != ["0", "0", "0"]);
        let rows = rows.map(|mut row| {
            row.remove(3);
            row
        });
        rows.collect::<BTreeSet<_>>()
    };
    let now = counts(&["fleet"]);
    assert!(now.iter().any(|row| row[0] != "= stays"), "{now:?}");
    assert_eq!(counts(&["--plan", "fleet.plan"]), now);
}

/// Plan, page and data name the same causes, also where the plan was saved.
#[test]
fn causes_of_changes_are_the_same_in_a_saved_plan() {
    let folder = Folder::new();
    folder.copy(Path::new(&fixture("ocm/fleet")), "fleet");
    let causes = |args: &[&str]| {
        let text = page(&folder, 0, args);
        words(of_id(&parsed(&text), "causes").unwrap())
    };
    let now = causes(&["fleet"]);
    let why = r#"needs ring in (pilot), found "main" (fleet/placements/argocd-pilot.yaml:7)"#;
    assert!(now.contains(why), "{now}");
    let plan = ["plan", "fleet", "--out", "fleet.plan", "--no-input"];
    folder.at(&plan).ends(0);
    assert_eq!(causes(&["--plan", "fleet.plan"]), now);

    let changes = |args: &[&str]| folder.at(args).json()["changes"].clone();
    let data = changes(&["plan", "fleet", "-o", "json"]);
    let saved = changes(&["show", "fleet.plan", "-o", "json"]);
    assert_eq!(saved, data);
    let names = data.as_array().unwrap().iter().map(|one| &one["names"]);
    let expected = serde_json::json!([["store-130"], ["lab-4"], ["store-104"]]);
    assert_eq!(serde_json::json!(names.collect::<Vec<_>>()), expected);
    let kinds = |key: &str| data[2][key].as_array().map(Vec::len);
    assert_eq!((kinds("join"), kinds("leave")), (None, Some(3)), "{data:#}");
    let last = &data[2];
    assert_eq!(
        (&last["mark"], &last["path"], &last["line"]),
        (
            &"gone".into(),
            &"fleet/placements/argocd-pilot.yaml".into(),
            &7.into()
        )
    );
}

#[test]
fn a_page_names_the_site_it_is_of() {
    let folder = Folder::new();
    folder.copy(Path::new(&fixture("repositories/deployed/files")), "fleet");
    let head = |args: &[&str]| words(only(&parsed(&page(&folder, 0, args)), "header"));
    assert!(head(&["fleet", "--site", "prod"]).contains("Site prod."));
    let args = ["plan", "fleet", "--site", "stage", "--out", "stage.plan"];
    folder.at(&args).ends(0);
    assert!(head(&["--plan", "stage.plan"]).contains("Site stage."));
    folder.write("fleet/planner.toml", "default-site = \"dev\"\n");
    assert!(head(&["fleet"]).contains("Site dev."));
    assert!(!head(&["fleet/policies"]).contains("Site "));
}

#[test]
fn faults_colour_the_graph() {
    let path = fixture("site");
    let folder = Folder::new();
    let text = page(&folder, 0, &[&path, "--fail", "ntp-1", "--fail", "ntp-2"]);
    sound(&text);
    let shown = parsed(&text);
    let groups = of_id(&shown, "groups").unwrap();
    assert!(words(groups).contains("the deployment ends as failed"));
    // The first screen says so, too.
    assert!(text.contains("<a href=\"#groups\">deployment</a> fails"));
    assert!(text.contains("The simulated deployment fails</h1>"));
    assert!(!text.contains("Ready"), "{text}");
    assert!(words(groups).contains(
        "One after the other all groups take 18 h 18 min at most, the longest chain of groups that \
         wait for one another 8 h 8 min."
    ));
    let failed = groups
        .descendants()
        .filter(|node| node.attribute("class") == Some("box failed"));
    assert_eq!(
        failed.count(),
        groups
            .descendants()
            .filter(|node| { node.attribute("data-mark") == Some("failed") })
            .count()
    );
    folder
        .at(&["report", &path, "-o", "-", "--fail", "ntp-9"])
        .ends(64)
        .says("ntp-9");
}

#[test]
fn large_sites_are_cut_and_the_page_says_so() {
    const ALL: usize = 25_000;
    let mut all = format!("{PACKAGE}{}", cluster("oslo", 2024, 5, "Up"));
    for at in 0..ALL {
        all.push_str(&application(&format!("web-{at}"), "1", false));
    }
    let folder = Folder::of(&[("site.yaml", &all)]);
    let text = page(&folder, 0, &["site.yaml"]);
    sound(&text);
    let shown = parsed(&text);
    let applications = of_id(&shown, "applications").unwrap();
    let marked = |tag: &str| {
        let all = applications
            .descendants()
            .filter(|node| node.has_tag_name(tag));
        all.filter(|node| node.attribute("data-mark").is_some())
            .count()
    };
    let (opened, lines) = (marked("details"), marked("tr"));
    assert!(
        (500..=2000).contains(&opened) && lines > 5000,
        "{opened}, {lines}"
    );
    let left = format!("{}moreApplications:plannerplan-ojson", ALL - opened - lines);
    let words = words(applications).replace(' ', "");
    assert!(words.contains(&left), "no {left:?}");
}

#[test]
fn what_is_new_is_new_in_the_matrix_as_well() {
    let folder = Folder::new();
    let fleet = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/deliveries/fleet.yaml"
    );
    let text = page(&folder, 0, &[fleet]);
    assert!(text.contains("Policy gov/quotas"), "{text}");
    assert!(!text.contains("<td>=</td>"), "nothing was there before");
}
