//! The iterations of a run, as an observer sees them.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use enclust_core::{Event, Observer, Quantities, Record};
use serde::Serialize;

/// A curve with more points is thinned out.
const MOST_POINTS: usize = 1000;
/// More parts that iterate are not recorded.
const MOST_CURVES: usize = 12;

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Its number, from 1.
    pub iteration: usize,
    /// Time since the iteration began.
    pub seconds: f64,
    /// Relative residual of the optimality conditions, if it was computed.
    pub residual: Option<f64>,
    /// Value of the objective, if it was computed.
    pub objective: Option<f64>,
    /// The largest relative step of a variable, if it was computed.
    pub step: Option<f64>,
}

/// The iterations of one part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The part.
    pub component: String,
    /// The residual at which its stopping rule is met, if there is one.
    pub target_residual: Option<f64>,
    /// The step at which its stopping rule is met, if there is one.
    pub target_step: Option<f64>,
    /// The iterations; every s-th one if there were more than a thousand, and the last.
    pub points: Vec<Point>,
    /// Only iterations whose number is a multiple of it are kept.
    #[serde(skip)]
    stride: usize,
    #[serde(skip)]
    last: Option<Point>,
}

/// An observer that records the iterations and passes every event on. It asks for no quantity that
/// is not computed anyway, so it does not change a run.
///
/// ```
/// use enclust_core::Ctx;
/// use enclust_report::Recorder;
///
/// let recorder = Recorder::new(None);
/// let ctx = Ctx::<f64>::default().with_observer(&recorder);
/// # drop(ctx);
/// assert!(recorder.into_curves().is_empty());
/// ```
#[derive(Default)]
pub struct Recorder<'a> {
    next: Option<&'a dyn Observer>,
    curves: Mutex<Vec<Curve>>,
}

impl<'a> Recorder<'a> {
    /// A recorder in front of another observer.
    pub fn new(next: Option<&'a dyn Observer>) -> Self {
        Recorder { next, curves: Mutex::default() }
    }

    /// The iterations of every part that iterated.
    pub fn into_curves(self) -> Vec<Curve> {
        let mut curves = self.curves.into_inner().unwrap_or_else(PoisonError::into_inner);
        for curve in &mut curves {
            let last = curve.last.take().filter(|last| curve.points.last() != Some(last));
            curve.points.extend(last);
        }
        curves.retain(|curve| !curve.points.is_empty());
        curves
    }
}

impl Curve {
    fn add(&mut self, record: &Record) {
        let steps = record.changes.iter().map(|change| change.ratio()).filter(|r| r.is_finite());
        let point = Point {
            iteration: record.iteration,
            seconds: record.elapsed.as_secs_f64(),
            residual: record.residual,
            objective: record.objective,
            step: steps.max_by(f64::total_cmp),
        };
        self.last = Some(point);
        if !record.iteration.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(point);
        if self.points.len() > MOST_POINTS {
            self.stride *= 2;
            self.points.retain(|point| point.iteration.is_multiple_of(self.stride));
        }
    }
}

impl Observer for Recorder<'_> {
    fn needs(&self) -> Quantities {
        self.next.map_or(Quantities::NONE, |next| next.needs())
    }

    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        let mut curves = self.curves.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Start { component, target, .. } if curves.len() < MOST_CURVES => {
                curves.push(Curve {
                    component: (*component).to_string(),
                    target_residual: target.residual,
                    target_step: target.step,
                    points: Vec::new(),
                    stride: 1,
                    last: None,
                });
            }
            Event::Iteration { record, .. } => {
                curves.last_mut().into_iter().for_each(|curve| curve.add(record));
            }
            _ => {}
        }
        drop(curves);
        self.next.map_or(ControlFlow::Continue(()), |next| next.notice(event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned_and_keep_their_last_point() {
        let mut curve = Curve {
            component: "x".into(),
            target_residual: None,
            target_step: None,
            points: Vec::new(),
            stride: 1,
            last: None,
        };
        for iteration in 1..=5001 {
            curve.add(&Record::of(iteration).with_residual(1.0 / iteration as f64));
        }
        let recorder = Recorder { next: None, curves: Mutex::new(vec![curve]) };
        let points = recorder.into_curves().remove(0).points;
        assert!(points.len() <= MOST_POINTS + 1, "{}", points.len());
        assert_eq!(points.last().unwrap().iteration, 5001);
        assert!(points.windows(2).all(|pair| pair[0].iteration < pair[1].iteration));
    }
}
