//! Warnings about the base clusterings.

use std::collections::HashMap;

use super::Warning;
use crate::data::contingency::{Cell, Contingency, pairs_within};
use crate::data::ensemble::{Ensemble, MISSING};

/// The agreement of two clusterings up to which they count as unrelated.
const CHANCE: f64 = 0.1;

/// The number of samples from which agreements are computed if there are more.
const SAMPLED: usize = 200_000;

/// With fewer samples than this, related clusterings may agree no better than by chance.
const FEWEST: usize = 50;

/// The warnings about an ensemble. Takes O(nm) time, and O(nm²) if many clusterings agree with no
/// other one. Agreements are computed if there are at least 50 samples, and from evenly spaced
/// rows if there are more than 200,000.
///
/// See [`Warning`] for an example.
pub fn ensemble_warnings(ensemble: &Ensemble) -> Vec<Warning> {
    let n = ensemble.total();
    let labelled = |k: usize| -> usize {
        let rows = ensemble.column(k).iter().zip(ensemble.row_counts());
        rows.filter(|(label, _)| **label != MISSING).map(|(_, count)| count).sum()
    };
    let (mut unlabelled, mut constant, mut different, mut others) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for k in 0..ensemble.clusterings() {
        match (ensemble.clusters()[k], labelled(k)) {
            (0, _) => unlabelled.push(k),
            (1, _) if n > 1 => constant.push(k),
            (clusters, samples) if clusters == samples && n > 1 => different.push(k),
            _ => others.push(k),
        }
    }
    let listed = |clusterings: Vec<usize>| (!clusterings.is_empty()).then_some(clusterings);
    let mut warnings = Vec::new();
    warnings.extend(listed(unlabelled).map(|clusterings| Warning::Unlabelled { clusterings }));
    warnings.extend(listed(constant).map(|clusterings| Warning::Constant { clusterings }));
    warnings.extend(listed(different).map(|clusterings| Warning::AllDifferent { clusterings }));
    warnings.extend(identical(ensemble, &others));
    warnings.extend(unrelated(ensemble, &others));
    warnings
}

/// Groups of equal clusterings. Clusters are numbered by first occurrence, so equal clusterings
/// have equal columns.
fn identical(ensemble: &Ensemble, clusterings: &[usize]) -> Vec<Warning> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<&[u32], usize> = HashMap::new();
    for &k in clusterings {
        let group = *group_of.entry(ensemble.column(k)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(k);
    }
    groups.retain(|group| group.len() > 1);
    groups.into_iter().map(|clusterings| Warning::Identical { clusterings }).collect()
}

/// Clusterings that agree with no other one. Of two clusterings neither is the odd one.
fn unrelated(ensemble: &Ensemble, clusterings: &[usize]) -> Vec<Warning> {
    if clusterings.len() < 3 || ensemble.total() < FEWEST {
        return Vec::new();
    }
    let highest = |k: usize| {
        let mut highest = f64::NEG_INFINITY;
        for &other in clusterings.iter().filter(|&&other| other != k) {
            highest = highest.max(agreement(ensemble, k, other));
            if highest > CHANCE {
                break;
            }
        }
        highest
    };
    let found = clusterings.iter().map(|&k| (k, highest(k)));
    let odd = found.filter(|(_, agreement)| *agreement <= CHANCE);
    odd.map(|(clustering, agreement)| Warning::AgreesWithNone { clustering, agreement }).collect()
}

/// The number of pairs that both clusterings join, compared with its mean for independent
/// clusterings (0) and the largest possible number (1). Unlike the adjusted Rand index it is 1 if
/// one clustering is a refinement of the other, so different numbers of clusters do not matter.
fn agreement(ensemble: &Ensemble, a: usize, b: usize) -> f64 {
    let step = ensemble.samples().div_ceil(SAMPLED).max(1);
    let labels = |k: usize| ensemble.column(k).iter().step_by(step);
    let counts = ensemble.row_counts().step_by(step);
    let both = labels(a).zip(labels(b)).zip(counts);
    let both = both.filter(|((x, y), _)| **x != MISSING && **y != MISSING);
    let cells = both.map(|((&x, &y), count)| Cell { row: x as usize, column: y as usize, count });
    let (first, second) = (ensemble.clusters()[a], ensemble.clusters()[b]);
    let Some(overlaps) = Contingency::sum(first, second, cells) else { return 0.0 };
    let both = pairs_within(overlaps.cells().iter().map(|c| c.count)) as f64;
    let first = pairs_within(overlaps.row_sizes().iter().copied()) as f64;
    let second = pairs_within(overlaps.column_sizes().iter().copied()) as f64;
    let by_chance = first * second / pairs_within([overlaps.samples()]).max(1) as f64;
    let most = first.min(second);
    if most > by_chance { (both - by_chance) / (most - by_chance) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(columns: &[Vec<u32>]) -> Vec<Warning> {
        ensemble_warnings(&Ensemble::from_columns(columns).unwrap())
    }

    #[test]
    fn clusterings_of_different_sizes_agree_and_a_random_one_does_not() {
        let by = |size: u32| (0..120).map(|i| i / size).collect::<Vec<u32>>();
        assert_eq!(columns(&[by(60), by(20), by(4)]), []);
        // A permutation of the samples that mixes all clusters.
        let mixed: Vec<u32> = (0..120).map(|i| i * 7919 % 5).collect();
        let warnings = columns(&[by(60), by(20), mixed, by(4)]);
        let [Warning::AgreesWithNone { clustering: 2, agreement }] = warnings[..] else {
            panic!("{warnings:?}")
        };
        assert!(agreement < 0.1);
    }

    #[test]
    fn equal_clusterings_are_found_under_other_names() {
        let warnings = columns(&[vec![0, 0, 1, 1], vec![0, 1, 1, 1], vec![7, 7, 3, 3]]);
        assert_eq!(warnings, [Warning::Identical { clusterings: vec![0, 2] }]);
        assert_eq!(warnings[0].to_string(), "clusterings 1 and 3 are identical");
    }

    #[test]
    fn empty_constant_and_all_different_clusterings_are_told_apart() {
        let rows = |k: usize| match k {
            0 => vec![None; 4],
            1 => vec![Some(0); 4],
            2 => vec![Some(0), Some(1), None, Some(2)],
            _ => vec![Some(0), Some(0), Some(1), Some(1)],
        };
        let data: Vec<Vec<Option<u32>>> = (0..4).map(rows).collect();
        let ensemble = Ensemble::from_keys(4, 4, |i, k| data[k][i]).unwrap();
        assert_eq!(
            ensemble_warnings(&ensemble),
            [
                Warning::Unlabelled { clusterings: vec![0] },
                Warning::Constant { clusterings: vec![1] },
                Warning::AllDifferent { clusterings: vec![2] },
            ]
        );
    }

    #[test]
    fn long_lists_are_shortened() {
        let warning = Warning::Constant { clusterings: (0..12).collect() };
        let text = "clusterings 1, 2, 3, 4, 5, 6, 7, 8 and 4 more have only one cluster";
        assert_eq!(warning.to_string(), text);
    }
}
