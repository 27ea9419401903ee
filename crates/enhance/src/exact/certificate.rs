//! The certificate of a result.

use enclust_core::{Certificate, Problem, Real, Similarity};

use crate::objective::{norm, relative};

use super::residual::Measure;
use super::system::System;

/// The bounds of T5 from the residual, including the rounding errors of its computation.
pub fn certificate<S: Real>(
    problem: &Problem<'_, S>,
    system: &System,
    answer: &Similarity<S>,
    measure: Measure,
) -> Certificate {
    let lambda = system.equations.lambda;
    let residual = measure.square.sqrt() + rounding(system, &measure);
    let scale = norm(problem.similarity);
    let fixed_error = fixed_error(problem, answer);
    let (energy, distance) = on_the_diagonal(problem, answer);
    let mut proved = Certificate::default();
    proved.relative_residual = relative(measure.square.sqrt() / lambda, scale);
    proved.relative_distance = relative(residual / lambda, scale);
    proved.distance = residual / lambda;
    proved.largest_distance =
        ((measure.largest + relative_rounding(system)) / lambda).max(fixed_error);
    proved.objective = measure.energy + energy + 0.5 * lambda * (measure.distance + distance);
    proved.objective_gap = residual * residual / (2.0 * lambda);
    proved.fixed_error = fixed_error;
    proved
}

/// Upper bound on the rounding errors of the norm of the residual.
pub fn rounding(system: &System, measure: &Measure) -> f64 {
    relative_rounding(system) * measure.size.sqrt()
}

/// Upper bound on the rounding error of an entry of the residual, for entries of C up to 1.
fn relative_rounding(system: &System) -> f64 {
    8.0 * f64::EPSILON * system.equations.largest_diagonal()
}

/// The largest deviation of a fixed entry from its value.
fn fixed_error<S: Real>(problem: &Problem<'_, S>, answer: &Similarity<S>) -> f64 {
    let fixed = &problem.confident.fixed;
    let row = |p: usize| {
        let error = |(q, value): (usize, S)| (answer.between(p, q).wide() - value.wide()).abs();
        fixed.iter_row(p).map(error).fold(0.0, f64::max)
    };
    (0..fixed.rows()).map(row).fold(0.0, f64::max)
}

/// The contribution of the diagonal blocks of C to tr(CᵀΦC) and to ‖C − A‖².
fn on_the_diagonal<S: Real>(problem: &Problem<'_, S>, answer: &Similarity<S>) -> (f64, f64) {
    let (given, confident) = (problem.similarity, problem.confident);
    let sizes = given.grouping().sizes();
    let (mut energy, mut distance) = (0.0, 0.0);
    for (p, &size) in sizes.iter().enumerate() {
        let (r, h) = (size as f64, confident.within[p].wide());
        let (within, own) = (answer.within()[p].wide(), answer.own()[p].wide());
        // The sum of a row of the diagonal block, and of H times it.
        let row_sum = (r - 1.0) * within + own;
        let (mut degree, mut pulled) = (0.0, 0.0);
        for (q, link) in confident.graph.iter_row(p) {
            let weight = sizes[q] as f64 * link.wide();
            degree += weight;
            pulled += weight * answer.between(p, q).wide();
        }
        // Off the diagonal, the entries (q, p) do not include the contribution of H from this
        // block.
        energy -= r * pulled * row_sum;
        let pair = degree * within - pulled + h * (within - own);
        let single = degree * own - pulled + (r - 1.0) * h * (own - within);
        energy += r * ((r - 1.0) * within * pair + own * single);
        let off = (within - given.within()[p].wide(), own - given.own()[p].wide());
        distance += r * ((r - 1.0) * off.0 * off.0 + off.1 * off.1);
    }
    (energy, distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Confident;

    fn chain(first: f64, second: f64) -> Similarity<f64> {
        let (a, b) = (first, second);
        Similarity::from_matrix(3, &[1.0, a, 0.0, a, 1.0, b, 0.0, b, 1.0]).unwrap()
    }

    #[test]
    fn the_fixed_entry_that_deviates_most_counts() {
        let given = chain(0.75, 0.5);
        let confident = Confident::from_pairs(&given, [(0, 1, 0.5), (1, 2, 0.5)]).unwrap();
        let problem = Problem::new(&given, &confident).unwrap();
        assert_eq!(fixed_error(&problem, &given), 0.0);
        assert_eq!(fixed_error(&problem, &chain(0.625, 0.25)), 0.25);
        assert_eq!(fixed_error(&problem, &chain(1.0, 0.625)), 0.25);
    }
}
