//! The unit of λ.

use std::borrow::Cow;

use enclust_core::{Confident, Problem, Real, choice};

choice! {
    /// The unit in which an enhancer measures λ.
    ///
    /// The optimum depends on λ relative to the degrees of the confident pairs, and degrees grow
    /// with the number of samples: if every sample is listed c times, the optimum stays the same
    /// only if λ grows c-fold. With `Degree` it does. This makes results independent of repeated
    /// samples; it does not make them more accurate.
    ///
    /// ```
    /// use enclust_core::{Confident, Ctx, Enhance, Problem, Similarity};
    /// use enclust_enhance::{Exact, LambdaScale};
    ///
    /// let a = Similarity::from_matrix(3, &[1.0_f64, 0.9, 0.2, 0.9, 1.0, 0.4, 0.2, 0.4, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 1, 0.9)])?;
    /// // Two of the three samples have the degree 0.9.
    /// assert!((confident.mean_degree(a.grouping()) - 0.6).abs() < 1e-12);
    /// let (problem, ctx) = (Problem::new(&a, &confident)?, Ctx::default());
    /// let by_degree = Exact::default().lambda(0.5).scale(LambdaScale::Degree);
    /// let absolute = Exact::default().lambda(0.5 * 0.6);
    /// let one = by_degree.enhance(&problem, &ctx)?.similarity;
    /// let other = absolute.enhance(&problem, &ctx)?.similarity;
    /// assert!((one.between(0, 2) - other.between(0, 2)).abs() < 1e-3);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub enum LambdaScale {
        /// λ as it is given, as in the paper.
        Absolute = "absolute",
        /// λ times the [mean degree](enclust_core::Confident::mean_degree) of the confident pairs.
        Degree = "degree",
    }
}

impl LambdaScale {
    /// The confident pairs with which λ needs no other factor.
    ///
    /// A factor on λ is the same as its inverse on H, up to a factor of the objective. The latter
    /// leaves the penalties and the starting point of ADMM in proportion to λ as well.
    pub(crate) fn in_unit<'a, S: Real>(self, problem: &Problem<'a, S>) -> Cow<'a, Confident<S>> {
        let confident = Cow::Borrowed(problem.confident);
        match self {
            LambdaScale::Absolute => confident,
            LambdaScale::Degree => divided_by_degree(confident, problem),
        }
    }
}

