//! A raised flag ends a run inside the stage that it is in. How soon that is on large data is
//! measured by `cargo bench --bench cancelling`.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use enclust::core::{Ctx, Error, Event, Method, Part, PipelineSpec, Question, Stage};
use enclust::registry::standard;
use enclust_testkit::generate::planted;

/// Fits and cuts with the flag raised at the beginning of a stage; what was cancelled.
fn cancelled_in(spec: &PipelineSpec, stage: Stage) -> String {
    let flag = AtomicBool::new(stage == Stage::Cut);
    let raise = |event: &Event<'_>| {
        if matches!(event, Event::Stage(begun) if *begun == stage) {
            flag.store(true, Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    };
    // Few equal rows: enough groups that eigenvectors are found by iteration.
    let ensemble = planted(600, 14, 9, 0.45, 5);
    let ctx = Ctx::<f64>::default();
    let watched = ctx.with_observer(&raise).with_cancel(&flag);
    let pipeline = standard::<f64>().pipeline(spec).unwrap();
    let fitting = if stage == Stage::Cut { &ctx } else { &watched };
    let question = Question::clusters(9);
    let cut = |fit: enclust::core::Fit<f64>| fit.cut(9, &watched).map(|_| ());
    match pipeline.fit(&ensemble, &question, fitting).and_then(cut) {
        Err(Error::Cancelled { what, .. }) => what.to_string(),
        other => panic!("{spec}, {stage}: {other:?}"),
    }
}

fn plain(ca: &str, consensus: &str) -> PipelineSpec {
    PipelineSpec::plain(Part::named(ca), Part::named(consensus))
}

#[test]
fn long_loops_end_in_the_middle() {
    let enhanced = |enhance: &str| {
        plain("lwca", "average").enhanced(Part::named("threshold"), Part::named(enhance))
    };
    let cases = [
        (plain("pts", "average"), Stage::Ca, "finding elite neighbours"),
        (plain("ptb", "tcut"), Stage::Ca, "finding elite neighbours"),
        (plain("pcs", "metaclusters"), Stage::Ca, "following the walkers"),
        (plain("lwca", "average"), Stage::Consensus, "linkage"),
        (plain("lwca", "spectral"), Stage::Cut, "the search for eigenpairs"),
        (plain("lwb", "tcut"), Stage::Cut, "the search for eigenpairs"),
        // An iteration that is cancelled has a status; the next stage then ends the run.
        (enhanced("exact"), Stage::Enhance, "consensus function"),
        (enhanced("admm"), Stage::Enhance, "consensus function"),
    ];
    for (spec, stage, what) in cases {
        assert_eq!(cancelled_in(&spec, stage), what, "{spec}, {stage}");
    }
}

#[test]
fn every_method_can_be_cancelled_while_it_builds() {
    let registry = standard::<f64>();
    for preset in registry.presets() {
        for stage in [Stage::Microclusters, Stage::Ca] {
            cancelled_in(&preset.spec, stage);
        }
    }
}
