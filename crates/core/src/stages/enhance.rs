//! The stage of enhancers: from a similarity to an improved one.

use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;
use crate::rules::AuthorsRule;
use crate::run::context::Ctx;
use crate::run::iterate::{Iteration, Until};
use crate::run::quantities::Quantities;
use crate::run::report::{Change, Record, Report};
use crate::stages::component::{Component, forward};
use crate::stages::confidence::Confidence;
use crate::stages::confident::Confident;
use crate::stages::stop::Stop;

/// The input of an enhancer: the similarity A, the confident pairs H and Ω, and settings of the
/// iteration.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Problem<'a, S> {
    /// A, the similarity to enhance.
    pub similarity: &'a Similarity<S>,
    /// H and Ω, the confident pairs.
    pub confident: &'a Confident<S>,
    /// A starting point, for enhancers that support one: an earlier result for a similar problem.
    pub start: Option<&'a Similarity<S>>,
    /// The stopping rule that replaces the enhancer's own, if there is one.
    pub until: Until<'a, S>,
}

impl<'a, S: Real> Problem<'a, S> {
    /// The problem for a similarity and its confident pairs.
    ///
    /// # Errors
    ///
    /// The same as for [`Confident::check`]: the pairs are over another number of groups, are not
    /// symmetric, are on the diagonal or are outside [0, 1].
    pub fn new(similarity: &'a Similarity<S>, confident: &'a Confident<S>) -> Result<Self> {
        confident.check(similarity.len())?;
        Ok(Problem { similarity, confident, start: None, until: Until::default() })
    }

    /// The same problem with a starting point.
    pub fn with_start(self, start: Option<&'a Similarity<S>>) -> Self {
        Problem { start, ..self }
    }

    /// The same problem with a stopping rule.
    pub fn with_stop(self, stop: Option<&'a dyn Stop>) -> Self {
        Problem { until: self.until.with_stop(stop), ..self }
    }

    /// The same problem with other confident pairs over the same groups.
    pub fn with_confident(self, confident: &'a Confident<S>) -> Self {
        Problem { confident, ..self }
    }

    /// The same problem with a stopping rule and the labels that it may read.
    pub fn with_until(self, until: Until<'a, S>) -> Self {
        Problem { until, ..self }
    }

