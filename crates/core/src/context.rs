//! What a run is given besides its data.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::Backend;
use crate::convergence::Needs;
use crate::error::{Error, Result};
use crate::memory::{self, Bytes};
use crate::observer::Observer;
use crate::real::Real;
use crate::reference::Reference;
use crate::report::{Record, Report};

/// The surroundings of a run: backend, observer, seed, threads, memory, cancel flag.
///
/// ```
/// use enclust_core::{Ctx, Reference};
///
/// let ctx: Ctx<'_, f64> = Ctx::new(&Reference).with_seed(7).with_threads(2);
/// assert_eq!(ctx.seed, 7);
/// ```
pub struct Ctx<'a, S> {
    /// Dense linear algebra.
    pub backend: &'a dyn Backend<S>,
    /// Seed of everything random.
    pub seed: u64,
    /// Number of threads; 0 for the pool the caller is in.
    pub threads: usize,
    /// The number of clusters that a fit is for, where it is for one.
    pub clusters: Option<usize>,
    observer: Option<&'a mut dyn Observer>,
    cancel: Option<&'a AtomicBool>,
    memory: Option<Bytes>,
    held: Bytes,
    learning: Option<Report>,
}

impl<S> fmt::Debug for Ctx<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl<S: Real> Default for Ctx<'_, S> {
    fn default() -> Self {
        Ctx::new(&Reference)
    }
}

impl<'a, S: Real> Ctx<'a, S> {
    /// With this backend, seed 0, the caller's threads, the memory the machine has,
    /// and nobody watching.
    pub fn new(backend: &'a dyn Backend<S>) -> Self {
        Ctx {
            backend,
            seed: 0,
            threads: 0,
            clusters: None,
            observer: None,
            cancel: None,
            memory: None,
            held: Bytes(0),
            learning: None,
        }
    }

    /// Another seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many threads those are: where none are set, the ones of the pool the caller is in.
    pub fn thread_count(&self) -> usize {
        if self.threads == 0 { rayon::current_num_threads() } else { self.threads }
    }

    /// This many threads. The answer does not depend on it.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// A fit for k clusters. Representations that
    /// [learn for one k](crate::Represent::reads_k) need it; [`Method::run`](crate::Method::run) sets it.
    pub fn with_clusters(mut self, k: usize) -> Self {
        self.clusters = Some(k);
        self
    }

    /// The number of clusters the fit is for, or the error of a component that cannot do
    /// without.
    pub fn clusters_for(&self, component: &str) -> Result<usize> {
        self.clusters.ok_or_else(|| Error::NeedsClusters { component: component.to_string() })
    }

    /// Someone to watch.
    pub fn with_observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// A flag that ends iterations when it becomes true.
    pub fn with_cancel(mut self, cancel: &'a AtomicBool) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// At most so many bytes besides the input, in place of what the machine has
    /// available when the run begins. A run that would need more is refused with
    /// [`Error::Memory`]; `u64::MAX` refuses none.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(Bytes(bytes));
        self
    }

    /// How much may still be taken: the limit less what earlier stages hold, or what
    /// the machine has available now; nothing where neither is known.
    pub fn memory(&self) -> Option<Bytes> {
        match self.memory {
            Some(limit) => Some(limit - self.held),
            None => memory::available(),
        }
    }

    /// Says how much of the limit earlier stages hold.
    pub(crate) fn hold(&mut self, bytes: Bytes) {
        self.held = bytes;
    }

    /// [`Error::Memory`] unless so much may be taken. For a part that learns only on
    /// its way what it needs, before it takes it.
    ///
    /// ```
    /// use enclust_core::{Bytes, Ctx};
    ///
    /// let ctx = Ctx::<f64>::default().with_memory(1000);
    /// assert!(ctx.require("a table", Bytes(1000), "100 rows", "take fewer rows").is_ok());
    /// assert!(ctx.require("a table", Bytes(1001), "100 rows", "take fewer rows").is_err());
    /// ```
    pub fn require(&self, stage: &str, needed: Bytes, size: &str, advice: &str) -> Result<()> {
        memory::require(stage, needed, self.memory(), size, advice)
    }

    /// What the observer wants to see.
    pub fn observer_needs(&self) -> Needs {
        self.observer.as_ref().map_or(Needs::default(), |o| o.needs())
    }

    /// Tells the observer that a stage begins.
    pub fn stage(&mut self, stage: &'static str) {
        if let Some(o) = self.observer.as_mut() {
            o.on_stage(stage);
        }
    }

    /// Tells the observer how much of the stage's work is done.
    pub fn progress(&mut self, done: u64, total: u64) {
        if let Some(o) = self.observer.as_mut() {
            o.on_progress(done, total);
        }
    }

    /// Says how the iteration of a representation went; [`Fit::learning`](crate::Fit::learning)
    /// will hold it.
    pub fn learned(&mut self, report: Report) {
        self.learning = Some(report);
    }

    pub(crate) fn take_learned(&mut self) -> Option<Report> {
        self.learning.take()
    }

    /// Tells the observer that an iteration begins.
    pub fn start(&mut self, component: &str, size: usize) {
        if let Some(o) = self.observer.as_mut() {
            o.on_start(component, size);
        }
    }

    /// Tells the observer of an iteration; `Break` if it or the cancel flag says
    /// stop.
    pub fn iteration(&mut self, record: &Record) -> ControlFlow<()> {
        if self.cancel.is_some_and(|c| c.load(Ordering::Relaxed)) {
            return ControlFlow::Break(());
        }
        match self.observer.as_mut() {
            Some(o) => o.on_iteration(record),
            None => ControlFlow::Continue(()),
        }
    }

    /// Tells the observer that the iteration has ended.
    pub fn end(&mut self, report: &Report) {
        if let Some(o) = self.observer.as_mut() {
            o.on_end(report);
        }
    }

    /// Runs `work` in a pool of [`threads`](Self::threads) threads.
    pub fn install<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> Result<T> {
        let threads = self.thread_count();
        if threads == rayon::current_num_threads() {
            return Ok(work(self));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
        Ok(pool.install(|| work(self)))
    }
}
