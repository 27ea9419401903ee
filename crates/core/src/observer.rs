//! The seam of those who watch.

use std::ops::ControlFlow;

use crate::convergence::Needs;
use crate::report::{Record, Report};

/// Watches an iteration, and may stop it.
///
/// ```
/// use std::ops::ControlFlow;
/// use enclust_core::{Observer, Record};
///
/// /// Counts iterations and stops at the third.
/// struct Three(usize);
/// impl Observer for Three {
///     fn on_iteration(&mut self, record: &Record) -> ControlFlow<()> {
///         self.0 = record.iteration;
///         if self.0 < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
///     }
/// }
/// ```
pub trait Observer: Send {
    /// What it wants to see in the records, beyond what the stopping rule reads.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// A stage of a pipeline begins: "represent", "confidence", "enhance", "consensus".
    fn on_stage(&mut self, _stage: &'static str) {}

    /// So much of a stage's work is done, in units of its own.
    fn on_progress(&mut self, _done: u64, _total: u64) {}

    /// An iteration begins; `size` is the number of groups it works on.
    fn on_start(&mut self, _component: &str, _size: usize) {}

    /// One iteration is done; `Break` ends the run as cancelled.
    fn on_iteration(&mut self, record: &Record) -> ControlFlow<()>;

    /// The iteration has ended.
    fn on_end(&mut self, _report: &Report) {}
}

/// Keeps every record.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The records, in order.
    pub records: Vec<Record>,
    /// What to ask for.
    pub needs: Needs,
}

impl Observer for History {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn on_iteration(&mut self, record: &Record) -> ControlFlow<()> {
        self.records.push(record.clone());
        ControlFlow::Continue(())
    }
}
