//! The update of C: a linear system for each column.

use enclust_core::Real;
use pulp::{Arch, NullaryFnOnce};

use super::norms::{pair_weights, weighted_squares};
use super::panel::{Columns, Shared};

/// The columns of the new C, from (2Φ + (γ₁ + γ₂)I) C = γ₁(A − E) + Y₁ + γ₂F − Y₂.
pub fn solve_for_c<S: Real>(columns: &Columns<'_, S>, shared: &Shared<'_, S>) -> Solved<S> {
    let mut panel = Arch::new().dispatch(RightHandSide { of: columns, shared });
    shared.inverse.apply(&mut panel.square, panel.off.len(), shared.backend);
    panel
}

/// The right-hand side of the inverse; after the solve, the solution.
pub struct Solved<S> {
    /// The columns; before the solve, with rows multiplied by the group sizes.
    pub square: Vec<S>,
    /// The difference between the diagonal of the right-hand side and that of its square form.
    pub off: Vec<S>,
    /// Squared norm of Y₂ in these columns.
    pub y2_squares: f64,
}

/// The right-hand side of the system, and the squared norm of Y₂ = γ₂(T − F).
struct RightHandSide<'a, 'b, S> {
    of: &'a Columns<'b, S>,
    shared: &'a Shared<'a, S>,
}

impl<S: Real> NullaryFnOnce for RightHandSide<'_, '_, S> {
    type Output = Solved<S>;

    #[inline(always)]
    fn call(self) -> Solved<S> {
        let RightHandSide { of, shared } = self;
        let (n, columns) = (shared.sizes.len(), of.c.1.len());
        let (g1, g2) = (S::of(shared.params.gamma1), S::of(shared.params.gamma2));
        let sizes: Vec<S> = shared.sizes.iter().map(|&r| S::of(r)).collect();
        let value = |a: S, e: S, y1: S, f: S, y2: S| g1 * (a - e) + y1 + g2 * f - y2;
        let mut square = vec![S::zero(); n * columns];
        let mut off = vec![S::zero(); columns];
        let (mut y2, mut weight) = (vec![S::zero(); n], vec![0.0; n]);
        let mut y2_squares = 0.0;
        for (j, column) in square.chunks_exact_mut(n).enumerate() {
            let q = of.first + j;
            let [e, y1, t] = [&of.e, &of.y1, &of.t].map(|v| &v.0[j * n..][..n]);
            let (a, f) = (&shared.a.square.col(q)[..n], &shared.f.square.col(q)[..n]);
            for p in 0..n {
                y2[p] = g2 * (t[p] - f[p]);
                column[p] = value(a[p], e[p], y1[p], f[p], y2[p]);
            }
            pair_weights(shared.sizes, q, &mut weight);
            y2_squares += weighted_squares(&weight, &y2);
            let [e, y1, t] = [&of.e, &of.y1, &of.t].map(|v| v.1[j]);
            let y2 = g2 * (t - shared.f.diagonal[q]);
            y2_squares += shared.sizes[q] * y2.wide() * y2.wide();
            let own = value(shared.a.diagonal[q], e, y1, shared.f.diagonal[q], y2);
            off[j] = own - column[q];
            column.iter_mut().zip(&sizes).for_each(|(v, &r)| *v *= r);
            column[q] += off[j];
        }
        Solved { square, off, y2_squares }
    }
}

/// The solve used one value for the diagonal entry of column q and for all pairs of the group.
/// Returns the value on the diagonal and leaves the value of the pairs in the column.
#[inline(always)]
pub fn split_diagonal<S: Real>(shared: &Shared<'_, S>, q: usize, off: S, column: &mut [S]) -> S {
    let share = shared.inverse.kappa[q] / shared.sizes[q];
    let own = column[q] + S::of(shared.inverse.kappa[q] - share) * off;
    column[q] -= S::of(share) * off;
    own
}
