//! A deployment strategy for Ansible: an inventory, a playbook and what it calls between two steps.

use std::fmt::Write as _;
use std::net::IpAddr;

use serde_json::{Map, Value};

use super::sheet::Sheet;
use super::text::{folded, plain_json, quoted, slugs};
use super::{CORE, Comment, File};
use crate::airship::engine::inherit;

const RUN: &str = include_str!("ansible/run.py");
const TURN: &str = include_str!("ansible/turn.yml");
const STEP: &str = include_str!("ansible/step.yml");
const UNREACHABLE: &str = include_str!("ansible/unreachable.py");
const PREPARE: &str = include_str!("ansible/prepare.yml");
const DEPLOY: &str = include_str!("ansible/deploy.yml");
/// The run fails if a critical group did not succeed.
const END: &str = include_str!("ansible/end.yml");
const README: &str = include_str!("ansible/README.md");

/// Names that mean something of their own in an inventory.
const RESERVED: [&str; 5] = [
    "all",
    "ungrouped",
    "localhost",
    "127.0.0.1",
    "planner-control",
];

/// Tags that mean something of their own in a playbook.
const TAGS: [&str; 7] = [
    "all", "always", "deploy", "never", "prepare", "tagged", "untagged",
];

/// The names under which Ansible knows nodes and groups.
struct Names {
    /// The hosts, by node.
    hosts: Vec<String>,
    /// The inventory groups, in the order of the plan.
    groups: Vec<String>,
    /// The tags of the groups, in the order of the plan.
    tags: Vec<String>,
}

impl Names {
    fn of(sheet: &Sheet<'_, '_>) -> Self {
        let underscored = slugs(sheet.names(), 60, '_', |c| c == '_');
        let width = sheet.rows.len().to_string().len();
        let groups = underscored.iter().zip(1..);
        let groups = groups.map(|(slug, place): (_, usize)| format!("g{place:0width$}_{slug}"));
        let nodes = sheet.strategy.site.nodes.iter().map(|node| node.name.text);
        let groups: Vec<String> = groups.collect();
        let mut tags = slugs(sheet.names(), 60, '-', |c| matches!(c, '-' | '_'));
        for (tag, group) in tags.iter_mut().zip(&groups) {
            if TAGS.contains(&tag.as_str()) || groups.contains(tag) {
                tag.clone_from(group);
            }
        }
        Self {
            groups,
            tags,
            hosts: hosts(nodes),
        }
    }
}

/// The names of the nodes in Ansible, by node.
#[must_use]
pub fn hosts_of(sheet: &Sheet<'_, '_>) -> Vec<String> {
    hosts(sheet.strategy.site.nodes.iter().map(|node| node.name.text))
}

/// Nodes with a plain host name keep it; the others get a slug that is nobody's name.
fn hosts<'n>(nodes: impl Iterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = nodes.collect();
    let is_strange = |name: &&&str| !is_host_name(name) || RESERVED.contains(name);
    let strange = names.iter().filter(is_strange);
    let mut made = slugs(strange.copied(), 60, '-', |_| false).into_iter();
    let mut name = |name: &&str| {
        if is_strange(&name) {
            format!("node_{}", made.next().unwrap_or_default())
        } else {
            (*name).to_owned()
        }
    };
    names.iter().map(&mut name).collect()
}

/// Whether a name can stand in an inventory as it is.
fn is_host_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphanumeric());
    first && name.len() < 254 && chars.all(inner)
}

