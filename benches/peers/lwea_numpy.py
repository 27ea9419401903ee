"""Plain LWEA at n x n in NumPy and fastcluster, from input labels to output labels.

usage: lwea_numpy.py POOL.mat K [REPEATS]

Prints: n, seconds of the best of the repeats (default 3, after a warm-up).
"""
import sys
import time

import fastcluster
import numpy as np
import scipy.cluster.hierarchy
import scipy.io
import scipy.spatial.distance

from lwca import draw, lwca


def lwea(labels, k):
    distance = 1 - lwca(labels)
    condensed = scipy.spatial.distance.squareform(distance, checks=False)
    del distance
    tree = fastcluster.linkage(condensed, method="average", preserve_input=False)
    return scipy.cluster.hierarchy.fcluster(tree, k, criterion="maxclust")


def main():
    path, k = sys.argv[1], int(sys.argv[2])
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    labels = draw(scipy.io.loadmat(path)["members"].astype(int))
    lwea(labels[:500], k)
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        lwea(labels, k)
        seconds.append(time.perf_counter() - began)
    print(len(labels), f"{min(seconds):.4f}")


main()
