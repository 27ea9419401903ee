//! One step of an alternating-direction method as a preconditioner.

use enclust_core::{Backend, Real, Result, SparseSolve};
use enclust_linalg::{Preconditioner, Products, Vectors};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::operator::{ProductLaplacian, Scratch};
use super::system::{Equations, Known, clear};
use super::tiles::{
    Panels, Row, TILE, dot, load_symmetric, load_transposed, multiplicity, rows_of,
};

/// z ← 2s (K+s)⁻¹ R (K+s)⁻¹ on the free entries.
///
/// The operator is L = K⊗I plus I⊗K. One step of alternating directions with the shift s
/// approximates its inverse. The factor of K+s is an incomplete factorisation with the entries of
/// H, computed by the backend. On the authors' pools this needs three to four times fewer
/// iterations than the diagonal.
pub struct AlternatingDirections<'a, T> {
    known: &'a Known,
    n: usize,
    /// 2s.
    scale: T,
    /// The incomplete factor of K + s.
    factor: Box<dyn SparseSolve<T>>,
}

impl<'a, T: Real> AlternatingDirections<'a, T> {
    pub fn new(system: &'a Equations, backend: &dyn Backend<T>) -> Result<Self> {
        let n = system.len();
        let half = system.lambda / 2.0;
        let shift = shift(half, system.largest_diagonal());
        let shifted = system.shifted(shift, 0..n);
        Ok(AlternatingDirections {
            known: &system.known,
            n,
            scale: T::of(2.0 * shift),
            factor: backend.factor_incomplete(&shifted)?,
        })
    }

    /// t ← (K+s)⁻¹ r, all rows.
    fn first_half(&self, r: &Panels<T>, t: &mut Panels<T>) {
        t.par_panels().enumerate().for_each(|(j, panel)| {
            load_symmetric(r, j, panel);
            self.factor.solve_panel(panel.as_flattened_mut(), TILE);
        });
    }

    /// All rows of panel j of 2s t (K+s)⁻¹, with zeros at known entries.
    fn second_half(&self, t: &Panels<T>, j: usize, full: &mut [Row<T>]) {
        load_transposed(t, j, full);
        self.factor.solve_panel(full.as_flattened_mut(), TILE);
        Arch::new().dispatch(KeepFree { of: self, j, full });
    }

    fn panel(&self) -> Vec<Row<T>> {
        vec![[T::zero(); TILE]; self.n]
    }
}

/// The shift s for a K whose spectrum is between these ends. Their geometric mean would be best
/// if small eigenvalues were as frequent as large ones, but the fixed entries remove most of the
/// small ones. Measurements are in `docs/performance.md`.
fn shift(smallest: f64, largest: f64) -> f64 {
    0.25 * smallest.powf(0.25) * largest.powf(0.75)
}

impl<T: Real> Preconditioner<ProductLaplacian<'_, T>> for AlternatingDirections<'_, T> {
    fn apply(&self, r: &Panels<T>, z: &mut Panels<T>, scratch: &mut Scratch<T>) {
        self.first_half(r, &mut scratch.t);
        let t = &scratch.t;
        z.par_panels().enumerate().for_each_init(
            || self.panel(),
            |full, (j, z)| {
                self.second_half(t, j, full);
                copy_upper(full, z);
            },
        );
    }

    /// The product of the graph with a panel of z is computed while that panel is in cache.
    fn correct(
        &self,
        operator: &ProductLaplacian<'_, T>,
        v: &mut Vectors<Panels<T>>,
        Scratch { t, y }: &mut Scratch<T>,
    ) -> Products {
        self.first_half(&v.r, t);
        let (t, r) = (&*t, &v.r);
        let panels = v.z.par_panels().zip(y.par_panels()).enumerate();
        let sums: Vec<Products> = panels
            .map_init(
                || self.panel(),
                |full, (j, (z, y))| {
                    self.second_half(t, j, full);
                    copy_upper(full, z);
                    let decrease = Arch::new().dispatch(Decrease { j, r: r.panel(j), z });
                    Products { decrease, curvature: operator.multiply(full, y) }
                },
            )
            .collect();
        Products {
            decrease: sums.iter().map(|s| s.decrease).sum(),
            curvature: sums.iter().map(|s| s.curvature).sum(),
        }
    }
}

/// Scales a panel, sets known entries to zero, and makes its diagonal tile symmetric.
struct KeepFree<'a, T> {
    of: &'a AlternatingDirections<'a, T>,
    j: usize,
    full: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for KeepFree<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let KeepFree { of, j, full } = self;
        for (row, &known) in full.iter_mut().zip(of.known.panel(j)) {
            row.iter_mut().for_each(|v| *v *= of.scale);
            clear(known, row);
        }
        symmetrise(&mut full[rows_of(j, of.n)]);
    }
}

/// Copies the rows that an upper panel contains.
fn copy_upper<T: Real>(full: &[Row<T>], upper: &mut [Row<T>]) {
    let rows = upper.len();
    upper.copy_from_slice(&full[..rows]);
}

/// Copies the upper triangle of a diagonal tile to the lower one. An antisymmetric part, even a
/// very small one, would grow, because the operator differs on it.
#[inline(always)]
pub fn symmetrise<T: Real>(tile: &mut [Row<T>]) {
    for i in 1..tile.len() {
        for c in 0..i {
            tile[i][c] = tile[c][i];
        }
    }
}

/// ⟨r, z⟩ in the upper tiles of panel j, each weighted by its multiplicity in the matrix.
struct Decrease<'a, T> {
    j: usize,
    r: &'a [Row<T>],
    z: &'a [Row<T>],
}

impl<T: Real> NullaryFnOnce for Decrease<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Decrease { j, r, z } = self;
        let tile = |tile: usize| {
            let rows = rows_of(tile, r.len());
            multiplicity(tile, j) * dot(&r[rows.clone()], &z[rows])
        };
        (0..=j).map(tile).sum()
    }
}
