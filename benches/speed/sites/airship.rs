//! A deployment strategy over many nodes: random selectors, a deep dependency graph.

use std::fmt::Write as _;

use super::{Dice, Form, Site};

fn envelope(schema: &str, name: &str) -> String {
    format!(
        "---\nschema: {schema}\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  \
         layeringDefinition: {{abstract: false, layer: site}}\n  storagePolicy: cleartext\n"
    )
}

fn configuration() -> String {
    envelope(
        "shipyard/DeploymentConfiguration/v1",
        "deployment-configuration",
    ) + "data:\n  physical_provisioner: {deployment_strategy: deployment-strategy}\n  armada: \
           {manifest: full-site}\n"
}

/// A strategy up to its groups, and the configuration that names it.
pub fn strategy() -> String {
    configuration()
        + &envelope("shipyard/DeploymentStrategy/v1", "deployment-strategy")
        + "data:\n  groups:\n"
}

pub fn profiles() -> String {
    envelope("drydock/HardwareProfile/v1", "hw")
        + "data: {vendor: Generic, boot_mode: bios, bootstrap_protocol: pxe, pxe_interface: 0}\n"
        + &envelope("drydock/HostProfile/v1", "server")
        + "data: {hardware_profile: hw}\n"
}

/// A node as real sites write it: one thing a line, an address in each of six networks.
fn whole_node(node: usize, racks: usize, text: &mut String, dice: &mut Dice) {
    write!(
        text,
        "---\nschema: 'drydock/BaremetalNode/v1'\nmetadata:\n  schema: 'metadata/Document/v1'\n  \
         name: n{node}\n  layeringDefinition:\n    abstract: false\n    layer: site\n  \
         storagePolicy: cleartext\ndata:\n  host_profile: server\n  addressing:\n"
    )
    .unwrap();
    for (at, network) in ["oob", "pxe", "oam", "storage", "calico", "overlay"]
        .into_iter()
        .enumerate()
    {
        let (high, middle, low) = (node >> 16 & 255, node >> 8 & 255, node & 255);
        writeln!(
            text,
            "    - network: {network}\n      address: {}.{high}.{middle}.{low}",
            10 + at
        )
        .unwrap();
    }
    writeln!(
        text,
        "  metadata:\n    rack: r{}\n    tags:\n      - 't{}'\n      - 't{}'\n    owner_data:\n      \
         zone: z{}",
        dice.roll(racks),
        dice.roll(50),
        dice.roll(50),
        dice.roll(20)
    )
    .unwrap();
}

fn nodes(count: usize, racks: usize, form: Form, text: &mut String, dice: &mut Dice) {
    for node in 0..count {
        if form == Form::Whole {
            whole_node(node, racks, text, dice);
            continue;
        }
        let rack = dice.roll(racks);
        bare_node(node, rack, text, dice);
    }
}

fn bare_node(node: usize, rack: usize, text: &mut String, dice: &mut Dice) {
    text.push_str(&envelope("drydock/BaremetalNode/v1", &format!("n{node}")));
    write!(
        text,
        "data:\n  host_profile: server\n  addressing:\n  - {{network: oob, address: \
         10.{}.{}.{}}}\n  metadata:\n    rack: r{rack}\n    tags: [t{}, t{}]\n    owner_data: \
         {{zone: z{}}}\n",
        node >> 16 & 255,
        node >> 8 & 255,
        node & 255,
        dice.roll(50),
        dice.roll(50),
        dice.roll(20)
    )
    .unwrap();
}

/// Bare nodes, each in the rack that `rack` says.
pub fn nodes_in(count: usize, rack: impl Fn(usize) -> usize, text: &mut String, dice: &mut Dice) {
    for node in 0..count {
        bare_node(node, rack(node), text, dice);
    }
}

/// So many groups over so many nodes.
pub fn site(groups: usize, nodes_wanted: usize, form: Form) -> Site {
    let mut dice = Dice::new(4);
    let racks = nodes_wanted / 20;
    let mut text = strategy();
    for group in 0..groups {
        write!(
            text,
            "  - name: g{group}\n    critical: {}\n",
            dice.roll(10) == 0
        )
        .unwrap();
        let mut needs = Vec::new();
        if group > 0 {
            needs.push(format!("g{}", group - 1 - dice.roll(group.min(5))));
            if dice.roll(2) == 0 {
                needs.push(format!("g{}", dice.roll(group)));
            }
        }
        needs.dedup();
        writeln!(
            text,
            "    depends_on: [{}]\n    selectors:",
            needs.join(", ")
        )
        .unwrap();
        match dice.roll(4) {
            0 => writeln!(text, "    - node_names: [n{}]", dice.roll(nodes_wanted)),
            1 => writeln!(
                text,
                "    - node_labels: [\"zone:z{}\"]\n      rack_names: [r{}]",
                dice.roll(20),
                dice.roll(racks)
            ),
            2 => writeln!(
                text,
                "    - node_tags: [t{}]\n      rack_names: [r{}, r{}]",
                dice.roll(50),
                dice.roll(racks),
                dice.roll(racks)
            ),
            _ => writeln!(text, "    - rack_names: [r{}]", dice.roll(racks)),
        }
        .unwrap();
        text.push_str("    success_criteria: {percent_successful_nodes: 50}\n");
    }
    text.push_str(&profiles());
    nodes(nodes_wanted, racks, form, &mut text, &mut dice);
    Site::of(&format!("airship-{form:?}"), &[("site.yaml".into(), text)])
}

/// Groups in one chain, a node each for the first thousand.
pub fn chain(groups: usize) -> Site {
    let mut dice = Dice::new(44);
    let mut text = strategy();
    for group in 0..groups {
        let needs = group
            .checked_sub(1)
            .map_or(String::new(), |before| format!("g{before}"));
        writeln!(
            text,
            "  - name: g{group}\n    critical: false\n    depends_on: [{needs}]\n    selectors:\n    \
             - node_names: [n{}]",
            group % 1_000
        )
        .unwrap();
    }
    text.push_str(&profiles());
    nodes(1_000, 50, Form::Bare, &mut text, &mut dice);
    Site::of("airship-chain", &[("site.yaml".into(), text)])
}
