//! The tables by name, and the conversion of results into rows.

use super::members;
use super::published::published;
use super::row::Row;
use crate::Summary;
use crate::error::StudyError;
use crate::study::{Cell, Metric, Plan, Results};

/// A table or figure of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperTable {
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    pub(super) study: &'static str,
    pub(super) published: &'static str,
}

macro_rules! tables {
    ($($name:literal, $about:literal, $published:expr;)*) => {
        &[$( PaperTable {
            name: $name,
            about: $about,
            study: include_str!(concat!("../../studies/", $name, ".toml")),
            published: $published,
        }, )*]
    };
}

macro_rules! figures_of {
    ($name:literal) => {
        include_str!(concat!("../../studies/published/", $name, ".csv"))
    };
}

const TABLES: &[PaperTable] = tables! {
    "ari", "ARI of all methods on the eight smaller pools", figures_of!("ari");
    "large-scale", "ARI, NMI and F of all methods on ISOLET and USPS", figures_of!("large-scale");
    "eac", "EAC and its enhancement", figures_of!("eac");
    "pta", "PTA-AL and its enhancement", figures_of!("pta");
    "ablation", "EC-CMS without its Laplacian term, without fixed entries", figures_of!("ablation");
    "time", "seconds a run", figures_of!("time");
    "admm-parameters", "EC-CMS on UMIST with other penalties γ₁ and γ₂", figures_of!("admm-parameters");
    "alpha", "ARI against the threshold α (a figure)", "";
    "lambda", "ARI against λ (a figure)", "";
    "size", "ARI against the number of base clusterings (a figure)", "";
    "cross-product", "every similarity with and without enhancement (not in the paper)", "";
    "survey", "mean ARI of the methods of a survey of 2026 on its own draws (not in the paper)", "";
    "pr-curve", "precision and recall of co-association values (a figure)", "";
};

impl PaperTable {
    /// All tables.
    pub const ALL: &'static [PaperTable] = TABLES;

    /// The table with this name.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] with the known names.
    pub fn named(name: &str) -> Result<&'static PaperTable, StudyError> {
        Self::ALL.iter().find(|table| table.name == name).ok_or_else(|| StudyError::Unknown {
            what: "table",
            name: name.to_string(),
            known: Self::ALL.iter().map(|table| table.name.to_string()).collect(),
        })
    }

    /// The rows of the table, ordered by method, data set and metric, each with the published
    /// value. `members` are the requested rows about base clusterings.
    ///
    /// # Errors
    /// Returns an error if the results are incomplete, or if the pools have no truth to score
    /// their clusterings.
    pub fn compare(
        &self,
        plan: &Plan,
        results: &Results,
        members: &[String],
    ) -> Result<Vec<Row>, StudyError> {
        let mut rows = members::rows(plan, members)?;
        let protocol = &results.protocol;
        for (variant, record) in protocol.variants.iter().enumerate() {
            for (pool, of_pool) in protocol.pools.iter().enumerate() {
                for (ensemble, rule) in protocol.ensembles.iter().enumerate() {
                    let method = match protocol.ensembles.len() {
                        1 => record.name.clone(),
                        _ => format!("{} size={}", record.name, rule.size(of_pool)),
                    };
                    for (metric, values) in self.values(results, pool, ensemble, variant)? {
                        let Summary { mean, std, .. } = summary(&values, results)?;
                        let dataset = of_pool.name.clone();
                        rows.push(Row::new(method.clone(), dataset, metric, mean, Some(std)));
                    }
                }
            }
        }
        let published = published(self)?;
        for row in &mut rows {
            row.table = self.name.to_string();
            row.fill_in(&published);
        }
        Ok(rows)
    }

    /// Each metric of the table with its values in all runs.
    fn values(
        &self,
        results: &Results,
        pool: usize,
        ensemble: usize,
        variant: usize,
    ) -> Result<Vec<(String, Vec<f64>)>, StudyError> {
        if self.name == "time" {
            let seconds = seconds(results, pool, ensemble, variant);
            return Ok(vec![("seconds".into(), seconds)]);
        }
        let mut all = Vec::new();
        for (at, figure) in results.protocol.figures(pool)?.iter().enumerate() {
            let of = |variant| results.values(pool, ensemble, variant, at).unwrap_or_default();
            // The paper reports the change of the norm relative to the default, which is the
            // first variant.
            all.push(match figure.metric {
                Metric::Norm => ("norm_change".to_string(), change(&of(variant), &of(0))),
                metric => (metric.to_string(), of(variant)),
            });
        }
        Ok(all)
    }
}

