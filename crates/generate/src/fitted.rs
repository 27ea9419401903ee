//! A pool with what labels new samples.

use std::borrow::Cow;

use enclust_core::{Ensemble, Error, Result};
use enclust_kmeans::nearest;
use rayon::prelude::*;

use crate::features::{Scaling, scaled_by};
use crate::kmeans_pool::ensemble_of;

/// The clusterings of a [`KMeansPool`](crate::KMeansPool) with their centres.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedPool {
    /// The base clusterings.
    pub clusterings: Vec<FittedKMeans>,
    /// Number of features of each sample.
    pub dimension: usize,
    /// How each feature is scaled; `None` if they are not scaled.
    pub scaling: Option<Vec<Scaling>>,
}

/// A base clustering with its centres.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedKMeans {
    /// The label of each sample; [`MISSING`](enclust_core::MISSING) for a sample without one.
    pub labels: Vec<u32>,
    /// The features that it uses.
    pub columns: Vec<usize>,
    /// The centres, one after the other, with one number for each of these features.
    pub centres: Vec<f64>,
}

impl AsRef<[u32]> for FittedKMeans {
    fn as_ref(&self) -> &[u32] {
        &self.labels
    }
}

impl FittedPool {
    /// The base clusterings as an ensemble.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if there are no clusterings.
    pub fn ensemble(&self) -> Result<Ensemble> {
        ensemble_of(&self.clusterings)
    }

    /// The labels of new samples in each clustering: the nearest centres, numbered as in
    /// [`FittedKMeans::labels`].
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if the samples do not have the same number of features,
    /// [`Error::NotFinite`] for a value that is not finite.
    pub fn assign(&self, features: &[f64], dimension: usize) -> Result<Vec<Vec<u32>>> {
        Error::check_size("features of a new sample", self.dimension, dimension)?;
        let features = match &self.scaling {
            Some(scaling) => Cow::Owned(scaled_by(features, scaling)),
            None => Cow::Borrowed(features),
        };
        let labels = |clustering: &FittedKMeans| {
            let columns = &clustering.columns;
            let points = match columns.len() == dimension {
                true => Cow::Borrowed(&features[..]),
                false => features
                    .chunks_exact(dimension)
                    .flat_map(|row| columns.iter().map(|&j| row[j]))
                    .collect(),
            };
            let nearest = nearest(&clustering.centres, &points, columns.len())?;
            Ok(nearest.into_iter().map(|label| label as u32).collect())
        };
        self.clusterings.par_iter().map(labels).collect()
    }
}

#[cfg(test)]
mod tests {
    use enclust_core::{MISSING, Watch};

    use crate::{KMeansPool, KMeansPoolParams, Rest, Scale};

    fn features() -> Vec<f64> {
        (0..400).map(|i| f64::from(i * 37 % 101) * if i % 4 == 1 { 100.0 } else { 1.0 }).collect()
    }

    /// Subspaces, subsamples and scaling are those of the fit: assigning the training samples gives
    /// the labels of the pool where k-means has converged.
    #[test]
    fn training_samples_get_their_labels_again() {
        let params = KMeansPoolParams::default().size(6).features(0.5).samples(0.6);
        for (scale, assign) in [(Scale::None, Rest::Missing), (Scale::UnitVariance, Rest::Nearest)]
        {
            let pool = KMeansPool::new(params.clone().scale(scale).assign(assign)).unwrap();
            let fitted = pool.fit(&features(), 4, Watch::default()).unwrap();
            assert_eq!(fitted.ensemble().unwrap(), pool.generate(&features(), 4).unwrap());
            let again = fitted.assign(&features(), 4).unwrap();
            for (clustering, again) in fitted.clusterings.iter().zip(&again) {
                assert_eq!(clustering.columns.len(), 2);
                let both = clustering.labels.iter().zip(again);
                assert!(both.clone().all(|(&old, &new)| old == MISSING || old == new));
                assert_eq!(
                    both.filter(|(old, _)| **old == MISSING).count() > 0,
                    assign == Rest::Missing
                );
            }
        }
    }

    #[test]
    fn a_clustering_can_be_fitted_elsewhere() {
        let params = KMeansPoolParams::default().size(3).features(0.5).samples(0.6);
        let pool = KMeansPool::new(params).unwrap();
        let (features, fitted) = (features(), pool.fit(&features(), 4, Watch::default()).unwrap());
        for (run, clustering) in fitted.clusterings.iter().enumerate() {
            let drawn = pool.drawn(run, 100, 4).unwrap();
            let row = |&i: &usize| drawn.features.iter().map(move |j| (i, *j)).collect::<Vec<_>>();
            let points: Vec<f64> =
                drawn.samples.iter().flat_map(row).map(|(i, j)| features[i * 4 + j]).collect();
            let params = pool.kmeans_params();
            let found =
                enclust_kmeans::kmeans(&points, 2, None, drawn.k, &params, drawn.seed).unwrap();
            let labels: Vec<u32> = drawn.samples.iter().map(|&i| clustering.labels[i]).collect();
            assert_eq!(labels, found.labels.iter().map(|&l| l as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_features_are_refused() {
        let fitted = KMeansPool::default().fit(&features(), 4, Watch::default()).unwrap();
        let error = fitted.assign(&features(), 2).unwrap_err();
        assert_eq!(error.to_string(), "features of a new sample: expected 4, found 2");
    }
}
