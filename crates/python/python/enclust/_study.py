"""Studies: many variants on many draws from many pools."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from enclust import _enclust
from enclust._settings import threads_of, watching

#: The stages whose parts may be functions.
_FUNCTIONS = ("ca", "confidence", "enhance", "consensus", "stop")


@dataclass(frozen=True)
class StudyResults:
    """The tables of a study.

    Attributes
    ----------
    folder : Path or None
        The folder that holds them; None if none was given.
    runs, summary, comparisons, timings, tuned : list of dict
        One dictionary per row, as in the CSV files. ``tuned`` is empty
        without tuning.
    record : dict
        Everything that is needed to repeat the study.
    left_out : list of tuple of str
        Variants whose parts cannot be combined, with the reason.
    """

    folder: Path | None
    runs: list[dict[str, Any]]
    summary: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    timings: list[dict[str, Any]]
    tuned: list[dict[str, Any]]
    record: dict[str, Any]
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def to_pandas(self, table: str = "runs") -> Any:
        """One of the tables as a data frame of pandas.

        Parameters
        ----------
        table : {"runs", "summary", "comparisons", "timings", "tuned"}

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(getattr(self, table))


def study(
    source: Mapping[str, Any] | str | os.PathLike[str],
    *,
    pools: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    parts: Mapping[str, Mapping[str, Callable[..., Any]]] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> StudyResults:
    """Run a study.

    Parameters
    ----------
    source : dict or path
        The study: a TOML file, or a dictionary with the same keys.
    pools : path or dict, optional
        The folder of the pools, or pools by name, each an n x m array of
        labels or a tuple of labels and true classes. By default the folder
        in the environment variable ``ENCLUST_POOLS``.
    out : path, optional
        Folder of the results. A study that was interrupted goes on there.
    parts : dict, optional
        Functions by stage and name, for example ``{"ca": {"mine": f}}``; the
        study can use these names.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    StudyResults

    Examples
    --------
    >>> import numpy as np, enclust
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> wrong = rng.random((60, 12)) < 0.2
    >>> L = np.where(wrong, rng.integers(3, size=(60, 12)), truth[:, None])
    >>> found = enclust.study(
    ...     {
    ...         "pools": ["mine"],
    ...         "runs": 3,
    ...         "draws": {"size": 8, "seed": 1},
    ...         "base": {"method": "lwea"},
    ...         "variant": [{"method": "eac"}],
    ...     },
    ...     pools={"mine": (L, truth)},
    ... )
    >>> sorted({row["variant"] for row in found.runs})
    ['eac', 'lwea']
    """
    with tempfile.TemporaryDirectory(prefix="enclust-") as scratch:
        text, is_path = source_of(source)
        folders = folders_of(pools, Path(scratch))
        folder = Path(out) if out is not None else Path(scratch, "results")
        left_out = _enclust.study(
            text,
            is_path,
            folders,
            folder,
            None,
            threads_of(n_jobs),
            functions_of(parts),
            watching(verbose, None),
        )
        return tables_of(folder, out is not None, left_out)


def source_of(source: Mapping[str, Any] | str | os.PathLike[str]) -> tuple[str, bool]:
    """The study as a path, or as JSON."""
    if isinstance(source, Mapping):
        return json.dumps(source, default=_plain), False
    return os.fspath(source), True


def _plain(value: Any) -> Any:
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a study cannot hold {value!r}")


def folders_of(pools: Any, scratch: Path) -> list[str]:
    """The folders of the pools; pools that are given as arrays are written into one."""
    if pools is None:
        named = os.environ.get("ENCLUST_POOLS")
        return [named] if named else []
    if not isinstance(pools, Mapping):
        return [os.fspath(pools)]
    folder = scratch / "pools"
    folder.mkdir()
    for name, pool in pools.items():
        labels, truth = pool if isinstance(pool, tuple) else (pool, None)
        arrays = {"members": np.asarray(labels)}
        if truth is not None:
            arrays["truth"] = np.asarray(truth)
        np.savez(folder / f"{name}.npz", **arrays)  # type: ignore[arg-type]
    return [os.fspath(folder)]


def functions_of(
    parts: Mapping[str, Mapping[str, Callable[..., Any]]] | None,
) -> dict[str, dict[str, Callable[..., Any]]]:
    """Functions by stage and name, checked."""
    found: dict[str, dict[str, Callable[..., Any]]] = {}
    for stage, functions in (parts or {}).items():
        if stage not in _FUNCTIONS:
            raise ValueError(f"parts[{stage!r}]: the stages are {', '.join(_FUNCTIONS)}")
        for name, function in functions.items():
            if not callable(function):
                raise TypeError(f"parts[{stage!r}][{name!r}] must be a function, not {function!r}")
        found[stage] = dict(functions)
    return found


def tables_of(folder: Path, keep: bool, left_out: list[tuple[str, str]]) -> StudyResults:
    """The tables of a finished study."""
    record = json.loads((folder / "record.json").read_text())
    names = ("runs", "summary", "comparisons", "timings", "tuned")
    tables = {name: rows_of(folder / f"{name}.csv") for name in names}
    return StudyResults(
        folder=folder if keep else None, record=record, left_out=left_out, **tables
    )


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file, with numbers as numbers."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None
