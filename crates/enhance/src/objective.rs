//! The self-enhancement problem itself: objective, gradient and residual.
//!
//! ```text
//! minimise   tr(CᵀΦC) + λ/2 ‖A − C‖²      subject to  C = Cᵀ,  C_Ω fixed,  0 ≤ C ≤ 1
//! ```
//!
//! with Φ = diag(H·1) − H. Everything is evaluated at group size with the weights
//! that make it equal to the n × n value (T2 in `docs/theory.md`).

use enclust_core::{
    Bytes, Confident, Mat, Problem, Quantities, Real, Shape, Similarity, condensed_len,
};
use rayon::prelude::*;

/// A symmetric matrix over samples that is constant on groups, in three parts
/// as in [`Similarity`], but without bounds: a gradient, say. In `f64` always.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Between groups, condensed.
    pub between: Vec<f64>,
    /// Between two different samples of a group.
    pub within: Vec<f64>,
    /// On the diagonal.
    pub own: Vec<f64>,
}

impl Field {
    /// The values of a similarity.
    pub fn of<S: Real>(similarity: &Similarity<S>) -> Self {
        let wide = |values: &[S]| values.iter().map(|v| v.wide()).collect();
        Field {
            between: wide(similarity.condensed()),
            within: wide(similarity.within()),
            own: wide(similarity.own()),
        }
    }

    /// The sample-level inner product ⟨self, other⟩: every pair of groups counts
    /// 2 r_p r_q times, a group r(r − 1) times within and r times on the diagonal.
    pub fn dot(&self, other: &Field, sizes: &[usize]) -> f64 {
        let n = sizes.len();
        let rows: Vec<f64> = (0..n)
            .into_par_iter()
            .map(|p| {
                let start = condensed_len(n) - condensed_len(n - p);
                let pairs = self.between[start..].iter().zip(&other.between[start..]);
                let weighted = pairs.zip(&sizes[p + 1..]).map(|((a, b), &r)| r as f64 * a * b);
                let r = sizes[p] as f64;
                r * (2.0 * weighted.sum::<f64>()
                    + (r - 1.0) * self.within[p] * other.within[p]
                    + self.own[p] * other.own[p])
            })
            .collect();
        rows.iter().sum()
    }

    /// Entry by entry.
    fn zip(&self, other: &Field, f: impl Fn(f64, f64) -> f64) -> Field {
        let both = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        Field {
            between: both(&self.between, &other.between),
            within: both(&self.within, &other.within),
            own: both(&self.own, &other.own),
        }
    }
}

/// ‖A‖ over the samples.
pub fn norm<S: Real>(similarity: &Similarity<S>) -> f64 {
    weighted_squares(similarity, |v, _| v, similarity).sqrt()
}

/// Σ f(x, y)² over all ordered pairs of samples, without any copy.
fn weighted_squares<S: Real>(
    x: &Similarity<S>,
    f: impl Fn(f64, f64) -> f64 + Sync,
    y: &Similarity<S>,
) -> f64 {
    let sizes = x.grouping().sizes();
    let square = |a: S, b: S| f(a.wide(), b.wide()).powi(2);
    let rows: Vec<f64> = (0..x.len())
        .into_par_iter()
        .map(|p| {
            let pairs = x.row(p).iter().zip(y.row(p)).zip(&sizes[p + 1..]);
            let between: f64 = pairs.map(|((&a, &b), &r)| r as f64 * square(a, b)).sum();
            let within = square(x.within()[p], y.within()[p]);
            let r = sizes[p] as f64;
            r * (2.0 * between + (r - 1.0) * within + square(x.own()[p], y.own()[p]))
        })
        .collect();
    rows.iter().sum()
}

/// The graph H acting on a matrix that is constant on groups.
struct Pull<'a, S> {
    confident: &'a Confident<S>,
    sizes: &'a [usize],
    /// The matrix, within-values on its diagonal.
    full: Mat<f64>,
    within: &'a [f64],
    own: &'a [f64],
    degree: Vec<f64>,
}

impl<'a, S: Real> Pull<'a, S> {
    fn new(confident: &'a Confident<S>, c: &'a Field, sizes: &'a [usize]) -> Self {
        let links = |p: usize| confident.graph.iter_row(p);
        let degree = |p: usize| links(p).map(|(s, h)| sizes[s] as f64 * h.wide()).sum();
        Pull {
            confident,
            sizes,
            full: square(c, sizes.len()),
            within: &c.within,
            own: &c.own,
            degree: (0..sizes.len()).map(degree).collect(),
        }
    }

