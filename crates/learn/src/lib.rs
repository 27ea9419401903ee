//! Representations that are learned by optimisation.
//!
//! | component | name | makes | reference |
//! |---|---|---|---|
//! | [`Drec`] | `drec` | similarity | Zhou, Zheng & Pan, Neurocomputing 2019 |
//! | [`RsecH`] | `rsec-h` | embedding | Tao et al., CIKM 2016 and TKDD 2019 |
//! | [`RsecZ`] | `rsec-z` | similarity | as `RsecH` |
//! | [`Spce`] | `spce` | similarity | Zhou et al., IEEE Trans. Neural Networks and Learning Systems 2021 |
//! | [`Trce`] | `trce` | similarity | Zhou et al., AAAI 2021 |
//!
//! All of them work on microclusters and compute in double precision, for every precision of
//! the run. All except `drec` learn for one number of clusters.

mod drec;
mod iteration;
mod laplacian;
mod low_rank_affinity;
mod modes;
mod rank_controller;
mod rsec;
mod simplex;
mod spce;
mod trce;

pub use drec::Drec;
pub use rsec::{RsecH, RsecZ};
pub use simplex::project_to_simplex;
pub use spce::Spce;
pub use trce::Trce;

use enclust_core::{Microclusters, Question, Real, Registry, Result, Shape, check_k};

/// Adds every representation of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    registry.ca.add::<Drec>();
    registry.ca.add::<RsecH>();
    registry.ca.add::<RsecZ>();
    registry.ca.add::<Spce>();
    registry.ca.add::<Trce>();
}

/// The number of clusters of the question. Returns an error if labels are missing, which the
/// learners do not support.
fn clusters_to_learn(
    component: &str,
    microclusters: &Microclusters,
    question: &Question,
) -> Result<usize> {
    microclusters.require_complete(component)?;
    let clusters = question.k_for(component)?;
    check_k(component, clusters, microclusters.len())?;
    Ok(clusters)
}

/// The number of eigenpairs that a learner needs: one per cluster and one more.
fn eigenpairs_ahead(shape: &Shape) -> usize {
    (shape.clusters_ahead() + 1).min(shape.groups)
}

/// Number of samples of each group.
fn sizes(microclusters: &Microclusters) -> Vec<f64> {
    microclusters.grouping().sizes().iter().map(|&r| r as f64).collect()
}

/// Losses of the clusterings as shares of their sum, where each clustering counts with its
/// weight. No share is 0, because shares are used as divisors.
fn shares(losses: &[f64], microclusters: &Microclusters) -> Vec<f64> {
    let weighted = losses.iter().enumerate().map(|(k, loss)| microclusters.weight(k) * loss);
    let total: f64 = weighted.sum();
    let equal = 1.0 / microclusters.total_weight();
    let share = |loss: &f64| if total > 0.0 { (loss / total).max(f64::EPSILON) } else { equal };
    losses.iter().map(share).collect()
}
