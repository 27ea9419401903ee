//! The loop of parts that iterate.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::context::Ctx;
use crate::convergence::{Convergence, Needs};
use crate::error::Result;
use crate::real::Real;
use crate::report::{Record, Report, Status};

/// Makes iterations until the rule says stop, the limit is reached, the observer
/// breaks off, the cancel flag is raised or the step is exhausted; tells the observer of each.
///
/// `step` is told the number of the iteration, makes it and records it: at least what the [`Needs`] ask for
/// and it can give. The iteration number and the time are filled in here. A rule
/// met in the last iteration outranks the limit.
///
/// ```
/// use enclust_core::{Check, Component, Convergence, Ctx, Needs, Record, Status, iterate};
///
/// #[derive(Debug)]
/// struct Small;
/// impl Component for Small {
///     fn name(&self) -> &str { "small" }
/// }
/// impl Convergence for Small {
///     fn needs(&self) -> Needs { Needs { objective: true, ..Needs::default() } }
///     fn start(&self) -> Box<dyn Check> { Box::new(Small) }
/// }
/// impl Check for Small {
///     fn check(&mut self, r: &Record) -> Option<Status> {
///         r.objective.filter(|v| *v < 0.1).map(|_| Status::Converged)
///     }
/// }
///
/// let mut value = 1.0;
/// let report = iterate("halving", 1, &Small, 100, &mut Ctx::<f64>::default(), |_, _, _| {
///     value /= 2.0;
///     Ok(Record { objective: Some(value), ..Record::default() })
/// })?;
/// assert_eq!((report.status, report.iterations), (Status::Converged, 4));
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn iterate<S: Real>(
    component: &str,
    size: usize,
    stop: &dyn Convergence,
    limit: usize,
    ctx: &mut Ctx<'_, S>,
    mut step: impl FnMut(&mut Ctx<'_, S>, usize, Needs) -> Result<Record>,
) -> Result<Report> {
    let began = Instant::now();
    let needs = stop.needs().and(ctx.observer_needs());
    let mut check = stop.start();
    let mut iteration = 0;
    ctx.start(component, size);
    loop {
        iteration += 1;
        let measured = step(ctx, iteration, needs)?;
        let record = Record { iteration, elapsed: began.elapsed(), ..measured };
        let exhausted = record.exhausted.then_some(Status::PrecisionLimit);
        let at_limit = exhausted.or((iteration >= limit).then_some(Status::IterationLimit));
        let status = match ctx.iteration(&record) {
            ControlFlow::Break(()) => Some(Status::Cancelled),
            ControlFlow::Continue(()) => check.check(&record).or(at_limit),
        };
        if let Some(status) = status {
            let component = component.to_string();
            let last = Some(record);
            let report =
                Report { component, status, iterations: iteration, last, certificate: None };
            ctx.end(&report);
            return Ok(report);
        }
    }
}
