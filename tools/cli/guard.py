"""The guard around a tool: errors of the user, of plug-ins and of memory become one line and an exit code."""

from __future__ import annotations

import codecs
import gc
import io
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass

from tinyml.dialects.errors import InputError
from tinyml.tools.cli.interrupts import ending_signals_interrupt

MOST_DIGITS = 300
"""A number of digits that no file name has in a row, below the limit of Python's conversions."""

COLLECT_EVERY = 10_000
"""The number of new objects between two runs of the garbage collector.

With Python's default of 700, it takes a quarter of a long compilation.
"""


@dataclass
class Blame:
    """The subject of a tool's messages: the file of errors that name none, and the pass that is running."""

    file: str | None = None
    running: str | None = None
    debug: bool = False
    """True if the traceback precedes the message."""


def guarded(run: Callable[[], int], blame: Blame) -> int:
    """The exit code of a tool: that of `run`, or 1 after an error, reported as one line on standard error.

    blame: kept up to date by `run`, which has context variables of its own. A defect of tinyml itself is raised.
    """
    gc.set_threshold(max(COLLECT_EVERY, gc.get_threshold()[0]))
    _open_streams()
    try:
        with ending_signals_interrupt():
            return _guarded(run, blame)
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 1


def _open_streams() -> None:
    """Open the null device for each standard stream that was closed when the process began.

    Otherwise the next file that is opened would get the descriptor of the stream, and the output of programs and
    libraries would end up in it. Python represents such a stream by None, and `print(file=None)` writes to standard
    output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                # The lowest free descriptor is assigned, which is this one.
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors=_AS_GIVEN)


_AS_GIVEN = "tinyml.as_given"
"""How characters are written that the encoding of a stream lacks: the bytes of names as given, others escaped.

In a locale without UTF-8, Python keeps the bytes of a file's name as lone surrogates.
"""


def _written_as_given(error: UnicodeError) -> tuple[bytes | str, int]:
    assert isinstance(error, UnicodeEncodeError)
    code = ord(error.object[error.start])
    if 0xDC80 <= code <= 0xDCFF:
        return bytes([code - 0xDC00]), error.start + 1
    return error.object[error.start].encode("ascii", "backslashreplace"), error.start + 1


codecs.register_error(_AS_GIVEN, _written_as_given)


def check_numbers(arguments: Sequence[str]) -> None:
    """Raise `InputError` for a number that Python refuses to read, or to print after some arithmetic."""
    for argument in arguments:
        if digits := re.search(rf"[0-9]{{{MOST_DIGITS + 1},}}", argument):
            raise InputError(f"a number of {len(digits[0])} digits, expected at most {MOST_DIGITS}")


def _guarded(run: Callable[[], int], blame: Blame) -> int:
    try:
        try:
            code = copy_context().run(run)
        finally:
            _warn()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return 1
    # Some of xDSL's exceptions do not derive from `Exception`.
    except BaseException as error:
        from tinyml.tools.cli.user_errors import as_input_error

        if isinstance(error, KeyboardInterrupt):
            raise
        if (known := as_input_error(error, blame.file, blame.running)) is None:
            raise
        if blame.debug:
            traceback.print_exc()
        print(f"error: {known}", file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        return 1


def _warn() -> None:
    """Say which plug-ins were left out; a module that was not imported left out none."""
    if (plugins := sys.modules.get("tinyml.dialects.plugins")) is not None:
        for problem in plugins.problems():
            print(f"warning: left out: {problem}", file=sys.stderr)


def _drop_output() -> None:
    """Redirect a broken standard output to the null device; otherwise Python complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
