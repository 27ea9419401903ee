//! The orthogonal matrix nearest to a given one.

/// Maximum number of passes over all pairs of vectors; six to ten are usual.
const SWEEPS: usize = 60;

/// The orthonormal vectors nearest to the given ones: the orthogonal factor of the polar
/// decomposition, and the sum of the singular values.
///
/// Pairs of vectors are rotated until all are orthogonal (one-sided Jacobi); their lengths are
/// then the singular values, and rotating the unit vectors back gives the result. If the
/// vectors are linearly dependent, for example because one is zero, the missing directions are
/// replaced by orthogonal ones. Takes O(k³) time per pass, where k is their number and
/// dimension.
///
/// Reference: J. Demmel, K. Veselić, *Jacobi's method is more accurate than QR*, SIAM J.
/// Matrix Anal. Appl. 13 (1992).
pub(crate) fn nearest_orthogonal(mut vectors: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let k = vectors.len();
    let mut turns: Vec<Vec<f64>> =
        (0..k).map(|g| (0..k).map(|l| f64::from(u8::from(g == l))).collect()).collect();
    orthogonalise(&mut vectors, &mut turns);
    let lengths = to_unit_vectors(&mut vectors);
    let back = |g: usize| {
        let mut out = vec![0.0; k];
        for (vector, turn) in vectors.iter().zip(&turns) {
            out.iter_mut().zip(vector).for_each(|(o, v)| *o += turn[g] * v);
        }
        out
    };
    ((0..k).map(back).collect(), lengths.iter().sum())
}

/// Rotates pairs of vectors until all are orthogonal, and applies the same rotations to the
/// columns of `turns`.
fn orthogonalise(vectors: &mut [Vec<f64>], turns: &mut [Vec<f64>]) {
    let k = vectors.len();
    let noise = noise_level(vectors).powi(2);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..k {
            for q in p + 1..k {
                let (a, b) = (dot(&vectors[p], &vectors[p]), dot(&vectors[q], &vectors[q]));
                let c = dot(&vectors[p], &vectors[q]);
                let skewed = c.abs() > f64::EPSILON * k as f64 * (a * b).sqrt();
                if skewed && a > noise && b > noise {
                    let (cos, sin) = turn(a, b, c);
                    apply(vectors, p, q, cos, sin);
                    apply(turns, p, q, cos, sin);
                    turned = true;
                }
            }
        }
        if !turned {
            return;
        }
    }
}

/// Cosine and sine of the smaller angle that makes two vectors orthogonal, from their
/// squared lengths and their inner product.
fn turn(a: f64, b: f64, c: f64) -> (f64, f64) {
    let zeta = (b - a) / (2.0 * c);
    let tangent = zeta.signum() / (zeta.abs() + 1.0_f64.hypot(zeta));
    let cos = 1.0_f64.hypot(tangent).recip();
    (cos, cos * tangent)
}

fn apply(vectors: &mut [Vec<f64>], p: usize, q: usize, cos: f64, sin: f64) {
    let (before, rest) = vectors.split_at_mut(q);
    for (x, y) in before[p].iter_mut().zip(&mut rest[0]) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
}

/// Scales orthogonal vectors to unit length and replaces vectors that are only rounding errors
/// by directions orthogonal to the others. Returns the original lengths, 0 for replaced
/// vectors.
fn to_unit_vectors(vectors: &mut [Vec<f64>]) -> Vec<f64> {
    let noise = noise_level(vectors);
    let mut lengths: Vec<f64> = vectors.iter().map(|v| length(v)).collect();
    let mut done: Vec<usize> = Vec::with_capacity(vectors.len());
    for (l, vector) in vectors.iter_mut().enumerate() {
        if lengths[l] > noise {
            vector.iter_mut().for_each(|x| *x /= lengths[l]);
            done.push(l);
        }
    }
    for l in 0..vectors.len() {
        if lengths[l] <= noise {
            lengths[l] = 0.0;
            vectors[l] = left_over(vectors, &done);
            done.push(l);
        }
    }
    lengths
}

/// A unit vector orthogonal to some of the vectors: the coordinate axis with the smallest
/// projection onto their span, minus this projection.
fn left_over(vectors: &[Vec<f64>], others: &[usize]) -> Vec<f64> {
    let k = vectors.len();
    let covered = |axis: usize| others.iter().map(|&l| vectors[l][axis].powi(2)).sum::<f64>();
    let shares: Vec<f64> = (0..k).map(covered).collect();
    let least = (0..k).fold(0, |best, axis| if shares[axis] < shares[best] { axis } else { best });
    let mut out = vec![0.0; k];
    out[least] = 1.0;
    // Done twice, which makes it orthogonal to working precision.
    for _ in 0..2 {
        for &l in others {
            let overlap = dot(&out, &vectors[l]);
            out.iter_mut().zip(&vectors[l]).for_each(|(o, v)| *o -= overlap * v);
        }
        let length = length(&out);
        out.iter_mut().for_each(|o| *o /= length);
    }
    out
}

/// The length up to which a vector may be a rounding error.
fn noise_level(vectors: &[Vec<f64>]) -> f64 {
    let longest = vectors.iter().map(|v| length(v)).fold(0.0, f64::max);
    f64::EPSILON * vectors.len() as f64 * longest
}

fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-10
    }

    /// Checks the properties of the polar decomposition X = HQ: Q is orthogonal, and H = XQᵀ is
    /// symmetric without negative eigenvalues; its trace is the sum of the singular values.
    fn check(vectors: &[Vec<f64>]) {
        let k = vectors.len();
        let (axes, sum) = nearest_orthogonal(vectors.to_vec());
        let stretch = |g: usize, h: usize| dot(&vectors[g], &axes[h]);
        for g in 0..k {
            for h in 0..k {
                assert!(close(dot(&axes[g], &axes[h]), f64::from(u8::from(g == h))));
                assert!(close(stretch(g, h), stretch(h, g)), "{vectors:?}");
                let minor = stretch(g, g) * stretch(h, h) - stretch(g, h).powi(2);
                assert!(stretch(g, g) > -1e-10 && minor > -1e-8);
            }
        }
        assert!(close((0..k).map(|g| stretch(g, g)).sum(), sum));
    }

    proptest! {
        #[test]
        fn it_is_the_polar_factor(entries in proptest::collection::vec(-3.0..3.0_f64, 36), k in 1..7_usize) {
            let vectors: Vec<Vec<f64>> = entries.chunks(6).take(k).map(|v| v[..k].to_vec()).collect();
            check(&vectors);
        }

        /// Whole numbers, so that vectors are often zero, equal or linearly dependent.
        #[test]
        fn dependent_vectors_are_completed(entries in proptest::collection::vec(-1..2_i8, 25), k in 1..6_usize) {
            let row = |v: &[i8]| v[..k].iter().map(|&x| f64::from(x)).collect();
            let vectors: Vec<Vec<f64>> = entries.chunks(5).take(k).map(row).collect();
            check(&vectors);
        }
    }

    #[test]
    fn nothing_at_all_gives_the_axes() {
        let (axes, sum) = nearest_orthogonal(vec![vec![0.0; 3]; 3]);
        assert_eq!(sum, 0.0);
        assert_eq!(axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
}
