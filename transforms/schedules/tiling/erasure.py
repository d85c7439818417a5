"""Erasure of ops that a loop nest has replaced."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter

MOVABLE_OPS = tdsl.ConstOp | tdsl.PadOp | tdsl.ReshapeOp | tdsl.TransposeOp


def erase(ops: Sequence[Operation]) -> None:
    """Erase ops, last op first, together with the constants and movements of whole tensors that only these ops used."""
    for op in reversed(ops):
        operands = [value.owner for value in op.operands]
        Rewriter.erase_op(op)
        erase([owner for owner in dict.fromkeys(operands) if isinstance(owner, MOVABLE_OPS) and _is_unused(owner)])


def _is_unused(op: Operation) -> bool:
    return not any(result.uses for result in op.results)
