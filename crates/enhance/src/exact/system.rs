//! The linear system whose solution is the optimum.

use enclust_core::{Confident, Csr, Error, Problem, Real, Result, Similarity};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::tiles::{Panels, Row, TILE, dot, multiplicity, rows_of, transposed};

/// (S) in hatted variables: with Ĉ_pq = √(r_p r_q) C_pq and Ĥ likewise,
/// (d_p + d_q + λ) ĉ_pq − Σ_s ĥ_ps ĉ_sq − Σ_s ĥ_qs ĉ_ps = λ â_pq on the free
/// entries. Symmetric positive definite; the Frobenius norm of a hatted matrix is
/// that of the n × n one off the diagonal.
pub struct System<S> {
    n: usize,
    lambda: S,
    graph: Csr<S>,
    degree: Vec<S>,
    /// √r of each group.
    roots: Vec<f64>,
    /// For each panel, the (row, column in the tile) that no unknown stands at, down
    /// to its diagonal tile.
    known: Vec<Vec<(u32, u32)>>,
}

impl<S: Real> System<S> {
    /// From the problem; every edge of H must be a fixed entry.
    pub fn new(component: &str, problem: &Problem<'_, S>, lambda: f64) -> Result<Self> {
        let confident = problem.confident;
        check_edges_are_fixed(component, confident)?;
        let sizes = problem.similarity.grouping().sizes();
        let n = sizes.len();
        let roots: Vec<f64> = sizes.iter().map(|&r| (r as f64).sqrt()).collect();
        let links = |p: usize| confident.graph.iter_row(p).map(|(q, h)| (q, h.wide()));
        let hatted = |p: usize| {
            let entry = |(q, h)| (q as u32, S::of(roots[p] * h * roots[q]));
            links(p).map(entry).collect()
        };
        let degree = |p: usize| S::of(links(p).map(|(q, h)| sizes[q] as f64 * h).sum());
        Ok(System {
            n,
            lambda: S::of(lambda),
            graph: Csr::from_rows(n, (0..n).map(hatted).collect()),
            degree: (0..n).map(degree).collect(),
            known: known_entries(&confident.fixed, n),
            roots,
        })
    }

    /// √(r_p r_q).
    pub fn hat(&self, p: usize, q: usize) -> f64 {
        self.roots[p] * self.roots[q]
    }

    /// The largest factor on the diagonal.
    pub fn largest_diagonal(&self) -> f64 {
        let most = self.degree.iter().fold(0.0, |m, d| f64::max(m, d.wide()));
        2.0 * most + self.lambda.wide()
    }

    /// The hatted similarity with the fixed entries at their values, all rows.
    pub fn start(&self, from: &Similarity<S>, fixed: &Csr<S>) -> Panels<S> {
        let mut x = Panels::full(self.n);
        x.par_panels().enumerate().for_each(|(j, panel)| {
            for (i, row) in panel.iter_mut().enumerate() {
                for (c, q) in rows_of(j, self.n).enumerate().filter(|&(_, q)| q != i) {
                    row[c] = S::of(self.hat(i, q) * from.between(i, q).wide());
                }
            }
        });
        for p in 0..self.n {
            for (q, value) in fixed.iter_row(p) {
                *x.at_mut(p, q) = S::of(self.hat(p, q) * value.wide());
            }
        }
        x
    }

    /// out ← L·p on the free entries of the upper tiles, 0 on the others, with `y`
    /// as working space; returns ⟨p, out⟩.
    pub fn apply(&self, p: &Panels<S>, y: &mut Panels<S>, out: &mut Panels<S>) -> f64 {
        y.par_panels().enumerate().for_each(|(j, panel)| {
            Arch::new().dispatch(GraphProduct {
                graph: &self.graph,
                source: p.panel(j),
                out: panel,
            });
        });
        let y = &*y;
        let sums: Vec<f64> = out
            .par_panels()
            .enumerate()
            .map(|(j, out)| {
                Arch::new().dispatch(Combine { system: self, j, p: p.panel(j), y, out })
            })
            .collect();
        sums.iter().sum()
    }

