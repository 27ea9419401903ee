//! The blocks between islands, by alternating directions.

use std::ops::Range;

use enclust_core::{Backend, Real, Result, ShiftedFactor, SparseSolve};
use enclust_linalg::Vector;
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::preconditioner::symmetrise;
use super::system::System;
use super::tiles::{Panels, Row, TILE, multiplicity, rows_of};
use super::transpose::transposed;

/// Corrects the entries between islands, which contain no known entries: there the system is KX +
/// XK = R, with the K of each island.
///
/// A step with the shift s and W = (K + s)⁻¹ adds 2s WRW to X and leaves the residual (1 − 2sW) R
/// (1 − 2sW). The factor 1 − 2sW has the eigenvalues (μ − s) / (μ + s) for those μ of K, so a
/// few shifts that are spread over the spectrum make all of them small. Unlike conjugate
/// gradients, this takes a number of steps that grows with the logarithm of the condition, and a
/// step needs no product with the graph.
pub struct Between<T> {
    segments: Vec<Segment>,
    /// K of every segment, prepared for factors of K + s.
    matrices: Vec<Box<dyn ShiftedFactor<T>>>,
    /// The shifts that have not been used.
    shifts: std::vec::IntoIter<f64>,
    /// The residual and the correction, in upper tiles; zero inside islands.
    r: Panels<T>,
    x: Panels<T>,
    /// WR, all rows.
    t: Panels<T>,
    norm: f64,
}

type Factor<T> = Box<dyn SparseSolve<T>>;

/// Adjacent positions that no edge leaves.
#[derive(Clone)]
struct Segment {
    positions: Range<usize>,
    /// Whether it is a single island.
    single: bool,
}

/// Smaller islands share a segment.
const SMALLEST_SEGMENT: usize = 2 * TILE;

impl<T: Real> Between<T> {
    /// Starts from a residual, which is set to zero inside islands, with two matrices as working
    /// memory. The shifts suffice to reduce the norm of the residual to `goal`.
    pub fn new(
        system: &System,
        backend: &dyn Backend<T>,
        mut r: Panels<T>,
        (t, mut x): (Panels<T>, Panels<T>),
        goal: f64,
    ) -> Result<Self> {
        clear_inside(system, &mut r);
        x.clear();
        let (norm, segments) = (r.dot(&r).sqrt(), segments(system));
        let (smallest, largest) =
            (system.equations.lambda / 2.0, system.equations.largest_diagonal());
        let shifts = if norm > goal { shifts(smallest, largest, goal / norm) } else { Vec::new() };
        let matrices =
            if shifts.is_empty() { Ok(Vec::new()) } else { prepared(system, backend, &segments) }?;
        Ok(Between { segments, matrices, shifts: shifts.into_iter(), r, x, t, norm })
    }

    /// ‖R‖ over the entries between islands.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// Adds some columns of row i of the hatted correction.
    pub fn add_to(&self, i: usize, columns: Range<usize>, row: &mut [f64]) {
        let x = &self.x.panel(columns.start / TILE)[i];
        row.iter_mut().zip(x).for_each(|(sum, x)| *sum += x.wide());
    }

    /// Whether no shift is left.
    pub fn ends(&self) -> bool {
        self.shifts.len() == 0
    }

    /// A step with the next shift.
    pub fn step(&mut self) -> Result<()> {
        let Some(shift) = self.shifts.next() else { return Ok(()) };
        let factors = self.matrices.par_iter().map(|matrix| matrix.factor(shift));
        let factors: Vec<Factor<T>> = factors.collect::<Result<_>>()?;
        let Between { segments, r, x, t, .. } = self;
        let (segments, n) = (&*segments, r.rows());
        t.par_panels().enumerate().for_each(|(j, panel)| {
            let skipped = inside_of(segments, j, n);
            load(n, &skipped, panel, |tile, out| match tile <= j {
                true => out.copy_from_slice(&r.panel(j)[rows_of(tile, n)]),
                false => transposed(&r.panel(tile)[rows_of(j, n)], out),
            });
            solve(segments, &factors, &skipped, panel);
        });
        let t = &*t;
        let squares: Vec<f64> = (x.par_panels().zip(r.par_panels()).enumerate())
            .map_init(
                || vec![[T::zero(); TILE]; n],
                |panel, (j, (x, r))| {
                    let skipped = inside_of(segments, j, n);
                    load(n, &skipped, panel, |tile, out| {
                        transposed(&t.panel(tile)[rows_of(j, n)], out);
                    });
                    solve(segments, &factors, &skipped, panel);
                    let twice = T::of(2.0 * shift);
                    Arch::new().dispatch(Update { j, skipped, twice, t, u: panel, x, r })
                },
            )
            .collect();
        self.norm = squares.iter().sum::<f64>().sqrt();
        Ok(())
    }
}

/// K of every segment.
fn prepared<T: Real>(
    system: &System,
    backend: &dyn Backend<T>,
    segments: &[Segment],
) -> Result<Vec<Box<dyn ShiftedFactor<T>>>> {
    let prepare = |segment: &Segment| {
        let matrix = system.equations.shifted(0.0, segment.positions.clone());
        let prepared = backend.shifted(&matrix, usize::MAX)?;
        Ok(prepared.expect("factors of any size are accepted"))
    };
    segments.par_iter().map(prepare).collect()
}

