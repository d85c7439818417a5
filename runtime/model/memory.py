"""A check, before allocation, that there is enough memory to process a data set."""

from __future__ import annotations

import os
import resource
from pathlib import Path

from tinyml.dialects.errors import InputError

RESERVE = 160 << 20
"""Bytes reserved for temporary arrays of some samples and for the buffers of a BLAS library.

A BLAS library that runs out of memory prints its own message and terminates the process.
"""

_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_USED = ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes")


def require_memory(task: str, samples: int, each: int, file: str | None = None) -> None:
    """Raise `InputError` if there is not enough memory to process a data set.

    task: a gerund for the message, such as `reading`.
    samples: the number of samples.
    each: the number of bytes per sample.
    file: the data set, for the message.
    """
    free = free_memory()
    if free is None or samples * each + RESERVE <= free:
        return
    need, fitting = samples * each + RESERVE, max(free - RESERVE, 0) // each
    cure = f"give at most {fitting:,} samples" if fitting else "raise the limit on memory"
    raise InputError(
        f"{task} {samples:,} samples takes about {_spelled(need)} of memory, {_spelled(free)} are free: {cure}",
        file=file,
    )


def free_memory() -> int | None:
    """The number of bytes that this process may still allocate; None if unknown.

    It is the least of the limits of the process, of its control group and of the system. Memory that the system can
    reclaim, such as its file cache, counts as free.
    """
    bounds: list[int] = []
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and (mapped := _first_number("/proc/self/statm")) is not None:
        bounds.append(limit - mapped * os.sysconf("SC_PAGE_SIZE"))
    for limit_file, used_file in zip(_LIMITS, _USED, strict=True):
        if (allowed := _first_number(limit_file)) is not None and (used_bytes := _first_number(used_file)) is not None:
            bounds.append(allowed - used_bytes)
    available = [line.split()[1] for line in _text("/proc/meminfo").splitlines() if line.startswith("MemAvailable:")]
    bounds += [int(kilobytes) << 10 for kilobytes in available]
    return max(min(bounds), 0) if bounds else None


def _first_number(file: str) -> int | None:
    first = _text(file).partition(" ")[0].strip()
    return int(first) if first.isdecimal() else None


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _spelled(bytes: int) -> str:
    return f"{bytes / 1e9:.1f} GB" if bytes >= 1e9 else f"{bytes / 1e6:.0f} MB"