/// Total seconds of every finished run.
fn seconds(results: &Results, pool: usize, ensemble: usize, variant: usize) -> Vec<f64> {
    let protocol = &results.protocol;
    let number = |run| protocol.number(Cell { pool, ensemble, run, variant });
    let runs = (0..protocol.runs).filter_map(|run| results.finished.get(&number(run)));
    runs.map(|result| result.total_seconds()).collect()
}

/// |x − reference| / reference for each run.
fn change(values: &[f64], reference: &[f64]) -> Vec<f64> {
    values.iter().zip(reference).map(|(x, r)| (x - r).abs() / r).collect()
}

fn summary(values: &[f64], results: &Results) -> Result<Summary, StudyError> {
    Summary::of(values).map_err(|_| StudyError::Incomplete {
        missing: results.protocol.cells() - results.finished.len(),
        cells: results.protocol.cells(),
        first: "unknown".into(),
    })
}

#[cfg(test)]
mod tests {
    use enclust::registry::standard;

    use super::*;
    use crate::study::Study;

    #[test]
    fn every_study_is_one() {
        for table in PaperTable::ALL {
            let study = Study::parse(table.study, table.name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(study.name, table.name);
            assert!(study.runs >= 1);
        }
        assert!(PaperTable::named("nmi").unwrap_err().to_string().contains("large-scale"));
    }

    #[test]
    fn the_cross_product_pairs_every_similarity_with_its_enhancement() {
        let study = Study::parse(PaperTable::named("cross-product").unwrap().study, "s").unwrap();
        let pairs: Vec<(String, String)> = study
            .variants
            .iter()
            .filter_map(|v| Some((v.get_ref().label(), v.get_ref().against.clone()?)))
            .collect();
        assert_eq!((pairs.len(), study.variants.len()), (8, 16));
        assert!(pairs.iter().all(|(enhanced, plain)| *enhanced == format!("{plain}-enhanced")));
        // Parts that this version does not have are omitted in pairs.
        let missing = study.unavailable(&standard());
        assert_eq!(missing.len() % 2, 0);
        for (enhanced, plain) in &pairs {
            assert_eq!(missing.contains(enhanced), missing.contains(plain), "{plain}");
        }
        for similarity in ["eac", "lwca", "pts", "eca"] {
            assert!(!missing.iter().any(|name| name == similarity));
        }
    }

    #[test]
    fn enhanced_rows_are_compared_at_default_parameters_too() {
        for (name, plain) in [("eac", "eac"), ("pta", "pta-al")] {
            let table = PaperTable::named(name).unwrap();
            let published = published(table).unwrap();
            let of = |method: String| {
                let rows = published.iter().filter(move |p| p.method == method);
                rows.map(|p| (&p.dataset, &p.metric, p.mean)).collect::<Vec<_>>()
            };
            for solver in ["-admm", ""] {
                let tuned = of(format!("{plain}-enhanced{solver}"));
                assert_eq!(tuned.len(), 24);
                assert_eq!(of(format!("{plain}-enhanced{solver}-default")), tuned);
            }
            let study = Study::parse(table.study, name).unwrap();
            let against = |r: &&toml::Spanned<crate::study::Recipe>| r.get_ref().against.is_some();
            assert_eq!(study.variants.iter().filter(against).count(), 4);
        }
    }

    #[test]
    fn changes_are_relative() {
        assert_eq!(change(&[2.0, 3.0], &[4.0, 3.0]), [0.5, 0.0]);
    }
}
