//! k-means of embeddings.

use std::sync::Arc;

use enclust_consensus::PointsKMeans;
use enclust_core::{
    Consensus, Ctx, Embedding, Error, Evidence, Grouping, Mat, Partition, Similarity, Weighting,
};

/// Groups of these sizes at these positions on a line.
fn line(places: &[f64], sizes: &[usize]) -> Evidence<f64> {
    let members = sizes.iter().enumerate();
    let map = members.flat_map(|(p, &size)| std::iter::repeat_n(p as u32, size)).collect();
    let grouping = Arc::new(Grouping::from_map(map).unwrap());
    let points = Mat::from_fn(places.len(), 1, |p, _| places[p]);
    Embedding::new(grouping, points).unwrap().into()
}

fn cut(evidence: &Evidence<f64>, weighting: Weighting) -> Partition {
    let kmeans = PointsKMeans::default().weighting(weighting);
    let ctx = &Ctx::default();
    kmeans.fit(evidence, ctx).unwrap().cut(2, ctx).unwrap()
}

#[test]
fn a_group_weighs_as_much_as_its_samples() {
    let (places, sizes) = ([0.0, 4.0, 9.0], [1, 20, 20]);
    let grouped = cut(&line(&places, &sizes), Weighting::Samples);
    let each: Vec<f64> = places.iter().zip(sizes).flat_map(|(&x, r)| vec![x; r]).collect();
    let alone = cut(&line(&each, &[1; 41]), Weighting::Samples);
    assert_eq!(grouped, alone);
    assert_eq!(grouped.labels()[0], grouped.labels()[1], "0 joins the twenty at 4");
    let (places, sizes) = ([0.0, 4.0, 7.0], [1, 20, 20]);
    let of_groups = cut(&line(&places, &sizes), Weighting::Groups);
    assert_ne!(of_groups.labels()[0], of_groups.labels()[1], "4 and 7 are closer");
    let of_samples = cut(&line(&places, &sizes), Weighting::Samples);
    assert_eq!(of_samples.labels()[0], of_samples.labels()[1], "but twenty each");
}

#[test]
fn coordinates_that_are_not_finite_are_an_error() {
    let ctx = &Ctx::default();
    let fitted = PointsKMeans::default().fit(&line(&[0.0, f64::NAN], &[1, 1]), ctx).unwrap();
    assert!(matches!(fitted.cut(2, ctx), Err(Error::NotFinite { .. })));
}

#[test]
fn a_similarity_is_no_embedding() {
    let s = Similarity::from_matrix(2, &[1.0, 0.5, 0.5, 1.0]).unwrap();
    let answer = PointsKMeans::default().fit(&s.into(), &Ctx::<f64>::default());
    assert!(matches!(answer.err(), Some(Error::KindMismatch { .. })));
}
