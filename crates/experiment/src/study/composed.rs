//! A pipeline of a study with its backend, in one of the two precisions.

use enclust::registry::{DEFAULT_BACKEND, Precision, standard};
use enclust_core::{
    Backend, BoxedPipeline, Method, Need, Part, PipelineSpec, Real, Registry, Result, Shape,
};

/// The registries of both precisions.
///
/// ```
/// use enclust_experiment::study::Registries;
///
/// let registries = Registries::standard();
/// assert_eq!(registries.single.presets().len(), registries.double.presets().len());
/// ```
#[derive(Debug)]
pub struct Registries {
    /// The registry for single precision.
    pub single: Registry<f32>,
    /// The registry for double precision. Recipes are checked against this one.
    pub double: Registry<f64>,
}

impl Registries {
    /// All parts of enclust.
    pub fn standard() -> Self {
        Registries { single: standard(), double: standard() }
    }

    /// Builds the named parts in the named precision.
    pub(crate) fn compose(&self, spec: &PipelineSpec) -> Result<Composed> {
        let single = spec.precision.as_ref().is_some_and(|part| part.name == f32::NAME);
        Ok(if single {
            Composed::Single(Runner::new(&self.single, spec)?)
        } else {
            Composed::Double(Runner::new(&self.double, spec)?)
        })
    }
}

/// A pipeline and its backend.
#[derive(Debug)]
pub(crate) struct Runner<S: Real> {
    pub pipeline: BoxedPipeline<S>,
    pub backend: Box<dyn Backend<S>>,
}

impl<S: Precision> Runner<S> {
    fn new(registry: &Registry<S>, spec: &PipelineSpec) -> Result<Self> {
        let usual = Part::named(DEFAULT_BACKEND);
        Ok(Runner {
            pipeline: registry.pipeline(spec)?,
            backend: registry.backend.build(spec.backend.as_ref().unwrap_or(&usual))?,
        })
    }
}

/// A [`Runner`] in one of the precisions.
#[derive(Debug)]
pub(crate) enum Composed {
    Single(Runner<f32>),
    Double(Runner<f64>),
}

impl Composed {
    pub fn reads_k(&self) -> bool {
        match self {
            Composed::Single(runner) => runner.pipeline.reads_k(),
            Composed::Double(runner) => runner.pipeline.reads_k(),
        }
    }

    /// The memory that its stages need for data of this shape.
    pub fn footprint(&self, shape: Shape) -> Vec<Need> {
        match self {
            Composed::Single(runner) => {
                runner.pipeline.footprint(&shape.with_scalar(size_of::<f32>()))
            }
            Composed::Double(runner) => runner.pipeline.footprint(&shape),
        }
    }
}
