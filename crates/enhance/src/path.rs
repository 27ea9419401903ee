//! The optimum along a path of parameters.

use std::collections::VecDeque;

use enclust_core::{
    Backend, Condensed, Ctx, Enhance, Enhanced, Mat, Problem, Real, Reference, Result, Similarity,
};
use rayon::prelude::*;

use crate::exact::Exact;
use crate::objective::{clip, norm};

/// The number of stored results, and the number of results that a starting point combines.
const REMEMBERED: usize = 8;
const COMBINED: usize = 4;

/// A sweep solves the points from which others are combined to this share of the tolerance. Most
/// combinations then need no iteration.
const SHARPER: f64 = 0.6;

/// [`Exact`] at a sequence of λ, where each solve starts from earlier results.
///
/// # Problem
///
/// A sweep over λ (or over α) solves nearly the same system many times. On the free entries the
/// optimum for λᵢ satisfies LCᵢ = λᵢ(A − Cᵢ), so the residual of any combination Σθᵢ Cᵢ with
/// Σθᵢ = 1 is known without a product: Σθᵢ (λ − λᵢ)(A − Cᵢ). The starting point at the next λ is the
/// combination of the results at the nearest λᵢ whose residual is smallest. If the confident
/// pairs have changed (another α), the formula is not exact, and the starting point is the last
/// result.
///
/// Combinations between earlier results are much better than extrapolations. Therefore a
/// [`sweep`](Self::sweep) first solves every second point, to a slightly smaller tolerance.
///
/// # Guarantee
///
/// The starting point affects only the run time: every result has the same certificate as a solve
/// from scratch.
///
/// # Complexity
///
/// Memory for eight earlier results; ten inner products of matrices per λ.
///
/// # Determinism and ties
///
/// Sums over rows have a fixed order, so the result does not depend on the number of threads.
///
/// # Example
///
/// ```
/// use enclust_core::{Confidence, Ctx, Ensemble, Microclusters, Problem, Ca, Question};
/// use enclust_ca::Lwca;
/// use enclust_enhance::{Exact, ExactPath, Threshold};
///
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])?;
/// let m = Microclusters::of(&e);
/// let ctx = &Ctx::<f64>::default();
/// let evidence = Lwca::default().build(&m, &Question::default(), ctx)?;
/// let similarity = evidence.as_similarity().unwrap();
/// let confident = Threshold::default().select(&m, similarity, ctx)?;
/// let problem = Problem::new(similarity, &confident)?;
/// let mut path = ExactPath::new(Exact::default());
/// for lambda in [0.1, 0.2, 0.4] {
///     let report = path.enhance(&problem, lambda, ctx)?.report;
///     assert!(report.certificate.unwrap().relative_distance <= Exact::default().tolerance);
/// }
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactPath<S> {
    params: Exact,
    past: VecDeque<Past<S>>,
}

#[derive(Clone, Debug)]
struct Past<S> {
    lambda: f64,
    answer: Similarity<S>,
    /// The norm of its residual.
    residual: f64,
}

impl<S: Real> ExactPath<S> {
    /// A path of this solver. The λ of the solver is not used.
    pub fn new(params: Exact) -> Self {
        ExactPath { params, past: VecDeque::new() }
    }

    /// The optimum at every λ of a list. The points are solved in an order that needs few
    /// iterations: from the largest λ down, because a large λ needs fewer. `each` is called with
    /// the position in the list and the result.
    ///
    /// # Errors
    ///
    /// The same as for [`enhance`](Self::enhance), and the first error of `each`.
    pub fn sweep(
        &mut self,
        problem: &Problem<'_, S>,
        lambdas: &[f64],
        ctx: &Ctx<'_, S>,
        mut each: impl FnMut(usize, Enhanced<S>) -> Result<()>,
    ) -> Result<()> {
        let mut falling: Vec<usize> = (0..lambdas.len()).collect();
        falling.sort_by(|&i, &j| lambdas[j].total_cmp(&lambdas[i]));
        for point in sweep_order(lambdas.len()) {
            let at = falling[point.place];
            let lambda = lambdas[at];
            let enhanced = match point.kind {
                Kind::Support => {
                    let enhanced = self.solve(problem, lambda, SHARPER, ctx)?;
                    self.remember(problem, lambda, &enhanced);
                    enhanced
                }
                Kind::Between => self.solve(problem, lambda, 1.0, ctx)?,
            };
            each(at, enhanced)?;
        }
        Ok(())
    }

