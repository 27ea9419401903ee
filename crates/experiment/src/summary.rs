//! Mean and spread of repeated runs.

use std::fmt;

use enclust_core::{Error, Result};

/// Mean and sample standard deviation.
///
/// ```
/// use enclust_experiment::Summary;
///
/// let s = Summary::of(&[0.5, 0.7, 0.9])?;
/// assert!((s.mean - 0.7).abs() < 1e-15);
/// assert!((s.std - 0.2).abs() < 1e-15);
/// assert_eq!(format!("{s:.2}"), "0.70 ± 0.20");
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub runs: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with divisor `runs − 1`; 0 for a single value.
    pub std: f64,
}

impl Summary {
    /// Summarises values.
    ///
    /// # Errors
    /// [`Error::Empty`] if there are none.
    pub fn of(values: &[f64]) -> Result<Self> {
        let runs = values.len();
        if runs == 0 {
            return Err(Error::Empty { what: "list of values" });
        }
        let mean = values.iter().sum::<f64>() / runs as f64;
        // Two passes, because summing squares in one pass suffers from cancellation if the
        // spread is small.
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let std = if runs == 1 { 0.0 } else { (squares / (runs - 1) as f64).sqrt() };
        Ok(Summary { runs, mean, std })
    }
}

/// `mean ± std`, with three decimals unless a precision is given.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(3);
        write!(f, "{:.decimals$} ± {:.decimals$}", self.mean, self.std)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_divisor_is_one_less_than_the_runs() {
        let s = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((s.runs, s.mean), (8, 5.0));
        assert!((s.std - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_value_has_no_spread_and_none_no_mean() {
        assert_eq!(Summary::of(&[3.5]), Ok(Summary { runs: 1, mean: 3.5, std: 0.0 }));
        assert_eq!(Summary::of(&[]), Err(Error::Empty { what: "list of values" }));
    }
}
