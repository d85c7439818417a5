"""Temporary files and folders beside an output, which take its place once they are complete.

They lie in a folder `.NAME.tinyml-TOKEN` with a mark: a file that contains the inode number of this folder and is
locked by the process that writes there. A later run can thus tell the leftovers of killed runs, which it removes, from
the work of runs that are still alive, even in another container, and from folders of the user's that have such a name.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_TOKEN_BYTES = 4

MARK = "tinyml-temporary"
"""The file that proves that a folder is one of ours."""


@dataclass
class Lock:
    """A file or folder that this process has locked until `release`."""

    descriptor: int

    def release(self) -> None:
        """Give up the lock; later calls have no effect."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


@dataclass
class PendingOutput:
    """A temporary folder that this process has made, or taken over from a killed one, and locked until `close`."""

    folder: Path
    lock: Lock

    @property
    def new(self) -> Path:
        """The path of the new file or folder, which exists once it is created."""
        return self.folder / "new"

    @property
    def old(self) -> Path:
        """The path to which an earlier output is moved before it is removed."""
        return self.folder / "old"

    def close(self) -> None:
        """Remove the folder with what is new in it, or, as long as an old output lies there, only the latter."""
        with suppress(OSError):
            if self.new.is_dir() and not self.new.is_symlink():
                shutil.rmtree(self.new, ignore_errors=True)
            else:
                self.new.unlink(missing_ok=True)
            if not os.path.lexists(self.old):
                (self.folder / MARK).unlink()
                self.folder.rmdir()
        self.lock.release()


def pending_output(output: Path) -> PendingOutput:
    """A new folder for an output, beside it; leftovers are removed. Raises `OSError` if there can be none."""
    for leftover in leftovers(output):
        leftover.close()
    folder = output.parent / f".{output.name}.tinyml-{secrets.token_hex(_TOKEN_BYTES)}"
    folder.mkdir()
    try:
        lock = Lock(os.open(folder / MARK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666))
        # Without locks, as on some network file systems, nobody removes leftovers.
        with suppress(OSError):
            fcntl.flock(lock.descriptor, fcntl.LOCK_EX)
        # Only now, so that nobody takes it for a leftover before it is locked.
        os.write(lock.descriptor, _proof(folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return PendingOutput(folder, lock)


def leftovers(output: Path) -> Iterator[PendingOutput]:
    """The temporary folders of an output whose processes have ended, each locked by this one."""
    pattern = re.compile(rf"\.{re.escape(output.name)}\.tinyml-[0-9a-f]{{{2 * _TOKEN_BYTES}}}")
    with suppress(OSError):
        for name in os.listdir(output.parent):
            folder = output.parent / name
            if not pattern.fullmatch(name) or folder.is_symlink() or (lock := hold(folder / MARK)) is None:
                continue
            with suppress(OSError):
                if os.read(lock.descriptor, 1000) == _proof(folder):
                    yield PendingOutput(folder, lock)
                    continue
            lock.release()


def _proof(folder: Path) -> bytes:
    """The content of a folder's mark; no copy of the folder has the same."""
    return f"tinyml removes this folder, inode {folder.stat().st_ino}.\n".encode()


def hold(path: Path) -> Lock | None:
    """The lock of a file or folder; None if another process has locked it, or it cannot be locked."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return Lock(descriptor)
