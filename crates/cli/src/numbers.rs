//! Lists of numbers on the command line.

use std::ops::RangeInclusive;

use enclust::core::ParamType;

/// The maximum length of a list, so that a typing error does not exhaust the memory.
pub const MOST: usize = 10_000;

/// Parses `8`, `4,8,10`, `2..20` and mixtures of these: numbers from 1 in the given order, both
/// ends of a range included. Returns `None` for anything else.
pub fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for piece in text.split(',').map(str::trim) {
        match piece.parse() {
            Ok(0) => return None,
            Ok(number) => numbers.push(number),
            Err(_) => numbers.extend(parse_range(piece)?),
        }
    }
    (numbers.len() <= MOST).then_some(numbers)
}

/// Parses `2..20` or `2..=20`.
pub fn parse_range(text: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.split_once("..")?;
    let last = last.strip_prefix('=').unwrap_or(last);
    let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first > 0 && first <= last && last - first < MOST).then_some(first..=last)
}

/// Parses one of the words of an option.
pub fn word<T: ParamType>(text: &str) -> Result<T, String> {
    T::from_value(&text.into()).ok_or_else(|| format!("must be {}", T::expected()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ranges_and_mixtures() {
        assert_eq!(parse_list("8"), Some(vec![8]));
        assert_eq!(parse_list("4,8, 10"), Some(vec![4, 8, 10]));
        assert_eq!(parse_list("2..5"), Some(vec![2, 3, 4, 5]));
        assert_eq!(parse_list("3,2..=4,9"), Some(vec![3, 2, 3, 4, 9]));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "0", "-3", "2..", "5..2", "0..4", "a", "1..99999999999", "4,,5", "1.5"] {
            assert_eq!(parse_list(text), None, "{text}");
        }
    }
}
