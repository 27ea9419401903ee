//! Figures of the record of a run.

use std::path::{Path, PathBuf};

use enclust_figures::{Matrices, Matrix, Sizes, Tree};
use enclust_io::{read_features, read_similarity};
use serde_json::Value;

use super::{choose, not_to_plot, read_json};
use crate::failure::Failure;

/// More leaves cannot be told apart in print.
const LEAVES: usize = 100;
/// The largest number of cells along the side of an image.
const CELLS: usize = 240;

/// The record of a run, with the path that names it in errors.
struct Record<'a> {
    path: &'a Path,
    json: Value,
}

impl<'a> Record<'a> {
    fn read(path: &'a Path) -> Result<Self, Failure> {
        let json = read_json(path)?;
        if json.get("results").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            let reason = "not a record of enclust cluster; write one by --record FILE.json";
            return Err(not_to_plot(path, reason));
        }
        Ok(Record { path, json })
    }

    /// The result for a number of clusters.
    fn result(&self, k: Option<usize>) -> Result<&Value, Failure> {
        let results = self.json["results"].as_array().map_or(&[][..], Vec::as_slice);
        let k_of = |result: &Value| result["k"].as_u64().unwrap_or_default() as usize;
        let known: Vec<usize> = results.iter().map(k_of).collect();
        let k = choose(self.path, "--k", &known, k)?;
        let found = results.iter().find(|result| k_of(result) == k);
        found.ok_or_else(|| not_to_plot(self.path, "the record has no such result"))
    }

    /// The number of clusters of a result.
    fn clusters(&self, k: Option<usize>) -> Result<usize, Failure> {
        let clusters = self.result(k)?["clusters"].as_u64();
        clusters
            .map(|c| c as usize)
            .ok_or_else(|| not_to_plot(self.path, "the record has no clusters"))
    }

    /// A file that the run wrote: at its path, or beside the record.
    fn output(&self, what: &str) -> Result<PathBuf, Failure> {
        let path = self.json["outputs"][what].as_str().ok_or_else(|| {
            not_to_plot(
                self.path,
                format!("the run wrote no {what}; run it with --{what} FILE.npy"),
            )
        })?;
        let path = PathBuf::from(path);
        let beside = path.file_name().map(|name| self.path.with_file_name(name));
        Ok(beside.filter(|beside| !path.exists() && beside.exists()).unwrap_or(path))
    }

    /// The tree in SciPy's form.
    fn merges(&self) -> Result<Vec<[f64; 4]>, Failure> {
        let path = self.output("linkage")?;
        let table = read_features(&path)?;
        if table.dimension != 4 {
            return Err(not_to_plot(&path, "a linkage has four columns"));
        }
        Ok(table.values.chunks_exact(4).map(|row| [row[0], row[1], row[2], row[3]]).collect())
    }

    /// What was clustered.
    fn title(&self) -> String {
        let part = |stage: &str| self.json["method"]["parts"][stage]["name"].as_str();
        let ca = part("ca").unwrap_or("similarity").to_string();
        match part("enhance") {
            Some(enhance) if enhance != "none" => format!("{ca}, enhanced ({enhance})"),
            _ => ca,
        }
    }
}

/// The sizes of the clusters of a result.
pub fn sizes(path: &Path, k: Option<usize>) -> Result<Sizes, Failure> {
    let record = Record::read(path)?;
    let result = record.result(k)?;
    let sizes = result["sizes"].as_array().map_or(&[][..], Vec::as_slice);
    let sizes = sizes.iter().filter_map(Value::as_u64).map(|size| size as usize).collect();
    Ok(Sizes { title: format!("samples per cluster, k = {}", result["k"]), sizes })
}

/// The tree, cut into the clusters of a result.
pub fn dendrogram(path: &Path, k: Option<usize>) -> Result<Tree, Failure> {
    let record = Record::read(path)?;
    Ok(Tree { merges: record.merges()?, k: record.clusters(k)?, leaves: LEAVES })
}

