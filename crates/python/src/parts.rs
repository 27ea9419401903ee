//! Parts that are functions of Python.
//!
//! A function computes with arrays over the samples, or, if it is marked by
//! `enclust.at_microclusters`, with arrays over the distinct label rows and their sizes.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use enclust::core::{
    Ca, Check, Component, Confidence, Confident, Consensus, Ctx, Dendrogram, Enhance, Enhanced,
    Ensemble, Error, Evidence, Fitted, Kind, MISSING, Microclusters, NoParams, Partition, Problem,
    Quantities, Question, Record, Registry, Report, Represented, Result, Similarity, Stage, State,
    Status, Stop, check_k,
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::invalid;
use crate::matrices::{returned, square};
use crate::watch::{dictionary, quantities};

/// The first exception that a function raised. It is raised again when the run has ended.
#[derive(Clone, Default)]
pub struct Failures(Arc<Mutex<Option<PyErr>>>);

impl Failures {
    /// Keeps the exception, and returns the error that ends the run.
    pub fn keep(&self, name: &str, error: PyErr) -> Error {
        let told = Error::failed(name, &error);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        told
    }

    /// The exception to raise for an error of a run.
    pub fn raised(&self, error: Error) -> PyErr {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.unwrap_or_else(|| crate::errors::raised(error))
    }
}

/// A function of Python in the place of a part.
#[derive(Clone)]
struct Function {
    name: &'static str,
    function: Arc<Py<PyAny>>,
    at_microclusters: bool,
    failures: Failures,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

impl Function {
    /// Calls Python, and keeps what it raises.
    fn run<T>(&self, work: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>) -> Result<T> {
        Python::attach(|py| {
            work(py, self.function.bind(py)).map_err(|error| self.failures.keep(self.name, error))
        })
    }
}

/// A name for the registry, which keeps names for ever: each text is kept once.
fn kept_name(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.insert(name);
    name
}

/// Registers a function as a part under its own name, and returns the name.
pub fn register(
    stage: Stage,
    function: &Bound<'_, PyAny>,
    registry: &mut Registry<f64>,
    failures: &Failures,
) -> PyResult<&'static str> {
    let own = function.getattr("__name__").and_then(|name| name.extract::<String>());
    let own = own.or_else(|_| function.get_type().name().map(|name| name.to_string()))?;
    let simple = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name = own.trim_matches(|c| c == '<' || c == '>').chars().map(simple).collect();
    register_as(stage, name, function, registry, failures)
}

/// Registers a function as a part under this name.
pub fn register_as(
    stage: Stage,
    name: String,
    function: &Bound<'_, PyAny>,
    registry: &mut Registry<f64>,
    failures: &Failures,
) -> PyResult<&'static str> {
    const SUMMARY: &str = "a function of Python";
    let name = kept_name(name);
    let marked = function.getattr("at_microclusters").and_then(|mark| mark.extract());
    let own = Function {
        name,
        function: Arc::new(function.clone().unbind()),
        at_microclusters: marked.unwrap_or(false),
        failures: failures.clone(),
    };
    match stage {
        Stage::Ca => {
            registry.ca.register::<NoParams>(name, SUMMARY, move |_| Ok(Box::new(own.clone())))
        }
        Stage::Confidence => {
            registry
                .confidence
                .register::<NoParams>(name, SUMMARY, move |_| Ok(Box::new(own.clone())));
        }
        Stage::Enhance => {
            registry
                .enhance
                .register::<NoParams>(name, SUMMARY, move |_| Ok(Box::new(own.clone())));
        }
        Stage::Consensus => {
            registry
                .consensus
                .register::<NoParams>(name, SUMMARY, move |_| Ok(Box::new(own.clone())));
        }
        Stage::Stop => {
            let rule = Rule { needs: quantities(function)?, function: own };
            registry.stop.register::<NoParams>(name, SUMMARY, move |_| Ok(Box::new(rule.clone())));
        }
        other => {
            return Err(invalid(format!("{other} must be a string; it cannot be a function")));
        }
    }
    Ok(name)
}

