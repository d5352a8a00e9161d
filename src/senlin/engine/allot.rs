//! Distributing a number of nodes over regions by weight.

/// A usable region as the distribution sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The relative share.
    pub weight: i128,
    /// The most nodes when growing; negative: no cap.
    pub cap: i128,
    /// Nodes now.
    pub nodes: i128,
}

/// Whether nodes are created or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Nodes are created.
    Grow,
    /// Nodes are deleted.
    Shrink,
}

impl Direction {
    /// The direction of a number that is not 0: negative numbers delete.
    #[must_use]
    pub fn of(number: i128) -> Self {
        if number < 0 { Self::Shrink } else { Self::Grow }
    }

    /// The key of an action's data that this direction writes.
    #[must_use]
    pub fn entry(self) -> &'static str {
        match self {
            Self::Grow => "creation",
            Self::Shrink => "deletion",
        }
    }
}

/// How many nodes one region was asked for, with the steps that led there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allotment {
    /// The part of the total that the weight gives, before rounding.
    pub share: f64,
    /// The share rounded: up when growing, down when shrinking.
    pub rounded: i128,
    /// The share rounded and, when growing, cut to the cap.
    pub quota: i128,
    /// How many nodes the region can take or give; not positive: none.
    pub room: i128,
    /// How many it takes or gives.
    pub taken: i128,
}

/// A distribution of a number over regions.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// The sum of the weights.
    pub weights: i128,
    /// The nodes in these regions now.
    pub nodes: i128,
    /// The nodes in these regions afterwards.
    pub total: i128,
    /// Positions in the order in which the regions were asked.
    pub order: Vec<u32>,
    /// One per region, by position.
    pub allotments: Vec<Allotment>,
    /// The nodes that no region took; more than 0 means that there is no plan.
    pub remain: i128,
}

/// The weights of the usable regions add up to zero, by which upstream divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZeroSum;

/// Distributes `count` nodes (more than 0) over the regions.
///
/// # Errors
/// [`ZeroSum`] when the weights add up to zero.
pub fn distribute(
    regions: &[Candidate],
    count: i128,
    direction: Direction,
) -> Result<Distribution, ZeroSum> {
    let sum = Sum::of(regions.iter());
    let Sum { weights, nodes } = sum;
    if weights == 0 {
        return Err(ZeroSum);
    }
    let total = sum.total(count, direction);
    let order = order(regions, direction);
    let mut allotments: Vec<Allotment> = regions
        .iter()
        .map(|region| wanted(*region, total, weights, direction))
        .collect();
    let mut remain = count;
    for at in &order {
        let allotment = &mut allotments[*at as usize];
        allotment.taken = allotment.room.clamp(0, remain);
        remain -= allotment.taken;
        if remain == 0 {
            break;
        }
    }
    Ok(Distribution {
        weights,
        nodes,
        total,
        order,
        allotments,
        remain,
    })
}

/// The order in which the regions are asked.
pub(super) fn order(regions: &[Candidate], direction: Direction) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(regions.len()).unwrap_or(u32::MAX)).collect();
    let weight = |at: &u32| regions[*at as usize].weight;
    // Both sorts are stable: equal weights keep the policy's order in both directions.
    match direction {
        Direction::Grow => order.sort_by_key(|at| std::cmp::Reverse(weight(at))),
        Direction::Shrink => order.sort_by_key(weight),
    }
    order
}

/// Weights and nodes of regions together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    pub(super) weights: i128,
    nodes: i128,
}

impl Sum {
    pub(super) fn of<'r>(regions: impl Iterator<Item = &'r Candidate>) -> Self {
        let (mut weights, mut nodes) = (0, 0);
        for region in regions {
            weights += region.weight;
            nodes += region.nodes;
        }
        Self { weights, nodes }
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self {
            weights: self.weights - other.weights,
            nodes: self.nodes - other.nodes,
        }
    }

    /// The nodes afterwards.
    pub(super) const fn total(self, count: i128, direction: Direction) -> i128 {
        match direction {
            Direction::Grow => self.nodes + count,
            Direction::Shrink => self.nodes - count,
        }
    }
}

