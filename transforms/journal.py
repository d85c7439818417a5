"""A file that remembers the outcomes of candidates, one JSON object in each line, so that a search can go on later."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.number_format import NumberFormat, number_format
from tinyml.transforms.candidates import Formats
from tinyml.transforms.contexts import context
from tinyml.transforms.outcomes import Outcome

_HEAD = re.compile(rb'\{"problem": "[0-9a-f]{64}"\}\n')
"""The first line of every journal."""


class Journal:
    """path: None for one that nothing is written to. digest: that of the problem; its journal is begun with it.

    known: the outcomes that stand in it, where the search resumes another; without `resume` it is begun anew, as is one
    whose first line a killed search wrote half. Raises `InputError` for a file that cannot be read or written, for one
    that is no journal, and for one to resume that is no journal of this problem.
    """

    def __init__(self, path: str | None, digest: str, resume: bool):
        self.known: dict[Formats, Outcome] = {}
        self._file: IO[bytes] | None = None
        if path is None:
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
            raise InputError("is no journal of a search", file=path)
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
        try:
            for line in lines:
                entry = json.loads(line)
                formats = tuple(types[text] for text in entry.pop("formats"))
                self.known[formats] = Outcome(**entry)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError("is no journal of a search", file=path) from error


def _line(entry: dict[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


class _Types(dict[str, NumberFormat]):
    """Formats by how they are spelled."""

    def __init__(self) -> None:
        self.context = context()

    def __missing__(self, text: str) -> NumberFormat:
        found = number_format(Parser(self.context, text).parse_type())
        if found is None:
            raise ValueError(f"{text} is no number format")
        self[text] = found
        return found
