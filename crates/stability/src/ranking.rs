//! How far each base clustering agrees with the consensus, and what it contributes.

use enclust_core::{
    Contingency, Ctx, Ensemble, Error, MISSING, Method, Microclusters, Partition, Question, Real,
    Result,
};

/// A base clustering compared with the consensus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// ARI of the base clustering and the consensus, on the samples that it labels.
    pub agreement: f64,
    /// 1 for the base clustering that agrees best; equal ones have the same rank.
    pub rank: usize,
    /// ARI of the consensus with the consensus that is found without this base clustering: 1 if
    /// leaving it out changes nothing.
    pub without: f64,
}

/// Ranks the base clusterings of an ensemble by their agreement with a consensus, and measures what
/// leaving each of them out changes.
///
/// # Problem
///
/// A base clustering that disagrees with all others may be wrong, or may be the only one that sees
/// a structure. A small agreement together with a large effect deserves a look.
///
/// # Parameters
///
/// The method that found `partition` from `ensemble`.
///
/// # Complexity
///
/// One run of the method per base clustering.
///
/// # Determinism and ties
///
/// That of the method. Progress is reported per base clustering.
///
/// # Errors
///
/// [`Error::Size`] if the partition has a different number of samples or there are fewer than two
/// base clusterings, and the errors of the method.
///
/// # Example
///
/// ```
/// use enclust_ca::Eac;
/// use enclust_consensus::Linkage;
/// use enclust_core::{Ctx, Ensemble, Method, Pipeline};
/// use enclust_stability::ranking;
///
/// let odd = [0, 1, 0, 1, 0, 1];
/// let ensemble = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], odd])?;
/// let (method, ctx) = (Pipeline::plain(Eac, Linkage::average())?, Ctx::default());
/// let consensus = method.run(&ensemble, 2, &ctx)?.partition;
/// let ranks = ranking(&method, &ensemble, &consensus, &ctx)?;
/// assert_eq!(ranks.iter().map(|ranked| ranked.rank).collect::<Vec<_>>(), [1, 1, 3]);
/// assert_eq!(ranks[2].without, 1.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn ranking<S: Real>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    partition: &Partition,
    ctx: &Ctx<'_, S>,
) -> Result<Vec<Ranked>> {
    let clusterings = ensemble.clusterings();
    Error::check_size("samples of the partition", ensemble.samples(), partition.len())?;
    if clusterings < 2 {
        let what = "base clusterings, of which one is left out";
        return Err(Error::Size { what, expected: 2, found: clusterings });
    }
    let partition = &partition.clone().counted(ensemble.counts().cloned())?;
    let agreements = agreements(ensemble, partition)?;
    let quiet = ctx.with_watch(ctx.watch().quiet());
    let mut ranked = Vec::with_capacity(clusterings);
    for (left_out, &agreement) in agreements.iter().enumerate() {
        let rest: Vec<usize> = (0..clusterings).filter(|&k| k != left_out).collect();
        let rest = ensemble.select(&rest)?;
        let k = partition.clusters().min(Microclusters::of(&rest).len());
        let fit = method.fit(&rest, &Question::clusters(k), &quiet)?;
        let without = Contingency::of(partition, &fit.cut(k, &quiet)?)?.ari();
        let rank = rank(agreement, &agreements);
        ranked.push(Ranked { agreement, rank, without });
        ctx.progress("ranking", left_out as u64 + 1, clusterings as u64)?;
    }
    Ok(ranked)
}

/// ARI of each base clustering and a consensus, on the samples that it labels.
///
/// ```
/// use enclust_core::{Ensemble, Partition};
/// use enclust_stability::agreements;
///
/// let ensemble = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 0, 1]])?;
/// let found = agreements(&ensemble, &Partition::from_labels([5, 5, 7, 7]))?;
/// assert_eq!(found, [1.0, -0.5]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Size`] if the partition has a different number of samples.
pub fn agreements(ensemble: &Ensemble, partition: &Partition) -> Result<Vec<f64>> {
    Error::check_size("samples of the partition", ensemble.samples(), partition.len())?;
    let partition = &partition.clone().counted(ensemble.counts().cloned())?;
    (0..ensemble.clusterings()).map(|k| agreement(ensemble.column(k), partition)).collect()
}

/// 1 for the highest agreement; equal ones have the same rank.
///
/// ```
/// assert_eq!(enclust_stability::rank(0.5, &[0.5, 0.9, 0.5]), 2);
/// ```
pub fn rank(agreement: f64, all: &[f64]) -> usize {
    1 + all.iter().filter(|&&other| other > agreement).count()
}

/// ARI on the samples that the base clustering labels.
fn agreement(column: &[u32], partition: &Partition) -> Result<f64> {
    let known: Vec<usize> = (0..column.len()).filter(|&i| column[i] != MISSING).collect();
    let labels = Partition::from_labels(known.iter().map(|&i| column[i]));
    Ok(Contingency::of(&labels, &partition.rearranged(&known))?.ari())
}
