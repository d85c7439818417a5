"""The C core: branch_and_bound.c, compiled and cached at first use, with the same answers as branch_and_bound.py."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tinyml.transforms.buffers.packing.branch_and_bound import Outcome, SearchOutcome
from tinyml.transforms.buffers.packing.grid import Grid

SOURCE = Path(__file__).with_name("branch_and_bound.c")
FLAGS = ("-std=c99", "-O2", "-shared", "-fPIC")
_OUT_OF_MEMORY = 4


@cache
def library() -> ctypes.CDLL | None:
    """The compiled core; None without a C compiler, or if nothing can be written or loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    source = SOURCE.read_bytes()
    key = hashlib.sha256(b"\0".join([source, compiler.encode(), *map(str.encode, FLAGS)])).hexdigest()[:16]
    try:
        folder = _cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        built = folder / f"branch_and_bound-{key}.so"
        if not built.exists():
            _build(compiler, built)
        return ctypes.CDLL(str(built))
    except (OSError, subprocess.SubprocessError):
        return None


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tinyml"


def _build(compiler: str, built: Path) -> None:
    """Compiles beside the final path and renames, so that two processes may do so at once."""
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        made = Path(folder) / built.name
        subprocess.run([compiler, *FLAGS, "-o", made, SOURCE], check=True, capture_output=True)
        os.replace(made, built)


def search(core: ctypes.CDLL, grid: Grid, capacity: int, nodes: int, seconds: float) -> SearchOutcome:
    """Searches like `branch_and_bound.search`; STOPPED after so many seconds, and by Ctrl-C at once."""
    count = len(grid.sizes)

    def numbers(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
        return (ctypes.c_int64 * count)(*values)

    offsets, used, stop = numbers([0] * count), ctypes.c_int64(0), ctypes.c_int(0)
    problem = [numbers(values) for values in (grid.sizes, grid.alignments, grid.first, grid.last)]
    limits = [ctypes.c_int64(capacity), ctypes.c_int64(nodes)]
    outcome: list[int] = []

    def run() -> None:
        call: Any = core.tm_branch_and_bound
        arguments = [count, grid.sections, *problem, *limits, ctypes.byref(stop), offsets, ctypes.byref(used)]
        outcome.append(call(*arguments))

    # In a thread of its own, because Python handles Ctrl-C only between its own instructions.
    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    try:
        worker.join(None if seconds == math.inf else seconds)
    finally:
        stop.value = 1
        worker.join()
    if outcome == [_OUT_OF_MEMORY]:
        raise MemoryError
    ended = Outcome(outcome[0])
    return SearchOutcome(ended, tuple(offsets) if ended is Outcome.FOUND else (), used.value)
