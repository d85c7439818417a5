"""A context for passes that run others, or read IR that was written down."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.universe import Universe


def context() -> Context:
    """A context with every dialect of the environment, plug-ins included."""
    context = Context()
    for name, factory in Universe.get_multiverse().all_dialects.items():
        context.register_dialect(name, factory)
    return context
