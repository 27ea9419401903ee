//! Representations from a function of the samples.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::compose::params::NoParams;
use crate::compose::table::Table;
use crate::data::ensemble::Ensemble;
use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::matrix::Mat;
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::question::Question;
use crate::stages::ca::{Ca, Represented};
use crate::stages::component::Component;

/// A representation from a function that computes the n × n matrix of the samples.
///
/// The function takes the labels of all samples and returns a symmetric matrix with entries in
/// [0, 1], in single or double precision. If samples with equal label rows have equal values, the
/// matrix is reduced to the n' distinct rows, and later stages are as fast as for any other
/// representation. Otherwise it keeps size n.
///
/// Missing labels, weights other than 1 and counts of rows are errors, because the function has no definition for
/// them. The footprint includes the n² numbers of the matrix and the same amount for the function
/// itself; if the function needs more, the footprint is too small.
///
/// ```
/// use enclust_core::{Ca, Ctx, Ensemble, Mat, Microclusters, Question, by_samples};
///
/// // The share of clusterings that put two samples in one cluster.
/// let shared = by_samples("shared", |e: &Ensemble| {
///     let joins = |i: usize, j: usize, k: usize| e.column(k)[i] == e.column(k)[j];
///     let share = |i, j| (0..e.clusterings()).filter(|&k| joins(i, j, k)).count();
///     Mat::from_fn(e.samples(), e.samples(), |i, j| share(i, j) as f64 / e.clusterings() as f64)
/// });
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1], [0, 0, 1, 1]])?;
/// let built = shared.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
/// // Samples 0 and 1 form one group.
/// assert_eq!(built.as_similarity().unwrap().condensed(), [0.5, 0.0, 0.5]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// [`Table::add_by_samples`] registers such a function in one line.
pub fn by_samples<T: Real, F: Fn(&Ensemble) -> Mat<T> + Send + Sync>(
    name: &'static str,
    matrix: F,
) -> BySamples<T, F> {
    BySamples { name, matrix, precision: PhantomData }
}

/// A representation from a function of the samples, made by [`by_samples`].
#[derive(Clone, Copy)]
pub struct BySamples<T, F> {
    name: &'static str,
    matrix: F,
    precision: PhantomData<fn() -> T>,
}

impl<T, F> fmt::Debug for BySamples<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BySamples").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<T, F: Send + Sync> Component for BySamples<T, F> {
    fn name(&self) -> &str {
        self.name
    }
}

impl<S: Real, T: Real, F: Fn(&Ensemble) -> Mat<T> + Send + Sync> Ca<S> for BySamples<T, F> {
    /// # Errors
    ///
    /// [`Error::Unsupported`] for missing labels, weights other than 1 and counts; [`Error::Size`],
    /// [`Error::Entry`] or [`Error::Asymmetric`] if the matrix is not a similarity.
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name)?;
        microclusters.require_unweighted(self.name)?;
        microclusters.require_uncounted(self.name)?;
        let matrix = (self.matrix)(&microclusters.to_ensemble());
        let n = microclusters.grouping().samples();
        Error::check_size("rows of the matrix over the samples", n, matrix.rows())?;
        Error::check_size("columns of the matrix over the samples", n, matrix.cols())?;
        let similarity = Similarity::folded(microclusters.grouping(), |i, j| matrix[(i, j)])?;
        Ok(similarity.in_precision::<S>().into())
    }

    /// The matrix of the samples, the same amount for the function, and the labels.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let samples = shape.clone().with_groups(shape.samples);
        let matrix = samples.clone().with_scalar(size_of::<T>()).square();
        let labels = Bytes(shape.clusterings as u64) * 2 * samples.each_group(4).0;
        Footprint::new(samples.similarity(), matrix * 2 + labels)
    }
}

impl<S: Real> Table<dyn Ca<S>> {
    /// Adds a representation that is a function of the samples, see [`by_samples`]. A
    /// representation of the same name is replaced.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Mat, Registry};
    ///
    /// fn alone(ensemble: &Ensemble) -> Mat<f64> {
    ///     Mat::identity(ensemble.samples())
    /// }
    ///
    /// let mut registry = Registry::<f32>::new();
    /// registry.ca.add_by_samples("alone", "every sample is like itself only", alone);
    /// assert_eq!(registry.ca.names(), ["alone"]);
    /// ```
    pub fn add_by_samples<T: Real>(
        &mut self,
        name: &'static str,
        summary: &'static str,
        matrix: impl Fn(&Ensemble) -> Mat<T> + Send + Sync + 'static,
    ) {
        let part = Arc::new(by_samples(name, matrix));
        self.register::<NoParams>(name, summary, move |_| Ok(Box::new(Arc::clone(&part))));
    }
}
