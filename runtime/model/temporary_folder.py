"""Folders for temporary files, whose errors name a place that a user can do something about."""

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
    """A new folder that is removed at the end; raises `InputError`, with the folder around it, if a disk is full.

    An error of `write` says of no file that there was no room for it.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
            yield Path(folder)
    except OSError as error:
        if error.errno not in _FULL or error.filename is not None:
            raise
        message = f"{error.strerror}; TMPDIR names another folder for temporary files"
        raise InputError(message, file=tempfile.gettempdir()) from error
