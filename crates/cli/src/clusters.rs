//! Numbers of clusters on the command line.

use std::ops::RangeInclusive;
use std::str::FromStr;

use enclust::core::Ensemble;

use crate::numbers::{MOST, parse_list, parse_range};

/// `8`, `4,8,10`, `2..20` (both ends included), mixtures of these, `auto`, or `auto:2..40`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clusters {
    /// Chosen from the data, in this range or in the default range.
    Auto(Option<RangeInclusive<usize>>),
    /// These numbers, in the given order and without repetition.
    These(Vec<usize>),
}

impl Clusters {
    /// Whether there is exactly one number of clusters, given or chosen.
    pub fn is_one(&self) -> bool {
        matches!(self, Clusters::Auto(_)) || self.only().is_some()
    }

    /// The number of clusters, if exactly one is given.
    pub fn only(&self) -> Option<usize> {
        match self {
            Clusters::These(ks) if ks.len() == 1 => Some(ks[0]),
            _ => None,
        }
    }
}

impl FromStr for Clusters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match text.strip_prefix("auto") {
            Some("") => Some(Clusters::Auto(None)),
            Some(rest) => {
                rest.strip_prefix(':').and_then(parse_range).map(Some).map(Clusters::Auto)
            }
            None => parse_list(text).map(each_once).map(Clusters::These),
        };
        parsed.ok_or_else(|| {
            format!(
                "\"{text}\" is not a number of clusters; write 8, 4,8,10, 2..20 (at most {MOST} \
                 numbers), auto, or auto:2..40"
            )
        })
    }
}

/// A range of numbers of clusters, `2..20`.
pub fn parse_clusters_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    parse_range(text).ok_or_else(|| format!("\"{text}\" is not a range of numbers; write 2..20"))
}

/// The default range: 2 to 20, limited by the number of samples.
pub fn usual_range(ensemble: &Ensemble) -> RangeInclusive<usize> {
    2..=ensemble.samples().saturating_sub(1).clamp(2, 20)
}

fn each_once(numbers: Vec<usize>) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::with_capacity(numbers.len());
    numbers.into_iter().for_each(|k| {
        if !out.contains(&k) {
            out.push(k);
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lists_ranges_and_auto() {
        let these = |ks: &[usize]| Ok(Clusters::These(ks.to_vec()));
        assert_eq!("8".parse(), these(&[8]));
        assert_eq!("3,2..=4,9".parse(), these(&[3, 2, 4, 9]));
        assert_eq!("auto".parse(), Ok(Clusters::Auto(None)));
        assert_eq!("auto:2..40".parse(), Ok(Clusters::Auto(Some(2..=40))));
    }

    #[test]
    fn what_is_no_number_of_clusters_is_refused() {
        for text in ["", "0", "-3", "2..", "a", "auto:7", "automatic"] {
            assert!(text.parse::<Clusters>().is_err(), "{text}");
        }
    }
}
