"""The processor's time that a step of a trial may take: a program that is compiled, or a test.

A defect that never ends fails its step, which passes without it, whatever the load of the machine. pytest loads this as
a plugin (`-p mutants.limits`).
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
    """A step's time is up; not an `Exception`, which the code that runs may catch."""


@contextmanager
def limited(seconds: int = SECONDS) -> Generator[None]:
    """Raise `TooLongError` after some seconds of this process; the processes that it starts end then, too."""
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
    """The seconds of the processor that this process and those that it has waited for have taken."""
    used = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, bool | None, bool | None]:
    with limited():
        return (yield)
