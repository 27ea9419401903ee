//! Compares the rounds with the definition of the distances over samples.

use enclust_core::{Bipartite, Csr, Ensemble, Microclusters, Watch};
use enclust_testkit::generate::{ensembles, planted, shuffled};
use proptest::prelude::*;

use super::*;

const ALL: [Distance; 4] =
    [Distance::Category, Distance::Harmonic, Distance::Cosine, Distance::NormalisedCut];

/// One link per clustering, with the weight of the clustering.
fn graph(m: &Microclusters) -> Bipartite<f64> {
    let offsets = m.cluster_offsets();
    let link = |p: usize, k: usize| (offsets[k] as u32 + m.label(p, k), m.weight(k));
    let row = |p: usize| (0..m.clusterings()).map(|k| link(p, k)).collect();
    let weights = Csr::from_rows(offsets[m.clusterings()], (0..m.len()).map(row).collect());
    Bipartite::new(Arc::clone(m.grouping()), weights).unwrap()
}

fn rows(m: &Microclusters, distance: Distance) -> LabelRows {
    let sizes: Vec<f64> = m.grouping().sizes().iter().map(|&r| r as f64).collect();
    LabelRows::new("test", &graph(m), &sizes, distance).unwrap()
}

/// The cost of every sample in every cluster and its weight, by the definitions.
fn by_definition(
    e: &Ensemble,
    labels: &[usize],
    k: usize,
    d: Distance,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (n, m) = (e.samples(), e.clusterings());
    let worth = |c: usize| e.weights().map_or(1.0, |w| w[c]);
    let size = |c: usize, label: u32| e.column(c).iter().filter(|l| **l == label).count() as f64;
    // m times the degree in the weighted co-association graph.
    let degree = |i: usize| (0..m).map(|c| worth(c) * size(c, e.column(c)[i])).sum::<f64>();
    let weight = |i: usize| if d == Distance::NormalisedCut { degree(i) } else { 1.0 };
    let scale = |i: usize| if d == Distance::NormalisedCut { degree(i).recip() } else { 1.0 };
    let coordinate = |i: usize, c: usize, label: usize| {
        if e.column(c)[i] as usize == label { scale(i) } else { 0.0 }
    };
    let mean = |j: usize, c: usize, label: usize| {
        let members: Vec<usize> = (0..n).filter(|&i| labels[i] == j).collect();
        let total: f64 = members.iter().map(|&i| weight(i)).sum();
        members.iter().map(|&i| weight(i) * coordinate(i, c, label)).sum::<f64>() / total
    };
    let centre: Vec<Vec<Vec<f64>>> = (0..k)
        .map(|j| {
            (0..m).map(|c| (0..e.clusters()[c]).map(|label| mean(j, c, label)).collect()).collect()
        })
        .collect();
    let cost = |i: usize, j: usize| -> f64 {
        let of = |c: usize| {
            let (own, part) = (e.column(c)[i] as usize, &centre[j][c]);
            let length = part.iter().map(|x| x * x).sum::<f64>().sqrt();
            let squared = |label: usize| (coordinate(i, c, label) - part[label]).powi(2);
            match d {
                Distance::Harmonic => -part[own].ln(),
                Distance::Cosine => 1.0 - part[own] / length,
                _ => (0..part.len()).map(squared).sum(),
            }
        };
        (0..m).map(|c| worth(c) * of(c)).sum()
    };
    let costs = (0..n).map(|i| (0..k).map(|j| cost(i, j)).collect()).collect();
    (costs, (0..n).map(weight).collect())
}

