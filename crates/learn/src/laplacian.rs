//! Smallest eigenpairs of the Laplacian of a graph.

use enclust_core::{Bytes, Condensed, Ctx, Mat, Result, Shape};
use enclust_linalg::{complete, smallest_eigenpairs, smallest_eigenpairs_bytes};
use rayon::prelude::*;

use crate::eigenpairs_ahead;

/// A weighted graph of samples in which all samples of a group have the same weights.
pub(crate) struct GroupGraph<'a> {
    /// Weights between groups, condensed.
    pub between: &'a Condensed<Vec<f64>>,
    /// Weight between two samples of a group, and of a sample with itself.
    pub within: &'a [f64],
    /// Number of samples of each group.
    pub sizes: &'a [f64],
}

/// The smallest eigenpairs of a Laplacian.
#[derive(Clone, Debug)]
pub(crate) struct Spectrum {
    /// The smallest eigenvalues in ascending order, one more than there are coordinates (at
    /// most the number of samples).
    pub values: Vec<f64>,
    /// Coordinates of the samples of each group: the entries of the eigenvectors.
    pub points: Points,
}

/// Points with the same number of coordinates, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    coordinates: Vec<f64>,
    dimension: usize,
}

impl Points {
    /// Squared distance between two points.
    pub fn squared_distance(&self, p: usize, q: usize) -> f64 {
        let at = |p: usize| &self.coordinates[p * self.dimension..][..self.dimension];
        at(p).iter().zip(at(q)).map(|(x, y)| (x - y) * (x - y)).sum()
    }
}

