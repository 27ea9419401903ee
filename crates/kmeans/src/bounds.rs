//! Lloyd's assignment step with bounds that avoid most distance computations.
//!
//! A distance changes by at most the distance that its centre moves. Each point therefore has
//! an upper bound on the distance to its own centre, and for each tile of centres a lower bound
//! on the distance to the other centres in it. A tile whose lower bound exceeds the upper bound
//! is skipped. One bound per group of centres is the idea of Y. Ding et al., *Yinyang k-means*,
//! ICML 2015; here a group is a tile, the number of centres that the vector unit compares at
//! once.
//!
//! Every bound is rounded to the safe side by more than the rounding error of distances, so the
//! labels, including ties, are those of the plain algorithm.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::lloyd::Assign;
use super::points::{Points, squared_distance};
use super::tiles::{LANES, Nearest, Tiles};

/// Number of points that a thread processes at a time.
const BLOCK: usize = 1024;

/// Number of bounds compared at once.
const WIDTH: usize = 4;

/// Covers distances whose squares underflow.
const TINY: f64 = 1e-150;

/// The bounds of all points. They are stored relative to the first round, so that a moving
/// centre only extends its path instead of changing every bound: a lower bound is the stored
/// number minus the path of the tile, an upper bound is the stored number plus the path of the
/// centre.
pub struct Bounds {
    /// For each point one bound per tile, padded with infinity to a multiple of [`WIDTH`].
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// `None` before the first round.
    map: Option<Map>,
    parallel: bool,
}

/// The positions of the centres and upper bounds on the lengths of their paths.
struct Map {
    tiles: Tiles,
    centres: Vec<f64>,
    centre_paths: Vec<f64>,
    /// For each tile, the sum over the rounds of the longest movement of a centre; padded with
    /// zeros.
    tile_paths: Vec<f64>,
    slack: f64,
}

/// Bytes of the lower bounds of a point.
pub fn bounds_of_a_point(k: usize) -> usize {
    k.div_ceil(LANES).next_multiple_of(WIDTH) * size_of::<f64>()
}

impl Bounds {
    /// Bounds for one run of Lloyd's algorithm, on all threads or only on the calling thread.
    pub fn new(parallel: bool) -> Self {
        Bounds { lower: Vec::new(), upper: Vec::new(), map: None, parallel }
    }
}

impl Assign for Bounds {
    fn assign(&mut self, points: &Points<'_>, centres: &[f64], labels: &mut [u32]) {
        let map = match &mut self.map {
            Some(map) => {
                map.follow(centres, points.dimension);
                map
            }
            none => {
                let map = none.insert(Map::new(centres, points));
                self.lower = map.unknown().repeat(points.len());
                self.upper = vec![f64::INFINITY; points.len()];
                map
            }
        };
        let (map, tiles) = (&*map, map.tile_paths.len());
        let work = |(((rows, labels), lower), upper)| {
            Arch::new().dispatch(Block {
                map,
                dimension: points.dimension,
                rows,
                labels,
                lower,
                upper,
            });
        };
        if self.parallel {
            points
                .coordinates
                .par_chunks(BLOCK * points.dimension)
                .zip(labels.par_chunks_mut(BLOCK))
                .zip(self.lower.par_chunks_mut(BLOCK * tiles))
                .zip(self.upper.par_chunks_mut(BLOCK))
                .for_each(work);
        } else {
            work((((points.coordinates, labels), &mut self.lower), &mut self.upper));
        }
    }

    fn forget(&mut self, point: usize) {
        if let Some(map) = &self.map {
            let tiles = map.tile_paths.len();
            self.lower[point * tiles..][..tiles].copy_from_slice(&map.unknown());
        }
        self.upper[point] = f64::INFINITY;
    }
}

impl Map {
    fn new(centres: &[f64], points: &Points<'_>) -> Self {
        let tiles = Tiles::by_neighbourhood(centres, points.dimension);
        Map {
            centre_paths: vec![0.0; centres.len() / points.dimension],
            tile_paths: vec![0.0; tiles.count().next_multiple_of(WIDTH)],
            tiles,
            centres: centres.to_vec(),
            slack: points.slack(),
        }
    }

    /// The lower bounds of a point before any distance is known.
    fn unknown(&self) -> Vec<f64> {
        let mut lower = vec![f64::NEG_INFINITY; self.tiles.count()];
        lower.resize(self.tile_paths.len(), f64::INFINITY);
        lower
    }

