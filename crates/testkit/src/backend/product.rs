//! Products, compared with their definition.

use enclust_core::{Backend, Mat, Real};

use super::matrices::{LAYOUTS, Layout, Stored, block_co_association, noise, wide_product};
use crate::law::Subject;

const SIZES: [usize; 7] = [0, 1, 2, 5, 7, 16, 33];
/// Shapes that use the blocked code of a fast kernel.
const LARGER: [(usize, usize, usize); 5] =
    [(65, 130, 47), (200, 1, 3), (1, 300, 1), (3, 2, 210), (129, 257, 65)];
const FACTORS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (1.0, 1.0),
    (-1.0, 1.0),
    (0.5, -0.25),
    (2.5, 0.0),
    (0.0, 1.0),
    (0.0, 0.0),
    (0.0, 0.5),
];
/// The value around C, which must not change.
const FRAME: f64 = -7.5;

pub(super) fn laws<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    small_shapes(subject, backend);
    all_factors(subject, backend);
    for (case, &(m, k, n)) in LARGER.iter().enumerate() {
        let (a, b) = (noise(m, k, 1), noise(k, n, 2));
        Product { a: &a, b: &b, alpha: 0.5, beta: 0.25 }.check(subject, backend, case);
    }
    zero_blocks(subject, backend);
}

/// All triples of small sizes, with the factors α and β in turn.
fn small_shapes<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    let mut case = 0;
    for m in SIZES {
        for k in SIZES {
            for n in SIZES {
                let (a, b) = (noise(m, k, 3), noise(k, n, 4));
                for _ in 0..LAYOUTS.len() * LAYOUTS.len() {
                    let (alpha, beta) = FACTORS[case % FACTORS.len()];
                    // A step that is coprime to the number of layouts.
                    let layouts = case / 3 + case;
                    Product { a: &a, b: &b, alpha, beta }.check(subject, backend, layouts);
                    case += 1;
                }
            }
        }
    }
}

/// All pairs of factors α and β in all layouts.
fn all_factors<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    let (a, b) = (noise(9, 11, 5), noise(11, 8, 6));
    for (alpha, beta) in FACTORS {
        for layouts in 0..2 * LAYOUTS.len() * LAYOUTS.len() {
            Product { a: &a, b: &b, alpha, beta }.check(subject, backend, layouts);
        }
    }
}

/// Symmetric matrices with mostly exact zeros, squared and multiplied by a panel.
fn zero_blocks<S: Real>(subject: &Subject, backend: &dyn Backend<S>) {
    for (n, blocks) in [(64, 2), (129, 3), (320, 5), (513, 4), (700, 7)] {
        let a = block_co_association(n, blocks);
        let panel = noise(n, 40, 7);
        // Both column-major, then each factor row-major in turn.
        for layouts in [0, 2, 8] {
            Product { a: &a, b: &a, alpha: 1.0, beta: 0.0 }.check(subject, backend, layouts);
        }
        Product { a: &a, b: &panel, alpha: 1.0, beta: 0.5 }.check(subject, backend, 0);
    }
}

struct Product<'a, S> {
    a: &'a Mat<S>,
    b: &'a Mat<S>,
    alpha: f64,
    beta: f64,
}

impl<S: Real> Product<'_, S> {
    /// Compares with the definition; `layouts` are the indices of the layouts of A, B and C.
    fn check(&self, subject: &Subject, backend: &dyn Backend<S>, layouts: usize) {
        let of_a = LAYOUTS[layouts % 4];
        let of_b = LAYOUTS[layouts / 4 % 4];
        let of_c = LAYOUTS[layouts / 16 % 2];
        let (m, k, n) = (self.a.rows(), self.a.cols(), self.b.cols());
        let case = format!(
            "{m} x {k} by {k} x {n}, alpha {}, beta {}, {of_a:?} by {of_b:?} into {of_c:?}",
            self.alpha, self.beta
        );
        let before = noise::<S>(m, n, 8);
        let (after, frame_kept) = self.run(backend, &before, of_a, of_b, of_c);
        subject.law("a product writes nothing outside C", frame_kept, &case);
        let law = if self.beta == 0.0 {
            "a product equals its definition, and beta = 0 overwrites C whatever it held"
        } else {
            "a product equals its definition"
        };
        if let Some(breach) = self.first_breach(&before, &after) {
            subject.law(law, false, format!("{case}: {breach}"));
        }
    }

    fn run(
        &self,
        backend: &dyn Backend<S>,
        before: &Mat<S>,
        of_a: Layout,
        of_b: Layout,
        of_c: Layout,
    ) -> (Mat<S>, bool) {
        let a = Stored::new(self.a, of_a, S::nan());
        let b = Stored::new(self.b, of_b, S::nan());
        let garbage = Mat::from_fn(before.rows(), before.cols(), |_, _| S::nan());
        let start = if self.beta == 0.0 { &garbage } else { before };
        let mut c = Stored::new(start, of_c, S::of(FRAME));
        let (alpha, beta) = (S::of(self.alpha), S::of(self.beta));
        backend.gemm(alpha, a.view(), b.view(), beta, c.view_mut());
        (c.view().to_owned(), c.frame_is(S::of(FRAME)))
    }

    /// The first entry that differs from αAB + βC by more than rounding.
    fn first_breach(&self, before: &Mat<S>, after: &Mat<S>) -> Option<String> {
        let exact = wide_product(self.a, self.b);
        let size = wide_product(&magnitude(self.a), &magnitude(self.b));
        let unit = 2.0 * (self.a.cols() + 4) as f64 * S::epsilon().wide();
        for j in 0..after.cols() {
            for i in 0..after.rows() {
                let old = self.beta * before[(i, j)].wide();
                let expected = self.alpha * exact[(i, j)] + old;
                let allowed = unit * (self.alpha.abs() * size[(i, j)] + old.abs());
                let found = after[(i, j)].wide();
                // This form also rejects NaN.
                let close = (found - expected).abs() <= allowed;
                if !close {
                    return Some(format!("entry ({i}, {j}) is {found} instead of {expected}"));
                }
            }
        }
        None
    }
}

fn magnitude<S: Real>(a: &Mat<S>) -> Mat<S> {
    Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].abs())
}
