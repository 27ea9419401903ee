"""From features to clusterings to their consensus."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping

import numpy as np

from enclust import _enclust
from enclust._base import SKLEARN, BaseEstimator, ClusterMixin, available_if, check_fitted
from enclust._consensus import ConsensusResult
from enclust._label_consensus import check_names, names_of
from enclust._settings import clusters_of, is_whole, watching

Array = np.ndarray[Any, Any]


def _can_predict(estimator: Any) -> bool:
    if estimator.clusterings is None:
        return True
    return all(hasattr(clusterer, "predict") for clusterer in estimator.clusterings)


class EnsembleConsensus(ConsensusResult, ClusterMixin, BaseEstimator):
    """Consensus of many clusterings of the same features.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters of the consensus. With ``"auto"`` it is judged by
        comparison with data without clusters.
    clusterings : list of clusterers, optional
        Clusterers in the manner of scikit-learn, each fitted to all features
        with a ``random_state`` of its own. By default, k-means clusterings
        are made as the following parameters say.
    n_clusterings : int, default=50
        Number of k-means clusterings.
    min_clusters : int, default=2
        Smallest number of clusters of a k-means clustering.
    max_clusters : int, optional
        Largest number of clusters of a k-means clustering; the square root of
        the number of samples by default.
    max_samples : float, default=1.0
        Share of the samples on which each k-means clustering is fitted. The
        others get the nearest centre.
    max_features : float, default=1.0
        Share of the features that each k-means clustering uses.
    scale : {"none", "unit-variance"}, default="none"
        Scaling of the features for k-means.
    method, ca, confidence, enhance, consensus, stop, reduce, params, backend
        As in :class:`enclust.LabelConsensus`.
    noise : {"error", "missing", "singleton"}, default="missing"
        What the label -1 of a clusterer means.
    random_state, n_jobs, memory, verbose, callback
        As in :class:`enclust.LabelConsensus`. ``n_jobs`` is also the number
        of joblib's workers that fit ``clusterings``.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The clusters, numbered from 0 by first occurrence.
    base_labels_ : ndarray of shape (n, m)
        The labels of the clusterings; -1 is a missing label.
    clusterings_ : list
        The fitted clusterers; empty for k-means clusterings.
    n_features_in_ : int
        Number of features.
    n_clusters_, linkage_, consensus_matrix_, report_, record_, warnings_
        As in :class:`enclust.LabelConsensus`.
    membership_, item_consensus_, margin_, cluster_consensus_, entropy_
        As in :class:`enclust.LabelConsensus`.

    Examples
    --------
    >>> import numpy as np, enclust
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.3, size=(30, 2)) for c in (0, 3, 6)])
    >>> found = enclust.EnsembleConsensus(n_clusters=3).fit(X)
    >>> np.bincount(found.labels_)
    array([30, 30, 30])
    >>> found.predict([[6.1, 5.9]]) == found.labels_[-1]
    array([ True])
    """

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        clusterings: Iterable[Any] | None = None,
        n_clusterings: int = 50,
        min_clusters: int = 2,
        max_clusters: int | None = None,
        max_samples: float = 1.0,
        max_features: float = 1.0,
        scale: str = "none",
        method: str | None = None,
        ca: str | Callable[..., Any] | None = None,
        confidence: str | Callable[..., Any] | None = None,
        enhance: str | Callable[..., Any] | None = None,
        consensus: str | Callable[..., Any] | None = None,
        stop: str | Callable[..., Any] | None = None,
        reduce: str | int | None = None,
        params: Mapping[str, Any] | None = None,
        backend: str | None = None,
        noise: str = "missing",
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: int | str | None = None,
        verbose: bool = False,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clusterings = clusterings
        self.n_clusterings = n_clusterings
        self.min_clusters = min_clusters
        self.max_clusters = max_clusters
        self.max_samples = max_samples
        self.max_features = max_features
        self.scale = scale
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

    def fit(self, X: Any, y: Any = None) -> EnsembleConsensus:
        """Make clusterings and find their consensus.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Features, one row per sample.
        y : ignored

        Returns
        -------
        self
        """
        self.__dict__.pop("_drawn_seed", None)
        k, settings = clusters_of(self.n_clusters), self._run_settings()
        names = names_of(X)
        features = self._features(X, reset=True)
        self._pool: Any = None
        if self.clusterings is None:
            labels = self._kmeans_labels(features, settings)
        else:
            labels = self._own_labels(X, features, settings)
        noise = "missing" if self.clusterings is None else self.noise
        encoded = _enclust.Labels.from_array(labels, noise, None, settings["threads"])
        choice = self._choice(features, encoded, settings) if k is None else None
        self._find(encoded, settings, choice)
        self.base_labels_ = labels
        if not SKLEARN:
            self.n_features_in_ = features.shape[1]
            if names is not None:
                self.feature_names_in_ = names
        return self

    def _features(self, X: Any, reset: bool) -> Array:
        """The features as an array of finite numbers."""
        if SKLEARN:
            from sklearn.utils.validation import validate_data

            found: Array = validate_data(self, X, reset=reset, dtype=np.float64, order="C")
            return found
        if not reset:
            check_names(self, X)
        array = np.ascontiguousarray(X, dtype=np.float64)
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(f"X must have one row per sample, but has shape {array.shape}")
        bad = np.argwhere(~np.isfinite(array))
        if bad.size:
            raise ValueError(
                f"X contains NaN or infinity: row {bad[0][0]}, column {bad[0][1]} (counted from 0)"
            )
        if not reset and array.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {array.shape[1]} features, but EnsembleConsensus is expecting "
                f"{self.n_features_in_} features as input"
            )
        return array

    def _pool_settings(self, samples: int) -> dict[str, Any]:
        for name in ("n_clusterings", "min_clusters"):
            value = self.__dict__[name]
            if not is_whole(value):
                raise TypeError(f"{name} must be an integer, not {value!r}")
            if value < 1:
                raise ValueError(f"{name}={value} must be at least 1")
        if samples < 2:
            raise ValueError(
                f"clusterings need at least 2 samples, but there is only n_samples = {samples}: "
                "1 sample is not enough"
            )
        most = self.max_clusters
        if most is None:
            fitted = max(1, round(samples * float(self.max_samples)))
            most = min(fitted, max(self.min_clusters, int(np.sqrt(fitted))))
        return {
            "size": self.n_clusterings,
            "min_clusters": min(self.min_clusters, most),
            "max_clusters": most,
            "samples": float(self.max_samples),
            "features": float(self.max_features),
            "assign": "nearest",
            "scale": self.scale,
            "seed": self._seed,
        }

    def _kmeans_labels(self, features: Array, settings: dict[str, Any]) -> Array:
        self._pool = _enclust.KMeansClusterings(self._pool_settings(len(features)))
        self.clusterings_: list[Any] = []
        progress = watching(self.verbose, None)
        found: Array = self._pool.fit(features, settings["threads"], progress)
        return found

    def _own_labels(self, X: Any, features: Array, settings: dict[str, Any]) -> Array:
        from joblib import Parallel, delayed
        from sklearn.base import clone

        given = list(self.clusterings or [])
        if not given:
            raise ValueError("clusterings is empty; give clusterers, or None for k-means")
        rng = np.random.RandomState(settings["seed"] % 2**32)
        made = []
        for clusterer in given:
            own = clone(clusterer)
            if own.get_params().get("random_state", 0) is None:
                own.set_params(random_state=int(rng.randint(2**31 - 1)))
            made.append(own)
        self.clusterings_ = Parallel(n_jobs=self.n_jobs)(delayed(_fitted)(c, X) for c in made)
        labels = [np.asarray(clusterer.labels_) for clusterer in self.clusterings_]
        for position, column in enumerate(labels):
            if column.shape != (len(features),):
                raise ValueError(
                    f"clusterings[{position}] has labels of shape {column.shape}, but there are "
                    f"{len(features)} samples"
                )
        return np.column_stack(labels)

    def _about_clusterings(self, run: Any) -> list[str]:
        # Equal k-means clusterings are no mistake of the user.
        return [] if self.clusterings is None else super()._about_clusterings(run)

    def _choice(self, features: Array, encoded: Any, settings: dict[str, Any]) -> Any:
        """The number of clusters."""
        rest = (settings["seed"], settings["threads"], settings["memory"])
        if self._pool is None:
            return _enclust.choose_k(encoded, None, *rest, watching(self.verbose, None))
        most = min(20, max(2, len(features) - 1))
        return self._pool.judge(features, (2, most), *rest, watching(self.verbose, None))

    @available_if(_can_predict)
    def predict(self, X: Any) -> Array:
        """Label new samples.

        The base clusterings label the samples, and each gets the cluster with
        the highest mean co-association.

        Parameters
        ----------
        X : array-like or data frame of shape (n_new, d)

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_fitted(self)
        features = self._features(X, reset=False)
        noise = self.noise
        if self.clusterings is None:
            rows, noise = self._pool.assign(features), "missing"
        else:
            rows = np.column_stack([clusterer.predict(X) for clusterer in self.clusterings_])
        return self._assign(np.ascontiguousarray(rows), noise)[0]


def _fitted(clusterer: Any, X: Any) -> Any:
    return clusterer.fit(X)
