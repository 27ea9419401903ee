//! The loop of all parts that iterate.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::ops::ControlFlow;
use std::time::Instant;

use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Report, Status};
use crate::run::watch::{Event, Watch};
use crate::stages::stop::Stop;

/// The state of an iteration, in addition to the numbers of its [`Record`]. Each quantity is
/// computed when it is requested.
pub trait State {
    /// The current similarity, in double precision.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the iteration does not
    /// [provide](crate::Enhance::provides) it.
    fn similarity(&self) -> Result<Similarity<f64>>;

    /// The partition that the pipeline would return now: the result of its consensus function,
    /// cut into the k of the question.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] outside a pipeline or without a k, and the errors of the consensus
    /// function.
    fn labels(&self) -> Result<Partition>;
}

/// An empty state, for checks outside an iteration.
///
/// ```
/// use enclust_core::{NoState, State};
///
/// assert!(NoState.labels().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NoState;

impl State for NoState {
    fn similarity(&self) -> Result<Similarity<f64>> {
        Err(Error::unsupported("this iteration", Quantities::ITERATE.to_string()))
    }

    fn labels(&self) -> Result<Partition> {
        Err(Error::unsupported("this iteration", Quantities::LABELS.to_string()))
    }
}

/// Computes the partition of a similarity with the consensus function and the k of a pipeline.
pub type Labeller<'a, S> = dyn Fn(&Similarity<S>) -> Result<Partition> + Sync + 'a;

/// How the iteration of a part ends if the part's own rule does not decide it: the stopping rule
/// of the pipeline, if it has one, and the labels that such a rule may read. The default leaves
/// the decision to the part.
pub struct Until<'a, S> {
    stop: Option<&'a dyn Stop>,
    labeller: Option<&'a Labeller<'a, S>>,
}

impl<S> Clone for Until<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Until<'_, S> {}

impl<S> Default for Until<'_, S> {
    fn default() -> Self {
        Until { stop: None, labeller: None }
    }
}

impl<S> fmt::Debug for Until<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Until").field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl<'a, S: Real> Until<'a, S> {
    /// The iteration ends when this rule is met.
    pub fn rule(stop: &'a dyn Stop) -> Self {
        Until { stop: Some(stop), labeller: None }
    }

    /// The same with another rule; `None` means the rule of the part.
    pub fn with_stop(self, stop: Option<&'a dyn Stop>) -> Self {
        Until { stop, ..self }
    }

    /// The same with a function that computes labels, for rules and observers that read them.
    pub fn with_labeller(self, labeller: Option<&'a Labeller<'a, S>>) -> Self {
        Until { labeller, ..self }
    }

    /// The rule that replaces the part's own, if there is one.
    pub fn stop(&self) -> Option<&'a dyn Stop> {
        self.stop
    }

    /// The loop of a part over this many groups. The part's `own` rule is used if there is no
    /// other.
    pub fn iteration<'b>(
        &'b self,
        component: &'b str,
        size: usize,
        own: &'b dyn Stop,
        limit: usize,
    ) -> Iteration<'b, S> {
        let stop = self.stop.unwrap_or(own);
        Iteration::new(component, size, stop, limit).with_labeller(self.labeller)
    }
}

/// The settings of a loop.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Iteration<'a, S> {
    component: &'a str,
    size: usize,
    stop: &'a dyn Stop,
    limit: usize,
    labeller: Option<&'a Labeller<'a, S>>,
}

impl<'a, S: Real> Iteration<'a, S> {
    /// A loop of this part over this many groups, ended by the rule or after `limit` iterations.
    pub fn new(component: &'a str, size: usize, stop: &'a dyn Stop, limit: usize) -> Self {
        Iteration { component, size, stop, limit, labeller: None }
    }

    /// The same with a function that computes labels, for rules and observers that read them.
    pub fn with_labeller(self, labeller: Option<&'a Labeller<'a, S>>) -> Self {
        Iteration { labeller, ..self }
    }

