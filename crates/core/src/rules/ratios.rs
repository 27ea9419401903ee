//! Stopping rules on relative steps.

use crate::compose::params::Range;
use crate::part;
use crate::run::quantities::Quantities;
use crate::run::report::{Change, Record, Status};
use crate::stages::stop::{Check, Stop, Target};

part! {
    /// The rule of the EC-CMS authors' program: ‖Xₖ₊₁ − Xₖ‖ / ‖Xₖ‖ < ε for every variable.
    ///
    /// In the first iteration, a ratio of 0/0, which several variables have, does not count as
    /// small. In later iterations it does, because a variable that is zero and stays zero has not
    /// changed. (In the authors' program 0/0 is NaN and the run continues to its iteration limit.
    /// This happens only for data on which the multiplier Y₂ stays exactly zero.)
    pub struct AuthorsRule(
        "authors",
        "every relative step below epsilon, as in the authors' program"
    ) {
        /// ε: upper bound on the relative step of every variable.
        pub epsilon: f64 = 1e-2, in Range::Positive;
    }
}

impl Stop for AuthorsRule {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        every_change(|c| c.ratio() < self.epsilon)
    }

    fn target(&self) -> Target {
        Target::step(self.epsilon)
    }
}

part! {
    /// The rule printed in the EC-CMS paper: the *squared* ratio is at most ε.
    pub struct PaperRule(
        "paper",
        "every squared relative step at most epsilon, as printed in the paper"
    ) {
        /// ε: upper bound on the squared relative step of every variable.
        pub epsilon: f64 = 1e-2, in Range::Positive;
    }
}

impl Stop for PaperRule {
    fn needs(&self) -> Quantities {
        Quantities::CHANGES
    }

    fn start(&self) -> Box<dyn Check + '_> {
        every_change(|c| c.ratio() * c.ratio() <= self.epsilon)
    }

    fn target(&self) -> Target {
        Target::step(self.epsilon.sqrt())
    }
}

/// Converged if there are changes and each of them is small or, after the first iteration, from
/// zero to zero.
fn every_change<'a>(small: impl Fn(&Change) -> bool + 'a) -> Box<dyn Check + 'a> {
    Box::new(move |record: &Record| {
        let still = |c: &Change| record.iteration > 1 && c.step == 0.0 && c.scale == 0.0;
        let met = !record.changes.is_empty() && record.changes.iter().all(|c| small(c) || still(c));
        met.then_some(Status::Converged)
    })
}