/// Shifts for a K whose spectrum is between these ends, the largest first. Equal ratios between
/// them are nearly optimal. Their number is the smallest that reduces every residual by `factor`.
fn shifts(smallest: f64, largest: f64, factor: f64) -> Vec<f64> {
    let at = |share: f64| largest * (smallest / largest).powf(share);
    let spread =
        |count: usize| (0..count).map(|k| at((k as f64 + 0.5) / count as f64)).collect::<Vec<_>>();
    let remains = |shifts: &[f64], eigenvalue: f64| -> f64 {
        shifts.iter().map(|s| ((eigenvalue - s) / (eigenvalue + s)).powi(2)).product()
    };
    let suffices = |shifts: &Vec<f64>| {
        let samples = 8 * shifts.len();
        (0..=samples).all(|k| remains(shifts, at(k as f64 / samples as f64)) <= factor)
    };
    (1..=MOST_SHIFTS).map(spread).find(suffices).unwrap_or_else(|| spread(MOST_SHIFTS))
}

/// A limit for factors that rounding does not allow anyway.
const MOST_SHIFTS: usize = 64;

/// Large islands alone, and small ones together.
fn segments(system: &System) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for island in &system.islands {
        let positions = island.positions.clone();
        match segments.last_mut() {
            Some(last) if last.positions.len() < SMALLEST_SEGMENT => {
                *last = Segment { positions: last.positions.start..positions.end, single: false };
            }
            _ => segments.push(Segment { positions, single: true }),
        }
    }
    segments
}

/// The positions of the island that contains all columns of a panel; none if there are several.
fn inside_of(segments: &[Segment], j: usize, n: usize) -> Range<usize> {
    let columns = rows_of(j, n);
    let holds = |s: &&Segment| {
        s.single && s.positions.start <= columns.start && columns.end <= s.positions.end
    };
    segments.iter().find(holds).map_or(n..n, |s| s.positions.clone())
}

/// Whether the rows of a tile are all to be skipped.
fn is_within(tile: usize, n: usize, skipped: &Range<usize>) -> bool {
    let rows = rows_of(tile, n);
    skipped.start <= rows.start && rows.end <= skipped.end
}

/// Loads the tiles of a panel that are not skipped.
fn load<T: Real>(
    n: usize,
    skipped: &Range<usize>,
    panel: &mut [Row<T>],
    tile: impl Fn(usize, &mut [Row<T>]),
) {
    for at in (0..n.div_ceil(TILE)).filter(|&at| !is_within(at, n, skipped)) {
        tile(at, &mut panel[rows_of(at, n)]);
    }
}

/// Solves with the factors of all segments but the skipped one.
fn solve<T: Real>(
    segments: &[Segment],
    factors: &[Factor<T>],
    skipped: &Range<usize>,
    panel: &mut [Row<T>],
) {
    for (segment, factor) in segments.iter().zip(factors) {
        if segment.positions != *skipped {
            let rows = &mut panel[segment.positions.clone()];
            factor.solve_panel(rows.as_flattened_mut(), TILE);
        }
    }
}

/// Sets the entries inside islands to zero.
fn clear_inside<T: Real>(system: &System, r: &mut Panels<T>) {
    let n = system.len();
    r.par_panels().enumerate().for_each(|(j, panel)| {
        let columns = rows_of(j, n);
        for island in &system.islands {
            let inside =
                island.positions.start.max(columns.start)..island.positions.end.min(columns.end);
            if inside.is_empty() {
                continue;
            }
            let rows = island.positions.start..island.positions.end.min(panel.len());
            for row in &mut panel[rows] {
                row[inside.start - columns.start..inside.end - columns.start].fill(T::zero());
            }
        }
    });
}

/// X ← X + 2s U and R ← R − 2s (T + Tᵀ) + 4s² U in the upper tiles of panel j, with U = WRW.
/// Returns ‖R‖² over these tiles.
struct Update<'a, T> {
    j: usize,
    skipped: Range<usize>,
    twice: T,
    t: &'a Panels<T>,
    u: &'a [Row<T>],
    x: &'a mut [Row<T>],
    r: &'a mut [Row<T>],
}

