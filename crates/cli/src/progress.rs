//! Progress on a terminal.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use enclust::core::{Event, Observer, Record, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Console;
use crate::forecast::{Forecast, measure};

/// A bar is shown only after this time, because short work is finished before it can be read.
const PATIENCE: Duration = Duration::from_millis(700);
const TICK: Duration = Duration::from_millis(120);

/// A progress bar with the remaining time. It is drawn only on a terminal and only if the work
/// takes a while, and disappears when it is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Dropped together with the bar, which ends the thread that waits to show the bar.
    _alive: Option<Sender<()>>,
}

impl Progress {
    /// A bar for work of unknown length.
    pub fn new(console: &Console, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style("{spinner} {msg}, {elapsed}"));
        bar.set_message(what);
        let alive = console.draws().then(|| show_later(&bar));
        Progress { bar, _alive: alive }
    }

    /// Starts a new step and shows its name.
    pub fn begin(&self, what: &'static str) {
        self.bar.unset_length();
        self.bar.set_style(style("{spinner} {msg}, {elapsed}"));
        self.bar.set_message(what);
        self.bar.reset();
    }

    /// Shows that `done` of `total` is finished.
    pub fn advance(&self, done: u64, total: u64) {
        let first = self.bar.length().is_none();
        if first {
            self.bar.set_style(style(
                "{spinner} {msg} [{bar:30}] {percent}%, {elapsed}, about {eta} left",
            ));
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
        if first {
            // What was done before, as by a study that goes on, must not affect the estimate of
            // the remaining time.
            self.bar.reset_eta();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are constants in this file; an error in one only changes the appearance.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Shows the bar after a delay, unless the sender is dropped before.
fn show_later(bar: &ProgressBar) -> Sender<()> {
    let (alive, done): (Sender<()>, Receiver<()>) = channel();
    let bar = bar.clone();
    // Without a thread there is no bar.
    let _ = std::thread::Builder::new().spawn(move || {
        if done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    });
    alive
}

/// Observes a pipeline: stages, iterations and the remaining time.
#[derive(Debug)]
pub struct Watching<'a> {
    console: &'a Console,
    progress: Progress,
    forecast: Mutex<Forecast>,
}

impl<'a> Watching<'a> {
    /// For a run.
    pub fn new(console: &'a Console) -> Self {
        let progress = Progress::new(console, "reading");
        Watching { console, progress, forecast: Mutex::default() }
    }

    fn iteration(&self, record: &Record) {
        let Record { iteration, elapsed, .. } = record;
        if self.console.tells_iterations() {
            let left = measure(record).map_or(String::new(), |x| format!(", {x:.3e} left"));
            self.console.detail(2, format!("iteration {iteration}, {elapsed:.2?}{left}"));
        }
        let last = self.forecast.lock().unwrap_or_else(PoisonError::into_inner).last(record);
        if let Some(last) = last {
            self.progress.advance(*iteration as u64, last);
        }
    }
}

impl Observer for Watching<'_> {
    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Stage(stage) => self.progress.begin(doing(*stage)),
            Event::Start { target, limit, .. } => {
                let forecast = Forecast::new(*target, *limit);
                *self.forecast.lock().unwrap_or_else(PoisonError::into_inner) = forecast;
            }
            Event::Iteration { record, .. } => self.iteration(record),
            event => self.progress.notice(event)?,
        }
        ControlFlow::Continue(())
    }
}

/// The bar follows the progress of the observed loop.
impl Observer for Progress {
    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Progress { done, total } => self.advance(*done, *total),
            Event::Done(what) => self.bar.set_message(what.to_string()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// A description of what a stage does.
fn doing(stage: Stage) -> &'static str {
    match stage {
        Stage::Microclusters => "merging equal rows of labels",
        Stage::Reduce => "reducing the label rows",
        Stage::Ca => "building the representation",
        Stage::Confidence => "choosing confident pairs",
        Stage::Enhance => "enhancing",
        Stage::Consensus => "finding the consensus",
        other => other.noun(),
    }
}
