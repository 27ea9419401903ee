//! The distribution of the range of k independent standard normal variables.
//!
//! This is the studentized range with infinitely many degrees of freedom.

use libm::erfc;

/// Probability that the range of k variables exceeds q.
pub fn survival(q: f64, k: usize) -> f64 {
    if q <= 0.0 || k < 2 {
        return 1.0;
    }
    // The smallest or largest of the variables is at z, the others are within q of it:
    // P(range ≤ q) = k ∫ φ(z) (Φ(z) − Φ(z − q))^(k−1) dz, by Simpson's rule.
    let step = 2.0 * EDGE / INTERVALS as f64;
    let value = |at: usize| {
        let z = -EDGE + at as f64 * step;
        density(z) * (below(z) - below(z - q)).powi(k as i32 - 1)
    };
    let weight = |at: usize| match at {
        0 | INTERVALS => 1.0,
        _ if at % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let integral: f64 = (0..=INTERVALS).map(|at| weight(at) * value(at)).sum();
    (1.0 - k as f64 * integral * step / 3.0).clamp(0.0, 1.0)
}

/// The range that is exceeded with probability `alpha`.
pub fn quantile(alpha: f64, k: usize) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if survival(middle, k) > alpha { low = middle } else { high = middle }
    }
    high
}

/// The normal density is below 1e-17 beyond this point.
const EDGE: f64 = 9.0;

/// The error of Simpson's rule with this many intervals is below 1e-12.
const INTERVALS: usize = 2000;

fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

fn below(z: f64) -> f64 {
    0.5 * erfc(-z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_variables_have_a_normal_difference() {
        for q in [0.1, 1.0, 3.0, 6.0] {
            let expected = erfc(q / 2.0);
            assert!((survival(q, 2) - expected).abs() < 1e-12, "{q}");
        }
    }

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (k, q) in [(2, 2.772), (3, 3.314), (5, 3.858), (10, 4.474), (20, 5.012)] {
            assert!((quantile(0.05, k) - q).abs() < 1e-3, "{k}");
        }
    }
}
