//! The loop of a learner, as observers see it.

use std::ops::ControlFlow;
use std::time::Instant;

use enclust_core::{Ctx, Real, Record, Report, Status};

/// Counts iterations, tells the observer of each and leaves a report.
pub(crate) struct Iteration<'c, 'a, S> {
    ctx: &'c mut Ctx<'a, S>,
    component: String,
    began: Instant,
    record: Record,
}

impl<'c, 'a, S: Real> Iteration<'c, 'a, S> {
    /// Begins.
    pub fn new(component: &str, size: usize, ctx: &'c mut Ctx<'a, S>) -> Self {
        ctx.start(component, size);
        let (began, record) = (Instant::now(), Record::default());
        Iteration { ctx, component: component.to_string(), began, record }
    }

    /// One more is made; `Break` if it shall be the last.
    pub fn made(&mut self) -> ControlFlow<()> {
        self.record.iteration += 1;
        self.record.elapsed = self.began.elapsed();
        self.ctx.iteration(&self.record)
    }

    /// Ends, and reports.
    pub fn end(self, status: Status) {
        let iterations = self.record.iteration;
        let (component, last) = (self.component, Some(self.record));
        let report = Report { component, status, iterations, last, certificate: None };
        self.ctx.end(&report);
        self.ctx.learned(report);
    }
}
