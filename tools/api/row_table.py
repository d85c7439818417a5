"""Growing tables of measurements: CSV files with one row per measurement, from which an interrupted process resumes."""

from __future__ import annotations

import csv
import fcntl
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, Protocol, Self, TypeVar, get_args, get_type_hints

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.protected_files import check_output


class Row(Protocol):
    """A dataclass with a key, a hash of everything that the row depends on."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Row)


class RowTable(Generic[R]):
    """Rows of measurements in a CSV file, by their keys. The table is a context manager that closes the file.

    path: None for no file.
    kind: the dataclass of rows, whose fields are texts, numbers or None, and the last of which is `key`.
    writer: what writes such files, for messages.

    Undecodable bytes are preserved. Several processes may append to one file; `flock` prevents interleaved rows.

    Raises `InputError` for a file that cannot be read or written, and for a file with other columns.
    """

    def __init__(self, path: str | Path | None, kind: type[R], writer: str):
        self.rows: dict[str, R] = {}
        self._file: BinaryIO | None = None
        self._names = [field.name for field in fields(kind)]
        other = f"is not a table of {writer} and is not overwritten"
        if path is None:
            return
        head, file = f"{','.join(self._names)}\n".encode(), Path(path)
        check_output(str(file))
        try:
            with ExitStack() as stack:
                opened = stack.enter_context(file.open("a+b"))
                with _locked(opened):
                    opened.seek(0)
                    whole = opened.read()
                    if whole and not whole.startswith(head):
                        raise InputError(other, file=str(file))
                    # An incomplete row of an interrupted process is measured again.
                    finished = whole[: whole.rfind(b"\n") + 1]
                    text = StringIO(finished.decode("utf-8", "backslashreplace"), newline="")
                    self.rows = {row.key: row for row in (_read(kind, texts) for texts in csv.DictReader(text))}
                    if len(finished) < len(whole):
                        opened.truncate(len(finished))
                    opened.write(b"" if finished else head)
                    opened.flush()
                self._file = opened
                stack.pop_all()
        except OSError as error:
            raise InputError(f"cannot write the table: {error.strerror or error}", file=str(file)) from error
        except (ValueError, TypeError, csv.Error) as error:
            raise InputError(other, file=str(file)) from error

    def add(self, row: R) -> None:
        if self._file is not None:
            text = StringIO(newline="")
            csv.DictWriter(text, self._names, lineterminator="\n").writerow(asdict(row))
            try:
                with _locked(self._file):
                    self._file.write(text.getvalue().encode("utf-8", "backslashreplace"))
                    self._file.flush()
            except OSError as error:
                raise InputError(f"cannot write the table: {error.strerror or error}", file=self._file.name) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


@contextmanager
def _locked(file: BinaryIO) -> Generator[None]:
    """A context in which no other process changes a file. On file systems without locks, the file is not protected."""
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def _read(kind: type[R], texts: Mapping[str, str]) -> R:
    """Parse a row from the texts of its fields; raises `ValueError` for texts that do not form a row."""
    types = get_type_hints(kind)
    if texts.keys() != types.keys():
        raise ValueError(f"expected {len(types)} columns")
    values: dict[str, Any] = {
        name: None if text == "" else (get_args(types[name]) or (types[name],))[0](text) for name, text in texts.items()
    }
    return kind(**values)
