//! Trajectory similarity: compares random walkers by how they spread.

use std::mem;

use enclust_core::{Backend, Bytes, Csr, Mat, Result, Shape, Watch};
use enclust_linalg::{complete, lower_product, multiply};
use rayon::prelude::*;

use crate::walk::{Panels, Walk};

/// What an observer is told.
const DOING: &str = "following the walkers";
/// How much longer a sparse product takes for a multiplication than a dense one.
const SPARSE: f64 = 4.0;

/// Cosine between the trajectories of walkers started at each node: row i of
/// P, P², …, P^T, one after the other.
///
/// A walker goes from i to j with probability proportional to the symmetric weight of the pair. A
/// node without links is similar to itself alone.
///
/// # How it is computed
///
/// With the degrees D and the symmetric S = D^½ P D^-½, the inner products of the trajectories are
/// those of K = Σₜ Sᵗ D Sᵗ up to a factor for each node, which the cosine removes. For the sum Kₐ
/// of the first a terms,
///
/// - Kₐ₊₁ = S (D + Kₐ) S takes two products by the *sparse* S, which the backend makes;
/// - K₂ₐ = Kₐ + Sᵃ Kₐ Sᵃ takes two dense products, and Sᵃ another one, but doubles the steps.
///
/// All results are symmetric, so half of them is computed. All terms are positive, so nothing
/// cancels. The number of doublings with the fewest operations is used: none if S is sparse,
/// log₂ T if it is dense.
///
/// O(T n e) time for e entries of S and at most O(n³ log T), 2n² numbers, 3n² with doublings.
///
/// # Errors
/// [`Error::Cancelled`](enclust_core::Error::Cancelled).
pub fn trajectory_similarity(
    weights: Csr<f64>,
    steps: usize,
    backend: &dyn Backend<f64>,
    watch: Watch<'_>,
) -> Result<Mat<f64>> {
    let walk = Walk::new(&weights, backend);
    drop(weights);
    let doublings = fewest_operations(walk.len(), walk.entries, steps.max(1));
    let mut inner = inner_products(&walk, steps.max(1), doublings, backend, watch)?;
    drop(walk);
    to_cosines(&mut inner);
    Ok(inner)
}

/// The memory of [`trajectory_similarity`] besides the weights, including its result.
pub fn trajectory_bytes(wide: &Shape, links: u64) -> Bytes {
    let walk = wide.sparse(links) + wide.vector() * 2;
    walk + Panels::bytes(wide) * 3 + Walk::step_bytes(wide)
}

/// The number of doublings for which the inner products take the fewest operations.
fn fewest_operations(nodes: usize, entries: usize, steps: usize) -> u32 {
    // In units of a dense product, of which half is computed if the result is symmetric.
    let sparse = SPARSE * entries as f64 / (nodes as f64 * nodes as f64);
    let cost = |doublings: u32| {
        let single = (steps >> doublings) + (steps % (1 << doublings)).count_ones() as usize;
        let each = if doublings == 0 { 1.5 * sparse } else { 2.0 * sparse };
        single as f64 * each + f64::from(doublings) * 2.0
    };
    (0..=steps.ilog2()).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(0)
}

/// K for this many steps, of which the last ones are doublings.
fn inner_products(
    walk: &Walk,
    steps: usize,
    doublings: u32,
    backend: &dyn Backend<f64>,
    watch: Watch<'_>,
) -> Result<Mat<f64>> {
    let n = walk.len();
    let power = (doublings > 0).then(|| Mat::identity(n));
    let mut sum = Sum { walk, backend, watch, inner: Mat::zeros(n, n), power };
    sum.add_steps(steps >> doublings, steps)?;
    for doubling in (0..doublings).rev() {
        watch.progress(DOING, (steps >> (doubling + 1)) as u64, steps as u64)?;
        sum.double(doubling > 0)?;
        if steps >> doubling & 1 == 1 {
            sum.add_steps(1, steps)?;
        }
    }
    Ok(sum.inner)
}

/// The sum of the first a terms of K.
struct Sum<'a> {
    walk: &'a Walk,
    backend: &'a dyn Backend<f64>,
    watch: Watch<'a>,
    /// Kₐ.
    inner: Mat<f64>,
    /// Sᵃ, if it is needed.
    power: Option<Mat<f64>>,
}

impl Sum<'_> {
    /// Adds terms, one after the other.
    fn add_steps(&mut self, count: usize, steps: usize) -> Result<()> {
        let mut inner = Panels::of(&mem::replace(&mut self.inner, Mat::zeros(0, 0)));
        let mut power = self.power.take().map(|power| Panels::of(&power));
        let mut space = Panels::zeros(self.walk.len());
        for step in 0..count {
            if count > 1 {
                self.watch.progress(DOING, step as u64, steps as u64)?;
            }
            self.walk.step(&mut inner, &mut space, self.watch)?;
            if let Some(power) = &mut power {
                self.walk.times(power, &mut space, self.watch)?;
                mem::swap(power, &mut space);
            }
        }
        drop(space);
        self.inner = inner.into_symmetric();
        self.power = power.map(Panels::into_symmetric);
        Ok(())
    }

    /// From a to 2a terms. The power is squared only if more doublings follow.
    fn double(&mut self, more: bool) -> Result<()> {
        let Some(power) = self.power.take() else { return Ok(()) };
        let (n, backend) = (power.rows(), self.backend);
        let mut space = Mat::zeros(n, n);
        multiply(backend, 1.0, self.inner.view(), power.view(), 0.0, &mut space);
        self.watch.checkpoint(DOING)?;
        lower_product(backend, power.view(), space.view(), 1.0, &mut self.inner);
        complete(&mut self.inner);
        self.watch.checkpoint(DOING)?;
        if more {
            lower_product(backend, power.view(), power.view(), 0.0, &mut space);
            complete(&mut space);
            self.power = Some(space);
        }
        Ok(())
    }
}

