//! An observer of the iterations: `cargo run --example watch_convergence`.

use std::ops::ControlFlow;
use std::sync::Mutex;

use enclust::prelude::*;
use enclust_testkit::generate::planted;

/// Prints one line per iteration and stores the residuals.
#[derive(Default)]
struct Watching {
    residuals: Mutex<Vec<f64>>,
}

impl Observer for Watching {
    // The objective and the residual are computed because the observer requests them.
    fn needs(&self) -> Quantities {
        Quantities::CHANGES | Quantities::OBJECTIVE | Quantities::RESIDUAL
    }

    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Start { component, size, .. } => {
                println!("{component} on {size} groups");
                println!(
                    "  t  relative steps of each variable                       objective  KKT"
                );
            }
            Event::Iteration { record, .. } => self.iteration(record),
            Event::End(report) => {
                println!("{} after {} iterations", report.status, report.iterations);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Watching {
    fn iteration(&self, record: &Record) {
        let steps = record.changes.iter().map(|c| format!("{} {:<8.1e}", c.name, c.ratio()));
        let steps = steps.collect::<String>();
        let (objective, residual) =
            (record.objective.unwrap_or(f64::NAN), record.residual.unwrap_or(f64::NAN));
        println!("{:>3}  {steps} {objective:>9.4}  {residual:.1e}", record.iteration);
        self.residuals.lock().expect("no other thread panicked").push(residual);
    }
}

fn main() -> Result<(), Error> {
    let ensemble = planted(80, 12, 4, 0.3, 1);
    let watching = Watching::default();
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average())?;
    let outcome = method.run(&ensemble, 4, &Ctx::default().with_observer(&watching))?;

    assert_eq!(outcome.report.status, Status::Converged);
    let residuals = watching.residuals.lock().expect("no other thread panicked");
    assert_eq!(residuals.len(), outcome.report.iterations);
    let (first, last) = (residuals[0], residuals[residuals.len() - 1]);
    assert!(last < first / 10.0, "the residual falls from {first} to {last}");
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
