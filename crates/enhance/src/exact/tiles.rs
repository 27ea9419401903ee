//! Symmetric matrices in square tiles.

use enclust_core::Real;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::transpose::transposed;

/// Side of a tile. One row of a tile fits in a few vector registers.
pub const TILE: usize = 64;

/// One row of a tile.
pub type Row<S> = [S; TILE];

/// A square matrix in panels of [`TILE`] columns, each stored in row-major order; the last panel
/// is padded with zeros. A panel contains all rows, or only those down to its diagonal tile.
pub struct Panels<S> {
    panels: Vec<Vec<Row<S>>>,
}

impl<S: Real> Panels<S> {
    /// All rows.
    pub fn full(n: usize) -> Self {
        Self::zeros(n, |_| n)
    }

    /// The tiles on and above the diagonal.
    pub fn upper(n: usize) -> Self {
        Self::zeros(n, |panel| ((panel + 1) * TILE).min(n))
    }

    fn zeros(n: usize, rows: impl Fn(usize) -> usize) -> Self {
        let panel = |j| vec![[S::zero(); TILE]; rows(j)];
        Panels { panels: (0..n.div_ceil(TILE)).map(panel).collect() }
    }

    /// The rows of one panel.
    pub fn panel(&self, j: usize) -> &[Row<S>] {
        &self.panels[j]
    }

    /// The rows of one panel, mutable.
    #[cfg(test)]
    pub fn rows_of_panel(&mut self, j: usize) -> &mut [Row<S>] {
        &mut self.panels[j]
    }

    /// All panels, mutable, in parallel.
    pub fn par_panels(&mut self) -> impl IndexedParallelIterator<Item = &mut Vec<Row<S>>> {
        self.panels.par_iter_mut()
    }

    /// The entry at (i, j). The panel of j must contain row i.
    pub fn at(&self, i: usize, j: usize) -> S {
        self.panels[j / TILE][i][j % TILE]
    }

    /// The symmetric matrix with these entries on and above the diagonal; `entry` is called for i
    /// ≤ j.
    pub fn from_upper(n: usize, entry: impl Fn(usize, usize) -> S + Sync) -> Self {
        let mut made = Self::upper(n);
        made.par_panels().enumerate().for_each(|(j, panel)| {
            for (i, row) in panel.iter_mut().enumerate() {
                for (v, k) in row.iter_mut().zip(rows_of(j, n)) {
                    *v = entry(i.min(k), i.max(k));
                }
            }
        });
        made
    }

    /// Number of rows and of columns.
    pub fn rows(&self) -> usize {
        self.panels.last().map_or(0, Vec::len)
    }

    /// Changes every entry, given the corresponding entry of another matrix.
    pub fn change(&mut self, other: &Self, change: impl Fn(&mut S, S) + Sync) {
        self.par_panels().enumerate().for_each(|(j, panel)| {
            let entries = panel.as_flattened_mut().iter_mut();
            entries.zip(other.panel(j).as_flattened()).for_each(|(v, &o)| change(v, o));
        });
    }
}

/// The rows of a tile.
pub fn rows_of(tile: usize, n: usize) -> std::ops::Range<usize> {
    tile * TILE..((tile + 1) * TILE).min(n)
}

/// The multiplicity of a tile in the symmetric matrix: 2 off the diagonal and 1 on it, because a
/// diagonal tile contains both of its triangles.
pub fn multiplicity(i: usize, j: usize) -> f64 {
    if i == j { 1.0 } else { 2.0 }
}

/// All rows of panel j of a symmetric matrix that is given by its upper tiles.
pub fn load_symmetric<S: Real>(upper: &Panels<S>, j: usize, out: &mut [Row<S>]) {
    let own = upper.panel(j);
    out[..own.len()].copy_from_slice(own);
    Arch::new().dispatch(Mirror { of: upper, j, from: j + 1, out });
}

/// All rows of panel j of the transpose.
pub fn load_transposed<S: Real>(full: &Panels<S>, j: usize, out: &mut [Row<S>]) {
    Arch::new().dispatch(Mirror { of: full, j, from: 0, out });
}

/// The transposes of the tiles (j, from), (j, from + 1), …, stacked vertically.
struct Mirror<'a, S> {
    of: &'a Panels<S>,
    j: usize,
    from: usize,
    out: &'a mut [Row<S>],
}

impl<S: Real> NullaryFnOnce for Mirror<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Mirror { of, j, from, out } = self;
        let n = out.len();
        for tile in from..n.div_ceil(TILE) {
            let rows = rows_of(tile, n);
            transposed(&of.panel(tile)[rows_of(j, n)], &mut out[rows]);
        }
    }
}

/// Σ xy over the rows, with one partial sum per column.
#[inline(always)]
pub fn dot<S: Real>(x: &[Row<S>], y: &[Row<S>]) -> f64 {
    let mut lanes = [0.0; TILE];
    for (x, y) in x.iter().zip(y) {
        for c in 0..TILE {
            lanes[c] += x[c].wide() * y[c].wide();
        }
    }
    lanes.iter().sum()
}
