"""Signals that end a tool, as interrupts that clean up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ending_signals_interrupt() -> Generator[None]:
    """In this context SIGTERM and SIGHUP raise `KeyboardInterrupt`, so that temporary files are removed.

    Only the first signal counts, since another one would interrupt the removal. Outside the main thread, where Python
    has no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {ending: signal.signal(ending, _interrupt) for ending in _ENDING}
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    for ending in _ENDING:
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt
