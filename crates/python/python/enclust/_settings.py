"""Checks of parameters that estimators and functions share."""

from __future__ import annotations

import numbers
import os
from typing import Any, Callable, Mapping

import numpy as np

#: The stages whose parts are parameters.
STAGES = ("reduce", "ca", "confidence", "enhance", "stop", "consensus")

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def threads_of(n_jobs: int | None) -> int:
    """The number of threads: None and -1 are all, -2 is all but one."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool):
        raise TypeError(f"n_jobs must be an integer or None, not {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; use None or -1 for all threads")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def memory_of(memory: int | str | None) -> int | None:
    """The memory limit in bytes, from a number or a text such as "4GB"."""
    if memory is None:
        return None
    if isinstance(memory, str):
        text = memory.strip().lower().replace(" ", "")
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
        try:
            amount = float(digits) * _UNITS[text[len(digits) :]]
        except (ValueError, KeyError):
            raise ValueError(f"memory={memory!r} is not an amount such as \"4GB\"") from None
    elif isinstance(memory, numbers.Real) and not isinstance(memory, bool):
        amount = float(memory)
    else:
        raise TypeError(f"memory must be a number of bytes or a text such as \"4GB\", not {memory!r}")
    if not amount > 0:
        raise ValueError(f"memory={memory!r} must be positive")
    return int(amount)


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn accepts. None is 1: the same run gives the same labels."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state} must not be negative")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise TypeError(
        f"random_state must be None, an integer or a generator of NumPy, not {random_state!r}"
    )


def clusters_of(n_clusters: Any) -> int | None:
    """The number of clusters; None for "auto"."""
    if isinstance(n_clusters, str):
        if n_clusters == "auto":
            return None
        raise ValueError(f"n_clusters={n_clusters!r} must be an integer or \"auto\"")
    if not isinstance(n_clusters, numbers.Integral) or isinstance(n_clusters, bool):
        raise TypeError(f"n_clusters must be an integer or \"auto\", not {n_clusters!r}")
    if n_clusters < 1:
        raise ValueError(f"n_clusters={n_clusters} must be at least 1")
    return int(n_clusters)


def stages_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The stages whose part is given."""
    stages = {}
    for stage in STAGES:
        part = given.get(stage)
        if part is None:
            continue
        if stage == "reduce":
            part = rows_left(part)
        elif not isinstance(part, str) and not callable(part):
            raise TypeError(f"{stage} must be a string or a function, not {part!r}")
        stages[stage] = part
    return stages


def rows_left(reduce: Any) -> str | int:
    """The text of a reduction, or the number of rows that may be left."""
    if isinstance(reduce, str):
        return reduce
    if not is_whole(reduce):
        raise TypeError(f"reduce must be a string or a number of rows, not {reduce!r}")
    if reduce < 1:
        raise ValueError(f"reduce={reduce} must be at least 1")
    return int(reduce)


def is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def params_of(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Parameters of parts by their full names."""
    if params is None:
        return {}
    if not isinstance(params, Mapping):
        raise TypeError(f"params must be a dictionary such as {{\"enhance.lambda\": 0.1}}, not {params!r}")
    return dict(params)


def watching(
    verbose: bool | int, callback: Callable[[dict[str, Any]], Any] | None
) -> Callable[[dict[str, Any]], Any] | None:
    """The callback, with a progress display if it is wanted and tqdm is there."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function, not {callback!r}")
    if not verbose:
        return callback
    from enclust._progress import Progress

    return Progress(callback)
