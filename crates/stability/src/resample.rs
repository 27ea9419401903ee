//! Random subsets of an ensemble, and their partitions.

use std::ops::RangeInclusive;

use enclust_core::{Ctx, Ensemble, Fit, Method, Microclusters, Partition, Question, Real, Result};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

use crate::gap::gap;

/// The base clusterings of one draw in ascending order, each at most once. Draw number d uses
/// stream d of one generator, so a draw does not depend on the number of draws.
pub(crate) fn draw(clusterings: usize, take: usize, seed: u64, number: usize) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number as u64);
    let mut drawn = sample(&mut rng, clusterings, take).into_vec();
    drawn.sort_unstable();
    drawn
}

/// This many random samples of an ensemble, drawn without repetition. Equal draws from one row are a
/// count of this row, so that the memory depends on the number of samples drawn alone.
pub(crate) fn subset(ensemble: &Ensemble, take: usize, seed: u64) -> Result<Ensemble> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The streams from 0 are those of the draws.
    rng.set_stream(u64::MAX);
    let mut drawn = sample(&mut rng, ensemble.total(), take).into_vec();
    drawn.sort_unstable();
    // The rows in order, each with the number of its samples that were drawn.
    let (mut rows, mut counts): (Vec<usize>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut drawn = drawn.into_iter().peekable();
    let mut end = 0;
    for (row, count) in ensemble.row_counts().enumerate() {
        end += count;
        let mut own = 0;
        while drawn.next_if(|&sample| sample < end).is_some() {
            own += 1;
        }
        if own > 0 {
            rows.push(row);
            counts.push(own);
        }
    }
    ensemble.rearranged(&rows)?.with_counts(&counts)
}

/// The partitions of one ensemble.
pub(crate) struct Cuts {
    /// The labels, one column per k.
    pub labels: Vec<Vec<u32>>,
    /// The gap in the dendrogram at each k, if there is one.
    pub gaps: Vec<Option<f64>>,
}

/// The partitions at every k, from a single fit or, if the method learns for one k, from one
/// fit per k.
pub(crate) fn cuts<S: Real>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    ks: RangeInclusive<usize>,
    ctx: &Ctx<'_, S>,
) -> Result<Cuts> {
    if !method.reads_k() {
        return cuts_of(&method.fit(ensemble, &Question::default(), ctx)?, ks, ctx);
    }
    let groups = Microclusters::of(ensemble).len();
    let mut all = Cuts { labels: Vec::new(), gaps: Vec::new() };
    for k in ks {
        let fit = method.fit(ensemble, &Question::clusters(k.min(groups)), ctx)?;
        let Cuts { labels, gaps } = cuts_of(&fit, k..=k, ctx)?;
        all.labels.extend(labels);
        all.gaps.extend(gaps);
    }
    Ok(all)
}

/// The partitions at every k, with at most as many clusters as the base clusterings distinguish
/// groups. Beyond that, linkage would split groups of equal samples by its tie rule, in the
/// same way in every draw; other methods stop there.
///
/// An ensemble has fewer than 2³² samples, so labels fit into 32 bits.
fn cuts_of<S: Real>(fit: &Fit<S>, ks: RangeInclusive<usize>, ctx: &Ctx<'_, S>) -> Result<Cuts> {
    let largest = fit.fitted.largest_k().min(fit.evidence.grouping().len());
    let labels = |partition: Partition| partition.labels().iter().map(|&l| l as u32).collect();
    let gaps = ks.clone().map(|k| fit.dendrogram().map(|tree| gap(tree, k))).collect();
    let labels = ks.map(|k| Ok(labels(fit.cut(k.min(largest), ctx)?))).collect::<Result<_>>()?;
    Ok(Cuts { labels, gaps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subset_has_the_samples_that_were_drawn() {
        let labels: Vec<u32> = (0..50).collect();
        let all = Ensemble::from_columns(&[labels]).unwrap();
        let few = subset(&all, 20, 3).unwrap();
        assert_eq!((few.samples(), few.total(), few.clusters()), (20, 20, &[20][..]));
        // One row with half of all samples.
        let counts: Vec<u64> =
            (0..50).map(|row| if row == 7 { 49_000_000_000 } else { 1_000_000_000 }).collect();
        let counted = all.with_counts(&counts).unwrap();
        let few = subset(&counted, 1000, 3).unwrap();
        let most = few.row_counts().max().unwrap();
        assert!(few.total() == 1000 && few.samples() <= 50 && (430..570).contains(&most), "{most}");
        assert_eq!(few, subset(&counted, 1000, 3).unwrap());
        assert_ne!(few, subset(&counted, 1000, 4).unwrap());
    }

    #[test]
    fn draws_are_sets_of_the_size_asked_for_and_differ() {
        let draws: Vec<Vec<usize>> = (0..20).map(|number| draw(30, 10, 7, number)).collect();
        for drawn in &draws {
            assert_eq!(drawn.len(), 10);
            assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]) && drawn[9] < 30);
        }
        assert!(draws.windows(2).all(|pair| pair[0] != pair[1]));
        assert_ne!(draws[0], draw(30, 10, 8, 0), "the seed matters");
    }
}