    /// Moves the centres and lengthens their paths.
    fn follow(&mut self, centres: &[f64], dimension: usize) {
        let mut longest = vec![0.0_f64; self.tile_paths.len()];
        let moves = centres.chunks_exact(dimension).zip(self.centres.chunks_exact(dimension));
        for (c, (now, then)) in moves.enumerate().filter(|(_, (now, then))| now != then) {
            let way = self.at_most(squared_distance(now, then));
            lengthen(&mut self.centre_paths[c], way);
            let tile = self.tiles.tile_of(c as u32);
            longest[tile] = longest[tile].max(way);
        }
        self.tile_paths.iter_mut().zip(longest).for_each(|(path, way)| lengthen(path, way));
        self.centres.copy_from_slice(centres);
        self.tiles.put(centres);
    }

    /// A distance, rounded up and finite, so that padded lanes at infinity are never within
    /// reach.
    #[inline(always)]
    fn at_most(&self, squared: f64) -> f64 {
        (squared.sqrt() * (1.0 + self.slack) + TINY).min(f64::MAX)
    }

    /// A distance, rounded down. If it overflows, the result is a valid lower bound.
    #[inline(always)]
    fn at_least(&self, squared: f64) -> f64 {
        squared.min(f64::MAX).sqrt() * (1.0 - self.slack)
    }

    /// The lower bound to store for a tile.
    #[inline(always)]
    fn lower(&self, tile: usize, squared: f64) -> f64 {
        (self.at_least(squared) + self.tile_paths[tile]) * (1.0 - 2.0 * f64::EPSILON)
    }

    /// The upper bound to store for a point with at most this distance from its centre.
    #[inline(always)]
    fn upper(&self, centre: u32, reach: f64) -> f64 {
        let path = self.centre_paths[centre as usize];
        (reach - path) + (reach + path) * (2.0 * f64::EPSILON)
    }

    /// A bit mask of the tiles, out of [`WIDTH`], that may contain a centre within reach.
    #[inline(always)]
    fn within_reach(&self, tiles: usize, lower: &[f64], reach: f64) -> u32 {
        let lower = &lower[tiles * WIDTH..][..WIDTH];
        let paths = &self.tile_paths[tiles * WIDTH..][..WIDTH];
        let may = |i: usize| u32::from(lower[i] - paths[i] <= reach) << i;
        (0..WIDTH).fold(0, |mask, i| mask | may(i))
    }

    /// Whether any tile may contain a centre within reach.
    #[inline(always)]
    fn any_within_reach(&self, lower: &[f64], reach: f64) -> bool {
        let mut least = [f64::INFINITY; WIDTH];
        let (lower, paths) = (lower.as_chunks::<WIDTH>().0, self.tile_paths.as_chunks::<WIDTH>().0);
        for (lower, paths) in lower.iter().zip(paths) {
            for i in 0..WIDTH {
                let bound = lower[i] - paths[i];
                least[i] = if bound < least[i] { bound } else { least[i] };
            }
        }
        least.iter().fold(false, |any, &bound| any | (bound <= reach))
    }

    /// The nearest centre of a point whose previous centre is `own`; updates its bounds.
    #[inline(always)]
    fn renew(&self, own: u32, point: &[f64], lower: &mut [f64], upper: &mut f64) -> u32 {
        if !self.any_within_reach(lower, *upper + self.centre_paths[own as usize]) {
            return own;
        }
        let mut best_tile = self.tiles.tile_of(own);
        let found = self.tiles.nearest_in(best_tile, point);
        let mut best = if found.before(&Nearest::UNKNOWN) { found } else { Nearest::UNKNOWN };
        let mut reach = self.at_most(best.squared);
        // The tile of the best centre so far is finished; its bound is stored when the best
        // centre is known.
        lower[best_tile] = f64::INFINITY;
        for tiles in 0..lower.len() / WIDTH {
            let mut open = self.within_reach(tiles, lower, reach);
            while open != 0 {
                let tile = tiles * WIDTH + open.trailing_zeros() as usize;
                let found = self.tiles.nearest_in(tile, point);
                if found.before(&best) {
                    lower[best_tile] = self.lower(best_tile, best.squared);
                    (best, best_tile, reach) = (found, tile, self.at_most(found.squared));
                } else {
                    lower[tile] = self.lower(tile, found.squared);
                }
                open &= open - 1;
            }
        }
        lower[best_tile] = self.lower(best_tile, best.second);
        *upper = self.upper(best.centre, reach);
        best.centre
    }
}

