//! Compares the fused steps on tiles with the plain steps that they replace.

use enclust_core::{Confident, Ctx, Error, Grouping, Problem, Real, Result, Similarity};
use enclust_linalg::{ConjugateGradients, Operator, Preconditioner, Vector};
use std::sync::Arc;

use super::operator::{ProductLaplacian, Scratch};
use super::preconditioner::AlternatingDirections;
use super::system::System;
use super::tiles::{Panels, TILE, rows_of};

/// Two panels and part of a third, so that the last one is padded.
const GROUPS: usize = 2 * TILE + 21;

/// The operator with the default steps, which use only its `apply`.
struct Plain<O>(O);

impl<'a, T: Real> Operator for Plain<ProductLaplacian<'a, T>> {
    type Vector = Panels<T>;
    type Scratch = Scratch<T>;

    fn zeros(&self) -> Panels<T> {
        self.0.zeros()
    }

    fn scratch(&self) -> Scratch<T> {
        self.0.scratch()
    }

    fn apply(&self, x: &Panels<T>, y: &mut Panels<T>, scratch: &mut Scratch<T>) {
        self.0.apply(x, y, scratch);
    }
}

impl<T: Real> Preconditioner<Plain<ProductLaplacian<'_, T>>> for AlternatingDirections<'_, T> {
    fn apply(&self, r: &Panels<T>, z: &mut Panels<T>, scratch: &mut Scratch<T>) {
        Preconditioner::<ProductLaplacian<'_, T>>::apply(self, r, z, scratch);
    }
}

fn case() -> Result<(Similarity<f64>, Confident<f64>)> {
    let map: Vec<u32> = (0..GROUPS as u32).flat_map(|p| vec![p; 1 + p as usize % 2]).collect();
    let entry = |at: usize| (at * 7919 % 101) as f64 / 101.0;
    let between = (0..GROUPS * (GROUPS - 1) / 2).map(entry).collect();
    let grouping = Arc::new(Grouping::from_map(map)?);
    let a = Similarity::new(grouping, between, vec![1.0; GROUPS], vec![1.0; GROUPS])?;
    let edges = (1..GROUPS).map(|q| (q / 2, q, 0.5 + entry(q) / 2.0));
    let h = Confident::from_pairs(&a, edges)?;
    Ok((a, h))
}

/// A symmetric residual that is zero at known entries.
fn residual<T: Real>(system: &System) -> Panels<T> {
    let n = system.len();
    let value = |i: usize, j: usize| ((i.min(j) * 31 + i.max(j) * 17) % 23) as f64 / 23.0 - 0.4;
    let mut r = Panels::from_upper(n, |i, j| T::of(value(i, j)));
    for j in 0..n.div_ceil(TILE) {
        let known = system.equations.known.panel(j);
        for (i, row) in r.rows_of_panel(j).iter_mut().enumerate() {
            super::system::clear(known[i], row);
            row[rows_of(j, n).len()..].fill(T::zero());
        }
    }
    r
}

fn apart<T: Real>(x: &Panels<T>, y: &Panels<T>) -> f64 {
    let mut difference = Panels::upper(x.rows());
    difference.add_scaled(1.0, x);
    difference.add_scaled(-1.0, y);
    difference.dot(&difference).sqrt()
}

fn same_steps<T: Real>(backend: &dyn enclust_core::Backend<T>, tolerance: f64) -> Result<()> {
    let (a, h) = case()?;
    let problem = Problem::new(&a, &h)?;
    let ctx = Ctx::<f64>::default();
    let system = System::new("exact", &problem, 0.3, ctx.backend())?;
    let preconditioner = || AlternatingDirections::new(&system.equations, backend);
    let operator = || ProductLaplacian::new(&system.equations, backend);
    let residual = || residual(&system);
    let mut fused = ConjugateGradients::new(operator(), preconditioner()?, residual());
    let mut plain = ConjugateGradients::new(Plain(operator()), preconditioner()?, residual());
    let norm = fused.norm();
    for step in 1..=7 {
        assert!(fused.step() && plain.step(), "step {step}");
        let off = (fused.norm() - plain.norm()).abs() / norm;
        assert!(off <= tolerance, "step {step}: norms {} and {}", fused.norm(), plain.norm());
        // The solutions, including the pending step.
        let whole = |(x, owed, p): (&Panels<T>, f64, &Panels<T>)| {
            let mut whole = Panels::upper(system.len());
            whole.add_scaled(1.0, x);
            whole.add_scaled(owed, p);
            whole
        };
        let (x, y) = (whole(fused.correction()), whole(plain.correction()));
        let off = apart(&x, &y) / x.dot(&x).sqrt();
        assert!(off <= tolerance, "step {step}: solutions {off:e} apart");
        let off = apart(fused.residual(), plain.residual()) / norm;
        assert!(off <= tolerance, "step {step}: residuals {off:e} apart");
    }
    Ok(())
}

#[test]
fn fused_steps_equal_plain_ones_in_double_precision() -> Result<(), Error> {
    same_steps::<f64>(&enclust_core::Reference, 1e-12)
}

#[test]
fn fused_steps_equal_plain_ones_in_single_precision() -> Result<(), Error> {
    same_steps::<f32>(&enclust_core::Reference, 1e-4)
}
