//! The inverse (2Φ + γI)⁻¹ over groups, with one block per component of H.

use enclust_core::{Backend, Confident, Csr, Mat, MatMut, MatRef, Real, Result, SparseSolve};
use rayon::prelude::*;

use super::variable::PANEL;

/// A sparse factor is used if it has at most this share of the entries of the dense inverse.
/// Sparse solves run at about a tenth of the speed of a dense product.
const SPARSE: f64 = 0.04;

/// For fewer rows than this, a plain loop is fastest.
const SMALL: usize = 8;

/// B = (R(2Φ' + γI))⁻¹, where Φ' is the weighted Laplacian of H between groups and R contains the
/// group sizes. B is symmetric, and block-diagonal over the components of H.
///
/// Rows are in the order of [`order`](Self::order), in which the members of a component are
/// contiguous. B·R·X equals the product of the n × n inverse with a matrix X that is constant on
/// groups (T3 in `docs/theory.md`).
pub struct InverseBlocks<S> {
    /// The group at each position.
    pub order: Vec<usize>,
    /// 1 / (2(d_p + r_p h_pp) + γ): the inverse on vectors that sum to zero inside a group, by
    /// position.
    pub kappa: Vec<f64>,
    blocks: Vec<Block<S>>,
}

struct Block<S> {
    start: usize,
    size: usize,
    solver: Solver<S>,
}

enum Solver<S> {
    /// The inverse itself, for small blocks and for those with a dense factor.
    Dense(Mat<S>),
    /// A sparse factor, for all other blocks: high-confidence graphs are nearly trees.
    Sparse(Box<dyn SparseSolve<S>>),
}

impl<S: Real> InverseBlocks<S> {
    /// Factors each component.
    pub fn new(
        confident: &Confident<S>,
        sizes: &[usize],
        gamma: f64,
        backend: &dyn Backend<S>,
    ) -> Result<Self> {
        let component = confident.graph.components();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&p| component[p]);
        let system = System { confident, sizes, gamma };
        let mut blocks = Vec::new();
        let mut start = 0;
        for members in order.chunk_by(|&p, &q| component[p] == component[q]) {
            let size = members.len();
            blocks.push(Block { start, size, solver: system.solver(members, backend)? });
            start += size;
        }
        let kappa = order.iter().map(|&p| system.kappa(p)).collect();
        Ok(InverseBlocks { order, kappa, blocks })
    }

    /// x ← B·x for a panel of `columns` columns of full height.
    pub fn apply(&self, x: &mut [S], columns: usize, backend: &dyn Backend<S>) {
        let n = self.order.len();
        let mut buffer = Vec::new();
        for Block { start, size, solver } in &self.blocks {
            let (start, size) = (*start, *size);
            buffer.resize(size * columns, S::zero());
            match solver {
                Solver::Dense(inverse) if size <= SMALL => {
                    for column in 0..columns {
                        let x = &mut x[column * n + start..][..size];
                        small_product(inverse, x, &mut buffer[..size]);
                    }
                }
                Solver::Dense(inverse) => {
                    let source = MatRef::new(&x[start..], size, columns, n);
                    let target = MatMut::new(&mut buffer, size, columns, size);
                    backend.gemm(S::one(), inverse.view(), source, S::zero(), target);
                    let result = MatRef::new(&buffer, size, columns, size);
                    MatMut::new(&mut x[start..], size, columns, n).copy_from(result);
                }
                Solver::Sparse(factor) => {
                    let source = MatRef::new(&x[start..], size, columns, n).transposed();
                    MatMut::new(&mut buffer, columns, size, columns).copy_from(source);
                    factor.solve_panel(&mut buffer, columns);
                    let result = MatRef::new(&buffer, columns, size, columns).transposed();
                    MatMut::new(&mut x[start..], size, columns, n).copy_from(result);
                }
            }
        }
    }
}

fn small_product<S: Real>(a: &Mat<S>, x: &mut [S], buffer: &mut [S]) {
    buffer.fill(S::zero());
    for (j, &v) in x.iter().enumerate() {
        for (o, &w) in buffer.iter_mut().zip(a.col(j)) {
            *o += w * v;
        }
    }
    x.copy_from_slice(buffer);
}

/// R(2Φ' + γI), entry by entry.
struct System<'a, S> {
    confident: &'a Confident<S>,
    sizes: &'a [usize],
    gamma: f64,
}

impl<S: Real> System<'_, S> {
    fn size(&self, p: usize) -> f64 {
        self.sizes[p] as f64
    }

    /// d_p = Σ_q r_q h_pq over the other groups.
    fn degree(&self, p: usize) -> f64 {
        self.confident.graph.iter_row(p).map(|(q, h)| self.size(q) * h.wide()).sum()
    }

    fn kappa(&self, p: usize) -> f64 {
        let inside = self.size(p) * self.confident.within[p].wide();
        1.0 / (2.0 * (self.degree(p) + inside) + self.gamma)
    }

    /// The block of one component. Its members are in ascending order.
    fn block(&self, members: &[usize]) -> Csr<S> {
        let row = |(i, &p): (usize, &usize)| {
            let r = self.size(p);
            let diagonal = (i as u32, S::of(r * (2.0 * self.degree(p) + self.gamma)));
            let links = self.confident.graph.iter_row(p).filter_map(|(q, h)| {
                let j = members.binary_search(&q).ok()?;
                Some((j as u32, S::of(-2.0 * r * h.wide() * self.size(q))))
            });
            let mut row: Vec<(u32, S)> = links.chain([diagonal]).collect();
            row.sort_unstable_by_key(|e| e.0);
            row
        };
        Csr::from_rows(members.len(), members.iter().enumerate().map(row).collect())
    }

    fn solver(&self, members: &[usize], backend: &dyn Backend<S>) -> Result<Solver<S>> {
        let n = members.len();
        let block = self.block(members);
        if n > SMALL {
            let most = (SPARSE * (n * n) as f64) as usize;
            if let Some(factor) = backend.factor_sparse(&block, most)? {
                return Ok(Solver::Sparse(factor));
            }
        }
        let dense = Mat::from_fn(n, n, |i, j| block.get(i, j).unwrap_or(S::zero()));
        let factor = backend.factor_spd(dense.view())?;
        let mut inverse = Mat::identity(n);
        inverse.data_mut().par_chunks_mut(n * PANEL).for_each(|panel| {
            let columns = panel.len() / n;
            factor.solve(MatMut::new(panel, n, columns, n));
        });
        Ok(Solver::Dense(inverse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::{Reference, Similarity};

    /// Whether the only component of these edges has a sparse factor.
    fn is_sparse(groups: usize, edges: impl Iterator<Item = (usize, usize)>) -> bool {
        let a = Similarity::from_matrix(groups, &vec![1.0; groups * groups]).unwrap();
        let h = Confident::from_pairs(&a, edges.map(|(p, q)| (p, q, 1.0))).unwrap();
        let inverse = InverseBlocks::<f64>::new(&h, &vec![1; groups], 1.0, &Reference).unwrap();
        assert_eq!(inverse.blocks.len(), 1);
        matches!(inverse.blocks[0].solver, Solver::Sparse(_))
    }

    #[test]
    fn long_trees_have_a_sparse_factor_and_other_components_an_inverse() {
        let path = |n: usize| (1..n).map(|q| (q - 1, q));
        let clique = |n: usize| (0..n).flat_map(move |q| (0..q).map(move |p| (p, q)));
        assert!(is_sparse(100, path(100)));
        assert!(!is_sparse(100, clique(100)));
        assert!(!is_sparse(12, path(12)));
    }
}