/// Any partition of the groups into k non-empty clusters.
fn partition(groups: usize, k: usize, seed: u64) -> Vec<u32> {
    let order = shuffled(groups, seed);
    let mut labels = vec![0; groups];
    order.iter().enumerate().for_each(|(at, &p)| labels[p] = (at % k) as u32);
    labels
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn rows_go_to_the_centre_that_is_nearest_by_definition(
        e in ensembles(16, 5, 4),
        worth in proptest::collection::vec(0.5..3.0_f64, 5),
        (k, seed) in (1..4_usize, any::<u64>()),
    ) {
        let m = e.clusterings();
        let e = e.with_weights(worth[..m].to_vec()).unwrap();
        let groups = Microclusters::of(&e);
        let k = k.min(groups.len());
        for distance in ALL {
            let rows = rows(&groups, distance);
            let labels = partition(groups.len(), k, seed);
            let given = groups.grouping().lift(&rows.in_given_order(&labels));
            // Numbers of clusters in the partition of the samples differ from those of the rows.
            let lifted: Vec<usize> = {
                let of_groups = rows.in_given_order(&labels);
                groups.grouping().map().iter().map(|&p| of_groups[p as usize]).collect()
            };
            prop_assert_eq!(given.clusters(), k);
            let (costs, weights) = by_definition(&e, &lifted, k, distance);
            let (mut next, mut found) = (vec![0; rows.len()], vec![0.0; rows.len()]);
            Model::of_clusters(&rows, &labels, k).assign(&rows, &mut next, &mut found);
            let next = rows.in_given_order(&next);
            let found = {
                let mut sorted = vec![0.0; rows.len()];
                let place = rows.in_given_order(&(0..rows.len() as u32).collect::<Vec<_>>());
                (0..rows.len()).for_each(|p| sorted[p] = found[place[p]]);
                sorted
            };
            for (p, &i) in groups.grouping().first_members().iter().enumerate() {
                let least = costs[i].iter().copied().fold(f64::INFINITY, f64::min);
                prop_assert!((found[p] - least).abs() < 1e-9, "{:?}: {} {}", distance, found[p], least);
                prop_assert!(costs[i][next[p]] <= least + 1e-9);
            }
            // The objective that `improve` reports is the sum over samples.
            let chosen: Vec<usize> = (0..k).collect();
            let settled = improve(&rows, &chosen, 100, Watch::default()).unwrap();
            let of_groups = rows.in_given_order(&settled.labels);
            let lifted: Vec<usize> =
                groups.grouping().map().iter().map(|&p| of_groups[p as usize]).collect();
            let (costs, again) = by_definition(&e, &lifted, k, distance);
            prop_assert_eq!(&again, &weights);
            let sum: f64 = (0..e.samples()).map(|i| weights[i] * costs[i][lifted[i]]).sum();
            prop_assert!((sum - settled.objective).abs() < 1e-9 * (1.0 + sum), "{:?}: {} {}", distance, sum, settled.objective);
        }
    }
}

#[test]
fn groups_and_samples_have_the_same_objective() {
    let e = planted(60, 5, 3, 0.15, 3);
    for distance in ALL {
        let find = |m: &Microclusters| {
            let limits = Limits { replicates: 30, max_iterations: 100 };
            best_of_starts(&rows(m, distance), 3, limits, 1, Watch::default()).unwrap().objective
        };
        let (groups, samples) =
            (find(&Microclusters::of(&e)), find(&Microclusters::singletons(&e)));
        assert!(
            (groups - samples).abs() < 1e-9 * groups.abs(),
            "{distance:?}: {groups}, {samples}"
        );
    }
}

#[test]
fn cosines_need_one_link_per_clustering() {
    let dense = Csr::from_rows(3, vec![vec![(0, 1.0), (1, 0.5)], vec![(1, 1.0), (2, 0.5)]]);
    let grouping = Arc::new(enclust_core::Grouping::singletons(2));
    let graph = Bipartite::new(grouping, dense).unwrap();
    assert!(LabelRows::new("test", &graph, &[1.0, 1.0], Distance::Category).is_ok());
    assert!(LabelRows::new("test", &graph, &[1.0, 1.0], Distance::Cosine).is_err());
}
