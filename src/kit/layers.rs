//! Layers of a dependency graph, drawn so that few edges cross: the method of Sugiyama.
//!
//! Numbers and the order of the nodes decide everything: the same graph is drawn the same way.

use super::dag::Dag;

/// Sweeps that move the nodes of a layer towards their neighbours in the next one.
const SWEEPS: usize = 8;

/// A place: a layer, and a place in it.
pub type Spot = (usize, usize);

/// A graph in layers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layers {
    /// How many places each layer has.
    pub sizes: Vec<usize>,
    /// Where each node is.
    pub nodes: Vec<Spot>,
    /// The places that each edge goes through, from a node to one that needs it.
    pub edges: Vec<Vec<Spot>>,
}

/// The layer of each node: how long the longest way to it is. Nodes on a cycle have the first.
#[must_use]
pub fn longest(needs: &[Vec<u32>]) -> Vec<usize> {
    let mut layers = vec![0; needs.len()];
    for (layer, wave) in Dag::new(needs).waves().iter().enumerate() {
        for node in wave {
            layers[*node as usize] = layer;
        }
    }
    layers
}

/// Draws edges between nodes of these layers; edges that do not lead onwards are left out.
#[must_use]
pub fn draw(layers: &[usize], edges: &[(u32, u32)]) -> Layers {
    let depth = layers.iter().max().map_or(0, |last| last + 1);
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); depth];
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); layers.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); layers.len()];
    for (node, layer) in layers.iter().enumerate() {
        all[*layer].push(node);
    }
    // A long edge has a place of its own in every layer that it crosses.
    let mut ways: Vec<Vec<usize>> = Vec::with_capacity(edges.len());
    for (from, to) in edges {
        let (from, to) = (*from as usize, *to as usize);
        if layers[from] >= layers[to] {
            continue;
        }
        let mut way = vec![from];
        for layer in &mut all[layers[from] + 1..layers[to]] {
            let dummy = above.len();
            above.push(Vec::new());
            below.push(Vec::new());
            layer.push(dummy);
            way.push(dummy);
        }
        way.push(to);
        for pair in way.windows(2) {
            below[pair[0]].push(pair[1]);
            above[pair[1]].push(pair[0]);
        }
        ways.push(way);
    }
    let mut at = vec![0; above.len()];
    let place = |layer: &[usize], at: &mut Vec<usize>| {
        for (place, node) in layer.iter().enumerate() {
            at[*node] = place;
        }
    };
    for layer in &all {
        place(layer, &mut at);
    }
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let order: Vec<usize> = if down {
            (1..depth).collect()
        } else {
            (0..depth.saturating_sub(1)).rev().collect()
        };
        for layer in order {
            let beside = if down { &above } else { &below };
            let mean = |node: usize, at: &[usize]| match beside[node].as_slice() {
                // A node without connections keeps its place.
                [] => (at[node], 1),
                others => (others.iter().map(|other| at[*other]).sum(), others.len()),
            };
            all[layer].sort_by(|a, b| {
                let ((sum, of), (other_sum, other_of)) = (mean(*a, &at), mean(*b, &at));
                (sum * other_of)
                    .cmp(&(other_sum * of))
                    .then(at[*a].cmp(&at[*b]))
            });
            place(&all[layer], &mut at);
        }
    }
    let mut spots = vec![(0, 0); above.len()];
    for (layer, nodes) in all.iter().enumerate() {
        for (place, node) in nodes.iter().enumerate() {
            spots[*node] = (layer, place);
        }
    }
    Layers {
        sizes: all.iter().map(Vec::len).collect(),
        nodes: spots[..layers.len()].to_vec(),
        edges: ways
            .iter()
            .map(|way| way.iter().map(|node| spots[*node]).collect())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_the_longest_way() {
        let needs = vec![vec![], vec![0], vec![0, 1], vec![0], vec![9]];
        assert_eq!(longest(&needs), [0, 1, 2, 1, 0]);
        // A cycle ends, and what hangs on it has a layer.
        assert_eq!(longest(&[vec![1], vec![0], vec![1]]), [0, 0, 0]);
    }

    #[test]
    fn crossed_pairs_are_drawn_uncrossed() {
        let drawn = draw(&[0, 0, 1, 1], &[(0, 3), (1, 2)]);
        assert_eq!(drawn.nodes, [(0, 0), (0, 1), (1, 1), (1, 0)]);
    }

    #[test]
    fn long_edges_go_through_every_layer_between() {
        let drawn = draw(&[0, 1, 2], &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!(drawn.sizes, [1, 2, 1]);
        assert_eq!(drawn.edges[2].len(), 3);
        assert_ne!(drawn.edges[2][1], drawn.nodes[1]);
        assert_eq!(draw(&[0, 0], &[(0, 1)]).edges, Vec::<Vec<Spot>>::new());
        assert_eq!(draw(&[], &[]), Layers::default());
    }
}
