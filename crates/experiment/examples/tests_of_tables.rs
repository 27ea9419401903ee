//! Reads tables of numbers as JSON, one per line, and prints the tests of each as JSON. It is used
//! to compare them with SciPy and scikit-posthocs (`xtask/python/tests_of_tables.py`).

use std::io::{self, BufRead};

use enclust_experiment::statistics::{friedman, nemenyi, wilcoxon};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in io::stdin().lock().lines() {
        let table: Vec<Vec<f64>> = serde_json::from_str(&line?)?;
        let differences: Vec<f64> = table.iter().map(|row| row[0] - row[1]).collect();
        let (pair, all) = (wilcoxon(&differences), friedman(&table));
        let tests = json!({
            "wilcoxon": [pair.statistic, pair.p],
            "friedman": [all.statistic, all.p],
            "nemenyi": nemenyi(&table),
        });
        println!("{tests}");
    }
    Ok(())
}
