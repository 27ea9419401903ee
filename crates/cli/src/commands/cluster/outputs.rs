//! Output of the results.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use enclust::core::{Bytes, Ensemble, Fit};
use enclust::registry::Precision;
use enclust_io::{
    NpyFloat, Pool, folder_of, write_atomically, write_labels, write_matrix_npy, write_pool,
};
use enclust_stability::{Membership, Ranked};

use super::data::Data;
use super::{ClusterArgs, Cut, item_consensus, ranking, summary};
use crate::console::Console;
use crate::csv_table::write_clusterings;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::record::{RunRecord, write_json};
use crate::warnings;

/// The diagonal of a similarity that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Diagonal {
    /// Every sample has similarity 1 with itself
    #[default]
    Unit,
    /// The values that the method computed
    Computed,
}

/// Files to write and how to print.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write the labels, clusters counted from 0: .csv, .tsv, .npy, .npz [default: standard
    /// output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write the similarity that was clustered, n x n floats
    #[arg(long, value_name = "FILE.npy")]
    pub similarity: Option<PathBuf>,

    /// Diagonal of that similarity: 1, or the values that the method computed [default: unit]
    #[arg(long, value_enum, value_name = "KIND", requires = "similarity")]
    diagonal: Option<Diagonal>,

    /// Write the tree as SciPy's linkage matrix, (n - 1) x 4 floats
    #[arg(long, value_name = "FILE.npy")]
    pub linkage: Option<PathBuf>,

    /// Write how well each sample and cluster is supported by the base clusterings: item and
    /// cluster consensus, the second-best cluster, soft membership and its entropy
    #[arg(long, value_name = "FILE.csv")]
    pub membership: Option<PathBuf>,

    /// Write how far each base clustering agrees with the result, and what leaving it out changes;
    /// this takes one more run per base clustering
    #[arg(long, value_name = "FILE.csv", conflicts_with = "similarity_in")]
    pub ranking: Option<PathBuf>,

    /// Write a model by which `enclust assign` labels new rows
    #[arg(long, value_name = "MODEL.npz")]
    pub save_model: Option<PathBuf>,

    /// Write the record of the run: versions, parameters, seeds, inputs, times, results
    #[arg(long, value_name = "FILE.json")]
    record: Option<PathBuf>,

    /// Write a report: one HTML page with the matrices, the tree, the clusters and how they were found
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// Print the record and the labels as JSON
    #[arg(long)]
    json: bool,
}

impl OutputArgs {
    /// Whether a record is requested.
    pub fn wants_record(&self) -> bool {
        self.json || self.record.is_some() || self.report.is_some()
    }

    /// Adds the files that are written.
    pub fn add_to<'a>(&'a self, files: Files<'a>) -> Files<'a> {
        files
            .writes("--out", self.out.as_ref(), files::LABELS)
            .writes("--similarity", self.similarity.as_ref(), files::ARRAY)
            .writes("--linkage", self.linkage.as_ref(), files::ARRAY)
            .writes("--membership", self.membership.as_ref(), files::TABLE)
            .writes("--ranking", self.ranking.as_ref(), files::TABLE)
            .writes("--save-model", self.save_model.as_ref(), files::MODEL)
            .writes("--report", self.report.as_ref(), files::PAGE)
            .writes("--record", self.record.as_ref(), files::RECORD)
    }

