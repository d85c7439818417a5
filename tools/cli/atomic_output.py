"""Files and folders that are written completely or not at all.

New content is written to a folder `.NAME.tinyml-TOKEN` next to the output and moved into place once it is complete. The
folder has a mark: a file that contains the inode number of the folder and is locked by the writing process. The mark
distinguishes the leftovers of killed runs, which a later run removes, from the work of active runs, even in another
container, and from a user's folders with a similar name.

A run may be killed before it writes the mark. Its folder is then empty or contains an empty mark. The token in its name
identifies it, since the second half of a token is a checksum of its first half.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.protected_files import check_output

_RANDOM_BYTES = 4

MARKER_FILE = "tinyml-temporary"
"""The file that identifies a folder as a temporary output."""


@dataclass
class Lock:
    """A file or folder that this process has locked until `release`."""

    descriptor: int

    def release(self) -> None:
        """Release the lock; later calls have no effect."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


@dataclass
class PendingOutput:
    """A temporary folder that this process created, or took over from a killed run, and that it locks until `close`."""

    folder: Path
    lock: Lock

    @property
    def new(self) -> Path:
        """The path of the new file or folder, which the writer creates."""
        return self.folder / "new"

    @property
    def old(self) -> Path:
        """The path to which an earlier output is moved before it is removed."""
        return self.folder / "old"

    def close(self) -> None:
        """Remove the new output and release the lock.

        Also remove the folder, unless it still contains an old output.
        """
        with suppress(OSError):
            if self.new.is_dir() and not self.new.is_symlink():
                shutil.rmtree(self.new, ignore_errors=True)
            else:
                self.new.unlink(missing_ok=True)
            if not os.path.lexists(self.old):
                (self.folder / MARKER_FILE).unlink()
                self.folder.rmdir()
        self.lock.release()


def pending_output(output: Path) -> PendingOutput:
    """Create a temporary folder next to an output and remove leftovers. Raises `OSError` if it cannot be created."""
    for stale in stale_outputs(output):
        stale.close()
    while (pending := _marked(_temporary(output, secrets.token_hex(_RANDOM_BYTES)))) is None:
        pass
    return pending


def _temporary(output: Path, random: str) -> Path:
    """The path of a temporary folder. Its name ends in a checksum, so that no other name has this form by chance."""
    check = hashlib.sha256(random.encode()).hexdigest()[: len(random)]
    return output.parent / f".{output.name}.tinyml-{random}{check}"