/// The result of [`distribute`] for regions in the order in which they are asked: how many nodes
/// each of them takes or gives, without the zeros, and how many are left over.
pub(super) fn sent(
    regions: impl Iterator<Item = (u32, Candidate)>,
    sum: Sum,
    count: i128,
    direction: Direction,
) -> Result<(Vec<(u32, i128)>, i128), ZeroSum> {
    if sum.weights == 0 {
        return Err(ZeroSum);
    }
    let total = sum.total(count, direction);
    let mut found = Vec::new();
    let mut remain = count;
    for (at, region) in regions {
        let taken = wanted(region, total, sum.weights, direction)
            .room
            .clamp(0, remain);
        if taken > 0 {
            found.push((at, taken));
        }
        remain -= taken;
        if remain == 0 {
            break;
        }
    }
    Ok((found, remain))
}

fn wanted(region: Candidate, total: i128, weights: i128, direction: Direction) -> Allotment {
    let rounded = rounded(total, region.weight, weights, direction);
    let quota = quota(region, rounded, direction);
    Allotment {
        share: share(total, region.weight, weights),
        rounded,
        quota,
        room: taking(region, rounded, direction),
        taken: 0,
    }
}

/// The share, rounded, and when growing cut to the cap.
fn quota(region: Candidate, rounded: i128, direction: Direction) -> i128 {
    match direction {
        Direction::Grow if region.cap >= 0 => rounded.min(region.cap),
        Direction::Grow | Direction::Shrink => rounded,
    }
}

/// How many nodes a region can take or give where its share is rounded so.
pub(super) fn taking(region: Candidate, rounded: i128, direction: Direction) -> i128 {
    let quota = quota(region, rounded, direction);
    match direction {
        Direction::Grow => quota.saturating_sub(region.nodes),
        Direction::Shrink => region.nodes.saturating_sub(quota),
    }
}

/// The share of a weight, rounded up when growing and else down.
pub(super) fn rounded(total: i128, weight: i128, weights: i128, direction: Direction) -> i128 {
    let share = share(total, weight, weights);
    whole(match direction {
        Direction::Grow => share.ceil(),
        Direction::Shrink => share.floor(),
    })
}

/// The part of `total` that a weight gives, in upstream's floating point.
///
/// `RegionPlacementPolicy._create_plan` (senlin/policies/region_placement.py) computes
/// `total * weight / float(weight_sum)`: an exact integer product, then one division of two
/// doubles, each converted to nearest, ties to even. With weights beyond 2^53 this differs from
/// exact arithmetic, and the plan follows upstream.
#[must_use]
pub fn share(total: i128, weight: i128, weights: i128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "the rounding is the original's")]
    let weights = weights as f64;
    product(total, weight) / weights
}

/// The product of two integers as the nearest double, ties to even.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the rounding is the original's")]
pub fn product(a: i128, b: i128) -> f64 {
    if let Some(product) = a.checked_mul(b) {
        return product as f64;
    }
    let (high, low) = widening(a.unsigned_abs(), b.unsigned_abs());
    // The 128 leading bits, the last of which also stands for all those behind it, round to the
    // same double as the whole number.
    let shift = 128 - high.leading_zeros();
    let leading = if shift == 128 {
        high
    } else {
        high << (128 - shift) | low >> shift
    };
    let rest = if shift == 128 {
        low
    } else {
        low & ((1 << shift) - 1)
    };
    let magnitude = (leading | u128::from(rest != 0)) as f64 * power_of_two(shift);
    if (a < 0) == (b < 0) {
        magnitude
    } else {
        -magnitude
    }
}

