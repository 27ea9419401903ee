//! Trajectory similarity: the similarity of random walks from two nodes.

use enclust_core::{Csr, MatMut, MatRef};
use rayon::prelude::*;

/// Cosines between the trajectories of random walks started at each node; the trajectory of
/// node i consists of the rows i of P, P², …, P^T.
///
/// `transition` is row-stochastic. A row may be empty (an isolated node); the node is then
/// similar only to itself. The result is n × n in row-major order.
///
/// The inner products G = Σₜ PᵗPᵗᵀ obey G_T = P(I + G_{T−1})Pᵀ, so each step costs two products
/// with the *sparse* P instead of a dense product: O(T n · entries of P) time, 3n² numbers.
pub fn trajectory_similarity(transition: &Csr<f64>, steps: usize) -> Vec<f64> {
    let n = transition.rows();
    let mut gram = vec![0.0; n * n];
    for _ in 0..steps.max(1) {
        for i in 0..n {
            gram[i * n + i] += 1.0;
        }
        let half = transposed(n, &sparse_times_rows(transition, &gram));
        gram = sparse_times_rows(transition, &half);
    }
    to_cosines(n, &mut gram);
    gram
}

/// P·M for M in row-major order.
fn sparse_times_rows(p: &Csr<f64>, m: &[f64]) -> Vec<f64> {
    let n = p.rows();
    let mut out = vec![0.0; n * n];
    out.par_chunks_exact_mut(n).enumerate().for_each(|(i, row)| {
        for (k, w) in p.iter_row(i) {
            for (o, &v) in row.iter_mut().zip(&m[k * n..][..n]) {
                *o += w * v;
            }
        }
    });
    out
}

fn transposed(n: usize, m: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    MatMut::new(&mut out, n, n, n).copy_from(MatRef::new(m, n, n, n).transposed());
    out
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
            let (fast, slow) = (trajectory_similarity(&p, steps), by_definition(&p, steps));
            for (a, b) in fast.iter().zip(&slow) {
                assert!((a - b).abs() < 1e-14, "{steps} steps: {a} and {b}");
            }
        }
    }
}
