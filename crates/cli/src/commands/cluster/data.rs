//! The input of a run.

use std::path::Path;

use enclust::core::{
    Constraints, Ensemble, Error, Partition, Similarity, Warning, similarity_warning,
};
use enclust::registry::Precision;
use enclust_io::{ReadError, read_labels_with, read_pairs, read_similarity};

use super::ClusterArgs;
use crate::failure::Failure;
use crate::inputs::Input;
use crate::selection::Selection;

/// The data of a run. There is an ensemble, a similarity, or both.
#[derive(Debug)]
pub struct Data<S> {
    pub samples: usize,
    pub ensemble: Option<Ensemble>,
    pub selection: Option<Selection>,
    pub similarity: Option<Similarity<S>>,
    /// What may be wrong with the similarity that was read.
    pub similarity_warning: Option<Warning>,
    pub truth: Option<Partition>,
    pub ids: Option<Vec<String>>,
    pub constraints: Option<Constraints>,
    /// The input files, if a record is requested.
    pub inputs: Vec<Input>,
}

impl<S: Precision> Data<S> {
    /// Reads all files that the arguments specify.
    pub fn read(args: &ClusterArgs) -> Result<Self, Failure> {
        let similarity = args.similarity_in.as_ref().map(read_similarity).transpose()?;
        let mut data = Data {
            samples: similarity.as_ref().map_or(0, |s: &Similarity<S>| s.grouping().samples()),
            ensemble: None,
            selection: None,
            similarity_warning: similarity.as_ref().and_then(similarity_warning),
            similarity,
            truth: None,
            ids: None,
            constraints: None,
            inputs: Vec::new(),
        };
        match &args.pool {
            Some(path) => data.read_pool(path, args)?,
            None => data.read_truth_alone(args)?,
        }
        data.read_constraints(args)?;
        if args.outputs.wants_record() {
            data.identify(args)?;
        }
        Ok(data)
    }

    fn read_pool(&mut self, path: &Path, args: &ClusterArgs) -> Result<(), Failure> {
        let mut pool = args.input.read(path)?;
        if let Some(file) = &args.truth {
            let labels = read_labels_with(file, &args.input.table.options())?;
            pool = pool.with_truth(labels).map_err(|fault| ReadError::new(file, fault))?;
        }
        let samples = pool.ensemble.samples();
        if let Some(file) = &args.similarity_in {
            Error::check_size("rows of the similarity", samples, self.samples)
                .map_err(Failure::in_file(file))?;
        }
        let (ensemble, selection) = args.selection.take_from(pool.ensemble, path)?;
        self.samples = samples;
        self.ensemble = Some(ensemble);
        self.selection = Some(selection);
        (self.truth, self.ids) = (pool.truth, pool.ids);
        Ok(())
    }

    fn read_truth_alone(&mut self, args: &ClusterArgs) -> Result<(), Failure> {
        let Some(file) = &args.truth else { return Ok(()) };
        let truth = read_labels_with(file, &args.input.table.options())?.partition;
        Error::check_size("true classes", self.samples, truth.len())
            .map_err(Failure::in_file(file))?;
        self.truth = Some(truth);
        Ok(())
    }

    fn read_constraints(&mut self, args: &ClusterArgs) -> Result<(), Failure> {
        let Some(named) = args.must_link.as_ref().or(args.cannot_link.as_ref()) else {
            return Ok(());
        };
        let ids = self.ids.as_deref();
        let pairs = |file: &Option<_>| match file {
            Some(file) => read_pairs(file, ids),
            None => Ok(Vec::new()),
        };
        let (must, cannot) = (pairs(&args.must_link)?, pairs(&args.cannot_link)?);
        let constraints = Constraints::new(self.samples, &must, &cannot);
        self.constraints = Some(constraints.map_err(Failure::in_file(named))?);
        Ok(())
    }

    fn identify(&mut self, args: &ClusterArgs) -> Result<(), Failure> {
        for (role, path) in [
            ("pool", &args.pool),
            ("similarity", &args.similarity_in),
            ("truth", &args.truth),
            ("must-link", &args.must_link),
            ("cannot-link", &args.cannot_link),
        ] {
            self.inputs.extend(path.as_ref().map(|path| Input::of(role, path)).transpose()?);
        }
        Ok(())
    }
}
