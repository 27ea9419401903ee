//! A custom method, in a crate that depends only on `enclust-core`.
//!
//! A [`Method`] turns an ensemble into a partition. This one selects some of the clusterings and
//! passes them to another method.

use std::collections::HashMap;

use enclust_core::prelude::*;

/// Cluster ensemble selection: uses only the clusterings that agree most with the others.
///
/// # Problem
///
/// The agreement of two clusterings is the Fowlkes–Mallows index: the number of pairs that both
/// join, divided by the geometric mean of the numbers of pairs that each joins. A clustering is
/// kept if its mean agreement with all others is among the highest.
///
/// # Complexity
///
/// O(n m²) time before the inner method begins.
///
/// # Determinism and ties
///
/// Among clusterings with equal agreement, the first ones are kept. The order of the clusterings
/// does not change.
///
/// # Example
///
/// ```
/// use enclust_core::prelude::*;
/// use enclust_example_custom_method::Selected;
///
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 2, 1], [5, 5, 7, 7]])?;
/// // The second clustering agrees with neither of the others.
/// assert_eq!(Selected::new(NoEnhancement, 0.6).kept(&e), [0, 2]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Reference
///
/// X. Z. Fern, W. Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 2008.
#[derive(Clone, Debug)]
pub struct Selected<M> {
    inner: M,
    share: f64,
    name: String,
}

impl<M: Component> Selected<M> {
    /// The inner method on this share of the clusterings, but at least one.
    pub fn new(inner: M, share: f64) -> Self {
        let name = format!("selected({})", inner.name());
        Selected { inner, share, name }
    }

    /// The selected clusterings.
    pub fn kept(&self, ensemble: &Ensemble) -> Vec<usize> {
        let m = ensemble.clusterings();
        let total = |k: usize| (0..m).map(|l| agreement(ensemble, k, l)).sum::<f64>();
        let mut ranked: Vec<(usize, f64)> = (0..m).map(|k| (k, total(k))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.truncate(((self.share * m as f64).ceil() as usize).clamp(1, m));
        let mut kept: Vec<usize> = ranked.into_iter().map(|(k, _)| k).collect();
        kept.sort_unstable();
        kept
    }
}

impl<M: Component> Component for Selected<M> {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self) -> Result<()> {
        self.inner.check()
    }
}

impl<S: Real, M: Method<S>> Method<S> for Selected<M> {
    fn fit(&self, ensemble: &Ensemble, question: &Question, ctx: &Ctx<'_, S>) -> Result<Fit<S>> {
        self.inner.fit(&ensemble.select(&self.kept(ensemble))?, question, ctx)
    }

    fn reads_k(&self) -> bool {
        self.inner.reads_k()
    }
}

/// The Fowlkes–Mallows index of two clusterings.
fn agreement(ensemble: &Ensemble, k: usize, l: usize) -> f64 {
    let joined = |k: usize, l: usize| {
        let mut cells: HashMap<(u32, u32), f64> = HashMap::new();
        let labels = ensemble.column(k).iter().zip(ensemble.column(l));
        labels.for_each(|(&x, &y)| *cells.entry((x, y)).or_default() += 1.0);
        cells.values().map(|count| count * (count - 1.0)).sum::<f64>()
    };
    joined(k, l) / (joined(k, k) * joined(l, l)).sqrt().max(1.0)
}
