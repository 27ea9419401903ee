//! The order of the groups in the solver.

use enclust_core::{Csr, Real};

/// The reverse Cuthill–McKee order, as a map from position to group. Neighbours in the graph get
/// close positions, so that a product with the graph reads rows that are still in cache and the
/// incomplete factorisation drops few entries.
pub fn neighbours_together<S: Real>(graph: &Csr<S>) -> Vec<usize> {
    let degree = |i: usize| graph.row(i).0.len();
    let mut starts: Vec<usize> = (0..graph.rows()).collect();
    starts.sort_by_key(|&i| (degree(i), i));
    let mut seen = vec![false; graph.rows()];
    let mut order = Vec::with_capacity(graph.rows());
    for start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut at = order.len();
        order.push(start);
        while at < order.len() {
            let mut next: Vec<usize> = graph.row(order[at]).0.iter().map(|&j| j as usize).collect();
            next.retain(|&j| !std::mem::replace(&mut seen[j], true));
            next.sort_by_key(|&j| (degree(j), j));
            order.extend(next);
            at += 1;
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_path_comes_back_in_order() {
        // 3 − 0 − 4 − 1 − 2, and 5 alone.
        let edges = [(0, 3), (0, 4), (1, 4), (1, 2)];
        let mut rows = vec![Vec::new(); 6];
        for (i, j) in edges {
            rows[i].push((j as u32, 1.0));
            rows[j].push((i as u32, 1.0));
        }
        rows.iter_mut().for_each(|r: &mut Vec<(u32, f64)>| r.sort_by_key(|e| e.0));
        let order = neighbours_together(&Csr::from_rows(6, rows));
        assert_eq!(order, [3, 0, 4, 1, 2, 5]);
    }
}
