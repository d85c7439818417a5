"""Contractions that only finish and store their sums, as tile kernels do (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type
from tinyml.targets.nests import RowSums, Start

if TYPE_CHECKING:
    from tinyml.targets.tiles import Numbers


@dataclass(frozen=True)
class FinishedSums:
    """A contraction with one sum per row, which starts from a value of that row, is finished and stored in order.

    starts, outputs: the buffers of the start values and of the results.
    """

    op: num.ContractOp
    products: num.ProductsOp
    starts: SSAValue
    outputs: SSAValue

    @staticmethod
    def of(op: num.ContractOp) -> FinishedSums | None:
        """The sums of a contraction; None if it does anything else."""
        stores = [each for each in op.body.block.ops if isinstance(each, memref.StoreOp)]
        if len(op.sums) != 1 or len(stores) != 1 or not isinstance(sum := op.sums[0], num.ProductsOp):
            return None
        [store], start, end = stores, sum.sum.owner, sum.result
        if isinstance(level := _only_user(end), num.LevelOp) and level.row is op.row:
            end = level.result
        finish = _only_user(end)
        if not isinstance(finish, num.FinishOp) or not isinstance(start, num.StartOp):
            return None
        if not isinstance(load := start.value.owner, memref.LoadOp) or store.value is not finish.result:
            return None
        if sum.row_pitch != sum.length or not visits_in_order(load.memref, load.indices, op):
            return None
        if not visits_in_order(store.memref, store.indices, op, windows=True):
            return None
        return FinishedSums(op, sum, load.memref, store.memref)

    @property
    def count(self) -> int:
        """The number of results."""
        return prod(self.op.shape)

    @property
    def row_sums(self) -> RowSums | None:
        """The sums in the form that tile kernels accept: of constants, windows in RAM and results that are bytes.

        None for others.
        """
        sum, result = self.products, memref_type(self.outputs)
        weights, starts = raws_of(sum.weights), raws_of(self.starts)
        if weights is None or starts is None or not all(map(num.is_of_bytes, sum.factors)):
            return None
        if scratch.in_flash(memref_type(sum.vector)) or scratch.packed_bits(result) is not None:
            return None
        start, by_row = Start(element_format(self.starts.type), starts), weights.reshape(self.op.rows, -1)
        return RowSums(sum.channels is not None, by_row, start, sum.accumulator, element_format(result))


def _only_user(value: SSAValue) -> Operation | None:
    users = [use.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def visits_in_order(
    buffer: SSAValue, indices: Sequence[SSAValue], op: num.ContractOp, *, windows: bool = False
) -> bool:
    """True if the rows of a contraction access all elements of a buffer defined outside of it, in order.

    windows: the rows of all windows together access the buffer, instead of those of each window.
    """
    wanted = [
        (number, extent)
        for number, extent in zip(op.body.block.args, op.shape, strict=True)
        if number is op.row or (windows and extent > 1)
    ]
    axes = [(at, extent) for at, extent in zip(indices, memref_type(buffer).get_shape(), strict=True)]
    visited = [axis for axis in axes if axis[0] in op.body.block.args]
    others_zero = all(
        const_evaluate_operand(at) == 0 and extent == 1 for at, extent in axes if (at, extent) not in visited
    )
    inside = isinstance(buffer.owner, Operation) and buffer.owner.parent_op() is op
    return visited == wanted and others_zero and not inside


def raws_of(run: SSAValue) -> Numbers | None:
    """The raws of the constant in flash of which a run is a view; None if it is not a view of all of it."""
    constant = scratch.root(run).owner
    if (
        not isinstance(constant, scratch.ConstantOp)
        or constant.loaded
        or constant.raws.size != scratch.elements_of(run)
    ):
        return None
    return constant.raws.astype(np.int64).reshape(-1)
