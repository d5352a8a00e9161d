//! No control character and no character that turns the direction of text leaves the program raw:
//! all of them, through every field of every kind, into every output.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{self, Folder};
use planner::yaml::{Limits, parse};

/// Everything that a terminal or an editor obeys: C0, C1, DEL, marks and overrides of direction,
/// line and paragraph separators.
fn harmful() -> impl Iterator<Item = char> {
    let ranges = [
        '\0'..='\u{1f}',
        '\u{7f}'..='\u{9f}',
        '\u{61c}'..='\u{61c}',
        '\u{200e}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2066}'..='\u{2069}',
    ];
    ranges.into_iter().flatten()
}

/// The commands, in all their forms.
const COMMANDS: &[&str] = &[
    "plan . -o text",
    "plan . -o text --trace --keep-going",
    "plan . -o json --keep-going",
    "plan . -o yaml --keep-going",
    "plan . -o json --trace",
    "validate . -o full",
    "validate . -o concise",
    "validate . -o json",
    "validate . -o sarif",
    "validate . -o github",
    "validate . -o gitlab",
    "validate . -o junit",
    "validate . -o rdjson",
    "validate . --fix --unsafe-fixes --diff",
    "why shop/web --in .",
    "why shop/web --in . -o json",
    "graph .",
    "graph . --format mermaid",
    "graph . --format json",
    "report . -o - --keep-going",
    "simulate .",
    "simulate . -o json",
    "test .",
    "test . -o json",
    "test . -o junit",
];

/// Where the first scalar of each field is, in each document; keys too.
fn scalars(text: &str) -> Vec<Vec<(usize, usize, String)>> {
    let parsed = parse(Default::default(), text, 0..text.len(), Limits::default());
    let of_document = |root: &_| {
        let mut found: BTreeMap<String, (usize, usize, String)> = BTreeMap::new();
        let mut open = vec![(String::new(), parsed.tree.node(text, *root))];
        while let Some((path, node)) = open.pop() {
            let (start, end) = (node.span().start as usize, node.span().end as usize);
            if node.is_scalar() && !node.is_block_text() && start < end {
                let scalar = (start, end, node.text().unwrap_or("").to_owned());
                found.entry(path.clone()).or_insert(scalar);
            }
            open.extend(node.items().map(|item| (format!("{path}[]"), item)));
            for (key, value) in node.entries() {
                let below = format!("{path}/{}", key.text().unwrap_or(""));
                open.extend([(format!("{below}="), key), (below, value)]);
            }
        }
        found.into_values().collect()
    };
    parsed.documents.iter().map(of_document).collect()
}

fn quoted(text: &str) -> String {
    let one = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if (c as u32) < 0x20 || c as u32 == 0x7f || (c as u32) >= 0x80 => {
            format!("\\u{:04x}", c as u32)
        }
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(one).collect::<String>())
}

/// The text with the scalar of this number in each document poisoned; nothing if there is none.
fn poisoned(text: &str, at: usize) -> Option<String> {
    let poison: String = harmful().collect();
    let mut out = text.to_owned();
    let mut any = false;
    for document in scalars(text).into_iter().rev() {
        if let Some((start, end, value)) = document.get(at) {
            out.replace_range(*start..*end, &quoted(&format!("{value}{poison}")));
            any = true;
        }
    }
    any.then_some(out)
}

fn site_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut files = Vec::new();
    for part in ["site", "senlin"] {
        let mut open = vec![root.join(part)];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "yaml") {
                    let name = path
                        .strip_prefix(&root)
                        .unwrap()
                        .to_string_lossy()
                        .into_owned();
                    files.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    files.sort();
    files
}

fn check(folder: &Folder, command: &str, what: &str) {
    let answer = folder.at(&command.split(' ').collect::<Vec<_>>());
    for text in [&answer.out, &answer.err] {
        // What a patch quotes must stay what it is, to be applied.
        let patch = command.contains("--diff") && std::ptr::eq(text, &answer.out);
        let raw = harmful().find(|c| !matches!(c, '\n' | '\t') && !patch && text.contains(*c));
        let line = |c| {
            text.lines()
                .find(|line| line.contains(c))
                .unwrap_or("")
                .to_owned()
        };
        assert!(
            raw.is_none(),
            "{what}, {command}: {raw:?} in {:?}",
            raw.map(line)
        );
    }
}

#[test]
fn no_field_carries_them_into_any_output() {
    let files = site_files();
    for at in 0.. {
        let folder = Folder::new();
        let mut any = false;
        for (name, text) in &files {
            let changed = poisoned(text, at);
            any |= changed.is_some();
            folder.write(name, changed.as_deref().unwrap_or(text));
        }
        if !any {
            break;
        }
        // Each field meets every form in its turn, and the ones that print most at once.
        let some = COMMANDS.iter().skip(at % 12).step_by(12);
        for command in some.chain(["plan . -o json --keep-going"].iter()) {
            check(&folder, command, &format!("scalar {at}"));
        }
    }
}

#[test]
fn no_name_of_a_file_carries_them_into_any_output() {
    let name: String = harmful().filter(|c| *c != '\0').collect();
    let broken = support::BROKEN.replace("retail", "yes");
    let folder = Folder::of(&[(&format!("{name}.yaml"), &broken)]);
    folder.write(
        "tests.yaml",
        "apiVersion: planner/v1\nkind: PlanTest\nmetadata: {name: t}\nspec: {}\n",
    );
    for command in COMMANDS {
        check(&folder, command, "a name");
        check(&folder, &format!("{command} --verbose"), "a name");
    }
    check(&folder, "validate . --fix --unsafe-fixes", "a name");
}
