//! Compares EC-CMS with Python implementations and measures how its cost grows with the size:
//! the figures of `docs/performance.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Outcome, cargo, pools_folder, python, shown};

/// Pool, and the allowed ratio to the time of plain LWEA in NumPy.
const BARS: [(&str, f64); 7] = [
    ("SPF", 3.0),
    ("Caltech20", 3.0),
    ("FCT", 1.0),
    ("Texture", 1.0),
    ("LS", 1.0),
    ("ISOLET", 1.0),
    ("USPS", 2.0),
];

/// Number of points of the synthetic ensembles; n' is a little more than half of it.
const POINTS: [&str; 6] = ["700", "1600", "3400", "7000", "14000", "21000"];

/// Prints the tables with these names, or all tables, in the order of `docs/performance.md`.
/// Without the authors' pools, the tables that need them are skipped with a message.
pub fn tables(names: &[&str]) -> Outcome {
    const NAMES: [&str; 6] = ["admm", "lwea", "sweep", "growth", "million", "generate"];
    if let Some(unknown) = names.iter().find(|name| !NAMES.contains(name)) {
        return Err(format!("no table is called {unknown}; known: {}", NAMES.join(", ")));
    }
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    println!("machine: {}", machine());
    if NAMES[..3].iter().any(|name| wanted(name))
        && let Some(folder) = pools_folder()?
    {
        let python = environment()?;
        if wanted("admm") {
            admm_in_numpy(&folder, &python)?;
        }
        if wanted("lwea") {
            lwea_in_numpy(&folder, &python)?;
        }
        if wanted("sweep") {
            sweep(&folder)?;
        }
    }
    if wanted("growth") {
        growth()?;
    }
    if wanted("million") {
        a_million_samples()?;
    }
    if wanted("generate") { base_clusterings() } else { Ok(()) }
}

/// Processor, cores and memory, as reported by Linux.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.starts_with(name))?;
        Some(line.split(':').nth(1)?.trim().to_string())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = field(&read("/proc/cpuinfo"), "model name").unwrap_or("unknown".into());
    let memory = field(&read("/proc/meminfo"), "MemTotal").unwrap_or("unknown".into());
    format!("{processor}, {cores} cores, {memory}")
}

/// The whole pipeline, from input labels to output labels, and the paper's iteration at n × n.
fn admm_in_numpy(folder: &Path, python: &Path) -> Outcome {
    println!("\n| pool | n | n' | method | iterations | enclust, s | NumPy ADMM, s | ratio |");
    println!("|---|---|---|---|---|---|---|---|");
    for dataset in ["FCT", "LS"] {
        let admm = on_pool(folder, "ec-cms-admm", "1", dataset)?;
        let exact = on_pool(folder, "ec-cms", "5", dataset)?;
        let script = root().join("benches/peers/admm_numpy.py");
        let pool = folder.join(format!("{dataset}.mat"));
        let iterations = &admm.iterations;
        let printed = output(Command::new(python).arg(script).arg(pool).arg(iterations))?;
        let [_, _inverse, _iteration, numpy] = words(printed.trim())?;
        for (name, ours) in [("ec-cms", &exact), ("ec-cms-admm", &admm)] {
            let ratio = number(&numpy)? / number(&ours.whole)?;
            println!(
                "| {dataset} | {} | {} | {name} | {} | {} | {numpy} | {ratio:.0} × |",
                ours.n, ours.groups, ours.iterations, ours.whole
            );
        }
    }
    println!(
        "\nNumPy: the inverse and five iterations are timed and extrapolated to the iterations of ec-cms-admm."
    );
    Ok(())
}

