//! A suite that accepts everything proves nothing. Each suite must fail for a component that
//! breaks a law, and must name the law.

mod backends;
mod confident_pairs_and_enhancers;
mod consensus_functions;
mod methods;
mod reductions;
mod representations;
mod stopping_rules;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the failed suite.
fn complaint(suite: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(suite)).expect_err("the suite must fail");
    panic.downcast_ref::<String>().cloned().expect("a message")
}

#[track_caller]
fn assert_names(complaint: &str, law: &str) {
    assert!(complaint.contains(law), "expected a complaint about \"{law}\", got: {complaint}");
}

macro_rules! component {
    ($($t:ident),*) => {$(
        #[derive(Debug)]
        struct $t;
        impl enclust_core::Component for $t {
            fn name(&self) -> &str {
                stringify!($t)
            }
        }
    )*};
}
pub(crate) use component;
