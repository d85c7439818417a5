"""`hoist-invariants`: moves the computation of loop-invariant tensors before the loop (L0).

MLIR's loop-invariant code motion moves all ops that it can. This is useful for values in registers. A hoisted tensor,
however, occupies memory while the loop runs. Cheap ops therefore stay inside, unless their result replaces operands
that would otherwise stay live.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.conditional_pass import ConditionalPass

_COSTLY_OPS = tdsl.ContractionOp | tdsl.FunctionOp


@dataclass(frozen=True)
class HoistInvariantsPass(ConditionalPass):
    """Move matrix products, convolutions and transcendental functions, such as exp, out of `scf.for`, with the ops that
    compute their operands.

    Other tensor ops are moved if their results have no more elements than the operands that would otherwise stay live
    only for these ops. Ops that depend on the iteration are not moved.
    """

    name = "hoist-invariants"
    ACTS_ON = (scf.ForOp,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Inner loops come last in program order; ops that leave them may leave the loops around them, too.
        for loop in [loop for loop in op.walk() if isinstance(loop, scf.ForOp)][::-1]:
            _hoist(loop)


def _hoist(loop: scf.ForOp) -> None:
    invariant: set[Operation] = set()
    moved: set[Operation] = set()
    for op in loop.body.block.ops:
        read = _read(op)
        if not is_side_effect_free(op):
            continue
        if all(not loop.is_ancestor(value.owner) or value.owner in invariant for value in read):
            invariant.add(op)
            waiting = [value for value in read if not loop.is_ancestor(value.owner) or value.owner in moved]
            if _is_costly(op) or _takes_no_memory(op, waiting):
                moved |= _needed(op, invariant)
    for op in list(loop.body.block.ops):
        if op in moved:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))


def _read(op: Operation) -> list[SSAValue]:
    return [value for inner in op.walk() for value in inner.operands if not op.is_ancestor(value.owner)]


def _is_costly(op: Operation) -> bool:
    return any(isinstance(inner, _COSTLY_OPS) for inner in op.walk())


def _takes_no_memory(op: Operation, waiting: list[SSAValue]) -> bool:
    """Whether moving a tensor op before a loop needs no additional memory.

    The result of the op must have no more elements than the tensors that would otherwise stay live only for the op.

    waiting: the operands of the op that are available before the loop.
    """
    if not isinstance(op, tdsl.TensorOp):
        return False
    own = {value for value in waiting if isinstance(value.owner, tdsl.TensorOp) and value.has_one_use()}
    spared = [value for value in own if tdsl.constant_root(value) is None]
    return sum(map(_elements, op.results)) <= sum(map(_elements, spared))


def _elements(value: SSAValue) -> int:
    return prod(tdsl.shape_of(value)) if isinstance(value.type, TensorType) else 0


def _needed(op: Operation, invariant: AbstractSet[Operation]) -> set[Operation]:
    owners = invariant & {value.owner for value in _read(op)}
    return {op}.union(*(_needed(owner, invariant) for owner in owners))
