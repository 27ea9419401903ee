//! Trajectory similarity: compares random walkers by how they spread.

use enclust_core::{Backend, Bytes, Csr, Result, Shape, SparseProduct, Watch};
use rayon::prelude::*;

/// Columns that are worked on at a time: the width at which sparse kernels are fastest.
const PANEL: usize = 64;

/// Cosine between the trajectories of walkers started at each node: row i of
/// P, P², …, P^T, one after the other. The result is n × n in row-major order.
///
/// `transition` is row-stochastic; a row may be empty (an isolated node), which
/// is then similar to itself alone.
///
/// The inner products G = Σₜ PᵗPᵗᵀ satisfy G_T = P(I + G_{T−1})Pᵀ, so each step
/// costs two products by the *sparse* P, which the backend makes, instead of a dense one:
/// O(T n · entries of P) time, 2n² numbers.
///
/// # Errors
/// [`Error::Cancelled`](enclust_core::Error::Cancelled).
pub fn trajectory_similarity(
    transition: Csr<f64>,
    steps: usize,
    backend: &dyn Backend<f64>,
    watch: Watch<'_>,
) -> Result<Vec<f64>> {
    let n = transition.rows();
    let walk = backend.sparse(transition);
    let mut gram = Panels::zeros(n);
    let mut half = Panels::zeros(n);
    let steps = steps.max(1);
    for step in 0..steps {
        watch.progress("following the walkers", step as u64, steps as u64)?;
        gram.add_identity();
        half.put(watch, |j, out| walk.multiply(&gram.panels[j], out, PANEL))?;
        gram.put_products_of_transpose(&*walk, &half, watch)?;
    }
    drop(half);
    let mut values = gram.into_rows();
    to_cosines(n, &mut values);
    Ok(values)
}

/// The memory of [`trajectory_similarity`] besides the walk, including its result: two matrices in
/// panels, or one of them and the result; and one panel per thread.
pub fn trajectory_bytes(wide: &Shape) -> Bytes {
    let panel = wide.vector() * PANEL as u64;
    (wide.square() + panel) * 2 + panel * wide.threads as u64 + wide.vector()
}

/// An n × n matrix in panels of [`PANEL`] columns, each row after row; the last one is padded with
/// zeros.
struct Panels {
    n: usize,
    panels: Vec<Vec<f64>>,
}

impl Panels {
    fn zeros(n: usize) -> Self {
        Panels { n, panels: vec![vec![0.0; n * PANEL]; n.div_ceil(PANEL)] }
    }

    fn add_identity(&mut self) {
        for i in 0..self.n {
            self.panels[i / PANEL][i * PANEL + i % PANEL] += 1.0;
        }
    }

    /// Fills every panel, in parallel.
    fn put(&mut self, watch: Watch<'_>, fill: impl Fn(usize, &mut [f64]) + Sync) -> Result<()> {
        self.panels.par_iter_mut().enumerate().try_for_each(|(j, panel)| {
            watch.checkpoint("following the walkers")?;
            fill(j, panel);
            Ok(())
        })
    }

    /// self ← walk · otherᵀ.
    fn put_products_of_transpose(
        &mut self,
        walk: &dyn SparseProduct<f64>,
        other: &Panels,
        watch: Watch<'_>,
    ) -> Result<()> {
        let len = self.n * PANEL;
        self.panels.par_iter_mut().enumerate().try_for_each_init(
            || vec![0.0; len],
            |transposed, (j, panel)| {
                watch.checkpoint("following the walkers")?;
                other.transposed(j, transposed);
                walk.multiply(transposed, panel, PANEL);
                Ok(())
            },
        )
    }

    /// Writes panel j of the transpose, tile by tile.
    fn transposed(&self, j: usize, out: &mut [f64]) {
        let columns = PANEL.min(self.n - j * PANEL);
        for (panel, out) in self.panels.iter().zip(out.chunks_mut(PANEL * PANEL)) {
            let rows = &panel[j * PANEL * PANEL..][..columns * PANEL];
            for (c, row) in rows.chunks_exact(PANEL).enumerate() {
                for (r, out) in out.chunks_exact_mut(PANEL).enumerate() {
                    out[c] = row[r];
                }
            }
        }
    }

