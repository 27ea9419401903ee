//! The laws of [`Reduce`].

use enclust_core::{Bytes, Ensemble, Microclusters, Reduce, Reduced, RunSize, Shape};

use crate::generate::{degenerate, planted, planted_with_missing};
use crate::law::{Subject, THREADS, with_threads};

/// Checks all laws for a reduction, also for ensembles with only one row.
///
/// - The number of rows that are left is less than n', and a run of that number is not reduced.
/// - At most this many rows are left, and at least one.
/// - The sizes add up to the number of samples, and samples with equal rows stay together.
/// - Reducing to n' rows or more changes nothing.
/// - The report counts the rows before and after.
/// - Results are equal in repeated calls and for any number of threads.
/// - The footprint stated for the shape covers the result.
/// - Missing labels are supported or give [`Error::Unsupported`](enclust_core::Error::Unsupported).
///
/// ```
/// enclust_testkit::reduce::conformance(&enclust_core::NoReduction);
/// ```
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(reduce: &dyn Reduce<f64>) {
    let subject = Subject::new("reduction", reduce.name());
    sizes(&subject, reduce);
    for (name, ensemble) in ensembles() {
        let trial = Trial { subject: &subject, reduce, case: name };
        trial.run(&ensemble);
    }
}

fn sizes(subject: &Subject, reduce: &dyn Reduce<f64>) {
    for groups in [1, 2, 10, 1000, 20_000, 20_001, 1_000_000, 50_000_000] {
        for all_pairs in [false, true] {
            let Some(left) = reduce.rows(RunSize::new(groups, all_pairs)) else { continue };
            let case = format!("{left} of {groups} rows");
            subject.law("fewer rows are left", (1..groups).contains(&left), &case);
            let again = reduce.rows(RunSize::new(left, all_pairs));
            subject.law("a reduced run is not reduced again", again.is_none(), case);
        }
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(120, 10, 4, 0.15, 10)));
    out.push(("many equal rows", planted(200, 4, 3, 0.1, 14)));
    out.push(("noise", planted(60, 6, 3, 1.0, 11)));
    out.push(("missing labels", planted_with_missing(60, 6, 3, 0.2, 0.2, 12)));
    out.push(("rows without any label", planted_with_missing(60, 2, 3, 0.2, 0.6, 13)));
    out
}

struct Trial<'a> {
    subject: &'a Subject,
    reduce: &'a dyn Reduce<f64>,
    case: &'static str,
}

impl Trial<'_> {
    fn run(&self, ensemble: &Ensemble) {
        let rows = Microclusters::of(ensemble);
        let n = rows.len();
        for left in [1, 2, n / 4, n / 2, n - n / 8].into_iter().filter(|&left| left >= 1) {
            let Some(reduced) = self.reduced(&rows, left, 1) else { return };
            self.follows(&rows, &reduced, left);
            for threads in THREADS {
                let same = self.reduced(&rows, left, threads).as_ref() == Some(&reduced);
                self.law("the number of threads changes nothing", same, threads);
            }
            let labels = reduced.microclusters.len() * rows.clusterings();
            let made = Bytes((4 * (rows.grouping().samples() + labels)) as u64);
            let stated = self.reduce.footprint(&Shape::of::<f64>(&rows), left);
            let is_identity = reduced.microclusters == rows;
            let stated_enough = is_identity || stated.result >= made;
            self.law("the footprint covers the result", stated_enough, made);
        }
        for left in [n, n + 1] {
            let same = self.reduced(&rows, left, 1).is_none_or(|r| r.microclusters == rows);
            self.law("reducing to n' rows or more changes nothing", same, left);
        }
    }

    fn follows(&self, rows: &Microclusters, reduced: &Reduced, left: usize) {
        let (before, after) = (rows.grouping(), reduced.microclusters.grouping());
        let is_identity = reduced.microclusters == *rows;
        let count = is_identity || (1..=left).contains(&after.len());
        self.law("at most the given number of rows is left", count, after.len());
        let total: usize = after.sizes().iter().sum();
        let adds_up = total == before.samples() && after.samples() == before.samples();
        self.law("the sizes add up to the number of samples", adds_up, total);
        let together = (0..before.samples()).all(|i| {
            let first = before.first_members()[before.map()[i] as usize];
            after.map()[i] == after.map()[first]
        });
        self.law("samples with equal rows stay together", together, "");
        let report = (reduced.report.from, reduced.report.to);
        let fits = report == (before.len(), after.len());
        self.law("the report counts the rows before and after", fits, format!("{report:?}"));
        let share = (0.0..=1.0).contains(&reduced.report.labels_changed);
        self.law("the share of changed labels is a share", share, reduced.report.labels_changed);
    }

    fn reduced(&self, rows: &Microclusters, left: usize, threads: usize) -> Option<Reduced> {
        let answer = with_threads(threads, |ctx| self.reduce.reduce(rows, left, ctx));
        self.subject.supported(rows.has_missing(), answer, self.case)
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}
