//! Products with the matrix of a random walk.

use enclust_core::{Backend, Bytes, Csr, Mat, Result, Shape, SparseProduct, Watch};
use rayon::prelude::*;

/// Columns that are worked on at a time: the width at which sparse kernels are fastest.
const PANEL: usize = 64;
/// Rows that are multiplied at a time: a multiple of [`PANEL`].
const BLOCK: usize = 4 * PANEL;

/// A random walk on a graph with symmetric weights W, from i to j with probability Wᵢⱼ / dᵢ for
/// the degrees d. With D = diag(d) it is stored as S = D^-½ W D^-½, which is symmetric. A node
/// without links has a row of zeros.
pub(crate) struct Walk {
    /// The row sums of W.
    pub degrees: Vec<f64>,
    /// Number of entries of S.
    pub entries: usize,
    /// S, some rows after the other.
    blocks: Vec<Box<dyn SparseProduct<f64>>>,
}

impl Walk {
    pub fn new(weights: &Csr<f64>, backend: &dyn Backend<f64>) -> Self {
        let n = weights.rows();
        let degrees: Vec<f64> = (0..n).map(|i| weights.row(i).1.iter().sum()).collect();
        let root = |&d: &f64| if d > 0.0 { d.sqrt().recip() } else { 0.0 };
        let roots: Vec<f64> = degrees.iter().map(root).collect();
        let roots = &roots;
        let row = |i: usize| {
            let scale = move |(j, w): (usize, f64)| (j as u32, w * (roots[i] * roots[j]));
            weights.iter_row(i).map(scale)
        };
        let block = |first: usize| {
            let rows = first..n.min(first + BLOCK);
            let entries = rows.clone().map(|i| weights.row(i).0.len()).sum();
            backend.sparse(Csr::from_row_iter(n, entries, rows.map(row)))
        };
        let blocks = (0..n).step_by(BLOCK).map(block).collect();
        Walk { degrees, entries: weights.entries(), blocks }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.degrees.len()
    }

    /// K ← S (D + K) S for a symmetric K, of which only the lower triangle is read and written.
    /// The diagonal of K and `space` are overwritten.
    pub fn step(&self, k: &mut Mat<f64>, space: &mut Mat<f64>, watch: Watch<'_>) -> Result<()> {
        for (i, degree) in self.degrees.iter().enumerate() {
            k[(i, i)] += degree;
        }
        self.put(0, space, watch, |first, panel| columns_of_lower(k, first, panel))?;
        // The columns of the transpose of the product.
        self.put(1, k, watch, |first, panel| rows_of(space, first, panel))
    }

    /// out ← S X for a symmetric X that commutes with S, such as a power of S. Only lower triangles
    /// are read and written.
    pub fn times(&self, x: &Mat<f64>, out: &mut Mat<f64>, watch: Watch<'_>) -> Result<()> {
        self.put(1, out, watch, |first, panel| columns_of_lower(x, first, panel))
    }

    /// Writes the columns of S X, where `read(j, panel)` writes the columns of X from number j on,
    /// one row after the other. If `lower` is 1, only the lower triangle is sure to be written.
    fn put(
        &self,
        lower: usize,
        out: &mut Mat<f64>,
        watch: Watch<'_>,
        read: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Result<()> {
        let n = self.len();
        out.data_mut().par_chunks_mut(n * PANEL).enumerate().try_for_each_init(
            || (vec![0.0; n * PANEL], vec![0.0; BLOCK * PANEL]),
            |(panel, product), (j, columns)| {
                watch.checkpoint("following the walkers")?;
                read(j * PANEL, panel);
                let above = lower * j * PANEL / BLOCK;
                for (b, block) in self.blocks.iter().enumerate().skip(above) {
                    let rows = b * BLOCK..n.min((b + 1) * BLOCK);
                    let product = &mut product[..rows.len() * PANEL];
                    block.multiply(panel, product, PANEL);
                    transpose(product, columns, n, rows.start);
                }
                Ok(())
            },
        )
    }

    /// The memory of [`step`](Self::step) besides the walk and the two matrices.
    pub fn step_bytes(wide: &Shape) -> Bytes {
        let panel = wide.vector() * PANEL as u64 + Bytes((8 * BLOCK * PANEL) as u64);
        panel * wide.threads as u64
    }
}

/// Copies rows of a panel, which start at this row of the matrix, to columns of length n, tile by
/// tile.
fn transpose(rows: &[f64], columns: &mut [f64], n: usize, first: usize) {
    for (t, tile) in rows.chunks(PANEL * PANEL).enumerate() {
        for (c, column) in columns.chunks_exact_mut(n).enumerate() {
            let to = &mut column[first + t * PANEL..][..tile.len() / PANEL];
            to.iter_mut().zip(tile.iter().skip(c).step_by(PANEL)).for_each(|(to, &v)| *to = v);
        }
    }
}

/// Writes some rows of a matrix as columns: row r of the panel has the entries of column r.
fn rows_of(x: &Mat<f64>, first: usize, panel: &mut [f64]) {
    let width = PANEL.min(x.rows() - first);
    for (c, row) in panel.chunks_exact_mut(PANEL).enumerate() {
        row[..width].copy_from_slice(&x.col(c)[first..][..width]);
    }
}

/// Writes some columns of a symmetric matrix, of which the lower triangle is read.
fn columns_of_lower(x: &Mat<f64>, first: usize, panel: &mut [f64]) {
    let n = x.rows();
    let end = n.min(first + PANEL);
    // Left of the diagonal tile, the columns are found as rows.
    for (c, row) in panel.chunks_exact_mut(PANEL).enumerate().take(first) {
        row[..end - first].copy_from_slice(&x.col(c)[first..end]);
    }
    for tile in (first..n).step_by(PANEL) {
        for c in first..end {
            for r in tile.max(c)..n.min(tile + PANEL) {
                panel[r * PANEL + c - first] = x.col(c)[r];
            }
        }
    }
    for c in first..end {
        for r in first..c {
            panel[r * PANEL + c - first] = x.col(r)[c];
        }
    }
}
