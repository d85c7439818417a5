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

    `most_similar` states when names are similar.
    """
    found = most_similar(name, known)
    return "" if found is None else f", did you mean '{found}'?"


INTENDED_OPTIONS = {"board": "target", "output": "out", "validation": "val", "bits": "width", "mode": "packer"}
"""Other names that users try for options, also former ones, where the nearest spelling is a different option."""


def did_you_mean_option(option: str, known: Iterable[str]) -> str:
    """The suffix of `did_you_mean` for an unknown option of a pass or, with `--`, of a command. `INTENDED_OPTIONS`
    takes precedence over similar names.
    """
    options = [*known]
    dashes = "--" if option.startswith("--") else ""
    intended = f"{dashes}{INTENDED_OPTIONS.get(option.removeprefix(dashes), '')}"
    return f", did you mean '{intended}'?" if intended in options else did_you_mean(option, options)


def unknown(what: str, name: str, known: Iterable[str], aliases: Iterable[str] = ()) -> InputError:
    """The error for an unknown name. The message suggests the most similar known name, or else lists all known
    names. A known name is not suggested: it belongs to a plug-in that was skipped, as a warning states.

    what: the kind of name, such as `target`.
    aliases: accepted names that are not listed.
    """
    names = [one for one in known if one != name]
    end = did_you_mean(name, [*names, *(one for one in aliases if one != name)]) or f" (one of {', '.join(names)})"
    return InputError(f"unknown {what} '{name}'{end}")


def most_similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most similar to a misspelled name; None if no known name is similar.

    A known name is similar if `name` contains at most one mistake per four letters, rounded up, and none in the first
    letter. A mistake is an extra letter, a missing letter, a wrong letter or two swapped letters. If `name` only swaps
    letters or repeats a letter, the first letter may also differ. In short names, only such mistakes are allowed. A
    name is short if it has up to three letters, and an op name is short if it has up to four letters after the dot. The
    dialects of two op names must be equal.

    Except for op names, a known name is also similar if `name` is one of its parts between separators (at least three
    letters), or its prefix (at least four letters).
    """
    typed = name.lower()
    near = [(wrong, len(each), each) for each in known if (wrong := _mistakes(typed, each.lower())) is not None]
    return min(near)[2] if near else None


def _mistakes(typed: str, known: str) -> int | None:
    """The number of spelling mistakes in `typed` compared with the known name `known`; None if `known` is not similar
    by the rules of `most_similar`.

    The number is 0 if `typed` is a part of `known` between separators, and 1 if it is a prefix.
    """
    before, dot, last = typed.rpartition(".")
    if dot and not known.startswith(before + dot):
        return None
    if dot:
        typed, known = last, known[len(before) + 1 :]
    elif len(typed) >= _SHORT_LENGTH and typed in re.split(r"[^a-z0-9]", known):
        return 0
    elif len(typed) > _SHORT_LENGTH and known.startswith(typed):
        return 1
    allowed = (len(typed) + 3) // 4
    # Swapped or doubled letters, which are unambiguous even in short names.
    if sorted(typed) == sorted(known) or _without_doubles(typed) == _without_doubles(known):
        found = _distance(typed, known)
        return found if found <= allowed else None
    if len(typed) <= _SHORT_LENGTH + bool(dot) or typed[0] != known[:1] or abs(len(typed) - len(known)) > allowed:
        return None
    found = _distance(typed, known)
    return found if found <= allowed else None


def _without_doubles(text: str) -> str:
    return re.sub(r"(.)\1+", r"\1", text)


_SHORT_LENGTH = 3
"""The maximum length of short names, in which a wrong letter does not count as a misspelling."""


def _distance(first: str, second: str) -> int:
    """The Damerau-Levenshtein distance (optimal string alignment)."""
    rows = [list(range(len(second) + 1))]
    for i, letter in enumerate(first, 1):
        row = [i]
        for j, other in enumerate(second, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and (letter, first[i - 2]) == (second[j - 2], other):
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
