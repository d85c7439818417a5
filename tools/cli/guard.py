"""The error handling around a tool: a user error, a plug-in error, exhausted memory or a signal becomes one line and an
exit code.
"""

from __future__ import annotations

import atexit
import codecs
import ctypes
import gc
import io
import os
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import FrameType

from tinyml.dialects.errors import InputError, visible
from tinyml.dialects.package_metadata import DISTRIBUTION, FOREIGN_DISTRIBUTION, install_command
from tinyml.tools.cli.collection import collect_rarely

MAX_DIGITS = 300
"""Maximum consecutive digits in an argument: more than file names have, fewer than Python's limit for conversion."""

_TRIM, _MAP = -1, -3
"""Parameters of glibc's `mallopt`: the free bytes above which memory is returned to the system, and the size above
which an array has its own mapping, which is always returned.
"""

_RETURNED, _OF_ITS_OWN = 1 << 28, 1 << 25
"""The values of these parameters in bytes. By default most arrays of an evaluation get new pages that the system must
clear.
"""

_AS_GIVEN = "tinyml.as_given"
"""The error handler for characters that the encoding of a stream lacks.

Bytes of file names are written unchanged; other characters are escaped. In a locale without UTF-8, Python stores the
bytes of file names as lone surrogates.
"""

# Python's last collection would visit every remaining object: a twentieth of the time of a search, for memory that the
# exiting process frees anyway.
atexit.register(gc.freeze)
atexit.register(gc.disable)

_SIGNAL_BASE = 128
"""The number that shells add to the signal that ended a program, for its exit code."""

INTERRUPT_EXIT_CODE = _SIGNAL_BASE + signal.SIGINT
"""The exit code after Ctrl-C."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_RETRY, _PATIENCE = 0.01, 3.0
"""Seconds between two attempts to interrupt an import, and until the interrupt is forced."""


@dataclass
class Blame:
    """The subject of a tool's messages: the file for errors that name none, and the current pass.

    file: the file for errors that name none; None for no file.
    running: the name of the current pass; None between passes.
    debug: true to show the traceback of an error.
    """

    file: str | None = None
    running: str | None = None
    debug: bool = False
    """True if the traceback precedes the message."""


def guarded(run: Callable[[], int], blame: Blame) -> int:
    """Run a tool and return its exit code: the code that `run` returns, or 1 after an error.

    The error is reported as one line on standard error. A tool that a signal ends has the exit code of shells, such as
    130 after Ctrl-C. An internal error of tinyml is raised unchanged.

    blame: the subject of messages, which `run` updates; `run` has a separate context of variables.
    """
    _tune_process()
    _open_streams()
    interrupt = _Interrupt()
    try:
        with _ending_signals_interrupt(interrupt):
            return _guarded(run, blame)
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return interrupt.code


def _tune_process() -> None:
    """Configure the memory allocator and the garbage collector for many small objects and arrays."""
    collect_rarely()
    tune = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if tune is not None:
        tune(_TRIM, _RETURNED)
        tune(_MAP, _OF_ITS_OWN)


def _open_streams() -> None:
    """Open the null device for each standard stream that was closed when the process started.

    Otherwise the next opened file would receive the descriptor of the stream, and with it the output of programs and
    libraries. Python represents such a stream by None, and `print(file=None)` writes to standard output.

    The function also sets the error handler `_AS_GIVEN` for standard output and standard error in an encoding other
    than UTF-8.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                # `os.open` returns the lowest free descriptor, which is this one.
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(errors=_AS_GIVEN)


def _written_as_given(error: UnicodeError) -> tuple[bytes | str, int]:
    assert isinstance(error, UnicodeEncodeError)
    code = ord(error.object[error.start])
    if 0xDC80 <= code <= 0xDCFF:
        return bytes([code - 0xDC00]), error.start + 1
    return error.object[error.start].encode("ascii", "backslashreplace"), error.start + 1


codecs.register_error(_AS_GIVEN, _written_as_given)


