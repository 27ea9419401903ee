//! The stage of enhancers: from a similarity to a better one.

use crate::data::microclusters::Microclusters;
use crate::error::Result;
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::iterate::{Iteration, Labeller};
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Report};
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
