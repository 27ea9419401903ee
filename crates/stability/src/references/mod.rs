//! The number of clusters, judged against data without clusters.

mod null_data;
mod spectrum;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use enclust_core::{Ctx, Ensemble, Error, Method, Parameters, Question, Range, Result, parameters};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

use crate::gap::gap;
use crate::stability::{StabilityParams, stability};
use null_data::{PrincipalAxes, Shape};
use spectrum::spectrum;

parameters! {
    /// Parameters of [`judge`].
    pub struct JudgeParams for "judge" {
        /// Maximum number of samples; of more, a random subset is used.
        pub samples: usize = 1000, in Range::AtLeast(10.0);
        /// Number of pools of the data. If there are more samples than are used, each pool has
        /// its own subset.
        pub pools: usize = 5, in Range::Within(1.0, 1000.0);
        /// Number of references of each shape, normal and uniform.
        pub references: usize = 5, in Range::Within(1.0, 1000.0);
        /// Number of subsets of the base clusterings that are compared.
        pub draws: usize = 10, in Range::Within(2.0, 10_000.0);
        /// The agreement of the draws must exceed the mean of the references by at least this.
        pub margin: f64 = 0.1, in Range::Within(0.0, 1.0);
        /// The agreement of the draws must be at least this.
        pub least: f64 = 0.75, in Range::Within(0.0, 1.0);
    }
}

/// Whether data have clusters, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// One entry per k, in ascending order.
    pub levels: Vec<Judged>,
    /// The most plausible number of clusters above one.
    pub guess: usize,
    /// Whether the data differ from the references at this number of clusters.
    pub structure: bool,
    /// Number of samples that were used.
    pub samples: usize,
    /// The parameters used.
    pub params: JudgeParams,
}

/// The comparison of data with their references at one number of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The number of clusters.
    pub k: usize,
    /// [Agreement](crate::Level::agreement) of the draws.
    pub agreement: f64,
    /// The same for the references: the mean of the shape that has the larger mean.
    pub reference_agreement: f64,
    /// How far eigenvalue k of the similarity exceeds that of the references, minus the same for
    /// eigenvalue k + 1; of the two shapes, the one with the larger mean is subtracted.
    pub eigengap: f64,
    /// [Gap](crate::Level::gap) in the dendrogram.
    pub gap: f64,
}

impl Judgement {
    /// The number of clusters: the guess if there is structure, otherwise 1.
    pub fn k(&self) -> usize {
        if self.structure { self.guess } else { 1 }
    }

    /// The comparison at the guess.
    pub fn at_guess(&self) -> Option<&Judged> {
        self.levels.iter().find(|level| level.k == self.guess)
    }

    /// A description of why this answer was given.
    pub fn reason(&self) -> String {
        let JudgeParams { margin, least, .. } = self.params;
        let Some(Judged { agreement, reference_agreement, eigengap, gap, .. }) = self.at_guess()
        else {
            return "no requested k is meaningful here".to_string();
        };
        let excess = agreement - reference_agreement;
        if excess <= 0.0 || *eigengap <= 0.0 || *gap <= 0.0 {
            return "no k has an eigengap, a gap in the dendrogram and an agreement of the draws \
                    above those of data without clusters"
                .to_string();
        }
        let verdict = match (self.structure, *agreement >= least) {
            (true, _) => format!("at least {least}, and at least {margin} above"),
            (false, true) => format!("less than {margin} above"),
            (false, false) => format!("less than {least}, and {excess:.3} above"),
        };
        format!(
            "the largest product of eigengap, {eigengap:.3}, gap, {gap:.3}, and excess agreement, \
             {excess:.3}; the agreement of the draws is {agreement:.3}, {verdict} that of data \
             without clusters, {reference_agreement:.3}"
        )
    }
}