    /// The optimum at the next point of the path. The starting point of the problem, if it has
    /// one, is used at the first point only.
    pub fn enhance(
        &mut self,
        problem: &Problem<'_, S>,
        lambda: f64,
        ctx: &Ctx<'_, S>,
    ) -> Result<Enhanced<S>> {
        let enhanced = self.solve(problem, lambda, 1.0, ctx)?;
        self.remember(problem, lambda, &enhanced);
        Ok(enhanced)
    }

    /// Stores a result from which others can start.
    fn remember(&mut self, problem: &Problem<'_, S>, lambda: f64, enhanced: &Enhanced<S>) {
        let relative = enhanced.report.certificate.as_ref().map_or(0.0, |c| c.relative_residual);
        let residual = relative * lambda * norm(problem.similarity);
        self.past.truncate(REMEMBERED - 1);
        self.past.push_front(Past { lambda, residual, answer: enhanced.similarity.clone() });
    }

    /// Solves to a share of the tolerance, starting from earlier results.
    fn solve(
        &mut self,
        problem: &Problem<'_, S>,
        lambda: f64,
        sharper: f64,
        ctx: &Ctx<'_, S>,
    ) -> Result<Enhanced<S>> {
        let tolerance = sharper * self.params.tolerance;
        let exact = self.params.clone().lambda(lambda).tolerance(tolerance);
        self.past.retain(|p| p.answer.grouping() == problem.similarity.grouping());
        let start = self.start(problem, lambda)?;
        let problem = problem.with_start(start.as_ref().or(problem.start));
        exact.enhance(&problem, ctx)
    }

    /// The combination of the nearest earlier results with the smallest residual.
    fn start(&self, problem: &Problem<'_, S>, lambda: f64) -> Result<Option<Similarity<S>>> {
        let Some(last) = self.past.front() else { return Ok(None) };
        let same_pairs = |p: &&Past<S>| agrees(problem, &p.answer);
        let mut usable: Vec<&Past<S>> = self.past.iter().take_while(same_pairs).collect();
        if usable.is_empty() {
            return Ok(Some(last.answer.clone()));
        }
        let distance = |p: &Past<S>| (p.lambda / lambda).ln().abs();
        usable.sort_by(|p, q| distance(p).total_cmp(&distance(q)));
        usable.truncate(COMBINED);
        let weights = weights(problem, lambda, &usable);
        combination(&usable, &weights).map(Some)
    }
}

/// A point of a sweep: its position in descending order of λ.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    place: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Solved to a smaller tolerance and stored.
    Support,
    /// Combined from the neighbouring supports.
    Between,
}

/// The supports, evenly spread from the first point to the last. After each support come the
/// points before the previous support, so that they are between two supports on either side.
fn sweep_order(points: usize) -> Vec<Point> {
    let supports = supports(points);
    let between = |at: usize| {
        let places = supports[at] + 1..supports[at + 1];
        places.map(|place| Point { place, kind: Kind::Between })
    };
    let mut order = Vec::with_capacity(points);
    for (at, &place) in supports.iter().enumerate() {
        order.push(Point { place, kind: Kind::Support });
        if at >= 2 {
            order.extend(between(at - 2));
        }
    }
    if supports.len() >= 2 {
        order.extend(between(supports.len() - 2));
    }
    order
}

/// About every second point, including both ends. The last point needs the most iterations, so
/// its neighbour, which needs nearly as many, must not be a support.
fn supports(points: usize) -> Vec<usize> {
    let gaps = points.saturating_sub(1) / 2;
    if gaps == 0 {
        return (0..points).collect();
    }
    (0..=gaps).map(|i| (i * (points - 1) + gaps / 2) / gaps).collect()
}

/// Whether every fixed entry of the problem has its value in the result: the result was computed
/// for the same confident pairs, or for more of them.
fn agrees<S: Real>(problem: &Problem<'_, S>, answer: &Similarity<S>) -> bool {
    let fixed = &problem.confident.fixed;
    (0..fixed.rows()).all(|p| fixed.iter_row(p).all(|(q, v)| answer.between(p, q) == v))
}

