//! The services of a run.

use std::fmt;
use std::sync::atomic::AtomicBool;

use crate::error::{Error, Result};
use crate::memory::{self, Bytes};
use crate::numbers::matrix::{Mat, MatRef};
use crate::numbers::real::Real;
use crate::reference::Reference;
use crate::run::watch::{Observer, Watch};
use crate::stages::backend::Backend;

/// The services of a run: backend, seed, threads, memory, observer and cancel flag.
///
/// A context contains neither data nor results. It is small and `Copy`, and the threads of a run
/// share it.
///
/// ```
/// use enclust_core::{Ctx, Reference};
///
/// let ctx: Ctx<'_, f64> = Ctx::new(&Reference).with_seed(7).with_threads(2);
/// assert_eq!((ctx.seed(), ctx.threads()), (7, 2));
/// ```
pub struct Ctx<'a, S> {
    backend: &'a dyn Backend<S>,
    watch: Watch<'a>,
    seed: u64,
    threads: usize,
    memory: Option<Bytes>,
}

impl<S> Clone for Ctx<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Ctx<'_, S> {}

impl<S> fmt::Debug for Ctx<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .field("memory", &self.memory)
            .field("watch", &self.watch)
            .finish_non_exhaustive()
    }
}

impl<S: Real> Default for Ctx<'_, S> {
    fn default() -> Self {
        Ctx::new(&Reference)
    }
}

impl<'a, S: Real> Ctx<'a, S> {
    /// A context with this backend, seed 0, the threads of the caller, and the available memory
    /// of the machine as its limit.
    pub fn new(backend: &'a dyn Backend<S>) -> Self {
        Ctx { backend, watch: Watch::default(), seed: 0, threads: 0, memory: None }
    }

    /// The same context with another backend.
    pub fn with_backend(self, backend: &'a dyn Backend<S>) -> Self {
        Ctx { backend, ..self }
    }

    /// The same context with another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Ctx { seed, ..self }
    }

    /// The same context with this many threads; 0 means the threads of the caller. The result
    /// does not depend on the number of threads.
    pub fn with_threads(self, threads: usize) -> Self {
        Ctx { threads, ..self }
    }

    /// The same context with a memory limit in bytes, without the input. It replaces the default
    /// limit, which is the memory available when the run begins. A run that would need more
    /// returns [`Error::Memory`]; `u64::MAX` means no limit.
    pub fn with_memory(self, bytes: u64) -> Self {
        Ctx { memory: Some(Bytes(bytes)), ..self }
    }

    /// The same context with this observer.
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Ctx { watch: self.watch.with_observer(observer), ..self }
    }

    /// The same context with a flag that ends the run when it becomes true.
    pub fn with_cancel(self, cancel: &'a AtomicBool) -> Self {
        Ctx { watch: self.watch.with_cancel(cancel), ..self }
    }

    /// The same context with this watch, which replaces its own.
    pub fn with_watch(self, watch: Watch<'a>) -> Self {
        Ctx { watch, ..self }
    }

    /// The linear-algebra backend.
    pub fn backend(&self) -> &'a dyn Backend<S> {
        self.backend
    }

    /// The same context in double precision, with the [kernels](Backend::in_double) of the same
    /// library, for parts that compute in double precision independent of the precision of the
    /// run.
    pub fn in_double(&self) -> Ctx<'a, f64> {
        let Ctx { backend, watch, seed, threads, memory } = *self;
        Ctx { backend: backend.in_double(), watch, seed, threads, memory }
    }

    /// The seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of threads; if none is set, that of the caller's thread pool.
    pub fn threads(&self) -> usize {
        if self.threads == 0 { rayon::current_num_threads() } else { self.threads }
    }

    /// The observer and the cancel flag.
    pub fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// Reports how much of `what` is done; see [`Watch::progress`].
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the run is to end.
    pub fn progress(&self, what: &'static str, done: u64, total: u64) -> Result<()> {
        self.watch.progress(what, done, total)
    }

    /// Checks the cancel flag; see [`Watch::checkpoint`].
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if the flag is set.
    pub fn checkpoint(&self, what: &'static str) -> Result<()> {
        self.watch.checkpoint(what)
    }

    /// The memory that may still be allocated: the limit, or the memory of the machine that is
    /// available now; `None` if neither is known.
    pub fn memory(&self) -> Option<Bytes> {
        self.memory.or_else(memory::available)
    }

    /// The context of a stage that runs while earlier stages hold this many bytes of the limit.
    /// The available memory of the machine already accounts for them.
    pub(crate) fn holding(&self, bytes: Bytes) -> Self {
        Ctx { memory: self.memory.map(|limit| limit - bytes), ..*self }
    }

    /// Checks that a part may allocate this many bytes, for a part that knows its need only
    /// during its work.
    ///
    /// ```
    /// use enclust_core::{Bytes, Ctx, Stage};
    ///
    /// let ctx = Ctx::<f64>::default().with_memory(1000);
    /// let place = Stage::Ca.of("mine");
    /// let ask = |bytes| ctx.require(&place, Bytes(bytes), "100 rows", "take fewer rows");
    /// assert!(ask(1000).is_ok());
    /// assert!(ask(1001).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if it may not.
    pub fn require(&self, place: &str, needed: Bytes, size: &str, advice: &str) -> Result<()> {
        memory::require(place, needed, self.memory(), size, advice)
    }

    /// The product of two matrices, computed by the backend of the run.
    ///
    /// ```
    /// use enclust_core::{Ctx, Mat};
    ///
    /// let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
    /// let square = Ctx::default().product(a.view(), a.view())?;
    /// assert_eq!(square.data(), &[2.0, 6.0, 3.0, 11.0]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the number of rows of the second matrix is not the number of columns of
    /// the first.
    pub fn product(&self, a: MatRef<'_, S>, b: MatRef<'_, S>) -> Result<Mat<S>> {
        Error::check_size("rows of the right factor", a.cols(), b.rows())?;
        let mut product = Mat::zeros(a.rows(), b.cols());
        self.backend.gemm(S::one(), a, b, S::zero(), product.view_mut());
        Ok(product)
    }

    /// Runs `work` in a thread pool with [`threads`](Self::threads) threads.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] if the threads cannot be started.
    pub fn install<T: Send>(&self, work: impl FnOnce(&Self) -> T + Send) -> Result<T> {
        let threads = self.threads();
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
