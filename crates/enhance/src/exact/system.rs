//! The linear system whose solution is the optimum.

use enclust_core::{Backend, Confident, Csr, Error, Problem, Real, Result, SparseProduct};

use super::order::neighbours_together;
use super::tiles::TILE;

/// (S) in hatted variables: with Ĉ_pq = √(r_p r_q) C_pq and Ĥ likewise, (d_p + d_q + λ) ĉ_pq −
/// Σ_s ĥ_ps ĉ_sq − Σ_s ĥ_qs ĉ_ps = λ â_pq on the free entries. The system is symmetric positive
/// definite, and the Frobenius norm of a hatted matrix is that of the n × n matrix without its
/// diagonal blocks.
///
/// Groups have an order of their own, see [`neighbours_together`].
pub struct System {
    pub lambda: f64,
    /// Map from position to group, and its inverse.
    pub order: Vec<usize>,
    pub position: Vec<usize>,
    /// Ĥ.
    pub graph: Csr<f64>,
    /// Products with Ĥ in double precision, computed by the backend.
    pub product: Box<dyn SparseProduct<f64>>,
    pub degree: Vec<f64>,
    /// √r.
    pub roots: Vec<f64>,
    pub known: Known,
}

impl System {
    /// The system of a problem. Every edge of H must be a fixed entry.
    pub fn new<S: Real>(
        component: &str,
        problem: &Problem<'_, S>,
        lambda: f64,
        backend: &dyn Backend<f64>,
    ) -> Result<Self> {
        let confident = problem.confident;
        let sizes = problem.similarity.grouping().sizes();
        check_edges_are_fixed(component, confident, sizes)?;
        let order = neighbours_together(&confident.graph);
        let position = inverse(&order);
        let roots: Vec<f64> = order.iter().map(|&p| (sizes[p] as f64).sqrt()).collect();
        let row = |(i, &p): (usize, &usize)| {
            let entry = |(q, h): (usize, S)| {
                let j = position[q];
                (j as u32, roots[i] * h.wide() * roots[j])
            };
            let mut row: Vec<(u32, f64)> = confident.graph.iter_row(p).map(entry).collect();
            row.sort_by_key(|e| e.0);
            row
        };
        let degree =
            |&p: &usize| confident.graph.iter_row(p).map(|(q, h)| sizes[q] as f64 * h.wide()).sum();
        let graph = Csr::from_rows(order.len(), order.iter().enumerate().map(row).collect());
        Ok(System {
            lambda,
            product: backend.sparse(graph.clone()),
            graph,
            degree: order.iter().map(degree).collect(),
            known: Known::new(&confident.fixed, &order, &position),
            roots,
            order,
            position,
        })
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// √(r r') of two positions.
    pub fn hat(&self, i: usize, j: usize) -> f64 {
        self.roots[i] * self.roots[j]
    }

    /// The largest diagonal entry; twice this value bounds the norm of the system.
    pub fn largest_diagonal(&self) -> f64 {
        2.0 * self.degree.iter().fold(0.0, |m: f64, &d| m.max(d)) + self.lambda
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut position = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &p)| position[p] = i);
    position
}

fn check_edges_are_fixed<S: Real>(
    component: &str,
    confident: &Confident<S>,
    sizes: &[usize],
) -> Result<()> {
    for p in 0..confident.graph.rows() {
        if sizes[p] > 1 && confident.within[p] > S::zero() && !confident.fixed_within[p] {
            let what = format!("an edge of H inside group {p} that is not fixed");
            return Err(Error::unsupported(component, what));
        }
        for (q, _) in confident.graph.iter_row(p) {
            if confident.fixed.get(p, q).is_none() {
                let what = format!("an edge ({p}, {q}) of H that is not fixed");
                return Err(Error::unsupported(component, what));
            }
        }
    }
    Ok(())
}

/// The known entries: the fixed ones and the diagonal. One bit per entry, one word per row of a
/// panel.
pub struct Known {
    panels: Vec<Vec<u64>>,
}

impl Known {
    fn new<S: Real>(fixed: &Csr<S>, order: &[usize], position: &[usize]) -> Self {
        let n = order.len();
        let mut panels = vec![vec![0_u64; n]; n.div_ceil(TILE)];
        for (i, &p) in order.iter().enumerate() {
            let entries = fixed.row(p).0.iter().map(|&q| position[q as usize]).chain([i]);
            entries.for_each(|j| panels[j / TILE][i] |= 1 << (j % TILE));
        }
        Known { panels }
    }

    /// The words of one panel, one per row.
    pub fn panel(&self, j: usize) -> &[u64] {
        &self.panels[j]
    }
}

/// Sets an entry to zero if its bit is one.
#[inline(always)]
pub fn clear<S: Real>(mut word: u64, row: &mut [S; TILE]) {
    while word != 0 {
        row[word.trailing_zeros() as usize] = S::zero();
        word &= word - 1;
    }
}
