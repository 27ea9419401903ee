//! One step of the diffusion, at group size.

use std::sync::Arc;

use enclust_core::{Change, Problem, Real, Result, Similarity, fill_condensed};

/// Σ over the confident neighbours of one sample of each group.
pub fn degrees<S: Real>(problem: &Problem<'_, S>) -> Vec<S> {
    let (h, sizes) = (problem.confident, problem.similarity.grouping().sizes());
    let count = |p: usize| S::of(sizes[p] as f64);
    (0..sizes.len())
        .map(|p| {
            let others: S = h.graph.iter_row(p).map(|(s, weight)| weight * count(s)).sum();
            others + h.within[p] * (count(p) - S::one())
        })
        .collect()
}

/// (1 − t) A + t (PC + CPᵀ) / 2 off Ω and the diagonal.
pub fn step<S: Real>(
    problem: &Problem<'_, S>,
    degrees: &[S],
    damping: f64,
    c: &Similarity<S>,
) -> Result<Similarity<S>> {
    let (a, h, sizes) = (problem.similarity, problem.confident, c.grouping().sizes());
    // Sum of the similarities of some samples of s, among them j if s = q, to a
    // sample j of q.
    let sum = |s: usize, samples: usize, q: usize| {
        let count = S::of(samples as f64);
        if s == q {
            c.own()[q] + (count - S::one()) * c.within()[q]
        } else {
            count * c.between(s, q)
        }
    };
    // (PC) at a sample of p and another one of q.
    let mean = |p: usize, q: usize, given: S| {
        if degrees[p] == S::zero() {
            return given;
        }
        let others: S = h.graph.iter_row(p).map(|(s, weight)| weight * sum(s, sizes[s], q)).sum();
        (others + h.within[p] * sum(p, sizes[p] - 1, q)) / degrees[p]
    };
    let (t, half) = (S::of(damping), S::of(0.5));
    // A mean of numbers up to 1 may round to just above it.
    let blend = |given: S, mean: S| ((S::one() - t) * given + t * mean).min(S::one());
    let between = fill_condensed(c.len(), |p, row| {
        for (value, q) in row.iter_mut().zip(p + 1..) {
            let given = a.between(p, q);
            *value = h
                .fixed
                .get(p, q)
                .unwrap_or_else(|| blend(given, half * (mean(p, q, given) + mean(q, p, given))));
        }
    });
    let within = (0..c.len())
        .map(|p| {
            let given = a.within()[p];
            let stays = h.fixed_within[p] || sizes[p] == 1;
            if stays { given } else { blend(given, mean(p, p, given)) }
        })
        .collect();
    Similarity::new(Arc::clone(a.grouping()), between, within, a.own().to_vec())
}

/// Length of the step, over all pairs of samples.
pub fn change<S: Real>(before: &Similarity<S>, after: &Similarity<S>) -> Change {
    let sizes: Vec<f64> = before.grouping().sizes().iter().map(|&r| r as f64).collect();
    let (mut step, mut scale) = (0.0, 0.0);
    let mut add = |pairs: f64, old: S, new: S| {
        step += pairs * (new.wide() - old.wide()).powi(2);
        scale += pairs * old.wide().powi(2);
    };
    for p in 0..sizes.len() {
        let pairs = sizes[p] * (sizes[p] - 1.0) / 2.0;
        add(pairs, before.within()[p], after.within()[p]);
        let rows = before.row(p).iter().zip(after.row(p));
        rows.zip(&sizes[p + 1..]).for_each(|((&old, &new), r)| add(sizes[p] * r, old, new));
    }
    Change::new("C", step.sqrt(), scale.sqrt())
}
