"""Nests whose bodies are no longer closed (L4)."""

from __future__ import annotations

from xdsl.dialects import func

from tinyml.dialects import num
from tinyml.transforms.ir.index_maps import expand_nest

_NESTS = num.NestOp | num.ReduceOp


def open_unclosed(function: func.FuncOp) -> None:
    """Expand nests whose bodies are open, because a format's arithmetic is a loop or adds no integers to a sum."""
    for op in list(function.walk()):
        if not isinstance(op, _NESTS) or op.parent is None:
            continue
        if any(inner.open_body is not None for inner in op.walk() if isinstance(inner, _NESTS)):
            expand_nest(op)
