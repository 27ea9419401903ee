"""The Python package against the command, and against what people use.

    cargo xtask python-peers [binding] [peers]

`binding` fits the paper's first draws from LS with the package and with the command, each in a process
of its own, and prints the time from labels to labels and the peak memory. `peers` compares time and
ARI on the digits of scikit-learn and on 5,000 samples from ten overlapping normal components.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

METHODS = ("lwea", "ec-cms")
ROUNDS = 7


def peak():
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def fit_once(method, run):
    """Fits one draw several times in this process: the best time, and the memory of the first fit."""
    import enclust

    pool = enclust.read_pool(Path(os.environ["ENCLUST_POOLS"], "LS.mat"))
    labels = pool.labels[:, enclust.draws(pool.labels.shape[1], 20, run)[run - 1]]
    k = len(np.unique(pool.truth))
    before = peak()
    seconds, peaks = [], []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        enclust.LabelConsensus(k, method=method).fit(labels)
        seconds.append(time.perf_counter() - began)
        peaks.append(peak())
    print(json.dumps({"seconds": min(seconds), "before": before, "peak": peaks[0], "last": peaks[-1]}))


def in_python(method, run):
    words = [sys.executable, __file__, "fit", method, str(run)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def by_command(method, run):
    """The same by the command: the sum of its stages after reading, the best of several runs."""
    path = Path(os.environ["ENCLUST_POOLS"], "LS.mat")
    best, memory = np.inf, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            record = Path(folder, "record.json")
            record.unlink(missing_ok=True)
            words = [os.environ["ENCLUST_COMMAND"], "cluster", path, "--method", method]
            words += ["--run", str(run), "--k", "6", "--record", record, "--out", Path(folder, "l.csv")]
            timed = ["/usr/bin/env", "python3", "-c", MEASURED, *map(str, words)]
            done = subprocess.run(timed, check=True, capture_output=True, text=True)
            memory = max(memory, int(done.stdout.split()[-1]))
            timings = json.loads(record.read_text())["timings"]
            best = min(best, sum(t["seconds"] for t in timings if t["stage"] != "read"))
            Path(folder, "l.csv").unlink()
    return {"seconds": best, "peak": memory}


#: Runs a command and prints the peak memory of it in MB.
MEASURED = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
    "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
)


def binding():
    if "ENCLUST_POOLS" not in os.environ:
        print("skipped: ENCLUST_POOLS is not set")
        return
    print("method draw command_s package_s ratio command_MB fit_MB python_and_pool_MB after_all_fits_MB")
    for method in METHODS:
        for run in (1, 2, 3):
            theirs, ours = by_command(method, run), in_python(method, run)
            ratio = ours["seconds"] / theirs["seconds"]
            print(
                f"{method} {run} {theirs['seconds']:.4f} {ours['seconds']:.4f} {ratio:.3f} "
                f"{theirs['peak']} {ours['peak'] - ours['before']} {ours['before']} {ours['last']}",
                flush=True,
            )


def data_sets():
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    yield "digits", X.astype(float), y
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2.2, size=(10, 8))
    y = rng.integers(10, size=5000)
    yield "blobs-5000", centres[y] + rng.normal(size=(5000, 8)), y


def candidates(k):
    """Names and functions from features to labels."""
    from sklearn.cluster import KMeans

    import enclust

    yield "KMeans of scikit-learn", lambda X: KMeans(k, n_init=10, random_state=0).fit_predict(X)
    for method in ("lwea", "ec-cms", "lwgp"):
        model = enclust.EnsembleConsensus(k, method=method)
        yield f"EnsembleConsensus, {method}", model.fit_predict
    mixed = [KMeans(c, n_init=1) for c in range(2, 42)]
    yield "EnsembleConsensus, clusterings=[KMeans…]", enclust.EnsembleConsensus(
        k, clusterings=mixed, n_jobs=-1
    ).fit_predict
    try:
        from consensusclustering import ConsensusClustering
    except ImportError as error:
        print(f"consensusclustering cannot be used: {error}")
        return

    def peer(X):
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        model = ConsensusClustering(KMeans(n_init=1), k, k + 1, n_resamples=50, rng=0)
        model.fit(X)
        # The package stops at the matrix; average link is the usual way on.
        distances = squareform(1 - model.consensus_k(k), checks=False)
        return fcluster(linkage(distances, "average"), k, "maxclust")

    yield "consensusclustering + average link", peer


def peers():
    from sklearn.metrics import adjusted_rand_score

    print("data method ari seconds")
    for name, X, y in data_sets():
        for method, labels_of in candidates(len(np.unique(y))):
            began = time.perf_counter()
            try:
                labels = labels_of(X)
            except Exception as error:  # What others raise is part of the result.
                print(f"{name} | {method} | failed: {type(error).__name__}: {error}", flush=True)
                continue
            seconds = time.perf_counter() - began
            print(f"{name} | {method} | {adjusted_rand_score(y, labels):.3f} | {seconds:.2f}", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fit", method, run]:
            fit_once(method, int(run))
        case words:
            if not words or "binding" in words:
                binding()
            if not words or "peers" in words:
                peers()