    /// r ← λâ − r on the free entries: turns L·x into the residual.
    pub fn residual(&self, similarity: &Similarity<S>, r: &mut Panels<S>) {
        r.par_panels().enumerate().for_each(|(j, panel)| {
            for (i, row) in panel.iter_mut().enumerate() {
                for (c, q) in rows_of(j, self.n).enumerate().filter(|&(_, q)| q != i) {
                    let a = S::of(self.hat(i, q) * similarity.between(i, q).wide());
                    row[c] = self.lambda * a - row[c];
                }
            }
            self.clear_known(j, panel);
        });
    }

    /// p ← r / diagonal + β p, all rows.
    pub fn next_direction(&self, r: &Panels<S>, beta: f64, p: &mut Panels<S>) {
        p.par_panels().enumerate().for_each(|(j, panel)| {
            Arch::new().dispatch(Direction { system: self, j, r, beta: S::of(beta), panel });
        });
    }

    /// x ← x + αp and r ← r − αq in the upper tiles; the squares of the new r.
    pub fn advance(
        &self,
        alpha: f64,
        (p, q): (&Panels<S>, &Panels<S>),
        (x, r): (&mut Panels<S>, &mut Panels<S>),
    ) -> Squares {
        let panels = x.par_panels().zip(r.par_panels()).enumerate();
        let sums: Vec<Squares> = panels
            .map(|(j, (x, r))| {
                let (p, q) = (p.panel(j), q.panel(j));
                Arch::new().dispatch(Advance { system: self, j, alpha: S::of(alpha), p, q, x, r })
            })
            .collect();
        Squares {
            plain: sums.iter().map(|s| s.plain).sum(),
            preconditioned: sums.iter().map(|s| s.preconditioned).sum(),
        }
    }

    #[inline(always)]
    fn clear_known(&self, j: usize, panel: &mut [Row<S>]) {
        for &(i, c) in &self.known[j] {
            panel[i as usize][c as usize] = S::zero();
        }
    }
}

/// Squares of a residual over the n × n matrix.
#[derive(Clone, Copy, Debug, Default)]
pub struct Squares {
    /// ‖r‖².
    pub plain: f64,
    /// ⟨r, r / diagonal⟩.
    pub preconditioned: f64,
}

fn check_edges_are_fixed<S: Real>(component: &str, confident: &Confident<S>) -> Result<()> {
    for p in 0..confident.graph.rows() {
        for (q, _) in confident.graph.iter_row(p) {
            if confident.fixed.get(p, q).is_none() {
                let what = format!("an edge ({p}, {q}) of H that is not fixed");
                return Err(Error::unsupported(component, what));
            }
        }
    }
    Ok(())
}

/// The diagonal, and the fixed entries, of the upper tiles.
fn known_entries<S: Real>(fixed: &Csr<S>, n: usize) -> Vec<Vec<(u32, u32)>> {
    let mut known = vec![Vec::new(); n.div_ceil(TILE)];
    for i in 0..n {
        let entries = fixed.row(i).0.iter().map(|&q| q as usize).chain([i]);
        for q in entries.filter(|q| i / TILE <= q / TILE) {
            known[q / TILE].push((i as u32, (q % TILE) as u32));
        }
    }
    known
}

/// Ĥ times a panel.
struct GraphProduct<'a, S> {
    graph: &'a Csr<S>,
    source: &'a [Row<S>],
    out: &'a mut [Row<S>],
}

impl<S: Real> NullaryFnOnce for GraphProduct<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (i, out) in self.out.iter_mut().enumerate() {
            let mut sum = [S::zero(); TILE];
            let (columns, values) = self.graph.row(i);
            for (&s, &h) in columns.iter().zip(values) {
                let source = &self.source[s as usize];
                for c in 0..TILE {
                    sum[c] += h * source[c];
                }
            }
            *out = sum;
        }
    }
}

