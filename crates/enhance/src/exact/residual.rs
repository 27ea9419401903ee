//! The residual of a result, always in double precision.

use enclust_core::{Condensed, Real, Similarity};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::system::{System, clear};
use super::tiles::{Panels, Row, TILE, load_symmetric, multiplicity, rows_of};
use super::transpose::transposed;

/// Measured quantities of a result. Sums are over the n × n matrix without its diagonal blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// ‖R‖², where R is the residual of the system.
    pub square: f64,
    /// The largest entry of R, without the hat scaling.
    pub largest: f64,
    /// ‖C‖².
    pub size: f64,
    /// Σ C ∘ ΦC.
    pub energy: f64,
    /// ‖C − A‖².
    pub distance: f64,
}

/// Computes r ← λ(Â − Ĉ) − Φ̂Ĉ − ĈΦ̂ on the free entries of the upper tiles: the residual of (S).
/// Φ̂Ĉ is stored as `high + low`, two numbers in the precision of the iteration that represent
/// one number in double precision. A is not given if it is the answer itself; to look up its
/// entries in another order takes a fourth of the time.
pub fn residual<S: Real, T: Real>(
    system: &System,
    given: Option<&Similarity<S>>,
    answer: &Panels<S>,
    (high, low): (&mut Panels<T>, &mut Panels<T>),
    r: &mut Panels<T>,
) -> Measure {
    let n = system.len();
    let fresh = || (vec![[S::zero(); TILE]; n], vec![[0.0; TILE]; n], vec![[0.0; TILE]; n]);
    let energies: Vec<f64> = high
        .par_panels()
        .zip(low.par_panels())
        .enumerate()
        .map_init(fresh, |(loaded, c, y), (j, (high, low))| {
            load_symmetric(answer, j, loaded);
            Arch::new().dispatch(Hatted { system, j, loaded, c });
            system.product.multiply(c.as_flattened(), y.as_flattened_mut(), TILE);
            Arch::new().dispatch(Laplacian { system, c, y, high, low })
        })
        .collect();
    let image = (&*high, &*low);
    let parts: Vec<Measure> = r
        .par_panels()
        .enumerate()
        .map_init(
            || vec![[0.0; TILE]; n],
            |a, (j, r)| {
                let a = &mut a[..r.len()];
                match given {
                    Some(given) => load_given(system, given.pairs(), j, a),
                    None => widen(answer.panel(j), a),
                }
                Arch::new().dispatch(Combine { system, j, a, c: answer.panel(j), image, r })
            },
        )
        .collect();
    let sum = parts.into_iter().fold(Measure::default(), Measure::and);
    Measure { energy: energies.iter().sum(), ..sum }
}

impl Measure {
    fn and(self, other: Measure) -> Measure {
        Measure {
            square: self.square + other.square,
            largest: self.largest.max(other.largest),
            size: self.size + other.size,
            energy: self.energy + other.energy,
            distance: self.distance + other.distance,
        }
    }
}

fn widen<S: Real>(rows: &[Row<S>], out: &mut [Row<f64>]) {
    for (out, &value) in out.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
        *out = value.wide();
    }
}

/// The upper tiles of panel j of A.
fn load_given<S: Real>(system: &System, given: Condensed<&[S]>, j: usize, a: &mut [Row<f64>]) {
    for (row, &p) in a.iter_mut().zip(&system.order) {
        *row = [0.0; TILE];
        for (a, k) in row.iter_mut().zip(rows_of(j, system.len())) {
            let q = system.order[k];
            *a = if p == q { 0.0 } else { given[(p, q)].wide() };
        }
    }
}

/// √r of the groups of a tile; 1 for the padding.
fn roots_across(system: &System, j: usize) -> Row<f64> {
    let mut across = [1.0; TILE];
    rows_of(j, system.len()).zip(&mut across).for_each(|(i, a)| *a = system.roots[i]);
    across
}

/// Ĉ of one panel.
struct Hatted<'a, S> {
    system: &'a System,
    j: usize,
    loaded: &'a [Row<S>],
    c: &'a mut [Row<f64>],
}

impl<S: Real> NullaryFnOnce for Hatted<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Hatted { system, j, loaded, c } = self;
        let across = roots_across(system, j);
        for ((c, loaded), root) in c.iter_mut().zip(loaded).zip(&system.roots) {
            for at in 0..TILE {
                c[at] = loaded[at].wide() * (root * across[at]);
            }
        }
    }
}

/// Φ̂Ĉ of one panel, from Ĉ and y = ĤĈ, and ⟨Ĉ, Φ̂Ĉ⟩.
struct Laplacian<'a, T> {
    system: &'a System,
    c: &'a [Row<f64>],
    y: &'a [Row<f64>],
    high: &'a mut [Row<T>],
    low: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for Laplacian<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Laplacian { system, c, y, high, low } = self;
        let mut energy = [0.0; TILE];
        for i in 0..c.len() {
            for at in 0..TILE {
                let image = system.equations.degree[i] * c[i][at] - y[i][at];
                energy[at] += c[i][at] * image;
                high[i][at] = T::of(image);
                low[i][at] = T::of(image - high[i][at].wide());
            }
        }
        energy.iter().sum()
    }
}

/// The residual on the free entries of the upper tiles of panel j.
struct Combine<'a, S, T> {
    system: &'a System,
    j: usize,
    a: &'a [Row<f64>],
    c: &'a [Row<S>],
    image: (&'a Panels<T>, &'a Panels<T>),
    r: &'a mut [Row<T>],
}

impl<S: Real, T: Real> NullaryFnOnce for Combine<'_, S, T> {
    type Output = Measure;

    #[inline(always)]
    fn call(self) -> Measure {
        let Combine { system, j, a, c, image: (high, low), r } = self;
        let n = system.len();
        let across = roots_across(system, j);
        let mut mirrored = [[[T::zero(); TILE]; TILE]; 2];
        let mut sum = Measure::default();
        let mut largest = [0.0_f64; TILE];
        for tile in 0..=j {
            transposed(&high.panel(tile)[rows_of(j, n)], &mut mirrored[0]);
            transposed(&low.panel(tile)[rows_of(j, n)], &mut mirrored[1]);
            let (mut square, mut size, mut distance) = ([0.0; TILE], [0.0; TILE], [0.0; TILE]);
            for (at, i) in rows_of(tile, n).enumerate() {
                let (high, low) = (&high.panel(j)[i], &low.panel(j)[i]);
                let mut row = [0.0; TILE];
                for k in 0..TILE {
                    let hat = system.roots[i] * across[k];
                    let (value, off) = (hat * c[i][k].wide(), hat * (a[i][k] - c[i][k].wide()));
                    let own = high[k].wide() + low[k].wide();
                    let other = mirrored[0][at][k].wide() + mirrored[1][at][k].wide();
                    row[k] = system.equations.lambda * off - (own + other);
                    size[k] += value * value;
                    distance[k] += off * off;
                }
                clear(system.equations.known.panel(j)[i], &mut row);
                for k in 0..TILE {
                    r[i][k] = T::of(row[k]);
                    square[k] += row[k] * row[k];
                    largest[k] = largest[k].max(row[k].abs() / (system.roots[i] * across[k]));
                }
            }
            let weighted = |sums: [f64; TILE]| multiplicity(tile, j) * sums.iter().sum::<f64>();
            sum.square += weighted(square);
            sum.size += weighted(size);
            sum.distance += weighted(distance);
        }
        Measure { largest: largest.into_iter().fold(0.0, f64::max), ..sum }
    }
}
