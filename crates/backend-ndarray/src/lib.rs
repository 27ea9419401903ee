//! A linear-algebra backend of enclust that uses [ndarray], and conversions from and to arrays.
//!
//! [`Ndarray`] is a [`Backend`] whose products are computed by ndarray on views of enclust's
//! storage. ndarray has no factorisations, so the reference kernels are used for them.
//!
//! ```
//! use enclust_backend_ndarray::{ensemble_from_array, similarity_from_array};
//! use ndarray::array;
//!
//! let labels = array![[0, 5], [0, 5], [1, 5]]; // 3 samples, 2 clusterings
//! let ensemble = ensemble_from_array(labels.view())?;
//! assert_eq!((ensemble.samples(), ensemble.clusterings()), (3, 2));
//!
//! let similarity = similarity_from_array(array![[1.0, 0.3], [0.3, 1.0]].view())?;
//! assert_eq!(similarity.between(0, 1), 0.3);
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod convert;

pub use convert::{
    confident_from_array, ensemble_from_array, linkage_matrix, similarity_from_array,
    similarity_to_array,
};

use enclust_core::{Backend, Component, MatMut, MatRef, NoParams, Real, Registry, check_product};
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};

/// ndarray's product and the factorisations of the reference kernels.
///
/// ```
/// use enclust_backend_ndarray::Ndarray;
/// use enclust_core::{Backend, Mat};
///
/// let a = Mat::from_fn(2, 2, |i, j| (2 * i + j) as f64);
/// let mut square = Mat::zeros(2, 2);
/// Ndarray.gemm(1.0, a.view(), a.view(), 0.0, square.view_mut());
/// assert_eq!(square.data(), &[2.0, 6.0, 3.0, 11.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Ndarray;

/// Adds [`Ndarray`] to a registry.
///
/// ```
/// use enclust_core::{Component, Part, Registry};
///
/// let mut registry = Registry::<f64>::new();
/// enclust_backend_ndarray::register(&mut registry);
/// assert_eq!(registry.backend.build(&Part::named("ndarray"))?.name(), "ndarray");
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.backend.register::<NoParams>(
        "ndarray",
        "ndarray's product, reference factorisations",
        |_| Ok(Box::new(Ndarray)),
    );
}

impl Component for Ndarray {
    fn name(&self) -> &str {
        "ndarray"
    }
}

impl<S: Real> Backend<S> for Ndarray {
    fn gemm(&self, alpha: S, a: MatRef<'_, S>, b: MatRef<'_, S>, beta: S, mut c: MatMut<'_, S>) {
        check_product(&a, &b, &c);
        general_mat_mul(alpha, &read(a), &read(b), beta, &mut write(&mut c));
    }

    fn in_single(&self) -> &dyn Backend<f32> {
        &Ndarray
    }

    fn in_double(&self) -> &dyn Backend<f64> {
        &Ndarray
    }
}

/// The reason why making a view cannot fail: enclust's views have checked their size.
const CHECKED: &str = "the slice holds the view";

fn read<S: Real>(a: MatRef<'_, S>) -> ArrayView2<'_, S> {
    let shape = (a.rows(), a.cols());
    if a.rows() == 0 || a.cols() == 0 {
        return ArrayView2::from_shape(shape, &[]).expect(CHECKED);
    }
    ArrayView2::from_shape(shape.strides(a.strides()), a.data()).expect(CHECKED)
}

fn write<'a, S: Real>(c: &'a mut MatMut<'_, S>) -> ArrayViewMut2<'a, S> {
    let (shape, stride) = ((c.rows(), c.cols()), c.stride());
    if c.rows() == 0 || c.cols() == 0 {
        return ArrayViewMut2::from_shape(shape, &mut []).expect(CHECKED);
    }
    ArrayViewMut2::from_shape(shape.strides((1, stride)), c.data()).expect(CHECKED)
}
