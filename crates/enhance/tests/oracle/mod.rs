//! Slow reference implementations: n × n, dense, directly from the formulas.

#![allow(dead_code)] // each test file uses its own part

use enclust_ca::{Eac, Lwca};
use enclust_core::{
    Ca, Confidence, Confident, Ctx, Enhance, Enhanced, Ensemble, Microclusters, Problem, Question,
    Real, Similarity, Stop,
};
use enclust_enhance::Threshold;

pub type Dense = Vec<Vec<f64>>;

/// A similarity and its confident pairs.
pub struct Case<S> {
    pub similarity: Similarity<S>,
    pub confident: Confident<S>,
}

impl<S: Real> Case<S> {
    /// LWCA (or EAC) with threshold α on the given label rows.
    pub fn build(microclusters: &Microclusters, alpha: f64, weighted: bool) -> Self {
        let ctx = &Ctx::<S>::default();
        let represent: &dyn Ca<S> = if weighted { &Lwca::default() } else { &Eac };
        let evidence = represent.build(microclusters, &Question::default(), ctx).unwrap();
        let similarity = evidence.as_similarity().unwrap().clone();
        let threshold = Threshold::default().alpha(alpha);
        let confident = threshold.select(microclusters, &similarity, ctx).unwrap();
        Case { similarity, confident }
    }

    /// Over microclusters.
    pub fn merged(ensemble: &Ensemble, alpha: f64, weighted: bool) -> Self {
        Self::build(&Microclusters::of(ensemble), alpha, weighted)
    }

    pub fn problem(&self) -> Problem<'_, S> {
        Problem::new(&self.similarity, &self.confident).unwrap()
    }

    pub fn enhance(&self, enhancer: &impl Enhance<S>) -> Enhanced<S> {
        enhancer.enhance(&self.problem(), &Ctx::default()).unwrap()
    }

    pub fn enhance_until(&self, stop: impl Stop, enhancer: &impl Enhance<S>) -> Enhanced<S> {
        let problem = self.problem();
        enhancer.enhance(&problem.with_stop(Some(&stop)), &Ctx::default()).unwrap()
    }
}

/// The n × n problem: A, H and Ω over samples.
pub struct DenseProblem {
    pub a: Dense,
    pub h: Dense,
    pub fixed: Vec<Vec<bool>>,
    /// The values of the fixed entries.
    pub values: Dense,
}

