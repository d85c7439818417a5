"""Signals that end a tool, as interrupts that clean up."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_RETRY, _PATIENCE = 0.01, 3.0
"""Seconds between two attempts to interrupt an import, and until it is interrupted regardless."""


@contextmanager
def ending_signals_interrupt() -> Generator[None]:
    """A context in which SIGTERM and SIGHUP raise `KeyboardInterrupt` as SIGINT does, to remove temporary files.

    Only the first signal counts, since another one would interrupt the removal. Imports end first: compiled modules
    that are initialised only in part can crash the interpreter. Ignored signals stay ignored. Outside the main thread,
    where Python has no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {ending: signal.getsignal(ending) for ending in (*_ENDING, signal.SIGALRM)}
    interrupt = _Interrupt()
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
    """A signal handler that raises `KeyboardInterrupt` once, as soon as no import is under way."""

    def __init__(self) -> None:
        self.latest: float | None = None
        self.waits = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.latest is None:
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
