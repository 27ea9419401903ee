//! The system as an operator on tiled matrices.

use enclust_core::{Backend, Csr, Real, SparseProduct};
use enclust_linalg::{Operator, Step, Vector, Vectors};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::system::{Equations, Known, clear};
use super::tiles::{Panels, Row, TILE, dot, load_symmetric, multiplicity, rows_of};
use super::transpose::transposed;

/// L = K⊗I + I⊗K on the free entries, with K = Φ̂ + λ/2, in the precision of the iteration.
pub struct ProductLaplacian<'a, T> {
    pub known: &'a Known,
    pub n: usize,
    lambda: T,
    /// Products with Ĥ, computed by the backend one panel at a time.
    graph: Box<dyn SparseProduct<T>>,
    degree: Vec<T>,
}

/// Two matrices with all rows: working memory of the operator and of its preconditioner.
pub struct Scratch<T> {
    /// The first half of the preconditioner.
    pub t: Panels<T>,
    /// Ĥ times a vector.
    pub y: Panels<T>,
}

impl<'a, T: Real> ProductLaplacian<'a, T> {
    pub fn new(system: &'a Equations, backend: &dyn Backend<T>) -> Self {
        let n = system.len();
        let narrow = |i| system.graph.iter_row(i).map(|(j, h)| (j as u32, T::of(h))).collect();
        ProductLaplacian {
            known: &system.known,
            n,
            lambda: T::of(system.lambda),
            graph: backend.sparse(Csr::from_rows(n, (0..n).map(narrow).collect())),
            degree: system.degree.iter().map(|&d| T::of(d)).collect(),
        }
    }

    /// y ← Ĥz for one panel with all rows; returns ⟨z, Lz⟩ over it.
    pub fn multiply(&self, z: &[Row<T>], y: &mut [Row<T>]) -> f64 {
        // One sum per column, so that the sums are independent.
        let mut sums = [0.0; TILE];
        self.graph.multiply_and_visit(
            z.as_flattened(),
            y.as_flattened_mut(),
            TILE,
            &mut |first, y| {
                let y = y.as_chunks::<TILE>().0;
                let (z, degree) = (&z[first..][..y.len()], &self.degree[first..]);
                Arch::new().dispatch(Curvature {
                    lambda: self.lambda,
                    degree,
                    z,
                    y,
                    sums: &mut sums,
                });
            },
        );
        sums.iter().sum()
    }

    /// (Lz)ᵢ from z, y = Ĥz and yᵀ; known entries are zero.
    #[inline(always)]
    fn image(
        &self,
        i: usize,
        across: &Row<T>,
        known: u64,
        [z, y, mirrored]: [&Row<T>; 3],
    ) -> Row<T> {
        let down = self.degree[i] + self.lambda;
        let mut image = [T::zero(); TILE];
        for c in 0..TILE {
            image[c] = (down + across[c]) * z[c] - y[c] - mirrored[c];
        }
        clear(known, &mut image);
        image
    }

    /// The degrees of the columns of a panel.
    #[inline(always)]
    fn degrees_across(&self, j: usize) -> Row<T> {
        let mut across = [T::zero(); TILE];
        rows_of(j, self.n).zip(&mut across).for_each(|(i, a)| *a = self.degree[i]);
        across
    }
}

impl<T: Real> Operator for ProductLaplacian<'_, T> {
    type Vector = Panels<T>;
    type Scratch = Scratch<T>;

    /// Symmetric matrices are stored in upper tiles.
    fn zeros(&self) -> Panels<T> {
        Panels::upper(self.n)
    }

    fn scratch(&self) -> Scratch<T> {
        Scratch { t: Panels::full(self.n), y: Panels::full(self.n) }
    }

    fn apply(&self, x: &Panels<T>, out: &mut Panels<T>, scratch: &mut Scratch<T>) {
        scratch.y.par_panels().enumerate().for_each_init(
            || vec![[T::zero(); TILE]; self.n],
            |full, (j, y)| {
                load_symmetric(x, j, full);
                self.graph.multiply(full.as_flattened(), y.as_flattened_mut(), TILE);
            },
        );
        let y = &scratch.y;
        out.par_panels().enumerate().for_each(|(j, out)| {
            Arch::new().dispatch(Image { of: self, j, x: x.panel(j), y, out });
        });
    }

    fn advance(&self, step: Step, v: &mut Vectors<Panels<T>>, scratch: &mut Scratch<T>) -> f64 {
        let Vectors { x, r, p, q, z, .. } = v;
        let (z, y) = (&*z, &scratch.y);
        let moving = x.par_panels().zip(r.par_panels()).zip(p.par_panels()).zip(q.par_panels());
        let sums: Vec<f64> = moving
            .enumerate()
            .map(|(j, (((x, r), p), q))| {
                let (alpha, beta) = (T::of(step.alpha), T::of(step.beta));
                let (owed, z) = (step.owed.map(T::of), z.panel(j));
                Arch::new().dispatch(Advance { of: self, j, alpha, beta, owed, y, z, p, q, x, r })
            })
            .collect();
        sums.iter().sum()
    }
}