impl DenseProblem {
    pub fn of(case: &Case<f64>) -> Self {
        let map = case.similarity.grouping().map();
        let n = map.len();
        let (a, confident) = (to_dense(&case.similarity), &case.confident);
        let mut h = vec![vec![0.0; n]; n];
        let mut fixed = vec![vec![false; n]; n];
        let mut values = a.clone();
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let (p, q) = (map[i] as usize, map[j] as usize);
                h[i][j] = if p == q {
                    confident.within[p]
                } else {
                    confident.graph.get(p, q).unwrap_or(0.0)
                };
                fixed[i][j] = if p == q {
                    confident.fixed_within[p]
                } else {
                    confident.fixed.get(p, q).is_some()
                };
            }
        }
        for i in 0..n {
            for j in 0..n {
                if let Some(value) = confident.fixed.get(map[i] as usize, map[j] as usize) {
                    values[i][j] = value;
                }
            }
        }
        DenseProblem { a, h, fixed, values }
    }

    pub fn n(&self) -> usize {
        self.a.len()
    }

    fn laplacian(&self) -> Dense {
        let n = self.n();
        (0..n)
            .map(|i| {
                let degree: f64 = self.h[i].iter().sum();
                (0..n).map(|j| if i == j { degree } else { -self.h[i][j] }).collect()
            })
            .collect()
    }

    pub fn objective(&self, lambda: f64, c: &Dense) -> f64 {
        let phi = self.laplacian();
        let phi_c = product(&phi, c);
        let trace: f64 =
            (0..self.n()).map(|j| (0..self.n()).map(|i| c[i][j] * phi_c[i][j]).sum::<f64>()).sum();
        trace + 0.5 * lambda * norm(&combine(&self.a, c, |a, c| a - c)).powi(2)
    }

    /// The gradient on the free entries, and 0 on the fixed ones.
    fn slope(&self, lambda: f64, c: &Dense) -> Dense {
        let phi = self.laplacian();
        let (left, right) = (product(&phi, c), product(c, &phi));
        let at = |i: usize, j: usize| {
            let slope = left[i][j] + right[i][j] + lambda * (c[i][j] - self.a[i][j]);
            if self.fixed[i][j] { 0.0 } else { slope }
        };
        (0..self.n()).map(|i| (0..self.n()).map(|j| at(i, j)).collect()).collect()
    }

    pub fn largest_slope(&self, lambda: f64, c: &Dense) -> f64 {
        let slope = self.slope(lambda, c);
        max_difference(&slope, &vec![vec![0.0; self.n()]; self.n()])
    }

    /// The larger of the gradient on the free entries, divided by λ, and the error on the fixed
    /// ones, relative to ‖A‖.
    pub fn residual(&self, lambda: f64, c: &Dense) -> f64 {
        let mut error = combine(c, &self.values, |c, value| c - value);
        for (error, fixed) in error.iter_mut().flatten().zip(self.fixed.iter().flatten()) {
            *error = if *fixed { *error } else { 0.0 };
        }
        (norm(&self.slope(lambda, c)) / lambda).max(norm(&error)) / norm(&self.a)
    }

    /// The linear system (S), solved by elimination.
    pub fn optimum(&self, lambda: f64) -> Dense {
        let n = self.n();
        let phi = self.laplacian();
        let mut system = vec![vec![0.0; n * n]; n * n];
        let mut right = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let row = i * n + j;
                if self.fixed[i][j] {
                    system[row][row] = 1.0;
                    right[row] = self.values[i][j];
                    continue;
                }
                for k in 0..n {
                    system[row][k * n + j] += phi[i][k];
                    system[row][i * n + k] += phi[k][j];
                }
                system[row][row] += lambda;
                right[row] = lambda * self.a[i][j];
            }
        }
        let solution = solve(system, right);
        (0..n).map(|i| solution[i * n..][..n].to_vec()).collect()
    }

    /// Algorithm 1 with the authors' starting point; calls `look` with (iteration, symmetric part
    /// of C, step and scale of C, E, F, Y1, Y2) until it returns stop.
    pub fn admm(
        &self,
        lambda: f64,
        gamma: (f64, f64),
        laplacian: bool,
        fixed: bool,
        mut look: impl FnMut(usize, &Dense, [(f64, f64); 5]) -> bool,
    ) {
        let n = self.n();
        let phi = if laplacian { self.laplacian() } else { vec![vec![0.0; n]; n] };
        let shifted = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| 2.0 * phi[i][j] + if i == j { gamma.0 + gamma.1 } else { 0.0 })
                    .collect()
            })
            .collect();
        let inverse = invert(shifted);
        let zero = vec![vec![0.0; n]; n];
        let (mut c, mut e, mut f) = (zero.clone(), zero.clone(), zero.clone());
        let (mut y1, mut y2) = (self.a.clone(), zero.clone());
        for iteration in 1.. {
            let at = |i: usize, j: usize| {
                gamma.0 * (self.a[i][j] - e[i][j]) + y1[i][j] + gamma.1 * f[i][j] - y2[i][j]
            };
            let right = (0..n).map(|i| (0..n).map(|j| at(i, j)).collect()).collect();
            let new_c = product(&inverse, &right);
            let mut new_e = zero.clone();
            let mut new_f = zero.clone();
            for i in 0..n {
                for j in 0..n {
                    if !(fixed && self.fixed[i][j]) {
                        new_e[i][j] = (gamma.0 * (self.a[i][j] - new_c[i][j]) + y1[i][j])
                            / (lambda + gamma.0);
                    }
                    let target = |i: usize, j: usize| new_c[i][j] + y2[i][j] / gamma.1;
                    new_f[i][j] = (0.5 * (target(i, j) + target(j, i))).clamp(0.0, 1.0);
                }
            }
            let gap1 = combine(&combine(&self.a, &new_c, |a, c| a - c), &new_e, |d, e| d - e);
            let gap2 = combine(&new_c, &new_f, |c, f| c - f);
            let moved =
                |new: &Dense, old: &Dense| (norm(&combine(new, old, |x, y| x - y)), norm(old));
            let steps = [
                moved(&new_c, &c),
                moved(&new_e, &e),
                moved(&new_f, &f),
                (norm(&gap1), norm(&y1)),
                (norm(&gap2), norm(&y2)),
            ];
            y1 = combine(&y1, &gap1, |y, g| y + gamma.0 * g);
            y2 = combine(&y2, &gap2, |y, g| y + gamma.1 * g);
            (c, e, f) = (new_c, new_e, new_f);
            if look(iteration, &symmetric_part(&c), steps) {
                return;
            }
        }
    }
}

pub fn to_dense(similarity: &Similarity<f64>) -> Dense {
    let n = similarity.grouping().samples();
    similarity.to_matrix().chunks(n).map(<[f64]>::to_vec).collect()
}

pub fn max_difference(a: &Dense, b: &Dense) -> f64 {
    combine(a, b, |x, y| (x - y).abs()).iter().flatten().fold(0.0, |m, &v| f64::max(m, v))
}

pub fn symmetric_part(c: &Dense) -> Dense {
    let n = c.len();
    (0..n).map(|i| (0..n).map(|j| 0.5 * (c[i][j] + c[j][i])).collect()).collect()
}

pub fn combine(a: &Dense, b: &Dense, f: impl Fn(f64, f64) -> f64) -> Dense {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()).collect()
}

pub fn norm(a: &Dense) -> f64 {
    a.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

fn product(a: &Dense, b: &Dense) -> Dense {
    let n = a.len();
    (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
}

fn invert(a: Dense) -> Dense {
    let n = a.len();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| solve(a.clone(), (0..n).map(|i| f64::from(u8::from(i == j))).collect()))
        .collect();
    (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect()
}

/// Gaussian elimination with partial pivoting.
fn solve(mut a: Dense, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            if factor != 0.0 {
                for j in k..n {
                    a[i][j] -= factor * a[k][j];
                }
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let tail: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - tail) / a[k][k];
    }
    b
}
