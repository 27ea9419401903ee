//! Robust spectral ensemble clustering.
//!
//! `run` holds the variables and makes an iteration; `threshold` shrinks singular values;
//! `embedding` takes the eigenvectors of an affinity.

mod embedding;
mod run;
mod threshold;

use std::sync::Arc;

use enclust_core::{
    Bytes, Check, Component, Convergence, Ctx, Embedding, Evidence, Footprint, Kind, Mat,
    Microclusters, Needs, ParamError, Parameters, Range, Real, Record, Represent, Result, Shape,
    Status, check_k, iterate, parameters,
};
use enclust_linalg::{leading_eigenpairs_bytes, lower_gram};

use crate::incidence::Modes;
use crate::low_rank_affinity::LowRankAffinity;
use embedding::Setting;
use run::{Run, size_roots};

parameters! {
    /// Parameters of [`RsecH`] and [`RsecZ`].
    pub struct RsecParams for "rsec" {
        /// λ₁: weight of the nuclear norm, which keeps the rank of Z low.
        pub lambda1: f64 = 0.1, in Range::Positive;
        /// λ₂: weight of the error, of which whole columns may be large.
        pub lambda2: f64 = 0.01, in Range::Positive;
        /// μ at the start, times the spectral norm of the co-association matrix.
        pub mu: f64 = 1.5, in Range::Positive;
        /// ρ: factor by which μ grows in every iteration.
        pub rho: f64 = 1.1, in Range::AtLeast(1.0);
        /// The largest μ.
        pub mu_max: f64 = 1e10, in Range::Positive;
        /// The largest violation of a constraint, by any entry, at which the iteration stops.
        pub tolerance: f64 = 1e-7, in Range::Positive;
        /// Iterations after which it ends, converged or not.
        pub max_iterations: usize = 500, in Range::AtLeast(1.0);
    }
}

/// What the iteration found, at group size.
struct Solution {
    /// Ẑ = R^½ Z R^½.
    z: Mat<f64>,
    /// Ĥ = R^½ H.
    points: Mat<f64>,
    /// √r for each group.
    roots: Vec<f64>,
}

/// Makes the iteration for the k of the context, and reports on it.
fn solve<S: Real>(
    component: &str,
    params: &RsecParams,
    microclusters: &Microclusters,
    ctx: &mut Ctx<'_, S>,
) -> Result<Solution> {
    let k = ctx.clusters_for(component)?;
    let n = microclusters.len();
    check_k(component, k, n)?;
    let roots = size_roots(microclusters);
    let setting = Setting { k, roots: &roots, seed: ctx.seed, backend: ctx.backend.in_double() };
    let mut run = Run::new(component, microclusters, params, setting)?;
    let stop = Feasible { tolerance: params.tolerance };
    let report = iterate(component, n, &stop, params.max_iterations, ctx, |_, iteration, _| {
        Ok(Record { residual: Some(run.step(iteration)?), ..Record::default() })
    })?;
    ctx.learned(report);
    let (z, points) = run.finish()?;
    Ok(Solution { z, points, roots })
}

/// Stops where the constraints hold.
#[derive(Debug)]
struct Feasible {
    tolerance: f64,
}

impl Component for Feasible {
    fn name(&self) -> &str {
        "feasible"
    }
}

impl Convergence for Feasible {
    fn needs(&self) -> Needs {
        Needs { residual: true, ..Needs::default() }
    }

    fn start(&self) -> Box<dyn Check> {
        Box::new(Feasible { tolerance: self.tolerance })
    }
}

impl Check for Feasible {
    fn check(&mut self, record: &Record) -> Option<Status> {
        let met = record.residual.is_some_and(|residual| residual < self.tolerance);
        met.then_some(Status::Converged)
    }
}

/// Robust spectral ensemble clustering: the embedding H.
#[derive(Clone, Debug, Default)]
pub struct RsecH {
    params: RsecParams,
}

impl RsecH {
    /// Checks the parameters.
    pub fn new(params: RsecParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(RsecH { params })
    }
}

impl Component for RsecH {
    fn name(&self) -> &str {
        "rsec-h"
    }
}

impl<S: Real> Represent<S> for RsecH {
    fn kind(&self) -> Kind {
        Kind::Embedding
    }

    fn reads_k(&self) -> bool {
        true
    }

    fn build(&self, microclusters: &Microclusters, ctx: &mut Ctx<'_, S>) -> Result<Evidence<S>> {
        let Solution { points, roots, .. } = solve(self.name(), &self.params, microclusters, ctx)?;
        let coordinate = |p: usize, j: usize| S::of(points[(p, j)] / roots[p]);
        let points = Mat::from_fn(points.rows(), points.cols(), coordinate);
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Evidence::Embedding(Embedding { grouping, points }))
    }

    /// The iteration, and as many coordinates as ties could give.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let points = shape.square();
        Footprint::new(points, iteration_bytes(shape))
    }
}

/// Robust spectral ensemble clustering: the affinity of the representation Z.
#[derive(Clone, Debug, Default)]
pub struct RsecZ {
    params: RsecParams,
}

impl RsecZ {
    /// Checks the parameters.
    pub fn new(params: RsecParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(RsecZ { params })
    }
}

impl Component for RsecZ {
    fn name(&self) -> &str {
        "rsec-z"
    }
}

impl<S: Real> Represent<S> for RsecZ {
    fn reads_k(&self) -> bool {
        true
    }

    fn build(&self, microclusters: &Microclusters, ctx: &mut Ctx<'_, S>) -> Result<Evidence<S>> {
        let Solution { z, points, .. } = solve(self.name(), &self.params, microclusters, ctx)?;
        drop(points);
        let backend = ctx.backend.in_double();
        let eigen = backend.eigh(lower_gram(backend, z.view().transposed()).view())?;
        drop(z);
        let values: Vec<f64> = eigen.values.iter().map(|square| square.max(0.0).sqrt()).collect();
        let affinity = LowRankAffinity::new(&eigen.vectors, &values);
        Ok(affinity.similarity(microclusters.grouping(), backend)?.into())
    }

    /// The iteration; the similarity is made when it is over.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        Footprint::new(similarity, iteration_bytes(shape))
    }
}

/// What the iteration takes at most.
fn iteration_bytes(shape: &Shape) -> Bytes {
    let wide = shape.in_double();
    let along = wide.vector() * Modes::most(shape) as u64;
    // Z, the multiplier, J; then beside each other a sum, its Gram matrix and the
    // decomposition, and the symmetrised Z, its decomposition and an affinity.
    wide.square() * 12 + along * 4 + leading_eigenpairs_bytes(shape.groups, 10, 8, shape.threads)
}
