"""Large runs on a cluster of three worker processes with 1 GB each, one of which is killed.

    python large.py rows        5e7 rows with 1e6 distinct ones, in Parquet
    python large.py landmarks   more than 4e6 distinct rows
    python large.py study       a study of 200 runs

``--scale 0.01`` makes everything smaller. Each run prints what it measured as JSON, and ends with
an error if a result is not the one of a single process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import enclust
import enclust.dask
from enclust.metrics import adjusted_rand_index

CLUSTERINGS, CLUSTERS = 20, 10
#: The method of the consensus: its time and memory grow linearly with the rows.
METHOD = {"rows": "lwgp", "landmarks": "lwea"}
TABLES = ("runs.csv", "summary.csv", "comparisons.csv", "tuned.csv")

# Here, so that the other processes are told, too.
warnings.simplefilter("ignore", enclust.ConsensusWarning)


# Data.


def planted(truth, wrong, rng):
    """Labels of clusters, in which each clustering gets this share wrong by its own rule."""
    shape = (len(truth), CLUSTERINGS)
    labels = np.repeat(truth[:, None], CLUSTERINGS, axis=1).astype(np.int32)
    noisy = rng.random(shape, dtype=np.float32) < wrong
    labels[noisy] = rng.integers(CLUSTERS, size=int(noisy.sum()), dtype=np.int32)
    return labels


def distinct_rows(count, wrong=0.4):
    """This many different rows, and their true clusters."""
    rng = np.random.default_rng(1)
    rows = np.empty((0, CLUSTERINGS), dtype=np.int32)
    truth = np.empty(0, dtype=np.int64)
    while len(rows) < count:
        some = rng.integers(CLUSTERS, size=count // 10 + 1000)
        rows, truth = np.concatenate([rows, planted(some, wrong, rng)]), np.concatenate([truth, some])
        places = enclust._enclust.match_rows(rows, rows)
        first = np.flatnonzero(places == np.arange(len(rows)))
        rows, truth = rows[first], truth[first]
    return rows[:count], truth[:count]


def write_table(folder, parts, block):
    """A folder of Parquet whose partitions are made one by one."""
    folder.mkdir()
    names = [f"c{k:02}" for k in range(CLUSTERINGS)]
    for part in range(parts):
        frame = pd.DataFrame(block(part), columns=names)
        frame.to_parquet(folder / f"part.{part:04}.parquet", index=False)


def draws(part, rows, size):
    """The rows of a partition, as numbers of distinct rows: the first ones bring in all of them."""
    rng = np.random.default_rng([2, part])
    return rng.integers(rows, size=size)


# The cluster.


@contextmanager
def workers():
    """Three worker processes of 1 GB and one thread each."""
    options = {"n_workers": 3, "threads_per_worker": 1, "memory_limit": "1GB"}
    with LocalCluster(processes=True, dashboard_address=":0", **options) as cluster:
        with Client(cluster) as client:
            yield client


class Killer(threading.Thread):
    """Kills one worker process when this share of the tasks that are known is done."""

    def __init__(self, client, share=0.4, least=10):
        super().__init__(daemon=True)
        self.client, self.share, self.least = client, share, least
        self.killed, self.over = 0, threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            done, known = self.client.run_on_scheduler(tasks_done)
            if known >= self.least and done >= self.share * known:
                os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)
                self.killed = 1
                return

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.over.set()
        self.join()


def tasks_done(dask_scheduler):
    """How many tasks have been done, and how many are known."""
    states = [task.state for task in dask_scheduler.tasks.values()]
    return sum(state in ("memory", "released", "forgotten") for state in states), len(states)


def peak_gigabytes():
    """The most memory that this process has held."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3)


