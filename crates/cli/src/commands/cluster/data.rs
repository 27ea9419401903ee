//! The input of a run.

use std::path::{Path, PathBuf};

use enclust::core::{
    Bytes, Constraints, Ensemble, Error, Partition, Similarity, Warning, similarity_warning,
};
use enclust::registry::Precision;
use enclust_io::{
    ClusterNames, Labels, Layout, Origin, Pool, PoolOptions, ReadError, read_similarity_within,
};

use super::ClusterArgs;
use crate::clusters::Clusters;
use crate::failure::Failure;
use crate::inputs::{Input, Opened, STANDARD_INPUT};
use crate::selection::{Selection, SelectionArgs};

/// The data of a run. There is an ensemble, a similarity, or both.
#[derive(Debug)]
pub struct Data<S> {
    pub samples: usize,
    pub ensemble: Option<Ensemble>,
    pub selection: Option<Selection>,
    pub similarity: Option<Similarity<S>>,
    /// What may be wrong with the similarity that was read.
    pub similarity_warning: Option<Warning>,
    /// The true classes in the order of the samples; some samples may have none.
    pub truth: Option<Labels>,
    pub ids: Option<Vec<String>>,
    /// The names of all clusterings of the pool.
    pub columns: Option<Vec<String>>,
    /// The names of the base clusters of all clusterings of the pool, if a model is saved.
    pub cluster_names: Option<Vec<ClusterNames>>,
    pub constraints: Option<Constraints>,
    /// How the pool was made, if the number of clusters is to be judged by it.
    pub origin: Option<Origin>,
    /// The input files, if a record is requested.
    pub inputs: Vec<Input>,
    /// The layouts of text files, in words.
    pub layouts: Vec<String>,
}

impl<S: Precision> Data<S> {
    /// Reads all files that the arguments specify.
    pub fn read(args: &ClusterArgs) -> Result<Self, Failure> {
        let similarity = args.similarity_in.as_deref().map(|path| similarity(path, args));
        let similarity = similarity.transpose()?;
        let mut data = Data {
            samples: similarity.as_ref().map_or(0, |s: &Similarity<S>| s.grouping().samples()),
            ensemble: None,
            selection: None,
            similarity_warning: similarity.as_ref().and_then(similarity_warning),
            similarity,
            truth: None,
            ids: None,
            columns: None,
            cluster_names: None,
            constraints: None,
            origin: None,
            inputs: Vec::new(),
            layouts: Vec::new(),
        };
        let mut files = InputFiles { args, inputs: Vec::new(), layouts: Vec::new() };
        match &args.pool {
            Some(path) => data.read_pool(path, args, &mut files)?,
            None => data.read_truth_alone(args, &mut files)?,
        }
        data.read_constraints(args, &mut files)?;
        if let (true, Some(path)) = (args.outputs.wants_record(), &args.similarity_in) {
            files.inputs.push(Input::of("similarity", path)?);
        }
        (data.inputs, data.layouts) = (files.inputs, files.layouts);
        Ok(data)
    }

    /// Clusterings that are in memory, with the classes of their samples.
    pub fn of(
        ensemble: Ensemble,
        truth: Partition,
        selection: &SelectionArgs,
    ) -> Result<Self, Failure> {
        let (ensemble, selection) = selection.take_from(ensemble, None, Path::new(""))?;
        Ok(Data {
            samples: ensemble.samples(),
            ensemble: Some(ensemble),
            selection: Some(selection),
            similarity: None,
            similarity_warning: None,
            truth: Some(Labels::new(truth, None)),
            ids: None,
            columns: None,
            cluster_names: None,
            constraints: None,
            origin: None,
            inputs: Vec::new(),
            layouts: Vec::new(),
        })
    }

