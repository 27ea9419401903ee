//! The linear system whose solution is the optimum.

use std::cmp::Reverse;
use std::ops::Range;

use enclust_core::{Backend, Confident, Csr, Error, Problem, Real, Result, SparseProduct};

use super::order::neighbours_together;
use super::tiles::TILE;

/// (S) in hatted variables: with Ĉ_pq = √(r_p r_q) C_pq and Ĥ likewise, (d_p + d_q + λ) ĉ_pq −
/// Σ_s ĥ_ps ĉ_sq − Σ_s ĥ_qs ĉ_ps = λ â_pq on the free entries. The system is symmetric positive
/// definite, and the Frobenius norm of a hatted matrix is that of the n × n matrix without its
/// diagonal blocks.
///
/// Groups have an order of their own: an island after the other, the largest first, and inside an island
/// [`neighbours_together`].
pub struct System {
    pub equations: Equations,
    /// Map from position to group, and its inverse.
    pub order: Vec<usize>,
    pub position: Vec<usize>,
    /// Products with Ĥ in double precision, computed by the backend.
    pub product: Box<dyn SparseProduct<f64>>,
    /// √r.
    pub roots: Vec<f64>,
    pub islands: Vec<Island>,
}

/// The equations between the groups of a set that no edge and no fixed pair leaves.
pub struct Equations {
    pub lambda: f64,
    /// Ĥ.
    pub graph: Csr<f64>,
    pub degree: Vec<f64>,
    pub known: Known,
}

/// A smallest such set. Each block of the matrix, between two islands or inside one, is a system
/// of its own (T4), and only those inside an island have known entries.
pub struct Island {
    pub positions: Range<usize>,
    /// The equations inside; `None` if all of these entries are known.
    pub inside: Option<Equations>,
}

impl System {
    /// The system of a problem. Every edge of H must be a fixed entry.
    pub fn new<S: Real>(
        component: &str,
        problem: &Problem<'_, S>,
        lambda: f64,
        backend: &dyn Backend<f64>,
    ) -> Result<Self> {
        let (confident, sizes) = (problem.confident, problem.similarity.grouping().sizes());
        check_edges_are_fixed(component, confident, sizes)?;
        let mut island_of = confident.fixed.components();
        if !is_cheap_to_factor(confident, backend)? {
            island_of.fill(0);
        }
        let mut order = neighbours_together(&confident.graph);
        let mut members = vec![0_usize; order.len()];
        island_of.iter().for_each(|&island| members[island] += 1);
        order.sort_by_key(|&p| (Reverse(members[island_of[p]]), island_of[p]));
        let position = inverse(&order);
        let equations = |positions: Range<usize>| Equations {
            lambda,
            graph: hatted(&confident.graph, sizes, &order, &position, positions.clone()),
            degree: order[positions.clone()].iter().map(|&p| degree(confident, sizes, p)).collect(),
            known: Known::new(&confident.fixed, &order, &position, positions),
        };
        let whole = equations(0..order.len());
        let islands = order.chunk_by(|&p, &q| island_of[p] == island_of[q]);
        let islands = islands.scan(0, |end, island| {
            let positions = *end..*end + island.len();
            *end = positions.end;
            Some(positions)
        });
        let islands = islands.map(|positions| {
            let pairs: usize =
                order[positions.clone()].iter().map(|&p| confident.fixed.row(p).0.len()).sum();
            let free = pairs < positions.len() * (positions.len() - 1);
            Island { inside: free.then(|| equations(positions.clone())), positions }
        });
        Ok(System {
            islands: islands.collect(),
            product: backend.sparse(whole.graph.clone()),
            equations: whole,
            roots: order.iter().map(|&p| (sizes[p] as f64).sqrt()).collect(),
            order,
            position,
        })
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.order.len()
    }
}

impl Equations {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.degree.len()
    }

    /// The largest diagonal entry; twice this value bounds the norm of the system.
    pub fn largest_diagonal(&self) -> f64 {
        2.0 * self.degree.iter().fold(0.0, |m: f64, &d| m.max(d)) + self.lambda
    }

    /// K + s for some positions, with K = Φ̂ + λ/2 and a shift s. No edge may leave them.
    pub fn shifted(&self, shift: f64, positions: Range<usize>) -> Csr<f64> {
        let first = positions.start;
        let row = |i: usize| {
            let diagonal = ((i - first) as u32, self.degree[i] + self.lambda / 2.0 + shift);
            let mut row: Vec<(u32, f64)> =
                self.graph.iter_row(i).map(|(j, h)| ((j - first) as u32, -h)).collect();
            row.insert(row.partition_point(|e| e.0 < diagonal.0), diagonal);
            row
        };
        Csr::from_rows(positions.len(), positions.map(row).collect())
    }
}