    /// The loop of an enhancer on this problem. It uses the stopping rule of the problem, or
    /// `own` if the problem has none.
    pub fn iteration<'b>(
        &'b self,
        component: &'b str,
        own: &'b dyn Stop,
        limit: usize,
    ) -> Iteration<'b, S> {
        self.until.iteration(component, self.similarity.len(), own, limit)
    }

    /// Runs the loop of an enhancer whose state is `x`; see [`Iteration::run`].
    ///
    /// # Errors
    ///
    /// The errors of `step` and `current`.
    pub fn iterate<X>(
        &self,
        (component, own, limit): (&str, &dyn Stop, usize),
        ctx: &Ctx<'_, S>,
        mut x: X,
        step: impl FnMut(&mut X, usize, Quantities) -> Result<Record>,
        mut current: impl FnMut(&mut X) -> Result<Similarity<S>>,
    ) -> Result<Enhanced<S>> {
        let report =
            self.iteration(component, own, limit).run(ctx, &mut x, step, |x| current(x))?;
        Ok(Enhanced::new(current(&mut x)?, report))
    }

    /// Repeats C ← `map`(C) on the [square form](Similarity::square) of the similarity until the
    /// relative step is below a tolerance or the stopping rule of the problem is met. This is the
    /// complete loop of an enhancer that uses dense matrices.
    ///
    /// The iteration starts at the starting point of the problem, or at A. After every step the
    /// fixed entries Ω are set to their values; self-similarities remain those of A. Each
    /// iteration provides [`CHANGES`](Quantities::CHANGES) and [`ITERATE`](Quantities::ITERATE).
    ///
    /// ```
    /// use enclust_core::{Confident, Ctx, Mat, Problem, Similarity};
    ///
    /// // C ← (A + C/2) / 2 has the fixed point 2A/3; the fixed pair (0, 1) does not change.
    /// let a = Similarity::from_matrix(3, &[1.0_f64, 0.9, 0.3, 0.9, 1.0, 0.6, 0.3, 0.6, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 1, 1.0)])?;
    /// let (problem, given) = (Problem::new(&a, &confident)?, a.square());
    /// let enhanced = problem.fixed_point(("halving", 1e-9, 100), &Ctx::default(), |c| {
    ///     Ok(Mat::from_fn(3, 3, |p, q| 0.5 * (given[(p, q)] + 0.5 * c[(p, q)])))
    /// })?;
    /// assert_eq!(enhanced.similarity.between(0, 1), 0.9);
    /// assert!((enhanced.similarity.between(0, 2) - 0.2).abs() < 1e-8);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `map`, and those of [`Similarity::from_square`] for its result.
    pub fn fixed_point(
        &self,
        (component, tolerance, limit): (&str, f64, usize),
        ctx: &Ctx<'_, S>,
        mut map: impl FnMut(&Mat<S>) -> Result<Mat<S>>,
    ) -> Result<Enhanced<S>> {
        let own = AuthorsRule::default().epsilon(tolerance);
        let given = self.similarity;
        let start = self.start.filter(|start| start.grouping() == given.grouping());
        let step = |c: &mut Similarity<S>, _: usize, _: Quantities| {
            let mut square = map(&c.square())?;
            self.keep_fixed(&mut square)?;
            let next = Similarity::from_square(given.grouping(), &square)?;
            let next = next.with_own(given.own().to_vec())?;
            let change = Change::of_similarity("C", c, &next);
            *c = next;
            Ok(Record::default().with_changes(vec![change]))
        };
        let begin = start.unwrap_or(given).clone();
        self.iterate((component, &own, limit), ctx, begin, step, |c| Ok(c.clone()))
    }

    /// Writes the values of the fixed entries Ω into a square form.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the matrix does not have one row and one column per group.
    pub fn keep_fixed(&self, square: &mut Mat<S>) -> Result<()> {
        Error::check_size("rows of the square form", self.similarity.len(), square.rows())?;
        Error::check_size("columns of the square form", self.similarity.len(), square.cols())?;
        for p in 0..self.similarity.len() {
            for (q, value) in self.confident.fixed.iter_row(p) {
                square[(p, q)] = value;
            }
            if self.confident.fixed_within[p] {
                square[(p, p)] = self.similarity.within()[p];
            }
        }
        Ok(())
    }

    /// H over groups, as sums over the samples: entry (p, q) is the total weight of H from one
    /// sample of group p to all samples of group q. A row sums to the degree of each sample of p,
    /// and the product with a [square form](Similarity::square) equals the product over the
    /// samples.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_core::{Confident, Grouping, Problem, Similarity};
    ///
    /// let groups = Arc::new(Grouping::from_map(vec![0, 0, 0, 1])?);
    /// let a = Similarity::new(groups, vec![0.3], vec![0.8, 1.0], vec![1.0, 1.0])?;
    /// let confident = Confident::from_pairs(&a, [(0, 0, 1.0), (0, 1, 0.5)])?;
    /// assert_eq!(Problem::new(&a, &confident)?.links().data(), [2.0, 1.5, 0.5, 0.0]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn links(&self) -> Mat<S> {
        let sizes = self.similarity.grouping().sizes();
        let mut links = Mat::zeros(sizes.len(), sizes.len());
        for p in 0..sizes.len() {
            links[(p, p)] = self.confident.within[p] * S::of(sizes[p] as f64 - 1.0);
            for (q, weight) in self.confident.graph.iter_row(p) {
                links[(p, q)] = weight * S::of(sizes[q] as f64);
            }
        }
        links
    }

    /// The similarity and the confident pairs with every sample as its own group, for an enhancer
    /// that works on n × n matrices.
    ///
    /// # Errors
    ///
    /// The same as for [`Confident::refined`].
    pub fn by_samples(&self) -> Result<(Similarity<S>, Confident<S>)> {
        let similarity = self.similarity.by_samples();
        let confident = self.confident.refined(self.similarity, similarity.grouping())?;
        Ok((similarity, confident))
    }
}

impl<S> std::fmt::Debug for Problem<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem")
            .field("started", &self.start.is_some())
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

/// The result of an enhancer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Enhanced<S> {
    /// The enhanced similarity.
    pub similarity: Similarity<S>,
    /// Report on the enhancement.
    pub report: Report,
}

impl<S> Enhanced<S> {
    /// A similarity and its report.
    pub fn new(similarity: Similarity<S>, report: Report) -> Self {
        Enhanced { similarity, report }
    }
}

