//! The system and its preconditioner, applied.

use enclust_core::{Csr, Real, Result};
use enclust_linalg::IncompleteCholesky;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::system::{Known, System, clear};
use super::tiles::{
    Panels, Row, TILE, dot, load_symmetric, load_transposed, multiplicity, rows_of, transposed,
};

/// L and an approximate inverse of it, in the precision of the iteration.
///
/// L = K⊗I + I⊗K on the free entries, with K = Φ̂ + λ/2. One step of alternating
/// directions with the shift s inverts it nearly: 2s (K+s)⁻¹ R (K+s)⁻¹, where
/// (K+s)⁻¹ is an incomplete factorisation with the entries of H. On the authors'
/// pools that takes three to four times fewer iterations than the diagonal.
pub struct Operator<'a, T> {
    known: &'a Known,
    n: usize,
    lambda: T,
    graph: Csr<T>,
    degree: Vec<T>,
    /// 2s.
    scale: T,
    /// Of K + s.
    factor: IncompleteCholesky<T>,
}

/// What one preconditioned residual z is worth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Products {
    /// ⟨r, z⟩.
    pub decrease: f64,
    /// ⟨z, Lz⟩.
    pub curvature: f64,
}

/// The vectors of the conjugate gradients; symmetric matrices in upper tiles.
pub struct Vectors<T> {
    pub x: Panels<T>,
    pub r: Panels<T>,
    /// The direction, and L times it.
    pub p: Panels<T>,
    pub q: Panels<T>,
    /// The preconditioned residual.
    pub z: Panels<T>,
}

impl<'a, T: Real> Operator<'a, T> {
    pub fn new(system: &'a System) -> Result<Self> {
        let n = system.len();
        let half = system.lambda / 2.0;
        let shift = shift(half, system.largest_diagonal());
        let row = |i: usize| {
            let diagonal = (i as u32, system.degree[i] + half + shift);
            let mut row: Vec<(u32, f64)> =
                system.graph.iter_row(i).map(|(j, h)| (j as u32, -h)).collect();
            row.insert(row.partition_point(|e| e.0 < diagonal.0), diagonal);
            row
        };
        let shifted = Csr::from_rows(n, (0..n).map(row).collect());
        let narrow = |i| system.graph.iter_row(i).map(|(j, h)| (j as u32, T::of(h))).collect();
        Ok(Operator {
            known: &system.known,
            n,
            lambda: T::of(system.lambda),
            graph: Csr::from_rows(n, (0..n).map(narrow).collect()),
            degree: system.degree.iter().map(|&d| T::of(d)).collect(),
            scale: T::of(2.0 * shift),
            factor: IncompleteCholesky::factor(&shifted)?,
        })
    }

    /// t ← (K+s)⁻¹ r, all rows.
    pub fn half_correct(&self, r: &Panels<T>, t: &mut Panels<T>) {
        t.par_panels().enumerate().for_each(|(j, panel)| {
            load_symmetric(r, j, panel);
            self.factor.solve(panel);
        });
    }

    /// z ← 2s t (K+s)⁻¹ on the free entries of the upper tiles, y ← Ĥz, all rows.
    pub fn correct(
        &self,
        (r, t): (&Panels<T>, &Panels<T>),
        (z, y): (&mut Panels<T>, &mut Panels<T>),
    ) -> Products {
        let panels = z.par_panels().zip(y.par_panels()).enumerate();
        let fresh = || vec![[T::zero(); TILE]; self.n];
        let sums: Vec<Products> = panels
            .map_init(fresh, |full, (j, (z, y))| {
                load_transposed(t, j, full);
                self.factor.solve(full);
                Arch::new().dispatch(Correct { of: self, j, r: r.panel(j), full, z, y })
            })
            .collect();
        Products {
            decrease: sums.iter().map(|s| s.decrease).sum(),
            curvature: sums.iter().map(|s| s.curvature).sum(),
        }
    }

    /// The next direction p ← z + βp and a step along it: x ← x + αp, r ← r − αLp.
    /// Returns ‖r‖².
    ///
    /// x is not needed on the way, so it is moved in every second step only, which saves
    /// memory traffic: with a step `owed` along the last direction, by both; without one,
    /// not at all, and then this step is owed.
    pub fn advance(
        &self,
        (alpha, beta): (f64, f64),
        owed: Option<f64>,
        v: &mut Vectors<T>,
        y: &Panels<T>,
    ) -> f64 {
        let Vectors { x, r, p, q, z } = v;
        let z = &*z;
        let moving = x.par_panels().zip(r.par_panels()).zip(p.par_panels()).zip(q.par_panels());
        let sums: Vec<f64> = moving
            .enumerate()
            .map(|(j, (((x, r), p), q))| {
                let (alpha, beta, owed) = (T::of(alpha), T::of(beta), owed.map(T::of));
                let z = z.panel(j);
                Arch::new().dispatch(Advance { of: self, j, alpha, beta, owed, y, z, p, q, x, r })
            })
            .collect();
        sums.iter().sum()
    }
}