/// Sums run over the whole symmetric matrix.
impl<T: Real> Vector for Panels<T> {
    fn dot(&self, other: &Self) -> f64 {
        let n = self.rows();
        let panel = |j: usize| -> f64 {
            let (a, b) = (self.panel(j), other.panel(j));
            let tile = |i| multiplicity(i, j) * dot(&a[rows_of(i, n)], &b[rows_of(i, n)]);
            (0..=j).map(tile).sum()
        };
        let sums: Vec<f64> = (0..n.div_ceil(TILE)).into_par_iter().map(panel).collect();
        sums.iter().sum()
    }

    fn scale_and_add(&mut self, factor: f64, other: &Self) {
        let factor = T::of(factor);
        self.change(other, |v, o| *v = o + factor * *v);
    }

    fn add_scaled(&mut self, factor: f64, other: &Self) {
        let factor = T::of(factor);
        self.change(other, |v, o| *v += factor * o);
    }

    fn clear(&mut self) {
        self.par_panels().for_each(|panel| panel.fill([T::zero(); TILE]));
    }
}

/// Adds the contribution of some rows to ⟨z, Lz⟩.
struct Curvature<'a, T> {
    lambda: T,
    degree: &'a [T],
    z: &'a [Row<T>],
    y: &'a [Row<T>],
    sums: &'a mut Row<f64>,
}

impl<T: Real> NullaryFnOnce for Curvature<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Curvature { lambda, degree, z, y, sums } = self;
        for ((z, y), &degree) in z.iter().zip(y).zip(degree) {
            let diagonal = degree + degree + lambda;
            for c in 0..TILE {
                let image = diagonal * z[c] - y[c] - y[c];
                sums[c] += (z[c] * image).wide();
            }
        }
    }
}

/// Lx in the upper tiles of a panel.
struct Image<'a, T> {
    of: &'a ProductLaplacian<'a, T>,
    j: usize,
    x: &'a [Row<T>],
    y: &'a Panels<T>,
    out: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for Image<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Image { of, j, x, y, out } = self;
        let (n, known, across) = (of.n, of.known.panel(j), of.degrees_across(j));
        let mut mirrored = [[T::zero(); TILE]; TILE];
        for tile in 0..=j {
            transposed(&y.panel(tile)[rows_of(j, n)], &mut mirrored);
            for (i, mirrored) in rows_of(tile, n).zip(&mirrored) {
                out[i] = of.image(i, &across, known[i], [&x[i], &y.panel(j)[i], mirrored]);
            }
        }
    }
}

/// One step in the upper tiles of a panel.
struct Advance<'a, T> {
    of: &'a ProductLaplacian<'a, T>,
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
        let (n, known, across) = (of.n, of.known.panel(j), of.degrees_across(j));
        let mut mirrored = [[T::zero(); TILE]; TILE];
        let mut square = 0.0;
        for tile in 0..=j {
            transposed(&y.panel(tile)[rows_of(j, n)], &mut mirrored);
            // One sum per column, so that the sums are independent.
            let mut sums = [0.0; TILE];
            for (i, mirrored) in rows_of(tile, n).zip(&mirrored) {
                let (z, y) = (&z[i], &y.panel(j)[i]);
                let image = of.image(i, &across, known[i], [z, y, mirrored]);
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
