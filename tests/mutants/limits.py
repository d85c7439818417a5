"""Limits on the CPU time of a step of a trial. A step compiles a program or runs a test.

The limit exceeds the time that any step needs without a defect. A defect that causes an endless loop therefore fails
its step regardless of the load of the machine. pytest loads this module as a plugin (`-p mutants.limits`).
"""

from __future__ import annotations

import resource
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

import pytest

SECONDS = 120
"""Many times what a program or a test takes without a defect."""


class TooLongError(BaseException):
    """Raised when a step exceeds its time. It is not an `Exception`, because the tested code may catch `Exception`."""


@contextmanager
def limited(seconds: int = SECONDS) -> Generator[None]:
    """A context that raises `TooLongError` when this process has used `seconds` of CPU time.

    Child processes started inside the context are terminated at the same limit.
    """
    before = resource.getrlimit(resource.RLIMIT_CPU)
    most = before[1]

    def stop(*_: object) -> NoReturn:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        raise TooLongError(f"takes more than {seconds} s of the processor")

    handler = signal.signal(signal.SIGXCPU, stop)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)
        signal.signal(signal.SIGXCPU, handler)


def spent() -> float:
    """The CPU seconds that this process, and the child processes that it has waited for, have used."""
    used = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, bool | None, bool | None]:
    with limited():
        return (yield)