/// The files, and the nodes without a usable address on the network.
#[must_use]
pub fn files(sheet: &Sheet<'_, '_>, network: Option<&str>) -> (Vec<File>, Vec<u32>) {
    let names = Names::of(sheet);
    let (inventory, without) = inventory(sheet, &names, network);
    let strategy = match sheet.strategy.site.strategy {
        Some(_) => "the deployment groups",
        None => "all nodes at once",
    };
    let step = |action: &str| STEP.replace("@ACTION@", action);
    let ours = |name, text: &str| File::ours(name, Comment::Hash, text);
    let files = vec![
        ours("inventory.yml", &inventory),
        ours("site.yml", &playbook(sheet, &names)),
        ours("planner/turn.yml", TURN),
        ours("planner/prepare.yml", &step("prepare")),
        ours("planner/deploy.yml", &step("deploy")),
        ours(
            "planner/run.py",
            &RUN.replace("#CORE\n", &format!("\n{CORE}\n")),
        ),
        ours("callback_plugins/planner_unreachable.py", UNREACHABLE),
        File::ours("planner/plan.json", Comment::Json, &plan(sheet, &names)),
        File::ours(
            "README.md",
            Comment::Markdown,
            &README.replace("@STRATEGY@", strategy),
        ),
        File::users("actions/prepare.yml", PREPARE),
        File::users("actions/deploy.yml", DEPLOY),
    ];
    (files, without)
}

/// The plan with what Ansible calls nodes and groups; the head of the file opens the object.
fn plan(sheet: &Sheet<'_, '_>, names: &Names) -> String {
    let mut data = sheet.data(|at| {
        let mut more = Map::new();
        more.insert("hosts_group".to_owned(), names.groups[at].as_str().into());
        more.insert("tag".to_owned(), names.tags[at].as_str().into());
        more
    });
    let nodes = sheet.strategy.site.nodes.iter().map(|node| node.name.text);
    let hosts: Map<String, Value> = names
        .hosts
        .iter()
        .cloned()
        .zip(nodes.map(Value::from))
        .collect();
    data["hosts"] = hosts.into();
    let text = plain_json(&data);
    // One group a line, so that two plans can be compared.
    let text = text.replace(",{\"name\":", ",\n{\"name\":");
    format!("{}\n", &text[1..])
}

/// A scalar of which Ansible makes no template.
fn scalar(text: &str) -> String {
    if text.contains('{') {
        format!("!unsafe {}", folded(text, 12))
    } else {
        folded(text, 12)
    }
}

fn inventory(sheet: &Sheet<'_, '_>, names: &Names, network: Option<&str>) -> (String, Vec<u32>) {
    let site = sheet.strategy.site;
    let mut without = Vec::new();
    let mut out =
        String::from("---\nall:\n  vars:\n    planner_ended: \"\"\n    planner_late: \"\"\n");
    out.push_str("  hosts:");
    if site.nodes.is_empty() {
        // The playbook needs a host to judge on.
        out.push_str("\n    planner-control:\n      ansible_connection: local\n");
    } else {
        out.push('\n');
    }
    for (number, (node, host)) in (0..).zip(site.nodes.iter().zip(&names.hosts)) {
        let _ = writeln!(out, "    {}:", quoted(host));
        let _ = writeln!(out, "      planner_node: {}", scalar(node.name.text));
        if let Some(network) = network {
            let mut addresses = node.addresses.iter();
            let address = addresses.find(|(on, _)| *on == network);
            // Only an address: anything else could be read as an option of ssh.
            match address.and_then(|(_, address)| address.parse::<IpAddr>().ok()) {
                Some(address) => {
                    let _ = writeln!(out, "      ansible_host: \"{address}\"");
                }
                None => without.push(number),
            }
        }
        let own = inherit::effective(site, number);
        let rack = own.rack.map_or("", |rack| rack.text);
        let _ = writeln!(out, "      planner_rack: {}", scalar(rack));
        let tags: Vec<String> = own.tags.iter().map(|tag| scalar(tag.text)).collect();
        list(&mut out, "      planner_tags:", &tags);
        if own.labels.is_empty() {
            out.push_str("      planner_labels: {}\n");
        } else {
            out.push_str("      planner_labels:\n");
        }
        for label in &own.labels {
            // A loop over the labels would make a template of a key, too.
            let (key, value) = (scalar(label.key), scalar(label.value));
            // YAML knows keys of several lines only where they are marked as keys.
            let _ = if key.contains('\n') {
                writeln!(out, "        ? {key}\n        : {value}")
            } else {
                writeln!(out, "        {key}: {value}")
            };
        }
    }
    out.push_str("  children:");
    out.push_str(if sheet.rows.is_empty() { " {}\n" } else { "\n" });
    for (row, group) in sheet.rows.iter().zip(&names.groups) {
        let _ = writeln!(out, "    {group}:\n      vars:");
        let name = row.group.name.text;
        let _ = writeln!(out, "        {group}_name: {}", scalar(name));
        out.push_str(if row.nodes.is_empty() {
            "      hosts: {}\n"
        } else {
            "      hosts:\n"
        });
        for node in row.nodes {
            let _ = writeln!(out, "        {}:", quoted(&names.hosts[*node as usize]));
        }
    }
    (out, without)
}