/// Kᵢⱼ / √(Kᵢᵢ Kⱼⱼ); the diagonal is 1.
fn to_cosines(inner: &mut Mat<f64>) {
    let n = inner.rows();
    let lengths: Vec<f64> = (0..n).map(|i| inner[(i, i)].sqrt()).collect();
    inner.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(j, column)| {
        column[j] = 1.0;
        for (value, length) in column[j + 1..].iter_mut().zip(&lengths[j + 1..]) {
            let scale = length * lengths[j];
            *value = if scale > 0.0 { (*value / scale).clamp(0.0, 1.0) } else { 0.0 };
        }
    });
    complete(inner);
}

#[cfg(test)]
mod tests {
    use enclust_core::Reference;
    use proptest::prelude::*;

    use super::*;

    /// The definition: stacks the rows of the powers of P and computes cosines.
    fn by_definition(weights: &Csr<f64>, steps: usize) -> Mat<f64> {
        let n = weights.rows();
        let degree = |i: usize| weights.row(i).1.iter().sum::<f64>();
        let p = Mat::from_fn(n, n, |i, j| weights.get(i, j).map_or(0.0, |w| w / degree(i)));
        let mut power = Mat::<f64>::identity(n);
        let mut stacked: Vec<Vec<f64>> = vec![Vec::new(); n];
        for _ in 0..steps {
            let entry = |i: usize, j: usize| (0..n).map(|k| power[(i, k)] * p[(k, j)]).sum();
            power = Mat::from_fn(n, n, entry);
            for (i, row) in stacked.iter_mut().enumerate() {
                row.extend((0..n).map(|j| power[(i, j)]));
            }
        }
        let dot = |i: usize, j: usize| -> f64 {
            stacked[i].iter().zip(&stacked[j]).map(|(a, b)| a * b).sum()
        };
        Mat::from_fn(n, n, |i, j| {
            let scale = (dot(i, i) * dot(j, j)).sqrt();
            if i == j {
                1.0
            } else if scale > 0.0 {
                dot(i, j) / scale
            } else {
                0.0
            }
        })
    }

    fn check(weights: &Csr<f64>, steps: usize, doublings: u32) {
        let walk = Walk::new(weights, &Reference);
        let watch = Watch::default();
        let mut fast = inner_products(&walk, steps, doublings, &Reference, watch).unwrap();
        to_cosines(&mut fast);
        let wanted = by_definition(weights, steps);
        for (at, (a, b)) in fast.data().iter().zip(wanted.data()).enumerate() {
            let what = format!("{steps} steps, {doublings} doublings, entry {at}: {a} and {b}");
            assert!((a - b).abs() < 1e-13, "{what}");
            // Nodes without a path between them.
            assert_eq!(*a == 0.0, *b == 0.0, "{what}");
        }
    }

    /// A graph of some nodes with these links; others have none.
    fn graph(n: usize, links: &[(usize, usize, f64)]) -> Csr<f64> {
        let mut rows = vec![std::collections::BTreeMap::new(); n];
        for &(i, j, w) in links.iter().filter(|(i, j, _)| i != j) {
            rows[i % n].insert(j as u32 % n as u32, w);
            rows[j % n].insert(i as u32 % n as u32, w);
        }
        Csr::from_rows(n, rows.into_iter().map(|row| row.into_iter().collect()).collect())
    }

    proptest! {
        /// Every way to divide the steps into single ones and doublings.
        #[test]
        fn sums_equal_the_definition(
            links in proptest::collection::vec((0..9_usize, 0..9_usize, 0.1..5.0_f64), 0..30),
            steps in 1..24_usize,
        ) {
            let weights = graph(9, &links);
            for doublings in 0..=steps.ilog2() {
                check(&weights, steps, doublings);
            }
        }
    }

    /// More columns than a panel has, more rows than a block, and last ones that are not full.
    #[test]
    fn several_panels_equal_the_definition() {
        let n = 300;
        let links: Vec<_> = (0..n)
            .flat_map(|i| [i * 7 + 3, i * i + 1, i + 64].map(|j| (i, j % n, (1 + j % 4) as f64)))
            .collect();
        for doublings in [0, 1] {
            check(&graph(n, &links), 3, doublings);
        }
    }

    #[test]
    fn sparse_graphs_are_followed_step_by_step_and_dense_ones_by_doubling() {
        assert_eq!(fewest_operations(10_000, 300_000, 20), 0);
        assert_eq!(fewest_operations(4_000, 12_000_000, 20), 4);
        assert_eq!(fewest_operations(10, 100, 1), 0);
    }

    #[test]
    fn a_raised_flag_ends_it() {
        let flag = std::sync::atomic::AtomicBool::new(true);
        let watch = Watch::default().with_cancel(&flag);
        assert!(trajectory_similarity(graph(2, &[(0, 1, 1.0)]), 3, &Reference, watch).is_err());
    }
}
