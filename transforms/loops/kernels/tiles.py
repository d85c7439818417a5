"""Kernels for products of a matrix and several windows, and the loops that take their place (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.coding import INTEGER_CODING
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.targets.kernel import LEAST_WINDOW, REQUANTISED_LIMIT, Kernel
from tinyml.transforms.ir.loop_nest import LoopNest, local_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


def select_tile_kernels(module: ModuleOp, kernels: Sequence[Kernel]) -> None:
    """Set a kernel on every `num.dot_tiles` that has one, and expand the others to loops over dot products."""
    for function in defined_functions(module):
        chosen: dict[num.DotTilesOp, Kernel] = {}
        for op in [op for op in function.walk() if isinstance(op, num.DotTilesOp)]:
            kernel = next((kernel for kernel in kernels if _computes(kernel, op)), None)
            if kernel is None:
                _expand(op)
                Rewriter.erase_op(op)
            else:
                chosen[op] = kernel
        if chosen:
            # One array for all: no two of them run at the same time. Four widened elements of two windows are 16 bytes.
            words = max(-(-op.length // 4) * 2 * op.count for op in chosen)
            wide = local_array(function, i32, words, "wide")
            for op, kernel in chosen.items():
                operands = [op.outputs, op.starts, op.matrix, op.windows, [wide]]
                tiled = num.DotTilesOp(operands, op.acc, op.sum_bound, kernel.symbol)
                tiled.location = op.location
                Rewriter.replace_op(op, tiled)


def _computes(kernel: Kernel, op: num.DotTilesOp) -> bool:
    formats = [element_format(run.type) for run in (op.matrix, op.windows)]
    bits = [8 * format.dtype.itemsize for format in formats]
    types = [scratch.memref_type(run) for run in (op.matrix, op.windows, op.outputs)]
    return (
        kernel.computes(Kernel("", bits[0], bits[1], op.accumulator.bits, op=op.name, flash=scratch.in_flash(types[0])))
        and all(format.coding is INTEGER_CODING for format in formats)
        and not any(scratch.packed_bits(type) for type in types)
        and not scratch.in_flash(types[1])
        and op.count == kernel.windows
        and op.rows % kernel.rows == 0
        and op.length >= LEAST_WINDOW
        and can_requantise(op.accumulator, op.format, raws_of(op.matrix), raws_of(op.starts))
    )


def can_requantise(
    accumulator: Accumulator,
    result: NumberFormat,
    weights: NDArray[np.int64] | None,
    starts: NDArray[np.int64] | None,
) -> bool:
    """Can a kernel requantise sums: is each finished to a byte, by a factor below 1/2, and proven to be small?

    weights: of each row one after the other, which meet vectors of bytes. starts: of each row; both None if unknown.
    """
    if weights is None or starts is None:
        return False
    finish = accumulator.requantisation(result, len(starts))
    if finish is None or (finish.low, finish.high) != limits(8) or finish.shifts.max() >= 0:
        return False
    greatest = np.abs(weights.reshape(len(starts), -1)).sum(1) * 128 + np.abs(starts)
    return int(greatest.max()) < REQUANTISED_LIMIT


def raws_of(run: SSAValue) -> NDArray[np.int64] | None:
    """The raws of a constant that a run is a view of, all of it."""
    constant = scratch.root(run).owner
    if not isinstance(constant, scratch.ConstantOp) or constant.raws.size != scratch.elements_of(run):
        return None
    return constant.raws.astype(np.int64).reshape(-1)


def _expand(op: num.DotTilesOp) -> None:
    nest = LoopNest(op)
    length, accumulator = op.length, op.accumulator
    levelled = accumulator.levelled(op.format)

    def element(indices: list[SSAValue]) -> None:
        window, row = indices
        sum = nest.insert(num.StartOp(nest.load(op.starts, [row]), accumulator.type))
        sum.name_hint = "sum"
        weights, vector = (
            nest.insert(scratch.SliceOp(run, nest.times(number, length), (length,)))
            for run, number in ((op.matrix, row), (op.windows, window))
        )
        sum = nest.insert(num.DotOp(sum, weights, vector))
        if levelled.type != accumulator.type:
            sum = nest.insert(num.LevelOp(sum, row, levelled.type))
        result = nest.insert(num.FinishOp(sum, op.format.type, op.sum_bound))
        nest.store(result, op.outputs, [nest.add(nest.times(window, op.rows), row)])

    nest.over((op.count, op.rows), element)
