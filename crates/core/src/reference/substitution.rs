//! Forward and backward substitution with a sparse triangular factor.

use pulp::{Arch, NullaryFnOnce};

use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::check_panel;

use super::PANEL;

/// L of LLᵀ = PAPᵀ, prepared for panels: each row of a panel is computed as a sum that stays in
/// registers and is written once.
#[derive(Clone, Debug)]
pub struct Substitution<S> {
    /// The row of A that is eliminated at each step.
    order: Vec<u32>,
    /// Row k of L left of the diagonal, for the k-th row in order. Columns are numbered as in A.
    lower: Csr<S>,
    /// Row k of Lᵀ right of the diagonal, likewise.
    upper: Csr<S>,
    /// One over the diagonal of L.
    inverse_diagonal: Vec<S>,
}

impl<S: Real> Substitution<S> {
    /// The rows of L and of Lᵀ without their diagonals are in order of elimination.
    pub fn new(
        order: Vec<u32>,
        lower: Vec<Vec<(u32, S)>>,
        upper: Vec<Vec<(u32, S)>>,
        inverse_diagonal: Vec<S>,
    ) -> Self {
        let n = order.len();
        let (lower, upper) = (Csr::from_rows(n, lower), Csr::from_rows(n, upper));
        Substitution { order, lower, upper, inverse_diagonal }
    }

    /// Overwrites the panel B with the solution of LLᵀX = PB, in the order of A.
    pub fn solve(&self, b: &mut [S], width: usize) {
        check_panel(b, self.order.len(), width);
        if width == PANEL {
            Arch::new().dispatch(Solve { factor: self, b: b.as_chunks_mut::<PANEL>().0 });
        } else {
            self.solve_any_width(b, width);
        }
    }

    fn solve_any_width(&self, b: &mut [S], width: usize) {
        let n = self.order.len();
        let mut sum = vec![S::zero(); width];
        let forward = (0..n).map(|k| (&self.lower, k));
        let backward = (0..n).rev().map(|k| (&self.upper, k));
        for (triangle, k) in forward.chain(backward) {
            let i = self.order[k] as usize;
            sum.copy_from_slice(&b[i * width..][..width]);
            for (j, l) in triangle.iter_row(k) {
                let source = &b[j * width..][..width];
                sum.iter_mut().zip(source).for_each(|(s, &v)| *s -= l * v);
            }
            let inverse = self.inverse_diagonal[k];
            b[i * width..][..width].iter_mut().zip(&sum).for_each(|(b, &s)| *b = s * inverse);
        }
    }
}

/// Both substitutions, compiled for several instruction sets. The fastest one is chosen at run
/// time; all give bitwise equal results.
struct Solve<'a, S> {
    factor: &'a Substitution<S>,
    b: &'a mut [[S; PANEL]],
}

impl<S: Real> NullaryFnOnce for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Solve { factor, b } = self;
        for k in 0..b.len() {
            substitute(&factor.lower, factor, k, b);
        }
        for k in (0..b.len()).rev() {
            substitute(&factor.upper, factor, k, b);
        }
    }
}

/// bᵢ ← (bᵢ − Σⱼ lᵢⱼ bⱼ) / lᵢᵢ for the k-th row i.
#[inline(always)]
fn substitute<S: Real>(
    triangle: &Csr<S>,
    factor: &Substitution<S>,
    k: usize,
    b: &mut [[S; PANEL]],
) {
    let i = factor.order[k] as usize;
    let mut sum = b[i];
    let (columns, values) = triangle.row(k);
    for (&j, &l) in columns.iter().zip(values) {
        let source = &b[j as usize];
        for c in 0..PANEL {
            sum[c] -= l * source[c];
        }
    }
    let inverse = factor.inverse_diagonal[k];
    sum.iter_mut().for_each(|v| *v *= inverse);
    b[i] = sum;
}
