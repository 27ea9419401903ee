//! What happened during a run.

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
    /// The answer came without iterating.
    #[cfg_attr(feature = "serde", serde(rename = "direct"))]
    Direct,
    /// The stopping rule was met.
    #[cfg_attr(feature = "serde", serde(rename = "converged"))]
    Converged,
    /// The iteration limit came first.
    #[cfg_attr(feature = "serde", serde(rename = "iteration limit reached"))]
    IterationLimit,
    /// The time limit came first.
    #[cfg_attr(feature = "serde", serde(rename = "time limit reached"))]
    TimeLimit,
    /// The arithmetic cannot get any closer, and the stopping rule was not met.
    #[cfg_attr(feature = "serde", serde(rename = "limit of the precision reached"))]
    PrecisionLimit,
    /// An observer or the cancel flag stopped it.
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
    /// Which variable.
    pub name: &'static str,
    /// Norm of the step.
    pub step: f64,
    /// Norm of the variable before the step.
    pub scale: f64,
}

impl Change {
    /// A step of this norm, from a variable of that norm.
    pub fn new(name: &'static str, step: f64, scale: f64) -> Self {
        Change { name, step, scale }
    }

    /// The step from one list of numbers to another.
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

    /// The step from one similarity to another over the same groups: norms over all pairs of
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

    /// Step relative to scale; NaN for 0/0, infinite for a step away from 0.
    pub fn ratio(&self) -> f64 {
        self.step / self.scale
    }
}

/// One iteration, as stopping rules and observers see it.
///
/// A part that iterates makes a record with the quantities it computed; number and time are
/// filled in by the [loop](crate::Iteration).
///
/// ```
/// use enclust_core::{Change, Record};
///
/// let record = Record::default().with_residual(1e-3).with_changes(vec![Change::new("C", 0.1, 2.0)]);
/// assert_eq!(record.objective, None);
/// ```
///
/// With the feature `serde` it can be written; the time is in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Record {
    /// Number of the iteration, from 1.
    pub iteration: usize,
    /// Time since the iteration began.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_seconds"))]
    pub elapsed: Duration,
    /// Step of each variable, if someone needs it.
    pub changes: Vec<Change>,
    /// Value of the objective, if someone needs it.
    pub objective: Option<f64>,
    /// Relative residual of the optimality conditions, if someone needs it.
    pub residual: Option<f64>,
    /// How the iteration ends, if the part itself cannot or need not go on.
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

    /// The same after this time.
    pub fn with_elapsed(self, elapsed: Duration) -> Self {
        Record { elapsed, ..self }
    }

    /// The same, saying how the iteration ends if the part itself cannot or need not go on. A
    /// stopping rule that is met in the same iteration outranks it.
    pub fn with_end(self, end: Option<Status>) -> Self {
        Record { end, ..self }
    }
}

/// A proof of how close an answer is to the optimum of the enhancement problem:
/// every figure is an upper bound, computed from the answer itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Certificate {
    /// ‖R‖ / λ‖A‖, R the residual of the optimality conditions, as it was computed.
    pub relative_residual: f64,
    /// ‖C − C*‖ / ‖A‖: "optimal within …".
    pub relative_distance: f64,
    /// ‖C − C*‖ over the samples (Frobenius).
    pub distance: f64,
    /// The largest |C − C*| of any pair.
    pub largest_distance: f64,
    /// Value of the objective at C.
    pub objective: f64,
    /// How much lower the objective could be.
    pub objective_gap: f64,
    /// How far any fixed entry is from the value it is fixed to. (That every entry
    /// lies in [0, 1] is checked by [`Similarity`](crate::Similarity) itself.)
    pub fixed_error: f64,
}

/// How an iteration, or a part that does not iterate, went.
///
/// With the feature `serde` the last iteration is written if there is one, and left out when a
/// report is read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The part.
    pub component: String,
    /// How it ended.
    pub status: Status,
    /// Number of iterations made.
    pub iterations: usize,
    /// The last iteration, if there was one.
    #[cfg_attr(
        feature = "serde",
        serde(skip_deserializing, skip_serializing_if = "Option::is_none")
    )]
    pub last: Option<Record>,
    /// How close the answer is to the optimum, if the enhancer can prove it.
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

    /// The same with the last iteration, whose number is that of iterations made.
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
