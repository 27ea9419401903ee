"""Data that several tests use."""

import os
from pathlib import Path

import numpy as np
import pytest


def planted(n, m, k, wrong, seed):
    """Labels of k clusters in which this share is drawn at random."""
    rng = np.random.default_rng(seed)
    truth = np.sort(rng.integers(k, size=n))
    noisy = rng.random((n, m)) < wrong
    return np.where(noisy, rng.integers(k, size=(n, m)), truth[:, None]), truth


@pytest.fixture
def labels():
    return planted(200, 12, 4, 0.2, 1)[0]


@pytest.fixture
def features():
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(c, 0.6, size=(40, 3)) for c in (0, 3, 6)])


@pytest.fixture(scope="session")
def pools():
    """The folder of the paper's pools."""
    found = os.environ.get("ENCLUST_POOLS")
    if not found:
        pytest.skip("ENCLUST_POOLS does not name the folder with the pools of the paper")
    return Path(found)


@pytest.fixture(scope="session")
def command():
    """Runs the command, where ENCLUST_COMMAND says that it is."""
    import subprocess

    program = os.environ.get("ENCLUST_COMMAND")
    if not program:
        pytest.skip("ENCLUST_COMMAND does not name the command")

    def run(*arguments):
        words = [program, *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}\n{done.stderr}"
        return done.stdout

    return run