/// The shift s for a K whose spectrum lies between these ends. Their geometric mean
/// would be best if its small eigenvalues were as frequent as its large ones; the fixed
/// entries take most of the small ones away. Measured: `docs/performance.md`.
fn shift(smallest: f64, largest: f64) -> f64 {
    0.25 * smallest.powf(0.25) * largest.powf(0.75)
}

/// The second half of the preconditioner on a panel, and the graph times it.
struct Correct<'a, T> {
    of: &'a Operator<'a, T>,
    j: usize,
    r: &'a [Row<T>],
    full: &'a mut [Row<T>],
    z: &'a mut [Row<T>],
    y: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for Correct<'_, T> {
    type Output = Products;

    #[inline(always)]
    fn call(self) -> Products {
        let Correct { of, j, r, full, z, y } = self;
        for (row, &known) in full.iter_mut().zip(of.known.panel(j)) {
            row.iter_mut().for_each(|v| *v *= of.scale);
            clear(known, row);
        }
        symmetrise(&mut full[rows_of(j, of.n)]);
        z.copy_from_slice(&full[..z.len()]);
        let mut decrease = 0.0;
        for tile in 0..=j {
            let rows = rows_of(tile, of.n);
            decrease += multiplicity(tile, j) * dot(&r[rows.clone()], &z[rows]);
        }
        let mut curvature = [0.0; TILE];
        for (i, y) in y.iter_mut().enumerate() {
            *y = graph_row(&of.graph, i, full);
            let diagonal = of.degree[i] + of.degree[i] + of.lambda;
            for c in 0..TILE {
                let image = diagonal * full[i][c] - y[c] - y[c];
                curvature[c] += (full[i][c] * image).wide();
            }
        }
        Products { decrease, curvature: curvature.iter().sum() }
    }
}

/// Copies the upper triangle of a diagonal tile to the lower one. An antisymmetric
/// part, however small, would grow: on it the operator is another one.
#[inline(always)]
fn symmetrise<T: Real>(tile: &mut [Row<T>]) {
    for i in 1..tile.len() {
        for c in 0..i {
            tile[i][c] = tile[c][i];
        }
    }
}

/// One row of Ĥ times a panel.
#[inline(always)]
fn graph_row<T: Real>(graph: &Csr<T>, i: usize, panel: &[Row<T>]) -> Row<T> {
    let mut sum = [T::zero(); TILE];
    let (columns, values) = graph.row(i);
    for (&s, &h) in columns.iter().zip(values) {
        let source = &panel[s as usize];
        for c in 0..TILE {
            sum[c] += h * source[c];
        }
    }
    sum
}

/// One step in the upper tiles of a panel.
struct Advance<'a, T> {
    of: &'a Operator<'a, T>,
    j: usize,
    alpha: T,
    beta: T,
    owed: Option<T>,
    y: &'a Panels<T>,
    z: &'a [Row<T>],
    p: &'a mut [Row<T>],
    q: &'a mut [Row<T>],
    x: &'a mut [Row<T>],
    r: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for Advance<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Advance { of, j, alpha, beta, owed, y, z, p, q, x, r } = self;
        let (n, known) = (of.n, of.known.panel(j));
        let mut mirrored = [[T::zero(); TILE]; TILE];
        let mut across = [T::zero(); TILE];
        rows_of(j, n).zip(&mut across).for_each(|(i, a)| *a = of.degree[i]);
        let mut square = 0.0;
        for tile in 0..=j {
            transposed(&y.panel(tile)[rows_of(j, n)], &mut mirrored);
            // A sum for each column, so that none waits for another.
            let mut sums = [0.0; TILE];
            for (i, mirrored) in rows_of(tile, n).zip(&mirrored) {
                let down = of.degree[i] + of.lambda;
                let (z, y) = (&z[i], &y.panel(j)[i]);
                let mut image = [T::zero(); TILE];
                for c in 0..TILE {
                    image[c] = (down + across[c]) * z[c] - y[c] - mirrored[c];
                }
                clear(known[i], &mut image);
                let (p, q, r) = (&mut p[i], &mut q[i], &mut r[i]);
                if let Some(owed) = owed {
                    let x = &mut x[i];
                    for c in 0..TILE {
                        x[c] += owed * p[c] + alpha * (z[c] + beta * p[c]);
                    }
                }
                for c in 0..TILE {
                    p[c] = z[c] + beta * p[c];
                    q[c] = image[c] + beta * q[c];
                    r[c] -= alpha * q[c];
                    sums[c] += r[c].wide() * r[c].wide();
                }
            }
            square += multiplicity(tile, j) * sums.iter().sum::<f64>();
        }
        square
    }
}
