//! Bitwise equal results in repeated calls, on every thread and at every position in memory.

use enclust_core::{Backend, Csr, Mat, Real};

use super::matrices::{Layout, Stored, block_co_association, noise};
use crate::law::Subject;

const SIZE: usize = 190;

pub(super) fn laws<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    let first = answers(subject, backend, 0);
    let law = "repeated calls give the same bits";
    subject.law(law, answers(subject, backend, 0) == first, "called again");
    for threads in [1, 2] {
        let (left, right) = in_pool(threads, || {
            rayon::join(|| answers(subject, backend, 0), || answers(subject, backend, 0))
        });
        let same = left == first && right == first;
        subject.law(law, same, format!("two calls in a pool of {threads} threads"));
    }
    for offset in 1..8 {
        let same = answers(subject, backend, offset) == first;
        let case = format!("slices that begin {offset} entries later");
        subject.law("the place of a slice in memory changes no bit", same, case);
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool of a few threads").install(work)
}

/// The bits of a product, a product with a vector, a solution, eigenpairs and the sparse kernels,
/// with operands that begin `offset` entries into their slices.
fn answers<S: Real>(subject: &Subject, backend: &dyn Backend<S>, offset: usize) -> Vec<u64> {
    let layout = Layout { transposed: false, gap: 0, offset };
    let place = |m: &Mat<S>| Stored::new(m, layout, S::zero());
    let mut a = block_co_association::<S>(SIZE, 3);
    (0..SIZE).for_each(|i| a[(i, i)] += S::of(0.25));
    let panel = noise(SIZE, 21, 11);
    let (a, b) = (place(&a), place(&panel));

    let mut out = Vec::new();
    for columns in [21, 1] {
        let b = place(&Mat::from_fn(SIZE, columns, |i, j| panel[(i, j)]));
        for a in [a.view(), a.view().transposed()] {
            let mut c = place(&Mat::zeros(SIZE, columns));
            backend.gemm(S::of(0.5), a, b.view(), S::zero(), c.view_mut());
            push_bits(&mut out, c.view().to_owned().data());
        }
    }
    let factor = backend.factor_spd(a.view());
    let factor = subject.succeeds("a positive definite matrix factors", factor, "repeated calls");
    let mut x = b;
    factor.solve(x.view_mut());
    push_bits(&mut out, x.view().to_owned().data());
    let eigen = backend.eigh(a.view());
    let eigen = subject.succeeds("a symmetric matrix has eigenpairs", eigen, "repeated calls");
    push_bits(&mut out, &eigen.values);
    push_bits(&mut out, eigen.vectors.data());
    push_bits(&mut out, &sparse_answers(subject, backend, offset));
    out
}

/// A sparse product and solves with both kinds of factor, on panels that begin `offset` entries
/// into their slices.
fn sparse_answers<S: Real>(subject: &Subject, backend: &dyn Backend<S>, offset: usize) -> Vec<S> {
    const WIDTH: usize = 64;
    let neighbours = |i: usize| [i.wrapping_sub(7), i, i + 7].into_iter().filter(|&j| j < SIZE);
    let row =
        |i: usize| neighbours(i).map(|j| (j as u32, if i == j { 3.0 } else { -1.1 })).collect();
    let a = Csr::from_rows(SIZE, (0..SIZE).map(row).collect());
    let narrow = |i| a.iter_row(i).map(|(j, v)| (j as u32, S::of(v))).collect();
    let narrow = Csr::from_rows(SIZE, (0..SIZE).map(narrow).collect());
    let panel = noise::<S>(WIDTH, SIZE, 12);
    let x: Vec<S> =
        vec![S::zero(); offset].into_iter().chain(panel.data().iter().copied()).collect();
    let mut out = vec![S::zero(); SIZE * WIDTH];
    backend.sparse(narrow.clone()).multiply(&x[offset..], &mut out, WIDTH);
    let law = "a sparse positive definite matrix factors";
    let complete = subject.succeeds(law, backend.factor_sparse(&narrow, usize::MAX), "repeated");
    let incomplete = subject.succeeds(law, backend.factor_incomplete(&a), "repeated");
    for factor in complete.into_iter().chain([incomplete]) {
        let mut b = x.clone();
        factor.solve_panel(&mut b[offset..], WIDTH);
        out.extend_from_slice(&b[offset..]);
    }
    out
}

fn push_bits<S: Real>(out: &mut Vec<u64>, values: &[S]) {
    out.extend(values.iter().map(|v| v.wide().to_bits()));
}
