//! The stage of enhancers: from a similarity to a better one.

use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;
use crate::rules::AuthorsRule;
use crate::run::context::Ctx;
use crate::run::iterate::{Iteration, Labeller};
use crate::run::quantities::Quantities;
use crate::run::report::{Change, Record, Report};
use crate::stages::component::{Component, forward};
use crate::stages::confidence::Confidence;
use crate::stages::confident::Confident;
use crate::stages::stop::Stop;

/// What an enhancer reads: the similarity A, the confident pairs H and Ω, and how to iterate.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Problem<'a, S> {
    /// A, the similarity to enhance.
    pub similarity: &'a Similarity<S>,
    /// H and Ω, the confident pairs.
    pub confident: &'a Confident<S>,
    /// Where to start, for enhancers that can: an earlier answer to a similar problem.
    pub start: Option<&'a Similarity<S>>,
    /// The rule to stop by, in place of the enhancer's own.
    pub stop: Option<&'a dyn Stop>,
    labeller: Option<&'a Labeller<'a, S>>,
}

impl<'a, S: Real> Problem<'a, S> {
    /// The problem of a similarity and its confident pairs.
    ///
    /// # Errors
    /// Those of [`Confident::check`]: pairs over another number of groups, or pairs that are not
    /// symmetric, on the diagonal or outside [0, 1].
    pub fn new(similarity: &'a Similarity<S>, confident: &'a Confident<S>) -> Result<Self> {
        confident.check(similarity.len())?;
        Ok(Problem { similarity, confident, start: None, stop: None, labeller: None })
    }

    /// The same with a place to start.
    pub fn with_start(self, start: Option<&'a Similarity<S>>) -> Self {
        Problem { start, ..self }
    }

    /// The same with a rule to stop by.
    pub fn with_stop(self, stop: Option<&'a dyn Stop>) -> Self {
        Problem { stop, ..self }
    }

    /// The same with other confident pairs over the same groups.
    pub fn with_confident(self, confident: &'a Confident<S>) -> Self {
        Problem { confident, ..self }
    }

    /// The same with a way to get labels of an iterate, for rules and observers that read them.
    pub fn with_labeller(self, labeller: Option<&'a Labeller<'a, S>>) -> Self {
        Problem { labeller, ..self }
    }

    /// The loop of an enhancer on this problem: by the rule of the problem, or by `own` if it
    /// names none.
    pub fn iteration<'b>(
        &'b self,
        component: &'b str,
        own: &'b dyn Stop,
        limit: usize,
    ) -> Iteration<'b, S> {
        let stop = self.stop.unwrap_or(own);
        Iteration::new(component, self.similarity.len(), stop, limit).with_labeller(self.labeller)
    }

    /// Runs the loop of an enhancer whose state is `x`; see [`Iteration::run`].
    ///
    /// # Errors
    /// Those of `step` and `current`.
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
    /// relative step is below a tolerance, or the rule of the problem is met: the whole
    /// loop of an enhancer that is written with dense matrices.
    ///
    /// It begins at the problem's start or at A. After every step the fixed entries Ω get their
    /// values; self-similarities stay those of A. Each iteration provides
    /// [`CHANGES`](Quantities::CHANGES) and [`ITERATE`](Quantities::ITERATE).
    ///
    /// ```
    /// use enclust_core::{Confident, Ctx, Mat, Problem, Similarity};
    ///
    /// // C ← (A + C/2) / 2 has the fixed point 2A/3; the fixed pair (0, 1) stays.
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
    /// Those of `map`, and of [`Similarity::from_square`] for what it gives.
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
    /// [`Error::Size`] unless it has one row and one column for each group.
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

    /// H at group size as sums over the samples: entry (p, q) is the weight of H from one sample of
    /// group p to all samples of group q. A row adds up to the degree of each sample of p, and the
    /// product with a [square form](Similarity::square) is the product over the samples.
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

    /// The similarity and the confident pairs with every sample as a group of its own, for an
    /// enhancer that is written for the n × n matrices.
    ///
    /// # Errors
    /// Those of [`Confident::refined`].
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
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

/// What an enhancer gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Enhanced<S> {
    /// The enhanced similarity.
    pub similarity: Similarity<S>,
    /// How it went.
    pub report: Report,
}

impl<S> Enhanced<S> {
    /// A similarity and the report on it.
    pub fn new(similarity: Similarity<S>, report: Report) -> Self {
        Enhanced { similarity, report }
    }
}

/// What an enhancer claims about every answer it gives. The conformance suite of
/// `enclust-testkit` checks it.
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
    /// λ, if the answer is the optimum of the self-enhancement problem with that λ, within
    /// [`accuracy`](Self::accuracy).
    pub optimum: Option<f64>,
    /// How far a fixed entry may end from its value; `None` if fixed entries may move freely.
    pub fixed_within: Option<f64>,
    /// How far two answers to the same question may differ, relative to the norm of the
    /// similarity: the tolerance of an enhancer that iterates until it is close enough.
    pub accuracy: f64,
}

/// Fixed entries keep their value, and equal questions get equal answers up to rounding.
impl Default for Claims {
    fn default() -> Self {
        Claims { optimum: None, fixed_within: Some(1e-9), accuracy: 1e-9 }
    }
}

impl Claims {
    /// The answer is the optimum for this λ, within `accuracy` of it relative to ‖A‖.
    pub fn optimum(lambda: f64, accuracy: f64) -> Self {
        Claims { optimum: Some(lambda), accuracy, ..Claims::default() }
    }

    /// The same, with fixed entries that keep their value to this tolerance.
    pub fn with_fixed_within(self, tolerance: f64) -> Self {
        Claims { fixed_within: Some(tolerance), ..self }
    }

    /// The same, with fixed entries that may move.
    pub fn with_free_entries(self) -> Self {
        Claims { fixed_within: None, ..self }
    }

    /// The same with another accuracy.
    pub fn with_accuracy(self, accuracy: f64) -> Self {
        Claims { accuracy, ..self }
    }
}

/// Improves a similarity by propagating its confident pairs.
pub trait Enhance<S: Real>: Component {
    /// The enhanced similarity and the report on it.
    fn enhance(&self, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Enhanced<S>>;

    /// What a stopping rule may read of each iteration; `None` for an enhancer that does not
    /// iterate and takes no rule.
    fn provides(&self) -> Option<Quantities> {
        None
    }

    /// What it claims about its answers.
    fn claims(&self) -> Claims {
        Claims::default()
    }

    /// Whether it leaves every similarity as it is, so that a pipeline need not select confident
    /// pairs, and any kind of evidence may pass.
    fn is_identity(&self) -> bool {
        false
    }

    /// The names of its parameters that concern its own stopping rule, and have no effect when
    /// another rule is given.
    fn stop_parameters(&self) -> &[&'static str] {
        &[]
    }

    /// At most so many bytes are taken by [`enhance`](Self::enhance); a run that has less is
    /// refused. [`Shape::needs`] says what a rule or an observer reads of each iteration.
    ///
    /// The default is a similarity, and two n' × n' matrices to work with.
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

/// No enhancement: every similarity stays as it is.
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

    /// A pipeline passes the evidence on as it is.
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