    /// The entries in row-major order. A panel is freed once it is copied.
    fn into_rows(self) -> Vec<f64> {
        let n = self.n;
        let mut rows = vec![0.0; n * n];
        for (j, panel) in self.panels.into_iter().enumerate() {
            let width = PANEL.min(n - j * PANEL);
            for (row, values) in rows.chunks_exact_mut(n).zip(panel.chunks_exact(PANEL)) {
                row[j * PANEL..][..width].copy_from_slice(&values[..width]);
            }
        }
        rows
    }
}

/// Gᵢⱼ / √(Gᵢᵢ Gⱼⱼ), exactly symmetric, with diagonal 1.
fn to_cosines(n: usize, gram: &mut [f64]) {
    let norm: Vec<f64> = (0..n).map(|i| gram[i * n + i].sqrt()).collect();
    for i in 0..n {
        gram[i * n + i] = 1.0;
        for j in i + 1..n {
            let scale = norm[i] * norm[j];
            let cosine = if scale > 0.0 { (gram[i * n + j] / scale).clamp(0.0, 1.0) } else { 0.0 };
            gram[i * n + j] = cosine;
            gram[j * n + i] = cosine;
        }
    }
}

#[cfg(test)]
mod tests {
    use enclust_core::Reference;

    use super::*;

    /// The definition: stacks the rows of the powers and computes cosines.
    fn by_definition(p: &Csr<f64>, steps: usize) -> Vec<f64> {
        let n = p.rows();
        let dense: Vec<f64> = (0..n * n).map(|at| p.get(at / n, at % n).unwrap_or(0.0)).collect();
        let mut power = dense.clone();
        let mut stacked: Vec<Vec<f64>> = vec![Vec::new(); n];
        for step in 0..steps {
            if step > 0 {
                power = (0..n * n)
                    .map(|at| (0..n).map(|k| power[at / n * n + k] * dense[k * n + at % n]).sum())
                    .collect();
            }
            for i in 0..n {
                stacked[i].extend_from_slice(&power[i * n..][..n]);
            }
        }
        let dot = |i: usize, j: usize| -> f64 {
            stacked[i].iter().zip(&stacked[j]).map(|(a, b)| a * b).sum()
        };
        (0..n * n)
            .map(|at| (at / n, at % n))
            .map(|(i, j)| {
                let scale = (dot(i, i) * dot(j, j)).sqrt();
                if i == j {
                    1.0
                } else if scale > 0.0 {
                    dot(i, j) / scale
                } else {
                    0.0
                }
            })
            .collect()
    }

    fn check(p: &Csr<f64>, steps: usize) {
        let fast = trajectory_similarity(p.clone(), steps, &Reference, Watch::default()).unwrap();
        for (at, (a, b)) in fast.iter().zip(&by_definition(p, steps)).enumerate() {
            assert!((a - b).abs() < 1e-13, "{steps} steps, entry {at}: {a} and {b}");
        }
    }

    #[test]
    fn recursion_equals_the_definition() {
        let p = Csr::from_rows(
            5,
            vec![
                vec![(1, 1.0)],
                vec![(0, 0.25), (2, 0.75)],
                vec![(1, 0.5), (3, 0.5)],
                vec![(2, 1.0)],
                vec![],
            ],
        );
        for steps in [1, 2, 7] {
            check(&p, steps);
        }
    }

    /// More columns than a panel has, and a last panel that is not full.
    #[test]
    fn several_panels_equal_the_definition() {
        let n = 150;
        let row = |i: usize| {
            let mut ends: Vec<usize> = [i * 7 + 3, i * i + 1, i + 64].map(|j| j % n).to_vec();
            ends.sort_unstable();
            ends.dedup();
            let total: usize = ends.iter().map(|j| 1 + j % 4).sum();
            ends.iter().map(|&j| (j as u32, (1 + j % 4) as f64 / total as f64)).collect()
        };
        check(&Csr::from_rows(n, (0..n).map(row).collect()), 3);
    }

    #[test]
    fn a_raised_flag_ends_it() {
        let flag = std::sync::atomic::AtomicBool::new(true);
        let watch = Watch::default().with_cancel(&flag);
        let p = Csr::from_rows(1, vec![vec![(0, 1.0)]]);
        assert!(trajectory_similarity(p, 3, &Reference, watch).is_err());
    }
}