fn lwea_in_numpy(folder: &Path, python: &Path) -> Outcome {
    println!(
        "\n| pool | n | n' | iterations | EC-CMS, s | NumPy LWEA, s | EC-CMS / LWEA | bar | peak, MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (dataset, bar) in BARS {
        let ours = on_pool(folder, "ec-cms", "3", dataset)?;
        let script = root().join("benches/peers/lwea_numpy.py");
        let pool = folder.join(format!("{dataset}.mat"));
        let printed = output(Command::new(python).arg(script).arg(pool).arg(&ours.k))?;
        let [_, numpy] = words(printed.trim())?;
        let ratio = number(&ours.whole)? / number(&numpy)?;
        let verdict = if ratio <= bar { "met" } else { "missed" };
        println!(
            "| {dataset} | {} | {} | {} | {} | {numpy} | {ratio:.2} | ≤ {bar} {verdict} | {} |",
            ours.n, ours.groups, ours.iterations, ours.whole, ours.peak
        );
    }
    Ok(())
}

fn sweep(folder: &Path) -> Outcome {
    println!(
        "\n| pool | 20 λ from scratch, s | iterations | along the path, s | iterations | share | worst certificate |"
    );
    println!("|---|---|---|---|---|---|---|");
    let bench = cargo(&["bench", "-q", "-p", "enclust", "--bench", "sweep", "--"])
        .args(["20", "FCT", "LS"])
        .env("ENCLUST_POOLS", folder)
        .output();
    let printed = checked(bench, "the sweep")?;
    for line in printed.lines() {
        let [dataset, cold, cold_iterations, _, warm, warm_iterations, worst] = words(line)?;
        let share = number(&warm)? / number(&cold)?;
        println!(
            "| {dataset} | {cold} | {cold_iterations} | {warm} | {warm_iterations} | {share:.2} | {worst} |"
        );
    }
    Ok(())
}

/// Time and memory against n', with the exponents fitted to the larger half.
fn growth() -> Outcome {
    println!(
        "\n| points | n' | entries of H per row | iterations | enhance, s | whole, s | peak, MB |"
    );
    println!("|---|---|---|---|---|---|---|");
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for size in POINTS {
        let line = synthetic(size, size)?;
        let [_, groups, links, iterations, _, _, _, enhance, _, whole, peak] = words(&line)?;
        println!("| {size} | {groups} | {links} | {iterations} | {enhance} | {whole} | {peak} |");
        times.push((number(&groups)?.ln(), number(&whole)?.ln()));
        memory.push((number(&groups)?.ln(), number(&peak)?.ln()));
    }
    let half = POINTS.len() / 2;
    println!(
        "\nFitted for points ≥ {}: time grows as n'^{:.2}, memory as n'^{:.2}.",
        POINTS[half],
        slope(&times[half..]),
        slope(&memory[half..])
    );
    Ok(())
}

fn a_million_samples() -> Outcome {
    println!("\n| n | n' | microclusters, s | n' part, s | whole, s | peak, MB |");
    println!("|---|---|---|---|---|---|");
    for samples in ["250000", "1000000"] {
        let line = synthetic("14000", samples)?;
        let [_, groups, _, _, micro, represent, confidence, enhance, consensus, whole, peak] =
            words(&line)?;
        let parts = [&represent, &confidence, &enhance, &consensus];
        let rest: f64 = parts.into_iter().map(|p| number(p)).sum::<Outcome<f64>>()?;
        println!("| {samples} | {groups} | {micro} | {rest:.2} | {whole} | {peak} |");
    }
    Ok(())
}

/// 100 base clusterings of 20,000 samples, compared with scikit-learn. The two programs
/// alternate, so that other load on the machine affects both.
fn base_clusterings() -> Outcome {
    const TURNS: usize = 3;
    let python = environment()?;
    println!(
        "\n| features | enclust, s | scikit-learn's threads, s | its processes, s | ratio to the faster | mean inertia | scikit-learn's | ours / theirs, by clustering |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for kind in ["apart", "overlapping", "uniform"] {
        let mut best = [f64::INFINITY; 3];
        let mut quality = String::new();
        for _ in 0..TURNS {
            let (seconds, found) = beside_scikit_learn(kind, &python)?;
            best = std::array::from_fn(|i| best[i].min(seconds[i]));
            quality = found;
        }
        let [ours, threads, processes] = best;
        let ratio = threads.min(processes) / ours;
        println!(
            "| {kind} | {ours:.2} | {threads:.2} | {processes:.2} | {ratio:.1} × | {quality} |"
        );
    }
    Ok(())
}

