"""The journal of a search: a file with one outcome per line, as JSON, from which another search can resume."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import IO, Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.runtime.readers.protected_files import check_output, release_input
from tinyml.runtime.readers.regular_files import open_regular
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome

_HEAD = re.compile(rb'\{"problem": "[0-9a-f]{64}"\}\n')
"""The first line of every journal."""


class Journal:
    """The journal of one search.

    path: the path of the file; None for no journal.
    digest: the digest of the problem, which is the journal's first line.
    resume: whether the search continues from the file. Otherwise the file is overwritten. A file whose first line is
        incomplete, because the search was killed, is always overwritten.
    known: the outcomes read from the file; empty unless the search continues from it.

    Raises `InputError` for a file that cannot be read or written, and for a file that is not a journal. With `resume`,
    also raises `InputError` if there is no path, or if the journal is damaged or belongs to another problem.
    """

    def __init__(self, path: str | None, digest: str, resume: bool):
        self.known: dict[Formats, CandidateOutcome] = {}
        self._file: IO[bytes] | None = None
        check_journal(path, resume)
        if path is None:
            return
        try:
            with Path(path).open("a+b") as file:
                self._begin(file, path, _line({"problem": digest}), resume)
            self._file = Path(path).open("ab")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot open the journal: {error.strerror or error}", file=path) from error

    def write(self, formats: Formats, outcome: CandidateOutcome) -> None:
        if self._file is None:
            return
        try:
            self._file.write(_line({"formats": [str(format.type) for format in formats], **asdict(outcome)}))
            self._file.flush()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot write the journal: {reason}", file=str(self._file.name)) from error

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _begin(self, file: IO[bytes], path: str, head: bytes, resume: bool) -> None:
        file.seek(0)
        first = file.read(len(head))
        if not _HEAD.fullmatch(first + head[len(first) :]):
            raise InputError("is not a journal of a search and is not overwritten", file=path)
        whole = 0
        if resume and len(first) == len(head):
            if first != head:
                raise InputError("is the journal of another program, data set or scheme", file=path)
            # A line that a killed search left unfinished is overwritten.
            *lines, _ = file.read().split(b"\n")
            self._read(lines, path)
            whole = len(head) + sum(len(line) + 1 for line in lines)
        file.truncate(whole)
        if not whole:
            file.write(head)

    def _read(self, lines: Sequence[bytes], path: str) -> None:
        types = _Types()
        for number, line in enumerate(lines, start=2):
            try:
                entry = json.loads(line)
                formats = tuple(types[text] for text in entry.pop("formats"))
                self.known[formats] = _outcome(entry)
            # Parsers may raise any exception for lines that no search wrote.
            except Exception as error:
                raise InputError("is not a line of a journal of a search", file=path, line=number) from error


def check_journal(path: str | None, resume: bool) -> None:
    """Raise `InputError` for a journal that cannot be written, or if a search is to resume without a journal."""
    if path is None:
        if resume:
            raise InputError("resume needs a journal to go on from")
        return
    check_output(path)
    if Path(path).is_dir() or not Path(path).absolute().parent.is_dir():
        reason = errno.EISDIR if Path(path).is_dir() else errno.ENOENT
        raise InputError(f"cannot open the journal: {os.strerror(reason)}", file=path)
    if Path(path).exists():
        # Opening a pipe would wait for a reader.
        open_regular(path, "journal").close()
        # The file is read and then written: it is not an input that must be preserved.
        release_input(Path(path))


def _line(entry: dict[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _outcome(entry: dict[str, Any]) -> CandidateOutcome:
    usual = asdict(CandidateOutcome())
    # Older journals lack these fields.
    entry = {"departed": 0.0, "missed": 0.0, "metric": "", "figure": 0.0, **entry}
    if not (
        entry.keys() == usual.keys()
        and isinstance(entry["fault"], str | None)
        and all(type(entry[name]) is type(usual[name]) for name in usual.keys() - {"fault"})
        and not any(isnan(entry[name]) for name in ("error", "margin", "departed", "missed", "figure"))
        and all(0 <= entry[name] <= entry["seen"] < sys.maxsize for name in ("differ", "wrong"))
    ):
        raise ValueError("no outcome")
    return CandidateOutcome(**entry)


class _Types(dict[str, NumberFormat]):
    """A cache of number formats, keyed by the text of their types."""

    def __init__(self) -> None:
        self.context = context()

    def __missing__(self, text: str) -> NumberFormat:
        format = number_format(GuardedParser(self.context, text).parse_type())
        if format is None or str(format.type) != text:
            raise ValueError(f"{text} is not a number format")
        self[text] = format
        return format