def check_numbers(arguments: Sequence[str]) -> None:
    """Raise `InputError` for an argument with more than `MAX_DIGITS` consecutive digits. Python cannot parse numbers
    with too many digits, or cannot print them after some arithmetic.
    """
    for argument in arguments:
        if digits := re.search(rf"[0-9]{{{MAX_DIGITS + 1},}}", argument):
            raise InputError(f"a number of {len(digits[0])} digits, expected at most {MAX_DIGITS}")


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
        # Imports xDSL, which the help of a command does not need.
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
    """Print a warning for each plug-in that was skipped. Plug-ins are loaded only by the plug-in module, so that
    nothing is printed if this module was never imported.
    """
    if (plugins := sys.modules.get("tinyml.dialects.plugins")) is not None:
        for problem in plugins.problems():
            print(f"warning: left out: {visible(problem)}", file=sys.stderr)


def _drop_output() -> None:
    """Redirect a broken standard output to the null device; otherwise Python reports an error when it flushes at
    exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _ending_signals_interrupt(interrupt: _Interrupt) -> Generator[None]:
    """A context in which SIGTERM and SIGHUP raise `KeyboardInterrupt`, as SIGINT does, so that temporary files are
    removed.

    Only the first signal counts, since a second signal would interrupt the removal. Imports in progress are completed
    first, since partly initialised compiled modules can crash the interpreter. Ignored signals remain ignored. Outside
    the main thread, where Python receives no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {ending: signal.getsignal(ending) for ending in (*_ENDING, signal.SIGALRM)}
    for ending in _ENDING:
        if handlers[ending] is not signal.SIG_IGN:
            signal.signal(ending, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for ending, handler in handlers.items():
            signal.signal(ending, handler)
        if interrupt.waits:
            raise KeyboardInterrupt


class _Interrupt:
    """A signal handler that raises `KeyboardInterrupt` once, as soon as no import is in progress.

    code: the exit code of a program that the signal ends.
    """

    def __init__(self) -> None:
        self.latest: float | None = None
        self.waits = False
        self.code = INTERRUPT_EXIT_CODE

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.latest is None:
            self.code = _SIGNAL_BASE + number
            self.latest = time.monotonic() + _PATIENCE
            for ending in _ENDING:
                signal.signal(ending, signal.SIG_IGN)
            signal.signal(signal.SIGALRM, self)
        self.waits = _imports(frame) and time.monotonic() < self.latest
        if self.waits:
            signal.setitimer(signal.ITIMER_REAL, _RETRY)
        else:
            raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def namesake() -> str | None:
    """A line that warns of another package named `tinyml` and states the remedy; None if there is none."""
    try:
        found = version(FOREIGN_DISTRIBUTION)
    except PackageNotFoundError:
        place = _found_first()
        return place and (
            f"{place} is found on sys.path as the package tinyml, in place of that of {DISTRIBUTION}: rename it, or "
            "take its folder off PYTHONPATH"
        )
    return (
        f"'{FOREIGN_DISTRIBUTION}' {found} and {DISTRIBUTION} are both installed and share the package tinyml: "
        f"pip uninstall -y {FOREIGN_DISTRIBUTION}; {install_command()} --force-reinstall --no-deps"
    )


def _found_first() -> Path | None:
    """The module or folder `tinyml` that Python finds first on `sys.path`; None if it is this package or there is none.

    In an editable install, an import finder provides this package. Python tries this finder after everything on
    `sys.path`.
    """
    spec = PathFinder.find_spec("tinyml")
    if spec is None:
        return None
    tools = Path(__file__).parents[1]
    own = (tools.parent, tools / "tinyml")
    folders = spec.submodule_search_locations
    place = Path(folders[0]) if folders else Path(spec.origin or "")
    return None if place in own else place


def warn_of_namesake() -> None:
    """Warn on standard error if another package named tinyml is installed or found first."""
    if (line := namesake()) is not None:
        print(f"warning: {visible(line)}", file=sys.stderr)
