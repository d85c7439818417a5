"""Checkpoints of long measurements, which allow an interrupted run to resume."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_FILE: ContextVar[tuple[Path, dict[str, Any]] | None] = ContextVar("checkpoints", default=None)


@contextmanager
def checkpoints(name: str, *, resume: bool) -> Generator[Path]:
    """A context that stores the results of `remembered` in a file of the user's cache until the measurements are
    complete.

    resume: reuse the measurements of an interrupted run of the same name.

    Yields the file, which is deleted at the end unless an exception is raised.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tinyml"
    file = cache / f"calibration-{name}.jsonl"
    known: dict[str, Any] = {}
    if resume and file.exists():
        # The last line may be incomplete.
        whole = [line for line in file.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
        known = dict(json.loads(line) for line in whole)
    cache.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(item)}\n" for item in known.items()), "utf-8")
    token = _FILE.set((file, known))
    try:
        yield file
        file.unlink()
    finally:
        _FILE.reset(token)


def remembered(key: object, measure: Callable[[], T]) -> T:
    """The result of a measurement, a JSON value. Within `checkpoints`, it is measured at most once for each key.

    The string of the key must identify all inputs of the measurement.

    measure: performs the measurement.
    """
    current = _FILE.get()
    if current is None:
        return measure()
    file, known = current
    digest = hashlib.sha256(str(key).encode()).hexdigest()[:32]
    if digest not in known:
        known[digest] = measure()
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{json.dumps((digest, known[digest]))}\n")
    return known[digest]
