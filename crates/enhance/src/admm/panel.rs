//! One iteration on a few columns.
//!
//! The loops here are plain; `pulp` compiles them for several vector instruction sets and chooses
//! the fastest one at run time. No operation is reordered, so the results are bitwise equal on
//! every processor.

use enclust_core::{Backend, MatMut, MatRef, Real};
use pulp::{Arch, NullaryFnOnce};

use super::Admm;
use super::blocks::InverseBlocks;
use super::run::{FixedColumns, Sums, Variable, pair_weights, weighted_squares};
use crate::objective::clip;

/// The input that all panels share.
pub struct Shared<'a, S> {
    pub params: &'a Admm,
    pub inverse: &'a InverseBlocks<S>,
    pub sizes: &'a [f64],
    pub fixed: &'a FixedColumns<S>,
    pub a: &'a Variable<S>,
    pub f: &'a Variable<S>,
    pub backend: &'a dyn Backend<S>,
}

/// Some columns of a variable, with the corresponding part of its diagonal.
type Part<'a, S> = (&'a mut [S], &'a mut [S]);

/// The columns of C, E, Y₁ and T that a panel updates.
pub struct Columns<'a, S> {
    pub first: usize,
    pub c: Part<'a, S>,
    pub e: Part<'a, S>,
    pub y1: Part<'a, S>,
    pub t: Part<'a, S>,
}

