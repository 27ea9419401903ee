//! Test matrices and their different layouts in a slice.

use enclust_core::{Mat, MatMut, MatRef, Real};

use crate::generate::SplitMix;

/// The layout of a matrix in a slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Row-major instead of column-major.
    pub transposed: bool,
    /// Unused entries between two columns.
    pub gap: usize,
    /// Unused entries before the first one.
    pub offset: usize,
}

/// The layouts that every kernel must support.
pub(super) const LAYOUTS: [Layout; 4] = [
    Layout { transposed: false, gap: 0, offset: 0 },
    Layout { transposed: false, gap: 3, offset: 1 },
    Layout { transposed: true, gap: 0, offset: 0 },
    Layout { transposed: true, gap: 2, offset: 3 },
];

/// A matrix in a slice, with `filler` at all unused positions.
pub(super) struct Stored<S> {
    data: Vec<S>,
    rows: usize,
    cols: usize,
    layout: Layout,
}

impl<S: Real> Stored<S> {
    pub(super) fn new(matrix: &Mat<S>, layout: Layout, filler: S) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let (short, long) = if layout.transposed { (cols, rows) } else { (rows, cols) };
        let stride = short + layout.gap;
        let mut data = vec![filler; layout.offset + stride * long];
        for j in 0..cols {
            for i in 0..rows {
                let at = if layout.transposed { i * stride + j } else { j * stride + i };
                data[layout.offset + at] = matrix[(i, j)];
            }
        }
        Stored { data, rows, cols, layout }
    }

    pub(super) fn view(&self) -> MatRef<'_, S> {
        let data = &self.data[self.layout.offset..];
        if self.layout.transposed {
            MatRef::new(data, self.cols, self.rows, self.cols + self.layout.gap).transposed()
        } else {
            MatRef::new(data, self.rows, self.cols, self.rows + self.layout.gap)
        }
    }

    /// A mutable view, which is never transposed.
    pub(super) fn view_mut(&mut self) -> MatMut<'_, S> {
        assert!(!self.layout.transposed, "a view to write is column-major");
        let stride = self.rows + self.layout.gap;
        MatMut::new(&mut self.data[self.layout.offset..], self.rows, self.cols, stride)
    }

    /// Whether everything outside the matrix is still `filler`.
    pub(super) fn frame_is(&self, filler: S) -> bool {
        let (before, inside) = self.data.split_at(self.layout.offset);
        let stride = self.rows + self.layout.gap;
        let gaps = inside.chunks(stride.max(1)).flat_map(|column| &column[self.rows..]);
        before.iter().chain(gaps).all(|&v| v == filler)
    }
}

/// Entries between −1 and 1 without structure.
pub(super) fn noise<S: Real>(rows: usize, cols: usize, seed: u64) -> Mat<S> {
    let mut stream = SplitMix(seed);
    let mut out = Mat::zeros(rows, cols);
    out.data_mut().iter_mut().for_each(|v| *v = S::of(2.0 * stream.uniform() - 1.0));
    out
}

/// A co-association matrix of ten clusterings that never join different `blocks`: unit diagonal,
/// positive semidefinite, zero outside blocks of unequal size.
pub(super) fn block_co_association<S: Real>(n: usize, blocks: usize) -> Mat<S> {
    const CLUSTERINGS: usize = 10;
    let mut stream = SplitMix(n as u64);
    let labels: Vec<[u8; CLUSTERINGS]> =
        (0..n).map(|_| std::array::from_fn(|_| (3.0 * stream.uniform()) as u8)).collect();
    let block = |i: usize| ((i as f64 / n as f64).sqrt() * blocks as f64) as usize;
    Mat::from_fn(n, n, |i, j| {
        let equal = labels[i].iter().zip(&labels[j]).filter(|(a, b)| a == b).count();
        if block(i) == block(j) { S::of(equal as f64 / CLUSTERINGS as f64) } else { S::zero() }
    })
}

/// The matrix with NaN above the diagonal.
pub(super) fn lower_only<S: Real>(a: &Mat<S>) -> Mat<S> {
    Mat::from_fn(a.rows(), a.cols(), |i, j| if i >= j { a[(i, j)] } else { S::nan() })
}

/// The square root of the sum of squares.
pub(super) fn frobenius<S: Real>(a: &Mat<S>) -> f64 {
    a.data().iter().map(|v| v.wide() * v.wide()).sum::<f64>().sqrt()
}

/// AB in double precision, from the definition.
pub(super) fn wide_product<S: Real>(a: &Mat<S>, b: &Mat<S>) -> Mat<f64> {
    let mut out = Mat::zeros(a.rows(), b.cols());
    for j in 0..b.cols() {
        for k in 0..a.cols() {
            let factor = b[(k, j)].wide();
            if factor != 0.0 {
                for (o, v) in out.col_mut(j).iter_mut().zip(a.col(k)) {
                    *o += factor * v.wide();
                }
            }
        }
    }
    out
}