/// Finds the number of clusters by comparison with data that have no clusters. The answer may be
/// one cluster.
///
/// # Problem
///
/// Base clusterings of noise agree, too: k-means cuts an elongated cloud at the same places in
/// every run. How far they agree depends on the size and the covariance of the data. The data are
/// therefore compared with references of the same size and covariance that have no clusters: one
/// normal cloud, and a uniform box along the principal axes. `make` makes base clusterings of each
/// of them in the same way, and `method` builds a similarity and a dendrogram from these.
///
/// - The guess is the k with the largest product of three quantities: the *eigengap*, which is the
///   drop from eigenvalue k to k + 1 of the squared, normalised similarity after the eigenvalues of
///   the references are subtracted; the gap in the dendrogram; and the *excess agreement*, by which
///   the [agreement](crate::Level::agreement) of draws exceeds that of the references. Negative
///   values count as 0. All are means over `pools` pools of the data.
/// - There is structure if the agreement at this k is at least `least` and the excess agreement at
///   least `margin`.
///
/// # Parameters
///
/// `features` in row-major order with `dimension` features per sample; `make`, which makes base
/// clusterings of features from a seed; `method`, which must build a similarity and a dendrogram
/// (`docs/stability.md` has figures for EAC with average link); `ks` from 2; [`JudgeParams`].
///
/// # Complexity
///
/// `pools` plus two times `references` pools of at most `samples` samples, with `draws` + 2 fits and
/// the largest eigenvalues of the similarity for each.
///
/// # Determinism and ties
///
/// The result depends on the data, the parameters and the seed of `ctx`, not on the number of
/// threads. Of equal products, the smallest k is chosen.
///
/// # Errors
///
/// [`Error::Empty`] without features, [`Error::Size`] if they do not form a matrix,
/// [`Error::Unsupported`] if the method builds no similarity or no dendrogram, and the errors of
/// `make`, of the method and of [`stability`].
///
/// # Example
///
/// ```
/// use enclust_ca::Eac;
/// use enclust_consensus::Linkage;
/// use enclust_core::{Ctx, Pipeline};
/// use enclust_generate::kmeans_pool;
/// use enclust_stability::{JudgeParams, judge};
/// use enclust_testkit::features::{blobs, normal_cloud};
///
/// let method = Pipeline::plain(Eac, Linkage::average())?;
/// let make = |features: &[f64], seed| kmeans_pool(features, 2, 50, seed);
/// let params = JudgeParams::default().references(3);
/// let clusters = |features: &[f64]| {
///     judge(&method, features, 2, &make, 2..=8, &params, &Ctx::default()).map(|found| found.k())
/// };
/// assert_eq!(clusters(&blobs(3, 150, 2, 6.0, 1))?, 3);
/// assert_eq!(clusters(&normal_cloud(150, 2, 1))?, 1);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// R. Tibshirani, G. Walther, T. Hastie, "Estimating the number of clusters in a data set via the
/// gap statistic", J. R. Statist. Soc. B 63 (2001): uniform references along the principal axes.
/// C. John et al., "M3C", Scientific Reports 10 (2020): consensus against normal references of
/// the same covariance. The rule is our own; `docs/stability.md` measures it.
pub fn judge(
    method: &dyn Method<f64>,
    features: &[f64],
    dimension: usize,
    make: &(dyn Fn(&[f64], u64) -> Result<Ensemble> + Sync),
    ks: RangeInclusive<usize>,
    params: &JudgeParams,
    ctx: &Ctx<'_, f64>,
) -> Result<Judgement> {
    params.validate()?;
    if dimension == 0 || features.is_empty() {
        return Err(Error::Empty { what: "set of features" });
    }
    let rows = features.len() / dimension;
    Error::check_size("numbers in the feature matrix", rows * dimension, features.len())?;
    let samples = rows.min(params.samples);
    let ks = *ks.start()..=(*ks.end()).min(samples.saturating_sub(1));
    let shapes = Shape::ALL.len();
    let total = params.pools + shapes * params.references;
    ctx.install(|ctx| {
        let quiet = ctx.with_watch(ctx.watch().quiet());
        let seed = |number: usize| ctx.seed().wrapping_add(number as u64);
        let look = |features: &[f64], number: usize| -> Result<View> {
            let ensemble = make(features, seed(number))?;
            let found = View::of(method, &ensemble, ks.clone(), params, &quiet)?;
            ctx.progress("references", number as u64 + 1, total as u64)?;
            Ok(found)
        };
        let part = |number: usize| subsample(features, dimension, params.samples, seed(number));
        let data = (0..params.pools).map(|number| look(&part(number), number));
        let data = data.collect::<Result<Vec<View>>>()?;
        let axes = PrincipalAxes::of(&part(0), dimension, &quiet)?;
        let mut references: [Vec<View>; Shape::ALL.len()] = Default::default();
        for number in params.pools..total {
            let shape = number % shapes;
            let reference = axes.reference(Shape::ALL[shape], seed(number), &quiet)?;
            references[shape].push(look(&reference, number)?);
        }
        let levels = compare(&data, &references, ks.clone());
        Ok(conclude(
            levels,
            data.iter().map(|view| view.groups).min().unwrap_or(0),
            samples,
            params,
        ))
    })?
}

