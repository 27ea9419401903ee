//! Factorisations of symmetric positive definite matrices.

use enclust_core::{Backend, Error, Mat, Real};

use super::matrices::{
    LAYOUTS, Stored, block_co_association, frobenius, lower_only, noise, wide_product,
};
use crate::law::Subject;

pub(super) fn laws<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for n in [0, 1, 2, 3, 8, 33, 100, 257] {
        for right_hand_sides in [0, 1, 2, 19] {
            solves(subject, backend, n, right_hand_sides);
        }
    }
    refuses_indefinite(subject, backend);
    refuses_what_is_no_number(subject, backend);
}

/// A well-conditioned matrix with blocks of zeros.
fn positive_definite<S: Real>(n: usize) -> Mat<S> {
    let mut a = block_co_association(n, 1 + n / 40);
    (0..n).for_each(|i| a[(i, i)] += S::of(0.5));
    a
}

fn solves<S: Real>(subject: &Subject, backend: &dyn Backend<S>, n: usize, columns: usize) {
    let law = "a factorisation solves AX = B, reading only the lower triangle of A";
    let a = positive_definite::<S>(n);
    let b = noise::<S>(n, columns, 9);
    for layout in LAYOUTS {
        let case = format!("{n} rows, {columns} right-hand sides, {layout:?}");
        let stored = Stored::new(&lower_only(&a), layout, S::nan());
        let factor = subject.succeeds(law, backend.factor_spd(stored.view()), &case);
        let mut x = Stored::new(&b, LAYOUTS[1], S::of(3.5));
        factor.solve(x.view_mut());
        subject.law("a solver writes nothing outside B", x.frame_is(S::of(3.5)), &case);
        let residual = residual(&a, &x.view().to_owned(), &b);
        subject.law(law, residual <= 1.0, format!("{case}: residual {residual} times the bound"));
    }
}

/// The largest entry of AX − B relative to the error bound of a backward stable solver.
fn residual<S: Real>(a: &Mat<S>, x: &Mat<S>, b: &Mat<S>) -> f64 {
    let product = wide_product(a, x);
    let allowed = 4.0
        * (a.rows() + 4) as f64
        * S::epsilon().wide()
        * (frobenius(a) * frobenius(x) + frobenius(b));
    let differences = product.data().iter().zip(b.data()).map(|(p, b)| (p - b.wide()).abs());
    differences.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d / allowed) })
}

fn refuses_indefinite<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for (n, bad) in [(1, 0), (2, 1), (3, 0), (33, 20), (100, 57), (200, 199), (257, 130)] {
        for value in [-5.0, f64::NAN, f64::NEG_INFINITY] {
            let mut a = positive_definite::<S>(n);
            a[(bad, bad)] = S::of(value);
            names_pivot(
                subject,
                backend,
                &a,
                bad,
                format!("diagonal entry {bad} of {n} is {value}"),
            );
        }
    }
    names_pivot(subject, backend, &Mat::zeros(4, 4), 0, "the zero matrix");
    let saddle = Mat::from_fn(2, 2, |i, j| S::of(if i == j { 1.0 } else { 2.0 }));
    names_pivot(subject, backend, &saddle, 1, "[1 2; 2 1]");
}

fn names_pivot<S: Real>(
    subject: &Subject,
    backend: &dyn Backend<S>,
    a: &Mat<S>,
    pivot: usize,
    case: impl std::fmt::Display,
) {
    let error = backend.factor_spd(a.view()).err();
    subject.law(
        "a matrix that is not positive definite is refused, naming the first bad pivot",
        error == Some(Error::NotPositiveDefinite { pivot }),
        format!("{case}: pivot {pivot} expected, answer {error:?}"),
    );
}

fn refuses_what_is_no_number<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for value in [f64::NAN, f64::INFINITY] {
        for (row, column) in [(0, 0), (40, 7), (99, 0), (99, 99)] {
            let mut a = positive_definite::<S>(100);
            a[(row, column)] = S::of(value);
            let error = backend.factor_spd(a.view()).err();
            subject.law(
                "a matrix that holds NaN or an infinity is not positive definite",
                matches!(error, Some(Error::NotPositiveDefinite { .. })),
                format!("{value} at ({row}, {column}) of 100 rows: answer {error:?}"),
            );
        }
    }
}