fn list(out: &mut String, key: &str, items: &[String]) {
    if items.is_empty() {
        let _ = writeln!(out, "{key} []");
        return;
    }
    let _ = writeln!(out, "{key}");
    for item in items {
        let _ = writeln!(out, "        - {item}");
    }
}

/// A step: the place of its group in the order, and the action.
type Step = (usize, &'static str);

fn playbook(sheet: &Sheet<'_, '_>, names: &Names) -> String {
    let mut out = String::from("---\n");
    let steps = (0..sheet.rows.len()).flat_map(|at| [(at, "prepare"), (at, "deploy")]);
    let mut last: Option<Step> = None;
    for step in steps.map(Some).chain([None]) {
        turn(&mut out, names, last, step);
        if let Some((at, action)) = step {
            let (group, tag) = (&names.groups[at], &names.tags[at]);
            let limit = sheet.limits[usize::from(action == "deploy")].clamp(1, LONGEST);
            let verb = if action == "prepare" {
                "Prepare"
            } else {
                "Deploy"
            };
            let mut tags = vec![action, group];
            tags.extend(Some(tag.as_str()).filter(|tag| !tags.contains(tag)));
            let _ = write!(
                out,
                "- name: {verb} {group}\n  hosts: {group}\n  gather_facts: false\n  \
                 serial: \"{{{{ planner_serial | default('100%') }}}}\"\n  timeout: {limit}\n  \
                 tags:\n",
            );
            for tag in tags {
                let _ = writeln!(out, "    - {}", quoted(tag));
            }
            let name = scalar(sheet.rows[at].group.name.text);
            let _ = write!(
                out,
                "  vars:\n    planner_step: {group} {action}\n    planner_group: {name}\n    \
                 planner_limit: {limit}\n  tasks:\n    - name: {verb} the nodes\n      \
                 ansible.builtin.import_tasks: planner/{action}.yml\n",
            );
        }
        last = step;
    }
    out
}

/// The longest limit of a task, in seconds: ten years.
const LONGEST: i64 = 315_360_000;

/// The play between two steps; the one after the last step ends the run.
fn turn(out: &mut String, names: &Names, last: Option<Step>, next: Option<Step>) {
    let step = |step: Option<Step>| match step {
        Some((at, action)) => format!(
            "\n      group: {}\n      action: {action}",
            names.groups[at]
        ),
        None => " null".to_owned(),
    };
    let name = match (last, next) {
        (None, _) => "Begin the run".to_owned(),
        (Some(_), None) => "End the run".to_owned(),
        (Some((at, action)), _) => format!("Judge step {action} of {}", names.groups[at]),
    };
    let _ = write!(
        out,
        "- name: {name}\n  hosts: all\n  gather_facts: false\n  tags:\n    - always\n  vars:\n    \
         planner_last:{}\n    planner_next:{}\n  tasks:\n    - name: Turn to the next step\n      \
         ansible.builtin.import_tasks: planner/turn.yml\n",
        step(last),
        step(next),
    );
    if next.is_none() {
        out.push_str(END);
    }
}
