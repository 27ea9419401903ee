//! Stability of partitions under resampling of the base clusterings.

use std::ops::RangeInclusive;

use enclust_core::{
    Bytes, Counts, Ctx, Ensemble, Error, Method, Microclusters, ParamError, Parameters, Range,
    Real, Result, check_k, parameters,
};

use crate::agreement::agreement;
use crate::cdf::ConsensusCdf;
use crate::delta_area::delta_areas;
use crate::pac::pac;
use crate::resample::{Cuts, cuts, draw, subset};
use crate::tally::Tally;

/// Default number of base clusterings per draw, if there are at least three times as many.
const TAKE: usize = 10;

parameters! {
    /// Parameters of [`stability`].
    pub struct StabilityParams for "stability" {
        /// Number of subsets of the ensemble that are drawn.
        pub draws: usize = 50, in Range::Within(2.0, 10_000.0);
        /// Base clusterings per draw, fewer than there are in total; auto: a third of them, at
        /// most 10.
        pub take: Option<usize> = None, in Range::AtLeast(1.0);
        /// Maximum number of distinct label rows; of more, this many random samples are used.
        pub samples: usize = 10_000, in Range::AtLeast(10.0);
        /// A pair joined by at most this share of the draws is not ambiguous.
        pub lower: f64 = 0.1, in Range::Within(0.0, 1.0);
        /// A pair joined by at least this share of the draws is not ambiguous.
        pub upper: f64 = 0.9, in Range::Within(0.0, 1.0);
        /// Minimum agreement of the draws at which the structure is called clear.
        pub clear: f64 = 0.95, in Range::Within(0.0, 1.0);
    }
}

/// How stable the partitions of an ensemble are, for each number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// One entry per k, in ascending order.
    pub levels: Vec<Level>,
    /// Number of base clusterings per draw.
    pub take: usize,
    /// Number of samples.
    pub samples: usize,
    /// Number of samples on which everything was computed: all, or a random subset.
    pub used: usize,
    /// Number of distinct label rows: the base clusterings do not distinguish more groups.
    pub groups: usize,
    /// The method that clustered the draws.
    pub method: String,
    /// The parameters used.
    pub params: StabilityParams,
}

/// The results for one number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The number of clusters.
    pub k: usize,
    /// The distribution of the consensus values.
    pub cdf: ConsensusCdf,
    /// Proportion of ambiguous clustering: the share of the pairs whose consensus value
    /// lies strictly between the limits.
    pub pac: f64,
    /// Agreement of the draws beyond chance: Fleiss' kappa of their classification of the pairs
    /// of samples as together or apart; 1 for equal partitions, about 0 for unrelated ones.
    pub agreement: f64,
    /// Growth of the [area under the CDF](ConsensusCdf::area) from the previous k, relative to
    /// the area there; at the smallest k, the area itself.
    pub delta_area: f64,
    /// Mean consensus value of the pairs inside a cluster, averaged over the clusters of the
    /// partition from the whole ensemble that have more than one sample; `None` if there are
    /// none.
    pub cluster_consensus: Option<f64>,
    /// Height of the merge to k − 1 clusters minus the height of the merge to k clusters in the
    /// dendrogram of the whole ensemble; `None` without a dendrogram.
    pub gap: Option<f64>,
}

/// Measures how stable the partitions of a method are when it is applied to subsets of the base
/// clusterings.
///
/// # Problem
///
/// Each of B draws takes a random subset of the base clusterings, without repetition. The
/// method is fitted once per subset and cut at every k of `ks`; a method that [learns for one
/// k](Method::reads_k) is fitted once per k. The consensus value of a pair of samples at k is
/// the share of the draws whose partition into k clusters joins them; the [levels](Level)
/// summarise the distribution of these values. A subset that distinguishes fewer than k groups
/// of samples is cut into these groups.
///
/// # Parameters
///
/// [`StabilityParams`]; `ks` from 2 to at most the number of samples. A draw should be small:
/// subsets of hundreds of clusterings agree even on noise, because all of them reflect the same
/// random properties of the samples. With ten clusterings per draw, draws from data without
/// clusters disagree for every size of the ensemble (`docs/stability.md`).
///
/// # Complexity
///
/// If the ensemble has more distinct label rows than the parameter `samples`, everything is computed
/// on that number of random samples, so that time and memory do not grow with the ensemble beyond one pass
/// over its labels.
///
/// B runs of the method on small subsets and one run on the whole ensemble. Counting pairs
/// takes O(B n'²) time for each k, where n' is the number of groups that the partitions of the
/// draws distinguish. Memory: B labels per sample and k; no array of size n × n.
///
/// # Determinism and ties
///
/// Draw number d depends only on the seed of `ctx` and on d, and pairs are counted in whole
/// numbers, so the result does not depend on the number of threads. A random subset of the samples
/// depends on the seed and on the order of the samples. It does not depend on the
/// names of clusters. It depends on the order of the samples only if the ties of the method do.
///
/// # Errors
///
/// [`Error::Empty`] for an empty range; [`Error::Param`] for a k below 2 or a parameter out of
/// range; [`Error::ClusterCount`] for a k above the number of samples; [`Error::Size`] for
/// fewer than two base clusterings; and the errors of the method for the ensemble or a subset
/// of it.
///
/// # Example
///
/// See the [crate](crate).
///
/// # Reference
///
/// S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52
/// (2003), with the base clusterings resampled instead of the samples.
pub fn stability<S: Real>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    ks: RangeInclusive<usize>,
    params: &StabilityParams,
    ctx: &Ctx<'_, S>,
) -> Result<Stability> {
    params.validate()?;
    ctx.install(|ctx| {
        let (samples, groups) = (ensemble.total(), Microclusters::of(ensemble).len());
        let part = match groups > params.samples {
            true => Some(subset(ensemble, params.samples, ctx.seed())?),
            false => None,
        };
        let ensemble = part.as_ref().unwrap_or(ensemble);
        let take = check(method.name(), ensemble, &ks, params)?;
        require_labels(ensemble, &ks, params, ctx)?;
        // Progress is reported per draw; the stages of each draw are too short to be useful.
        let quiet = ctx.with_watch(ctx.watch().quiet());
        let Cuts { labels: reference, gaps } = cuts(method, ensemble, ks.clone(), &quiet)?;
        let mut draws = Vec::with_capacity(params.draws);
        for number in 0..params.draws {
            let part = draw(ensemble.clusterings(), take, ctx.seed(), number);
            draws.push(cuts(method, &ensemble.select(&part)?, ks.clone(), &quiet)?.labels);
            ctx.progress("stability", number as u64 + 1, params.draws as u64)?;
        }
        let levels = levels(
            ks,
            &draws,
            Reference { labels: &reference, gaps: &gaps, counts: ensemble.counts() },
            params,
        )?;
        Ok(Stability {
            levels,
            take,
            samples,
            used: ensemble.total(),
            groups,
            method: method.name().to_string(),
            params: params.clone(),
        })
    })?
}

