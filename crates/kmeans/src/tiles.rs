//! Memory layout of the centres for comparing a point with several centres at once.

/// Number of centres in a tile; their distances fit into the registers.
pub const LANES: usize = 8;

/// One number for each centre of a tile.
pub type Lanes = [f64; LANES];

/// Marks a lane without a centre; it loses every tie.
const NO_CENTRE: u32 = u32::MAX;

/// Centres in tiles of [`LANES`]. Within a tile, all values of one coordinate are contiguous.
pub struct Tiles {
    coordinates: Vec<Lanes>,
    dimension: usize,
    /// The centres of each tile, in ascending order.
    members: Vec<[u32; LANES]>,
    /// The tile of each centre.
    tile_of: Vec<u32>,
}

/// The nearest of some centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    pub centre: u32,
    pub squared: f64,
    /// Squared distance to the second nearest centre of the same tile.
    pub second: f64,
}

impl Nearest {
    /// The initial value: centre 0, which is also the result if all distances overflow.
    pub const UNKNOWN: Nearest =
        Nearest { centre: 0, squared: f64::INFINITY, second: f64::INFINITY };

    /// Whether this centre precedes the other: it is nearer, or equally near with a lower
    /// number.
    #[inline(always)]
    pub fn before(&self, other: &Nearest) -> bool {
        self.squared < other.squared
            || (self.squared == other.squared && self.centre < other.centre)
    }
}

impl Tiles {
    /// Centres in the order of their numbers.
    pub fn in_order(centres: &[f64], dimension: usize) -> Self {
        let order: Vec<u32> = (0..(centres.len() / dimension) as u32).collect();
        Self::arranged(centres, dimension, &order)
    }

    /// Puts neighbouring centres into the same tile as far as possible.
    pub fn by_neighbourhood(centres: &[f64], dimension: usize) -> Self {
        let mut order: Vec<u32> = (0..(centres.len() / dimension) as u32).collect();
        bring_together(&mut order, &|c| &centres[c as usize * dimension..][..dimension]);
        Self::arranged(centres, dimension, &order)
    }

    fn arranged(centres: &[f64], dimension: usize, order: &[u32]) -> Self {
        let mut members = Vec::with_capacity(order.len().div_ceil(LANES));
        let mut tile_of = vec![0; order.len()];
        for (tile, some) in order.chunks(LANES).enumerate() {
            let mut lanes = [NO_CENTRE; LANES];
            lanes[..some.len()].copy_from_slice(some);
            lanes.sort_unstable();
            members.push(lanes);
            some.iter().for_each(|&c| tile_of[c as usize] = tile as u32);
        }
        // Unused lanes are infinitely far from every point.
        let coordinates = vec![[f64::INFINITY; LANES]; members.len() * dimension];
        let mut tiles = Tiles { coordinates, dimension, members, tile_of };
        tiles.put(centres);
        tiles
    }

    /// Sets the positions of the centres; each stays in its tile.
    pub fn put(&mut self, centres: &[f64]) {
        let d = self.dimension;
        for (members, tile) in self.members.iter().zip(self.coordinates.chunks_exact_mut(d)) {
            for (lane, &c) in members.iter().enumerate().filter(|(_, c)| **c != NO_CENTRE) {
                let centre = &centres[c as usize * d..][..d];
                tile.iter_mut().zip(centre).for_each(|(lanes, &x)| lanes[lane] = x);
            }
        }
    }

    pub fn count(&self) -> usize {
        self.members.len()
    }

    #[inline(always)]
    pub fn tile_of(&self, centre: u32) -> usize {
        self.tile_of[centre as usize] as usize
    }

    /// The squared distances to the centres of one tile.
    #[inline(always)]
    pub fn squared_distances(&self, tile: usize, point: &[f64]) -> Lanes {
        let coordinates = &self.coordinates[tile * self.dimension..][..self.dimension];
        let ((pairs, last), (tile_pairs, tile_last)) =
            (point.as_chunks::<2>(), coordinates.as_chunks::<2>());
        // Two sums per lane, so that an addition does not have to wait for the previous one.
        let (mut even, mut odd) = ([0.0; LANES], [0.0; LANES]);
        for ([x, y], [xs, ys]) in pairs.iter().zip(tile_pairs) {
            add_squares(&mut even, *x, xs);
            add_squares(&mut odd, *y, ys);
        }
        for (x, xs) in last.iter().zip(tile_last) {
            add_squares(&mut even, *x, xs);
        }
        for (e, o) in even.iter_mut().zip(odd) {
            *e += o;
        }
        even
    }

