"""The report of a fitted estimator."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from enclust import _enclust

Array = np.ndarray[Any, Any]


def record_of_page(estimator: Any) -> dict[str, Any]:
    """The record of an estimator with the keys that the command writes."""
    told = estimator.record_
    report = told["report"]
    clusterings = told["clusterings"]
    record: dict[str, Any] = {
        "samples": told["samples"],
        "groups": told["groups"],
        "ensemble": {"pool": clusterings, "columns": list(range(1, clusterings + 1))},
        "method": {"preset": told["method"], "parts": told["parts"]},
        "seed": told["seed"],
        "report": {
            key: report[key] for key in ("component", "status", "iterations", "certificate")
        },
        "pairs": report["pairs"],
        "timings": [
            {"stage": stage, "seconds": time} for stage, time in report["timings"].items()
        ],
        "results": [told["result"]],
        "warnings": [{"message": text.rstrip(".")} for text in told["warnings"]],
        "inputs": [],
        "no_inputs": "The labels were given in memory.",
        "versions": {"enclust": told["enclust"], "python": platform.python_version()},
    }
    for optional in ("reduction", "choice"):
        if report[optional] is not None:
            record[optional] = report[optional]
    return record


def classes_of(truth: Any, samples: int) -> Array:
    """The true classes as numbers."""
    classes = np.asarray(truth)
    if classes.shape != (samples,):
        raise ValueError(f"truth has the shape {classes.shape}, the labels have ({samples},)")
    return np.unique(classes, return_inverse=True)[1].astype(np.int64)


def page_of(estimator: Any, run: Any, truth: Any) -> str:
    """The HTML text of the report."""
    labels = np.asarray(estimator.labels_, dtype=np.int64)
    classes = None if truth is None else classes_of(truth, len(labels))
    record = record_of_page(estimator)
    title = f"{type(estimator).__name__}, {record['method']['preset'] or 'own parts'}"
    subtitle = f"{run.name}; n_clusters = {estimator.record_['result']['k']}"
    page: str = _enclust.report(run, labels, classes, json.dumps(record), title, subtitle)
    return page


def check(path: str | os.PathLike[str]) -> None:
    """An error if the name does not fit the content."""
    name = Path(path).name
    if not name.lower().endswith(".html"):
        raise ValueError(f"the name of a report must end in .html, not {name!r}")


def write(path: str | os.PathLike[str], text: str) -> None:
    """Write a file that is complete or absent."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=".enclust-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
