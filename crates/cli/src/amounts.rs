//! Amounts of memory on the command line.

use std::str::FromStr;

/// A number of bytes, written `4GB`, `500 MB`, `2GiB` or `4000000000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(pub u64);

/// The units and their values, longest first so that no unit is read as a shorter one.
const UNITS: [(&str, u64); 10] = [
    ("KIB", 1 << 10),
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
    ("", 1),
];

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not an amount of memory; write 4GB, 500MB or 2GiB");
        let upper = text.trim().to_ascii_uppercase();
        let split = |&(unit, bytes): &(&str, u64)| Some((upper.strip_suffix(unit)?, bytes));
        let (number, unit) = UNITS.iter().find_map(split).ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        if !(number > 0.0 && number.is_finite()) {
            return Err(wrong());
        }
        // Conversion from floating point saturates.
        Ok(Amount((number * unit as f64) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_every_unit() {
        for (text, bytes) in [
            ("4GB", 4_000_000_000),
            ("500 mb", 500_000_000),
            ("2GiB", 2 << 30),
            ("1.5KB", 1_500),
            ("12", 12),
            ("12B", 12),
        ] {
            assert_eq!(text.parse(), Ok(Amount(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", "GB", "-1GB", "0", "4 XB", "nan", "inf GB"] {
            let error = text.parse::<Amount>().unwrap_err();
            assert!(error.contains("not an amount of memory"), "{text}: {error}");
        }
    }
}
