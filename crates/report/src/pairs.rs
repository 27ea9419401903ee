//! Precision and recall of the pairs above each value of a similarity.

use enclust_core::{Partition, Real, Result, Similarity};
use enclust_experiment::study::{PairFigure, pair_curve};
use serde::Serialize;

/// The number of steps between the values 0 and 1.
const STEPS: usize = 50;

/// Precision, recall and share of the pairs whose similarity is at least a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairCurve {
    /// The similarity: `before` or `after` the enhancement.
    pub key: &'static str,
    /// The values.
    pub values: Vec<f64>,
    /// The share of these pairs that are in the same class.
    pub precision: Vec<f64>,
    /// The share of all pairs in the same class that are among these pairs.
    pub recall: Vec<f64>,
    /// Their share of all pairs.
    pub share: Vec<f64>,
}

/// The curve of a similarity, at the values 0, 0.02, …, 1.
///
/// ```
/// use enclust_core::{Partition, Similarity};
/// use enclust_report::pair_curves;
///
/// let s = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.1, 0.1, 0.1, 1.0])?;
/// let curve = pair_curves("before", &s, &Partition::from_labels([0, 0, 1]))?;
/// assert_eq!((curve.precision[0], curve.recall[45]), (1.0 / 3.0, 1.0));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
/// [`enclust_core::Error::Size`] if the truth has another number of samples.
pub fn pair_curves<S: Real>(
    key: &'static str,
    similarity: &Similarity<S>,
    truth: &Partition,
) -> Result<PairCurve> {
    let values: Vec<f64> = (0..=STEPS).map(|step| step as f64 / STEPS as f64).collect();
    let counts = pair_curve(similarity, truth, &values)?;
    let figure = |figure| counts.iter().map(|count| count.figure(figure)).collect();
    Ok(PairCurve {
        key,
        precision: figure(PairFigure::Precision),
        recall: figure(PairFigure::Recall),
        share: figure(PairFigure::Share),
        values,
    })
}
