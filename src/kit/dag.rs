//! Dependency graphs over dense numbers: two deterministic orders, and cycles as paths.
//!
//! Nothing here recurses: a chain of any length is walked with an explicit stack.

use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// A dependency graph over the numbers `0..len`; the numbers are the document order.
///
/// It may hold cycles: [`Dag::cycles`] finds them, and the orders leave out whatever
/// lies on or below one.
#[derive(Debug, Clone)]
pub struct Dag {
    graph: DiGraph<(), (), u32>,
}

impl Dag {
    /// A graph from the dependencies of each node, in document order.
    ///
    /// A dependency that is repeated counts once; one beyond `dependencies.len()` is
    /// left out.
    #[must_use]
    pub fn new(dependencies: &[Vec<u32>]) -> Self {
        let edges = dependencies.iter().map(Vec::len).sum();
        let mut graph = DiGraph::with_capacity(dependencies.len(), edges);
        for _ in dependencies {
            graph.add_node(());
        }
        // petgraph walks edges from the newest to the oldest; added from the last
        // dependent to the first, each node's dependents come out in document order.
        let mut seen = Vec::new();
        for (node, needs) in dependencies.iter().enumerate().rev() {
            seen.clear();
            seen.extend(
                needs
                    .iter()
                    .copied()
                    .filter(|need| (*need as usize) < dependencies.len()),
            );
            seen.sort_unstable();
            seen.dedup();
            for need in &seen {
                graph.add_edge(NodeIndex::new(*need as usize), NodeIndex::new(node), ());
            }
        }
        Self { graph }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that depend directly on `node`, in document order.
    pub fn dependents(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let neighbors = self.graph.neighbors(NodeIndex::new(node as usize));
        neighbors.map(|next| u32::try_from(next.index()).unwrap_or(u32::MAX))
    }

    fn unmet(&self) -> Vec<u32> {
        let incoming = |node| self.graph.edges_directed(node, Direction::Incoming).count();
        let count = |node| u32::try_from(incoming(node)).unwrap_or(u32::MAX);
        self.graph.node_indices().map(count).collect()
    }

    fn roots(unmet: &[u32]) -> Vec<u32> {
        (0..)
            .zip(unmet)
            .filter(|(_, left)| **left == 0)
            .map(|(node, _)| node)
            .collect()
    }

    /// The waves: first the nodes without dependencies, in document order; then, going
    /// through the present wave in order and through each node's dependents in document
    /// order, every node at the moment its last unmet dependency is crossed off.
    ///
    /// The topological order of networkx 3.
    #[must_use]
    pub fn waves(&self) -> Vec<Vec<u32>> {
        let mut unmet = self.unmet();
        let mut wave = Self::roots(&unmet);
        let mut waves = Vec::new();
        while !wave.is_empty() {
            let mut next = Vec::new();
            for node in &wave {
                for dependent in self.dependents(*node) {
                    let left = &mut unmet[dependent as usize];
                    *left -= 1;
                    if *left == 0 {
                        next.push(dependent);
                    }
                }
            }
            waves.push(std::mem::replace(&mut wave, next));
        }
        waves
    }

    /// The older order: push the nodes without dependencies in document order, pop from
    /// the end, push each dependent whose last unmet dependency was popped, repeat.
    ///
    /// The topological order of networkx 2.1 and 2.2 (the years of Airship 1.x).
    #[must_use]
    pub fn stack_order(&self) -> Vec<u32> {
        let mut unmet = self.unmet();
        let mut stack = Self::roots(&unmet);
        let mut order = Vec::with_capacity(self.len());
        while let Some(node) = stack.pop() {
            order.push(node);
            for dependent in self.dependents(node) {
                let left = &mut unmet[dependent as usize];
                *left -= 1;
                if *left == 0 {
                    stack.push(dependent);
                }
            }
        }
        order
    }

    /// One cycle for each knot of nodes that depend on one another, as the path through
    /// it: each node is followed by one of its dependents, the last by the first.
    ///
    /// The first is the one a depth-first walk from the nodes in document order finds
    /// first. A node that depends on itself is a cycle of one.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let mut knot = vec![0; self.len()];
        let components = kosaraju_scc(&self.graph);
        for (number, component) in components.iter().enumerate() {
            for node in component {
                knot[node.index()] = number;
            }
        }
        let mut reported = vec![false; components.len()];
        let mut place_on_path = vec![usize::MAX; self.len()];
        let mut visited = vec![false; self.len()];
        let mut cycles = Vec::new();
        for start in self.graph.node_indices() {
            if visited[start.index()] {
                continue;
            }
            visited[start.index()] = true;
            place_on_path[start.index()] = 0;
            let mut path = vec![(start, self.graph.neighbors(start).detach())];
            while let Some((node, walker)) = path.last_mut() {
                let node = *node;
                match walker.next_node(&self.graph) {
                    None => {
                        place_on_path[node.index()] = usize::MAX;
                        path.pop();
                    }
                    Some(next) if place_on_path[next.index()] != usize::MAX => {
                        let number = knot[next.index()];
                        if !std::mem::replace(&mut reported[number], true) {
                            let cycle = &path[place_on_path[next.index()]..];
                            let number = |(node, _): &(NodeIndex, _)| {
                                u32::try_from(node.index()).unwrap_or(u32::MAX)
                            };
                            cycles.push(cycle.iter().map(number).collect());
                        }
                    }
                    Some(next) if visited[next.index()] => {}
                    Some(next) => {
                        visited[next.index()] = true;
                        place_on_path[next.index()] = path.len();
                        path.push((next, self.graph.neighbors(next).detach()));
                    }
                }
            }
        }
        cycles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(dag: &Dag) -> Vec<u32> {
        dag.waves().concat()
    }

    #[test]
    fn waves_and_stack_of_the_five_groups() {
        // control-nodes, compute-1, compute-2, monitoring, ntp
        let dag = Dag::new(&[vec![4], vec![0], vec![0], vec![], vec![]]);
        assert_eq!(flat(&dag), [3, 4, 0, 1, 2]);
        assert_eq!(dag.stack_order(), [4, 0, 2, 1, 3]);
    }

    #[test]
    fn a_repeated_dependency_is_one_edge() {
        let dag = Dag::new(&[vec![1, 1], vec![]]);
        assert_eq!(flat(&dag), [1, 0]);
    }

    #[test]
    fn a_dependent_joins_when_its_last_dependency_is_met() {
        // 0 needs 3 and 2; 1 needs 2: crossing 2 off meets 1 before 3 meets 0.
        let dag = Dag::new(&[vec![3, 2], vec![2], vec![], vec![]]);
        assert_eq!(flat(&dag), [2, 3, 1, 0]);
    }

    #[test]
    fn the_cycle_is_the_path_without_what_hangs_below() {
        // a needs c, b needs a, c needs d, d needs a
        let dag = Dag::new(&[vec![2], vec![0], vec![3], vec![0]]);
        assert_eq!(dag.cycles(), [vec![0, 3, 2]]);
        assert_eq!(Dag::new(&[vec![0], vec![]]).cycles(), [vec![0]]);
    }

    #[test]
    fn every_knot_is_told_once() {
        let dag = Dag::new(&[vec![1], vec![0], vec![3], vec![2, 1], vec![4]]);
        assert_eq!(dag.cycles(), [vec![0, 1], vec![3, 2], vec![4]]);
        assert!(flat(&dag).is_empty());
    }

    #[test]
    fn a_long_chain_and_a_long_ring_need_no_stack() {
        let chain: Vec<Vec<u32>> = (0..100_000)
            .map(|n: u32| n.checked_sub(1).into_iter().collect())
            .collect();
        let dag = Dag::new(&chain);
        assert!(dag.cycles().is_empty());
        assert_eq!(dag.waves().len(), 100_000);
        assert_eq!(dag.stack_order().len(), 100_000);
        let mut cycle = chain;
        cycle[0].push(99_999);
        assert_eq!(Dag::new(&cycle).cycles()[0].len(), 100_000);
    }

    proptest! {
        #[test]
        fn orders_respect_every_edge(edges in prop::collection::vec((0u32..40, 0u32..40), 0..120)) {
            let mut needs = vec![Vec::new(); 40];
            for (a, b) in edges {
                needs[a.max(b) as usize].extend((a != b).then(|| a.min(b)));
            }
            let dag = Dag::new(&needs);
            prop_assert!(dag.cycles().is_empty());
            for order in [flat(&dag), dag.stack_order()] {
                prop_assert_eq!(order.len(), 40);
                let at = |node: u32| order.iter().position(|other| *other == node);
                for (node, list) in needs.iter().enumerate() {
                    for need in list {
                        prop_assert!(at(*need) < at(u32::try_from(node).unwrap()));
                    }
                }
            }
        }
    }
}
