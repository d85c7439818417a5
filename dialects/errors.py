"""Exceptions for invalid input and for defects of tinyml, and error messages about unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys instead of printing them: control characters except tab and newline, and marks of
the direction of text.
"""


def visible(text: str) -> str:
    """The text with its control characters escaped, such as `\\x1b`.

    Names in a file are chosen by its author; printed as they are, they could command the terminal of its reader.
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


class InputError(Exception):
    """Invalid input from a user: a file, a program, an option, data, or a model that exceeds a limit.

    `str(error)` is the line that a command prints after `error: `: `FILE:LINE:COL: message`. Unknown parts of the
    location are omitted. Lines and columns count from 1. Control characters of names are escaped (`visible`).
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        location = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(visible(f"{location}: {message}" if location else message))


class TooLargeError(InputError):
    """A program, or a part of one, that exceeds the resources of its target chip."""


class DefectError(Exception):
    """A defect of tinyml that tinyml detected itself, such as invalid IR after a pass.

    The class is not a subclass of `InputError`. A command therefore prints a traceback instead of an error in the
    user's file.
    """


_QUOTE_LIMIT = 1000
"""Maximum characters of a quoted message of another program."""


def squeeze(message: str) -> str:
    """The message on one line, truncated to `_QUOTE_LIMIT` characters because constants of the IR may be long."""
    line = " ".join(message.split())
    return line if len(line) <= _QUOTE_LIMIT else line[: _QUOTE_LIMIT - 3] + "..."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The suffix `, did you mean 'NAME'?` of an error message about a misspelled name, where NAME is the most similar
    known name; "" if no known name is similar.

    `similar_names.most_similar` states when names are similar.
    """
    from tinyml.dialects.similar_names import most_similar

    found = most_similar(name, known)
    return "" if found is None else f", did you mean '{found}'?"


def unknown(what: str, name: str, known: Iterable[str], aliases: Iterable[str] = ()) -> InputError:
    """The error for an unknown name. The message suggests the most similar known name, or else lists all known
    names. A known name is not suggested: it belongs to a plug-in that was skipped, as a warning states.

    what: the kind of name, such as `target`.
    aliases: accepted names that are not listed.
    """
    names = [one for one in known if one != name]
    end = did_you_mean(name, [*names, *(one for one in aliases if one != name)]) or f" (one of {', '.join(names)})"
    return InputError(f"unknown {what} '{name}'{end}")
