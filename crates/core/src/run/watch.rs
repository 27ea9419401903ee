//! Observing and cancelling a run.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::run::iterate::State;
use crate::run::quantities::Quantities;
use crate::run::report::{Record, Report};
use crate::stages::stage::Stage;
use crate::stages::stop::Target;

/// An event during a run.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage begins.
    Stage(Stage),
    /// Part of the work of a stage is done.
    Progress {
        /// Units done.
        done: u64,
        /// Total number of units.
        total: u64,
    },
    /// One of many pieces of work is done; the text is its name, for example of a run in a study.
    Done(&'a str),
    /// An iterative part begins.
    Start {
        /// The part that iterates.
        component: &'a str,
        /// Number of groups.
        size: usize,
        /// The numbers at which its stopping rule is met.
        target: Target,
        /// The last iteration if the rule is not met before.
        limit: usize,
    },
    /// An iteration is done.
    Iteration {
        /// The record of the iteration.
        record: &'a Record,
        /// The state of the iteration, for observers that [need](Observer::needs) it.
        state: &'a dyn State,
    },
    /// The iterative part has ended.
    End(&'a Report),
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Stage(stage) => write!(f, "Stage({stage})"),
            Event::Progress { done, total } => write!(f, "Progress({done} of {total})"),
            Event::Done(what) => write!(f, "Done({what})"),
            Event::Start { component, .. } => write!(f, "Start({component})"),
            Event::Iteration { record, .. } => write!(f, "Iteration({})", record.iteration),
            Event::End(report) => write!(f, "End({})", report.status),
        }
    }
}

/// Observes a run and may stop it. Events may come from several threads, also at the same time,
/// so an observer must keep its state behind a lock or in atomics.
///
/// A closure that takes an [`Event`] is an observer:
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use enclust_core::{Ctx, Event, Observer};
///
/// let iterations = AtomicUsize::new(0);
/// let count = |event: &Event<'_>| {
///     if let Event::Iteration { record, .. } = event {
///         iterations.store(record.iteration, Ordering::Relaxed);
///     }
///     ControlFlow::Continue(())
/// };
/// let ctx = Ctx::<f64>::default().with_observer(&count);
/// ```
pub trait Observer: Sync {
    /// The quantities of each iteration that it reads, in addition to those of the stopping rule.
    fn needs(&self) -> Quantities {
        Quantities::NONE
    }

    /// Called for every event. `Break` after an iteration ends that iteration with the status
    /// [`Cancelled`](crate::Status::Cancelled); at a stage or at progress it ends the run with
    /// [`Error::Cancelled`]. It has no effect at the start and the end of an iterative part. Once
    /// the cancel flag is set, the observer is not called.
    fn notice(&self, event: &Event<'_>) -> ControlFlow<()>;
}

impl<F: Fn(&Event<'_>) -> ControlFlow<()> + Sync> Observer for F {
    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// The observer of a run and the flag that cancels it. Every long loop of the library reports its
/// [progress](Watch::progress) here and ends when requested.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use enclust_core::Watch;
///
/// let cancel = AtomicBool::new(false);
/// let watch = Watch::default().with_cancel(&cancel);
/// assert!(watch.progress("reading", 1, 10).is_ok());
/// cancel.store(true, Ordering::Relaxed);
/// let error = watch.progress("reading", 2, 10).unwrap_err();
/// assert_eq!(error.to_string(), "reading was stopped after 2 of 10");
/// ```
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    observer: Option<&'a dyn Observer>,
    cancel: Option<&'a AtomicBool>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (observed, cancellable) = (self.observer.is_some(), self.cancel.is_some());
        write!(f, "Watch {{ observed: {observed}, cancellable: {cancellable} }}")
    }
}

impl<'a> Watch<'a> {
    /// The same with this observer.
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Watch { observer: Some(observer), ..self }
    }

    /// The same with a flag that ends the run when it becomes true.
    pub fn with_cancel(self, cancel: &'a AtomicBool) -> Self {
        Watch { cancel: Some(cancel), ..self }
    }

    /// The same without the observer, for work inside an iteration that is itself reported.
    pub fn quiet(self) -> Self {
        Watch { observer: None, ..self }
    }

    /// The quantities of each iteration that the observer needs.
    pub fn needs(&self) -> Quantities {
        self.observer.map_or(Quantities::NONE, |observer| observer.needs())
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Notifies the observer of an event; `Break` if the observer or the flag ends the run.
    pub fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        if self.is_cancelled() {
            return ControlFlow::Break(());
        }
        self.observer.map_or(ControlFlow::Continue(()), |observer| observer.notice(event))
    }

    /// Reports how much of `what` is done.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the run is to end. The caller returns immediately.
    pub fn progress(&self, what: &'static str, done: u64, total: u64) -> Result<()> {
        match self.notice(&Event::Progress { done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled { what, done, total }),
        }
    }

    /// Checks the flag without notifying the observer, for loops of unknown length and for code
    /// that runs on several threads at once.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the flag is set.
    pub fn checkpoint(&self, what: &'static str) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::Cancelled { what, done: 0, total: 0 });
        }
        Ok(())
    }

    /// Reports that a stage begins.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the run is to end.
    pub fn begin(&self, stage: Stage) -> Result<()> {
        match self.notice(&Event::Stage(stage)) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                Err(Error::Cancelled { what: stage.noun(), done: 0, total: 0 })
            }
        }
    }
}

/// An observer that keeps every record.
///
/// ```
/// use enclust_core::{Ctx, History, Quantities};
///
/// let history = History::of(Quantities::OBJECTIVE);
/// let ctx = Ctx::<f64>::default().with_observer(&history);
/// // … after a run with this context, which may still be in use:
/// assert!(history.records().is_empty());
/// ```
#[derive(Debug, Default)]
pub struct History {
    records: Mutex<Vec<Record>>,
    needs: Quantities,
}

impl History {
    /// A history that requests these quantities.
    pub fn of(needs: Quantities) -> Self {
        History { records: Mutex::default(), needs }
    }

    /// The records so far, in order.
    pub fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for History {
    fn needs(&self) -> Quantities {
        self.needs
    }

    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        if let Event::Iteration { record, .. } = event {
            let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
            records.push((*record).clone());
        }
        ControlFlow::Continue(())
    }
}