/// At most `most` rows of a matrix of features, drawn without repetition and in their order.
pub fn subsample(features: &[f64], dimension: usize, most: usize, seed: u64) -> Cow<'_, [f64]> {
    let samples = features.len() / dimension.max(1);
    if samples <= most {
        return Cow::Borrowed(features);
    }
    let mut rows = sample(&mut ChaCha8Rng::seed_from_u64(seed), samples, most).into_vec();
    rows.sort_unstable();
    rows.iter().flat_map(|&i| &features[i * dimension..][..dimension]).copied().collect()
}

/// What is compared between data and references; one entry per k.
struct View {
    agreement: Vec<f64>,
    gaps: Vec<f64>,
    /// Eigenvalues from the second one, one more than there are k.
    eigenvalues: Vec<f64>,
    /// Number of distinct label rows.
    groups: usize,
}

impl View {
    fn of(
        method: &dyn Method<f64>,
        ensemble: &Ensemble,
        ks: RangeInclusive<usize>,
        params: &JudgeParams,
        ctx: &Ctx<'_, f64>,
    ) -> Result<Self> {
        // First, because it checks the numbers of clusters.
        let draws = StabilityParams::default().draws(params.draws);
        let found = stability(method, ensemble, ks.clone(), &draws, ctx)?;
        let fit = method.fit(ensemble, &Question::default(), ctx)?;
        let similarity = fit.evidence.similarity_for("the comparison with references")?;
        let values = spectrum(similarity, *ks.end() + 1, ctx)?;
        let gaps: Option<Vec<f64>> =
            fit.dendrogram().map(|tree| ks.clone().map(|k| gap(tree, k)).collect());
        let no_tree =
            || Error::unsupported(method.name(), "the comparison with references: no dendrogram");
        Ok(View {
            agreement: found.levels.iter().map(|level| level.agreement).collect(),
            gaps: gaps.ok_or_else(no_tree)?,
            eigenvalues: values[*ks.start() - 1..].to_vec(),
            groups: found.groups,
        })
    }
}

/// One entry per k, from the data and from the references of each shape.
fn compare(data: &[View], references: &[Vec<View>], ks: RangeInclusive<usize>) -> Vec<Judged> {
    let mean = |views: &[View], value: &dyn Fn(&View) -> f64| {
        views.iter().map(value).sum::<f64>() / views.len() as f64
    };
    let of_data = |value: &dyn Fn(&View) -> f64| mean(data, value);
    let of_references = |value: &dyn Fn(&View) -> f64| {
        references.iter().map(|views| mean(views, value)).fold(f64::NEG_INFINITY, f64::max)
    };
    let excess = |j: usize| {
        let eigenvalue = |view: &View| view.eigenvalues[j];
        of_data(&eigenvalue) - of_references(&eigenvalue)
    };
    let judged = |(j, k): (usize, usize)| Judged {
        k,
        agreement: of_data(&|view| view.agreement[j]),
        reference_agreement: of_references(&|view| view.agreement[j]),
        eigengap: excess(j) - excess(j + 1),
        gap: of_data(&|view| view.gaps[j]),
    };
    ks.enumerate().map(judged).collect()
}

fn conclude(levels: Vec<Judged>, groups: usize, samples: usize, params: &JudgeParams) -> Judgement {
    // The draws cannot separate samples that have equal labels in all base clusterings.
    let meaningful = levels.iter().filter(|level| level.k <= groups);
    let product = |level: &Judged| {
        let excess = level.agreement - level.reference_agreement;
        level.eigengap.max(0.0) * level.gap * excess.max(0.0)
    };
    let best =
        meaningful.reduce(|best, next| if product(next) > product(best) { next } else { best });
    let structure = best.is_some_and(|level| {
        level.agreement >= params.least
            && level.agreement >= level.reference_agreement + params.margin
    });
    let guess = best.map_or(1, |level| level.k);
    Judgement { levels, guess, structure, samples, params: params.clone() }
}
