//! The metrics of a run.

use std::fmt;
use std::str::FromStr;

use enclust_core::{Ensemble, Evidence, Partition, Real, Report, Result, Similarity};
use enclust_metrics::{Contingency, NmiMean, Scores, mean_agreement, nmi};

use super::pair_curve::{PairFigure, pair_curve};
use crate::error::StudyError;

/// The names of [`Scores::named`].
const SCORES: [&str; 7] = ["ari", "nmi", "f1", "precision", "recall", "accuracy", "purity"];

/// The means of [`Metric::Nmi`]; the score `nmi` is the one over the arithmetic mean.
const OTHER_MEANS: [NmiMean; 3] = [NmiMean::Geometric, NmiMean::Max, NmiMean::Min];

fn name_of(mean: NmiMean) -> &'static str {
    match mean {
        NmiMean::Geometric => "nmi-geometric",
        NmiMean::Max => "nmi-max",
        NmiMean::Min => "nmi-min",
        _ => "nmi",
    }
}

/// A metric of a run.
///
/// | name | definition | needs |
/// |---|---|---|
/// | `ari` `nmi` `f1` `precision` `recall` `accuracy` `purity` | [`Scores`] | truth |
/// | `nmi-geometric` `nmi-max` `nmi-min` | [`nmi`] over another mean of the entropies | truth |
/// | `agreement` | mean NMI with the base clusterings | |
/// | `clusters` | number of clusters found, which may differ from k | |
/// | `largest` | share of the samples in the largest cluster | |
/// | `iterations` | iterations of the enhancer | |
/// | `norm` | Frobenius norm, over the samples, of the similarity that is clustered | a similarity |
/// | `precision@t` `recall@t` `share@t` | precision and recall of the pairs whose similarity is at least t, and their share of all pairs | a similarity; truth |
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// A score against the truth, by its name.
    Score(&'static str),
    /// NMI over this mean of the entropies.
    Nmi(NmiMean),
    /// Mean NMI with the base clusterings.
    Agreement,
    /// Number of clusters found.
    Clusters,
    /// Share of the samples in the largest cluster.
    Largest,
    /// Iterations of the enhancer.
    Iterations,
    /// Frobenius norm of the similarity.
    Norm,
    /// A measure of the pairs at or above a threshold.
    Pairs(PairFigure, f64),
}

impl Metric {
    /// Whether it is a metric of a partition, not of the fit.
    pub fn of_partition(&self) -> bool {
        use Metric::{Agreement, Clusters, Largest, Nmi, Score};
        matches!(self, Score(_) | Nmi(_) | Agreement | Clusters | Largest)
    }

    /// Whether larger is better, so that variants can be ranked by it.
    pub fn ranks(&self) -> bool {
        matches!(self, Metric::Score(_) | Metric::Nmi(_) | Metric::Agreement)
    }

    /// Whether it needs the truth.
    pub fn needs_truth(&self) -> bool {
        matches!(self, Metric::Score(_) | Metric::Nmi(_) | Metric::Pairs(..))
    }

    /// Whether it needs a similarity.
    pub fn needs_similarity(&self) -> bool {
        matches!(self, Metric::Norm | Metric::Pairs(..))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Score(name) => f.write_str(name),
            Metric::Nmi(mean) => f.write_str(name_of(*mean)),
            Metric::Agreement => f.write_str("agreement"),
            Metric::Clusters => f.write_str("clusters"),
            Metric::Largest => f.write_str("largest"),
            Metric::Iterations => f.write_str("iterations"),
            Metric::Norm => f.write_str("norm"),
            Metric::Pairs(figure, threshold) => write!(f, "{}@{threshold}", figure.name()),
        }
    }
}

impl FromStr for Metric {
    type Err = StudyError;

    fn from_str(name: &str) -> Result<Self, StudyError> {
        let metric = match name {
            "agreement" => Some(Metric::Agreement),
            "clusters" => Some(Metric::Clusters),
            "largest" => Some(Metric::Largest),
            "iterations" => Some(Metric::Iterations),
            "norm" => Some(Metric::Norm),
            _ => match name.split_once('@') {
                Some((figure, threshold)) => PairFigure::ALL
                    .into_iter()
                    .find(|f| f.name() == figure)
                    .zip(threshold.parse().ok().filter(|t: &f64| t.is_finite()))
                    .map(|(figure, threshold)| Metric::Pairs(figure, threshold)),
                None => {
                    let mean = OTHER_MEANS.into_iter().find(|mean| name_of(*mean) == name);
                    let score = SCORES.into_iter().find(|s| *s == name).map(Metric::Score);
                    score.or(mean.map(Metric::Nmi))
                }
            },
        };
        metric.ok_or_else(|| {
            let of_runs = ["agreement", "clusters", "largest", "iterations", "norm"];
            let of_pairs = ["precision@t", "recall@t", "share@t"];
            let scores = SCORES.into_iter().chain(OTHER_MEANS.map(name_of));
            let known = scores.chain(of_runs).chain(of_pairs).map(String::from);
            let known = known.collect();
            StudyError::Unknown { what: "metric", name: name.to_string(), known }
        })
    }
}

