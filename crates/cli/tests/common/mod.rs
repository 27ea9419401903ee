//! A folder with small files in which the command is run.

#![allow(dead_code)] // Not every test uses every helper.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Fails unless it succeeded.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Fails unless it ended with this code and a message of at most two lines that contains
    /// all of these words.
    #[track_caller]
    pub fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
        assert!(self.stderr.lines().count() <= 2, "{self:?}");
        words.iter().for_each(|word| assert!(self.stderr.contains(word), "{word}: {self:?}"));
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

/// A temporary folder, removed when dropped.
pub struct Folder(TempDir);

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with `pool.csv` (60 samples in three groups, 12 clusterings, one label in
    /// twenty wrong) and `truth.csv`.
    pub fn with_pool() -> Self {
        let folder = Folder::new();
        folder.write("pool.csv", &pool(60, 12, 20));
        let truth: String = (0..60).map(|i| format!("s{i},{}\n", ["x", "y", "z"][i % 3])).collect();
        folder.write("truth.csv", &format!("id,class\n{truth}"));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command, ready to start in the folder.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enclust"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("RUST_BACKTRACE", "1").env_remove("ENCLUST_POOLS");
        command
    }

    /// Runs a command line, words separated by spaces.
    #[track_caller]
    pub fn run(&self, line: &str) -> Outcome {
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = self.command(&words).output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A pool of three groups as text. One of `wrong` labels is wrong; 1 gives only noise.
pub fn pool(samples: usize, clusterings: usize, wrong: u64) -> String {
    let mut random = Random(7);
    let head: Vec<String> = (1..=clusterings).map(|k| format!("c{k}")).collect();
    let mut text = format!("id,{}\n", head.join(","));
    for i in 0..samples {
        let label = |_| match random.below(wrong) {
            0 => random.below(3).to_string(),
            _ => (i % 3).to_string(),
        };
        let labels: Vec<String> = (0..clusterings).map(label).collect();
        text.push_str(&format!("s{i},{}\n", labels.join(",")));
    }
    text
}

/// Pseudo-random numbers that are the same on all platforms (Knuth's MMIX generator).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The last column of a table with a header.
pub fn last_column(csv: &str) -> Vec<&str> {
    csv.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect()
}

impl Outcome {
    /// Fails unless the parser rejected the command line.
    #[track_caller]
    pub fn failed_usage(self) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.stdout.is_empty() && self.stderr.contains("error:"), "{self:?}");
        self
    }
}