def in_another_process(function, *arguments):
    """A result of another process, so that its memory does not count here."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def report(**measured):
    print(json.dumps(measured), flush=True)


def check(condition, what):
    if not condition:
        raise RuntimeError(what)


# The runs.


def many_rows(scale, folder):
    """Equal labels for 5e7 rows with 1e6 distinct ones, and of the first 5e6 rows alone."""
    size, parts, count = int(1e6 * max(scale, 1e-3)), 50, int(1e6 * scale)
    start = time.perf_counter()
    in_another_process(write_rows, folder, size, parts, count)
    made = time.perf_counter() - start
    with workers() as client:
        start = time.perf_counter()
        with Killer(client) as killer:
            found = enclust.dask.consensus(folder / "labels", CLUSTERS, method=METHOD["rows"])
        consensus = time.perf_counter() - start
        found.to_parquet(folder / "found")
        total = time.perf_counter() - start
        few = dd.read_parquet(folder / "labels").partitions[:5]
        first = enclust.dask.consensus(few, CLUSTERS, method=METHOD["rows"])
        first.to_parquet(folder / "first")
    peak = peak_gigabytes()
    agreement = in_another_process(check_rows, folder, size, parts, count, found.counts)
    report(
        run="rows", rows=size * parts, distinct=len(found.rows), killed=killer.killed,
        seconds_making=round(made, 1), seconds_consensus=round(consensus, 1),
        seconds=round(total, 1), driver_gigabytes=peak, ari_truth=agreement,
    )
    check(killer.killed == 1, "no worker was killed")
    check(peak <= 4, f"the driver held {peak} GB")


def write_rows(folder, size, parts, count):
    rows = distinct_rows(count)[0]
    write_table(folder / "labels", parts, lambda part: rows[draws(part, count, size)])


def check_rows(folder, size, parts, count, counts):
    """Compares with runs of one process, and returns the agreement with the true clusters."""
    rows, truth = distinct_rows(count)
    numbers = np.concatenate([draws(part, count, size) for part in range(parts)])
    seen, first, sizes = np.unique(numbers, return_index=True, return_counts=True)
    order = np.argsort(first)
    check(np.array_equal(counts, sizes[order]), "the counts are wrong")
    local = enclust.LabelConsensus(CLUSTERS, method=METHOD["rows"])
    local.fit(rows[seen[order]], sample_counts=sizes[order])
    label_of = np.full(count, -1)
    label_of[seen[order]] = local.labels_
    found = dd.read_parquet(folder / "found")["label"].compute().to_numpy()
    check(np.array_equal(found, label_of[numbers]), "labels differ from those of one process")
    few = numbers[: 5 * size]
    plain = enclust.LabelConsensus(CLUSTERS, method=METHOD["rows"]).fit(rows[few]).labels_
    found = dd.read_parquet(folder / "first")["label"].compute().to_numpy()
    check(np.array_equal(found, plain), "labels of the first rows differ from those of one process")
    return round(adjusted_rand_index(truth[few], found), 4)


def landmarks(scale, folder):
    """About the same clusters as a local run where there are too many distinct rows."""
    size, parts, limit = int(5e5 * scale), 10, int(4e6 * scale)
    reduce = max(int(10_000 * min(1, scale * 10)), 100)
    in_another_process(write_noisy, folder, size, parts)
    with workers() as client:
        start = time.perf_counter()
        with Killer(client) as killer:
            found = enclust.dask.consensus(
                folder / "labels", CLUSTERS, method=METHOD["landmarks"], max_rows=limit,
                landmark_sample=int(1e6 * scale), reduce=reduce,
            )
        found.to_parquet(folder / "found")
        total = time.perf_counter() - start
    peak = peak_gigabytes()
    distinct, here, local, seconds = in_another_process(compare, folder, size, parts, reduce)
    report(
        run="landmarks", rows=size * parts, distinct=distinct, landmarks=len(found.rows),
        killed=killer.killed, seconds=round(total, 1), seconds_local=round(seconds, 1),
        driver_gigabytes=peak, ari=here, ari_local=local,
    )
    check(found.reduced and distinct > limit, "there were not enough distinct rows")
    check(found.counts.sum() == size * parts, "the counts do not sum to the number of rows")
    check(abs(here - local) <= 0.02, "the agreement differs from that of the local run")
    check(killer.killed == 1, "no worker was killed")
    check(peak <= 2, f"the driver held {peak} GB")


def noisy(part, size):
    rng = np.random.default_rng([3, part])
    truth = rng.integers(CLUSTERS, size=size)
    return planted(truth, 0.6, rng), truth


def write_noisy(folder, size, parts):
    write_table(folder / "labels", parts, lambda part: noisy(part, size)[0])


def compare(folder, size, parts, reduce):
    """The number of distinct rows, the agreement with the true clusters here and in a local run,
    and the time of that."""
    labels, truth = map(np.concatenate, zip(*[noisy(part, size) for part in range(parts)]))
    places = enclust._enclust.match_rows(labels, labels)
    distinct = int((places == np.arange(len(labels))).sum())
    found = dd.read_parquet(folder / "found")["label"].compute().to_numpy()
    start = time.perf_counter()
    local = enclust.LabelConsensus(CLUSTERS, method=METHOD["landmarks"], reduce=reduce).fit(labels)
    seconds = time.perf_counter() - start
    scores = [round(adjusted_rand_index(truth, each), 4) for each in (found, local.labels_)]
    return distinct, *scores, seconds


def study(scale, folder):
    """Equal tables of a study of 200 runs."""
    rng = np.random.default_rng(4)
    truth = np.sort(rng.integers(CLUSTERS, size=max(int(3000 * scale), 200)))
    pools = {}
    for name, wrong in (("first", 0.4), ("second", 0.6)):
        noise = rng.random((len(truth), 60)) < wrong
        pools[name] = (np.where(noise, rng.integers(CLUSTERS, size=noise.shape), truth[:, None]), truth)
    plan = {
        "pools": list(pools),
        "runs": 20,
        "draws": {"size": 20, "seed": 1},
        "metrics": ["ari", "nmi"],
        "base": {"method": "lwea"},
        "variant": [{"method": name} for name in ("eac", "lwgp", "ec-cms", "ecpcs-mc")],
    }
    start = time.perf_counter()
    enclust.study(plan, pools=pools, out=folder / "one")
    local = time.perf_counter() - start
    with workers() as client:
        start = time.perf_counter()
        with Killer(client) as killer:
            found = enclust.dask.study(plan, pools=pools, out=folder / "many", shards=40)
        total = time.perf_counter() - start
    # Each run has one row for each metric and number of clusters.
    runs = {(row["pool"], row["run"], row["variant"]) for row in found.runs}
    report(
        run="study", runs=len(runs), killed=killer.killed, seconds=round(total, 1),
        seconds_local=round(local, 1), driver_gigabytes=peak_gigabytes(),
    )
    for name in TABLES:
        one, many = folder / "one" / name, folder / "many" / name
        check(one.exists() == many.exists(), f"{name} is missing")
        check(not one.exists() or one.read_bytes() == many.read_bytes(), f"{name} differs")
    check(len(runs) == 200, f"the study has {len(runs)} runs")
    check(killer.killed == 1, "no worker was killed")


RUNS = {"rows": many_rows, "landmarks": landmarks, "study": study}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", choices=RUNS)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size")
    parser.add_argument("--folder", help="where the data are written; some GB, removed at the end")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="enclust-large-", dir=given.folder))
    try:
        RUNS[given.run](given.scale, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
