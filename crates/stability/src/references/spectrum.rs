//! The leading eigenvalues of a similarity, seen as a random walk.

use enclust_core::{Ctx, Mat, Result, Similarity};
use enclust_linalg::leading_eigenpairs;

/// The `count` largest eigenvalues of D^-½ B D^-½ in descending order, where B contains the
/// squares of the similarities of all samples and D its row sums; 0 where there are fewer.
///
/// k separate clusters have k eigenvalues of 1. Squaring weakens pairs that only coarse base
/// clusterings join.
///
/// Samples of a group have equal rows. Therefore the matrix of the groups, weighted by the roots of
/// their sizes, has the same leading eigenvalues as the matrix of the samples.
pub(crate) fn spectrum(
    similarity: &Similarity<f64>,
    count: usize,
    ctx: &Ctx<'_, f64>,
) -> Result<Vec<f64>> {
    let sizes: Vec<f64> = similarity.grouping().sizes().iter().map(|&r| r as f64).collect();
    let square = similarity.square();
    let squared = |p: usize, q: usize| {
        if p != q {
            return square[(p, q)].powi(2);
        }
        // The mean over the pairs of a group, each sample with itself included.
        let (within, own) = (similarity.within()[p], similarity.own()[p]);
        ((sizes[p] - 1.0) * within.powi(2) + own.powi(2)) / sizes[p]
    };
    let groups = sizes.len();
    let degree = |p: usize| (0..groups).map(|q| sizes[q] * squared(p, q)).sum::<f64>();
    let scale: Vec<f64> = (0..groups)
        .map(|p| match degree(p) {
            0.0 => 0.0,
            degree => (sizes[p] / degree).sqrt(),
        })
        .collect();
    let walk = Mat::from_fn(groups, groups, |p, q| scale[p] * squared(p, q) * scale[q]);
    let mut values = leading_eigenpairs(&walk, count.min(groups), ctx)?.values;
    values.reverse();
    values.resize(count, 0.0);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use enclust_ca::Eac;
    use enclust_consensus::Linkage;
    use enclust_core::{Ensemble, Method, Pipeline, Question};

    use super::*;

    fn of(ensemble: &Ensemble, count: usize) -> Vec<f64> {
        let ctx = Ctx::default();
        let method = Pipeline::plain(Eac, Linkage::average()).unwrap();
        let fit = method.fit(ensemble, &Question::default(), &ctx).unwrap();
        spectrum(fit.evidence.as_similarity().unwrap(), count, &ctx).unwrap()
    }

    #[test]
    fn separate_clusters_have_eigenvalues_of_one() {
        let found = of(&Ensemble::from_columns(&[[0, 0, 1, 1, 2], [1, 1, 0, 0, 2]]).unwrap(), 5);
        let expected = [1.0, 1.0, 1.0, 0.0, 0.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn groups_give_the_eigenvalues_of_their_samples() {
        let ensemble = enclust_testkit::generate::planted(30, 3, 3, 0.2, 4);
        let found = of(&ensemble, 6);
        // The definition, sample by sample.
        let same = |i: usize, j: usize| {
            let columns = (0..3).filter(|&k| ensemble.column(k)[i] == ensemble.column(k)[j]);
            (columns.count() as f64 / 3.0).powi(2)
        };
        let degree = |i: usize| (0..30).map(|j| same(i, j)).sum::<f64>().sqrt();
        let walk = Mat::from_fn(30, 30, |i, j| same(i, j) / (degree(i) * degree(j)));
        let expected = Ctx::<f64>::default().backend().eigh(walk.view()).unwrap().values;
        let expected: Vec<f64> = expected.into_iter().rev().take(6).collect();
        let grouped = enclust_core::Microclusters::of(&ensemble).len();
        assert!(grouped < 30, "the ensemble has samples with equal labels");
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
    }
}
