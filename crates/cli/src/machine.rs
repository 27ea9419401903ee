//! Resources of a run: threads, memory, precision, backend.

use std::error::Error as _;

use clap::ValueEnum;
use enclust::core::{Backend, Ctx, Error, Part, Registry};
use enclust::registry::{DEFAULT_BACKEND, Precision};
use serde::Serialize;

use crate::amounts::Amount;
use crate::failure::Failure;
use crate::recipe::wrong;

/// Options that affect how a result is computed but not the result, except for rounding
/// differences between precisions and backends.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// Number of threads (0: all available); the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,

    /// Refuse a run that needs more memory than this, such as 4GB [default: the free memory of
    /// the machine]
    #[arg(long, value_name = "AMOUNT")]
    pub memory: Option<Amount>,

    /// Precision in which similarities are stored
    #[arg(long, value_enum, default_value_t = Width::F64)]
    pub precision: Width,

    /// Library for linear algebra; see `enclust list backend` [default: mixed, the fastest kernels
    /// of several]
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
}

/// A precision by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// Single precision: half the memory
    F32,
    /// Double precision
    F64,
}

impl MachineArgs {
    /// The name of the backend.
    pub fn backend_name(&self) -> &str {
        self.backend.as_deref().unwrap_or(DEFAULT_BACKEND)
    }

    /// The backend with this name.
    pub fn backend<S: Precision>(
        &self,
        registry: &Registry<S>,
    ) -> Result<Box<dyn Backend<S>>, Failure> {
        let part = Part::named(self.backend_name());
        registry.backend.build(&part).map_err(wrong)
    }

    /// The context of a run.
    pub fn context<'a, S: Precision>(&self, backend: &'a dyn Backend<S>, seed: u64) -> Ctx<'a, S> {
        let ctx = Ctx::new(backend).with_seed(seed).with_threads(self.threads.into());
        match self.memory {
            Some(Amount(bytes)) => ctx.with_memory(bytes),
            None => ctx,
        }
    }
}

/// Starts the threads that all parts share, so that a system that refuses threads is reported as
/// an error and not as a panic of the thread pool.
pub fn start_threads() -> Result<(), Failure> {
    match rayon::ThreadPoolBuilder::new().build_global() {
        // Without a source, the error means that they have been started before.
        Err(error) if error.source().is_some() => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let reason = format!("{error}; a limit on processes or memory may be too low");
            Err(Error::Threads { threads, reason }.into())
        }
        _ => Ok(()),
    }
}

/// Runs `work` with this number of threads; 0 means all available threads.
pub fn in_threads<T: Send>(threads: u16, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let threads = usize::from(threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
    Ok(pool.install(work))
}
