"""The registered dialects and passes, and an xDSL context for passes that run other passes or parse IR."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.universe import Universe


@cache
def registry() -> Universe:
    """Every dialect and pass of the environment, including those of plug-ins.

    The packages installed do not change while a process runs, and reading their metadata takes milliseconds.
    """
    return Universe.get_multiverse()


def context() -> Context:
    """A context with every registered dialect."""
    context = Context()
    for name, factory in registry().all_dialects.items():
        context.register_dialect(name, factory)
    return context
