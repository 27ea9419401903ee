"""Base classes: those of scikit-learn where it is installed, else small ones of the same form."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.metaestimators import available_if

    SKLEARN = True
except ImportError:
    SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator is not fitted."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by name."""

        @classmethod
        def _names(cls) -> list[str]:
            parameters = inspect.signature(cls.__init__).parameters
            return sorted(name for name in parameters if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """The parameters of this estimator.

            Parameters
            ----------
            deep : bool
                Has no effect: no parameter has parameters of its own.

            Returns
            -------
            dict
            """
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> BaseEstimator:
            """Set parameters.

            Parameters
            ----------
            **params : any
                Parameters by name.

            Returns
            -------
            self
            """
            for name, value in params.items():
                if name not in self._names():
                    raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            defaults = inspect.signature(type(self).__init__).parameters
            changed = {k: v for k, v in self.get_params().items() if v is not defaults[k].default}
            given = ", ".join(f"{name}={value!r}" for name, value in changed.items())
            return f"{type(self).__name__}({given})"

    class ClusterMixin:  # type: ignore[no-redef]
        """Fit and labels in one call."""

        def fit_predict(self, X: Any, y: Any = None, **options: Any) -> np.ndarray[Any, Any]:
            """Fit, and return the labels.

            Parameters
            ----------
            X : array-like
            y : ignored

            Returns
            -------
            ndarray of shape (n,)
            """
            labels: np.ndarray[Any, Any] = self.fit(X, **options).labels_  # type: ignore[attr-defined]
            return labels

    def available_if(check: Any) -> Any:  # type: ignore[no-redef]
        class Available:
            def __init__(self, function: Any) -> None:
                self.function = function
                self.__doc__ = function.__doc__

            def __get__(self, instance: Any, owner: Any = None) -> Any:
                if instance is None:
                    return self.function
                if not check(instance):
                    raise AttributeError(f"this {owner.__name__} has no {self.function.__name__}")
                return self.function.__get__(instance, owner)

        return Available


def check_fitted(estimator: Any) -> None:
    """An error if the estimator is not fitted."""
    if not hasattr(estimator, "labels_"):
        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator."
        )
