//! Watching the iterations: `cargo run --example watch_convergence`.

use std::ops::ControlFlow;

use enclust::core::{Needs, Observer, Record, Report};
use enclust::prelude::*;
use enclust_testkit::generate::planted;

/// Prints a line an iteration and keeps the residuals.
#[derive(Default)]
struct Watch {
    residuals: Vec<f64>,
}

impl Observer for Watch {
    // The objective and the residual are computed because someone asks for them.
    fn needs(&self) -> Needs {
        Needs { changes: true, objective: true, residual: true }
    }

    fn on_start(&mut self, component: &str, size: usize) {
        println!("{component} on {size} groups");
        println!("  t  relative steps of each variable                       objective  KKT");
    }

    fn on_iteration(&mut self, record: &Record) -> ControlFlow<()> {
        let steps = record.changes.iter().map(|c| format!("{} {:<8.1e}", c.name, c.ratio()));
        let steps = steps.collect::<String>();
        let (objective, residual) =
            (record.objective.unwrap_or(f64::NAN), record.residual.unwrap_or(f64::NAN));
        println!("{:>3}  {steps} {objective:>9.4}  {residual:.1e}", record.iteration);
        self.residuals.push(residual);
        ControlFlow::Continue(())
    }

    fn on_end(&mut self, report: &Report) {
        println!("{} after {} iterations", report.status, report.iterations);
    }
}

fn main() -> Result<(), Error> {
    let ensemble = planted(80, 12, 4, 0.3, 1);
    let mut watch = Watch::default();
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average())?;
    let outcome = method.run(&ensemble, 4, &mut Ctx::default().with_observer(&mut watch))?;

    assert_eq!(outcome.report.status, Status::Converged);
    assert_eq!(watch.residuals.len(), outcome.report.iterations);
    let (first, last) = (watch.residuals[0], watch.residuals[watch.residuals.len() - 1]);
    assert!(last < first / 10.0, "the residual falls from {first} to {last}");
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
