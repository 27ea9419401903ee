//! The updates of E, Y₁ and T, which follow that of C.

use enclust_core::Real;
use pulp::{Arch, NullaryFnOnce};

use super::Admm;
use super::norms::{Sums, pair_weights};
use super::panel::{Columns, Shared};
use super::update_c::{Solved, split_diagonal};

/// Stores the new C and updates E, Y₁ and T. Returns the sums of C, E and Y₁.
pub fn take_step<S: Real>(
    columns: &mut Columns<'_, S>,
    shared: &Shared<'_, S>,
    solved: Solved<S>,
) -> [Sums; 3] {
    Arch::new().dispatch(TakeStep { columns, shared, solved })
}

struct TakeStep<'a, 'b, S> {
    columns: &'a mut Columns<'b, S>,
    shared: &'a Shared<'a, S>,
    solved: Solved<S>,
}

impl<S: Real> NullaryFnOnce for TakeStep<'_, '_, S> {
    type Output = [Sums; 3];

    #[inline(always)]
    fn call(self) -> [Sums; 3] {
        let TakeStep { columns, shared, mut solved } = self;
        let n = shared.sizes.len();
        let mut sums = [Sums::default(); 3];
        let mut scratch = Scratch::new(n, shared.params);
        for (j, column) in solved.square.chunks_exact_mut(n).enumerate() {
            let q = columns.first + j;
            let own = split_diagonal(shared, q, solved.off[j], column);
            scratch.prepare(shared, q);
            columns.update_column(shared, &mut scratch, j, column, &mut sums);
            columns.update_diagonal(shared, j, own, &mut sums);
            scratch.forget(shared, q);
        }
        sums
    }
}

impl<S: Real> Columns<'_, S> {
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