/// Extends a path; the sum is rounded up. An infinite path becomes the largest finite number,
/// for which no bound excludes a tile.
fn lengthen(path: &mut f64, way: f64) {
    *path = ((*path + way) * (1.0 + f64::EPSILON)).min(f64::MAX);
}

/// Some points with their bounds, as a kernel that `pulp` compiles for several instruction
/// sets.
struct Block<'a> {
    map: &'a Map,
    dimension: usize,
    rows: &'a [f64],
    labels: &'a mut [u32],
    lower: &'a mut [f64],
    upper: &'a mut [f64],
}

impl NullaryFnOnce for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let bounds = self.lower.chunks_exact_mut(self.map.tile_paths.len()).zip(self.upper);
        let rows = self.rows.chunks_exact(self.dimension);
        for ((point, label), (lower, upper)) in rows.zip(self.labels).zip(bounds) {
            *label = self.map.renew(*label, point, lower, upper);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lloyd::{Settled, lloyd};
    use super::*;
    use proptest::prelude::*;

    /// The plain algorithm, which computes all distances.
    struct Plain;

    impl Assign for Plain {
        fn assign(&mut self, points: &Points<'_>, centres: &[f64], labels: &mut [u32]) {
            let tiles = Tiles::in_order(centres, points.dimension);
            for (i, label) in labels.iter_mut().enumerate() {
                *label = tiles.nearest(points.row(i)).centre;
            }
        }

        fn forget(&mut self, _: usize) {}
    }

    /// Starts with the first k points as centres; returns the results of the plain algorithm
    /// and of the one with bounds.
    fn both(coordinates: &[f64], dimension: usize, k: usize, limit: usize) -> [Settled; 2] {
        let points = Points::new(coordinates, dimension, None).unwrap();
        let start = || coordinates[..k * dimension].to_vec();
        let watch = enclust_core::Watch::default();
        let plain = lloyd(&points, start(), limit, &mut Plain, watch).unwrap();
        [plain, lloyd(&points, start(), limit, &mut Bounds::new(true), watch).unwrap()]
    }

    proptest! {
        #[test]
        fn labels_and_centres_are_those_of_the_plain_rounds(
            dimension in 1..6_usize,
            k in 1..40_usize,
            limit in 1..30_usize,
            offset in prop_oneof![Just(0.0), Just(1e6), Just(1e-160)],
            scale in prop_oneof![Just(1.0), Just(1e-155), Just(1e150)],
            numbers in proptest::collection::vec(0.0..1.0_f64, 40 * 6..1200),
        ) {
            let n = numbers.len() / dimension;
            let coordinates: Vec<f64> =
                numbers[..n * dimension].iter().map(|x| x * scale + offset).collect();
            let [plain, fast] = both(&coordinates, dimension, k, limit);
            prop_assert_eq!(plain, fast);
        }

        /// Many points coincide, many distances are equal, and clusters become empty.
        #[test]
        fn ties_and_empty_clusters_are_settled_alike(
            k in 1..30_usize,
            numbers in proptest::collection::vec(0..4_u8, 60..400),
        ) {
            let n = numbers.len() / 2;
            let coordinates: Vec<f64> = numbers[..2 * n].iter().map(|&x| f64::from(x)).collect();
            let [plain, fast] = both(&coordinates, 2, k.min(n), 100);
            prop_assert_eq!(plain, fast);
        }
    }

    #[test]
    fn most_tiles_are_left_out() {
        // 64 groups of points on a line, one centre per group.
        let coordinates: Vec<f64> =
            (0..640).map(|i| f64::from(i % 64) * 10.0 + f64::from(i / 64) * 0.1).collect();
        let points = Points::new(&coordinates, 1, None).unwrap();
        let mut bounds = Bounds::new(false);
        let mut labels = vec![0; 640];
        bounds.assign(&points, &coordinates[..64], &mut labels);
        let map = bounds.map.as_ref().unwrap();
        let closed = bounds.lower.chunks(map.tile_paths.len()).zip(&bounds.upper);
        assert!(closed.into_iter().all(|(lower, &upper)| !map.any_within_reach(lower, upper)));
    }
}