/// The rest of the operator on the upper tiles of a panel, and its part of ⟨p, Lp⟩.
struct Combine<'a, S> {
    system: &'a System<S>,
    j: usize,
    p: &'a [Row<S>],
    y: &'a Panels<S>,
    out: &'a mut [Row<S>],
}

impl<S: Real> NullaryFnOnce for Combine<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Combine { system, j, p, y, out } = self;
        let n = system.n;
        let mut mirrored = [[S::zero(); TILE]; TILE];
        let across: [S; TILE] = degrees_across(system, j);
        for tile in 0..=j {
            transposed(&y.panel(tile)[rows_of(j, n)], &mut mirrored);
            for (i, mirrored) in rows_of(tile, n).zip(&mirrored) {
                let down = system.degree[i] + system.lambda;
                let (p, y, out) = (&p[i], &y.panel(j)[i], &mut out[i]);
                for c in 0..TILE {
                    out[c] = (down + across[c]) * p[c] - y[c] - mirrored[c];
                }
            }
        }
        system.clear_known(j, out);
        (0..=j)
            .map(|tile| multiplicity(tile, j) * dot(&p[rows_of(tile, n)], &out[rows_of(tile, n)]))
            .sum()
    }
}

/// A step of solution and residual in one panel.
struct Advance<'a, S> {
    system: &'a System<S>,
    j: usize,
    alpha: S,
    p: &'a [Row<S>],
    q: &'a [Row<S>],
    x: &'a mut [Row<S>],
    r: &'a mut [Row<S>],
}

impl<S: Real> NullaryFnOnce for Advance<'_, S> {
    type Output = Squares;

    #[inline(always)]
    fn call(self) -> Squares {
        let Advance { system, j, alpha, p, q, x, r } = self;
        let across: [S; TILE] = degrees_across(system, j);
        let mut squares = Squares::default();
        for tile in 0..=j {
            // A sum for each column, so that none waits for another.
            let (mut plain, mut preconditioned) = ([0.0; TILE], [0.0; TILE]);
            for i in rows_of(tile, system.n) {
                let down = system.degree[i] + system.lambda;
                let (p, q, x, r) = (&p[i], &q[i], &mut x[i], &mut r[i]);
                for c in 0..TILE {
                    x[c] += alpha * p[c];
                    r[c] -= alpha * q[c];
                    plain[c] += r[c].wide() * r[c].wide();
                    preconditioned[c] += (r[c] * (r[c] / (down + across[c]))).wide();
                }
            }
            let weight = multiplicity(tile, j);
            squares.plain += weight * plain.iter().sum::<f64>();
            squares.preconditioned += weight * preconditioned.iter().sum::<f64>();
        }
        squares
    }
}

/// Degrees of the groups of a tile, 0 for the padding.
#[inline(always)]
fn degrees_across<S: Real>(system: &System<S>, tile: usize) -> [S; TILE] {
    let mut across = [S::zero(); TILE];
    for (a, q) in across.iter_mut().zip(rows_of(tile, system.n)) {
        *a = system.degree[q];
    }
    across
}

/// The next search direction in one panel.
struct Direction<'a, S> {
    system: &'a System<S>,
    j: usize,
    r: &'a Panels<S>,
    beta: S,
    panel: &'a mut [Row<S>],
}

impl<S: Real> NullaryFnOnce for Direction<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Direction { system, j, r, beta, panel } = self;
        let n = system.n;
        let mut mirrored = [[S::zero(); TILE]; TILE];
        let across: [S; TILE] = degrees_across(system, j);
        for tile in 0..n.div_ceil(TILE) {
            if tile > j {
                transposed(&r.panel(tile)[rows_of(j, n)], &mut mirrored);
            } else {
                mirrored[..rows_of(tile, n).len()].copy_from_slice(&r.panel(j)[rows_of(tile, n)]);
            }
            for (i, r) in rows_of(tile, n).zip(&mirrored) {
                let down = system.degree[i] + system.lambda;
                let p = &mut panel[i];
                for c in 0..TILE {
                    p[c] = r[c] / (down + across[c]) + beta * p[c];
                }
            }
        }
    }
}
