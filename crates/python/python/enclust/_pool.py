"""Pools of base clusterings in files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from enclust import _enclust


@dataclass(frozen=True)
class Pool:
    """Base clusterings from a file.

    Attributes
    ----------
    labels : ndarray of shape (n, m)
        Numbers of the base clusters by first occurrence; -1 is a missing label.
    truth : ndarray of shape (n,) or None
        The true classes, if the file has them.
    ids : list of str or None
        Names of the samples.
    columns : list of str or None
        Names of the clusterings.
    counts : ndarray of shape (n,) or None
        How often each row occurs.
    """

    labels: np.ndarray[Any, Any]
    truth: np.ndarray[Any, Any] | None
    ids: list[str] | None
    columns: list[str] | None
    counts: np.ndarray[Any, Any] | None


def read_pool(path: str | os.PathLike[str], *, noise: str = "error") -> Pool:
    """Read base clusterings from a file.

    Parameters
    ----------
    path : path
        A file with one row per sample and one column per clustering: text
        (CSV, TSV, …), Parquet, ``.npy``, ``.npz`` or ``.mat``.
    noise : {"error", "missing", "singleton"}
        What the label -1 means.

    Returns
    -------
    Pool
        Its labels are numbers; missing ones are -1, so pass
        ``noise="missing"`` on to the estimators if there are any.

    Examples
    --------
    >>> import enclust, tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pool.csv")
    ...     _ = path.write_text("id,kmeans,ward\\na,1,x\\nb,1,y\\nc,2,y\\n")
    ...     pool = enclust.read_pool(path)
    >>> pool.columns
    ['kmeans', 'ward']
    >>> pool.labels
    array([[0, 0],
           [0, 1],
           [1, 1]], dtype=int32)
    """
    found = _enclust.read_pool(os.fspath(path), noise)
    return Pool(**found)
