"""Folders that are written completely or not at all, and replace only what may be removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.protected_files import check_output
from tinyml.tools.cli.pending_output import PendingOutput, hold, leftovers, pending_output

RemovableFiles = Callable[[Path], Sequence[str]]
"""The files of an existing folder, relative to it; raises `InputError` unless all its contents may be removed.

Files are removed in this order, so that a removal that was cut short can go on.
"""


@contextmanager
def atomic_folder(out: Path, removable: RemovableFiles) -> Generator[Path]:
    """A temporary folder beside `out` that replaces it if the context ends without an exception.

    The folder `out` is renamed aside, the new one moved in, and then the removable files of the old one are deleted:
    whatever fails, one of the two is whole. Leftovers of killed runs are removed; an old folder that one of them had
    renamed is moved back. Raises `InputError` if `out` must not be removed, at the start and at the end, and if it
    cannot be written.
    """
    with ExitStack() as cleanup:
        try:
            # A symbolic link is kept; the folder that it points to is replaced.
            final = check_output(out)
            _restore(final, removable)
            _check(final, out, removable)
            _make_parents(final, cleanup)
            pending = pending_output(final)
            cleanup.callback(pending.close)
            pending.new.mkdir()
        except (OSError, RuntimeError) as error:
            raise _complaint(error, out) from error
        yield pending.new
        _replace(final, out, pending, removable)


def only_empty(folder: Path) -> Sequence[str]:
    """The `RemovableFiles` for folders that are only replaced if they are empty."""
    if any(folder.iterdir()):
        raise InputError("the folder is not empty", file=str(folder))
    return ()


def _complaint(error: OSError | RuntimeError, out: Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    return InputError(f"cannot write there: {reason or error}", file=str(out))


def _check(final: Path, out: Path, removable: RemovableFiles) -> Sequence[str]:
    """The removable files of a folder that may be replaced or does not exist; errors name it as the user does."""
    if not os.path.lexists(final):
        return ()
    if not final.is_dir():
        raise InputError("exists already and is no folder", file=str(out))
    if final.is_mount():
        raise InputError("is a mount point, which cannot be replaced: choose a folder in it", file=str(out))
    try:
        return removable(final)
    except InputError as error:
        raise InputError(error.message, file=str(out)) from error


def _make_parents(final: Path, cleanup: ExitStack) -> None:
    """Make the folders above the output; those that are still empty at the end are removed."""
    for parent in reversed(final.parents):
        if not parent.exists():
            parent.mkdir()
            cleanup.callback(_remove_empty, parent)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _replace(final: Path, out: Path, pending: PendingOutput, removable: RemovableFiles) -> None:
    try:
        files = _check(final, out, removable)
        if not final.exists():
            pending.new.rename(final)
            return
        if (held := hold(final)) is None:
            raise InputError("another run is replacing this folder", file=str(out))
        try:
            final.rename(pending.old)
            try:
                pending.new.rename(final)
            except BaseException:
                pending.old.rename(final)
                raise
            _remove(pending.old, files)
        finally:
            held.release()
    except OSError as error:
        rest = f"; the earlier output lies in {pending.old}" if pending.old.exists() else ""
        raise InputError(f"cannot be replaced: {error.strerror or error}{rest}", file=str(out)) from error


def _restore(final: Path, removable: RemovableFiles) -> None:
    """Move an old folder back that a killed run had renamed, or finish its removal."""
    for leftover in leftovers(final):
        # Files that may not be removed stay, even here.
        with suppress(OSError, InputError):
            if not leftover.old.exists():
                pass
            elif final.exists():
                _remove(leftover.old, removable(leftover.old))
            else:
                leftover.old.rename(final)
        leftover.close()


def _remove(folder: Path, files: Sequence[str]) -> None:
    """Remove files and then the folders that held them; raises `OSError` if anything else lies there."""
    for file in files:
        (folder / file).unlink(missing_ok=True)
    for parent, _, _ in os.walk(folder, topdown=False):
        os.rmdir(parent)