/// Seconds of enclust and of two ways to use scikit-learn, and the quality of the clusterings.
fn beside_scikit_learn(kind: &str, python: &Path) -> Outcome<([f64; 3], String)> {
    let folder = root().join("target/generate");
    let bench = cargo(&["bench", "-q", "-p", "enclust", "--bench", "generate", "--"])
        .args([kind, "20000", "16", "100"])
        .arg(&folder)
        .output();
    let [ours, inertia] = words(checked(bench, "generate")?.trim())?;
    let script = root().join("benches/peers/kmeans_sklearn.py");
    let printed = output(Command::new(python).arg(script).arg(&folder).arg("16"))?;
    let [threads, processes, peer_inertia, share, error] = words(printed.trim())?;
    let seconds = [number(&ours)?, number(&threads)?, number(&processes)?];
    Ok((seconds, format!("{inertia} | {peer_inertia} | {share} ± {error}")))
}

/// Slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x).powi(2))
}

/// One line of the benchmark `on_pools`, which runs in a separate process to measure the peak
/// memory.
struct OnPool {
    n: String,
    groups: String,
    k: String,
    iterations: String,
    whole: String,
    peak: String,
}

fn on_pool(folder: &Path, method: &str, repetitions: &str, dataset: &str) -> Outcome<OnPool> {
    let bench = cargo(&["bench", "-q", "-p", "enclust", "--bench", "on_pools", "--"])
        .args([method, repetitions, dataset])
        .env("ENCLUST_POOLS", folder)
        .output();
    let printed = checked(bench, "on_pools")?;
    let [_, n, groups, k, iterations, _, whole, peak] = words(printed.trim())?;
    Ok(OnPool { n, groups, k, iterations, whole, peak })
}

fn synthetic(points: &str, samples: &str) -> Outcome<String> {
    let bench = cargo(&["bench", "-q", "-p", "enclust", "--bench", "synthetic", "--"])
        .args([points, samples, "1"])
        .output();
    Ok(checked(bench, "synthetic")?.trim().to_string())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Python with NumPy, SciPy, fastcluster and scikit-learn.
fn environment() -> Outcome<PathBuf> {
    python::environment(&["numpy", "scipy", "fastcluster", "scikit-learn"])
}

fn output(command: &mut Command) -> Outcome<String> {
    checked(command.output(), &shown(command))
}

fn checked(done: std::io::Result<std::process::Output>, what: &str) -> Outcome<String> {
    let done = done.map_err(|e| format!("cannot start {what}: {e}"))?;
    if !done.status.success() {
        return Err(format!("{what} failed: {}", String::from_utf8_lossy(&done.stderr)));
    }
    String::from_utf8(done.stdout).map_err(|e| e.to_string())
}

fn words<const N: usize>(line: &str) -> Outcome<[String; N]> {
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    words.try_into().map_err(|_| format!("cannot read \"{line}\""))
}

fn number(word: &str) -> Outcome<f64> {
    word.parse().map_err(|_| format!("\"{word}\" is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_power_law_is_its_exponent() {
        let points: Vec<(f64, f64)> =
            [1.0, 2.0, 5.0, 9.0].map(|x: f64| (x.ln(), (3.0 * x.powf(2.5)).ln())).to_vec();
        assert!((slope(&points) - 2.5).abs() < 1e-12);
    }

    #[test]
    fn a_line_with_another_number_of_words_is_refused() {
        assert!(words::<2>("a b c").is_err());
        assert_eq!(words::<2>(" a  b ").unwrap(), ["a", "b"]);
    }
}
