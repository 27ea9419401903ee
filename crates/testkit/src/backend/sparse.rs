//! Sparse products and factors, compared with dense definitions.

use enclust_core::{Backend, Csr, Error, Mat, Real};

use super::matrices::{noise, wide_product};
use crate::generate::SplitMix;
use crate::law::Subject;

/// The panel width that solvers use, and others.
const WIDTHS: [usize; 4] = [64, 1, 7, 65];

/// Number of refinement steps within which the solution must be accurate to half of the digits.
const REFINEMENTS: usize = 400;

pub(super) fn laws<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for width in WIDTHS {
        products(subject, backend, width);
        for (name, a) in definite_matrices() {
            complete_factor(subject, backend, width, name, &a);
            shifted_factor(subject, backend, width, name, &a);
            incomplete_factor(subject, backend, width, name, &a);
        }
    }
    gives_up(subject, backend);
    refuses(subject, backend);
}

/// Matrices of any shape, with some empty rows.
fn products<S: Real>(subject: &Subject, backend: &dyn Backend<S>, width: usize) {
    for (rows, cols) in [(1, 1), (5, 3), (3, 40), (200, 130), (513, 513)] {
        let a = scattered::<S>(rows, cols);
        let x = noise::<S>(cols, width, 21);
        // Previous contents of the panel are overwritten.
        let mut y = vec![S::nan(); rows * width];
        backend.sparse(a.clone()).multiply(&by_rows(&x), &mut y, width);
        let (dense, size) = (dense(&a), dense(&magnitudes(&a)));
        let (exact, size) = (wide_product(&dense, &x), wide_product(&size, &ones(cols, width)));
        let law = "a sparse product equals its definition and overwrites its panel";
        for i in 0..rows {
            for j in 0..width {
                let (found, expected) = (y[i * width + j].wide(), exact[(i, j)]);
                let allowed = 2.0 * (cols + 4) as f64 * S::epsilon().wide() * size[(i, j)];
                let case = || {
                    format!(
                        "{rows} x {cols} by {width} columns: entry ({i}, {j}) is {found} instead \
                         of {expected}"
                    )
                };
                let close = (found - expected).abs() <= allowed;
                if !close {
                    subject.law(law, false, case());
                }
            }
        }
    }
}

/// Shifted graph Laplacians, as the solvers factor them.
fn definite_matrices() -> Vec<(&'static str, Csr<f64>)> {
    let path = |n: usize| (1..n).map(|i| (i - 1, i, 1.0 + (i % 3) as f64)).collect();
    let tree = |n: usize| (1..n).map(|i| ((i - 1) / 3, i, 0.5 + (i % 5) as f64)).collect();
    let clique = |n: usize| (0..n).flat_map(|i| (0..i).map(move |j| (j, i, 0.25))).collect();
    let mut stream = SplitMix(5);
    let graph = (0..900)
        .map(|_| {
            let end = |u: f64| (u * 600.0) as usize;
            (end(stream.uniform()), end(stream.uniform()), 0.1 + stream.uniform())
        })
        .collect();
    vec![
        ("one node", shifted_laplacian(1, vec![], 2.0)),
        ("no edges", shifted_laplacian(70, vec![], 0.5)),
        ("a path of 65 nodes", shifted_laplacian(65, path(65), 0.3)),
        ("a tree of 600 nodes", shifted_laplacian(600, tree(600), 0.2)),
        ("a clique of 20 nodes", shifted_laplacian(20, clique(20), 0.4)),
        ("a random graph of 600 nodes", shifted_laplacian(600, graph, 0.4)),
    ]
}

fn complete_factor<S: Real>(
    subject: &Subject,
    backend: &dyn Backend<S>,
    width: usize,
    name: &str,
    a: &Csr<f64>,
) {
    let law = "a sparse factor solves AX = B";
    let case = format!("{name}, {width} right-hand sides");
    let narrow = narrowed::<S>(a);
    let factor = subject.succeeds(law, backend.factor_sparse(&narrow, usize::MAX), &case);
    let Some(factor) = factor else {
        return subject.law("a factor of any size is made if any size is allowed", false, &case);
    };
    let b = noise::<S>(a.rows(), width, 22);
    let mut x = by_rows(&b);
    factor.solve_panel(&mut x, width);
    let off = distance(&narrow, &x, &b, width);
    let allowed = 100.0 * S::epsilon().wide();
    subject.law(law, off <= allowed, format!("{case}: residual {off:e}, allowed {allowed:e}"));
}

