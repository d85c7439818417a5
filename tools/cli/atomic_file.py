"""Text files that are written completely or not at all."""

import io
import json
import os
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.protected_files import check_output
from tinyml.tools.cli.pending_output import pending_output


@contextmanager
def atomic_file(path: str | Path) -> Generator[IO[str]]:
    """A stream whose text replaces the file `path` when the context ends without an exception.

    The text is written to a temporary file beside `path`, which is removed after an exception; a terminal, a pipe or a
    device is written to directly. Raises `InputError` at once if nothing can be written and, at the start and at the
    end, for a file that must not be replaced (`check_output`).
    """
    with _atomic_bytes(path) as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
        yield text


def write_file(path: Path, content: str | bytes) -> None:
    """Replace a file by one with this content, as `atomic_file` does; text becomes UTF-8."""
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
        raise _complaint(error, path) from error
    if pending is None:
        with io.BufferedWriter(output) as stream:
            yield stream
        return
    try:
        with io.BufferedWriter(output) as stream:
            yield stream
        try:
            # By now more inputs may have been read, and the path may lead elsewhere.
            os.replace(pending.new, check_output(path))
        except OSError as error:
            raise _complaint(error, path) from error
    finally:
        pending.close()


class _Output(io.FileIO):
    """A file that reports errors of writing as `InputError`s about `shown`, since the system does not name it."""

    def __init__(self, path: Path, shown: str | Path) -> None:
        self.shown = shown
        super().__init__(path, "w")

    def write(self, text: Any) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise _complaint(error, self.shown) from error


def _complaint(error: OSError | RuntimeError, path: str | Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    return InputError(reason or str(error), file=str(Path(path)))


@contextmanager
def json_results(path: Path | None) -> Generator[list[dict[str, Any]]]:
    """A list of results, written as JSON if there is a path and the context ends without an exception.

    Raises `InputError` at the start if the file cannot be written.
    """
    results: list[dict[str, Any]] = []
    with nullcontext() if path is None else atomic_file(path) as stream:
        yield results
        if stream is not None:
            stream.write(json.dumps(results, indent=2) + "\n")