def _marked(folder: Path) -> PendingOutput | None:
    """Create a temporary folder and its mark, and return the folder with its lock. Returns None if another run removed
    the folder as a leftover.
    """
    folder.mkdir()
    lock = Lock(-1)
    try:
        lock.descriptor = os.open(folder / MARKER_FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        # Without locks, as on some network file systems, no run removes leftovers.
        with suppress(OSError):
            fcntl.flock(lock.descriptor, fcntl.LOCK_EX)
        # Written last: a folder without its proof counts as a leftover only while its mark is not locked.
        os.write(lock.descriptor, _proof(folder))
        (folder / MARKER_FILE).stat()
    except FileNotFoundError:
        lock.release()
        return None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
        raise
    return PendingOutput(folder, lock)


def stale_outputs(output: Path) -> Iterator[PendingOutput]:
    """Yield the temporary folders of an output whose processes have ended; this process locks each of them.

    Folders of runs that were killed before they wrote the mark are removed.
    """
    pattern = re.compile(rf"\.{re.escape(output.name)}\.tinyml-([0-9a-f]{{{2 * _RANDOM_BYTES}}})[0-9a-f]+")
    with suppress(OSError):
        for name in os.listdir(output.parent):
            folder, match = output.parent / name, pattern.fullmatch(name)
            if match is None or folder != _temporary(output, match[1]) or folder.is_symlink():
                continue
            with suppress(OSError):
                folder.rmdir()
                continue
            if (lock := hold(folder / MARKER_FILE)) is None:
                continue
            with suppress(OSError):
                proof = os.read(lock.descriptor, 1000)
                if proof == _proof(folder):
                    yield PendingOutput(folder, lock)
                    continue
                if not proof and os.listdir(folder) == [MARKER_FILE]:
                    (folder / MARKER_FILE).unlink()
                    folder.rmdir()
            lock.release()


def _proof(folder: Path) -> bytes:
    """The content of a folder's mark. A copy of the folder has different content."""
    return f"tinyml removes this folder, inode {folder.stat().st_ino}.\n".encode()


def hold(path: Path) -> Lock | None:
    """Lock a file or folder, and return the lock. None if another process has locked it, or if it cannot be locked."""
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


@contextmanager
def atomic_file(path: str | Path) -> Generator[IO[str]]:
    """A context that yields a stream, whose text replaces the file `path` at the end unless an exception is raised.

    The text is written to a temporary file next to `path`, which is removed after an exception. Terminals, pipes and
    devices are written directly. Raises `InputError` at the start if the file cannot be written. Raises it at the start
    and at the end for a file that must not be replaced (`check_output`).
    """
    with _atomic_bytes(path) as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
        yield text


def is_inside(name: str) -> bool:
    """Whether a name is a relative path without `..` that consists of printable characters."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts and name.isprintable()


def write_file(path: Path, content: str | bytes) -> None:
    """Replace the content of a file, as `atomic_file` does; text is encoded as UTF-8."""
    with _atomic_bytes(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def _atomic_bytes(path: str | Path) -> Generator[IO[bytes]]:
    try:
        final = check_output(path)
        pending = pending_output(final) if final.is_file() or not final.exists() else None
        try:
            output = _Output(final if pending is None else pending.new, path)
        except OSError:
            if pending is not None:
                pending.close()
            raise
    except (OSError, RuntimeError) as error:
        raise _file_complaint(error, path) from error
    if pending is None:
        with io.BufferedWriter(output) as stream:
            yield stream
        return
    try:
        with io.BufferedWriter(output) as stream:
            yield stream
        try:
            # Check again: more inputs may have been read by now, and the path may lead elsewhere.
            os.replace(pending.new, check_output(path))
        except OSError as error:
            raise _file_complaint(error, path) from error
    finally:
        pending.close()


class _Output(io.FileIO):
    """A file whose write errors become `InputError`s about the path `shown`, because the system's errors do not
    name the path.
    """

    def __init__(self, path: Path, shown: str | Path) -> None:
        self.shown = shown
        super().__init__(path, "w")

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise _file_complaint(error, self.shown) from error


def _file_complaint(error: OSError | RuntimeError, path: str | Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    return InputError(reason or str(error), file=str(Path(path)))


@contextmanager
def json_results(path: Path | None) -> Generator[list[dict[str, Any]]]:
    """A context that yields a list of results, which is written as JSON at the end if a path is given and no exception
    is raised.

    Raises `InputError` at the start if the file cannot be written.
    """
    results: list[dict[str, Any]] = []
    with nullcontext() if path is None else atomic_file(path) as stream:
        yield results
        if stream is not None:
            stream.write(json.dumps(results, indent=2) + "\n")


RemovableFiles = Callable[[Path], Sequence[str]]
"""The files of an existing folder, relative to it; raises `InputError` unless all its contents may be removed.

Files are removed in this order, so that an interrupted removal can resume.
"""


KeptFiles = Callable[[Path], Sequence[str]]
"""The files of an existing folder, relative to it, that are moved to the folder that replaces it."""


def _none(folder: Path) -> Sequence[str]:
    return ()


@contextmanager
def atomic_folder(out: Path, removable: RemovableFiles, kept: KeptFiles = _none) -> Generator[Path]:
    """A context that yields a temporary folder next to `out`, which replaces `out` at the end unless an exception is
    raised.

    The folder `out` is renamed, the new folder is moved to `out`, and then the kept files of the old folder are moved
    to the new one and the removable files are deleted. After any failure, one of the two folders is complete. Leftovers
    of killed runs are removed; an old folder that such a run had renamed is moved back. Raises `InputError` if `out`
    must not be removed, at the start and at the end, if a new file has the name of a kept one, and if `out` cannot be
    written.
    """
    with ExitStack() as cleanup:
        try:
            # A symbolic link is preserved; the folder that it points to is replaced.
            final = check_output(out)
            _restore(final, removable, kept)
            _check(final, out, removable)
            _make_parents(final, cleanup)
            pending = pending_output(final)
            cleanup.callback(pending.close)
            pending.new.mkdir()
        except (OSError, RuntimeError) as error:
            raise _folder_complaint(error, out) from error
        yield pending.new
        _replace(final, out, pending, removable, kept)


def only_empty(folder: Path) -> Sequence[str]:
    """A `RemovableFiles` function for outputs that may replace only an empty folder.

    Returns no files; raises `InputError` for a folder that is not empty.
    """
    if any(folder.iterdir()):
        raise InputError("the folder is not empty", file=str(folder))
    return ()


def _folder_complaint(error: OSError | RuntimeError, out: Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    return InputError(f"cannot write there: {reason or error}", file=str(out))


def _check(final: Path, out: Path, removable: RemovableFiles) -> Sequence[str]:
    if not os.path.lexists(final):
        return ()
    if not final.is_dir():
        raise InputError("already exists and is not a folder", file=str(out))
    if final.is_mount():
        raise InputError("is a mount point, which cannot be replaced: choose a folder in it", file=str(out))
    try:
        return removable(final)
    except InputError as error:
        # One error in the traceback of a Python program, which names the folder as the user does.
        raise InputError(error.message, file=str(out)) from None


def _make_parents(final: Path, cleanup: ExitStack) -> None:
    for parent in reversed(final.parents):
        if not parent.exists():
            parent.mkdir()
            cleanup.callback(_remove_empty, parent)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _replace(final: Path, out: Path, pending: PendingOutput, removable: RemovableFiles, kept: KeptFiles) -> None:
    try:
        files = _check(final, out, removable)
        if not final.exists():
            pending.new.rename(final)
            return
        moved = kept(final)
        for name in moved:
            places = [Path(name), *Path(name).parents[:-1]]
            if os.path.lexists(pending.new / name) or any((pending.new / place).is_file() for place in places):
                raise InputError(f"contains {name}, which the new output contains, too: move it", file=str(out))
        if (held := hold(final)) is None:
            raise InputError("another run is replacing this folder", file=str(out))
        try:
            final.rename(pending.old)
            try:
                pending.new.rename(final)
            except BaseException:
                pending.old.rename(final)
                raise
            _move(pending.old, final, moved)
            _remove(pending.old, files)
        finally:
            held.release()
    except OSError as error:
        rest = f"; the earlier output lies in {pending.old}" if pending.old.exists() else ""
        raise InputError(f"cannot be replaced: {error.strerror or error}{rest}", file=str(out)) from error


def _move(old: Path, final: Path, files: Sequence[str]) -> None:
    """Move files, links and empty folders from one folder to another, with the folders that contain them. What exists
    there already is newer, and stays.
    """
    for file in files:
        (final / file).parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(final / file):
            (old / file).rename(final / file)


def _restore(final: Path, removable: RemovableFiles, kept: KeptFiles) -> None:
    """Move back an old folder that a killed run had renamed, or finish its removal."""
    for stale in stale_outputs(final):
        # Files that are not removable are preserved even here.
        with suppress(OSError, InputError):
            if not stale.old.exists():
                pass
            elif final.exists():
                files = removable(stale.old)
                _move(stale.old, final, kept(stale.old))
                _remove(stale.old, files)
            else:
                stale.old.rename(final)
        stale.close()


def _remove(folder: Path, files: Sequence[str]) -> None:
    """Remove files and then the folders that contained them; raises `OSError` if the folders have other content."""
    for file in files:
        (folder / file).unlink(missing_ok=True)
    for parent, _, _ in os.walk(folder, topdown=False):
        os.rmdir(parent)
