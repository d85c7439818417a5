"""Kernels for products of a matrix and several windows, and the loops that take their place (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, StringAttr, i32
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.coding import INTEGER_CODING
from tinyml.dialects.formats.number_format import element_format
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
                runs = op.outputs, op.starts, op.matrix, op.windows
                tiled = num.DotTilesOp(*runs, op.accumulator.type, op.sum_bound, wide)
                tiled.kernel, tiled.location = StringAttr(kernel.symbol), op.location
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
        and _can_finish(op)
    )


def _can_finish(op: num.DotTilesOp) -> bool:
    """Can a kernel requantise the sums: is each finished to a byte, by a factor below 1/2, and proven to be small?"""
    finish = op.accumulator.requantisation(op.format, op.rows)
    if finish is None or (finish.low, finish.high) != limits(8) or finish.shifts.max() >= 0:
        return False
    matrix, starts = _raws(op.matrix), _raws(op.starts)
    if matrix is None or starts is None:
        return False
    # Raws of the windows have 8 bits.
    greatest = np.abs(matrix.reshape(op.rows, -1)).sum(1) * 128 + np.abs(starts)
    return int(greatest.max()) < REQUANTISED_LIMIT


def _raws(run: SSAValue) -> NDArray[np.int64] | None:
    """The raws of a constant that a run is a view of, all of it."""
    constant = scratch.root(run).owner
    if not isinstance(constant, scratch.ConstantOp) or constant.raws.size != num.run_length(run):
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
