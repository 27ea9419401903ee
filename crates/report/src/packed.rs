//! Many numbers in little space.

use serde::{Serialize, Serializer};

/// Numbers between two limits, rounded to 65,536 levels. In JSON they are two bytes each, the lower
/// one first, in base 64.
///
/// ```
/// use enclust_report::Packed;
///
/// let packed = Packed::new([0.0, 0.5, 1.0], 0.0..=1.0);
/// assert_eq!(serde_json::to_string(&packed)?, r#""AAAAgP//""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed(Vec<u16>);

/// The number of the highest level.
const HIGHEST: f64 = u16::MAX as f64;

impl Packed {
    /// The levels of these numbers. Numbers outside the limits become the nearest limit.
    pub fn new(
        numbers: impl IntoIterator<Item = f64>,
        limits: std::ops::RangeInclusive<f64>,
    ) -> Self {
        let (low, high) = limits.into_inner();
        let level = |number: f64| (HIGHEST * (number - low) / (high - low)).round() as u16;
        Packed(numbers.into_iter().map(level).collect())
    }

    /// The levels.
    pub fn levels(&self) -> &[u16] {
        &self.0
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|level| level.to_le_bytes()).collect();
        to.serialize_str(&base64(&bytes))
    }
}

/// Base 64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at > three.len() { '=' } else { digit.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The examples of RFC 4648.
        let examples =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in examples {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_level_within_the_limits() {
        let packed = Packed::new([-1.0, 0.0, 1.0, 7.0, f64::NAN], -1.0..=1.0);
        assert_eq!(packed.levels(), [0, 32768, 65535, 65535, 0]);
    }
}
