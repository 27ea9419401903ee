//! Products with the matrix of a random walk.

use enclust_core::{Backend, Bytes, Csr, Mat, Result, Shape, SparseProduct, Watch};
use enclust_linalg::complete;
use rayon::prelude::*;

/// Columns that are worked on at a time: the width at which sparse kernels are fastest.
const PANEL: usize = 64;
/// Side of the squares in which tiles are transposed.
const SQUARE: usize = 8;
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

    /// K ← S (D + K) S for a symmetric K. The diagonal of K and `space` are overwritten.
    pub fn step(&self, k: &mut Panels, space: &mut Panels, watch: Watch<'_>) -> Result<()> {
        for (i, degree) in self.degrees.iter().enumerate() {
            k.panels[i / PANEL][i * PANEL + i % PANEL] += degree;
        }
        let read = |j: usize, panel: &mut [f64]| k.read_symmetric(j, panel);
        self.put(space, |_| 0, read, watch)?;
        self.put(k, first_block, |j, panel| space.read_transposed(j, panel), watch)
    }

    /// out ← S X for a symmetric X that commutes with S, such as a power of S.
    pub fn times(&self, x: &Panels, out: &mut Panels, watch: Watch<'_>) -> Result<()> {
        self.put(out, first_block, |j, panel| x.read_symmetric(j, panel), watch)
    }

    /// Writes the panels of S X, each from block `from(j)` on, where `read(j, panel)` writes panel j
    /// of X.
    fn put(
        &self,
        out: &mut Panels,
        from: impl Fn(usize) -> usize + Sync,
        read: impl Fn(usize, &mut [f64]) + Sync,
        watch: Watch<'_>,
    ) -> Result<()> {
        let n = self.len();
        out.panels.par_iter_mut().enumerate().try_for_each_init(
            || vec![0.0; n * PANEL],
            |panel, (j, out)| {
                watch.checkpoint("following the walkers")?;
                read(j, panel);
                let products = out.chunks_mut(BLOCK * PANEL).zip(&self.blocks);
                products.skip(from(j)).for_each(|(out, block)| block.multiply(panel, out, PANEL));
                Ok(())
            },
        )
    }

    /// The memory of [`step`](Self::step) besides the walk and the two matrices.
    pub fn step_bytes(wide: &Shape) -> Bytes {
        wide.vector() * (PANEL * wide.threads) as u64
    }
}

/// The block that contains the diagonal of a panel. The blocks above it are not needed if the
/// product is symmetric.
fn first_block(panel: usize) -> usize {
    panel * PANEL / BLOCK
}

/// An n × n matrix in panels of [`PANEL`] columns, each row after row; the columns that the last
/// panel has too many are zeros. Of a symmetric matrix, only the entries on and below the tiles on
/// the diagonal are known.
pub(crate) struct Panels {
    n: usize,
    panels: Vec<Vec<f64>>,
}

impl Panels {
    pub fn zeros(n: usize) -> Self {
        Panels { n, panels: vec![vec![0.0; n * PANEL]; n.div_ceil(PANEL)] }
    }

    /// The memory of a matrix of this many rows.
    pub fn bytes(wide: &Shape) -> Bytes {
        let panels = wide.groups.div_ceil(PANEL) as u64;
        (wide.vector() * PANEL as u64 + Bytes(size_of::<Vec<f64>>() as u64)) * panels
    }

    /// Copies a symmetric matrix.
    pub fn of(matrix: &Mat<f64>) -> Self {
        let mut copy = Self::zeros(matrix.rows());
        for (j, panel) in copy.panels.iter_mut().enumerate() {
            for (c, row) in panel.chunks_exact_mut(PANEL).enumerate() {
                let width = PANEL.min(copy.n - j * PANEL);
                row[..width].copy_from_slice(&matrix.col(c)[j * PANEL..][..width]);
            }
        }
        copy
    }

    /// Both triangles of the symmetric matrix. A panel is freed once it is copied.
    pub fn into_symmetric(self) -> Mat<f64> {
        let n = self.n;
        let mut matrix = Mat::zeros(n, n);
        let columns = matrix.data_mut().par_chunks_mut((n * PANEL).max(1));
        columns.zip(self.panels).enumerate().for_each(|(j, (columns, panel))| {
            for (c, column) in columns.chunks_exact_mut(n).enumerate() {
                let values = panel.iter().skip(c).step_by(PANEL);
                column.iter_mut().zip(values).skip(j * PANEL).for_each(|(to, &v)| *to = v);
            }
        });
        complete(&mut matrix);
        matrix
    }

    /// Writes panel j of a symmetric matrix.
    fn read_symmetric(&self, j: usize, out: &mut [f64]) {
        self.clear_unused_columns(j, out);
        let known = j * PANEL * PANEL;
        out[known..].copy_from_slice(&self.panels[j][known..]);
        let above = self.panels[..j].iter().zip(out.chunks_mut(PANEL * PANEL));
        above.for_each(|(panel, out)| transpose(&panel[known..], out));
    }

    /// Writes panel j of the transpose.
    fn read_transposed(&self, j: usize, out: &mut [f64]) {
        self.clear_unused_columns(j, out);
        let tiles = self.panels.iter().zip(out.chunks_mut(PANEL * PANEL));
        tiles.for_each(|(panel, out)| transpose(&panel[j * PANEL * PANEL..], out));
    }

    fn clear_unused_columns(&self, j: usize, out: &mut [f64]) {
        if (j + 1) * PANEL > self.n {
            out.fill(0.0);
        }
    }
}

/// Writes the transpose of the first tile of `rows`; tiles may have fewer than [`PANEL`] rows.
fn transpose(rows: &[f64], out: &mut [f64]) {
    let (rows, out) = (rows.as_chunks::<PANEL>().0, out.as_chunks_mut::<PANEL>().0);
    let rows = &rows[..rows.len().min(PANEL)];
    // Small squares, which stay in registers and in few cache lines.
    for left in (0..PANEL).step_by(SQUARE) {
        for (at, rows) in rows.chunks(SQUARE).enumerate() {
            for (r, out) in out.iter_mut().skip(left).take(SQUARE).enumerate() {
                for (c, row) in rows.iter().enumerate() {
                    out[at * SQUARE + c] = row[left + r];
                }
            }
        }
    }
}
