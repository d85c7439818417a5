"""Predicates for ops that few programs contain. They compare the names of ops, so that the modules of the ops need not
be imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects.tdsl.movement import ReshapeOp

if TYPE_CHECKING:
    from tinyml.dialects.tdsl.accumulation import FinishOp
    from tinyml.dialects.tdsl.convolution import Conv2dOp
    from tinyml.dialects.tdsl.elementwise_functions import SigmoidOp, StepOp, TanhOp
    from tinyml.dialects.tdsl.enlargement import ConcatOp
    from tinyml.dialects.tdsl.forest import ForestOp
    from tinyml.dialects.tdsl.missing_values import ImputeOp
    from tinyml.dialects.tdsl.permutations import TransposeOp
    from tinyml.dialects.tdsl.slices import InsertSliceOp, ReceiveOp
    from tinyml.dialects.tdsl.windows import WindowOp

__all__ = [
    "follows_missing",
    "is_concatenation",
    "is_convolution",
    "is_finish",
    "is_forest",
    "is_imputation",
    "is_insertion",
    "is_only_compared",
    "is_receipt",
    "is_sigmoid",
    "is_step",
    "is_tanh",
    "is_transposition",
    "is_window_copy",
]


def _is(op: Operation | Block, *names: str) -> bool:
    return isinstance(op, Operation) and op.name in names


def is_concatenation(op: Operation | Block) -> TypeGuard[ConcatOp]:
    return _is(op, "tdsl.concat")


def is_convolution(op: Operation | Block) -> TypeGuard[Conv2dOp]:
    return _is(op, "tdsl.conv2d")


def is_finish(op: Operation | Block) -> TypeGuard[FinishOp]:
    return _is(op, "tdsl.finish")


def is_forest(op: Operation | Block) -> TypeGuard[ForestOp]:
    return _is(op, "tdsl.forest")


def is_imputation(op: Operation | Block) -> TypeGuard[ImputeOp]:
    return _is(op, "tdsl.impute")


def is_insertion(op: Operation | Block) -> TypeGuard[InsertSliceOp]:
    return _is(op, "tdsl.insert_slice")


def is_receipt(op: Operation | Block) -> TypeGuard[ReceiveOp]:
    return _is(op, "tdsl.receive")


def is_sigmoid(op: Operation | Block) -> TypeGuard[SigmoidOp]:
    return _is(op, "tdsl.sigmoid")


def is_step(op: Operation | Block) -> TypeGuard[StepOp]:
    return _is(op, "tdsl.step")


def is_tanh(op: Operation | Block) -> TypeGuard[TanhOp]:
    return _is(op, "tdsl.tanh")


def is_transposition(op: Operation | Block) -> TypeGuard[TransposeOp]:
    return _is(op, "tdsl.transpose")


def is_window_copy(op: Operation | Block) -> TypeGuard[WindowOp]:
    return _is(op, "tdsl.window")


def follows_missing(op: Operation) -> bool:
    """True for an op that treats NaN as a missing value."""
    return is_imputation(op) or (is_forest(op) and op.missing is not None)


def is_only_compared(value: SSAValue) -> bool:
    """True for a tensor whose elements are only compared with thresholds of forests.

    All its users are forests, or reshapes whose results have only such users.
    """
    uses = tuple(value.uses)
    return bool(uses) and all(
        (is_forest(use.operation) and use.index == 0)
        or (isinstance(use.operation, ReshapeOp) and is_only_compared(use.operation.out))
        for use in uses
    )
