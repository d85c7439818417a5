"""The number of threads of numeric libraries. Evaluation limits this number to one."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


def one_thread() -> Any:
    """A context in which the numeric libraries use one thread.

    For small arrays, synchronisation costs more than the computation.
    """
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    return import_module("threadpoolctl").ThreadpoolController()
