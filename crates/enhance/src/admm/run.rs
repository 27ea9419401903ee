//! The variables of one run, and one iteration on them.

use std::sync::Arc;

use enclust_core::{Change, Ctx, Problem, Real, Result, Similarity, condensed_len};
use rayon::prelude::*;

use super::Admm;
use super::blocks::InverseBlocks;
use super::norms::Sums;
use super::panel::{Columns, Shared};
use super::update_f::cut_symmetric_part;
use super::variable::{PANEL, Variable};
use crate::objective::{clip, norm};

/// A variable may be zero up to rounding errors (Y₂ is, if C stays symmetric and within its
/// bounds), and these errors must not affect the stopping rule. They stay below this many units
/// in the last place of ‖A‖.
const NOISE: f64 = 64.0;

/// For each column, the fixed rows and the values of E there.
pub type FixedColumns<S> = Vec<Vec<(usize, S)>>;

fn fixed_columns<S: Real>(problem: &Problem<'_, S>, order: &[usize]) -> FixedColumns<S> {
    let position = positions(order);
    let column = |(at, &p): (usize, &usize)| {
        let entry = |(q, v)| (position[q], problem.similarity.between(p, q) - v);
        let inside = problem.confident.fixed_within[p].then_some((at, S::zero()));
        problem.confident.fixed.iter_row(p).map(entry).chain(inside).collect()
    };
    order.iter().enumerate().map(column).collect()
}

/// The position of each group in the order.
fn positions(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &p)| position[p] = at);
    position
}

/// The state of one run. All rows and columns are in the order of the blocks.
///
/// Y₂ is not stored. The state contains T = C + Y₂/γ₂ instead, and F is the symmetric part of T,
/// clipped. The step Y₂ ← Y₂ + γ₂(C − F) then becomes Y₂ = γ₂(T − F) and needs no separate pass.
pub struct Run<'a, S> {
    params: &'a Admm,
    inverse: InverseBlocks<S>,
    sizes: Vec<f64>,
    fixed: FixedColumns<S>,
    a: Variable<S>,
    c: Variable<S>,
    e: Variable<S>,
    f: Variable<S>,
    y1: Variable<S>,
    t: Variable<S>,
    /// Norms below this are rounding errors.
    noise: f64,
}

impl<'a, S: Real> Run<'a, S> {
    /// The starting point of the authors' program.
    pub fn new(params: &'a Admm, problem: &Problem<'_, S>, ctx: &Ctx<'_, S>) -> Result<Self> {
        let sizes = problem.similarity.grouping().sizes();
        let gamma = params.gamma1 + params.gamma2;
        let inverse = InverseBlocks::new(problem.confident, sizes, gamma, ctx.backend())?;
        let n = sizes.len();
        Ok(Run {
            params,
            sizes: inverse.order.iter().map(|&p| sizes[p] as f64).collect(),
            fixed: fixed_columns(problem, &inverse.order),
            a: Variable::ordered(problem.similarity, &inverse.order),
            y1: Variable::ordered(problem.similarity, &inverse.order),
            c: Variable::zeros(n),
            e: Variable::zeros(n),
            f: Variable::zeros(n),
            t: Variable::zeros(n),
            noise: NOISE * S::epsilon().wide() * norm(problem.similarity),
            inverse,
        })
    }

    /// One iteration. Returns the steps of C, E, F, Y₁ and Y₂.
    pub fn step(&mut self, ctx: &Ctx<'_, S>) -> Vec<Change> {
        let [c, e, y1, mut y2] = self.update_c_e_y1(ctx);
        let (f, residual) = self.update_f();
        y2.step = residual;
        let names = ["C", "E", "F", "Y1", "Y2"].into_iter();
        let changes = names.zip([c, e, f, y1, y2]).map(|(name, s)| s.change(name, self.noise));
        changes.collect()
    }

    /// C, E, Y₁ and T need no transpose, so all four are updated for one panel of columns while
    /// it is in cache. The sums of Y₂ do not include its step.
    fn update_c_e_y1(&mut self, ctx: &Ctx<'_, S>) -> [Sums; 4] {
        let shared = Shared {
            params: self.params,
            inverse: &self.inverse,
            sizes: &self.sizes,
            fixed: &self.fixed,
            a: &self.a,
            f: &self.f,
            backend: ctx.backend(),
        };
        let panels =
            self.c.panels().zip(self.e.panels()).zip(self.y1.panels()).zip(self.t.panels());
        let sums: Vec<[Sums; 4]> = panels
            .enumerate()
            .map(|(at, (((c, e), y1), t))| {
                Columns { first: at * PANEL, c, e, y1, t }.update(&shared)
            })
            .collect();
        [0, 1, 2, 3].map(|v| Sums::total(sums.iter().map(|s| s[v])))
    }

    /// F ← the symmetric part of T, clipped to [0, 1]. Returns its step and the squared norm of
    /// the residual C − F.
    fn update_f(&mut self) -> (Sums, f64) {
        let (sizes, c, t) = (&self.sizes, &self.c, &self.t);
        let sums: Vec<(Sums, f64)> = self
            .f
            .panels()
            .enumerate()
            .map(|(at, f)| cut_symmetric_part(sizes, c, t, at * PANEL, f))
            .collect();
        (Sums::total(sums.iter().map(|s| s.0)), sums.iter().map(|s| s.1).sum())
    }

    /// The symmetric part of C, clipped to [0, 1], in the order of the groups.
    pub fn answer(&self, problem: &Problem<'_, S>) -> Result<Similarity<S>> {
        let n = self.sizes.len();
        let (half, c) = (S::of(0.5), &self.c.square);
        let position = positions(&self.inverse.order);
        let mut between = Vec::with_capacity(condensed_len(n));
        for p in 0..n {
            let i = position[p];
            let row = position[p + 1..].iter().map(|&j| clip(half * (c[(i, j)] + c[(j, i)])));
            between.extend(row);
        }
        let within = position.iter().map(|&i| clip(c[(i, i)])).collect();
        let own = position.iter().map(|&i| clip(self.c.diagonal[i])).collect();
        Similarity::new(Arc::clone(problem.similarity.grouping()), between, within, own)
    }
}
