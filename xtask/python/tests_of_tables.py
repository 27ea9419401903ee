"""Compares the tests of enclust-experiment with SciPy and scikit-posthocs on random tables.

usage: tests_of_tables.py PROGRAM [--tables N]
"""

import argparse
import json
import subprocess
import sys
import warnings

import numpy as np
import scikit_posthocs
from scipy import stats

TOLERANCE = 1e-8


def tables(count):
    """Random tables, some of them with ties and with equal columns."""
    rng = np.random.default_rng(1)
    for _ in range(count):
        rows, columns = int(rng.integers(5, 70)), int(rng.integers(3, 9))
        table = rng.normal(size=(rows, columns)) + 0.3 * rng.normal(size=columns)
        if rng.random() < 0.5:
            table = np.round(table, int(rng.integers(0, 2)))
        yield table


def expected(table):
    """The statistics and p-values of SciPy and scikit-posthocs."""
    differences = table[:, 0] - table[:, 1]
    sizes = np.abs(differences)
    plain = np.all(sizes > 0) and len(np.unique(sizes)) == len(sizes)
    method = "exact" if plain and len(sizes) <= 50 else "asymptotic"
    pair = stats.wilcoxon(differences, zero_method="wilcox", correction=False, method=method)
    all_of_them = stats.friedmanchisquare(*table.T)
    return {
        "wilcoxon": [pair.statistic, pair.pvalue],
        "friedman": [all_of_them.statistic, all_of_them.pvalue],
        "nemenyi": scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy(),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--tables", type=int, default=300)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    given = list(tables(arguments.tables))
    lines = "\n".join(json.dumps(table.tolist()) for table in given)
    run = subprocess.run([arguments.program], input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(given), "one line of results per table"
    worst = dict.fromkeys(["wilcoxon", "friedman", "nemenyi"], 0.0)
    for table, tests in zip(given, found):
        for name, values in expected(table).items():
            difference = np.max(np.abs(np.asarray(tests[name]) - np.asarray(values)))
            worst[name] = max(worst[name], float(difference))
    print(f"{len(given)} tables, largest differences to SciPy and scikit-posthocs: {worst}")
    failed = [name for name, difference in worst.items() if not difference <= TOLERANCE]
    print(f"{3 - len(failed)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
