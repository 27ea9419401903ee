//! The stability of an ensemble's partitions under resampling of its clusterings.

use std::ops::RangeInclusive;

use enclust_core::{
    Bytes, Ctx, Ensemble, Error, Method, Microclusters, ParamError, Parameters, Range, Real,
    Result, check_k, parameters,
};

use crate::agreement::agreement;
use crate::cdf::ConsensusCdf;
use crate::delta_area::delta_areas;
use crate::pac::pac;
use crate::resample::{Cuts, cuts, draw};
use crate::tally::Tally;

/// Base clusterings a draw takes unless told otherwise, if there are three times as many.
const TAKE: usize = 10;

parameters! {
    /// Parameters of [`stability`].
    pub struct StabilityParams for "stability" {
        /// How many parts of the ensemble are drawn.
        pub draws: usize = 50, in Range::Within(2.0, 10_000.0);
        /// Base clusterings in a draw, fewer than there are; auto: a third of them, at most 10.
        pub take: Option<usize> = None, in Range::AtLeast(1.0);
        /// A pair joined by at most this share of the draws is not ambiguous.
        pub lower: f64 = 0.1, in Range::Within(0.0, 1.0);
        /// A pair joined by at least this share of the draws is not ambiguous.
        pub upper: f64 = 0.9, in Range::Within(0.0, 1.0);
        /// Agreement of the draws from which on structure is called clear.
        pub clear: f64 = 0.95, in Range::Within(0.0, 1.0);
    }
}

/// How stable the partitions of an ensemble are, for each number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// One entry a k, ascending.
    pub levels: Vec<Level>,
    /// Base clusterings in each draw.
    pub take: usize,
    /// Number of samples.
    pub samples: usize,
    /// Number of distinct rows of labels: the base clusterings tell no more groups apart.
    pub groups: usize,
    /// The method that clustered the draws.
    pub method: String,
    /// The parameters used.
    pub params: StabilityParams,
}

/// What the draws say of one number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The number of clusters.
    pub k: usize,
    /// The distribution of the consensus values.
    pub cdf: ConsensusCdf,
    /// Proportion of ambiguous clustering: the share of the pairs whose consensus value
    /// lies strictly between the limits.
    pub pac: f64,
    /// How far the draws agree beyond chance: Fleiss' kappa of their judgements "together
    /// or apart" on the pairs of samples, 1 for equal partitions, about 0 for unrelated ones.
    pub agreement: f64,
    /// Growth of the [area under the CDF](ConsensusCdf::area) over that at the k before,
    /// relative to it; at the smallest k the area itself.
    pub delta_area: f64,
    /// Mean over the clusters of the partition from the whole ensemble (those of one
    /// sample left out) of the mean consensus value of the pairs inside; `None` if every
    /// cluster is a single sample.
    pub cluster_consensus: Option<f64>,
    /// How much higher the merge to k − 1 clusters lies in the whole ensemble's dendrogram
    /// than the merge that made them k; `None` without a dendrogram.
    pub gap: Option<f64>,
}