impl GroupGraph<'_> {
    /// The c smallest eigenvectors of the Laplacian diag(S1) − S over the samples, and the
    /// c + 1 smallest eigenvalues.
    ///
    /// Eigenvectors that are constant on groups are eigenvectors of a smaller matrix, the
    /// Laplacian of R^½ S R^½ with the sizes R. The others sum to zero inside one group p with
    /// more than one sample; their eigenvalue is the sum of the weights of a sample of p. These
    /// eigenvalues are included in the values. Their vectors would separate equal samples, so
    /// only the constant vectors are returned; these come first if clusters are larger than
    /// groups.
    ///
    /// A graph with more than c components has more zero eigenvalues than requested. In this
    /// case nothing is computed, and the indicator vectors of the first c components are
    /// returned.
    pub fn spectrum(&self, c: usize, ctx: &Ctx<'_, f64>) -> Result<Spectrum> {
        let n = self.sizes.len();
        let components = self.between.components();
        if components.iter().any(|&component| component > c - 1) {
            return Ok(self.of_components(&components, c));
        }
        let degrees = self.degrees();
        let wanted = (c + 1).min(n);
        let vectors = smallest_eigenpairs(&self.laplacian(&degrees), wanted, ctx)?.vectors;
        let roots: Vec<f64> = self.sizes.iter().map(|r| r.sqrt()).collect();
        let coordinate = |p: usize, j: usize| vectors[(p, j)] / roots[p];
        let functions: Vec<Vec<f64>> =
            (0..wanted).map(|j| (0..n).map(|p| coordinate(p, j)).collect()).collect();
        let mut values = self.roughness(&functions);
        for p in (0..n).filter(|&p| self.sizes[p] > 1.0) {
            let copies = (self.sizes[p] as usize - 1).min(c + 1);
            let inside = degrees[p] + self.sizes[p] * self.within[p];
            values.extend(std::iter::repeat_n(inside, copies));
        }
        values.sort_by(f64::total_cmp);
        values.truncate(c + 1);
        let coordinates = (0..n).flat_map(|p| (0..c).map(move |j| (p, j)));
        let coordinates = coordinates.map(|(p, j)| coordinate(p, j)).collect();
        Ok(Spectrum { values, points: Points { coordinates, dimension: c } })
    }

    /// The result for more than c components: unit vectors, each constant on one component.
    fn of_components(&self, components: &[usize], c: usize) -> Spectrum {
        let mut samples = vec![0.0; c];
        for (&component, size) in components.iter().zip(self.sizes) {
            samples.get_mut(component).into_iter().for_each(|sum| *sum += size);
        }
        let coordinate = |component: usize, j: usize| {
            if component == j { 1.0 / f64::sqrt(samples[j]) } else { 0.0 }
        };
        let rows = components.iter().flat_map(|&component| (0..c).map(move |j| (component, j)));
        let coordinates = rows.map(|(component, j)| coordinate(component, j)).collect();
        Spectrum { values: vec![0.0; c + 1], points: Points { coordinates, dimension: c } }
    }

    /// The memory of [`spectrum`](Self::spectrum): the Laplacian and the memory to compute its
    /// eigenpairs.
    pub fn spectrum_bytes(shape: &Shape) -> Bytes {
        let wide = shape.in_double();
        let few = eigenpairs_ahead(shape);
        let pairs = smallest_eigenpairs_bytes(shape.groups, few, size_of::<f64>(), shape.threads);
        // The coordinates by function and by group, and the sums of each group.
        let points = wide.vector() * (6 * few as u64) + shape.each_group(size_of::<Vec<f64>>());
        let links = shape.each_group(size_of::<(usize, f64)>()) * 2 * shape.threads as u64;
        wide.square() + points + links + pairs
    }

    /// For each group, the sum of the weights between one of its samples and the samples of the
    /// other groups.
    fn degrees(&self) -> Vec<f64> {
        self.between.row_sums(self.sizes, vec![0.0; self.sizes.len()])
    }

    fn laplacian(&self, degrees: &[f64]) -> Mat<f64> {
        let n = self.sizes.len();
        let mut out = Mat::zeros(n, n);
        out.data_mut().par_chunks_mut(n).enumerate().for_each(|(p, column)| {
            column[p] = degrees[p];
            let others = self.between.row(p).iter().zip(&self.sizes[p + 1..]);
            for (entry, (weight, size)) in column[p + 1..].iter_mut().zip(others) {
                *entry = -(self.sizes[p] * size).sqrt() * weight;
            }
        });
        complete(&mut out);
        out
    }

    /// Σ S_ij (f_i − f_j)² over all pairs of samples, the quadratic form of the Laplacian at f, for
    /// each function f. As a sum of squares it avoids the cancellation in vᵀLv: it is exactly 0 for
    /// vectors that are constant on components.
    fn roughness(&self, functions: &[Vec<f64>]) -> Vec<f64> {
        let of_row = |p: usize| -> Vec<f64> {
            // The weights that are not zero are few.
            let others = self.between.row(p).iter().zip(&self.sizes[p + 1..]);
            let links: Vec<(usize, f64)> = (p + 1..)
                .zip(others)
                .filter(|(_, (s, _))| **s != 0.0)
                .map(|(q, (s, r))| (q, r * s))
                .collect();
            let sum = |f: &Vec<f64>| -> f64 {
                links.iter().map(|&(q, w)| w * (f[p] - f[q]) * (f[p] - f[q])).sum()
            };
            functions.iter().map(|f| self.sizes[p] * sum(f)).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.sizes.len()).into_par_iter().map(of_row).collect();
        let mut sums = vec![0.0; functions.len()];
        for row in &rows {
            sums.iter_mut().zip(row).for_each(|(sum, part)| *sum += part);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::{Backend, Reference};
    use proptest::prelude::*;

    /// The graph over the samples as a full matrix.
    fn over_samples(graph: &GroupGraph<'_>) -> Mat<f64> {
        let groups: Vec<usize> = (0..graph.sizes.len())
            .flat_map(|p| std::iter::repeat_n(p, graph.sizes[p] as usize))
            .collect();
        let weight = |i: usize, j: usize| match (groups[i], groups[j]) {
            (p, q) if p == q => graph.within[p],
            (p, q) => graph.between[(p, q)],
        };
        let degree = |i: usize| (0..groups.len()).map(|j| weight(i, j)).sum::<f64>();
        Mat::from_fn(groups.len(), groups.len(), |i, j| {
            if i == j { degree(i) - weight(i, j) } else { -weight(i, j) }
        })
    }

    proptest! {
        #[test]
        fn values_are_those_of_the_samples(
            between in proptest::collection::vec(0.0..1.0_f64, 10),
            within in proptest::collection::vec(0.1..1.0_f64, 5),
            sizes in proptest::collection::vec(1..4_u8, 5),
            c in 1..6_usize,
        ) {
            let sizes: Vec<f64> = sizes.into_iter().map(f64::from).collect();
            let graph = GroupGraph { between: &Condensed::new(sizes.len(), between).unwrap(), within: &within, sizes: &sizes };
            let found = graph.spectrum(c, &Ctx::default()).unwrap();
            let all = Reference.eigh(over_samples(&graph).view()).unwrap().values;
            let wanted = (c + 1).min(all.len());
            prop_assert_eq!(found.values.len(), wanted);
            for (found, wanted) in found.values.iter().zip(&all) {
                prop_assert!((found - wanted).abs() < 1e-9, "{} {}", found, wanted);
            }
        }
    }

    #[test]
    fn components_have_exact_zeros() {
        let graph = GroupGraph {
            between: &Condensed::new(4, vec![0.5, 0.0, 0.0, 0.0, 0.0, 0.25]).unwrap(),
            within: &[1.0; 4],
            sizes: &[1.0, 2.0, 3.0, 1.0],
        };
        let Spectrum { values, points } = graph.spectrum(2, &Ctx::default()).unwrap();
        assert!(values[1] < 1e-28 && values[2] > 0.5, "{values:?}");
        assert!(points.squared_distance(0, 1) < 1e-28 && points.squared_distance(1, 2) > 0.1);
        // More than one component: the vector is constant on the first, which has three
        // samples.
        let Spectrum { values, points } = graph.spectrum(1, &Ctx::default()).unwrap();
        assert_eq!(values, [0.0, 0.0]);
        assert_eq!((points.squared_distance(0, 1), points.squared_distance(2, 3)), (0.0, 0.0));
        assert!((points.squared_distance(1, 2) - 1.0 / 3.0).abs() < 1e-15);
    }
}
