"""A file that remembers the outcomes of candidates, one JSON object in each line, so that a search can go on later."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from xdsl.parser import Parser

from tinyml.dialects.errors import InputError
from tinyml.dialects.number_format import NumberFormat, number_format
from tinyml.transforms.candidates import Formats
from tinyml.transforms.contexts import context
from tinyml.transforms.outcomes import Outcome


class Journal:
    """path: None for one that nothing is written to. digest: that of the problem; its journal is begun with it.

    known: the outcomes that stand in it, where the search resumes another; without `resume` it is begun anew. Raises
    `InputError` for a file that cannot be read or written, or that is no journal of this problem.
    """

    def __init__(self, path: str | None, digest: str, resume: bool):
        self.known: dict[Formats, Outcome] = {}
        self._file: IO[str] | None = None
        if path is None:
            return
        head = {"problem": digest}
        try:
            if resume and Path(path).exists():
                whole = self._read(path, head)
                self._file = Path(path).open("r+", encoding="utf-8")  # noqa: SIM115
                # What a killed search wrote half is written over.
                self._file.truncate(whole)
                self._file.seek(whole)
            else:
                self._file = Path(path).open("w", encoding="utf-8")  # noqa: SIM115
                self._line(head)
        except OSError as error:
            raise InputError(f"cannot open the journal: {error.strerror}", file=path) from error

    def write(self, formats: Formats, outcome: Outcome) -> None:
        self._line({"formats": [str(one.type) for one in formats], **asdict(outcome)})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _line(self, entry: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()

    def _read(self, path: str, head: dict[str, str]) -> int:
        """Take up what is known; the number of bytes that are whole lines."""
        lines = Path(path).read_bytes().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
        try:
            found, *entries = [json.loads(line) for line in lines]
            if found != head:
                raise InputError("is the journal of another program, data set or scheme", file=path)
            types = _Types()
            for entry in entries:
                formats = tuple(types[text] for text in entry.pop("formats"))
                self.known[formats] = Outcome(**entry)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError("is no journal of a search", file=path) from error
        return sum(map(len, lines))


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