/// θ with Σθ = 1 that minimises ‖Σθᵢ (λ − λᵢ)(A − Cᵢ)‖: proportional to the solution of Gθ = 1,
/// where G is the Gram matrix. The results have residuals of their own, which large weights would
/// amplify; their squares on the diagonal of G prevent this.
fn weights<S: Real>(problem: &Problem<'_, S>, lambda: f64, past: &[&Past<S>]) -> Vec<f64> {
    let k = past.len();
    if let Some(same) = past.iter().position(|p| p.lambda == lambda) {
        return (0..k).map(|i| f64::from(u8::from(i == same))).collect();
    }
    let mut matrix = gram(problem, lambda, past);
    for (i, p) in past.iter().enumerate() {
        matrix[(i, i)] += p.residual.powi(2);
    }
    let mut solution = Mat::from_fn(k, 1, |_, _| 1.0);
    let backend: &dyn Backend<f64> = &Reference;
    let sum = match backend.factor_spd(matrix.view()) {
        Ok(factor) => {
            factor.solve(solution.view_mut());
            (0..k).map(|i| solution[(i, 0)]).sum()
        }
        Err(_) => f64::NAN,
    };
    // Any starting point is valid; without usable weights it is the last result.
    let usable = f64::is_finite(sum) && sum > 0.0;
    let last = |i: usize| f64::from(u8::from(i == 0));
    (0..k).map(|i| if usable { solution[(i, 0)] / sum } else { last(i) }).collect()
}

/// ⟨(λ − λᵢ)(A − Cᵢ), (λ − λⱼ)(A − Cⱼ)⟩ between groups, over the samples; k × k.
fn gram<S: Real>(problem: &Problem<'_, S>, lambda: f64, past: &[&Past<S>]) -> Mat<f64> {
    let given = problem.similarity;
    let sizes = given.grouping().sizes();
    let k = past.len();
    let row = |p: usize| {
        // √r_q (λ − λᵢ)(A − Cᵢ), so that products include the weight.
        let off: Vec<Vec<f64>> = past
            .iter()
            .map(|c| {
                let pairs = given.row(p).iter().zip(c.answer.row(p)).zip(&sizes[p + 1..]);
                let entry = |((a, c_pq), &r): ((&S, &S), &usize)| {
                    (r as f64).sqrt() * (lambda - c.lambda) * (a.wide() - c_pq.wide())
                };
                pairs.map(entry).collect()
            })
            .collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let product = |(i, j): (usize, usize)| sizes[p] as f64 * dot(&off[i], &off[j]);
        (0..k).flat_map(|i| (0..=i).map(move |j| (i, j))).map(product).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = (0..given.len()).into_par_iter().map(row).collect();
    let entry = |i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        rows.iter().map(|row| row[high * (high + 1) / 2 + low]).sum()
    };
    Mat::from_fn(k, k, entry)
}

/// Σθᵢ Cᵢ, clipped to [0, 1].
fn combination<S: Real>(past: &[&Past<S>], weights: &[f64]) -> Result<Similarity<S>> {
    let last = &past[0].answer;
    let between = Condensed::filled(last.len(), |p, row| {
        let mut sum = vec![0.0; row.len()];
        for (c, weight) in past.iter().zip(weights) {
            sum.iter_mut().zip(c.answer.row(p)).for_each(|(s, v)| *s += weight * v.wide());
        }
        row.iter_mut().zip(sum).for_each(|(out, s)| *out = clip(S::of(s)));
    });
    let (within, own) = (last.within().to_vec(), last.own().to_vec());
    Similarity::new(last.grouping().clone(), between.into_values(), within, own)
}

#[cfg(test)]
mod tests {
    use super::{Kind, sweep_order};

    #[test]
    fn every_point_comes_once_and_those_between_come_after_both_ends() {
        for points in 0..30 {
            let order = sweep_order(points);
            let mut sorted: Vec<usize> = order.iter().map(|p| p.place).collect();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..points), "{order:?}");
            for (at, point) in order.iter().enumerate().filter(|(_, p)| p.kind == Kind::Between) {
                let before = || order[..at].iter().filter(|p| p.kind == Kind::Support);
                assert!(before().any(|p| p.place < point.place), "{order:?}");
                assert!(before().any(|p| p.place > point.place), "{order:?}");
            }
        }
        let places = |points| sweep_order(points).iter().map(|p| p.place).collect::<Vec<_>>();
        assert_eq!(places(8), [0, 2, 5, 1, 7, 3, 4, 6]);
    }
}