fn shifted_factor<S: Real>(
    subject: &Subject,
    backend: &dyn Backend<S>,
    width: usize,
    name: &str,
    a: &Csr<f64>,
) {
    let law = "a shifted factor solves (A + s)X = B";
    let case = format!("{name}, {width} right-hand sides");
    let prepared = subject.succeeds(law, backend.shifted(a, usize::MAX), &case);
    let Some(prepared) = prepared else {
        return subject.law("a factor of any size is made if any size is allowed", false, &case);
    };
    for shift in [0.0, 0.7] {
        let row = |i: usize| {
            let entry = |(j, v)| (j as u32, if i == j { v + shift } else { v });
            a.iter_row(i).map(entry).collect()
        };
        let matrix = Csr::from_rows(a.rows(), (0..a.rows()).map(row).collect());
        let factor = subject.succeeds(law, prepared.factor(shift), &case);
        let b = noise::<S>(a.rows(), width, 24);
        let mut x = by_rows(&b);
        factor.solve_panel(&mut x, width);
        let off = distance(&narrowed(&matrix), &x, &b, width);
        let allowed = 100.0 * S::epsilon().wide();
        let what = format!("{case}, shift {shift}: residual {off:e}, allowed {allowed:e}");
        subject.law(law, off <= allowed, what);
    }
}

/// An incomplete factor is not exact, but refinement with it converges (the matrices here are
/// diagonally dominant with non-positive off-diagonal entries). Without fill-in, it is a complete
/// factor.
fn incomplete_factor<S: Real>(
    subject: &Subject,
    backend: &dyn Backend<S>,
    width: usize,
    name: &str,
    a: &Csr<f64>,
) {
    let law = "refinement with an incomplete factor converges";
    let case = format!("{name}, {width} right-hand sides");
    let factor = subject.succeeds(law, backend.factor_incomplete(a), &case);
    let (narrow, b) = (narrowed::<S>(a), noise::<S>(a.rows(), width, 23));
    let mut x = vec![S::zero(); b.data().len()];
    let mut first = f64::INFINITY;
    for step in 0..REFINEMENTS {
        let mut r = residual(&narrow, &x, &b, width);
        factor.solve_panel(&mut r, width);
        x.iter_mut().zip(&r).for_each(|(x, &r)| *x += r);
        if step == 0 {
            first = distance(&narrow, &x, &b, width);
        }
    }
    let off = distance(&narrow, &x, &b, width);
    let allowed = S::epsilon().wide().sqrt();
    subject.law(law, off <= allowed, format!("{case}: residual {off:e}, allowed {allowed:e}"));
    if name.starts_with("a path") {
        let law = "an incomplete factor without fill solves AX = B";
        let allowed = 100.0 * S::epsilon().wide();
        subject.law(law, first <= allowed, format!("{case}: residual {first:e}"));
    }
}

/// The factor of a clique is a full triangle; a factor with fewer entries does not exist.
fn gives_up<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    let clique = || (0..30).flat_map(|i| (0..i).map(move |j| (j, i, 0.5))).collect();
    let a = narrowed::<S>(&shifted_laplacian(30, clique(), 1.0));
    let law = "a factor with more entries than allowed is not made";
    let factor = subject.succeeds(law, backend.factor_sparse(&a, 434), "a clique of 30 nodes");
    subject.law(law, factor.is_none(), "a clique of 30 nodes, 435 entries, 434 allowed");
    let wide = shifted_laplacian(30, clique(), 1.0);
    let prepared = subject.succeeds(law, backend.shifted(&wide, 434), "a clique of 30 nodes");
    subject.law(law, prepared.is_none(), "a clique of 30 nodes, shifted, 434 entries allowed");
}

fn refuses<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    let law = "a sparse matrix that is not positive definite is refused";
    let saddle = vec![vec![(0, 1.0), (1, 2.0)], vec![(0, 2.0), (1, 1.0)]];
    let zero = vec![vec![(0, 0.0)]];
    let nan = vec![vec![(0, f64::NAN)]];
    for (name, rows) in [("[1 2; 2 1]", saddle), ("zero", zero), ("NaN", nan)] {
        let a = Csr::from_rows(rows.len(), rows);
        let complete = backend.factor_sparse(&narrowed(&a), usize::MAX).err();
        let incomplete = backend.factor_incomplete(&a).err();
        for (which, error) in [("complete", complete), ("incomplete", incomplete)] {
            let refused = matches!(error, Some(Error::NotPositiveDefinite { .. }));
            subject.law(law, refused, format!("{name}, {which} factor: answer {error:?}"));
        }
    }
}

