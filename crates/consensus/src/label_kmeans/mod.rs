//! k-means of label rows: the rows of a bipartite graph as sparse points.

mod model;
mod rows;
mod start;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use enclust_core::{
    Bytes, Ctx, Fitted, Grouping, Partition, Real, Result, Shape, Stage, Watch, check_k,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(crate) use self::model::{Distance, Model};
pub(crate) use self::rows::LabelRows;
use self::start::spread;

/// What is reported while the rounds run.
pub(crate) const DOING: &str = "k-means of label rows";

/// The limits of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub replicates: usize,
    pub max_iterations: usize,
}

/// Label rows that are cut by k-means.
pub(crate) struct FittedRows {
    pub name: &'static str,
    pub rows: LabelRows,
    pub grouping: Arc<Grouping>,
    pub limits: Limits,
}

/// The labels of one start.
pub(crate) struct Found {
    pub labels: Vec<u32>,
    pub objective: f64,
}

impl FittedRows {
    /// The memory besides the graph, for a shape whose input is the graph.
    pub fn result_bytes(shape: &Shape) -> Bytes {
        // A copy in double precision, and four numbers per row.
        let entry = (size_of::<u32>() + size_of::<f64>()) as u64;
        let given = (size_of::<u32>() + shape.scalar) as u64;
        Bytes(shape.input.0.saturating_mul(entry) / given) + shape.each_group(4 * 8)
    }

    /// The memory to make the rows in addition to their result: keys of their order.
    pub fn making_bytes(shape: &Shape) -> Bytes {
        shape.each_group(48) + Bytes(shape.clusters as u64) * 24
    }

    /// The memory of a cut as far as it is known in advance.
    pub fn cut_ahead_bytes(shape: &Shape) -> Bytes {
        let k = shape.clusters_ahead().min(shape.groups);
        cut_bytes(shape.groups, shape.clusters, k) + shape.each_sample(2 * size_of::<usize>())
    }
}

/// The memory to cut into k clusters: labels of this round, the last one and the best start, costs,
/// and the tables of the centres.
fn cut_bytes(groups: usize, clusters: usize, k: usize) -> Bytes {
    Bytes(groups as u64) * 40 + Model::bytes(clusters, k)
}

impl<S: Real> Fitted<S> for FittedRows {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        let groups = self.grouping.len();
        check_k(self.name, k, groups)?;
        ctx.require(
            &Stage::Cut.of(self.name),
            cut_bytes(groups, self.rows.columns(), k),
            &format!("k = {k} of n' = {groups}"),
            "request fewer clusters",
        )?;
        let (seed, watch) = (ctx.seed(), ctx.watch());
        let found = ctx.install(|_| best_of_starts(&self.rows, k, self.limits, seed, watch))??;
        Ok(self.grouping.lift(&self.rows.in_given_order(&found.labels)))
    }

    fn largest_k(&self) -> usize {
        self.grouping.len()
    }
}

/// The best of the starts; the first one among equals. Start number r draws from stream r.
pub(crate) fn best_of_starts(
    rows: &LabelRows,
    k: usize,
    limits: Limits,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Found> {
    let run = |start: usize| {
        watch.progress(DOING, start as u64, limits.replicates as u64)?;
        one_start(rows, k, limits.max_iterations, (seed, start as u64), watch)
    };
    let mut best = run(0)?;
    for start in 1..limits.replicates {
        let found = run(start)?;
        if found.objective < best.objective {
            best = found;
        }
    }
    Ok(best)
}

/// The result of one start, which draws from a stream of a generator.
pub(crate) fn one_start(
    rows: &LabelRows,
    k: usize,
    max_iterations: usize,
    (seed, stream): (u64, u64),
    watch: Watch<'_>,
) -> Result<Found> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    improve(rows, &spread(rows, k, &mut rng, watch)?, max_iterations, watch)
}

/// Rounds of k-means from some rows as centres. In each round, every row is assigned to its nearest
/// centre, the one with the lowest number among equals, and centres are the means of their rows.
pub(crate) fn improve(
    rows: &LabelRows,
    start: &[usize],
    limit: usize,
    watch: Watch<'_>,
) -> Result<Found> {
    let k = start.len();
    let (mut labels, mut costs) = (vec![0; rows.len()], vec![0.0; rows.len()]);
    Model::of_rows(rows, start).assign(rows, &mut labels, &mut costs);
    fill_empty(k, &mut labels, &mut costs);
    let mut next = vec![0; rows.len()];
    for _ in 0..limit {
        watch.checkpoint(DOING)?;
        Model::of_clusters(rows, &labels, k).assign(rows, &mut next, &mut costs);
        fill_empty(k, &mut next, &mut costs);
        std::mem::swap(&mut labels, &mut next);
        if labels == next {
            break;
        }
    }
    let objective = costs.iter().zip(rows.weights()).map(|(cost, weight)| weight * cost).sum();
    Ok(Found { labels, objective })
}

/// Gives every empty cluster the row with the largest cost, the first one among equals, whose
/// removal does not leave another cluster empty.
fn fill_empty(k: usize, labels: &mut [u32], costs: &mut [f64]) {
    let mut counts = vec![0_usize; k];
    labels.iter().for_each(|&label| counts[label as usize] += 1);
    for empty in 0..k {
        if counts[empty] > 0 {
            continue;
        }
        let farthest = (0..labels.len())
            .filter(|&i| counts[labels[i] as usize] > 1)
            .reduce(|best, i| if costs[i] > costs[best] { i } else { best });
        // There are at least as many rows as clusters, so such a row exists.
        if let Some(i) = farthest {
            counts[labels[i] as usize] -= 1;
            counts[empty] = 1;
            labels[i] = empty as u32;
            costs[i] = 0.0;
        }
    }
}