/// Checks the arguments and returns the number of base clusterings per draw.
fn check(
    method: &str,
    ensemble: &Ensemble,
    ks: &RangeInclusive<usize>,
    params: &StabilityParams,
) -> Result<usize> {
    if params.lower >= params.upper {
        let range = format!("must be less than upper, {}", params.upper);
        return Err(out_of_range("lower", params.lower, range));
    }
    if ks.is_empty() {
        return Err(Error::Empty { what: "range of numbers of clusters" });
    }
    if *ks.start() < 2 {
        return Err(out_of_range(
            "k",
            ks.start(),
            "must be >= 2, because one cluster is always stable".into(),
        ));
    }
    check_k(method, *ks.end(), ensemble.samples())?;
    let clusterings = ensemble.clusterings();
    if clusterings < 2 {
        return Err(Error::Size {
            what: "base clusterings to draw from",
            expected: 2,
            found: clusterings,
        });
    }
    match params.take {
        Some(take) if take >= clusterings => {
            let range = format!("must be less than the number of base clusterings, {clusterings}");
            Err(out_of_range("take", take, range))
        }
        Some(take) => Ok(take),
        None => Ok(clusterings.div_ceil(3).min(TAKE)),
    }
}

fn out_of_range(parameter: &'static str, value: impl ToString, range: String) -> Error {
    ParamError::OutOfRange { component: "stability", parameter, value: value.to_string(), range }
        .into()
}

/// The memory for all labels of all draws, which are kept until the last draw.
fn require_labels<S: Real>(
    ensemble: &Ensemble,
    ks: &RangeInclusive<usize>,
    params: &StabilityParams,
    ctx: &Ctx<'_, S>,
) -> Result<()> {
    let (samples, ks) = (ensemble.samples() as u64, (ks.end() - ks.start() + 1) as u64);
    // Counting one k copies them twice, by columns and by rows.
    let needed = Bytes(size_of::<u32>() as u64) * samples * params.draws as u64 * (ks + 2);
    let size = format!("{} draws, {ks} numbers of clusters, n = {samples}", params.draws);
    ctx.require("stability", needed, &size, "take fewer draws or a narrower range of k")
}

/// The partitions of the whole ensemble.
struct Reference<'a> {
    /// One column of labels per k.
    labels: &'a [Vec<u32>],
    gaps: &'a [Option<f64>],
    /// How often each row occurs.
    counts: Option<&'a Counts>,
}

/// One level per k, from the labels `draws[number][j]` and those of the reference.
fn levels(
    ks: RangeInclusive<usize>,
    draws: &[Vec<Vec<u32>>],
    reference: Reference<'_>,
    params: &StabilityParams,
) -> Result<Vec<Level>> {
    let tallies = (0..reference.labels.len()).map(|j| {
        let columns = draws.iter().map(|draw| draw[j].as_slice());
        Tally::of(
            &columns.chain([reference.labels[j].as_slice()]).collect::<Vec<_>>(),
            reference.counts,
        )
    });
    let tallies = tallies.collect::<Result<Vec<Tally>>>()?;
    let areas: Vec<f64> =
        tallies.iter().map(|tally| ConsensusCdf::new(tally.pairs.clone()).area()).collect();
    let figures = tallies.into_iter().zip(delta_areas(&areas)).zip(reference.gaps);
    Ok(ks
        .zip(figures)
        .map(|(k, ((tally, delta_area), &gap))| {
            let cluster_consensus = tally.mean_cluster_consensus();
            let cdf = ConsensusCdf::new(tally.pairs);
            let (pac, agreement) = (pac(&cdf, params), agreement(&cdf));
            Level { k, cdf, pac, agreement, delta_area, cluster_consensus, gap }
        })
        .collect())
}
