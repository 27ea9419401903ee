//! k-means++: selection of the initial centres.
//!
//! If the distance of a point to its nearest selected point is at most half of the distance
//! between that selected point and a candidate, the point cannot be nearer to the candidate.
//! Therefore most distances are never computed (E. Raff, *Exact acceleration of k-means++ and
//! k-means‖*, IJCAI 2021).

use enclust_core::{Result, Watch};
use pulp::{Arch, NullaryFnOnce};
use rand::{Rng, RngExt};

use super::points::Points;
use super::tiles::{LANES, Lanes, Tiles};

/// Number of masses summed together, so that a draw does not have to visit all of them.
const BLOCK: usize = 128;

/// Selects k initial points. Each is drawn with a probability proportional to its mass: its
/// weight times the squared distance to the points selected before. Among up to [`LANES`]
/// candidates drawn in this way, the one that reduces the total mass most is selected; the
/// first one among equals.
pub fn spread(
    points: &Points<'_>,
    k: usize,
    candidates: usize,
    rng: &mut impl Rng,
    watch: Watch<'_>,
) -> Result<Vec<usize>> {
    let first = Masses::new(points.weights.clone()).draw(rng);
    let mut closest = Closest::to(first, points);
    while closest.chosen.len() < k {
        watch.checkpoint("the start of k-means")?;
        let drawn: Vec<usize> = (0..candidates).map(|_| closest.masses.draw(rng)).collect();
        Arch::new().dispatch(ChooseOneOf { closest: &mut closest, candidates: &drawn });
    }
    Ok(closest.chosen)
}

/// The distance of every point to the nearest selected point.
struct Closest<'a> {
    points: &'a Points<'a>,
    chosen: Vec<usize>,
    /// Index of the nearest selected point.
    which: Vec<u32>,
    squared: Vec<f64>,
    masses: Masses,
    /// The points that are nearer to one of the candidates, in order, with their squared
    /// distances to all candidates.
    nearer: Vec<(usize, Lanes)>,
}

impl<'a> Closest<'a> {
    fn to(first: usize, points: &'a Points<'a>) -> Self {
        let tile = Tiles::in_order(points.row(first), points.dimension);
        let distance = |i| tile.squared_distances(0, points.row(i))[0];
        let squared: Vec<f64> = (0..points.len()).map(distance).collect();
        let masses = squared.iter().zip(&points.weights).map(|(s, w)| s * w).collect();
        Closest {
            points,
            chosen: vec![first],
            which: vec![0; squared.len()],
            nearer: Vec::with_capacity(squared.len()),
            squared,
            masses: Masses::new(masses),
        }
    }

    /// For each selected point, the squared distance up to which points stay assigned to it for
    /// every candidate.
    #[inline(always)]
    fn safe_distances(&self, candidates: &Tiles) -> Vec<f64> {
        // A quarter of the squared distance, reduced by the possible rounding error.
        let share = 0.25 * (1.0 - 4.0 * self.points.slack());
        let safe = |&chosen: &usize| share * candidates.nearest(self.points.row(chosen)).squared;
        self.chosen.iter().map(safe).collect()
    }

    #[inline(always)]
    fn choose_one_of(&mut self, candidates: &[usize]) {
        let rows: Vec<f64> = candidates.iter().flat_map(|&c| self.points.row(c)).copied().collect();
        self.compare_with(&Tiles::in_order(&rows, self.points.dimension));
        let gains = self.gains();
        let better = |best, next| if gains[next] > gains[best] { next } else { best };
        let best = (0..candidates.len()).fold(0, better);
        self.take(best);
        self.chosen.push(candidates[best]);
    }

    /// Finds the points that are nearer to one of the candidates.
    #[inline(always)]
    fn compare_with(&mut self, candidates: &Tiles) {
        let safe = self.safe_distances(candidates);
        self.nearer.clear();
        for (i, (&squared, &which)) in self.squared.iter().zip(&self.which).enumerate() {
            if squared > safe[which as usize] {
                let distances = candidates.squared_distances(0, self.points.row(i));
                if distances.iter().fold(false, |nearer, &d| nearer | (d < squared)) {
                    self.nearer.push((i, distances));
                }
            }
        }
    }

    /// The reduction of the total mass for each of the candidates.
    #[inline(always)]
    fn gains(&self) -> Lanes {
        let mut gains = [0.0; LANES];
        for (i, distances) in &self.nearer {
            let (squared, weight) = (self.squared[*i], self.points.weights[*i]);
            for (gain, distance) in gains.iter_mut().zip(distances) {
                let gained = squared - distance;
                *gain += if gained > 0.0 { weight * gained } else { 0.0 };
            }
        }
        gains
    }

    /// Assigns the points that are nearer to this candidate to it.
    #[inline(always)]
    fn take(&mut self, candidate: usize) {
        for (i, distances) in &self.nearer {
            if distances[candidate] < self.squared[*i] {
                self.which[*i] = self.chosen.len() as u32;
                self.squared[*i] = distances[candidate];
                self.masses.change(*i, distances[candidate] * self.points.weights[*i]);
            }
        }
        self.masses.sum_up();
    }
}

