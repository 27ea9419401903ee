//! The fit of a method to the data of a run.

use enclust::core::{
    BoxedPipeline, Bytes, Ca, Ctx, Ensemble, Error, Fit, Method, Microclusters, Precomputed,
    Preset, Question, Registry, Shape, Similarity, Trace,
};
use enclust::registry::Precision;
use enclust_report::Part;

use super::data::Data;
use super::plan::Plan;
use super::report::{before, no_room, nothing_enhanced};
use crate::failure::Failure;

/// Fits the method to the data.
pub fn fit<S: Precision>(
    plan: &Plan<S>,
    data: &mut Data<S>,
    question: &Question,
    ctx: &Ctx<'_, S>,
) -> Result<Fit<S>, Failure> {
    let (pipeline, ensemble) = match composed(plan, data)? {
        Composed::Pipeline(pipeline, ensemble) => (pipeline, ensemble),
        Composed::Consensus(similarity) => {
            return Ok(Fit::of_similarity(similarity, &*plan.consensus()?, ctx)?);
        }
    };
    let fit = pipeline.fit(ensemble, question, ctx);
    fit.map_err(|error| with_methods(error, plan, ensemble, question))
}

/// Fits and keeps the similarity before the enhancement, unless there is no memory for both.
pub fn traced<S: Precision>(
    plan: &Plan<S>,
    data: &mut Data<S>,
    question: &Question,
    ctx: &Ctx<'_, S>,
) -> Result<(Fit<S>, Part<Similarity<S>>), Failure> {
    let (pipeline, ensemble) = match composed(plan, data)? {
        Composed::Pipeline(pipeline, ensemble) => (pipeline, ensemble),
        Composed::Consensus(similarity) => {
            let fit = Fit::of_similarity(similarity, &*plan.consensus()?, ctx)?;
            return Ok((fit, nothing_enhanced()));
        }
    };
    let (mut kept, enhances) = (nothing_enhanced(), plan.enhances()?);
    if enhances {
        match pipeline.trace(ensemble, question, ctx) {
            Ok(Trace { given, fit, .. }) => return Ok((fit, before(given))),
            Err(Error::Memory { .. }) => kept = no_room(),
            Err(error) => return Err(with_methods(error, plan, ensemble, question)),
        }
    }
    let fit = pipeline.fit(ensemble, question, ctx);
    fit.map(|fit| (fit, kept)).map_err(|error| with_methods(error, plan, ensemble, question))
}

/// What a run applies to its data.
enum Composed<'a, S: Precision> {
    Pipeline(BoxedPipeline<S>, &'a Ensemble),
    /// Only the consensus function, to a similarity without base clusterings.
    Consensus(Similarity<S>),
}

fn composed<'a, S: Precision>(
    plan: &Plan<S>,
    data: &'a mut Data<S>,
) -> Result<Composed<'a, S>, Failure> {
    let given = data.similarity.take();
    let Some(ensemble) = &data.ensemble else {
        return Ok(Composed::Consensus(given.ok_or(Failure::NoInput)?));
    };
    let mut pipeline = pipeline(plan, data)?;
    if let Some(similarity) = given {
        let precomputed: Box<dyn Ca<S>> = Box::new(Precomputed::new(similarity));
        pipeline = pipeline.with_ca(precomputed)?;
    }
    Ok(Composed::Pipeline(pipeline, ensemble))
}

/// An error about memory also names the methods that need less.
fn with_methods<S: Precision>(
    error: Error,
    plan: &Plan<S>,
    ensemble: &Ensemble,
    question: &Question,
) -> Failure {
    match error {
        Error::Memory { available, .. } => {
            let methods = methods_within(available, &plan.registry, ensemble, question);
            Failure::Memory { error: Box::new(error), methods }
        }
        other => other.into(),
    }
}

/// The methods that need at most this much memory.
fn methods_within<S: Precision>(
    available: Bytes,
    registry: &Registry<S>,
    ensemble: &Ensemble,
    question: &Question,
) -> Vec<String> {
    let shape = Shape::of::<S>(&Microclusters::of(ensemble)).with_k(question.k);
    let fits = |preset: &&Preset| {
        let needs = registry.pipeline(&preset.spec).map(|pipeline| pipeline.footprint(&shape));
        needs.is_ok_and(|needs| needs.iter().all(|need| need.peak() <= available))
    };
    registry.presets().iter().filter(fits).map(|preset| preset.name.to_string()).collect()
}

/// The pipeline with the constraints of the data.
pub fn pipeline<S: Precision>(plan: &Plan<S>, data: &Data<S>) -> Result<BoxedPipeline<S>, Failure> {
    let pipeline = plan.pipeline()?;
    Ok(match &data.constraints {
        Some(constraints) => pipeline.with_constraints(constraints.clone()),
        None => pipeline,
    })
}
