//! Scores without a truth: agreement between clusterings.

use enclust_core::{Cell, Contingency, Ensemble, Error, MISSING, Partition, Result};

use crate::nmi::{NmiMean, nmi};

/// Mean NMI of a partition with the base clusterings.
///
/// Each clustering is compared over the samples that it labels and counts with its weight. A
/// clustering without any label is ignored.
///
/// ```
/// use enclust_core::{Ensemble, Partition};
/// use enclust_metrics::{NmiMean, mean_agreement};
///
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 0, 1]])?.with_weights(vec![3.0, 1.0])?;
/// let p = Partition::from_labels([0, 0, 1, 1]);
/// assert_eq!(mean_agreement(&e, &p, NmiMean::Arithmetic)?, 0.75);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Size`] if the partition and the ensemble have different numbers of samples,
/// [`Error::Empty`] if every label of the ensemble is missing.
pub fn mean_agreement(ensemble: &Ensemble, partition: &Partition, mean: NmiMean) -> Result<f64> {
    mean_score(ensemble, partition, |overlaps| nmi(overlaps, mean))
}

/// Mean ARI of a partition with the base clusterings; otherwise like [`mean_agreement`], with
/// the same errors.
pub fn mean_agreement_ari(ensemble: &Ensemble, partition: &Partition) -> Result<f64> {
    mean_score(ensemble, partition, Contingency::ari)
}

/// Mean of 1 − NMI (arithmetic) over the pairs of different base clusterings.
///
/// A pair is compared over the samples that both clusterings label and counts with the product
/// of its weights, so the scale of the weights does not matter. Pairs without a common sample
/// are ignored. If there are no pairs, for example for a single clustering, the diversity is 0.
/// Takes O(m²n) time.
///
/// ```
/// use enclust_core::Ensemble;
/// use enclust_metrics::diversity;
///
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 3, 3]])?;
/// assert_eq!(diversity(&e), 2.0 / 3.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn diversity(ensemble: &Ensemble) -> f64 {
    let m = ensemble.clusterings();
    let pairs = (0..m).flat_map(|a| (a + 1..m).map(move |b| (a, b)));
    weighted_mean(pairs.filter_map(|(a, b)| {
        let clusters = (ensemble.clusters()[a], ensemble.clusters()[b]);
        let overlaps = overlaps(ensemble, clusters, column(ensemble, a), column(ensemble, b))?;
        let weight = weight(ensemble, a) * weight(ensemble, b);
        Some((weight, 1.0 - nmi(&overlaps, NmiMean::Arithmetic)))
    }))
    .unwrap_or(0.0)
}

fn mean_score(
    ensemble: &Ensemble,
    partition: &Partition,
    score: impl Fn(&Contingency) -> f64,
) -> Result<f64> {
    if ensemble.samples() != partition.len() {
        return Err(Error::Size {
            what: "samples of the partition",
            expected: ensemble.samples(),
            found: partition.len(),
        });
    }
    weighted_mean((0..ensemble.clusterings()).filter_map(|k| {
        let clusters = (ensemble.clusters()[k], partition.clusters());
        let labels = partition.labels().iter().map(|&label| Some(label));
        let overlaps = overlaps(ensemble, clusters, column(ensemble, k), labels)?;
        Some((weight(ensemble, k), score(&overlaps)))
    }))
    .ok_or(Error::Empty { what: "set of labelled samples" })
}

/// Labels of a clustering, `None` for missing labels.
fn column(ensemble: &Ensemble, clustering: usize) -> impl Iterator<Item = Option<usize>> {
    let labels = ensemble.column(clustering).iter();
    labels.map(|&label| (label != MISSING).then_some(label as usize))
}

/// Overlaps over the samples that are labelled in both; `None` if there are none.
fn overlaps(
    ensemble: &Ensemble,
    clusters: (usize, usize),
    first: impl Iterator<Item = Option<usize>>,
    second: impl Iterator<Item = Option<usize>>,
) -> Option<Contingency> {
    let labelled = first.zip(second).zip(ensemble.row_counts());
    let cells = labelled
        .filter_map(|((row, column), count)| Some(Cell { row: row?, column: column?, count }));
    Contingency::sum(clusters.0, clusters.1, cells)
}

fn weight(ensemble: &Ensemble, clustering: usize) -> f64 {
    ensemble.weights().map_or(1.0, |w| w[clustering])
}

/// Mean of (weight, value) pairs; `None` if there are none.
fn weighted_mean(terms: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (weight, sum) = terms.fold((0.0, 0.0), |(weight, sum), (w, x)| (weight + w, sum + w * x));
    (weight > 0.0).then(|| sum / weight)
}