impl<S: Real> Columns<'_, S> {
    /// One iteration. Returns the sums of C, E, Y₁, and of Y₂ without its step.
    pub fn update(mut self, shared: &Shared<'_, S>) -> [Sums; 4] {
        let mut panel = Arch::new().dispatch(RightHandSide { columns: &self, shared });
        shared.inverse.apply(&mut panel.square, panel.off.len(), shared.backend);
        Arch::new().dispatch(TakeStep { columns: &mut self, shared, panel })
    }

    /// γ₁(A − E) + Y₁ + γ₂F − Y₂, and the squared norm of Y₂ = γ₂(T − F).
    #[inline(always)]
    fn right_hand_side(&self, shared: &Shared<'_, S>) -> Solved<S> {
        let (n, columns) = (shared.sizes.len(), self.c.1.len());
        let (g1, g2) = (S::of(shared.params.gamma1), S::of(shared.params.gamma2));
        let sizes: Vec<S> = shared.sizes.iter().map(|&r| S::of(r)).collect();
        let value = |a: S, e: S, y1: S, f: S, y2: S| g1 * (a - e) + y1 + g2 * f - y2;
        let mut square = vec![S::zero(); n * columns];
        let mut off = vec![S::zero(); columns];
        let (mut y2, mut weight) = (vec![S::zero(); n], vec![0.0; n]);
        let mut y2_squares = 0.0;
        for (j, column) in square.chunks_exact_mut(n).enumerate() {
            let q = self.first + j;
            let [e, y1, t] = [&self.e, &self.y1, &self.t].map(|v| &v.0[j * n..][..n]);
            let (a, f) = (&shared.a.square.col(q)[..n], &shared.f.square.col(q)[..n]);
            for p in 0..n {
                y2[p] = g2 * (t[p] - f[p]);
                column[p] = value(a[p], e[p], y1[p], f[p], y2[p]);
            }
            pair_weights(shared.sizes, q, &mut weight);
            y2_squares += weighted_squares(&weight, &y2);
            let [e, y1, t] = [&self.e, &self.y1, &self.t].map(|v| v.1[j]);
            let y2 = g2 * (t - shared.f.diagonal[q]);
            y2_squares += shared.sizes[q] * y2.wide() * y2.wide();
            let own = value(shared.a.diagonal[q], e, y1, shared.f.diagonal[q], y2);
            off[j] = own - column[q];
            column.iter_mut().zip(&sizes).for_each(|(v, &r)| *v *= r);
            column[q] += off[j];
        }
        Solved { square, off, y2_squares }
    }

    /// Stores the new C and updates E, Y₁ and T.
    #[inline(always)]
    fn take_step(&mut self, shared: &Shared<'_, S>, mut panel: Solved<S>) -> [Sums; 4] {
        let n = shared.sizes.len();
        let mut sums = [Sums::default(); 3];
        let mut scratch = Scratch::new(n, shared.params);
        for (j, column) in panel.square.chunks_exact_mut(n).enumerate() {
            let q = self.first + j;
            let own = split_diagonal(shared, q, panel.off[j], column);
            scratch.prepare(shared, q);
            self.update_column(shared, &mut scratch, j, column, &mut sums);
            self.update_diagonal(shared, j, own, &mut sums);
            scratch.forget(shared, q);
        }
        let [c, e, y1] = sums;
        [c, e, y1, Sums { step: 0.0, scale: panel.y2_squares }]
    }

    #[inline(always)]
    fn update_column(
        &mut self,
        shared: &Shared<'_, S>,
        scratch: &mut Scratch<S>,
        j: usize,
        new_c: &[S],
        sums: &mut [Sums; 3],
    ) {
        let (n, q) = (shared.sizes.len(), self.first + j);
        let g1 = S::of(shared.params.gamma1);
        let (a, f) = (&shared.a.square.col(q)[..n], &shared.f.square.col(q)[..n]);
        let [c, e, y1, t] =
            [&mut self.c, &mut self.e, &mut self.y1, &mut self.t].map(|v| &mut v.0[j * n..][..n]);
        let new_c = &new_c[..n];
        let weight = &scratch.weight[..n];
        let (factor, shift) = (&scratch.factor[..n], &scratch.shift[..n]);
        let [c_step, e_step, residual] = scratch.steps.each_mut().map(|v| &mut v[..n]);
        for p in 0..n {
            let gap = a[p] - new_c[p];
            let new_e = factor[p] * (g1 * gap + y1[p]) + shift[p];
            c_step[p] = new_c[p] - c[p];
            e_step[p] = new_e - e[p];
            residual[p] = gap - new_e;
            t[p] += new_c[p] - f[p];
        }
        sums[0].add_column(weight, c_step, c);
        sums[1].add_column(weight, e_step, e);
        sums[2].add_column(weight, residual, y1);
        c.copy_from_slice(new_c);
        for p in 0..n {
            e[p] += e_step[p];
            y1[p] += g1 * residual[p];
        }
        // Adding a step may miss the fixed value by a rounding error.
        for &(p, value) in &shared.fixed[q] {
            e[p] = value;
        }
    }

    /// The diagonal is never fixed.
    fn update_diagonal(
        &mut self,
        shared: &Shared<'_, S>,
        j: usize,
        new_c: S,
        sums: &mut [Sums; 3],
    ) {
        let q = self.first + j;
        let g1 = S::of(shared.params.gamma1);
        let [c, e, y1, t] =
            [&mut self.c, &mut self.e, &mut self.y1, &mut self.t].map(|v| &mut v.1[j]);
        let gap = shared.a.diagonal[q] - new_c;
        let new_e = free_factor::<S>(shared.params) * (g1 * gap + *y1);
        let residual = gap - new_e;
        sums[0].add(shared.sizes[q], new_c - *c, *c);
        sums[1].add(shared.sizes[q], new_e - *e, *e);
        sums[2].add(shared.sizes[q], residual, *y1);
        *c = new_c;
        *e = new_e;
        *y1 += g1 * residual;
        *t += new_c - shared.f.diagonal[q];
    }
}

/// [`Columns::right_hand_side`], in the form that is compiled for several instruction sets.
struct RightHandSide<'a, 'b, S> {
    columns: &'a Columns<'b, S>,
    shared: &'a Shared<'a, S>,
}

impl<S: Real> NullaryFnOnce for RightHandSide<'_, '_, S> {
    type Output = Solved<S>;

    #[inline(always)]
    fn call(self) -> Solved<S> {
        self.columns.right_hand_side(self.shared)
    }
}

/// [`Columns::take_step`] in the same form.
struct TakeStep<'a, 'b, S> {
    columns: &'a mut Columns<'b, S>,
    shared: &'a Shared<'a, S>,
    panel: Solved<S>,
}

impl<S: Real> NullaryFnOnce for TakeStep<'_, '_, S> {
    type Output = [Sums; 4];

    #[inline(always)]
    fn call(self) -> [Sums; 4] {
        self.columns.take_step(self.shared, self.panel)
    }
}

/// The right-hand side of the inverse; after the solve, the solution.
struct Solved<S> {
    /// The columns; before the solve, with rows multiplied by the group sizes.
    square: Vec<S>,
    /// The difference between the diagonal of the right-hand side and that of its square form.
    off: Vec<S>,
    /// Squared norm of Y₂ in these columns.
    y2_squares: f64,
}