/// [`Closest::choose_one_of`] as a kernel that `pulp` compiles for several instruction sets.
struct ChooseOneOf<'a, 'b> {
    closest: &'a mut Closest<'b>,
    candidates: &'a [usize],
}

impl NullaryFnOnce for ChooseOneOf<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.closest.choose_one_of(self.candidates);
    }
}

/// Probabilities of being drawn, up to a factor.
struct Masses {
    each: Vec<f64>,
    /// Sums of [`BLOCK`] masses.
    blocks: Vec<f64>,
    /// Whether each of the sums is out of date.
    stale: Vec<bool>,
}

impl Masses {
    fn new(each: Vec<f64>) -> Self {
        let stale = vec![true; each.len().div_ceil(BLOCK)];
        let mut masses = Masses { blocks: vec![0.0; stale.len()], each, stale };
        masses.sum_up();
        masses
    }

    /// Changes a mass; the sums are out of date until [`Self::sum_up`].
    #[inline(always)]
    fn change(&mut self, i: usize, mass: f64) {
        self.each[i] = mass;
        self.stale[i / BLOCK] = true;
    }

    fn sum_up(&mut self) {
        let blocks = self.each.chunks(BLOCK).zip(&mut self.blocks).zip(&mut self.stale);
        for ((masses, sum), stale) in blocks {
            if std::mem::take(stale) {
                *sum = masses.iter().sum();
            }
        }
    }

    /// Draws an index with a probability proportional to its mass; returns the first index if
    /// all masses are zero.
    fn draw(&self, rng: &mut impl Rng) -> usize {
        let left = rng.random::<f64>() * self.blocks.iter().sum::<f64>();
        let (block, left) = step_over(&self.blocks, left);
        let masses = self.each.chunks(BLOCK).nth(block).unwrap_or_default();
        let (i, _) = step_over(masses, left);
        if i < masses.len() {
            return block * BLOCK + i;
        }
        // Rounding can move past the end.
        let end = self.each.len().min((block + 1) * BLOCK);
        self.each[..end].iter().rposition(|&mass| mass > 0.0).unwrap_or(0)
    }
}

/// The index of the first mass that exceeds the remaining amount after subtracting all previous
/// masses, and the remaining amount.
fn step_over(masses: &[f64], mut left: f64) -> (usize, f64) {
    for (i, &mass) in masses.iter().enumerate() {
        if left < mass {
            return (i, left);
        }
        left -= mass;
    }
    (masses.len(), left)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The same with all distances.
    fn plain(points: &Points<'_>, k: usize, candidates: usize, rng: &mut impl Rng) -> Vec<usize> {
        let distance = |i: usize, j: usize| {
            Tiles::in_order(points.row(j), points.dimension).squared_distances(0, points.row(i))[0]
        };
        let mut chosen = vec![Masses::new(points.weights.clone()).draw(rng)];
        while chosen.len() < k {
            let closest =
                |i: usize| chosen.iter().map(|&c| distance(i, c)).fold(f64::INFINITY, f64::min);
            let closest: Vec<f64> = (0..points.len()).map(closest).collect();
            let masses = closest.iter().zip(&points.weights).map(|(c, w)| c * w).collect();
            let masses = Masses::new(masses);
            let drawn: Vec<usize> = (0..candidates).map(|_| masses.draw(rng)).collect();
            let gain = |c: usize| -> f64 {
                let gain = |i: usize| points.weights[i] * (closest[i] - distance(i, c)).max(0.0);
                (0..points.len()).map(gain).sum()
            };
            let better = |a: usize, b: usize| if gain(b) > gain(a) { b } else { a };
            chosen.extend(drawn.into_iter().reduce(better));
        }
        chosen
    }

    proptest! {
        #[test]
        fn distances_left_out_change_nothing(
            dimension in 1..5_usize,
            k in 1..30_usize,
            candidates in 1..=LANES,
            coarse: bool,
            numbers in proptest::collection::vec(0.0..1.0_f64, 150..1000),
            seed: u64,
        ) {
            let n = numbers.len() / dimension;
            let round = |x: &f64| if coarse { (x * 4.0).round() } else { *x };
            let coordinates: Vec<f64> = numbers[..n * dimension].iter().map(round).collect();
            let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
            let points = Points::new(&coordinates, dimension, Some(&weights)).unwrap();
            let rng = || ChaCha8Rng::seed_from_u64(seed);
            prop_assert_eq!(
                spread(&points, k, candidates, &mut rng(), Watch::default()).unwrap(),
                plain(&points, k, candidates, &mut rng())
            );
        }
    }

    #[test]
    fn draws_follow_the_masses() {
        let masses = Masses::new((0..300).map(|i| f64::from(u8::from(i % 100 == 7))).collect());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0; 300];
        (0..3000).for_each(|_| counts[masses.draw(&mut rng)] += 1);
        assert!([7, 107, 207].iter().all(|&i| (900..1100).contains(&counts[i])));
        assert_eq!(Masses::new(vec![0.0; 9]).draw(&mut rng), 0);
    }
}
