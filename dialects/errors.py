"""The exception for bad input, with its location, and messages about unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable


class InputError(Exception):
    """Bad input from a user: a file, a program, an option, data, or a model that cannot fit.

    `str(error)` is the line that a command prints after `error: `: `FILE:LINE:COL: message`, with those parts of the
    location that are known. Lines and columns count from 1.
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
        super().__init__(f"{location}: {message}" if location else message)


class TooLargeError(InputError):
    """A program, or a part of it, that is too large for the chip that it is compiled for."""


class DefectError(Exception):
    """A defect of tinyml that it found itself, such as a program that one of its passes made invalid.

    It is no `InputError`, so that a tool ends in a traceback, and never blames the user's file.
    """


_LONGEST = 1000
"""Maximum number of characters of a message of another program."""


def squeeze(message: str) -> str:
    """The message on one line, truncated if a constant makes it too long to read."""
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that somebody mistyped, with the known one that was meant; "" if none
    is likely.

    One mistake is allowed for four letters begun, but for the first letter: one too many, too few, wrong, or two in the
    wrong order. Of up to three letters, and of up to four after the dot in the name of an op, only the order may be
    wrong, or a letter be doubled. A name may also be a part of a known one, between marks or from its beginning, but
    for ops: these are different things for each letter, and often nobody typed them.
    """
    typed = name.lower()
    near = [(wrong, len(each), each) for each in known if (wrong := _mistakes(typed, each.lower())) is not None]
    return f", did you mean '{min(near)[2]}'?" if near else ""


def _mistakes(typed: str, known: str) -> int | None:
    """The mistakes in a name, which is part of a known one with the fewest; None for too many."""
    before, dot, last = typed.rpartition(".")
    if dot and not known.startswith(before + dot):
        return None
    if dot:
        typed, known = last, known[len(before) + 1 :]
    elif len(typed) >= _SHORT and typed in re.split(r"[^a-z0-9]", known):
        return 0
    elif len(typed) > _SHORT and known.startswith(typed):
        return 1
    allowed = (len(typed) + 3) // 4
    # Letters in another order or twice, which leave no doubt even in short names.
    if sorted(typed) == sorted(known) or _once(typed) == _once(known):
        found = _distance(typed, known)
        return found if found <= allowed else None
    if len(typed) <= _SHORT + bool(dot) or typed[0] != known[:1] or abs(len(typed) - len(known)) > allowed:
        return None
    found = _distance(typed, known)
    return found if found <= allowed else None


def _once(text: str) -> str:
    """A text without its letters that follow an equal one."""
    return re.sub(r"(.)\1+", r"\1", text)


_SHORT = 3
"""Letters up to which a name with another letter is another name."""


def _distance(first: str, second: str) -> int:
    """Insertions, deletions, substitutions and exchanges of neighbours that lead from a text to another."""
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


def unknown(what: str, name: str, known: Iterable[str], aliases: Iterable[str] = ()) -> InputError:
    """The error for an unknown name, with the most similar known one or else all known ones.

    what: the kind of thing that is named, such as `target`. aliases: other names, which are not listed.
    """
    names = [*known]
    end = did_you_mean(name, [*names, *aliases]) or f" (one of {', '.join(names)})"
    return InputError(f"unknown {what} '{name}'{end}")
