//! A backend that counts the calls of its kernels.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::numbers::csr::Csr;
use crate::numbers::matrix::{MatMut, MatRef};
use crate::numbers::real::Real;
use crate::stages::backend::{
    Backend, Eigen, Kernel, ShiftedFactor, SparseProduct, SparseSolve, SpdSolve,
};
use crate::stages::component::Component;

/// Counts the calls of each kernel of a backend and passes them on unchanged.
///
/// Kernels in single or double precision that parts request are counted together with those of
/// the run's own precision.
///
/// ```
/// use enclust_core::{Backend, Kernel, Mat, Metered, Reference};
///
/// let metered = Metered::<f64>::new(&Reference);
/// let (a, mut c) = (Mat::identity(3), Mat::zeros(3, 3));
/// metered.gemm(1.0, a.view(), a.view(), 0.0, c.view_mut());
/// assert_eq!(metered.usage().calls(Kernel::Product), 1);
/// assert_eq!(metered.usage().to_string(), "product by enclust: 1 call");
/// ```
#[derive(Debug)]
pub struct Metered<'a, S> {
    inner: &'a dyn Backend<S>,
    counts: Arc<Counts>,
    single: OnceLock<Box<Metered<'a, f32>>>,
    double: OnceLock<Box<Metered<'a, f64>>>,
}

/// The calls of each kernel: those that prepare an object, and those that use it.
#[derive(Debug, Default)]
struct Counts {
    calls: [AtomicU64; Kernel::ALL.len()],
    solves: [AtomicU64; Kernel::ALL.len()],
}

impl Counts {
    fn call(&self, kernel: Kernel) {
        self.calls[kernel as usize].fetch_add(1, Ordering::Relaxed);
    }

    fn solve(&self, kernel: Kernel) {
        self.solves[kernel as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// How often the kernels of a backend were called, and which library they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The kernels that were called, in the order of [`Kernel::ALL`].
    pub kernels: Vec<KernelUsage>,
    /// Whether the backend had no part in the run: no kernel was called, or only kernels of
    /// enclust although the backend has others.
    pub backend_is_idle: bool,
}

/// How often one kernel was called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct KernelUsage {
    /// The kernel.
    pub kernel: Kernel,
    /// The library that it comes from: the backend, or `enclust`.
    pub library: String,
    /// The number of products or decompositions; for a factor, the number of panels it solved.
    pub calls: u64,
    /// The number of matrices that were factored or prepared; 0 for kernels that do neither.
    pub prepared: u64,
}

impl Usage {
    /// How often a kernel was called: products, decompositions, or panels solved.
    pub fn calls(&self, kernel: Kernel) -> u64 {
        self.kernels.iter().find(|used| used.kernel == kernel).map_or(0, |used| used.calls)
    }

    /// How many matrices a kernel factored or prepared for products.
    pub fn prepared(&self, kernel: Kernel) -> u64 {
        self.kernels.iter().find(|used| used.kernel == kernel).map_or(0, |used| used.prepared)
    }
}

impl fmt::Display for KernelUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelUsage { kernel, library, calls, .. } = self;
        let noun = if *calls == 1 { "call" } else { "calls" };
        write!(f, "{kernel} by {library}: {calls} {noun}")
    }
}

/// One phrase per kernel.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrases: Vec<String> = self.kernels.iter().map(KernelUsage::to_string).collect();
        f.write_str(&phrases.join(", "))
    }
}

impl<'a, S: Real> Metered<'a, S> {
    /// A counter for this backend that starts at zero.
    pub fn new(inner: &'a dyn Backend<S>) -> Self {
        Self::sharing(inner, Arc::default())
    }

    fn sharing(inner: &'a dyn Backend<S>, counts: Arc<Counts>) -> Self {
        Metered { inner, counts, single: OnceLock::new(), double: OnceLock::new() }
    }

    /// The counts so far.
    pub fn usage(&self) -> Usage {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let used = |kernel: Kernel| {
            let called = read(&self.counts.calls[kernel as usize]);
            let solved = read(&self.counts.solves[kernel as usize]);
            let prepares = !matches!(kernel, Kernel::Product | Kernel::Eigen);
            let (calls, prepared) = if prepares { (solved, called) } else { (called, 0) };
            let library = self.inner.library(kernel).to_string();
            (called > 0).then_some(KernelUsage { kernel, library, calls, prepared })
        };
        let kernels: Vec<KernelUsage> = Kernel::ALL.into_iter().filter_map(used).collect();
        let is_own = |library: &str| library == self.inner.name();
        let has_own = Kernel::ALL.into_iter().any(|kernel| is_own(self.inner.library(kernel)));
        let used_own = kernels.iter().any(|used| is_own(&used.library));
        Usage { backend_is_idle: kernels.is_empty() || has_own && !used_own, kernels }
    }
}

