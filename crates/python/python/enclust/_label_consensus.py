"""The consensus of given clusterings."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from enclust import _enclust
from enclust._base import BaseEstimator, ClusterMixin, check_fitted
from enclust._consensus import ConsensusResult
from enclust._labels import Encoder, is_frame
from enclust._settings import clusters_of, memory_of, threads_of, watching

Array = np.ndarray[Any, Any]


class LabelConsensus(ConsensusResult, ClusterMixin, BaseEstimator):
    """Consensus of given clusterings.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters. With ``"auto"`` it is chosen by the stability of
        draws from the clusterings.
    method : str, optional
        The method, see :func:`enclust.list_methods`; ``"lwea"`` by default.
        The parameters below replace its parts.
    ca : str or callable, optional
        Co-association matrix or other representation, for example ``"eac"``
        or ``"lwca(theta=0.3)"``, or a function ``f(labels)`` that returns an
        n x n array with values in [0, 1].
    confidence : str or callable, optional
        Choice of confident pairs, or a function ``f(A, labels)``.
    enhance : str or callable, optional
        Enhancer, for example ``"exact"``, or a function ``f(A, H)``.
    consensus : str or callable, optional
        Consensus function, for example ``"spectral"``, or a function
        ``f(A, k)`` that returns n labels.
    stop : str or callable, optional
        Stopping rule in place of the enhancer's own, or a function of a
        dictionary that returns whether to stop, see :func:`enclust.needs`.
    reduce : str or int, optional
        ``"none"``, ``"auto"`` or the largest number of label rows that may be
        left. The default, ``"auto"``, reduces more than 20,000 rows to 10,000
        for methods that hold a value for every pair of rows.
    params : dict, optional
        Parameters of the parts by their full names, such as
        ``{"enhance.lambda": 0.1}``.
    backend : str, optional
        Library for linear algebra.
    noise : {"error", "missing", "singleton"}, default="error"
        What the label -1 means, which some clusterers write for noise: an
        error, no label, or a cluster of its own.
    random_state : int, generator or None
        Seed of all random choices. None is 1.
    n_jobs : int, optional
        Number of threads; all by default. Results do not depend on it.
    memory : int or str, optional
        Refuse runs that need more than this, such as ``"4GB"``; by default
        the free memory of the machine.
    verbose : bool, default=False
        Show progress.
    callback : callable, optional
        Called with a dictionary for every event of the run. A true result
        stops it.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The clusters, numbered from 0 by first occurrence.
    n_clusters_ : int
        Number of clusters found.
    linkage_ : ndarray of shape (n - 1, 4) or None
        SciPy's linkage matrix.
    consensus_matrix_ : ndarray of shape (n, n)
        The similarity that was clustered, computed when it is read.
    membership_, item_consensus_, margin_, cluster_consensus_, entropy_ : ndarray
        How well the samples fit their clusters, computed when they are read.
    report_ : dict
        Status, iterations and certificate of the enhancement, and times.
    record_ : dict
        All parts with their parameters, for the documentation of a result.
    warnings_ : list of str
        What may be wrong with the clusterings or the result.
    n_features_in_ : int
        Number of clusterings.

    Examples
    --------
    >>> import enclust
    >>> L = [["a", 1, 5], ["a", 1, 5], ["a", 2, 5], ["b", 2, 7], ["b", 3, 7]]
    >>> found = enclust.LabelConsensus(n_clusters=2).fit(L)
    >>> found.labels_
    array([0, 0, 0, 1, 1])
    >>> found.predict([["b", 3, 5]])
    array([1])
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        method: str | None = None,
        ca: str | Callable[..., Any] | None = None,
        confidence: str | Callable[..., Any] | None = None,
        enhance: str | Callable[..., Any] | None = None,
        consensus: str | Callable[..., Any] | None = None,
        stop: str | Callable[..., Any] | None = None,
        reduce: str | int | None = None,
        params: Mapping[str, Any] | None = None,
        backend: str | None = None,
        noise: str = "error",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.ca = ca
        self.confidence = confidence
        self.enhance = enhance
        self.consensus = consensus
        self.stop = stop
        self.reduce = reduce
        self.params = params
        self.backend = backend
        self.noise = noise
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, *, sample_counts: Any = None) -> LabelConsensus:
        """Find the consensus.

        Parameters
        ----------
        X : array-like or data frame of shape (n, m)
            One row per sample, one column per clustering: numbers, text,
            categories. NaN and None are missing labels.
        y : ignored
        sample_counts : array of n integers, optional
            Number of samples that each row stands for.

        Returns
        -------
        self
        """
        self.__dict__.pop("_drawn_seed", None)
        k, settings = clusters_of(self.n_clusters), self._run_settings()
        encoder = Encoder(self.noise)
        encoded = encoder.fit(X, sample_counts, settings["threads"])
        choice = None
        if k is None:
            choice = _enclust.choose_k(
                encoded,
                None,
                settings["seed"],
                settings["threads"],
                settings["memory"],
                watching(self.verbose, None),
            )
        self._find(encoded, settings, choice)
        self._encoder = encoder
        self.n_features_in_ = encoded.clusterings
        names = names_of(X)
        if names is not None:
            self.feature_names_in_ = names
        else:
            self.__dict__.pop("feature_names_in_", None)
        return self

    def predict(self, X: Any) -> Array:
        """Label new rows by their similarity to the clusters.

        Each row gets the cluster with the highest mean co-association, with
        the weights of base clusters that the representation gives. Labels
        that no training sample has share nothing with any cluster.

        Parameters
        ----------
        X : array-like or data frame of shape (n_new, m)
            Labels by the same clusterings.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        return self._assigned(X)[0]

    def score_samples(self, X: Any) -> Array:
        """The mean co-association of new rows with the cluster that they get.

        Parameters
        ----------
        X : array-like or data frame of shape (n_new, m)

        Returns
        -------
        ndarray of shape (n_new,)
            0 for a row that is similar to no sample.
        """
        return self._assigned(X)[1]

    def _assigned(self, X: Any) -> tuple[Array, Array]:
        check_fitted(self)
        check_names(self, X)
        rows = self._encoder.new_rows(X)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but LabelConsensus is expecting "
                f"{self.n_features_in_} features as input"
            )
        return self._assign(rows, self.noise)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def names_of(X: Any) -> Array | None:
    """The names of the columns of a data frame, if all of them are text."""
    if not is_frame(X):
        return None
    names = list(X.columns)
    kinds = {isinstance(name, str) for name in names}
    if kinds == {True, False}:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            "input has names of several types. Name all columns by strings, or none."
        )
    return np.asarray(names, dtype=object) if kinds == {True} else None


def check_names(estimator: Any, X: Any) -> None:
    """Compare the names of the columns with those of the fit."""
    import warnings

    names, known = names_of(X), getattr(estimator, "feature_names_in_", None)
    kind = type(estimator).__name__
    if known is not None and names is None:
        warnings.warn(
            f"X does not have valid feature names, but {kind} was fitted with feature names",
            stacklevel=4,
        )
    elif known is None and names is not None:
        warnings.warn(
            f"X has feature names, but {kind} was fitted without feature names", stacklevel=4
        )
    elif names is not None and known is not None and list(names) != list(known):
        unseen = [name for name in names if name not in set(known)]
        missing = [name for name in known if name not in set(names)]
        message = (
            "The feature names should match those that were passed during fit.\n"
        )
        if unseen:
            message += "Feature names unseen at fit time:\n" + "".join(f"- {n}\n" for n in unseen[:5])
        if missing:
            message += "Feature names seen at fit time, yet now missing:\n"
            message += "".join(f"- {n}\n" for n in missing[:5])
        if not unseen and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)