    fn read_pool(
        &mut self,
        path: &Path,
        args: &ClusterArgs,
        files: &mut InputFiles<'_>,
    ) -> Result<(), Failure> {
        let options = PoolOptions {
            cluster_names: args.outputs.save_model.is_some(),
            ..args.input.options(args.machine.memory)
        };
        let mut pool = files.read("pool", path, |opened| Ok(opened.source.pool(&options)?))?;
        self.truth = match &args.truth {
            Some(file) => {
                let labels = files.labels(file)?;
                Some(labels.aligned(&pool).map_err(|fault| ReadError::new(file, fault))?)
            }
            None => pool.truth.take().map(|partition| Labels::new(partition, None)),
        };
        let samples = pool.ensemble.samples();
        if let Some(file) = &args.similarity_in {
            Error::check_size("rows of the similarity", samples, self.samples)
                .map_err(Failure::in_file(file))?;
        }
        self.read_origin(&pool, args, files)?;
        let names = pool.columns.as_deref();
        let (ensemble, selection) = args.selection.take_from(pool.ensemble, names, path)?;
        self.samples = samples;
        self.ensemble = Some(ensemble);
        self.selection = Some(selection);
        self.ids = pool.ids;
        self.columns = pool.columns;
        self.cluster_names = pool.cluster_names;
        Ok(())
    }

    fn read_origin(
        &mut self,
        pool: &Pool,
        args: &ClusterArgs,
        files: &mut InputFiles<'_>,
    ) -> Result<(), Failure> {
        if !matches!(args.k, Clusters::Auto(_)) {
            return Ok(());
        }
        let found = args.references.origin(pool, &args.input.table, &args.machine)?;
        let (origin, input) = found.unzip();
        self.origin = origin;
        if args.outputs.wants_record() {
            files.inputs.extend(input.flatten());
        }
        Ok(())
    }

    fn read_truth_alone(
        &mut self,
        args: &ClusterArgs,
        files: &mut InputFiles<'_>,
    ) -> Result<(), Failure> {
        let Some(file) = &args.truth else { return Ok(()) };
        let labels = files.labels(file)?;
        Error::check_size("true classes", self.samples, labels.samples())
            .map_err(Failure::in_file(file))?;
        self.truth = Some(labels);
        Ok(())
    }

    fn read_constraints(
        &mut self,
        args: &ClusterArgs,
        files: &mut InputFiles<'_>,
    ) -> Result<(), Failure> {
        let Some(named) = args.must_link.as_ref().or(args.cannot_link.as_ref()) else {
            return Ok(());
        };
        let (ids, options) = (self.ids.as_deref(), args.input.table.options(args.machine.memory));
        let mut pairs = |role, file: &Option<PathBuf>| match file {
            Some(file) => {
                files.read(role, file, |opened| Ok((opened.source.pairs(ids, &options)?, None)))
            }
            None => Ok(Vec::new()),
        };
        let must = pairs("must-link", &args.must_link)?;
        let cannot = pairs("cannot-link", &args.cannot_link)?;
        let constraints =
            Constraints::new(self.samples, &must, &cannot).map_err(|error| match error {
                Error::Contradiction { .. } => Failure::named(error, ids),
                _ => Failure::in_file(named)(error),
            })?;
        self.constraints = Some(if args.enforce { constraints.enforced() } else { constraints });
        Ok(())
    }
}

/// Reads the similarity row by row, within the memory limit.
fn similarity<S: Precision>(path: &Path, args: &ClusterArgs) -> Result<Similarity<S>, Failure> {
    if path == Path::new(STANDARD_INPUT) {
        return Err(Failure::NeedsFile { option: "--similarity-in" });
    }
    let memory = args.machine.memory.map(|amount| Bytes(amount.0));
    Ok(read_similarity_within(path, memory)?)
}

/// Reads input files and collects what the summary and the record tell about them.
struct InputFiles<'a> {
    args: &'a ClusterArgs,
    /// Empty if no record is requested.
    inputs: Vec<Input>,
    layouts: Vec<String>,
}

impl InputFiles<'_> {
    fn read<T>(
        &mut self,
        role: &'static str,
        path: &Path,
        parse: impl FnOnce(&Opened<'_>) -> Result<(T, Option<Layout>), Failure>,
    ) -> Result<T, Failure> {
        let opened = Opened::load(role, path, self.args.machine.memory)?;
        let (content, layout) = parse(&opened)?;
        self.layouts.extend(layout.map(|layout| opened.told(layout)));
        if self.args.outputs.wants_record() {
            self.inputs.push(opened.input(layout)?);
        }
        Ok(content)
    }

    fn labels(&mut self, path: &Path) -> Result<Labels, Failure> {
        let options = self.args.input.table.options(self.args.machine.memory);
        self.read("truth", path, |opened| Ok(opened.source.labels(&options)?))
    }
}
