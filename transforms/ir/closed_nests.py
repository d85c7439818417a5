"""Nests whose bodies are no longer closed (L4)."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.transforms.ir.index_maps import expand_nest

_NESTS = num.NestOp | num.ReduceOp


def open_unclosed(function: func.FuncOp) -> None:
    """Expand nests that the verifier rejects, because a format's arithmetic is a loop or adds no integers to a sum."""
    for op in list(function.walk()):
        if not isinstance(op, _NESTS) or op.parent is None:
            continue
        try:
            for inner in op.walk():
                if isinstance(inner, _NESTS):
                    inner.verify_()
        except VerifyException:
            expand_nest(op)
