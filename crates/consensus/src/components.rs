//! The connected components of a similarity.

use enclust_core::{
    Consensus, Ctx, Evidence, Fitted, Footprint, Kind, Partition, Real, Result, Shape, Similarity,
    check_k, part,
};

const NAME: &str = "components";

part! {
    /// Clusters are the connected components of a similarity.
    ///
    /// # Problem
    ///
    /// Two samples are connected by an edge if their similarity is not 0; the clusters are the
    /// connected components of this graph. Their number does not depend on k: a cut gives the
    /// same clusters for every k, and a method that learns its graph for k components may miss
    /// that number. Linkage of the same similarity gives exactly k clusters.
    ///
    /// The computation runs on groups: the samples of a group are in one cluster unless their
    /// similarity within the group is 0.
    ///
    /// # Complexity
    ///
    /// At most O(n'²) time, O(n) memory.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the similarity.
    ///
    /// # Errors
    ///
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence;
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than the
    /// number of samples.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_consensus::Components;
    /// use enclust_core::{Consensus, Ctx, Similarity};
    ///
    /// let s = Similarity::from_matrix(3, &[1.0, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0])?;
    /// let ctx = Ctx::default();
    /// let fitted = Components.fit(&s.into(), &ctx)?;
    /// assert_eq!(fitted.cut(3, &ctx)?.labels(), &[0, 0, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub struct Components("components", "connected components of a similarity");
}

impl<S: Real> Consensus<S> for Components {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn gives_exactly_k(&self) -> bool {
        false
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let similarity = evidence.similarity_for(NAME)?;
        Ok(Box::new(Found { partition: components(similarity) }))
    }

    /// The labels; to find them, one component and one queue entry per group.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let labels = shape.each_sample(2 * size_of::<usize>());
        Footprint::new(labels, labels * 2 + shape.each_group(4 * size_of::<usize>()))
    }
}

struct Found {
    partition: Partition,
}

impl<S: Real> Fitted<S> for Found {
    fn cut(&self, k: usize, _: &Ctx<'_, S>) -> Result<Partition> {
        check_k(NAME, k, self.partition.len())?;
        Ok(self.partition.clone())
    }

    fn largest_k(&self) -> usize {
        self.partition.len()
    }
}

/// A group whose samples have similarity 0 to each other is connected only through other
/// groups; if it has no neighbours, each of its samples is a component.
fn components<S: Real>(similarity: &Similarity<S>) -> Partition {
    let component = similarity.pairs().components();
    let mut groups = vec![0; similarity.len()];
    component.iter().for_each(|&c| groups[c] += 1);
    let map = similarity.grouping().map().iter().map(|&p| p as usize);
    Partition::from_labels(map.enumerate().map(|(i, p)| {
        let alone = groups[component[p]] == 1 && similarity.within()[p] == S::zero();
        (component[p], if alone { i } else { usize::MAX })
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use enclust_core::Grouping;
    use proptest::prelude::*;

    fn cut(similarity: Similarity<f64>) -> Partition {
        let ctx = Ctx::default();
        Components.fit(&similarity.into(), &ctx).unwrap().cut(1, &ctx).unwrap()
    }

    /// Every sample takes the smallest number among its neighbours, until no number changes.
    fn by_spreading(n: usize, matrix: &[f64]) -> Partition {
        let mut label: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for i in 0..n {
                for j in (0..n).filter(|j| matrix[i * n + j] != 0.0) {
                    label[i] = label[i].min(label[j]);
                }
            }
        }
        Partition::from_labels(label)
    }

    proptest! {
        #[test]
        fn groups_and_samples_have_the_same(
            map in proptest::collection::vec(0..5_u32, 1..12),
            weights in proptest::collection::vec(prop_oneof![3 => Just(0.0), 1 => Just(0.5)], 15),
        ) {
            let mut first: Vec<u32> = Vec::new();
            let map: Vec<u32> = map.iter().map(|g| {
                let at = first.iter().position(|f| f == g);
                at.unwrap_or_else(|| { first.push(*g); first.len() - 1 }) as u32
            }).collect();
            let groups = first.len();
            let between = weights[..groups * (groups - 1) / 2].to_vec();
            let grouping = Arc::new(Grouping::from_map(map).unwrap());
            let n = grouping.samples();
            let within = weights[10..10 + groups].to_vec();
            let s = Similarity::new(grouping, between, within, vec![1.0; groups]).unwrap();
            prop_assert_eq!(cut(s.clone()), by_spreading(n, &s.to_matrix()));
        }
    }
}
