"""Folders for temporary files. If a disk is full, the error names the folder in which the user can free space."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tinyml.dialects.errors import InputError

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def temporary_folder() -> Generator[Path]:
    """A context with a new folder, which is removed at the end of the context.

    If a disk is full, raises an `InputError` that names the parent folder. An error that already names a file is raised
    unchanged; errors of `write` name no file.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            yield Path(folder)
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        message = f"{error.strerror}; TMPDIR names another folder for temporary files"
        raise InputError(message, file=tempfile.gettempdir()) from error
