//! Amounts of memory.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

/// A number of bytes. Arithmetic saturates.
///
/// ```
/// use enclust_core::Bytes;
///
/// assert_eq!(Bytes(12_400_000_000).to_string(), "12.4 GB");
/// assert_eq!(Bytes(u64::MAX) + Bytes(1), Bytes(u64::MAX));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

/// Subtraction saturates at 0.
impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Bytes;
    fn mul(self, times: u64) -> Bytes {
        Bytes(self.0.saturating_mul(times))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(amounts: I) -> Bytes {
        amounts.fold(Bytes(0), Add::add)
    }
}

/// Uses the unit that leaves one to three digits before the decimal point.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
        if self.0 < 1000 {
            return write!(f, "{} B", self.0);
        }
        let mut amount = self.0 as f64 / 1000.0;
        let mut unit = 0;
        // 999.95 would be written as 1000.0.
        while amount >= 999.95 && unit + 1 < UNITS.len() {
            amount /= 1000.0;
            unit += 1;
        }
        write!(f, "{amount:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_where_the_digits_do() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 KB"),
            (999_949, "999.9 KB"),
            (999_950, "1.0 MB"),
            (3_100_000_000, "3.1 GB"),
            (u64::MAX, "18446.7 PB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn arithmetic_saturates_both_ways() {
        assert_eq!(Bytes(u64::MAX) * 2, Bytes(u64::MAX));
        assert_eq!([Bytes(u64::MAX), Bytes(7)].into_iter().sum::<Bytes>(), Bytes(u64::MAX));
        assert_eq!(Bytes(3) - Bytes(5), Bytes(0));
    }
}