/// The properties that an enhancer guarantees for every result. The conformance suite of
/// `enclust-testkit` checks them.
///
/// ```
/// use enclust_core::Claims;
///
/// let claims = Claims::default().with_fixed_within(0.05);
/// assert_eq!((claims.fixed_within, claims.optimum), (Some(0.05), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claims {
    /// λ, if the result is the optimum of the self-enhancement problem with this λ, within
    /// [`accuracy`](Self::accuracy).
    pub optimum: Option<f64>,
    /// The largest deviation of a fixed entry from its value; `None` if fixed entries may have
    /// any value.
    pub fixed_within: Option<f64>,
    /// The largest difference between two results for the same problem, relative to the norm of
    /// the similarity: the tolerance of an enhancer that iterates until convergence.
    pub accuracy: f64,
}

/// Fixed entries keep their value, and equal problems have equal results up to rounding.
impl Default for Claims {
    fn default() -> Self {
        Claims { optimum: None, fixed_within: Some(1e-9), accuracy: 1e-9 }
    }
}

impl Claims {
    /// The result is the optimum for this λ, within `accuracy` relative to ‖A‖.
    pub fn optimum(lambda: f64, accuracy: f64) -> Self {
        Claims { optimum: Some(lambda), accuracy, ..Claims::default() }
    }

    /// The same, with fixed entries that keep their value within this tolerance.
    pub fn with_fixed_within(self, tolerance: f64) -> Self {
        Claims { fixed_within: Some(tolerance), ..self }
    }

    /// The same, with fixed entries that may have any value.
    pub fn with_free_entries(self) -> Self {
        Claims { fixed_within: None, ..self }
    }

    /// The same with a different accuracy.
    pub fn with_accuracy(self, accuracy: f64) -> Self {
        Claims { accuracy, ..self }
    }
}

/// Improves a similarity by propagating its confident pairs.
pub trait Enhance<S: Real>: Component {
    /// Computes the enhanced similarity and its report.
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>>;

    /// The quantities of each iteration that a stopping rule may read; `None` for an enhancer
    /// that does not iterate and has no stopping rule.
    fn provides(&self) -> Option<Quantities> {
        None
    }

    /// The properties that it guarantees for its results.
    fn claims(&self) -> Claims {
        Claims::default()
    }

    /// Whether it returns every similarity unchanged. If so, a pipeline does not select confident
    /// pairs and accepts any kind of evidence.
    fn is_identity(&self) -> bool {
        false
    }

    /// The names of the parameters of its own stopping rule, which have no effect if another rule
    /// is given.
    fn stop_parameters(&self) -> &[&'static str] {
        &[]
    }

    /// Upper bound on the memory that [`enhance`](Self::enhance) allocates. If less is available,
    /// the run returns an error. [`Shape::needs`] lists the quantities of each iteration that a
    /// rule or an observer reads.
    ///
    /// The default is a similarity, plus two n' × n' matrices as working memory.
    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(shape.similarity(), shape.square() * 2)
    }
}

forward!(Enhance<S> {
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>>;
    fn provides(&self) -> Option<Quantities>;
    fn claims(&self) -> Claims;
    fn is_identity(&self) -> bool;
    fn stop_parameters(&self) -> &[&'static str];
    fn footprint(&self, shape: &Shape) -> Footprint;
});

/// No enhancement: every similarity is returned unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEnhancement;

impl Component for NoEnhancement {
    fn name(&self) -> &str {
        "none"
    }
}

impl<S: Real> Enhance<S> for NoEnhancement {
    fn enhance(&self, problem: &Problem<'_, S>, _: &Ctx<'_, S>) -> Result<Enhanced<S>> {
        Ok(Enhanced::new(problem.similarity.clone(), Report::direct("none")))
    }

    fn claims(&self) -> Claims {
        Claims::default().with_free_entries()
    }

    fn is_identity(&self) -> bool {
        true
    }

    /// A pipeline passes on the evidence without a copy.
    fn footprint(&self, _: &Shape) -> Footprint {
        Footprint::default()
    }
}

impl<S: Real> Confidence<S> for NoEnhancement {
    fn select(
        &self,
        _: &Microclusters,
        similarity: &Similarity<S>,
        _: &Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        Ok(Confident::none(similarity.len()))
    }

    fn footprint(&self, shape: &Shape) -> Footprint {
        Footprint::new(Confident::<S>::bytes(shape, 0), Bytes(0))
    }
}
