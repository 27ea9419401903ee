"""Tables of docs/methods.md, from the folder of the study `which-method`.

usage: which_method.py STUDY_FOLDER PAPER_POOLS_FOLDER SETS.csv

A pool that occurs in PAPER_POOLS_FOLDER belongs to the family "paper", every other one to "open".
The rule for the default method is applied to the compositions that build on a similarity.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

BASE = "lwea"
CANDIDATES = ["lwea", "ec-cms", "ec-cms-no-guard", "enhanced-spectral", "enhanced-spectral-no-guard",
              "lwca-spectral", "eac", "lwgp", "ecpcs-hc", "ecpcs-mc", "pta-al", "ptgp"]
LEVEL = 0.0005  # Smaller differences of means count as ties.


def table(head, rows):
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main(folder, paper, sets):
    runs = pd.read_csv(folder / "runs.csv")
    print(f"{runs['run'].nunique()} draws of 20 base clusterings per pool.\n")
    means = runs[runs.metric == "ari"].groupby(["pool", "variant"]).value.mean().unstack()
    means = means[[name for name in CANDIDATES if name in means.columns]]
    published = {path.stem for path in paper.iterdir()}
    family = pd.Series({pool: "paper" if pool in published else "open" for pool in means.index})
    names = ["paper", "open"]
    largest = runs[runs.metric == "largest"].groupby(["pool", "variant"]).value.mean().unstack()

    print("### Mean ARI\n")
    table(["pool", *means.columns],
          [[pool, *(f"{means.loc[pool, m]:.3f}" for m in means.columns)]
           for name in names for pool in means.index[family == name]])

    print(f"### Paired difference of mean ARI to {BASE}, by family\n")
    rows, verdicts = [], {}
    ranks = means.rank(axis=1, ascending=False)
    for method in means.columns:
        difference = means[method] - means[BASE]
        by_family = {name: difference[family == name] for name in names}
        cells = [f"{d.mean():+.3f} ± {d.std(ddof=1) / np.sqrt(len(d)):.3f}" for d in by_family.values()]
        losses = int((difference < -LEVEL).sum())
        wins = int((difference > LEVEL).sum())
        overall = np.mean([d.mean() for d in by_family.values()])
        lowest = min(d.mean() for d in by_family.values())
        collapsed = int((largest[method] > 0.9).sum()) if method in largest else 0
        verdicts[method] = (overall, lowest, losses)
        rows.append([method, *cells, f"{overall:+.3f}", f"{wins}/{len(difference) - wins - losses}/{losses}",
                     f"{ranks[method].mean():.2f}", str(collapsed)])
    counts = [f"{name} ({(family == name).sum()} pools)" for name in names]
    table(["method", *counts, "mean of families", "win/tie/loss", "mean rank", "largest cluster > 90 %"], rows)

    print("### The rule for the default\n")
    admitted = {m: v for m, v in verdicts.items() if v[1] >= 0}
    best = max(admitted, key=lambda m: (round(admitted[m][0], 3), -admitted[m][2]))
    print("Highest mean paired difference to LWEA over all families with no family below, then fewest "
          f"losses: **{best}** ({admitted[best][0]:+.3f}, {admitted[best][2]} losses). Admitted: "
          + ", ".join(f"{m} {v[0]:+.3f}" for m, v in sorted(admitted.items(), key=lambda i: -i[1][0])) + ".\n")

    print("### Time\n")
    timings = pd.read_csv(folder / "timings.csv")
    seconds = timings.groupby(["pool", "variant"]).seconds.sum().unstack() / runs["run"].nunique()
    large = [pool for pool in ["Ecoli", "FCT", "LS", "USPS"] if pool in seconds.index]
    table(["seconds per run", *large],
          [[method, *(f"{seconds.loc[pool, method]:.2f}" for pool in large)] for method in means.columns])

    print("### The open sets\n")
    listed = pd.read_csv(sets)
    table(list(listed.columns), listed.astype(str).values.tolist())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
