//! The compiled part of the Python package enclust.
//!
//! Everything here is called by the Python files in `python/enclust`, which check and document the
//! arguments. Computation runs without the lock of the interpreter, in threads of its own, and ends
//! when the user presses Ctrl-C.

mod arrays;
mod composition;
mod errors;
mod functions;
mod generate;
mod interrupt;
mod labels;
mod matrices;
mod parts;
mod reading;
mod report;
mod rows;
mod run;
mod stability;
mod study;
mod watch;

use pyo3::prelude::*;

/// The compiled part of enclust.
#[pymodule(gil_used = true)]
fn _enclust(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Cancelled", module.py().get_type::<errors::Cancelled>())?;
    module.add_class::<labels::Labels>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<run::NewRows>()?;
    module.add_class::<rows::LandmarkRows>()?;
    module.add_class::<generate::KMeansClusterings>()?;
    module.add_function(wrap_pyfunction!(run::fit, module)?)?;
    module.add_function(wrap_pyfunction!(run::choose_k, module)?)?;
    module.add_function(wrap_pyfunction!(report::report, module)?)?;
    module.add_function(wrap_pyfunction!(functions::co_association, module)?)?;
    module.add_function(wrap_pyfunction!(functions::high_confidence, module)?)?;
    module.add_function(wrap_pyfunction!(functions::enhance, module)?)?;
    module.add_function(wrap_pyfunction!(functions::linkage, module)?)?;
    module.add_function(wrap_pyfunction!(functions::scores, module)?)?;
    module.add_function(wrap_pyfunction!(functions::draws, module)?)?;
    module.add_function(wrap_pyfunction!(functions::list_parts, module)?)?;
    module.add_function(wrap_pyfunction!(functions::list_methods, module)?)?;
    module.add_function(wrap_pyfunction!(stability::stability, module)?)?;
    module.add_function(wrap_pyfunction!(generate::draw_run, module)?)?;
    module.add_function(wrap_pyfunction!(generate::fit_run, module)?)?;
    module.add_function(wrap_pyfunction!(generate::nearest_centres, module)?)?;
    module.add_function(wrap_pyfunction!(reading::read_pool, module)?)?;
    module.add_function(wrap_pyfunction!(rows::match_rows, module)?)?;
    module.add_function(wrap_pyfunction!(rows::row_hashes, module)?)?;
    module.add_function(wrap_pyfunction!(rows::landmarks, module)?)?;
    module.add_function(wrap_pyfunction!(study::study, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_cells, module)?)?;
    module.add_function(wrap_pyfunction!(study::merge_shards, module)?)?;
    Ok(())
}
