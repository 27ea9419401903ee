//! The update of F: the symmetric part of T, clipped to [0, 1].

use enclust_core::{MatMut, MatRef, Real};
use pulp::{Arch, NullaryFnOnce};

use super::norms::{Sums, pair_weights, weighted_squares};
use super::panel::Part;
use super::variable::Variable;
use crate::objective::clip;

/// Writes the columns of F from `first` on: the symmetric part of T, clipped to [0, 1]. Returns
/// the sums of F and the squared norm of C − F.
pub fn cut_symmetric_part<S: Real>(
    sizes: &[f64],
    c: &Variable<S>,
    t: &Variable<S>,
    first: usize,
    f: Part<'_, S>,
) -> (Sums, f64) {
    Arch::new().dispatch(CutSymmetricPart { sizes, c, t, first, f })
}

struct CutSymmetricPart<'a, S> {
    sizes: &'a [f64],
    c: &'a Variable<S>,
    t: &'a Variable<S>,
    first: usize,
    f: Part<'a, S>,
}

impl<S: Real> NullaryFnOnce for CutSymmetricPart<'_, S> {
    type Output = (Sums, f64);

    #[inline(always)]
    fn call(self) -> (Sums, f64) {
        let CutSymmetricPart { sizes, c, t, first, f: (f, f_diagonal) } = self;
        let n = sizes.len();
        let half = S::of(0.5);
        let columns = f_diagonal.len();
        let mut mirrored = vec![S::zero(); n * columns];
        let rows = MatRef::new(&t.square.data()[first..], columns, n, n);
        MatMut::new(&mut mirrored, n, columns, n).copy_from(rows.transposed());
        let (mut step, mut residual) = (vec![S::zero(); n], vec![S::zero(); n]);
        let mut weight = vec![0.0; n];
        let (mut sums, mut squares) = (Sums::default(), 0.0);
        for (j, (f, new)) in f.chunks_exact_mut(n).zip(mirrored.chunks_exact_mut(n)).enumerate() {
            let q = first + j;
            let (c, t) = (&c.square.col(q)[..n], &t.square.col(q)[..n]);
            for p in 0..n {
                new[p] = clip(half * (t[p] + new[p]));
                step[p] = new[p] - f[p];
                residual[p] = c[p] - new[p];
            }
            pair_weights(sizes, q, &mut weight);
            sums.add_column(&weight, &step, f);
            squares += weighted_squares(&weight, &residual);
            f.copy_from_slice(new);
        }
        for (j, own) in f_diagonal.iter_mut().enumerate() {
            let q = first + j;
            let new = clip(t.diagonal[q]);
            sums.add(sizes[q], new - *own, *own);
            squares += sizes[q] * (c.diagonal[q] - new).wide().powi(2);
            *own = new;
        }
        (sums, squares)
    }
}
