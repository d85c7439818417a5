"""`select-kernels`: which sums of products a target's kernel computes; the others become loops (L3).

A kernel is exact integer arithmetic, so it gives the bits of the loop that it stands for. Kernels of the target come
first, then the generic loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.csr import CompressedRows
from tinyml.dialects.packed_rows import COUNT_BYTES, pack_rows
from tinyml.targets.kernels import Kernel, kernels_of
from tinyml.transforms.loop_nest import LoopNest


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Sets `kernel` of every `num.dot` and `num.sparse_dot` that the target has a kernel for, expands the others.

    target: as for printing C. Raises `InputError` for an unknown one.
    """

    name = "select-kernels"
    target: str = "host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(self.target)
        for one in list(op.walk()):
            if isinstance(one, num.DotOp | num.SparseDotOp):
                kernel = _matching(one, kernels)
                if isinstance(one, num.SparseDotOp) and kernel is not None and kernel.packed:
                    kernel = kernel if _pack(one, kernel) else None
                elif kernel is not None:
                    one.kernel = StringAttr(kernel.symbol)
                if kernel is None:
                    _expand(one)
        _remove_unread(op)


def _matching(op: num.DotOp | num.SparseDotOp, kernels: Sequence[Kernel]) -> Kernel | None:
    accumulator = num.accumulator_type(op.sum)
    weights, vector = (op.lhs, op.rhs) if isinstance(op, num.DotOp) else (op.values, op.vector)
    if not accumulator.INTEGER or _in_flash(vector):
        return None
    wanted = Kernel(
        "",
        _bits(weights),
        _bits(vector),
        cast("IntegerType[Any, Any]", accumulator.storage).width.data,
        sparse=isinstance(op, num.SparseDotOp),
        flash=_in_flash(weights),
    )
    return next((kernel for kernel in kernels if kernel.computes(wanted)), None)


def _in_flash(memref: SSAValue) -> bool:
    return scratch.in_flash(scratch.memref_type(memref))


def _bits(memref: SSAValue) -> int:
    return 8 * scratch.element_bytes(scratch.memref_type(memref))


def _pack(op: num.SparseDotOp, kernel: Kernel) -> bool:
    """Make the stream of bytes that a kernel for packed rows reads, and turn the op into one on it."""
    rows = CompressedRows(*(cast(scratch.ConstantOp, run.owner).raws for run in (op.values, op.gaps, op.lengths)))
    unsigned = CompressedRows(rows.values, rows.gaps.view("u1"), rows.lengths.view(f"u{rows.lengths.itemsize}"))
    stream = pack_rows(unsigned, _bits(op.vector) // 8)
    if stream is None:
        return False
    nest = LoopNest(op)
    packed = scratch.ConstantOp.of(stream.view("i1"), i8)
    packed.result.name_hint = f"{op.values.name_hint or 'sparse'}_rows"
    nest.insert(packed)
    entry = nest.times(op.at, 1 + rows.values.itemsize)
    row = nest.insert(scratch.SliceOp(packed.result, nest.add(entry, nest.times(op.row, COUNT_BYTES)), stream.shape))
    sum = nest.insert(num.PackedDotOp(op.sum, row, op.vector, kernel.symbol))
    _replace(op, sum)
    return True


def _expand(op: num.DotOp | num.SparseDotOp) -> None:
    nest = LoopNest(op)
    _replace(op, _dot(op, nest) if isinstance(op, num.DotOp) else _sparse_dot(op, nest))


def _replace(op: num.DotOp | num.SparseDotOp, sum: SSAValue) -> None:
    sum.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(sum)
    op.detach()
    op.erase()


def _dot(op: num.DotOp, nest: LoopNest) -> SSAValue:
    def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        return [nest.insert(num.MacOp(sums[0], nest.load(op.lhs, [k]), nest.load(op.rhs, [k])))]

    return nest.fold(nest.index(op.length), [op.sum], step)[0]


def _sparse_dot(op: num.SparseDotOp, nest: LoopNest) -> SSAValue:
    def step(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        sum, column, at = carried
        column = nest.add(column, nest.unsigned(nest.load(op.gaps, [at])))
        product = num.MacOp(sum, nest.load(op.values, [at]), nest.load(op.vector, [column]))
        return [nest.insert(product), column, nest.add(at, nest.index(1))]

    length = nest.unsigned(nest.load(op.lengths, [op.row]))
    return nest.fold(length, [op.sum, nest.index(0), op.at], step)[0]


def _remove_unread(module: ModuleOp) -> None:
    """Constants whose only reader has gone over to a packed copy."""
    for op in [op for op in module.walk() if isinstance(op, scratch.ConstantOp) and not op.result.uses]:
        op.detach()
        op.erase()
