//! The test of Friedman.

use libm::erfc;

use super::ranks::{ranks, tie_sum};

/// The result of Friedman's test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friedman {
    /// The statistic, corrected for ties.
    pub statistic: f64,
    /// The p-value by the χ² distribution with one degree of freedom less than variants; 1 if all
    /// values of every row are equal.
    pub p: f64,
}

/// Tests whether several variants have the same distribution of ranks. The table has one row per
/// pool or run and one column per variant.
///
/// ```
/// use enclust_experiment::statistics::friedman;
///
/// let table = [vec![3.0, 2.0, 1.0], vec![6.0, 5.0, 4.0], vec![0.3, 0.2, 0.1]];
/// assert_eq!(friedman(&table).statistic, 6.0);
/// ```
///
/// Reference: M. Friedman, *The use of ranks to avoid the assumption of normality*, JASA 32 (1937).
pub fn friedman(table: &[Vec<f64>]) -> Friedman {
    let (n, k) = (table.len() as f64, table.first().map_or(0, Vec::len) as f64);
    let mut sums = vec![0.0; k as usize];
    for row in table {
        sums.iter_mut().zip(ranks(row)).for_each(|(sum, rank)| *sum += rank);
    }
    let ties: f64 = table.iter().map(|row| tie_sum(row)).sum();
    let correction = 1.0 - ties / (k * (k * k - 1.0) * n);
    if k < 2.0 || n == 0.0 || correction <= 0.0 {
        return Friedman { statistic: 0.0, p: 1.0 };
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let uncorrected = 12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    let statistic = (uncorrected / correction).max(0.0);
    Friedman { statistic, p: chi_squared_survival(statistic, k as usize - 1) }
}

/// Probability that a χ² variable with this many degrees of freedom exceeds x: a finite sum that
/// begins with exp(−x/2) for even numbers and with erfc(√(x/2)) for odd ones.
fn chi_squared_survival(x: f64, freedom: usize) -> f64 {
    let half = x / 2.0;
    let odd = freedom % 2 == 1;
    // The term with index i is exp(−x/2) (x/2)^i / Γ(i + 1), at whole or half numbers i.
    let mut term =
        if odd { 2.0 * (half / std::f64::consts::PI).sqrt() } else { 1.0 } * (-half).exp();
    let mut index = if odd { 0.5 } else { 0.0 };
    let mut sum = if odd { erfc(half.sqrt()) } else { 0.0 };
    for _ in 0..freedom / 2 {
        sum += term;
        index += 1.0;
        term *= half / index;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::chi_squared_survival;

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (freedom, x) in [(1, 3.841), (2, 5.991), (3, 7.815), (6, 12.592), (9, 16.919)] {
            assert!((chi_squared_survival(x, freedom) - 0.05).abs() < 1e-4, "{freedom}");
        }
        assert_eq!(chi_squared_survival(0.0, 4), 1.0);
        assert_eq!(chi_squared_survival(0.0, 5), 1.0);
    }
}