/// The solve used one value for the diagonal entry of column q and for all pairs of the group.
/// Returns the value on the diagonal and leaves the value of the pairs in the column.
#[inline(always)]
fn split_diagonal<S: Real>(shared: &Shared<'_, S>, q: usize, off: S, column: &mut [S]) -> S {
    let share = shared.inverse.kappa[q] / shared.sizes[q];
    let own = column[q] + S::of(shared.inverse.kappa[q] - share) * off;
    column[q] -= S::of(share) * off;
    own
}

/// 1 / (λ + γ₁), the factor of the E-update on free entries.
fn free_factor<S: Real>(params: &Admm) -> S {
    S::of(1.0 / (params.lambda + params.gamma1))
}

/// For each row of the current column: the weight of the entry in a norm, the update E ←
/// factor·(γ₁(A − C) + Y₁) + shift (factor 0 if the entry is fixed), and space for the steps.
struct Scratch<S> {
    weight: Vec<f64>,
    factor: Vec<S>,
    shift: Vec<S>,
    steps: [Vec<S>; 3],
}

impl<S: Real> Scratch<S> {
    fn new(n: usize, params: &Admm) -> Self {
        let zeros = || vec![S::zero(); n];
        let factor = vec![free_factor(params); n];
        Scratch { weight: vec![0.0; n], factor, shift: zeros(), steps: [zeros(), zeros(), zeros()] }
    }

    #[inline(always)]
    fn prepare(&mut self, shared: &Shared<'_, S>, q: usize) {
        pair_weights(shared.sizes, q, &mut self.weight);
        for &(p, shift) in &shared.fixed[q] {
            self.factor[p] = S::zero();
            self.shift[p] = shift;
        }
    }

    fn forget(&mut self, shared: &Shared<'_, S>, q: usize) {
        for &(p, _) in &shared.fixed[q] {
            self.factor[p] = free_factor(shared.params);
            self.shift[p] = S::zero();
        }
    }
}

/// Writes the columns of F from `first` on: the symmetric part of T, clipped to [0, 1]. Returns
/// the sums of F and the squared norm of C − F.
pub fn cut_symmetric_part<S: Real>(
    sizes: &[f64],
    c: &Variable<S>,
    t: &Variable<S>,
    first: usize,
    f: Part<'_, S>,
) -> (Sums, f64) {
    Arch::new().dispatch(CutSymmetricPart { sizes, c, t, first, f })
}

struct CutSymmetricPart<'a, S> {
    sizes: &'a [f64],
    c: &'a Variable<S>,
    t: &'a Variable<S>,
    first: usize,
    f: Part<'a, S>,
}

impl<S: Real> NullaryFnOnce for CutSymmetricPart<'_, S> {
    type Output = (Sums, f64);

    #[inline(always)]
    fn call(self) -> (Sums, f64) {
        let CutSymmetricPart { sizes, c, t, first, f: (f, f_diagonal) } = self;
        let n = sizes.len();
        let half = S::of(0.5);
        let columns = f_diagonal.len();
        let mut mirrored = vec![S::zero(); n * columns];
        let rows = MatRef::new(&t.square.data()[first..], columns, n, n);
        MatMut::new(&mut mirrored, n, columns, n).copy_from(rows.transposed());
        let (mut step, mut residual) = (vec![S::zero(); n], vec![S::zero(); n]);
        let mut weight = vec![0.0; n];
        let (mut sums, mut squares) = (Sums::default(), 0.0);
        for (j, (f, new)) in f.chunks_exact_mut(n).zip(mirrored.chunks_exact_mut(n)).enumerate() {
            let q = first + j;
            let (c, t) = (&c.square.col(q)[..n], &t.square.col(q)[..n]);
            for p in 0..n {
                new[p] = clip(half * (t[p] + new[p]));
                step[p] = new[p] - f[p];
                residual[p] = c[p] - new[p];
            }
            pair_weights(sizes, q, &mut weight);
            sums.add_column(&weight, &step, f);
            squares += weighted_squares(&weight, &residual);
            f.copy_from_slice(new);
        }
        for (j, own) in f_diagonal.iter_mut().enumerate() {
            let q = first + j;
            let new = clip(t.diagonal[q]);
            sums.add(sizes[q], new - *own, *own);
            squares += sizes[q] * (c.diagonal[q] - new).wide().powi(2);
            *own = new;
        }
        (sums, squares)
    }
}
