//! The figures of a run that follow from its fit.

use enclust_core::{Dendrogram, Evidence, Fit, Partition, Real, Result, Similarity};
use serde::Serialize;

use crate::convergence::Curve;
use crate::matrix::{HeatMaps, Layout, Segment};
use crate::pairs::{PairCurve, pair_curves};
use crate::part::Part;
use crate::tree::Tree;

/// What the figures are drawn from.
pub struct Sources<'a, S> {
    /// The fit.
    pub fit: &'a Fit<S>,
    /// The similarity before the enhancement, or why there is none.
    pub before: Part<Similarity<S>>,
    /// The class of every sample, or why there is none.
    pub truth: Part<&'a Partition>,
    /// The partitions.
    pub cuts: Vec<&'a Partition>,
    /// The iterations that a [`Recorder`](crate::Recorder) saw.
    pub curves: Vec<Curve>,
}

/// The figures of a run that follow from its fit.
#[derive(Clone, Debug, Serialize)]
pub struct Drawn {
    /// The matrices.
    pub heat: Part<HeatMaps>,
    /// What a reader of the matrices has to know: how rows were reduced or aggregated.
    pub heat_notes: Vec<String>,
    /// The dendrogram.
    pub tree: Part<Tree>,
    /// The iterations.
    pub convergence: Part<Vec<Curve>>,
    /// Precision and recall of pairs.
    pub pairs: Part<Vec<PairCurve>>,
    /// For each partition, the clusters on the axis of the matrices.
    #[serde(skip)]
    pub segments: Vec<Option<Vec<Segment>>>,
}

impl Drawn {
    /// Draws everything that there is, and says why the rest is missing.
    ///
    /// ```
    /// use enclust_ca::Eac;
    /// use enclust_consensus::Linkage;
    /// use enclust_core::{Ctx, Ensemble, Method, Pipeline, Question};
    /// use enclust_report::{Drawn, Part, Sources};
    ///
    /// let ensemble = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
    /// let (method, ctx) = (Pipeline::plain(Eac, Linkage::average())?, Ctx::default());
    /// let fit = method.fit(&ensemble, &Question::default(), &ctx)?;
    /// let cut = fit.cut(2, &ctx)?;
    /// let drawn = Drawn::of(Sources {
    ///     fit: &fit,
    ///     before: Part::missing("Nothing was enhanced."),
    ///     truth: Part::missing("The truth is not known."),
    ///     cuts: vec![&cut],
    ///     curves: Vec::new(),
    /// })?;
    /// assert!(matches!(drawn.tree, Part::Here(_)));
    /// assert!(matches!(drawn.pairs, Part::Missing { .. }));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`enclust_core::Error::Size`] if the truth or a partition has another number of samples.
    pub fn of<S: Real>(sources: Sources<'_, S>) -> Result<Self> {
        let Sources { fit, before, truth, cuts, curves } = sources;
        let tree = fit.dendrogram();
        let layout = Layout::new(fit.evidence.grouping(), tree, &cuts);
        let most = cuts.iter().map(|cut| cut.clusters()).max().unwrap_or(1);
        let (before, no_before) = parted(before);
        let (truth, no_truth) = parted(truth);
        let heat = HeatMaps::new(&layout, &fit.evidence, before.as_ref(), truth);
        let reasons = [no_before, no_truth.clone()].into_iter().flatten();
        let heat_notes = match &heat {
            Some(maps) => notes(fit, tree, maps).into_iter().chain(reasons).collect(),
            None => Vec::new(),
        };
        let pairs = pairs(&fit.evidence, before.as_ref(), truth, no_truth)?;
        Ok(Drawn {
            heat: Part::of(heat, || no_matrix(&fit.evidence)),
            heat_notes,
            tree: Part::of(tree.map(|tree| Tree::of(tree, most)), || {
                "The consensus function makes no tree. --consensus average does.".into()
            }),
            convergence: Part::of(Some(curves).filter(|curves| !curves.is_empty()), || {
                "No part of this run iterates, so there is nothing to converge. --method ec-cms has an \
                 enhancement that does."
                    .into()
            }),
            pairs,
            segments: (0..cuts.len()).map(|cut| layout.segments(cut).map(<[_]>::to_vec)).collect(),
        })
    }
}

fn parted<T>(part: Part<T>) -> (Option<T>, Option<String>) {
    match part {
        Part::Here(part) => (Some(part), None),
        Part::Missing { missing } => (None, Some(missing)),
    }
}

fn no_matrix<S: Real>(evidence: &Evidence<S>) -> String {
    format!(
        "This method clusters {}, which has no matrix of the samples. --ca eac or --ca lwca has one.",
        evidence.kind()
    )
}

/// How the rows of the figure came about.
fn notes<S: Real>(fit: &Fit<S>, tree: Option<&Dendrogram>, maps: &HeatMaps) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(reduction) = fit.reduction.as_ref().filter(|found| found.to < found.from) {
        notes.push(format!(
            "The {} distinct label rows were reduced to {} representative rows, and the figure compares \
             these. Every sample counts with the row that stands for it.",
            reduction.from, reduction.to
        ));
    }
    if maps.aggregated {
        notes.push(format!(
            "The {} rows are too many to draw one by one, so {} rows of the figure hold about equally many \
             samples each. A value is the mean over all pairs of different samples.",
            maps.groups,
            maps.bins.len()
        ));
    }
    if matches!(fit.evidence, Evidence::Factored(_)) {
        notes.push(
            "The run needed no matrix: the means follow exactly from the label rows, and the smallest and \
             largest values are not known."
                .into(),
        );
    }
    notes.push(match tree {
        Some(_) => "Rows and columns are in the order of the dendrogram.".into(),
        None => "Rows and columns are ordered by cluster, because there is no dendrogram.".into(),
    });
    notes.push(
        "Values are rounded to 1/65535 in this page; --similarity FILE.npy writes all digits."
            .into(),
    );
    notes
}

fn pairs<S: Real>(
    evidence: &Evidence<S>,
    before: Option<&Similarity<S>>,
    truth: Option<&Partition>,
    no_truth: Option<String>,
) -> Result<Part<Vec<PairCurve>>> {
    let Some(truth) = truth else { return Ok(Part::missing(no_truth.unwrap_or_default())) };
    let Some(after) = evidence.as_similarity() else {
        return Ok(Part::missing(
            "Counting pairs takes the matrix of all pairs, and this run has none. --reduce auto or a \
             method that enhances makes one.",
        ));
    };
    let Some(before) = before else {
        return Ok(Part::Here(vec![pair_curves("clustered", after, truth)?]));
    };
    Ok(Part::Here(vec![pair_curves("before", before, truth)?, pair_curves("after", after, truth)?]))
}