impl<S: Real> Component for Metered<'_, S> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn check(&self) -> Result<()> {
        self.inner.check()
    }
}

#[deny(clippy::missing_trait_methods)]
impl<S: Real> Backend<S> for Metered<'_, S> {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, c: MatMut<'_, S>) {
        self.counts.call(Kernel::Product);
        self.inner.gemm(alpha, a, b, beta, c);
    }

    fn factor_spd(&self, a: MatRef<'_, S>) -> Result<Box<dyn SpdSolve<S>>> {
        let inner = self.inner.factor_spd(a)?;
        Ok(Box::new(self.counted(Kernel::Factor, inner)))
    }

    fn eigh(&self, a: MatRef<'_, S>) -> Result<Eigen<S>> {
        self.counts.call(Kernel::Eigen);
        self.inner.eigh(a)
    }

    fn sparse(&self, a: Csr<S>) -> Box<dyn SparseProduct<S>> {
        Box::new(self.counted(Kernel::SparseProduct, self.inner.sparse(a)))
    }

    fn factor_sparse(&self, a: &Csr<S>, most: usize) -> Result<Option<Box<dyn SparseSolve<S>>>> {
        let factor = self.inner.factor_sparse(a, most)?;
        Ok(factor.map(|inner| {
            Box::new(self.counted(Kernel::SparseFactor, inner)) as Box<dyn SparseSolve<S>>
        }))
    }

    fn shifted(&self, a: &Csr<f64>, most: usize) -> Result<Option<Box<dyn ShiftedFactor<S>>>> {
        let counted = |inner| {
            let counts = Arc::clone(&self.counts);
            Box::new(Counted { inner, kernel: Kernel::SparseFactor, counts })
                as Box<dyn ShiftedFactor<S>>
        };
        Ok(self.inner.shifted(a, most)?.map(counted))
    }

    fn factor_incomplete(&self, a: &Csr<f64>) -> Result<Box<dyn SparseSolve<S>>> {
        let inner = self.inner.factor_incomplete(a)?;
        Ok(Box::new(self.counted(Kernel::IncompleteFactor, inner)))
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        let counted = || Metered::sharing(self.inner.in_single(), Arc::clone(&self.counts));
        &**self.single.get_or_init(|| Box::new(counted()))
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        let counted = || Metered::sharing(self.inner.in_double(), Arc::clone(&self.counts));
        &**self.double.get_or_init(|| Box::new(counted()))
    }

    fn library(&self, kernel: Kernel) -> &str {
        self.inner.library(kernel)
    }
}

impl<S: Real> Metered<'_, S> {
    /// Counts a prepared matrix, and from then on every use of it.
    fn counted<T: ?Sized>(&self, kernel: Kernel, inner: Box<T>) -> Counted<T> {
        self.counts.call(kernel);
        Counted { inner, kernel, counts: Arc::clone(&self.counts) }
    }
}

/// A prepared matrix whose uses are counted.
struct Counted<T: ?Sized> {
    inner: Box<T>,
    kernel: Kernel,
    counts: Arc<Counts>,
}

impl<S: Real> SpdSolve<S> for Counted<dyn SpdSolve<S>> {
    fn solve(&self, b: MatMut<'_, S>) {
        self.counts.solve(self.kernel);
        self.inner.solve(b);
    }
}

impl<S: Real> SparseProduct<S> for Counted<dyn SparseProduct<S>> {
    fn multiply(&self, x: &[S], y: &mut [S], width: usize) {
        self.counts.solve(self.kernel);
        self.inner.multiply(x, y, width);
    }

    fn multiply_and_visit(
        &self,
        x: &[S],
        y: &mut [S],
        width: usize,
        visit: &mut dyn FnMut(usize, &[S]),
    ) {
        self.counts.solve(self.kernel);
        self.inner.multiply_and_visit(x, y, width, visit);
    }
}

/// Only its factors are counted.
impl<S: Real> ShiftedFactor<S> for Counted<dyn ShiftedFactor<S>> {
    fn factor(&self, shift: f64) -> Result<Box<dyn SparseSolve<S>>> {
        self.counts.call(self.kernel);
        let (kernel, counts) = (self.kernel, Arc::clone(&self.counts));
        Ok(Box::new(Counted { inner: self.inner.factor(shift)?, kernel, counts }))
    }
}

impl<S: Real> SparseSolve<S> for Counted<dyn SparseSolve<S>> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        self.counts.solve(self.kernel);
        self.inner.solve_panel(b, width);
    }
}
