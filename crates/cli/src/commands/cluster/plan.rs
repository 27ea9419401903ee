//! The plan of a run, checked as far as possible without reading files.

use enclust::core::{
    BoxedPipeline, Ca, Consensus, Error, Kind, Method, NoParams, Part, PipelineSpec, Precomputed,
    Registry, Similarity,
};
use enclust::registry::Precision;

use super::ClusterArgs;
use crate::clusters::Clusters;
use crate::failure::Failure;
use crate::recipe::{misfit, wrong};
use crate::selection::SelectionArgs;

/// The parts of a run.
pub struct Plan<S: Precision> {
    /// The registry of all parts.
    pub registry: Registry<S>,
    /// The method on which the run is based, if there is one.
    pub preset: Option<String>,
    /// The parts with the values of all parameters.
    pub spec: PipelineSpec,
}

/// The name of a similarity from a file among the representations.
const PRECOMPUTED: &str = "precomputed";

impl<S: Precision> Plan<S> {
    /// Resolves the parts and checks that they support everything that is requested.
    pub fn new(args: &ClusterArgs, mut registry: Registry<S>) -> Result<Self, Failure> {
        let from_file = args.similarity_in.is_some();
        if from_file {
            register_precomputed(&mut registry);
        }
        let plain = from_file && args.pool.is_none() && args.recipe.method.is_none();
        let preset = (!plain).then(|| args.recipe.method_name());
        let mut base = match preset {
            Some(name) => registry.preset(name).map_err(wrong)?.spec.clone(),
            None => PipelineSpec::plain(Part::named(PRECOMPUTED), Part::named("average")),
        };
        if from_file {
            base.ca = Part::named(PRECOMPUTED);
        }
        let spec = args.recipe.resolve_from(base, &registry)?;
        let plan = Plan { registry, preset: preset.map(String::from), spec };
        plan.check(args)?;
        Ok(plan)
    }

    /// The pipeline. For a similarity from a file, the representation is a placeholder.
    pub fn pipeline(&self) -> Result<BoxedPipeline<S>, Failure> {
        let pipeline = self.registry.pipeline(&self.spec);
        pipeline.map_err(|error| misfit(error, &self.spec, &self.registry))
    }

    /// Only the consensus function.
    pub fn consensus(&self) -> Result<Box<dyn Consensus<S>>, Failure> {
        self.registry.consensus.build(&self.spec.consensus).map_err(wrong)
    }

    /// Whether the similarity is enhanced.
    pub fn enhances(&self) -> Result<bool, Failure> {
        let enhancer = self.registry.enhance.build(&self.spec.enhance).map_err(wrong)?;
        Ok(!enhancer.is_identity())
    }

    fn check(&self, args: &ClusterArgs) -> Result<(), Failure> {
        let pipeline = self.pipeline()?;
        if let (Clusters::These(_), Some(option)) = (&args.k, args.only_with_auto()) {
            return Err(Failure::OnlyWithAuto { option });
        }
        if args.outputs.linkage.is_some() && !self.consensus()?.makes_tree() {
            let part = self.spec.consensus.name.clone();
            return Err(Failure::NoTree { option: "--linkage", part });
        }
        let ca = self.registry.ca.build(&self.spec.ca).map_err(wrong)?;
        if args.outputs.similarity.is_some() && ca.kind() != Kind::Similarity {
            let part = self.spec.ca.name.clone();
            return Err(Failure::NoSimilarity { option: "--similarity", part });
        }
        if args.outputs.save_model.is_some() {
            self.check_model(args, &*ca)?;
        }
        if args.cannot_link.is_some() && !args.enforce && ca.kind() != Kind::Similarity {
            let part = self.spec.ca.name.clone();
            return Err(Failure::IdleCannotLinks { part });
        }
        if pipeline.reads_k() && !args.k.is_one() {
            let reader = if ca.reads_k() { Some(&self.spec.ca) } else { self.spec.stop.as_ref() };
            let component = reader.map_or(String::new(), |part| part.name.clone());
            return Err(wrong(Error::NeedsClusters { component }));
        }
        match (&args.pool, &args.similarity_in, self.reader_of_clusterings(args)?) {
            (None, Some(similarity), Some(what)) => {
                Err(Failure::NeedsPool { what, similarity: similarity.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the result can be saved as a model.
    fn check_model(&self, args: &ClusterArgs, ca: &dyn Ca<S>) -> Result<(), Failure> {
        if ca.as_cluster_weights().is_none() {
            let part = self.spec.ca.name.clone();
            return Err(Failure::NoNewRows { part, known: self.with_values_for_new_rows() });
        }
        if args.k.is_one() { Ok(()) } else { Err(Failure::ModelOfSeveral) }
    }

    /// The representations that have values for new rows.
    fn with_values_for_new_rows(&self) -> Vec<String> {
        let has_values = |name: &&str| {
            let built = self.registry.ca.build(&Part::named(*name));
            built.is_ok_and(|ca| ca.as_cluster_weights().is_some())
        };
        self.registry.ca.names().into_iter().filter(has_values).map(String::from).collect()
    }

    /// The first requested option, other than the representation, that needs base clusterings.
    fn reader_of_clusterings(&self, args: &ClusterArgs) -> Result<Option<String>, Failure> {
        let enhancer = self.registry.enhance.build(&self.spec.enhance).map_err(wrong)?;
        if !enhancer.is_identity() {
            return Ok(Some(format!("the enhancer {}", enhancer.name())));
        }
        let SelectionArgs { columns, draw, run, .. } = &args.selection;
        let options = [
            (columns.is_some(), "--columns"),
            (draw.is_some(), "--draw"),
            (run.is_some(), "--run"),
            (args.must_link.is_some(), "--must-link"),
            (args.cannot_link.is_some(), "--cannot-link"),
            (matches!(args.k, Clusters::Auto(_)), "--k auto"),
        ];
        Ok(options.into_iter().find(|(asked, _)| *asked).map(|(_, option)| option.to_string()))
    }
}

/// Registers a placeholder for a similarity that is not read yet, so that incompatible parts
/// are detected before any file is read.
fn register_precomputed<S: Precision>(registry: &mut Registry<S>) {
    registry.ca.register::<NoParams>(PRECOMPUTED, "a similarity from a file", |_| {
        let placeholder = Similarity::from_matrix(1, &[S::one()])?;
        Ok(Box::new(Precomputed::new(placeholder)) as Box<dyn Ca<S>>)
    });
}
