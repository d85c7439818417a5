"""Verdicts on fuzz cases, and a function that runs a command and returns its verdict."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from tinyml.tools import main as tinyml
from tinyml.tools import tinyml_opt

ACCEPTED, REFUSED, SKIPPED = "accepted", "refused", "skipped"
"""skipped: the library that makes or reads the files of a kind is not installed."""

HARMLESS = (ACCEPTED, REFUSED, SKIPPED)
HARMS = ("traceback", "not one line", "hang", "memory", "crash", "mismatch", "sanitizer", "lost", "left behind")
"""Ends of a case that are defects. hang: a time limit passed. memory: a limit of address space reached. crash: the
process died. lost: a file of the user's is gone or changed. left behind: a refused command wrote something."""

Command = Callable[[Sequence[str]], int]

TINYML: Command = tinyml.main
OPT: Command = tinyml_opt.main


class Harm(Exception):
    """Raised for a case whose outcome must not occur, such as a crash.

    verdict: one of `HARMS`.
    detail: enough information to recognise the cause.
    """

    def __init__(self, verdict: str, detail: str):
        assert verdict in HARMS
        super().__init__(f"{verdict}: {detail}")
        self.verdict = verdict
        self.detail = detail


def call(command: Command, *arguments: str | Path) -> str:
    """The verdict on a command line; raises `Harm` unless the command succeeds or rejects its input in one line."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = command([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = stop.code
    except Exception as error:
        raise Harm("traceback", described(error)) from None
    said = err.getvalue()
    if "Traceback (most recent call last)" in said:
        raise Harm("traceback", said[-300:])
    if code == 0:
        return ACCEPTED
    lines = said.splitlines()
    # Progress may stand above it.
    if code != 1 or [line for line in lines if line.startswith("error: ")] != lines[-1:]:
        raise Harm("not one line", f"exit code {code}: {said[:300]!r}")
    if "out of memory" in said:
        raise Harm("memory", said.strip())
    return REFUSED


def described(error: Exception) -> str:
    """The location and the message of an exception in one line, equal for equal causes."""
    *_, last = traceback.extract_tb(error.__traceback__)
    message = " ".join(str(error).split())
    return f"{Path(last.filename).name}:{last.lineno} {type(error).__name__}: {message}"[:300]
