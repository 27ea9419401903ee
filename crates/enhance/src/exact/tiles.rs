//! Symmetric matrices cut into square tiles.

use enclust_core::Real;
use rayon::prelude::*;

/// Side of a tile: a row of it is a few vector registers.
pub const TILE: usize = 64;

/// One row of a tile.
pub type Row<S> = [S; TILE];

/// A square matrix in panels of [`TILE`] columns, each panel row after row; the
/// last one is padded with zeros. A panel holds all rows, or only those down to
/// its diagonal tile.
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

    /// Every panel to write, in parallel.
    pub fn par_panels(&mut self) -> impl IndexedParallelIterator<Item = &mut Vec<Row<S>>> {
        self.panels.par_iter_mut()
    }

    /// The entry at (i, j); the panel of j must hold row i.
    pub fn at(&self, i: usize, j: usize) -> S {
        self.panels[j / TILE][i][j % TILE]
    }

    /// The entry at (i, j) to write.
    pub fn at_mut(&mut self, i: usize, j: usize) -> &mut S {
        &mut self.panels[j / TILE][i][j % TILE]
    }
}

/// The rows of a tile.
pub fn rows_of(tile: usize, n: usize) -> std::ops::Range<usize> {
    tile * TILE..((tile + 1) * TILE).min(n)
}

/// How often a tile stands in the symmetric matrix: twice off the diagonal; once
/// on it, because a diagonal tile holds both of its triangles.
pub fn multiplicity(i: usize, j: usize) -> f64 {
    if i == j { 1.0 } else { 2.0 }
}

/// The transpose of a tile given by its rows; rows that are not there are zero.
#[inline(always)]
pub fn transposed<S: Real>(rows: &[Row<S>], out: &mut [Row<S>; TILE]) {
    for (j, row) in rows.iter().enumerate() {
        for (o, &v) in out.iter_mut().zip(row) {
            o[j] = v;
        }
    }
    for j in rows.len()..TILE {
        out.iter_mut().for_each(|o| o[j] = S::zero());
    }
}

/// Σ xy over the rows, in as many sums as a row is wide.
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
