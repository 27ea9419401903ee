//! Checks that everything that is read from a file is valid. The tests and the fuzz targets run
//! the same check.

use std::collections::HashSet;

use enclust_core::MISSING;
use enclust_io::{
    Features, Format, Labels, Noise, Pool, PoolOptions, TableOptions, pairs_from_text,
    similarity_from_npy,
};

/// Reads bytes in all possible ways; panics if something invalid is accepted. Returns how often
/// something was accepted.
pub fn check(bytes: &[u8], format: Format) -> usize {
    let mut accepted = 0;
    for noise in [Noise::Error, Noise::Missing, Noise::Singleton] {
        let options = PoolOptions { noise, ..PoolOptions::default() };
        accepted += Pool::from_bytes(bytes, format, &options).map_or(0, |pool| check_pool(&pool));
    }
    for said in [None, Some(true), Some(false)] {
        let options = TableOptions { header: said, id_column: said, ..TableOptions::default() };
        accepted += Labels::from_bytes(bytes, format, &options).map_or(0, |l| check_labels(&l));
        accepted += Features::from_bytes(bytes, format, &options).map_or(0, |f| check_features(&f));
    }
    accepted += check_pairs(bytes, format);
    if format == Format::Npy {
        accepted += check_similarity(bytes);
    }
    accepted
}

fn check_pool(pool: &Pool) -> usize {
    let ensemble = &pool.ensemble;
    assert!(ensemble.samples() > 0 && ensemble.clusterings() > 0);
    for (k, &clusters) in ensemble.clusters().iter().enumerate() {
        let labels: HashSet<_> = ensemble.column(k).iter().filter(|&&l| l != MISSING).collect();
        assert_eq!(labels.len(), clusters);
        assert!(labels.iter().all(|&&label| (label as usize) < clusters));
    }
    check_ids(&pool.ids, ensemble.samples());
    assert!(pool.columns.as_ref().is_none_or(|names| names.len() == ensemble.clusterings()));
    assert!(pool.truth.as_ref().is_none_or(|truth| truth.len() == ensemble.samples()));
    1
}

fn check_labels(labels: &Labels) -> usize {
    let partition = &labels.partition;
    assert!(!partition.is_empty());
    assert!(partition.labels().iter().all(|&label| label < partition.clusters()));
    check_ids(&labels.ids, labels.samples());
    assert!(labels.known().len() == partition.len());
    1
}

fn check_features(features: &Features) -> usize {
    assert!(features.samples > 0 && features.dimension > 0);
    assert_eq!(features.values.len(), features.samples * features.dimension);
    assert!(features.values.iter().all(|value| value.is_finite()));
    check_ids(&features.ids, features.samples);
    assert!(features.names.as_ref().is_none_or(|names| names.len() == features.dimension));
    1
}

fn check_ids(ids: &Option<Vec<String>>, samples: usize) {
    if let Some(ids) = ids {
        assert_eq!(ids.len(), samples);
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), samples);
    }
}

fn check_pairs(bytes: &[u8], format: Format) -> usize {
    let ids = ["a", "b", "c"].map(String::from);
    let named = pairs_from_text(bytes, format, Some(&ids), &TableOptions::default());
    let numbered = pairs_from_text(bytes, format, None, &TableOptions::default());
    for &(i, j) in named.iter().flatten() {
        assert!(i < ids.len() && j < ids.len() && i != j);
    }
    assert!(numbered.iter().flatten().all(|(i, j)| i != j));
    usize::from(named.is_ok()) + usize::from(numbered.is_ok())
}

fn check_similarity(bytes: &[u8]) -> usize {
    let Ok(similarity) = similarity_from_npy::<f64>(bytes, bytes.len() as u64, None) else {
        return 0;
    };
    let values = similarity.condensed().iter().chain(similarity.own());
    assert!(values.clone().all(|value| (0.0..=1.0).contains(value)));
    assert_eq!(similarity.grouping().samples(), similarity.len());
    1
}