/// The labels of all samples as an n x m array, with -1 for missing labels.
fn labels_of<'py>(py: Python<'py>, ensemble: &Ensemble) -> PyResult<Bound<'py, PyAny>> {
    let (n, m) = (ensemble.samples(), ensemble.clusterings());
    let number = |label: u32| if label == MISSING { -1 } else { i64::from(label) };
    let cells = (0..n).flat_map(|i| (0..m).map(move |k| (i, k)));
    let cells: Vec<i64> = cells.map(|(i, k)| number(ensemble.column(k)[i])).collect();
    Ok(PyArray1::from_vec(py, cells).reshape([n, m])?.into_any())
}

/// The label rows as a p x m array, and their sizes.
fn rows_of<'py>(
    py: Python<'py>,
    rows: &Microclusters,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (p, m) = (rows.len(), rows.clusterings());
    let number = |label: u32| if label == MISSING { -1 } else { i64::from(label) };
    let cells = (0..p).flat_map(|p| (0..m).map(move |k| (p, k)));
    let cells: Vec<i64> = cells.map(|(p, k)| number(rows.label(p, k))).collect();
    let labels = PyArray1::from_vec(py, cells).reshape([p, m])?.into_any();
    Ok((labels, sizes_of(py, rows.grouping().sizes())))
}

fn sizes_of<'py>(py: Python<'py>, sizes: &[usize]) -> Bound<'py, PyAny> {
    PyArray1::from_vec(py, sizes.iter().map(|&size| size as i64).collect()).into_any()
}

/// The similarity of all samples as an n x n array.
fn matrix_of<'py>(py: Python<'py>, similarity: &Similarity<f64>) -> PyResult<Bound<'py, PyAny>> {
    let n = similarity.grouping().samples();
    Ok(PyArray1::from_vec(py, similarity.to_matrix()).reshape([n, n])?.into_any())
}

impl Component for Function {
    fn name(&self) -> &str {
        self.name
    }
}

impl Ca<f64> for Function {
    fn build(
        &self,
        rows: &Microclusters,
        _: &Question,
        _: &Ctx<'_, f64>,
    ) -> Result<Represented<f64>> {
        if self.at_microclusters {
            let matrix = self.run(|py, function| {
                let (labels, sizes) = rows_of(py, rows)?;
                returned(self.name, &function.call1((labels, sizes))?, rows.len())
            })?;
            let similarity = Similarity::from_square(rows.grouping(), &matrix)?;
            return Ok(similarity.with_own(vec![1.0; rows.len()])?.into());
        }
        rows.require_unweighted(self.name)?;
        rows.require_uncounted(self.name)?;
        let ensemble = rows.to_ensemble();
        let matrix = self.run(|py, function| {
            let labels = labels_of(py, &ensemble)?;
            returned(self.name, &function.call1((labels,))?, ensemble.samples())
        })?;
        Ok(Similarity::folded(rows.grouping(), |i, j| matrix[(i, j)])?.into())
    }
}

impl Confidence<f64> for Function {
    fn select(
        &self,
        rows: &Microclusters,
        similarity: &Similarity<f64>,
        _: &Ctx<'_, f64>,
    ) -> Result<Confident<f64>> {
        if !self.at_microclusters {
            rows.require_uncounted(self.name)?;
            let matrix = self.run(|py, function| {
                let arguments = (matrix_of(py, similarity)?, labels_of(py, &rows.to_ensemble())?);
                returned(self.name, &function.call1(arguments)?, similarity.grouping().samples())
            })?;
            let n = matrix.rows();
            let values: Vec<f64> = (0..n * n).map(|at| matrix[(at / n, at % n)]).collect();
            return Confident::from_matrix(similarity, &values);
        }
        let matrix = self.run(|py, function| {
            let (labels, sizes) = rows_of(py, rows)?;
            let arguments = (square(py, &similarity.square()), labels, sizes);
            returned(self.name, &function.call1(arguments)?, rows.len())
        })?;
        let sizes = similarity.grouping().sizes();
        let several = |&(p, q): &(usize, usize)| p != q || sizes[p] > 1;
        let pairs = (0..rows.len()).flat_map(|p| (0..rows.len()).map(move |q| (p, q)));
        let pairs = pairs.filter(several).map(|(p, q)| (p, q, matrix[(p, q)]));
        Confident::from_pairs(similarity, pairs.filter(|pair| pair.2 != 0.0))
    }
}