/// The metrics of a partition, in their order.
pub(crate) fn of_partition(
    metrics: &[Metric],
    ensemble: &Ensemble,
    truth: Option<&Partition>,
    partition: &Partition,
) -> Result<Vec<f64>> {
    let scores = match truth {
        Some(truth) if metrics.iter().any(|m| matches!(m, Metric::Score(_))) => {
            Some(Scores::of(truth, partition)?.named())
        }
        _ => None,
    };
    let score = |name: &str| scores.iter().flatten().find(|(n, _)| *n == name).map(|(_, v)| *v);
    let mut values = Vec::new();
    for metric in metrics {
        match metric {
            Metric::Score(name) => values.extend(score(name)),
            Metric::Nmi(mean) => {
                let overlaps = truth.map(|truth| Contingency::of(truth, partition)).transpose()?;
                values.extend(overlaps.map(|overlaps| nmi(&overlaps, *mean)));
            }
            Metric::Agreement => {
                values.push(mean_agreement(ensemble, partition, NmiMean::Arithmetic)?);
            }
            Metric::Clusters => values.push(partition.clusters() as f64),
            Metric::Largest => {
                let largest = partition.sizes().into_iter().max().unwrap_or(0);
                values.push(largest as f64 / partition.total() as f64);
            }
            _ => {}
        }
    }
    Ok(values)
}

/// The metrics of a fit, in their order.
pub(crate) fn of_fit<S: Real>(
    metrics: &[Metric],
    truth: Option<&Partition>,
    evidence: &Evidence<S>,
    report: &Report,
) -> Result<Vec<f64>> {
    let thresholds: Vec<f64> = metrics.iter().filter_map(threshold).collect();
    let curve = match truth {
        Some(truth) if !thresholds.is_empty() => {
            pair_curve(evidence.similarity_for("a curve over pairs")?, truth, &thresholds)?
        }
        _ => Vec::new(),
    };
    let mut points = curve.iter();
    let mut values = Vec::new();
    for metric in metrics {
        match metric {
            Metric::Iterations => values.push(report.iterations as f64),
            Metric::Norm => values.push(norm(evidence.similarity_for("a norm")?)),
            Metric::Pairs(figure, _) => values.extend(points.next().map(|p| p.figure(*figure))),
            Metric::Score(_)
            | Metric::Nmi(_)
            | Metric::Agreement
            | Metric::Clusters
            | Metric::Largest => {}
        }
    }
    Ok(values)
}

fn threshold(metric: &Metric) -> Option<f64> {
    match metric {
        Metric::Pairs(_, threshold) => Some(*threshold),
        _ => None,
    }
}

/// Frobenius norm of the n × n matrix over the samples.
fn norm<S: Real>(similarity: &Similarity<S>) -> f64 {
    let sizes: Vec<f64> = similarity.grouping().sizes().iter().map(|&r| r as f64).collect();
    let row = |p: usize| -> f64 {
        let square = |c: &S| c.wide() * c.wide();
        let between: f64 =
            similarity.row(p).iter().zip(&sizes[p + 1..]).map(|(c, r)| r * square(c)).sum();
        let (within, own) = (square(&similarity.within()[p]), square(&similarity.own()[p]));
        sizes[p] * (2.0 * between + (sizes[p] - 1.0) * within + own)
    };
    (0..sizes.len()).map(row).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use enclust_core::Grouping;

    use super::*;

    #[test]
    fn names_are_those_of_the_scores() {
        let one = Partition::from_labels([0, 1]);
        let named = Scores::of(&one, &one).unwrap().named();
        assert_eq!(named.map(|(name, _)| name), SCORES);
    }

    #[test]
    fn every_metric_is_read_as_it_is_written() {
        let of_partitions = ["ari", "purity", "nmi-max", "nmi-min", "nmi-geometric", "agreement"];
        let others = ["clusters", "largest", "iterations", "norm", "recall@0.15"];
        for name in of_partitions.into_iter().chain(others) {
            assert_eq!(name.parse::<Metric>().unwrap().to_string(), name);
        }
        for name in ["ARI", "recall@", "nmi@0.5", "recall@NaN", ""] {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
    }

    #[test]
    fn means_of_the_entropies_are_ordered() {
        let truth = Partition::from_labels([0, 0, 1, 1]);
        let found = Partition::from_labels([0, 1, 2, 3]);
        let ensemble = Ensemble::from_columns(&[[0, 0, 1, 1]]).unwrap();
        let metrics = ["nmi-max", "nmi", "nmi-geometric", "nmi-min"].map(|m| m.parse().unwrap());
        let values = of_partition(&metrics, &ensemble, Some(&truth), &found).unwrap();
        let expected = [0.5, 2.0 / 3.0, 0.5_f64.sqrt(), 1.0];
        assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{values:?}");
    }

    #[test]
    fn the_norm_is_that_of_the_matrix() {
        let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1, 0]).unwrap());
        let s = Similarity::new(grouping, vec![0.3], vec![0.8, 0.2], vec![1.0, 0.9]).unwrap();
        let plain = s.to_matrix().iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((norm(&s) - plain).abs() < 1e-14);
    }
}