/// The similarities of several runs on the same samples, ordered by the tree of the last one.
pub fn similarity(paths: &[PathBuf], k: Option<usize>) -> Result<Matrices, Failure> {
    let records: Vec<Record<'_>> =
        paths.iter().map(|path| Record::read(path)).collect::<Result<_, _>>()?;
    let Some(last) = records.last() else { return Err(Failure::NoInput) };
    let merges = last.merges()?;
    let (order, borders) = leaves(&merges, last.clusters(k)?, last.path)?;
    let matrices = records.iter().map(|record| matrix(record, &order)).collect::<Result<_, _>>()?;
    Ok(Matrices { matrices, borders })
}

/// The samples from left to right in the tree, and where its clusters end, as shares.
fn leaves(merges: &[[f64; 4]], k: usize, path: &Path) -> Result<(Vec<usize>, Vec<f64>), Failure> {
    let n = merges.len() + 1;
    let known = |(at, merge): (usize, &[f64; 4])| {
        merge[..2].iter().all(|&c| c >= 0.0 && c.fract() == 0.0 && c < (n + at) as f64)
    };
    if merges.is_empty() || !merges.iter().enumerate().all(known) {
        return Err(not_to_plot(path, "its linkage is not a tree"));
    }
    let (mut order, mut borders) = (Vec::with_capacity(n), Vec::new());
    let mut open = vec![n + merges.len() - 1];
    // The number of open clusters below the cluster of the cut that is being read.
    let mut below: Option<usize> = None;
    while let Some(cluster) = open.pop() {
        let is_joined = cluster >= n && cluster - n + k > merges.len();
        if !is_joined && below.is_none() {
            below = Some(open.len());
        }
        match cluster.checked_sub(n) {
            Some(merge) => open.extend([merges[merge][1] as usize, merges[merge][0] as usize]),
            None => order.push(cluster),
        }
        if below == Some(open.len()) {
            below = None;
            borders.push(order.len() as f64 / n as f64);
        }
    }
    if order.len() != n {
        return Err(not_to_plot(path, "its linkage is not a tree of its samples"));
    }
    Ok((order, borders))
}

/// A similarity in this order, in blocks of cells.
fn matrix(record: &Record<'_>, order: &[usize]) -> Result<Matrix, Failure> {
    let path = record.output("similarity")?;
    let similarity = read_similarity::<f32>(&path)?;
    let n = similarity.grouping().samples();
    if n != order.len() {
        let reason = format!("{n} samples, but the tree of the last record has {}", order.len());
        return Err(not_to_plot(&path, reason));
    }
    let side = n.min(CELLS);
    let cell: Vec<usize> = (0..n).map(|at| at * side / n).collect();
    let (mut sums, mut counts) = (vec![0.0; side * side], vec![0.0; side * side]);
    let mut row = Vec::with_capacity(n);
    for (i, &sample) in order.iter().enumerate() {
        row.clear();
        row.extend(similarity.sample_row(sample));
        for (j, &other) in order.iter().enumerate() {
            let at = cell[i] * side + cell[j];
            // A sample is like itself, whatever the method computed.
            sums[at] += if i == j { 1.0 } else { f64::from(row[other]) };
            counts[at] += 1.0;
        }
    }
    let values = sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
    Ok(Matrix { title: record.title(), side, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_lie_between_the_clusters_of_the_cut() {
        let merges = [
            [0.0, 2.0, 0.1, 2.0],
            [1.0, 3.0, 0.2, 2.0],
            [5.0, 4.0, 0.3, 3.0],
            [6.0, 7.0, 0.9, 5.0],
        ];
        let at = |k| leaves(&merges, k, Path::new("r.json")).unwrap();
        assert_eq!(at(2), (vec![1, 3, 0, 2, 4], vec![0.4, 1.0]));
        assert_eq!(at(3).1, [0.4, 0.8, 1.0]);
        assert_eq!(at(1).1, [1.0]);
        assert_eq!(at(5).1, [0.2, 0.4, 0.6, 0.8, 1.0]);
        assert!(leaves(&[[0.0, 5.0, 0.1, 2.0]], 1, Path::new("r.json")).is_err());
        // Both merges take sample 0.
        let twice = [[0.0, 1.0, 0.1, 2.0], [0.0, 2.0, 0.2, 2.0]];
        assert!(leaves(&twice, 1, Path::new("r.json")).is_err());
    }
}
