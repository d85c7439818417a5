"""Temporary files and folders beside an output, which take its place once they are complete.

The name of one is `.NAME.tinyml-TOKEN`, and the process that writes it holds a lock on it. So a later run can tell the
leftovers of killed runs, which it removes, from the work of runs that still live, even in another container.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TOKEN_BYTES = 4


@dataclass
class PendingOutput:
    """A temporary file or folder that this process has locked until `release`."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Give up the lock; later calls have no effect."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def pending_file(output: Path) -> PendingOutput:
    """A new, empty file beside `output`; raises `OSError` if there can be none."""
    return _new(output, lambda path: os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)))


def pending_folder(output: Path) -> PendingOutput:
    """A new, empty folder beside `output`; raises `OSError` if there can be none."""
    return _new(output, os.mkdir)


def _new(output: Path, create: Callable[[Path], None]) -> PendingOutput:
    remove_leftovers(output)
    while True:
        path = output.with_name(f".{output.name}.tinyml-{secrets.token_hex(_TOKEN_BYTES)}")
        create(path)
        pending = PendingOutput(path, os.open(path, os.O_RDONLY))
        # Without locks, as on some network file systems, nobody removes leftovers.
        with suppress(OSError):
            fcntl.flock(pending.descriptor, fcntl.LOCK_EX)
        # Another run may have taken the path for a leftover before it was locked.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(pending.descriptor)):
                return pending
        pending.release()


def remove_leftovers(output: Path) -> None:
    """Remove what killed runs left beside `output`; what cannot be removed stays."""
    for leftover in leftovers(output, ""):
        with suppress(OSError):
            if leftover.path.is_dir():
                shutil.rmtree(leftover.path, ignore_errors=True)
            else:
                leftover.path.unlink()
        leftover.release()


def leftovers(output: Path, suffix: str) -> Iterator[PendingOutput]:
    """The temporary files and folders of `output` with a suffix whose processes have ended, each locked by this one."""
    pattern = re.compile(rf"\.{re.escape(output.name)}\.tinyml-[0-9a-f]{{{2 * _TOKEN_BYTES}}}{re.escape(suffix)}")
    with suppress(OSError):
        for name in os.listdir(output.parent):
            if pattern.fullmatch(name) and (held := hold(output.with_name(name))) is not None:
                yield held


def hold(path: Path) -> PendingOutput | None:
    """A file or folder that this process locks; None if another process has locked it, or it cannot be locked."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return PendingOutput(path, descriptor)
