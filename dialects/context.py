"""An xDSL context for passes that run other passes or parse IR."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.universe import Universe


def context() -> Context:
    """A context with every dialect of the environment, including those of plug-ins."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context
