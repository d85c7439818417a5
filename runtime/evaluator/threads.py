"""A limit on the number of threads of numeric libraries. Evaluation uses one thread."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


def one_thread() -> Any:
    """A context in which the numeric libraries use one thread.

    For small arrays, synchronising threads takes longer than the computation.
    """
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    return import_module("threadpoolctl").ThreadpoolController()