/// The 256 bits of a product, high half first.
fn widening(a: u128, b: u128) -> (u128, u128) {
    const HALF: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & HALF);
    let (b1, b0) = (b >> 64, b & HALF);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let other = a0 * b1 + (middle & HALF);
    (
        a1 * b1 + (middle >> 64) + (other >> 64),
        (other << 64) | (low & HALF),
    )
}

fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "saturates, which no room reaches"
)]
fn whole(rounded: f64) -> i128 {
    rounded as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(weights: &[i128], nodes: &[i128]) -> Vec<Candidate> {
        let pair = weights.iter().zip(nodes);
        pair.map(|(weight, nodes)| Candidate {
            weight: *weight,
            cap: -1,
            nodes: *nodes,
        })
        .collect()
    }

    fn taken(regions: &[Candidate], count: i128, direction: Direction) -> Vec<i128> {
        let plan = distribute(regions, count, direction).expect("a sum");
        plan.allotments
            .iter()
            .map(|allotment| allotment.taken)
            .collect()
    }

    #[test]
    fn ceilings_favour_heavy_regions() {
        let regions = even(&[34, 33, 33], &[0, 0, 0]);
        assert_eq!(taken(&regions, 4, Direction::Grow), [2, 2, 0]);
    }

    #[test]
    fn ties_keep_the_order_of_the_policy_in_both_directions() {
        let regions = even(&[100, 100, 100], &[2, 2, 2]);
        assert_eq!(taken(&regions, 1, Direction::Grow), [1, 0, 0]);
        assert_eq!(taken(&regions, 1, Direction::Shrink), [1, 0, 0]);
    }

    #[test]
    fn weight_zero_receives_nothing_and_is_drained_first() {
        let regions = even(&[100, 0], &[2, 2]);
        assert_eq!(taken(&regions, 3, Direction::Grow), [3, 0]);
        assert_eq!(taken(&regions, 2, Direction::Shrink), [0, 2]);
    }

    #[test]
    fn a_cap_can_leave_nodes_over() {
        let regions = [
            Candidate {
                weight: 100,
                cap: 1,
                nodes: 0,
            },
            Candidate {
                weight: 100,
                cap: -1,
                nodes: 0,
            },
        ];
        assert_eq!(
            distribute(&regions, 4, Direction::Grow)
                .expect("a sum")
                .remain,
            1
        );
    }

    #[test]
    fn more_can_be_deleted_than_there_is() {
        let regions = even(&[100, 100], &[1, 1]);
        assert_eq!(taken(&regions, 5, Direction::Shrink), [3, 2]);
    }

    #[test]
    fn huge_weights_round_as_doubles_do() {
        let heavy = 100_000_000_000_000_000;
        let regions = even(&[heavy + 3, heavy + 2], &[0, 0]);
        assert_eq!(taken(&regions, 8, Direction::Grow), [4, 4]);
    }

    #[test]
    fn weights_that_add_up_to_zero_are_a_failure() {
        assert_eq!(
            distribute(&even(&[5, -5], &[1, 1]), 1, Direction::Grow),
            Err(ZeroSum)
        );
    }

    #[test]
    fn long_products_round_to_the_nearest_double() {
        let ten = |power: u32| 10_i128.pow(power);
        assert_eq!(product(ten(30), ten(30)).to_bits(), 1e60_f64.to_bits());
        assert_eq!(product(-ten(30), ten(29)).to_bits(), (-1e59_f64).to_bits());
        assert_eq!(product(i128::MAX, 1 << 100), 2_f64.powi(227));
        assert_eq!(product((1 << 53) + 1, 1 << 80), 2_f64.powi(133));
        assert_eq!(
            product((1 << 53) + 3, 1 << 90),
            ((1_u64 << 53) + 4) as f64 * 2_f64.powi(90)
        );
        assert_eq!(product(i128::MAX, i128::MAX), 2_f64.powi(254));
    }
}
