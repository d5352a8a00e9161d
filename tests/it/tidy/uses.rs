//! Which modules of the crate a source file names: `use` items, paths in code, re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// A path as written, or resolved from the root of the crate: `["ocm", "engine", "Rollout"]`.
pub(crate) type Path = Vec<String>;

/// The source texts of a crate by module: `ocm::engine::score`, `` for the root.
pub(crate) type Sources = BTreeMap<String, String>;

/// Code without comments, without the contents of texts and without modules of tests.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if let Some(skipped) = text_literal(rest, out.chars().last()) {
            out.push_str("\"\"");
            at += skipped;
        } else {
            let next = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..next]);
            at += next;
        }
    }
    without_tests(&out)
}

/// How long the literal is that begins here, if one does.
fn text_literal(rest: &str, before: Option<char>) -> Option<usize> {
    let within_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if !within_name && (rest.starts_with("r\"") || rest.starts_with("r#")) {
        let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
        if rest[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = hashes + 2;
            return Some(
                rest[from..]
                    .find(&end)
                    .map_or(rest.len(), |at| from + at + end.len()),
            );
        }
    }
    let quote = rest.chars().next()?;
    if quote == '\'' {
        // A character, not a lifetime.
        let mut chars = rest[1..].chars();
        return match (chars.next()?, chars.next()?) {
            ('\\', _) => rest[2..]
                .find('\'')
                .map(|at| at + 3)
                .filter(|_| true)
                .map(|length| {
                    // An escaped quote ends one later.
                    if rest[2..].starts_with('\'') {
                        4
                    } else {
                        length
                    }
                }),
            (c, '\'') => Some(2 + c.len_utf8()),
            _ => None,
        };
    }
    if quote != '"' {
        return None;
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let after = &rest[at + "#[cfg(test)]".len()..];
        let block = after.find('{').unwrap_or(after.len());
        let statement = after.find(';').unwrap_or(after.len());
        if statement < block {
            rest = &after[(statement + 1).min(after.len())..];
            continue;
        }
        let mut depth = 0;
        let end = after.char_indices().find(|(_, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            depth == 0 && *c == '}'
        });
        rest = end.map_or("", |(at, _)| &after[at + 1..]);
    }
    out.push_str(rest);
    out
}

/// A `use` item taken apart: each path, the name it is known by, and whether it is handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) path: Path,
    pub(crate) name: String,
    pub(crate) public: bool,
}

/// All `use` items of a file's code.
fn items(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end_matches(' ');
        let public = before.ends_with("pub") || before.ends_with(')');
        let begins = before.is_empty()
            || before.ends_with(['\n', ';', '}', '{', ']'])
            || (public && !before.ends_with(')'))
            || before
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim().starts_with("pub("));
        if !begins {
            continue;
        }
        let Some(end) = code[at..].find(';') else {
            continue;
        };
        let tree: String = code[at + 4..at + end]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        expand(&tree, &mut Vec::new(), public, &mut found);
    }
    found
}

fn expand(tree: &str, prefix: &mut Path, public: bool, found: &mut Vec<Use>) {
    let tree = tree.trim().trim_start_matches("::");
    if let Some(group) = tree.strip_prefix('{') {
        let group = group.strip_suffix('}').unwrap_or(group);
        for part in parts(group) {
            expand(part, prefix, public, found);
        }
        return;
    }
    if let Some((first, rest)) = tree.split_once("::")
        && !first.contains(['{', ' '])
    {
        prefix.push(first.to_owned());
        expand(rest, prefix, public, found);
        prefix.pop();
        return;
    }
    let (last, name) = tree.split_once(" as ").unwrap_or((tree, tree));
    if last.is_empty() {
        return;
    }
    let mut path = prefix.clone();
    let mut name = name.to_owned();
    if last == "self" {
        if name == "self" {
            name = path.last().cloned().unwrap_or_default();
        }
    } else {
        path.push(last.to_owned());
    }
    found.push(Use { path, name, public });
}

/// The parts of a group, split at its own commas.
fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(&group[from..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

/// Paths in code that begin at the root or at the module above.
fn inline(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().last();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path: String = code[at..].chars().take_while(|c| name(*c)).collect();
            let path = path.trim_end_matches(':').split("::");
            found.push(path.map(str::to_owned).collect());
        }
    }
    found
}

/// Paths in code that begin with a name of its own: `engine::plan`, `Hub::new`.
fn relative(code: &str) -> Vec<Path> {
    let within = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = code.split(|c| !within(c)).filter(|word| {
        let first = word.split("::").next().unwrap_or_default();
        word.contains("::") && !["", "crate", "super"].contains(&first)
    });
    paths
        .map(|path| split(path.trim_end_matches(':')))
        .collect()
}

/// What a file names.
struct Parsed {
    inline: Vec<Path>,
    relative: Vec<Path>,
    uses: Vec<Use>,
}

/// Reads a file; each text once, since the same crate is looked at with many a violation.
fn parse(text: &str) -> Arc<Parsed> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Parsed>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    if let Some(parsed) = known.get(text) {
        return Arc::clone(parsed);
    }
    let code = code(text);
    let parsed = Arc::new(Parsed {
        inline: inline(&code),
        relative: relative(&code),
        uses: items(&code),
    });
    known.insert(text.to_owned(), Arc::clone(&parsed));
    parsed
}

