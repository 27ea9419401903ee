//! Reports on a run.

use std::fmt;
use std::time::Duration;

use crate::evidence::similarity::Similarity;
use crate::numbers::real::Real;

/// How an iteration ended.
///
/// With the feature `serde` it is read and written in the words of its `Display`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The result was computed without an iteration.
    #[cfg_attr(feature = "serde", serde(rename = "direct"))]
    Direct,
    /// The stopping rule was met.
    #[cfg_attr(feature = "serde", serde(rename = "converged"))]
    Converged,
    /// The iteration limit was reached first.
    #[cfg_attr(feature = "serde", serde(rename = "iteration limit reached"))]
    IterationLimit,
    /// The time limit was reached first.
    #[cfg_attr(feature = "serde", serde(rename = "time limit reached"))]
    TimeLimit,
    /// The precision does not allow further progress, and the stopping rule was not met.
    #[cfg_attr(feature = "serde", serde(rename = "limit of the precision reached"))]
    PrecisionLimit,
    /// An observer or the cancel flag stopped the iteration.
    #[cfg_attr(feature = "serde", serde(rename = "cancelled"))]
    Cancelled,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Direct => "direct",
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit reached",
            Status::TimeLimit => "time limit reached",
            Status::PrecisionLimit => "limit of the precision reached",
            Status::Cancelled => "cancelled",
        })
    }
}

/// The step of one variable in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Change {
    /// Name of the variable.
    pub name: &'static str,
    /// Norm of the step.
    pub step: f64,
    /// Norm of the variable before the step.
    pub scale: f64,
}

impl Change {
    /// A step with this norm of a variable with norm `scale`.
    pub fn new(name: &'static str, step: f64, scale: f64) -> Self {
        Change { name, step, scale }
    }

    /// The step between two vectors.
    ///
    /// ```
    /// use enclust_core::Change;
    ///
    /// let change = Change::between("x", &[3.0, 4.0], &[3.0, 3.0]);
    /// assert_eq!((change.step, change.scale), (1.0, 5.0));
    /// ```
    pub fn between<S: Real>(name: &'static str, before: &[S], after: &[S]) -> Self {
        let norm = |squares: f64| squares.sqrt();
        let step = before.iter().zip(after).map(|(x, y)| (y.wide() - x.wide()).powi(2)).sum();
        let scale = before.iter().map(|x| x.wide().powi(2)).sum();
        Change { name, step: norm(step), scale: norm(scale) }
    }

    /// The step between two similarities over the same groups, with norms over all pairs of
    /// different samples.
    ///
    /// ```
    /// use enclust_core::{Change, Similarity};
    ///
    /// let before = Similarity::from_matrix(2, &[1.0, 0.5, 0.5, 1.0])?;
    /// let after = Similarity::from_matrix(2, &[1.0, 0.75, 0.75, 1.0])?;
    /// assert_eq!(Change::of_similarity("C", &before, &after).ratio(), 0.5);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn of_similarity<S: Real>(
        name: &'static str,
        before: &Similarity<S>,
        after: &Similarity<S>,
    ) -> Self {
        let sizes: Vec<f64> = before.grouping().sizes().iter().map(|&r| r as f64).collect();
        let (mut step, mut scale) = (0.0, 0.0);
        let mut add = |pairs: f64, old: S, new: S| {
            step += pairs * (new.wide() - old.wide()).powi(2);
            scale += pairs * old.wide().powi(2);
        };
        for p in 0..sizes.len() {
            add(sizes[p] * (sizes[p] - 1.0), before.within()[p], after.within()[p]);
            let rows = before.row(p).iter().zip(after.row(p));
            rows.zip(&sizes[p + 1..])
                .for_each(|((&old, &new), r)| add(2.0 * sizes[p] * r, old, new));
        }
        Change { name, step: step.sqrt(), scale: scale.sqrt() }
    }

    /// Step relative to scale; NaN for 0/0, infinite if only the scale is 0.
    pub fn ratio(&self) -> f64 {
        self.step / self.scale
    }
}

/// The record of one iteration, for stopping rules and observers.
///
/// A part that iterates makes a record with the quantities that it computed; the
/// [loop](crate::Iteration) fills in number and time.
///
/// ```
/// use enclust_core::{Change, Record};
///
/// let record = Record::default().with_residual(1e-3).with_changes(vec![Change::new("C", 0.1, 2.0)]);
/// assert_eq!(record.objective, None);
/// ```
///
/// With the feature `serde` it can be serialised, with the time in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Record {
    /// Number of the iteration, starting at 1.
    pub iteration: usize,
    /// Time since the iteration began.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub elapsed: Duration,
    /// Step of each variable, if it is needed.
    pub changes: Vec<Change>,
    /// Value of the objective, if it is needed.
    pub objective: Option<f64>,
    /// Relative residual of the optimality conditions, if it is needed.
    pub residual: Option<f64>,
    /// Status with which the part itself ends the iteration, if it cannot or need not continue.
    pub end: Option<Status>,
}

