"""A file that remembers the outcomes of candidates, one JSON object in each line, so that a search can go on later."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.formats.evaluation.outcomes import Outcome

_HEAD = re.compile(rb'\{"problem": "[0-9a-f]{64}"\}\n')
"""The first line of every journal."""


class Journal:
    """path: None for one that nothing is written to. digest: that of the problem; its journal is begun with it.

    known: the outcomes that stand in it, where the search resumes another; without `resume` it is begun anew, as is one
    whose first line a killed search wrote half. Raises `InputError` for a file that cannot be read or written, for one
    that is no journal, for one to resume that is damaged or that of another problem, and for none to resume.
    """

    def __init__(self, path: str | None, digest: str, resume: bool):
        self.known: dict[Formats, Outcome] = {}
        self._file: IO[bytes] | None = None
        if path is None:
            if resume:
                raise InputError("resume needs a journal to go on from")
            return
        try:
            with Path(path).open("a+b") as file:
                self._begin(file, path, _line({"problem": digest}), resume)
            self._file = Path(path).open("ab")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"cannot open the journal: {error.strerror or error}", file=path) from error

    def write(self, formats: Formats, outcome: Outcome) -> None:
        if self._file is not None:
            self._file.write(_line({"formats": [str(one.type) for one in formats], **asdict(outcome)}))
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _begin(self, file: IO[bytes], path: str, head: bytes, resume: bool) -> None:
        """Leave in a file what the search goes on from."""
        file.seek(0)
        found = file.read(len(head))
        if not _HEAD.fullmatch(found + head[len(found) :]):
            raise InputError("is no journal of a search and is not written over", file=path)
        whole = 0
        if resume and len(found) == len(head):
            if found != head:
                raise InputError("is the journal of another program, data set or scheme", file=path)
            # What a killed search wrote half is written over.
            *lines, _ = file.read().split(b"\n")
            self._read(lines, path)
            whole = len(head) + sum(len(line) + 1 for line in lines)
        file.truncate(whole)
        if not whole:
            file.write(head)

    def _read(self, lines: Sequence[bytes], path: str) -> None:
        """Take up what is known."""
        types = _Types()
        for number, line in enumerate(lines, start=2):
            try:
                entry = json.loads(line)
                formats = tuple(types[text] for text in entry.pop("formats"))
                self.known[formats] = _outcome(entry)
            # There is no end to what parsers raise for lines that no search wrote.
            except Exception as error:
                raise InputError("is no line of a journal of a search", file=path, line=number) from error


def _line(entry: dict[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _outcome(entry: dict[str, Any]) -> Outcome:
    """Raises `ValueError` for one that was never found: of other fields or types, or of more samples than were seen."""
    usual = asdict(Outcome())
    if not (
        entry.keys() == usual.keys()
        and isinstance(entry["fault"], str | None)
        and all(type(entry[name]) is type(usual[name]) for name in usual.keys() - {"fault"})
        and all(0 <= entry[name] <= entry["seen"] < sys.maxsize for name in ("differ", "wrong"))
    ):
        raise ValueError("no outcome")
    return Outcome(**entry)


class _Types(dict[str, NumberFormat]):
    """Formats by how they are spelled."""

    def __init__(self) -> None:
        self.context = context()

    def __missing__(self, text: str) -> NumberFormat:
        found = number_format(Parser(self.context, text).parse_type())
        if found is None or str(found.type) != text:
            raise ValueError(f"{text} is no number format")
        self[text] = found
        return found
