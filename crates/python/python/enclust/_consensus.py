"""What both estimators share: the run on encoded labels, and everything that follows from it."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable

import numpy as np

from enclust import _enclust, _report
from enclust._base import check_fitted
from enclust._settings import (
    clusters_of,
    memory_of,
    params_of,
    seed_of,
    stages_of,
    threads_of,
    watching,
)
from enclust._warnings import ConsensusWarning

Array = np.ndarray[Any, Any]


class ConsensusResult:
    """The fitted attributes of an estimator.

    The compiled run is not pickled. What needs it afterwards is computed again from the labels:
    every run is deterministic.
    """

    labels_: Array
    n_clusters_: int
    report_: dict[str, Any]
    record_: dict[str, Any]
    warnings_: list[str]
    _encoded: _enclust.Labels
    _arguments: dict[str, Any]
    #: What is computed when it is read, and not pickled.
    _cache: dict[str, Any]

    def _run_settings(self) -> dict[str, Any]:
        """The settings of a run, checked before anything is computed."""
        given = self.__dict__
        for name in ("method", "backend"):
            if given[name] is not None and not isinstance(given[name], str):
                raise TypeError(f"{name} must be a string, not {given[name]!r}")
        return {
            "method": given["method"],
            "stages": stages_of(given),
            "params": params_of(given["params"]),
            "backend": given["backend"],
            "seed": self._seed,
            "threads": threads_of(given["n_jobs"]),
            "memory": memory_of(given["memory"]),
        }

    @property
    def _seed(self) -> int:
        if "_drawn_seed" not in self.__dict__:
            self._drawn_seed: int = seed_of(self.__dict__["random_state"])
        return self._drawn_seed

    def _find(self, encoded: _enclust.Labels, settings: dict[str, Any], choice: Any) -> None:
        """Run the method and set the fitted attributes."""
        given = self.__dict__
        k: int = choice["k"] if choice is not None else given["n_clusters"]
        if k > encoded.samples:
            raise ValueError(
                f"n_clusters={k} is larger than the number of samples: n_samples={encoded.samples}"
            )
        callback = watching(given["verbose"], given["callback"])
        self._encoded, self._arguments = encoded, {**settings, "k": k}
        run = _enclust.fit(encoded, callback=callback, **self._arguments)
        self.labels_, cut, told = run.cut(k)
        self._cache = {"run": run}
        self.n_clusters_ = cut["clusters"]
        self.warnings_ = [*self._about_clusterings(run), *told]
        if choice is not None and not choice["clear"]:
            self.warnings_.append(
                f"the number of clusters, {k}, is only a guess: no clear structure was found "
                f"({choice['reason']})"
            )
        self.report_ = {**run.report, "choice": choice, "second_opinion": cut["second_opinion"]}
        self.record_ = {
            "enclust": _enclust.__version__,
            "samples": encoded.total,
            "rows": encoded.samples,
            "clusterings": encoded.clusterings,
            "missing_labels": encoded.missing,
            "groups": run.groups,
            **run.parts,
            "backend": settings["backend"] or "default",
            "seed": settings["seed"],
            "report": self.report_,
            "result": cut,
            "warnings": self.warnings_,
        }
        for text in self.warnings_:
            warnings.warn(text, ConsensusWarning, stacklevel=3)

    def _about_clusterings(self, run: Any) -> list[str]:
        """What may be wrong with the clusterings that the user gave."""
        found: list[str] = run.about_clusterings()
        return found

    def _again(self) -> Any:
        """The run, after unpickling made once more."""
        check_fitted(self)
        return self._once(
            "run", lambda: _enclust.fit(self._encoded, callback=None, **self._arguments)
        )

    def _memberships(self) -> tuple[Array, ...]:
        run = self._again()
        found: tuple[Array, ...] = self._once("membership", lambda: run.membership(self.labels_))
        return found

    def _assign(self, rows: Array, noise: str) -> tuple[Array, Array]:
        """The labels and the scores of new rows."""
        run = self._again()
        new_rows = self._once("new_rows", lambda: run.new_rows(self.labels_))
        found: tuple[Array, Array] = new_rows.assign(self._encoded, rows, noise)
        return found

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    def __getstate__(self) -> dict[str, Any]:
        parent = getattr(super(), "__getstate__", None)
        state = dict(parent()) if parent is not None else dict(self.__dict__)
        state.pop("_drawn_seed", None)
        if "_cache" in state:
            state["_cache"] = {}
        return state

    @property
    def linkage_(self) -> Array | None:
        """SciPy's linkage matrix, or None if the consensus function makes no tree."""
        found: Array | None = self._again().linkage()
        return found

    @property
    def consensus_matrix_(self) -> Array:
        """The similarity that was clustered, n x n numbers. It is computed when it is read."""
        found: Array = self._again().matrix()
        return found

    @property
    def membership_(self) -> Array:
        """Soft membership of each sample in each cluster: its shares of the co-association."""
        return self._memberships()[0]

    @property
    def item_consensus_(self) -> Array:
        """Mean co-association of each sample with the others of its cluster; NaN if it is alone."""
        return self._memberships()[1]

    @property
    def margin_(self) -> Array:
        """Item consensus minus the mean co-association with the best other cluster.

        Samples with a negative margin fit another cluster better.
        """
        found: Array = self._memberships()[1] - self._memberships()[3]
        return found

    @property
    def cluster_consensus_(self) -> Array:
        """Mean co-association of the pairs in each cluster; NaN for a cluster of one sample."""
        return self._memberships()[4]

    @property
    def entropy_(self) -> Array:
        """Disagreement about each sample, from 0 to 1."""
        return self._memberships()[5]

    def ranking(self) -> dict[str, Array]:
        """Compare the base clusterings with the consensus.

        Returns
        -------
        dict
            ``agreement``, the ARI of each clustering with the consensus;
            ``rank``, from 1 for the best; ``without``, the ARI of the
            consensus with the one found without this clustering.
        """
        agreement, rank, without = self._again().ranking(self.labels_)
        return {"agreement": agreement, "rank": rank, "without": without}

    def report(self, path: str | os.PathLike[str], truth: Any = None) -> None:
        """Write a report: one HTML page that needs no network.

        It shows the similarity before and after the enhancement, the tree,
        the clusters, how sure each sample is, and how the result was found.
        An enhanced run is repeated for it.

        Parameters
        ----------
        path : path-like
            A file whose name ends in ``.html``; an existing one is replaced.
        truth : array-like of shape (n,), optional
            The true classes, for scores and comparisons.
        """
        run = self._again()
        _report.check(path)
        _report.write(path, _report.page_of(self, run, truth))

    def cut(self, n_clusters: int) -> Array:
        """Cut the same fit into another number of clusters.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        ndarray of shape (n,)
        """
        k = clusters_of(n_clusters)
        if k is None:
            raise ValueError("n_clusters must be a number")
        labels: Array = self._again().cut(k)[0]
        return labels
