//! Projection onto the probability simplex.

/// Replaces `values` by the nearest point of {x ≥ 0, Σ rᵢxᵢ = 1} in the norm Σ rᵢ(xᵢ − vᵢ)²:
/// the projection onto the simplex of a point in which value i occurs rᵢ times.
///
/// The result is max(v − θ, 0) for a unique θ. Michelot's algorithm computes θ as if all
/// entries were positive, removes the entries that are not, and repeats; it never removes too
/// many. A few passes over the values suffice.
///
/// ```
/// let mut x = [0.5, 1.0, -3.0];
/// enclust_learn::project_to_simplex(&mut x, &[1.0, 1.0, 1.0]);
/// assert_eq!(x, [0.25, 0.75, 0.0]);
/// ```
///
/// # Reference
///
/// C. Michelot, *A finite algorithm for finding the projection of a point onto the canonical
/// simplex of Rⁿ*, J. Optimization Theory and Applications 50 (1986).
pub fn project_to_simplex(values: &mut [f64], multiplicities: &[f64]) {
    let mut threshold = f64::NEG_INFINITY;
    let mut left = usize::MAX;
    loop {
        let (mut count, mut sum, mut members) = (0.0, 0.0, 0);
        for (&v, &r) in values.iter().zip(multiplicities) {
            if v > threshold {
                (count, sum, members) = (count + r, sum + r * v, members + 1);
            }
        }
        // Rounding may remove the last entry; in that case the previous threshold is used.
        if members == left || members == 0 {
            break;
        }
        (threshold, left) = ((sum - 1.0) / count, members);
    }
    values.iter_mut().for_each(|v| *v = (*v - threshold).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The projection by sorting, with each value repeated according to its multiplicity.
    fn by_sorting(values: &[f64], multiplicities: &[f64]) -> Vec<f64> {
        let repeated = values.iter().zip(multiplicities);
        let mut sorted: Vec<f64> =
            repeated.flat_map(|(&v, &r)| std::iter::repeat_n(v, r as usize)).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let (mut sum, mut threshold) = (0.0, 0.0);
        for (i, v) in sorted.iter().enumerate() {
            sum += v;
            let candidate = (sum - 1.0) / (i + 1) as f64;
            if *v > candidate {
                threshold = candidate;
            }
        }
        values.iter().map(|v| (v - threshold).max(0.0)).collect()
    }

    proptest! {
        #[test]
        fn it_equals_the_one_by_sorting(
            points in proptest::collection::vec((-2.0..2.0_f64, 1..5_u8), 1..30),
        ) {
            let (values, counts): (Vec<f64>, Vec<f64>) =
                points.into_iter().map(|(v, r)| (v, f64::from(r))).unzip();
            let mut found = values.clone();
            project_to_simplex(&mut found, &counts);
            for (found, wanted) in found.iter().zip(by_sorting(&values, &counts)) {
                prop_assert!((found - wanted).abs() < 1e-12);
            }
            let total: f64 = found.iter().zip(&counts).map(|(x, r)| x * r).sum();
            prop_assert!((total - 1.0).abs() < 1e-12);
        }
    }
}
