"""The C code of the packing algorithms, which is compiled and cached at first use. It returns the same results as
branch_and_bound.py and greedy.py.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from tinyml.transforms.buffers.packing.branch_and_bound import Outcome, SearchOutcome
from tinyml.transforms.buffers.packing.grid import Grid

SOURCES = tuple(Path(__file__).with_name(name) for name in ("branch_and_bound.c", "greedy.c"))
HEADERS = (Path(__file__).with_name("failed_states.h"),)
FLAGS = ("-std=c99", "-O2", "-shared", "-fPIC")
_DONE, _OUT_OF_MEMORY = 0, 4


@cache
def library() -> ctypes.CDLL | None:
    """The compiled C code. None if there is no C compiler, or if the library cannot be written or loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    sources = [source.read_bytes() for source in (*SOURCES, *HEADERS)]
    key = hashlib.sha256(b"\0".join([*sources, compiler.encode(), *map(str.encode, FLAGS)])).hexdigest()[:16]
    try:
        folder = _cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        built = folder / f"packing-{key}.so"
        if not built.exists():
            _build(compiler, built)
        return ctypes.CDLL(str(built))
    except (OSError, subprocess.SubprocessError):
        return None


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tinyml"


def _build(compiler: str, built: Path) -> None:
    """Compile the C code in the folder of the path `built`, and then rename the library to this path. Two processes may
    therefore compile at the same time.
    """
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        made = Path(folder) / built.name
        subprocess.run([compiler, *FLAGS, "-o", made, *SOURCES], check=True, capture_output=True)
        os.replace(made, built)


def search(core: ctypes.CDLL, grid: Grid, capacity: int, nodes: int, seconds: float) -> SearchOutcome:
    """Search as `branch_and_bound.search` does. The outcome is STOPPED after the given seconds. Ctrl-C stops the search
    immediately and raises `KeyboardInterrupt`.
    """
    offsets, used = _numbers([0] * len(grid.sizes)), ctypes.c_int64(0)
    limits = [ctypes.c_int64(capacity), ctypes.c_int64(nodes)]
    arguments = [*_overlaps(grid), *_constraints(grid), *limits]
    ended = Outcome(_run(core.tm_branch_and_bound, grid, arguments, [offsets, ctypes.byref(used)], seconds))
    return SearchOutcome(ended, tuple(offsets) if ended is Outcome.FOUND else (), used.value)


def _overlaps(grid: Grid) -> list[ctypes.Array[ctypes.c_int64]]:
    each = [grid.overlaps.get(b, {}) for b in range(len(grid.sizes))]
    savings = [grid.savings.get(b, (0, first - 1)) for b, first in enumerate(grid.first)]
    starts = accumulate((len(operands) for operands in each), initial=0)
    operands = [operand for overlaps in each for operand in overlaps]
    distances = [distance for overlaps in each for distance in overlaps.values()]
    least = [size - saved for size, (saved, _) in zip(grid.sizes, savings, strict=True)]
    shared = [until for _, until in savings]
    return [_numbers(values) for values in ([*starts], operands, distances, least, shared)]


def _constraints(grid: Grid) -> list[Any]:
    idle = None
    if grid.idle:
        idle = (ctypes.c_ubyte * (len(grid.sizes) * grid.sections))()
        for b, sections in grid.idle.items():
            for x in sections:
                idle[b * grid.sections + x] = 1
    return [idle, _numbers([grid.pinned.get(b, -1) for b in range(len(grid.sizes))])]


def place(core: ctypes.CDLL, grid: Grid, order: Sequence[int], tightest: bool, seconds: float) -> list[int] | None:
    """The offsets of buffers in units, placed in the given order. None if this takes more than `seconds`.

    tightest: true for best fit, false for first fit.
    """
    offsets = _numbers([0] * len(grid.sizes))
    arguments = [_numbers(order), ctypes.c_int(tightest)]
    return list(offsets) if _run(core.tm_greedy, grid, arguments, [offsets], seconds) == _DONE else None


def _numbers(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(values))(*values)


def _run(function: Any, grid: Grid, arguments: list[Any], results: list[Any], seconds: float) -> int:
    """Call a C function with the grid, `arguments`, a flag that stops it, and `results`. The flag is set after
    `seconds`. Return the function's result. Raises `MemoryError` if the function could not allocate memory.
    """
    problem = [_numbers(values) for values in (grid.sizes, grid.alignments, grid.first, grid.last)]
    stop = ctypes.c_int(0)
    outcome: list[int] = []

    def run() -> None:
        outcome.append(function(len(grid.sizes), grid.sections, *problem, *arguments, ctypes.byref(stop), *results))

    # A separate thread, because Python handles Ctrl-C only between its own instructions.
    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    try:
        worker.join(None if seconds > threading.TIMEOUT_MAX else max(seconds, 0))
    finally:
        stop.value = 1
        worker.join()
    if outcome == [_OUT_OF_MEMORY]:
        raise MemoryError
    return outcome[0]