/// Whether complete factors of K + s are sparse enough for the entries between islands. If not,
/// all groups count as one island.
fn is_cheap_to_factor<S: Real>(
    confident: &Confident<S>,
    backend: &dyn Backend<f64>,
) -> Result<bool> {
    let graph = &confident.graph;
    let row = |i: usize| {
        let mut row: Vec<(u32, f64)> = graph.row(i).0.iter().map(|&j| (j, -1.0)).collect();
        row.insert(row.partition_point(|e| (e.0 as usize) < i), (i as u32, 1.0 + row.len() as f64));
        row
    };
    let pattern = Csr::from_rows(graph.rows(), (0..graph.rows()).map(row).collect());
    let most = LARGEST_FILL * graph.entries();
    Ok(backend.shifted(&pattern, most)?.is_some())
}

/// The largest number of entries of a complete factor, relative to those of H. On the authors'
/// pools it is about 1.
const LARGEST_FILL: usize = 4;

/// Ĥ between the groups at some positions.
fn hatted<S: Real>(
    graph: &Csr<S>,
    sizes: &[usize],
    order: &[usize],
    position: &[usize],
    positions: Range<usize>,
) -> Csr<f64> {
    let row = |&p: &usize| {
        let entry = |(q, h): (usize, S)| {
            let hat = ((sizes[p] as f64).sqrt(), (sizes[q] as f64).sqrt());
            ((position[q] - positions.start) as u32, hat.0 * h.wide() * hat.1)
        };
        let mut row: Vec<(u32, f64)> = graph.iter_row(p).map(entry).collect();
        row.sort_by_key(|e| e.0);
        row
    };
    Csr::from_rows(positions.len(), order[positions.clone()].iter().map(row).collect())
}

fn degree<S: Real>(confident: &Confident<S>, sizes: &[usize], p: usize) -> f64 {
    confident.graph.iter_row(p).map(|(q, h)| sizes[q] as f64 * h.wide()).sum()
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
    fn new<S: Real>(
        fixed: &Csr<S>,
        order: &[usize],
        position: &[usize],
        positions: Range<usize>,
    ) -> Self {
        let (first, n) = (positions.start, positions.len());
        let mut panels = vec![vec![0_u64; n]; n.div_ceil(TILE)];
        for (i, &p) in order[positions].iter().enumerate() {
            let entries = fixed.row(p).0.iter().map(|&q| position[q as usize] - first).chain([i]);
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

#[cfg(test)]
mod tests {
    use enclust_core::{Ctx, Similarity};

    use super::*;

    fn system(n: usize, edges: &[(usize, usize)]) -> System {
        let a = Similarity::from_matrix(n, &vec![1.0; n * n]).unwrap();
        let edges = edges.iter().map(|&(p, q)| (p, q, 0.5));
        let h = Confident::from_pairs(&a, edges).unwrap();
        let problem = Problem::new(&a, &h).unwrap();
        System::new("exact", &problem, 0.4, Ctx::<f64>::default().backend()).unwrap()
    }

    #[test]
    fn islands_are_adjacent_and_the_largest_comes_first() {
        // A pair, a path of three and a single group.
        let system = system(6, &[(0, 4), (1, 3), (3, 5)]);
        let members = |island: &Island| {
            let mut members = system.order[island.positions.clone()].to_vec();
            members.sort_unstable();
            members
        };
        let islands: Vec<Vec<usize>> = system.islands.iter().map(members).collect();
        assert_eq!(islands, [vec![1, 3, 5], vec![0, 4], vec![2]]);
        // The ends of the path are free; the others have no free entries.
        let free = system.islands.iter().map(|island| island.inside.is_some());
        assert!(free.eq([true, false, false]));
        let inside = system.islands[0].inside.as_ref().unwrap();
        assert_eq!((inside.len(), inside.graph.entries()), (3, 4));
    }

    #[test]
    fn graphs_with_much_fill_are_one_island() {
        // An expander, in which elimination soon connects everything, and a group.
        let n = 601;
        let jumps = |i: usize| [7, 31, 97, 211].map(|step| (i, (i * i * step + i + step) % n));
        let edges: Vec<_> = (0..n).flat_map(jumps).filter(|(p, q)| p != q).collect();
        assert_eq!(system(n + 1, &edges).islands.len(), 1);
        // A path has no fill.
        let path: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
        assert_eq!(system(n + 1, &path).islands.len(), 2);
    }
}