fn divided_by_degree<'a, S: Real>(
    mut confident: Cow<'a, Confident<S>>,
    problem: &Problem<'a, S>,
) -> Cow<'a, Confident<S>> {
    let degree = confident.mean_degree(problem.similarity.grouping());
    // Without pairs of different groups there is nothing to enhance.
    if degree > 0.0 {
        let divided = |h: S| S::of(h.wide() / degree);
        let given = confident.to_mut();
        given.graph = given.graph.mapped(|_, _, h| divided(h));
        given.within.iter_mut().for_each(|h| *h = divided(*h));
    }
    confident
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use enclust_ca::Lwca;
    use enclust_core::{Ca, Confidence, Ctx, Enhance, Ensemble, Grouping, Microclusters, Question};
    use enclust_core::{IterationLimit, Similarity};
    use enclust_testkit::generate::ensembles;
    use proptest::prelude::*;

    use super::*;
    use crate::{Admm, Exact, Threshold};

    /// The enhanced values between the distinct label rows of an ensemble in which every sample is
    /// listed `copies` times.
    fn enhanced(ensemble: &Ensemble, copies: usize, part: &dyn Enhance<f64>) -> Vec<f64> {
        let ctx = &Ctx::default();
        let order: Vec<usize> = (0..copies).flat_map(|_| 0..ensemble.samples()).collect();
        let rows = Microclusters::of(&ensemble.rearranged(&order).unwrap());
        let evidence = Lwca::default().build(&rows, &Question::default(), ctx).unwrap();
        let a = evidence.as_similarity().unwrap();
        let confident = Threshold::default().alpha(0.6).select(&rows, a, ctx).unwrap();
        let problem = Problem::new(a, &confident).unwrap();
        part.enhance(&problem, ctx).unwrap().similarity.condensed().to_vec()
    }

    fn largest_difference(x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
    }

    proptest! {
        #[test]
        fn by_degree_copies_of_all_samples_do_not_change_the_optimum(
            e in ensembles(30, 8, 4), copies in 2..6_usize
        ) {
            let part = Exact::default().tolerance(1e-10).scale(LambdaScale::Degree);
            let (once, often) = (enhanced(&e, 1, &part), enhanced(&e, copies, &part));
            prop_assert!(largest_difference(&once, &often) < 1e-8);
        }

        #[test]
        fn by_degree_is_lambda_times_the_mean_degree(e in ensembles(30, 8, 4)) {
            let ctx = &Ctx::default();
            let rows = Microclusters::of(&e);
            let evidence = Lwca::default().build(&rows, &Question::default(), ctx).unwrap();
            let a = evidence.as_similarity().unwrap();
            let confident = Threshold::default().alpha(0.6).select(&rows, a, ctx).unwrap();
            let degree = mean_degree_by_definition(a, &confident);
            prop_assert!((confident.mean_degree(a.grouping()) - degree).abs() < 1e-12 * (1.0 + degree));
            prop_assume!(degree > 0.0);
            let (by_degree, absolute) =
                (Exact::default().scale(LambdaScale::Degree), Exact::default().lambda(0.4 * degree));
            let value = |part: Exact| enhanced(&e, 1, &part.tolerance(1e-10));
            prop_assert!(largest_difference(&value(by_degree), &value(absolute)) < 1e-8);
        }
    }

    /// Sums over all pairs of samples from different groups.
    fn mean_degree_by_definition(a: &Similarity<f64>, confident: &Confident<f64>) -> f64 {
        let map = a.grouping().map();
        let weight = |&(p, q): &(u32, u32)| confident.graph.get(p as usize, q as usize);
        let pairs = map.iter().flat_map(|&p| map.iter().map(move |&q| (p, q)));
        pairs.filter_map(|pair| weight(&pair)).sum::<f64>() / map.len() as f64
    }

    /// Five samples in three groups of which two are confident.
    fn problem_of(copies: usize) -> (Similarity<f64>, Confident<f64>) {
        let map = [0, 0, 1, 2, 2].into_iter().flat_map(|p| vec![p; copies]).collect();
        let grouping = Arc::new(Grouping::from_map(map).unwrap());
        let a = Similarity::new(grouping, vec![0.8, 0.1, 0.4], vec![1.0; 3], vec![1.0; 3]);
        let a = a.unwrap();
        let confident = Confident::from_pairs(&a, [(0, 1, 0.8)]).unwrap();
        (a, confident)
    }

    /// Every iterate, not just the last one: the penalties follow the degree as well.
    #[test]
    fn by_degree_copies_of_all_samples_do_not_change_the_iterates_of_admm() {
        let iterate = |copies: usize, scale: LambdaScale| {
            let (a, confident) = problem_of(copies);
            let problem = Problem::new(&a, &confident).unwrap();
            let stop = IterationLimit::default().limit(4);
            let part = Admm::default().scale(scale);
            let enhanced = part.enhance(&problem.with_stop(Some(&stop)), &Ctx::default()).unwrap();
            enhanced.similarity.condensed().to_vec()
        };
        let moved = |scale| largest_difference(&iterate(1, scale), &iterate(7, scale));
        assert!(moved(LambdaScale::Degree) < 1e-12, "{}", moved(LambdaScale::Degree));
        assert!(moved(LambdaScale::Absolute) > 1e-2, "{}", moved(LambdaScale::Absolute));
    }

    #[test]
    fn without_pairs_nothing_is_divided() {
        let (a, _) = problem_of(1);
        let none = Confident::none(3);
        let problem = Problem::new(&a, &none).unwrap();
        assert_eq!(*LambdaScale::Degree.in_unit(&problem), none);
        let enhanced = Exact::default().scale(LambdaScale::Degree);
        let enhanced = enhanced.enhance(&problem, &Ctx::default()).unwrap();
        assert_eq!(enhanced.similarity.condensed(), a.condensed());
    }
}