/// A crate: its modules, what each hands on, and what each names.
pub(crate) struct Crate {
    modules: BTreeSet<String>,
    /// By module: a name that is handed on, and where it comes from.
    exports: BTreeMap<String, BTreeMap<String, Path>>,
    named: BTreeMap<String, Vec<Path>>,
    /// By module: the items it names through what it uses.
    through: BTreeMap<String, Vec<Path>>,
    /// By module: the first parts of paths that lead out of the crate.
    outside: BTreeMap<String, BTreeSet<String>>,
}

impl Crate {
    pub(crate) fn new(sources: &Sources) -> Self {
        let mut this = Self {
            modules: sources.keys().cloned().collect(),
            exports: BTreeMap::new(),
            named: BTreeMap::new(),
            through: BTreeMap::new(),
            outside: BTreeMap::new(),
        };
        for (module, text) in sources {
            let parsed = parse(text);
            let mut named = parsed.inline.clone();
            let mut used: BTreeMap<String, Path> = BTreeMap::new();
            for item in parsed.uses.clone() {
                if let Some(path) = this.absolute(module, &item.path) {
                    used.insert(item.name.clone(), path);
                }
                if item.public
                    && let Some(path) = this.absolute(module, &item.path)
                {
                    let exports = this.exports.entry(module.clone()).or_default();
                    exports.insert(item.name, path);
                }
                named.push(item.path);
            }
            let named = named.iter().filter_map(|path| this.absolute(module, path));
            let named = named.collect();
            this.named.insert(module.clone(), named);
            let through = parsed.relative.iter().filter_map(|path| {
                let known = used.get(&path[0]).cloned();
                let first = known.or_else(|| this.absolute(module, &path[..1]))?;
                Some([first, path[1..].to_vec()].concat())
            });
            let through = through.collect();
            this.through.insert(module.clone(), through);
            let used_from = parsed.uses.iter().map(|item| &item.path);
            let outside = used_from.chain(&parsed.relative).filter(|path| {
                !used.contains_key(&path[0]) && this.absolute(module, &path[..1]).is_none()
            });
            let outside = outside.map(|path| path[0].clone()).collect();
            this.outside.insert(module.clone(), outside);
        }
        this
    }

    /// A path from the root; `None` for what lies outside of the crate.
    fn absolute(&self, module: &str, path: &[String]) -> Option<Path> {
        let mut base: Path = split(module);
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                // A module below this one, or another crate.
                let child = join(&[base.clone(), vec![first.to_owned()]].concat());
                if !self.modules.contains(&child) {
                    return None;
                }
            }
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The module that a path leads to, re-exports followed.
    fn resolve(&self, path: &[String]) -> String {
        self.origin(path).0
    }

    /// The module that a path leads to, re-exports followed, and what it names there.
    fn origin(&self, path: &[String]) -> (String, Path) {
        let mut path: Path = path.to_vec();
        for _ in 0..16 {
            let mut length = path.len();
            while length > 0 && !self.modules.contains(&join(&path[..length])) {
                length -= 1;
            }
            let module = join(&path[..length]);
            let rest = path[length..].to_vec();
            let Some(name) = rest.first() else {
                return (module, rest);
            };
            let known = self.exports.get(&module);
            let Some(origin) = known.and_then(|known| known.get(name)) else {
                return (module, rest);
            };
            path = [origin.clone(), rest[1..].to_vec()].concat();
        }
        (join(&path), Vec::new())
    }

    /// The modules that name another crate.
    pub(crate) fn users_of<'c>(&'c self, other: &'c str) -> impl Iterator<Item = &'c str> {
        let naming = self
            .outside
            .iter()
            .filter(move |(_, names)| names.contains(other));
        naming.map(|(module, _)| module.as_str())
    }

    /// Which items each module names, by where they are defined: `ocm::engine::hub::Hub::new`.
    pub(crate) fn mentions(&self) -> BTreeSet<(String, String)> {
        let mut mentions = BTreeSet::new();
        for all in [&self.named, &self.through] {
            for (module, paths) in all {
                let items = paths.iter().map(|path| {
                    let (at, item) = self.origin(path);
                    join(&[split(&at), item].concat())
                });
                mentions.extend(items.map(|item| (module.clone(), item)));
            }
        }
        mentions
    }

    /// What each module names: the modules its paths go through, and the one they lead to.
    pub(crate) fn edges(&self) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for (module, paths) in self.named.iter().chain(&self.through) {
            for path in paths {
                let mut length = path.len();
                while length > 0 && !self.modules.contains(&join(&path[..length])) {
                    length -= 1;
                }
                for to in [join(&path[..length]), self.resolve(path)] {
                    if to != *module {
                        edges.insert((module.clone(), to));
                    }
                }
            }
        }
        edges
    }
}

pub(crate) fn split(module: &str) -> Path {
    let parts = module.split("::").filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

fn join(path: &[String]) -> String {
    path.join("::")
}