    /// Iterates until the rule is met, the limit is reached, the observer returns `Break`, the
    /// cancel flag is set or the part itself ends the iteration. The observer is notified of each
    /// iteration.
    ///
    /// `step` performs the iteration with the given number and records at least those quantities
    /// that are needed and that the part provides. Number and time are filled in here. `current`
    /// returns the current similarity; it is called only if a rule or an observer reads it. A
    /// rule that is met in the last iteration takes precedence over the limit.
    ///
    /// ```
    /// use enclust_core::{
    ///     Ctx, Error, Iteration, ObjectiveChange, Quantities, Record, Status,
    /// };
    ///
    /// let mut value = 1.0;
    /// let stop = ObjectiveChange::default().tolerance(0.1);
    /// let report = Iteration::<f64>::new("halving", 1, &stop, 100).run(
    ///     &Ctx::default(),
    ///     &mut value,
    ///     |value, _, _| {
    ///         *value /= 2.0;
    ///         Ok(Record::default().with_objective(1.0 + *value))
    ///     },
    ///     |_| Err(Error::unsupported("halving", "a similarity")),
    /// )?;
    /// assert_eq!((report.status, report.iterations), (Status::Converged, 4));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of `step`, `current` and the rule.
    pub fn run<X>(
        &self,
        ctx: &Ctx<'_, S>,
        x: &mut X,
        mut step: impl FnMut(&mut X, usize, Quantities) -> Result<Record>,
        mut current: impl FnMut(&mut X) -> Result<Similarity<S>>,
    ) -> Result<Report> {
        let (began, watch) = (Instant::now(), ctx.watch());
        let needs = self.stop.needs().and(watch.needs());
        let mut check = self.stop.start();
        let Iteration { component, size, limit, .. } = *self;
        let target = self.stop.target();
        // If the flag is already set, the loop ends after its first iteration.
        let _ = watch.notice(&Event::Start { component, size, target, limit });
        for iteration in 1.. {
            let measured = step(x, iteration, needs)?;
            let record = Record { iteration, elapsed: began.elapsed(), ..measured };
            let standing = Standing {
                current: RefCell::new(|| current(&mut *x)),
                similarity: OnceCell::new(),
                labeller: self.labeller,
            };
            let status = match noticed(&watch, &record, &standing) {
                ControlFlow::Break(()) => Some(Status::Cancelled),
                ControlFlow::Continue(()) => check.check(&record, &standing)?,
            };
            let limit = (iteration >= self.limit).then_some(Status::IterationLimit);
            if let Some(status) = status.or(record.end).or(limit) {
                let report = Report::new(component, status).with_last(record);
                let _ = watch.notice(&Event::End(&report));
                return Ok(report);
            }
        }
        unreachable!("an iteration ends at its limit")
    }
}

fn noticed(watch: &Watch<'_>, record: &Record, state: &dyn State) -> ControlFlow<()> {
    watch.notice(&Event::Iteration { record, state })
}

/// The state of a loop between two iterations.
struct Standing<'a, S, F> {
    current: RefCell<F>,
    similarity: OnceCell<Similarity<S>>,
    labeller: Option<&'a Labeller<'a, S>>,
}

impl<S: Real, F: FnMut() -> Result<Similarity<S>>> Standing<'_, S, F> {
    fn own(&self) -> Result<&Similarity<S>> {
        if let Some(known) = self.similarity.get() {
            return Ok(known);
        }
        let similarity = (self.current.borrow_mut())()?;
        Ok(self.similarity.get_or_init(|| similarity))
    }
}

impl<S: Real, F: FnMut() -> Result<Similarity<S>>> State for Standing<'_, S, F> {
    fn similarity(&self) -> Result<Similarity<f64>> {
        Ok(self.own()?.in_precision())
    }

    fn labels(&self) -> Result<Partition> {
        match self.labeller {
            Some(labeller) => labeller(self.own()?),
            None => NoState.labels(),
        }
    }
}
