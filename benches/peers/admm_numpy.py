"""The paper's Algorithm 1 at n x n in NumPy: time of the inverse and of five
iterations, extrapolated to the number of iterations of the run.

usage: admm_numpy.py POOL.mat ITERATIONS

Prints: n, seconds of the inverse, seconds of an iteration (mean of five after a
warm-up), seconds of the whole run.
"""
import sys
import time

import numpy as np
import scipy.io

from lwca import draw, lwca


def co_association(labels):
    n, m = labels.shape
    counts = np.zeros((n, n))
    for k in range(m):
        counts += labels[:, k, None] == labels[None, :, k]
    return counts / m


def main():
    path, iterations = sys.argv[1], int(sys.argv[2])
    alpha, lam, g1, g2 = 0.8, 0.4, 1.0, 1.0
    members = scipy.io.loadmat(path)["members"].astype(int)
    labels = draw(members)
    a = lwca(labels)
    h = co_association(labels)
    h[h < alpha] = 0
    np.fill_diagonal(h, 0)
    fixed = h > 0
    n = len(a)
    laplacian = np.diag(h.sum(1)) - h

    began = time.perf_counter()
    inverse = np.linalg.inv(2 * laplacian + (g1 + g2) * np.eye(n))
    invert = time.perf_counter() - began

    c, e, f = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    y1, y2 = a.copy(), np.zeros((n, n))
    norm = np.linalg.norm
    seconds = []
    with np.errstate(all="ignore"):
        for _ in range(6):
            began = time.perf_counter()
            c_new = inverse @ (g1 * (a - e) + y1 + g2 * f - y2)
            e_new = (g1 * (a - c_new) + y1) / (lam + g1)
            e_new[fixed] = 0
            p = c_new + y2 / g2
            f_new = np.clip((p + p.T) / 2, 0, 1)
            r1, r2 = a - c_new - e_new, c_new - f_new
            stop = [
                norm(c_new - c) / norm(c),
                norm(e_new - e) / norm(e),
                norm(f_new - f) / norm(f),
                norm(r1) / norm(y1),
                norm(r2) / norm(y2),
            ]
            y1 += g1 * r1
            y2 += g2 * r2
            c, e, f = c_new, e_new, f_new
            seconds.append(time.perf_counter() - began)
            assert len(stop) == 5
    iteration = sum(seconds[1:]) / 5
    print(n, f"{invert:.4f}", f"{iteration:.4f}", f"{invert + iterations * iteration:.4f}")


main()
