"""A progress display."""

from __future__ import annotations

import sys
from typing import Any, Callable


class Progress:
    """Shows stages, iterations and finished work with tqdm, or as lines without it."""

    def __init__(self, callback: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.callback = callback
        self.needs = list(getattr(callback, "needs", ()))
        self.bar: Any = None
        self.stage = ""
        try:
            from tqdm.auto import tqdm

            self.tqdm: Any = tqdm
        except ImportError:
            self.tqdm = None

    def __call__(self, event: dict[str, Any]) -> Any:
        self._show(event)
        return self.callback(event) if self.callback is not None else None

    def _show(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "stage":
            self._close()
            self.stage = event["stage"]
            if self.tqdm is None:
                print(f"enclust: {self.stage}", file=sys.stderr)
        elif kind == "progress" and event["total"]:
            self._at(event["done"], event["total"])
        elif kind == "iteration":
            self._at(event["iteration"], None)
        elif kind == "end":
            self._close()

    def _at(self, done: int, total: int | None) -> None:
        if self.tqdm is None:
            return
        if self.bar is None or self.bar.total != total:
            self._close()
            self.bar = self.tqdm(total=total, desc=f"enclust {self.stage}".rstrip(), leave=False)
        self.bar.n = done
        self.bar.refresh()

    def _close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
