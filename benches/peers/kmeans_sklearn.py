"""The same base clusterings by scikit-learn: one KMeans for each number of clusters.

usage: kmeans_sklearn.py FOLDER FEATURES

FOLDER contains the files that benches/generate.rs writes. KMeans runs with n_init=1,
max_iter=100 and its defaults otherwise. Two ways of using all cores are timed: its own
threads, and one process per core with one thread each.

Prints: seconds of the first way, of the second, mean inertia, mean of enclust's inertia divided by scikit-learn's with the
same number of clusters, standard error of that mean.
"""
import os
import sys
import time
import warnings

import joblib
import numpy as np
from sklearn.cluster import KMeans


def inertia(features, clusters, seed):
    model = KMeans(clusters, n_init=1, max_iter=100, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Reaching the limit is expected.
        return model.fit(features).inertia_


def own_threads(features, clusters):
    return [inertia(features, k, seed) for seed, k in enumerate(clusters)]


def processes(features, clusters):
    with joblib.parallel_config("loky", n_jobs=os.cpu_count(), inner_max_num_threads=1):
        work = (joblib.delayed(inertia)(features, k, seed) for seed, k in enumerate(clusters))
        return joblib.Parallel()(work)


def main():
    folder, dimension = sys.argv[1], int(sys.argv[2])
    features = np.fromfile(os.path.join(folder, "features.f64"), "<f8").reshape(-1, dimension)
    pool = np.loadtxt(os.path.join(folder, "pool.txt"), ndmin=2)
    clusters = [int(k) for k in pool[:, 0]]
    seconds = []
    for way in (own_threads, processes):
        way(features, [2, 2, 2, 2])
        began = time.perf_counter()
        theirs = np.array(way(features, clusters))
        seconds.append(time.perf_counter() - began)
    share = pool[:, 1] / theirs
    error = share.std(ddof=1) / np.sqrt(len(share))
    print(*(f"{s:.4f}" for s in seconds), end=" ")
    print(f"{theirs.mean():.2f} {share.mean():.4f} {error:.4f}")


main()
