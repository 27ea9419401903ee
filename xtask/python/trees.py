"""Checks that SciPy (and R, if it is present) cut the trees of the command as the command does.

usage: trees.py PROGRAM
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

# Reads the linkage matrix as text and writes one column of clusters per k.
IN_R = """
z <- as.matrix(read.csv("z.csv", header = FALSE)); n <- nrow(z) + 1
name <- function(i) ifelse(i < n, -(i + 1), i - n + 1)
tree <- list(merge = cbind(name(z[, 1]), name(z[, 2])), height = z[, 3], order = seq_len(n))
class(tree) <- "hclust"
write.csv(cutree(tree, k = 2:(n - 1)), "r.csv", row.names = FALSE)
"""


def pools():
    """Pools with many ties, with missing labels, and with neither."""
    rng = np.random.default_rng(1)
    for seed in range(12):
        truth = np.arange(40) % 4
        labels = np.stack([(truth + rng.integers(0, 2, 40) * rng.integers(0, 4, 40)) % 4 for _ in range(6)])
        table = pd.DataFrame(labels.T.astype(float), columns=[f"c{k}" for k in range(6)])
        if seed % 3 == 1:
            table[rng.random(table.shape) < 0.2] = np.nan
        yield table.astype("Int64"), ["eac", "lwea", "ec-cms", "pta-al"][seed % 4]


def same(a, b):
    """Whether two lists of labels are the same partition."""
    return len(set(zip(a, b))) == len(set(a)) == len(set(b))


def check(program, table, method, folder):
    """Returns the number of cuts that differ."""
    table.to_csv(folder / "pool.csv", index=False)
    n = len(table)
    command = [program, "cluster", "pool.csv", "--header", "yes", "--id-column", "no", "--method", method]
    most = min(n - 1, len(table.drop_duplicates()))
    command += ["--k", f"2..{most}", "--out", "cuts.csv", "--linkage", "Z.npy", "--similarity", "S.npy"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    ours = pd.read_csv(folder / "cuts.csv")
    z = np.load(folder / "Z.npy")
    assert hierarchy.is_valid_linkage(z) and hierarchy.is_monotonic(z), "a valid monotone linkage"
    squareform(1 - np.load(folder / "S.npy"))
    cuts = hierarchy.cut_tree(z, n_clusters=range(2, most + 1))
    wrong = sum(not same(ours[f"k{k}"], cuts[:, k - 2]) for k in range(2, most + 1))
    if shutil.which("Rscript"):
        np.savetxt(folder / "z.csv", z, delimiter=",", fmt="%.17g")
        subprocess.run(["Rscript", "-e", IN_R], cwd=folder, check=True, capture_output=True)
        in_r = pd.read_csv(folder / "r.csv").to_numpy()
        wrong += sum(not same(ours[f"k{k}"], in_r[:, k - 2]) for k in range(2, most + 1))
    return wrong


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        wrong = [check(program, table, method, Path(folder)) for table, method in pools()]
    where = "SciPy and R" if shutil.which("Rscript") else "SciPy (R is not present)"
    print(f"{len(wrong)} trees cut at every k by {where}: {sum(wrong)} cuts differ")
    failed = sum(count > 0 for count in wrong)
    print(f"{len(wrong) - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