/// About four entries per row; every ninth row is empty.
fn scattered<S: Real>(rows: usize, cols: usize) -> Csr<S> {
    let mut stream = SplitMix((rows * 1000 + cols) as u64);
    let row = |i: usize| -> Vec<(u32, S)> {
        let chosen = (0..cols).filter(|_| i % 9 != 4 && stream.uniform() * cols as f64 <= 4.0);
        let columns: Vec<usize> = chosen.collect();
        columns.iter().map(|&j| (j as u32, S::of(2.0 * stream.uniform() - 1.0))).collect()
    };
    Csr::from_rows(cols, (0..rows).map(row).collect())
}

/// The Laplacian of a graph plus a shift on the diagonal. The weights of repeated edges are added.
fn shifted_laplacian(n: usize, edges: Vec<(usize, usize, f64)>, shift: f64) -> Csr<f64> {
    let mut rows = vec![std::collections::BTreeMap::new(); n];
    (0..n).for_each(|i| *rows[i].entry(i as u32).or_insert(0.0) += shift);
    for (i, j, weight) in edges.into_iter().filter(|(i, j, _)| i != j) {
        for (p, q) in [(i, j), (j, i)] {
            *rows[p].entry(q as u32).or_insert(0.0) -= weight;
            *rows[p].entry(p as u32).or_insert(0.0) += weight;
        }
    }
    Csr::from_rows(n, rows.into_iter().map(|row| row.into_iter().collect()).collect())
}

fn narrowed<S: Real>(a: &Csr<f64>) -> Csr<S> {
    let row = |i| a.iter_row(i).map(|(j, v)| (j as u32, S::of(v))).collect();
    Csr::from_rows(a.cols(), (0..a.rows()).map(row).collect())
}

fn magnitudes<S: Real>(a: &Csr<S>) -> Csr<S> {
    let row = |i| a.iter_row(i).map(|(j, v)| (j as u32, v.abs())).collect();
    Csr::from_rows(a.cols(), (0..a.rows()).map(row).collect())
}

fn dense<S: Real>(a: &Csr<S>) -> Mat<S> {
    let mut out = Mat::zeros(a.rows(), a.cols());
    (0..a.rows()).for_each(|i| a.iter_row(i).for_each(|(j, v)| out[(i, j)] = v));
    out
}

fn ones<S: Real>(rows: usize, cols: usize) -> Mat<S> {
    Mat::from_fn(rows, cols, |_, _| S::one())
}

/// A panel: the entries in row-major order.
fn by_rows<S: Real>(m: &Mat<S>) -> Vec<S> {
    (0..m.rows()).flat_map(|i| (0..m.cols()).map(move |j| m[(i, j)])).collect()
}

/// B − AX, computed in double precision.
fn residual<S: Real>(a: &Csr<S>, x: &[S], b: &Mat<S>, width: usize) -> Vec<S> {
    let entry = |at: usize| {
        let (i, c) = (at / width, at % width);
        let product: f64 = a.iter_row(i).map(|(j, v)| v.wide() * x[j * width + c].wide()).sum();
        S::of(b[(i, c)].wide() - product)
    };
    (0..a.rows() * width).map(entry).collect()
}

/// The largest entry of B − AX, relative to the largest possible rounding error; NaN counts as
/// infinite.
fn distance<S: Real>(a: &Csr<S>, x: &[S], b: &Mat<S>, width: usize) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0.0, |most: f64, v| if v.is_nan() { f64::INFINITY } else { most.max(v.abs()) })
    };
    let row_sum = |i: usize| a.row(i).1.iter().map(|v| v.wide().abs()).sum::<f64>();
    let norm = largest(&mut (0..a.rows()).map(row_sum));
    let scale = norm * largest(&mut x.iter().map(|v| v.wide()))
        + largest(&mut b.data().iter().map(|v| v.wide()));
    largest(&mut residual(a, x, b, width).iter().map(|v| v.wide())) / scale
}
