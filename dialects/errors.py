"""The exception for bad input, with its location, and messages about unknown names."""

from __future__ import annotations

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
    """The end of a message about an unknown name, with the most similar known one; "" if none is similar."""
    from difflib import get_close_matches

    names = {known_name.lower(): known_name for known_name in known}
    near = get_close_matches(name.lower(), names, n=1)
    return f", did you mean '{names[near[0]]}'?" if near else ""


def unknown(what: str, name: str, known: Iterable[str], aliases: Iterable[str] = ()) -> InputError:
    """The error for an unknown name, with the most similar known one or else all known ones.

    what: the kind of thing that is named, such as `target`. aliases: other names, which are not listed.
    """
    names = [*known]
    end = did_you_mean(name, [*names, *aliases]) or f" (one of {', '.join(names)})"
    return InputError(f"unknown {what} '{name}'{end}")
