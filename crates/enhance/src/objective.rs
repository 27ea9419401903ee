//! The self-enhancement problem: objective, gradient and residual.
//!
//! ```text
//! minimise   tr(CᵀΦC) + λ/2 ‖A − C‖²      subject to  C = Cᵀ,  C_Ω fixed,  0 ≤ C ≤ 1
//! ```
//!
//! with Φ = diag(H·1) − H. All functions work over groups, with weights that make the values
//! equal to those of the n × n problem (T2 in `docs/theory.md`).

use enclust_core::{
    Bytes, Condensed, Confident, Mat, Problem, Quantities, Range, Real, Shape, Similarity,
};
use rayon::prelude::*;

/// The values of λ, and of the penalties of ADMM, that double precision can carry: beyond these,
/// the sums of λ and the degrees of the graph lose all digits of one of them.
pub(crate) const LAMBDA_RANGE: Range = Range::Within(1e-9, 1e9);

/// A symmetric matrix over samples that is constant on groups, in three parts as in
/// [`Similarity`] but without bounds, for example a gradient. It is always stored in `f64`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Between groups, condensed.
    pub between: Condensed<Vec<f64>>,
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
            between: similarity.pairs().map(|v| v.wide()),
            within: wide(similarity.within()),
            own: wide(similarity.own()),
        }
    }

    /// The inner product ⟨self, other⟩ over samples: a pair of groups counts 2 r_p r_q times, the
    /// value within a group r(r − 1) times and the diagonal r times.
    pub fn dot(&self, other: &Field, sizes: &[usize]) -> f64 {
        let n = sizes.len();
        let rows: Vec<f64> = (0..n)
            .into_par_iter()
            .map(|p| {
                let pairs = self.between.row(p).iter().zip(other.between.row(p));
                let weighted = pairs.zip(&sizes[p + 1..]).map(|((a, b), &r)| r as f64 * a * b);
                let r = sizes[p] as f64;
                r * (2.0 * weighted.sum::<f64>()
                    + (r - 1.0) * self.within[p] * other.within[p]
                    + self.own[p] * other.own[p])
            })
            .collect();
        rows.iter().sum()
    }

    /// Combines two fields entry by entry.
    fn zip(&self, other: &Field, f: impl Fn(f64, f64) -> f64) -> Field {
        let both = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        Field {
            between: self.between.zip(&other.between, &f),
            within: both(&self.within, &other.within),
            own: both(&self.own, &other.own),
        }
    }
}

/// ‖A‖ over the samples.
pub fn norm<S: Real>(similarity: &Similarity<S>) -> f64 {
    weighted_squares(similarity, |v, _| v, similarity).sqrt()
}

/// Σ f(x, y)² over all ordered pairs of samples, without a copy.
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

/// Products of the graph H with a matrix that is constant on groups.
struct Pull<'a, S> {
    confident: &'a Confident<S>,
    sizes: &'a [usize],
    /// The matrix, with the within-values on its diagonal.
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

    /// Σ_s r_s h_ps C_sq for every q. For s = q, one of the r_s samples is the sample of q
    /// itself, so one within-value is replaced by the diagonal value.
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

    /// (ΦC)_ij for two samples of p, and for i = j in p; `pulled` is entry p of row p.
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

/// ΦC + CΦ over groups, for any symmetric C.
pub fn laplacian_both_sides<S: Real>(
    confident: &Confident<S>,
    c: &Field,
    sizes: &[usize],
) -> Field {
    let n = sizes.len();
    let pull = Pull::new(confident, c, sizes);
    let pulled: Vec<Vec<f64>> = (0..n).into_par_iter().map(|p| pull.row(p)).collect();
    let between = Condensed::filled(n, |p, row| {
        for (value, q) in row.iter_mut().zip(p + 1..) {
            let degrees = pull.degree[p] + pull.degree[q];
            *value = degrees * pull.full[(p, q)] - pulled[p][q] - pulled[q][p];
        }
    });
    let (within, own) = (0..n)
        .map(|p| pull.inside(p, pulled[p][p]))
        .map(|(pair, own)| (2.0 * pair, 2.0 * own))
        .unzip();
    Field { between, within, own }
}

/// The square form with within-values on the diagonal.
fn square(c: &Field, n: usize) -> Mat<f64> {
    let mut full = Mat::zeros(n, n);
    for p in 0..n {
        full[(p, p)] = c.within[p];
        for (q, &value) in (p + 1..).zip(c.between.row(p)) {
            full[(p, q)] = value;
            full[(q, p)] = value;
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

/// The distance of C from optimality, relative to ‖A‖: the larger of the gradient on the free
/// entries, divided by λ, and the error on the fixed ones. It is zero exactly at the optimum. If
/// the fixed entries are exact, it bounds the relative distance to the optimum.
pub fn kkt_residual<S: Real>(problem: &Problem<'_, S>, lambda: f64, c: &Similarity<S>) -> f64 {
    let grouping = problem.similarity.grouping();
    let sizes = grouping.sizes();
    let n = sizes.len();
    let mut free = gradient(problem, lambda, c);
    let a = Field::of(problem.similarity);
    let mut fixed = free.zip(&free, |_, _| 0.0);
    for p in 0..n {
        for (q, value) in problem.confident.fixed.iter_row(p) {
            free.between[(p, q)] = 0.0;
            fixed.between[(p, q)] = c.between(p, q).wide() - value.wide();
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

/// The memory for evaluating the objective or the residual, all in double precision.
pub(crate) fn evaluation_bytes(shape: &Shape) -> Bytes {
    let wide = shape.in_double();
    let (field, square) = (wide.similarity(), wide.square());
    let rows = wide.vector() * (2 + shape.threads as u64) + shape.each_group(24);
    // C with its square form; for the residual also A, the product with H, and the gradient.
    if shape.needs.contains(Quantities::RESIDUAL) {
        field * 3 + square * 2 + rows
    } else if shape.needs.contains(Quantities::OBJECTIVE) {
        field + square + rows
    } else {
        Bytes(0)
    }
}

/// The value clipped to [0, 1].
#[inline(always)]
pub(crate) fn clip<S: Real>(value: S) -> S {
    value.max(S::zero()).min(S::one())
}

/// x relative to scale; 0 for 0/0.
pub(crate) fn relative(x: f64, scale: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / scale }
}
