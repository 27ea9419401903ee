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

/// The services of a run: backend, seed, threads, memory, and who watches.
///
/// A context holds nothing of the data and nothing of the answer. It is small and can be copied,
/// and threads of one run share it.
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
    /// A context with this backend, seed 0, the threads of the caller, and the memory that the
    /// machine has available.
    pub fn new(backend: &'a dyn Backend<S>) -> Self {
        Ctx { backend, watch: Watch::default(), seed: 0, threads: 0, memory: None }
    }

    /// The same with another backend.
    pub fn with_backend(self, backend: &'a dyn Backend<S>) -> Self {
        Ctx { backend, ..self }
    }

    /// The same with another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Ctx { seed, ..self }
    }

    /// The same with this many threads; 0 stands for those of the caller. The answer does not
    /// depend on it.
    pub fn with_threads(self, threads: usize) -> Self {
        Ctx { threads, ..self }
    }

    /// The same with a limit of so many bytes, the input excluded, in place of what the machine
    /// has available when the run begins. A run that would need more is refused with
    /// [`Error::Memory`]; `u64::MAX` refuses none.
    pub fn with_memory(self, bytes: u64) -> Self {
        Ctx { memory: Some(Bytes(bytes)), ..self }
    }

    /// The same with this observer.
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Ctx { watch: self.watch.with_observer(observer), ..self }
    }

    /// The same with a flag that ends the run when it becomes true.
    pub fn with_cancel(self, cancel: &'a AtomicBool) -> Self {
        Ctx { watch: self.watch.with_cancel(cancel), ..self }
    }

    /// The same with this watch in place of its own.
    pub fn with_watch(self, watch: Watch<'a>) -> Self {
        Ctx { watch, ..self }
    }

    /// The linear algebra.
    pub fn backend(&self) -> &'a dyn Backend<S> {
        self.backend
    }

    /// The same services in double precision: the [kernels](Backend::in_double) of the same
    /// library, for parts that compute in it whatever the precision of the run.
    pub fn in_double(&self) -> Ctx<'a, f64> {
        let Ctx { backend, watch, seed, threads, memory } = *self;
        Ctx { backend: backend.in_double(), watch, seed, threads, memory }
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of threads; those of the pool that the caller is in if none is set.
    pub fn threads(&self) -> usize {
        if self.threads == 0 { rayon::current_num_threads() } else { self.threads }
    }

    /// The observer and the cancel flag.
    pub fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// Says how much of `what` is done; see [`Watch::progress`].
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the run is to end.
    pub fn progress(&self, what: &'static str, done: u64, total: u64) -> Result<()> {
        self.watch.progress(what, done, total)
    }

    /// Looks at the cancel flag; see [`Watch::checkpoint`].
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the flag is up.
    pub fn checkpoint(&self, what: &'static str) -> Result<()> {
        self.watch.checkpoint(what)
    }

    /// How many bytes may still be taken: the limit, or what the machine has available now;
    /// `None` where neither is known.
    pub fn memory(&self) -> Option<Bytes> {
        self.memory.or_else(memory::available)
    }

    /// The same for a stage that runs while earlier ones hold so many bytes of the limit. What
    /// the machine has available shows by itself.
    pub(crate) fn holding(&self, bytes: Bytes) -> Self {
        Ctx { memory: self.memory.map(|limit| limit - bytes), ..*self }
    }

    /// Checks that a part may take so many bytes, for a part that learns only during its work
    /// what it needs.
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
    /// [`Error::Memory`] if it may not.
    pub fn require(&self, place: &str, needed: Bytes, size: &str, advice: &str) -> Result<()> {
        memory::require(place, needed, self.memory(), size, advice)
    }

    /// The product of two matrices by the backend of the run.
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
    /// [`Error::Size`] unless the second matrix has as many rows as the first one has columns.
    pub fn product(&self, a: MatRef<'_, S>, b: MatRef<'_, S>) -> Result<Mat<S>> {
        Error::check_size("rows of the right factor", a.cols(), b.rows())?;
        let mut product = Mat::zeros(a.rows(), b.cols());
        self.backend.gemm(S::one(), a, b, S::zero(), product.view_mut());
        Ok(product)
    }

    /// Runs `work` in a pool of [`threads`](Self::threads) threads.
    ///
    /// # Errors
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
