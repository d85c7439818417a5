"""The uses of tensors: the ops that read them, and whether they are kept in registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue

from tinyml.dialects import tdsl


def readers(members: Sequence[SSAValue]) -> Iterator[Operation]:
    """Yield the ops that use the numbers of tensors, except those that only move bits from one of them to another."""
    for value in members:
        for use in value.uses:
            op = use.operation
            if not (isinstance(op, tdsl.TensorOp) and op.MOVES_BITS and op.out in members):
                yield op


def are_scalars(members: Sequence[SSAValue]) -> bool:
    """True for single elements that stay in registers from their definition to their uses.

    Arguments and results of the function and iter_args of loops are stored.
    """
    return all(
        prod(tdsl.shape_of(value)) == 1
        and not isinstance(value, BlockArgument)
        and not any(isinstance(use.operation, func.ReturnOp | scf.YieldOp | scf.ForOp) for use in value.uses)
        for value in members
    )


def are_collected(members: Sequence[SSAValue]) -> bool:
    """True for single numbers and the vector in which a loop collects them for an op that reads them at once."""
    computed = [value for value in members if isinstance(value.owner, tdsl.TensorOp) and not value.owner.MOVES_BITS]
    return any(isinstance(value.owner, tensor.EmptyOp) for value in members) and all(
        prod(tdsl.shape_of(value)) == 1 for value in computed
    )


def is_scalar_op(op: Operation) -> bool:
    """True for an op on a single number, index or truth value, for which wide operands cost almost nothing."""
    return not any(isinstance(result.type, TensorType) and prod(tdsl.shape_of(result)) > 1 for result in op.results)
