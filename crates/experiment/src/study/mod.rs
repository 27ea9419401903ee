//! Studies described by a file.
//!
//! A study is a TOML file with pools, the way ensembles are drawn, a base pipeline, its
//! variants and metrics:
//!
//! ```toml
//! pools = [
//!     "Ecoli",                         # from the file's folder, or a folder of pools
//!     { file = "data/mine.csv", truth = "classes.csv", noise = "missing", columns = [1, 4, "ward"] },
//! ]
//! runs = 20                            # ensembles drawn from each pool; 1 if left out
//! k = "true"                           # as many clusters as classes; or 8; or [4, 8]
//! metrics = ["ari", "nmi", "f1"]       # these if left out; see `Metric`
//! thresholds = [0.5, 0.8]              # precision, recall, share of similarities >= these
//! tuned_by = "ari"                     # what grids are tuned by; see below
//! seed = 0                             # of methods that draw lots
//! shuffle = false                      # true: each run sees the samples in another order
//! one_at_a_time = false                # true: each run gets all threads, for its time
//!
//! [draws]                              # the whole pool if left out
//! size = 20                            # as the EC-CMS paper draws them; or [10, 20, 40]
//! seed = 1
//! # columns = [1, 4, 9]                # or these clusterings, counted from 1
//!
//! [base]
//! method = "ec-cms"                    # or parts: ca, confidence, enhance, stop, consensus
//! set = { enhance.lambda = 0.4, confidence.alpha = 0.8 }
//! per_pool.Ecoli = { confidence.alpha = 0.75 }
//!
//! [[variant]]                          # the base with one part swapped
//! enhance = "admm"
//!
//! [[variant]]                          # every combination of a grid is a variant
//! name = "grid"
//! grid = { enhance.lambda = [0.01, 0.1, 1], confidence.alpha = [0.7, 0.8] }
//!
//! [[variant]]                          # a grid over parts: what does not fit is left out and said
//! name = "ablation"
//! grid = { ca = ["eac", "lwca"], backend = ["faer", "nalgebra"], precision = ["f32", "f64"] }
//!
//! [[variant]]                          # another method; nothing of the base is left
//! method = "lwea"
//! grid = "published"                   # the values its authors tried
//! against = "ec-cms"                   # say where it is not above that recipe
//! ```
//!
//! A part that replaces another one keeps the values of the parameters that both have. The base
//! itself is also run, under the name of its method.
//!
//! With `tuned_by`, each recipe with a grid is also summarised in three [modes](Mode):
//! `default`, the recipe without its grid (run in addition if it is not a variant already);
//! `best single`, the point with the best mean on a pool; `best per ensemble`, the best point
//! of each run. Both best modes select using the truth, unless the metric is `agreement`: they
//! are optimistic and cannot be obtained without the truth.
//!
//! A grid may be `"published"`, as a whole or for one parameter. It then consists of the values
//! that the authors tried, as declared with [`parameters!`](enclust_core::parameters).
//!
//! [`Study::plan`] reads the pools, builds all pipelines and returns a [`Plan`]; all errors in
//! the file are reported here. [`Plan::run_in`] runs the plan in a folder:
//! | file | content |
//! |---|---|
//! | `runs.csv` | `pool,size,run,variant,k,metric,value`, one row per run and metric |
//! | `summary.csv` | mean, sample standard deviation, rank and average rank |
//! | `comparisons.csv` | for every pair of variants: wins, ties, losses, mean difference, p-values |
//! | `tuned.csv` | mean, standard deviation and selected values of each mode, if the study is tuned |
//! | `timings.csv` | seconds of each stage of each run |
//! | `record.json` | versions, the resolved study, draws, hashes, threads |
//! | `journal` | the finished runs, for resuming |
//!
//! `runs.csv`, `summary.csv`, `comparisons.csv` and `tuned.csv` are identical byte for byte for any number of
//! threads, whether or not the process was killed and restarted, and whether or not the study
//! was split into [shards](Shard) and merged by [`merge`].
//!
//! ```no_run
//! use std::path::Path;
//! use enclust_experiment::study::{Registries, RunOptions, Study};
//!
//! let plan = Study::read("mine.toml")?.plan(&Registries::standard(), &["pools".into()])?;
//! let results = plan.run_in(Path::new("mine"), &RunOptions::default())?;
//! for row in results.summary()? {
//!     println!("{} {} {}: {:.3} ± {:.3}", row.pool, row.variant, row.metric, row.mean, row.std);
//! }
//! # Ok::<(), enclust_experiment::StudyError>(())
//! ```

mod cell;
mod cluster_counts;
mod comparison;
mod composed;
mod engine;
mod file;
mod folder;
mod journal;
mod memory_gate;
mod metric;
mod pair_curve;
mod plan;
mod pools;
mod protocol;
mod recipe;
mod results;
mod shard;
mod shortfall;
mod tuning;
mod variants;

pub use cell::CellResult;
pub use cluster_counts::OtherCount;
pub use comparison::{Comparison, Pair, Unit};
pub use composed::Registries;
pub use file::{
    Clusters, Draws, Grid, GridStage, GridValues, OneOrMany, PublishedWord, Recipe, Settings,
    Study, TrueWord,
};
pub use folder::{RunOptions, merge};
pub use journal::Finished;
pub use metric::Metric;
pub use pair_curve::{PairCounts, PairFigure, pair_curve};
pub use plan::{Plan, Refused};
pub use pools::{Column, PoolEntry};
pub use protocol::{
    Cell, EnsembleRule, Figure, PipelineRecord, PoolRecord, Protocol, VariantRecord,
};
pub(crate) use results::csv;
pub use results::{Results, RunRow, SummaryRow, TimingRow};
pub use shard::Shard;
pub use shortfall::{Shortfall, ShortfallFigure};
pub use tuning::{Mode, TunedRecipe, TunedRow, Tuning};
pub use variants::PoolSettings;