impl Enhance<f64> for Function {
    fn enhance(&self, problem: &Problem<'_, f64>, _: &Ctx<'_, f64>) -> Result<Enhanced<f64>> {
        let grouping = problem.similarity.grouping();
        let similarity = if self.at_microclusters {
            let matrix = self.run(|py, function| {
                let a = square(py, &problem.similarity.square());
                let h = square(py, &problem.links());
                let arguments = (a, h, sizes_of(py, grouping.sizes()));
                returned(self.name, &function.call1(arguments)?, grouping.len())
            })?;
            Similarity::from_square(grouping, &matrix)?
                .with_own(problem.similarity.own().to_vec())?
        } else {
            let (a, h) = problem.by_samples()?;
            let finer = Problem::new(&a, &h)?;
            let matrix = self.run(|py, function| {
                let arguments = (matrix_of(py, &a)?, square(py, &finer.links()));
                returned(self.name, &function.call1(arguments)?, a.len())
            })?;
            let found = Similarity::folded(grouping, |i, j| matrix[(i, j)])?;
            let reason = "samples with equal label rows must have equal values";
            if found.len() != grouping.len() {
                return Err(Error::failed(self.name, reason));
            }
            found
        };
        Ok(Enhanced::new(similarity, Report::direct(self.name)))
    }
}

impl Consensus<f64> for Function {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn fit(&self, evidence: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
        let similarity = evidence.similarity_for(self.name)?.clone();
        Ok(Box::new(Cutter { function: self.clone(), similarity }))
    }
}

/// A consensus function that clusters for each k anew.
struct Cutter {
    function: Function,
    similarity: Similarity<f64>,
}

impl Fitted<f64> for Cutter {
    fn cut(&self, k: usize, _: &Ctx<'_, f64>) -> Result<Partition> {
        let (name, grouping) = (self.function.name, self.similarity.grouping());
        check_k(name, k, self.largest_k())?;
        let at_microclusters = self.function.at_microclusters;
        let labels: Vec<i64> = self.function.run(|py, function| {
            let found = if at_microclusters {
                let matrix = square(py, &self.similarity.square());
                function.call1((matrix, k, sizes_of(py, grouping.sizes())))?
            } else {
                function.call1((matrix_of(py, &self.similarity)?, k))?
            };
            found.extract().or_else(|_| found.call_method0("tolist")?.extract())
        })?;
        let expected = if at_microclusters { grouping.len() } else { grouping.samples() };
        Error::check_size("labels of the function", expected, labels.len())?;
        if !at_microclusters {
            return Ok(Partition::from_labels(labels));
        }
        let numbered = Partition::from_labels(labels);
        Ok(grouping.lift(numbered.labels()))
    }

    fn largest_k(&self) -> usize {
        let grouping = self.similarity.grouping();
        if self.function.at_microclusters { grouping.len() } else { grouping.samples() }
    }

    fn dendrogram(&self) -> Option<&Dendrogram> {
        None
    }
}

/// A stopping rule: the function gets what is known about an iteration and returns whether to stop.
#[derive(Clone, Debug)]
struct Rule {
    function: Function,
    needs: Quantities,
}

impl Component for Rule {
    fn name(&self) -> &str {
        self.function.name
    }
}

impl Stop for Rule {
    fn needs(&self) -> Quantities {
        self.needs
    }

    fn start(&self) -> Box<dyn Check + '_> {
        Box::new(Checked(self))
    }
}

struct Checked<'a>(&'a Rule);

impl Check for Checked<'_> {
    fn check(&mut self, record: &Record, state: &dyn State) -> Result<Option<Status>> {
        let labels = match self.0.needs.contains(Quantities::LABELS) {
            true => Some(state.labels()?),
            false => None,
        };
        let similarity = match self.0.needs.contains(Quantities::ITERATE) {
            true => Some(state.similarity()?),
            false => None,
        };
        let stop = self.0.function.run(|py, function| {
            let told = dictionary(py, record)?;
            if let Some(labels) = labels {
                told.set_item("labels", crate::matrices::labels(py, &labels))?;
            }
            if let Some(similarity) = similarity {
                told.set_item("similarity", square(py, &similarity.square()))?;
            }
            function.call1((told,))?.is_truthy()
        })?;
        Ok(stop.then_some(Status::Converged))
    }
}
