"""Text files that are written completely or not at all."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tinyml.dialects.errors import InputError


class AtomicFile:
    """A file that replaces `path` only when it is complete.

    Write to `stream`, then call `keep` to move the text to `path`, or `discard` to leave everything as it was. The text
    is written to a temporary file beside `path`; a terminal, a pipe or a device is written to directly. Raises
    `InputError` if nothing can be written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        target = Path(path).resolve()
        self._final = target if target.is_file() or not target.exists() else None
        self._waiting = target if self._final is None else target.with_name(f".{target.name}.{os.getpid()}")
        try:
            self.stream: IO[str] = self._waiting.open("w", encoding="utf-8")
        except OSError as error:
            raise InputError(error.strerror or str(error), file=path) from error

    def keep(self) -> None:
        self.stream.close()
        if self._final is not None:
            os.replace(self._waiting, self._final)

    def discard(self) -> None:
        self.stream.close()
        if self._final is not None:
            self._waiting.unlink(missing_ok=True)


@contextmanager
def json_results(path: Path | None) -> Generator[list[dict[str, Any]]]:
    """A list of results, written as JSON if there is a path and the context ends without an exception.

    Raises `InputError` at the start if the file cannot be written.
    """
    file = None if path is None else AtomicFile(str(path))
    results: list[dict[str, Any]] = []
    try:
        yield results
    except BaseException:
        if file is not None:
            file.discard()
        raise
    if file is not None:
        file.stream.write(json.dumps(results, indent=2) + "\n")
        file.keep()
