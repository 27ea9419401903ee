//! Symmetric matrices cut into square tiles.

use enclust_core::Real;
use pulp::{Arch, NullaryFnOnce};
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

    /// The symmetric matrix with these entries, above the diagonal and on it; `entry`
    /// is asked for i ≤ j.
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

    /// Puts zeros everywhere.
    pub fn clear(&mut self) {
        self.par_panels().for_each(|panel| panel.fill([S::zero(); TILE]));
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

/// The transpose of a tile given by its rows; rows that are not there are zero. At
/// most [`TILE`] rows are written.
#[inline(always)]
pub fn transposed<S: Real>(rows: &[Row<S>], out: &mut [Row<S>]) {
    const BLOCK: usize = 8;
    for at in (0..TILE).step_by(BLOCK) {
        // Eight rows at a time, so that a line of the cache is written at once.
        for (c, out) in out.iter_mut().enumerate() {
            let mut line = [S::zero(); BLOCK];
            for (l, row) in line.iter_mut().zip(rows.iter().skip(at)) {
                *l = row[c];
            }
            out[at..at + BLOCK].copy_from_slice(&line);
        }
    }
}

/// All rows of panel j of a symmetric matrix given by its upper tiles.
pub fn load_symmetric<S: Real>(upper: &Panels<S>, j: usize, out: &mut [Row<S>]) {
    let own = upper.panel(j);
    out[..own.len()].copy_from_slice(own);
    Arch::new().dispatch(Mirror { of: upper, j, from: j + 1, out });
}

/// All rows of panel j of the transpose.
pub fn load_transposed<S: Real>(full: &Panels<S>, j: usize, out: &mut [Row<S>]) {
    Arch::new().dispatch(Mirror { of: full, j, from: 0, out });
}

/// The transposes of the tiles (j, from), (j, from + 1), …, one below the other.
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