    /// The nearest centre of one tile.
    #[inline(always)]
    pub fn nearest_in(&self, tile: usize, point: &[f64]) -> Nearest {
        let squared = self.squared_distances(tile, point);
        let (first, second) = least_two(&squared);
        // A mask instead of a search, because the branch on the lane cannot be predicted.
        let lanes = squared.iter().enumerate();
        let mask = lanes.fold(0_u32, |mask, (lane, &s)| mask | (u32::from(s == first) << lane));
        let lane = mask.trailing_zeros() as usize % LANES;
        Nearest { centre: self.members[tile][lane], squared: first, second }
    }

    /// The nearest of all centres.
    #[inline(always)]
    pub fn nearest(&self, point: &[f64]) -> Nearest {
        let better = |best: Nearest, tile| {
            let found = self.nearest_in(tile, point);
            if found.before(&best) { found } else { best }
        };
        (0..self.count()).fold(Nearest::UNKNOWN, better)
    }
}

#[inline(always)]
fn add_squares(sums: &mut Lanes, x: f64, centres: &Lanes) {
    for (sum, c) in sums.iter_mut().zip(centres) {
        *sum += (x - c) * (x - c);
    }
}

/// The two smallest numbers, by a tournament whose first rounds are vector operations.
#[inline(always)]
fn least_two(numbers: &Lanes) -> (f64, f64) {
    let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
    for i in 0..4 {
        (low[i], high[i]) = ordered(numbers[i], numbers[i + 4]);
    }
    for half in [2, 1] {
        for i in 0..half {
            let (first, loser) = ordered(low[i], low[i + half]);
            (low[i], high[i]) = (first, ordered(loser, ordered(high[i], high[i + half]).0).0);
        }
    }
    (low[0], high[0])
}

/// Written explicitly because `f64::min` has additional handling of NaN.
#[inline(always)]
fn ordered(a: f64, b: f64) -> (f64, f64) {
    if a < b { (a, b) } else { (b, a) }
}

/// Orders centres such that neighbours share a tile: recursively splits them, at the border of
/// a tile, along the line between two distant centres.
fn bring_together<'a>(order: &mut [u32], centre: &impl Fn(u32) -> &'a [f64]) {
    if order.len() <= LANES {
        return;
    }
    let from_one = farthest(order, centre(order[0]), centre);
    let from_other = farthest(order, centre(from_one), centre);
    let line: Vec<f64> =
        centre(from_other).iter().zip(centre(from_one)).map(|(a, b)| a - b).collect();
    let along = |c: u32| centre(c).iter().zip(&line).map(|(x, l)| x * l).sum::<f64>();
    order.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
    let middle = order.len().div_ceil(LANES).div_ceil(2) * LANES;
    let (near, far) = order.split_at_mut(middle);
    bring_together(near, centre);
    bring_together(far, centre);
}

fn farthest<'a>(some: &[u32], from: &[f64], centre: &impl Fn(u32) -> &'a [f64]) -> u32 {
    let distance = |c: u32| super::points::squared_distance(centre(c), from);
    let farther = |a: u32, b: u32| if distance(b) > distance(a) { b } else { a };
    some.iter().copied().reduce(farther).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_tournament_finds_the_two_least(numbers in proptest::array::uniform8(0..6_u8)) {
            let numbers = numbers.map(f64::from);
            let mut sorted = numbers;
            sorted.sort_by(f64::total_cmp);
            prop_assert_eq!(least_two(&numbers), (sorted[0], sorted[1]));
        }

        #[test]
        fn the_arrangement_changes_nothing(
            centres in proptest::collection::vec(0..5_u8, 3..180),
            point in proptest::array::uniform3(0..5_u8),
        ) {
            let whole = centres.len() / 3 * 3;
            let centres: Vec<f64> = centres[..whole].iter().map(|&x| f64::from(x)).collect();
            let point = point.map(f64::from);
            let (plain, arranged) = (Tiles::in_order(&centres, 3), Tiles::by_neighbourhood(&centres, 3));
            let (a, b) = (plain.nearest(&point), arranged.nearest(&point));
            prop_assert_eq!((a.centre, a.squared), (b.centre, b.squared));
            let distance = |c: usize| super::super::points::squared_distance(&centres[3 * c..][..3], &point);
            let first = (0..whole / 3).reduce(|a, b| if distance(b) < distance(a) { b } else { a });
            prop_assert_eq!(Some(a.centre as usize), first);
        }
    }
}
