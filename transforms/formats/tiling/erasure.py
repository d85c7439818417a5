"""Erasure of ops that a loop nest has replaced."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl


def erase(ops: Sequence[Operation]) -> None:
    """Erase ops, the last first, and the constants, paddings and reshapings that only they used."""
    for op in reversed(ops):
        operands = [value.owner for value in op.operands]
        Rewriter.erase_op(op)
        for owner in dict.fromkeys(operands):
            movable = isinstance(owner, tdsl.ConstOp | tdsl.PadOp | tdsl.ReshapeOp)
            if movable and not any(result.uses for result in owner.results):
                Rewriter.erase_op(owner)