/// How stable a method's partitions of an ensemble are when it sees only some of the base
/// clusterings.
///
/// # Problem
///
/// Each of B draws takes a random part of the base clusterings, without repetition. The method
/// clusters each part once and is cut at every k of `ks`; one that [learns for a
/// k](Method::reads_k) clusters it once for each. The consensus value of a pair of samples at k
/// is the share of the draws whose partition into k joins them; the [levels](Level) sum up
/// their distribution. A part that tells fewer than k groups of samples apart is cut into these
/// groups.
///
/// # Parameters
///
/// [`StabilityParams`]; `ks` from 2 to at most the number of samples. A draw should be small:
/// parts of hundreds of clusterings agree on noise as well, as each shows the same accidents of
/// the sample. With ten, draws from data without clusters disagree whatever the size of the
/// ensemble (`docs/stability.md`).
///
/// # Complexity
///
/// B runs of the method on small parts and one on the whole ensemble; for each k, O(B n'²) to
/// count pairs, n' the number of groups that the draws' partitions tell apart. Memory for B
/// labels a sample and k; nothing of size n × n.
///
/// # Determinism and ties
///
/// Draw number d depends on the seed of `ctx` and on d alone, the pairs are counted in whole
/// numbers: the number of threads changes nothing. Names of clusters do not matter; the order
/// of the samples only where the method's ties depend on it.
///
/// # Errors
///
/// [`Error::Empty`] for an empty range; [`Error::Param`] for a k below 2 or a parameter out of
/// range; [`Error::ClusterCount`] for a k above the number of samples; [`Error::Size`] for
/// fewer than two base clusterings; what the method has against the ensemble or a part of it.
///
/// # Example
///
/// See the [crate](crate).
///
/// # Reference
///
/// S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52
/// (2003), with the base clusterings resampled in place of the samples.
pub fn stability<S: Real>(
    method: &dyn Method<S>,
    ensemble: &Ensemble,
    ks: RangeInclusive<usize>,
    params: &StabilityParams,
    ctx: &Ctx<'_, S>,
) -> Result<Stability> {
    let take = check(method.name(), ensemble, &ks, params)?;
    require_labels(ensemble, &ks, params, ctx)?;
    ctx.install(|ctx| {
        // The draws are what is watched; the stages of each would only flicker.
        let quiet = ctx.with_watch(ctx.watch().quiet());
        let Cuts { labels: reference, gaps } = cuts(method, ensemble, ks.clone(), &quiet)?;
        let mut draws = Vec::with_capacity(params.draws);
        for number in 0..params.draws {
            let part = draw(ensemble.clusterings(), take, ctx.seed(), number);
            draws.push(cuts(method, &ensemble.select(&part)?, ks.clone(), &quiet)?.labels);
            ctx.progress("stability", number as u64 + 1, params.draws as u64)?;
        }
        let levels = levels(ks, &draws, &reference, &gaps, params)?;
        Ok(Stability {
            levels,
            take,
            samples: ensemble.samples(),
            groups: Microclusters::of(ensemble).len(),
            method: method.name().to_string(),
            params: params.clone(),
        })
    })?
}

/// Refuses what cannot be answered; the number of base clusterings a draw takes.
fn check(
    method: &str,
    ensemble: &Ensemble,
    ks: &RangeInclusive<usize>,
    params: &StabilityParams,
) -> Result<usize> {
    params.validate()?;
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
            "one cluster is always stable, must be >= 2".into(),
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

/// Every label of every draw is kept until all are there.
fn require_labels<S: Real>(
    ensemble: &Ensemble,
    ks: &RangeInclusive<usize>,
    params: &StabilityParams,
    ctx: &Ctx<'_, S>,
) -> Result<()> {
    let (samples, ks) = (ensemble.samples() as u64, (ks.end() - ks.start() + 1) as u64);
    // Counting one k takes them over twice, by columns and by rows.
    let needed = Bytes(size_of::<u32>() as u64) * samples * params.draws as u64 * (ks + 2);
    let size = format!("{} draws, {ks} numbers of clusters, n = {samples}", params.draws);
    ctx.require("stability", needed, &size, "take fewer draws or a narrower range of k")
}

/// One level a k from the labels `draws[number][j]` and `reference[j]`.
fn levels(
    ks: RangeInclusive<usize>,
    draws: &[Vec<Vec<u32>>],
    reference: &[Vec<u32>],
    gaps: &[Option<f64>],
    params: &StabilityParams,
) -> Result<Vec<Level>> {
    let tallies = (0..reference.len()).map(|j| {
        let columns = draws.iter().map(|draw| draw[j].as_slice());
        Tally::of(&columns.chain([reference[j].as_slice()]).collect::<Vec<_>>())
    });
    let tallies = tallies.collect::<Result<Vec<Tally>>>()?;
    let areas: Vec<f64> =
        tallies.iter().map(|tally| ConsensusCdf::new(tally.pairs.clone()).area()).collect();
    let figures = tallies.into_iter().zip(delta_areas(&areas)).zip(gaps);
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
