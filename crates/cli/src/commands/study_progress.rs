//! How far a study is.

use enclust_experiment::study::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Console;

/// A bar over the runs of a study, with the time left; only on a terminal.
#[derive(Debug)]
pub struct StudyBar {
    bar: ProgressBar,
}

impl StudyBar {
    /// A bar that is drawn if the console draws.
    pub fn new(console: &Console) -> Self {
        let bar = ProgressBar::with_draw_target(
            None,
            match console.draws() {
                true => ProgressDrawTarget::stderr(),
                false => ProgressDrawTarget::hidden(),
            },
        );
        let style = "{bar:30} {pos}/{len} runs, {elapsed} gone, {eta} left: {wide_msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        StudyBar { bar }
    }

    /// Takes it off the screen.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for StudyBar {
    fn begin(&self, cells: usize, finished: usize) {
        self.bar.set_length(cells as u64);
        self.bar.set_position(finished as u64);
        // What was finished before says nothing about the time left.
        self.bar.reset_eta();
        self.bar.tick();
    }

    fn finished(&self, cell: &str) {
        self.bar.set_message(cell.to_string());
        self.bar.inc(1);
    }
}