#[cfg(feature = "serde")]
fn in_seconds<W: serde::Serializer>(time: &Duration, to: W) -> Result<W::Ok, W::Error> {
    to.serialize_f64(time.as_secs_f64())
}

impl Record {
    /// The record of the iteration with this number.
    pub fn of(iteration: usize) -> Self {
        Record { iteration, ..Record::default() }
    }

    /// The same with the steps of the variables.
    pub fn with_changes(self, changes: Vec<Change>) -> Self {
        Record { changes, ..self }
    }

    /// The same with the value of the objective.
    pub fn with_objective(self, objective: impl Into<Option<f64>>) -> Self {
        Record { objective: objective.into(), ..self }
    }

    /// The same with the relative residual of the optimality conditions.
    pub fn with_residual(self, residual: impl Into<Option<f64>>) -> Self {
        Record { residual: residual.into(), ..self }
    }

    /// The same with this time.
    pub fn with_elapsed(self, elapsed: Duration) -> Self {
        Record { elapsed, ..self }
    }

    /// The same with a status with which the part itself ends the iteration. A stopping rule that
    /// is met in the same iteration takes precedence.
    pub fn with_end(self, end: Option<Status>) -> Self {
        Record { end, ..self }
    }
}

/// A proof of how close a result is to the optimum of the enhancement problem. Every number is an
/// upper bound that is computed from the result itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Certificate {
    /// ‖R‖ / λ‖A‖, where R is the computed residual of the optimality conditions.
    pub relative_residual: f64,
    /// ‖C − C*‖ / ‖A‖: "optimal within …".
    pub relative_distance: f64,
    /// ‖C − C*‖ over the samples (Frobenius).
    pub distance: f64,
    /// The largest |C − C*| over all pairs.
    pub largest_distance: f64,
    /// Value of the objective at C.
    pub objective: f64,
    /// Upper bound on the difference between the objective at C and its minimum.
    pub objective_gap: f64,
    /// The largest deviation of a fixed entry from its value. ([`Similarity`](crate::Similarity)
    /// itself checks that every entry is in [0, 1].)
    pub fixed_error: f64,
}

/// The report on the confident pairs of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PairsReport {
    /// The threshold α that was used, if the rule has one. It may be higher than the given one.
    pub alpha: Option<f64>,
    /// Number of confident pairs of different groups.
    pub pairs: usize,
    /// The share of the samples in the largest connected component of the confident pairs.
    pub largest_component: f64,
    /// The [mean degree](crate::Confident::mean_degree) of the samples in the graph of these pairs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mean_degree: f64,
}

/// The report on the reduction of the label rows of a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReductionReport {
    /// The part.
    pub component: String,
    /// Number of distinct label rows before, n'.
    pub from: usize,
    /// Number of representative rows.
    pub to: usize,
    /// The share of all labels of all samples that differ from those of their representatives.
    pub labels_changed: f64,
    /// Number of samples with labels that share no base cluster with any representative.
    pub unmatched: usize,
    /// ‖C − A‖ / ‖A‖ over the samples: how far the enhancement changed the reduced similarity.
    /// `None` if nothing was enhanced.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub change: Option<f64>,
}

impl ReductionReport {
    /// The report of a reduction that leaves all rows.
    pub(crate) fn unchanged(rows: usize) -> Self {
        let component = "none".to_string();
        ReductionReport {
            component,
            from: rows,
            to: rows,
            labels_changed: 0.0,
            unmatched: 0,
            change: None,
        }
    }
}

/// The report on an iteration, or on a part that does not iterate.
///
/// With the feature `serde` the last iteration is serialised if there is one, and omitted when a
/// report is deserialised.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The part.
    pub component: String,
    /// The status at the end.
    pub status: Status,
    /// Number of iterations.
    pub iterations: usize,
    /// The last iteration, if there was one.
    #[cfg_attr(
        feature = "serde",
        serde(skip_deserializing, skip_serializing_if = "Option::is_none")
    )]
    pub last: Option<Record>,
    /// How close the result is to the optimum, if the enhancer can prove it.
    pub certificate: Option<Certificate>,
}

impl Report {
    /// The report of a part that ended with this status.
    pub fn new(component: impl Into<String>, status: Status) -> Self {
        let component = component.into();
        Report { component, status, iterations: 0, last: None, certificate: None }
    }

    /// The report of a part that does not iterate.
    pub fn direct(component: impl Into<String>) -> Self {
        Report::new(component, Status::Direct)
    }

    /// The same with the last iteration, whose number is the number of iterations.
    pub fn with_last(self, last: Record) -> Self {
        Report { iterations: last.iteration, last: Some(last), ..self }
    }

    /// The same without the last iteration.
    pub fn without_last(self) -> Self {
        Report { last: None, ..self }
    }

    /// The same with a certificate.
    pub fn with_certificate(self, certificate: Certificate) -> Self {
        Report { certificate: Some(certificate), ..self }
    }
}
