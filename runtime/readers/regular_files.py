"""Access to regular files, which are read up to a size limit. Opening a path never blocks on a pipe or a device."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.runtime.readers.protected_files import note_input

_LEAST_BYTES, _BYTES_PER_ELEMENT = 2**20, 4
"""The base limit on bytes of text, and its growth per allowed element: enough for 16-bit constants in hexadecimal."""

_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of the text that replaces a file in Git until Git LFS fetches it."""

_KINDS = ((stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"), (stat.S_ISCHR, "device"), (stat.S_ISBLK, "device"))


def open_regular(path: str | Path, what: str) -> BinaryIO:
    """Open a regular file, or a link to a regular file, for reading, and return it. The file is recorded as an input of
    the command.

    what: a description of the content, for messages.

    Raises `InputError` for a file that cannot be read, for a Git LFS pointer and, without blocking, for a path that is
    not a regular file.
    """
    try:
        _check_kind(os.stat(path).st_mode, path, what)
        # The file may have become a pipe since the first check; a plain `open` would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            _check_kind(status.st_mode, path, what)
        except (InputError, OSError):
            os.close(descriptor)
            raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"cannot read the {what}: {reason or error}", file=str(path)) from error
    note_input(path, status)
    stream = os.fdopen(descriptor, "rb")
    try:
        is_pointer = stream.peek(len(_POINTER)).startswith(_POINTER)
    except OSError as error:
        stream.close()
        raise InputError(f"cannot read the {what}: {error.strerror or error}", file=str(path)) from error
    if is_pointer:
        stream.close()
        raise InputError(f"the {what} is a pointer of Git LFS: fetch the file with 'git lfs pull'", file=str(path))
    return stream


def _check_kind(mode: int, path: str | Path, what: str) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "special file")
        raise InputError(f"cannot read the {what}: expected a regular file, not a {kind}", file=str(path))


def read_bytes(path: str | Path, what: str) -> bytes:
    """The content of a file as bytes.

    what: a description of the content, for messages.

    Raises `InputError` for a file that is not regular, cannot be read, or exceeds the limit.
    """
    limit = _LEAST_BYTES + _BYTES_PER_ELEMENT * ELEMENT_LIMIT.get()
    with open_regular(path, what) as stream:
        size = os.fstat(stream.fileno()).st_size
        try:
            # System files, e.g. in /proc, do not report their size.
            content = stream.read(limit + 1) if size <= limit else None
        except OSError as error:
            raise InputError(f"cannot read the {what}: {error.strerror or error}", file=str(path)) from error
    if content is None or len(content) > limit:
        raise InputError(f"the {what} has more than {limit} bytes; --max-elements raises the limit", file=str(path))
    return content
