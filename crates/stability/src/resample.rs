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