impl<T: Real> NullaryFnOnce for Update<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Update { j, skipped, twice, t, u, x, r } = self;
        let n = u.len();
        let mut mirrored = [[T::zero(); TILE]; TILE];
        let mut square = 0.0;
        for tile in (0..=j).filter(|&tile| !is_within(tile, n, &skipped)) {
            transposed(&t.panel(tile)[rows_of(j, n)], &mut mirrored);
            for (i, mirrored) in rows_of(tile, n).zip(&mirrored) {
                let (t, u, x, r) = (&t.panel(j)[i], &u[i], &mut x[i], &mut r[i]);
                for c in 0..TILE {
                    let step = twice * u[c];
                    x[c] += step;
                    r[c] += twice * (step - t[c] - mirrored[c]);
                }
            }
            if tile == j {
                symmetrise(&mut x[rows_of(j, n)]);
                symmetrise(&mut r[rows_of(j, n)]);
            }
            let mut sums = [0.0; TILE];
            for r in &r[rows_of(tile, n)] {
                for c in 0..TILE {
                    sums[c] += r[c].wide() * r[c].wide();
                }
            }
            square += multiplicity(tile, j) * sums.iter().sum::<f64>();
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use enclust_core::{Confident, Ctx, Grouping, Problem, Reference, Similarity};

    use super::*;

    /// Two islands that hold whole panels, one that does not, and thirty single groups.
    const ISLANDS: [usize; 3] = [200, 150, 40];
    const GROUPS: usize = 200 + 150 + 40 + 30;

    fn system() -> Result<System> {
        let map: Vec<u32> = (0..GROUPS as u32).flat_map(|p| vec![p; 1 + p as usize % 3]).collect();
        let between = vec![0.5; GROUPS * (GROUPS - 1) / 2];
        let grouping = Arc::new(Grouping::from_map(map)?);
        let a = Similarity::new(grouping, between, vec![1.0; GROUPS], vec![1.0; GROUPS])?;
        let mut edges = Vec::new();
        let mut first = 0;
        for size in ISLANDS {
            let edge = |p: usize, q: usize| (first + p, first + q, 0.5 + (p % 7) as f64 / 14.0);
            edges.extend((1..size).map(|q| edge((q - 1) / 2, q)));
            edges.extend((5..size).map(|q| edge(q - 5, q)));
            first += size;
        }
        let h = Confident::from_pairs(&a, edges)?;
        System::new("exact", &Problem::new(&a, &h)?, 0.3, Ctx::<f64>::default().backend())
    }

    /// The island of a position.
    fn island(system: &System, i: usize) -> usize {
        system.islands.partition_point(|island| island.positions.end <= i)
    }

    fn residual<T: Real>(n: usize) -> Panels<T> {
        Panels::from_upper(n, |i, j| T::of(((i * 31 + j * 17) % 23) as f64 / 23.0 - 0.4))
    }

    /// KX + XK at (i, j), by definition.
    fn image<T: Real>(system: &System, x: &Panels<T>, i: usize, j: usize) -> f64 {
        let at = |i: usize, j: usize| x.at(i.min(j), i.max(j)).wide();
        let k = |i: usize, j: usize| {
            let pulls: f64 = system.equations.graph.iter_row(i).map(|(s, h)| h * at(s, j)).sum();
            (system.equations.degree[i] + system.equations.lambda / 2.0) * at(i, j) - pulls
        };
        k(i, j) + k(j, i)
    }

    fn check<T: Real>(backend: &dyn Backend<T>, goal: f64) -> Result<()> {
        let system = system()?;
        let n = system.len();
        let spare = (Panels::full(n), Panels::full(n));
        let mut solve = Between::new(&system, backend, residual(n), spare, goal)?;
        // The branches of real data: islands alone and together, panels inside an island or not.
        assert!(
            solve.segments.iter().any(|s| s.single) && solve.segments.iter().any(|s| !s.single)
        );
        let skips = |j: usize| !inside_of(&solve.segments, j, n).is_empty();
        assert!((0..n / TILE).any(skips) && !(0..n / TILE).all(skips));
        while !solve.ends() {
            solve.step()?;
        }
        assert!(solve.norm() <= goal, "{} after the last step", solve.norm());
        let first = residual::<T>(n);
        let mut square = 0.0;
        for j in 0..n {
            for i in 0..j {
                let apart = island(&system, i) != island(&system, j);
                let left = first.at(i, j).wide() - image(&system, &solve.x, i, j);
                let x = solve.x.at(i, j);
                assert!(apart || x == T::zero(), "({i}, {j}) is inside an island");
                square += if apart { 2.0 * left * left } else { 0.0 };
            }
        }
        assert!(square.sqrt() <= 1.1 * goal, "{} by definition", square.sqrt());
        Ok(())
    }

    #[test]
    fn the_residual_between_islands_vanishes_in_double_precision() -> Result<()> {
        check::<f64>(&Reference, 1e-8)
    }

    #[test]
    fn the_residual_between_islands_vanishes_in_single_precision() -> Result<()> {
        check::<f32>(&Reference, 1e-2)
    }

    #[test]
    fn shifts_suffice_for_every_eigenvalue() {
        for (largest, factor) in [(1.0, 0.1), (1e3, 1e-4), (1e6, 1e-8)] {
            let shifts = shifts(0.1, largest, factor);
            for k in 0..=1000 {
                let eigenvalue = 0.1 * (largest / 0.1).powf(f64::from(k) / 1000.0);
                let remains = |s: &f64| ((eigenvalue - s) / (eigenvalue + s)).powi(2);
                let left: f64 = shifts.iter().map(remains).product();
                assert!(left <= 1.05 * factor, "{left} of eigenvalue {eigenvalue} remains");
            }
        }
    }
}
