//! The signed-rank test of Wilcoxon.

use libm::erfc;

use super::ranks::{ranks, tie_sum};

/// The largest number of differences for which the distribution is computed exactly.
const EXACT: usize = 50;

/// The result of a signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and of negative differences.
    pub statistic: f64,
    /// The two-sided p-value; 1 if all differences are 0.
    pub p: f64,
}

/// Tests whether paired differences are symmetric about 0, two-sided.
///
/// Differences of 0 are dropped (SciPy's `zero_method="wilcox"`). The distribution is exact for at
/// most 50 differences without zeros and ties, otherwise the normal approximation without
/// continuity correction.
///
/// ```
/// use enclust_experiment::statistics::wilcoxon;
///
/// let test = wilcoxon(&[0.1, 0.2, 0.3, 0.4, -0.05, 0.6]);
/// assert_eq!((test.statistic, test.p), (1.0, 0.0625));
/// ```
///
/// Reference: F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1
/// (1945).
pub fn wilcoxon(differences: &[f64]) -> Wilcoxon {
    let used: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    if used.is_empty() {
        return Wilcoxon { statistic: 0.0, p: 1.0 };
    }
    let sizes: Vec<f64> = used.iter().map(|d| d.abs()).collect();
    let ranks = ranks(&sizes);
    let sum = |sign: f64| {
        let of_sign = ranks.iter().zip(&used).filter(|(_, d)| d.signum() == sign);
        of_sign.map(|(rank, _)| rank).sum::<f64>()
    };
    let statistic = sum(1.0).min(sum(-1.0));
    let ties = tie_sum(&sizes);
    let exact = differences.len() <= EXACT && used.len() == differences.len() && ties == 0.0;
    let p = if exact {
        exact_p(statistic as usize, used.len())
    } else {
        normal_p(statistic, used.len() as f64, ties)
    };
    Wilcoxon { statistic, p }
}

/// Twice the probability of a sum of ranks of at most `statistic` among n ranks with random signs.
fn exact_p(statistic: usize, n: usize) -> f64 {
    // The probability of each sum of the ranks so far.
    let mut probability = vec![1.0];
    for rank in 1..=n {
        let mut next = vec![0.0; probability.len() + rank];
        for (sum, p) in probability.iter().enumerate() {
            next[sum] += 0.5 * p;
            next[sum + rank] += 0.5 * p;
        }
        probability = next;
    }
    (2.0 * probability[..=statistic].iter().sum::<f64>()).min(1.0)
}

fn normal_p(statistic: f64, n: f64, ties: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * ties) / 24.0;
    let z = (statistic - mean) / variance.sqrt();
    // 2Φ(−|z|).
    erfc(z.abs() / std::f64::consts::SQRT_2).min(1.0)
}
