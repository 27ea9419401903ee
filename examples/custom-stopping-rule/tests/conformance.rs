//! The rule passes the conformance suite of its stage, and further tests.

use std::cell::RefCell;

use enclust_core::NoState;
use enclust_core::prelude::*;
use enclust_example_custom_stopping_rule::Recurrence;
use enclust_testkit::stop;

#[test]
fn keeps_the_laws() {
    stop::conformance(&Recurrence);
}

/// Iterations with these labels, in order.
struct Labels(RefCell<Vec<[u8; 3]>>);

impl State for Labels {
    fn similarity(&self) -> Result<Similarity<f64>> {
        NoState.similarity()
    }

    fn labels(&self) -> Result<Partition> {
        Ok(Partition::from_labels(self.0.borrow_mut().remove(0)))
    }
}

fn ends(labels: &[[u8; 3]]) -> Option<usize> {
    let (state, mut check) = (Labels(RefCell::new(labels.to_vec())), Recurrence.start());
    let met = |t: &usize| check.check(&Record::of(*t), &state).unwrap() == Some(Status::Converged);
    (1..=labels.len()).find(met)
}

#[test]
fn ends_where_labels_come_again_under_any_names() {
    let (a, b, c) = ([0, 0, 1], [0, 1, 1], [0, 1, 0]);
    assert_eq!(ends(&[a, b, c]), None);
    assert_eq!(ends(&[a, a]), Some(2));
    assert_eq!(ends(&[a, b, c, b]), Some(4));
    assert_eq!(ends(&[a, [7, 7, 2]]), Some(2));
}

#[test]
fn labels_that_cannot_be_had_are_an_error() {
    assert!(Recurrence.start().check(&Record::of(1), &NoState).is_err());
}