    /// The files by their content.
    pub fn paths(&self) -> BTreeMap<&'static str, String> {
        let files = [
            ("labels", &self.out),
            ("similarity", &self.similarity),
            ("linkage", &self.linkage),
            ("membership", &self.membership),
            ("ranking", &self.ranking),
            ("model", &self.save_model),
            ("report", &self.report),
            ("record", &self.record),
        ];
        let named = |(what, path): (_, &Option<PathBuf>)| {
            Some((what, path.as_ref()?.display().to_string()))
        };
        files.into_iter().filter_map(named).collect()
    }

    /// Returns an error if a matrix does not fit on the disk, before anything is computed.
    pub fn check_room<S: Precision>(&self, samples: usize) -> Result<(), Failure> {
        let Some(path) = &self.similarity else { return Ok(()) };
        let needed = Bytes(samples as u64) * samples as u64 * size_of::<S>() as u64;
        let folder = folder_of(path);
        // If the free space is unknown, errors are detected when writing.
        match fs4::available_space(folder).map(Bytes) {
            Ok(available) if available < needed => Err(Failure::Disk {
                path: path.clone(),
                rows: samples,
                needed,
                available,
                halved: size_of::<S>() > size_of::<f32>(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes all requested files but the model, the report and the record.
    pub fn write<S: Precision + NpyFloat>(
        &self,
        fit: &Fit<S>,
        cuts: &[Cut],
        (memberships, rankings): (&[Membership], &[Vec<Ranked>]),
        data: &Data<S>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.out {
            write_cuts(path, cuts, data)?;
        }
        if let Some((path, similarity)) = self.similarity.as_ref().zip(fit.evidence.as_similarity())
        {
            let n = data.samples;
            write_matrix_npy(path, n, n, |i, row: &mut [S]| {
                row.iter_mut().zip(similarity.sample_row(i)).for_each(|(to, s)| *to = s);
                if self.diagonal.unwrap_or_default() == Diagonal::Unit {
                    row[i] = S::one();
                }
            })?;
        }
        if let Some((path, tree)) = self.linkage.as_ref().zip(fit.dendrogram()) {
            let merges = tree.to_scipy();
            let fill = |i: usize, row: &mut [f64]| row.copy_from_slice(&merges[i]);
            write_matrix_npy(path, merges.len(), 4, fill)?;
        }
        if let Some(path) = &self.membership {
            let ids = data.ids.as_deref();
            write_atomically(path, |file| item_consensus::write(file, cuts, memberships, ids))?;
        }
        let ensemble = data.ensemble.as_ref().zip(data.selection.as_ref());
        if let (Some(path), Some((ensemble, selection))) = (&self.ranking, ensemble) {
            let (columns, names) = (&selection.columns, data.columns.as_deref());
            write_atomically(path, |file| {
                ranking::write(file, cuts, rankings, ensemble, columns, names)
            })?;
        }
        Ok(())
    }

    /// Writes the record. It comes last, so that it never names a file that was not written.
    pub fn write_record(&self, record: &RunRecord) -> Result<(), Failure> {
        match &self.record {
            Some(path) => write_json(path, record),
            None => Ok(()),
        }
    }

    /// Prints the result. If the labels are not written to a file, standard output contains
    /// only the labels.
    pub fn show<S: Precision>(
        &self,
        args: &ClusterArgs,
        cuts: &[Cut],
        data: &Data<S>,
        mut record: RunRecord,
        console: &Console,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if self.json {
            for (result, cut) in record.results.iter_mut().zip(cuts) {
                result.labels = Some(cut.partition.labels().to_vec());
            }
            serde_json::to_writer_pretty(&mut *out, &record)?;
            return Ok(writeln!(out)?);
        }
        let text = summary::text(args, &record);
        summary::details(&record, console);
        warnings::print(&record.warnings, console);
        if self.out.is_some() {
            return Ok(out.write_all(text.as_bytes())?);
        }
        write_clusterings(out, &side_by_side(cuts, data)?)?;
        console.styled(text.trim_end());
        Ok(())
    }
}

/// One cut is written as labels, several cuts are written as a pool of clusterings.
fn write_cuts<S>(path: &Path, cuts: &[Cut], data: &Data<S>) -> Result<(), Failure> {
    match cuts {
        [cut] => Ok(write_labels(path, &cut.partition, data.ids.as_deref())?),
        several => Ok(write_pool(path, &side_by_side(several, data)?)?),
    }
}

fn side_by_side<S>(cuts: &[Cut], data: &Data<S>) -> Result<Pool, Failure> {
    let labels: Vec<&[usize]> = cuts.iter().map(|cut| cut.partition.labels()).collect();
    let names = match cuts {
        [_] => vec!["label".to_string()],
        several => several.iter().map(|cut| format!("k{}", cut.k)).collect(),
    };
    let ensemble = Ensemble::from_columns(&labels)?;
    Ok(Pool { ids: data.ids.clone(), columns: Some(names), ..Pool::new(ensemble) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_larger_than_the_disk_is_refused_with_figures() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = OutputArgs {
            out: None,
            diagonal: None,
            similarity: Some(folder.path().join("C.npy")),
            linkage: None,
            membership: None,
            ranking: None,
            save_model: None,
            record: None,
            report: None,
            json: false,
        };
        assert!(outputs.check_room::<f64>(10).is_ok());
        let failure = outputs.check_room::<f64>(1 << 30).unwrap_err();
        assert!(matches!(failure, Failure::Disk { rows: 1_073_741_824, .. }), "{failure}");
        let text = failure.to_string();
        assert!(text.contains("take 9223.4 PB") && text.contains("f32 takes half"), "{text}");
    }
}
