"""The same labels as those of the command."""

import csv

import numpy as np
import pytest

import enclust
from enclust import LabelConsensus


@pytest.mark.pools
@pytest.mark.parametrize("method", ["lwea", "ec-cms", "lwgp"])
def test_labels_are_those_of_the_command(pools, command, method, tmp_path):
    for path in sorted(pools.glob("*.mat")):
        pool = enclust.read_pool(path)
        k = len(np.unique(pool.truth))
        for run, columns in enumerate(enclust.draws(pool.labels.shape[1], 20, 3), start=1):
            out = tmp_path / f"{path.stem}-{run}.csv"
            options = ["--method", method, "--run", str(run), "--k", str(k), "--out", out]
            command("cluster", path, *options)
            with open(out, newline="") as file:
                theirs = [int(row[-1]) for row in list(csv.reader(file))[1:]]
            ours = LabelConsensus(k, method=method).fit(pool.labels[:, columns])
            np.testing.assert_array_equal(ours.labels_, theirs, err_msg=f"{path.stem} {run}")


def test_a_study_is_that_of_the_command(labels, command, tmp_path):
    truth = np.repeat([0, 1, 2, 3], 50)
    np.savez(tmp_path / "mine.npz", members=labels, truth=truth)
    study = tmp_path / "study.toml"
    study.write_text(
        'pools = ["mine"]\nruns = 3\ndraws = { size = 8, seed = 1 }\n'
        '[base]\nmethod = "lwea"\n[[variant]]\nmethod = "ec-cms"\n'
        "grid = { enhance.lambda = [0.1, 1] }\n"
    )
    command("study", study, "--pools", tmp_path, "--out", tmp_path / "theirs")
    enclust.study(study, pools=tmp_path, out=tmp_path / "ours")
    given = {
        "name": "study",
        "pools": ["mine"],
        "runs": 3,
        "draws": {"size": 8, "seed": 1},
        "base": {"method": "lwea"},
        "variant": [{"method": "ec-cms", "grid": {"enhance": {"lambda": [0.1, 1]}}}],
    }
    enclust.study(given, pools={"mine": (labels, truth)}, out=tmp_path / "given")
    for table in ("runs.csv", "summary.csv", "comparisons.csv"):
        theirs = (tmp_path / "theirs" / table).read_bytes()
        assert (tmp_path / "ours" / table).read_bytes() == theirs, table
        assert (tmp_path / "given" / table).read_bytes() == theirs, table