    /// Σ_s r_s h_ps C_sq for every q, where for s = q one of the r_s samples is q's
    /// own, so its diagonal takes the place of one within-value.
    fn row(&self, p: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.sizes.len()];
        for (s, h) in self.confident.graph.iter_row(p) {
            let h = h.wide();
            let weight = self.sizes[s] as f64 * h;
            row.iter_mut().zip(self.full.col(s)).for_each(|(o, &v)| *o += weight * v);
            row[s] += h * (self.own[s] - self.within[s]);
        }
        row
    }

    /// (ΦC)_ij for two samples of p, and for i = j in p; `pulled` is row p at p.
    fn inside(&self, p: usize, pulled: f64) -> (f64, f64) {
        let (h, r) = (self.confident.within[p].wide(), self.sizes[p] as f64);
        let (within, own) = (self.within[p], self.own[p]);
        let pair = self.degree[p] * within - pulled + h * (within - own);
        (pair, self.degree[p] * own - pulled + (r - 1.0) * h * (own - within))
    }

    /// tr(CᵀΦC).
    fn energy(&self) -> f64 {
        let n = self.sizes.len();
        let rows: Vec<f64> = (0..n)
            .into_par_iter()
            .map(|p| {
                let pulled = self.row(p);
                let value = |q: usize| self.full[(q, p)];
                let term = |q: usize| {
                    self.sizes[q] as f64 * value(q) * (self.degree[p] * value(q) - pulled[q])
                };
                let between: f64 = (0..n).filter(|&q| q != p).map(term).sum();
                let (pair, own) = self.inside(p, pulled[p]);
                let r = self.sizes[p] as f64;
                r * (between + (r - 1.0) * self.within[p] * pair + self.own[p] * own)
            })
            .collect();
        rows.iter().sum()
    }
}

/// ΦC + CΦ at group size, for any symmetric C.
pub fn laplacian_both_sides<S: Real>(
    confident: &Confident<S>,
    c: &Field,
    sizes: &[usize],
) -> Field {
    let n = sizes.len();
    let pull = Pull::new(confident, c, sizes);
    let pulled: Vec<Vec<f64>> = (0..n).into_par_iter().map(|p| pull.row(p)).collect();
    let mut between = Vec::with_capacity(condensed_len(n));
    for p in 0..n {
        for q in p + 1..n {
            let degrees = pull.degree[p] + pull.degree[q];
            between.push(degrees * pull.full[(p, q)] - pulled[p][q] - pulled[q][p]);
        }
    }
    let (within, own) = (0..n)
        .map(|p| pull.inside(p, pulled[p][p]))
        .map(|(pair, own)| (2.0 * pair, 2.0 * own))
        .unzip();
    Field { between, within, own }
}

/// The square form with within-values on the diagonal.
fn square(c: &Field, n: usize) -> Mat<f64> {
    let mut full = Mat::zeros(n, n);
    let mut at = 0;
    for p in 0..n {
        full[(p, p)] = c.within[p];
        for q in p + 1..n {
            full[(p, q)] = c.between[at];
            full[(q, p)] = c.between[at];
            at += 1;
        }
    }
    full
}

/// The gradient ΦC + CΦ + λ(C − A) over symmetric matrices.
pub fn gradient<S: Real>(problem: &Problem<'_, S>, lambda: f64, c: &Similarity<S>) -> Field {
    let sizes = problem.similarity.grouping().sizes();
    let (a, c) = (Field::of(problem.similarity), Field::of(c));
    let pull = laplacian_both_sides(problem.confident, &c, sizes);
    pull.zip(&c.zip(&a, |c, a| lambda * (c - a)), |g, d| g + d)
}

/// The value of the objective at C.
pub fn objective<S: Real>(problem: &Problem<'_, S>, lambda: f64, c: &Similarity<S>) -> f64 {
    let sizes = problem.similarity.grouping().sizes();
    let distance = weighted_squares(c, |c, a| c - a, problem.similarity);
    Pull::new(problem.confident, &Field::of(c), sizes).energy() + 0.5 * lambda * distance
}

/// How far C is from optimal, relative to ‖A‖: the larger of the gradient on the
/// free entries, divided by λ, and the error on the fixed ones. Zero exactly at the
/// optimum; where the fixed entries are exact, a bound of the relative distance to it.
pub fn kkt_residual<S: Real>(problem: &Problem<'_, S>, lambda: f64, c: &Similarity<S>) -> f64 {
    let grouping = problem.similarity.grouping();
    let sizes = grouping.sizes();
    let n = sizes.len();
    let mut free = gradient(problem, lambda, c);
    let a = Field::of(problem.similarity);
    let mut fixed = free.zip(&free, |_, _| 0.0);
    for p in 0..n {
        for (q, value) in problem.confident.fixed.iter_row(p).filter(|&(q, _)| q > p) {
            let at = enclust_core::condensed_index(n, p, q);
            free.between[at] = 0.0;
            fixed.between[at] = c.between(p, q).wide() - value.wide();
        }
        if problem.confident.fixed_within[p] {
            free.within[p] = 0.0;
            fixed.within[p] = c.within()[p].wide() - a.within[p];
        }
    }
    let norm = |x: &Field| x.dot(x, sizes).sqrt();
    let scale = norm(&a);
    relative((norm(&free) / lambda).max(norm(&fixed)), scale)
}

/// What evaluating the objective or the residual takes, all in double precision.
pub(crate) fn evaluation_bytes(shape: &Shape) -> Bytes {
    let wide = shape.in_double();
    let (field, square) = (wide.similarity(), wide.square());
    let rows = wide.vector() * (2 + shape.threads as u64) + shape.each_group(24);
    // C with its square form; for the residual also A, what H pulls, and the gradient.
    if shape.needs.contains(Quantities::RESIDUAL) {
        field * 3 + square * 2 + rows
    } else if shape.needs.contains(Quantities::OBJECTIVE) {
        field + square + rows
    } else {
        Bytes(0)
    }
}

/// Cut to [0, 1].
#[inline(always)]
pub(crate) fn clip<S: Real>(value: S) -> S {
    value.max(S::zero()).min(S::one())
}

/// x relative to scale, 0 for 0/0.
pub(crate) fn relative(x: f64, scale: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / scale }
}
