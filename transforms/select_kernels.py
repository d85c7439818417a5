"""`select-kernels`: which sums of products and squares a target's kernel computes; the others become loops (L3).

A kernel is exact integer arithmetic, so it gives the bits of the loop that it stands for. Kernels of the target come
first, then the generic loop. A target without a kernel for a narrow accumulator widens it to one that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp, StringAttr, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.csr import CompressedRows
from tinyml.dialects.number_format import Accumulator, accumulator_of, element_format
from tinyml.dialects.packed_rows import COUNT_BYTES, pack_rows
from tinyml.targets.kernels import Kernel, kernels_of
from tinyml.transforms.loop_nest import Indices, LoopNest

Op: TypeAlias = num.DotOp | num.SparseDotOp | num.DistanceOp | num.AxpyOp
_OPS = num.DotOp, num.SparseDotOp, num.DistanceOp, num.AxpyOp


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Sets `kernel` of every dot product, distance and axpy that the target has a kernel for, expands the others.

    target: as for printing C. Raises `InputError` for an unknown one.
    """

    name = "select-kernels"
    target: str = "host"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_of(self.target)
        for one in list(op.walk()):
            if isinstance(one, _OPS):
                kernel = _matching(one, kernels)
                if kernel is not None:
                    _widen(one, kernel.sum)
                if isinstance(one, num.SparseDotOp) and kernel is not None and kernel.packed:
                    kernel = kernel if _pack(one, kernel) else None
                elif kernel is not None:
                    one.kernel = StringAttr(kernel.symbol)
                    if isinstance(one, num.DistanceOp):
                        one.operands = [one.sum, *_factors(one)]
                if kernel is None:
                    _expand(one)
        _remove_unread(op)


def _matching(op: Op, kernels: Sequence[Kernel]) -> Kernel | None:
    accumulator = _accumulator(op)
    weights, vector = _factors(op)
    if not accumulator.INTEGER or _in_flash(vector):
        return None
    for sum in (_register(accumulator), *_wider(op, accumulator)):
        wanted = Kernel("", _bits(weights), _bits(vector), sum, op=op.name, flash=_in_flash(weights))
        if (found := next((kernel for kernel in kernels if kernel.computes(wanted)), None)) is not None:
            return found
    return None


def _register(accumulator: Accumulator) -> int:
    return cast("IntegerType[Any, Any]", accumulator.storage).width.data


def _wider(op: Op, accumulator: Accumulator) -> Iterator[int]:
    """Widths that the sum may have instead, where it starts from zero and all that follows is its end."""
    if isinstance(op, num.AxpyOp) or not isinstance(op.sum.owner, num.ZeroOp):
        return
    if all(isinstance(use.operation, num.FinishOp) for use in op.result.uses):
        while (wider := accumulator.widened(_register(accumulator) + 1)).type != accumulator.type:
            accumulator = wider
            yield _register(accumulator)


def _widen(op: Op, bits: int) -> None:
    """Let the sum run in an accumulator of so many bits."""
    accumulator = _accumulator(op)
    if not isinstance(op, num.AxpyOp) and _register(accumulator) < bits:
        type = accumulator.widened(bits).type
        zero = LoopNest(op).insert(num.ZeroOp(type))
        zero.name_hint = op.sum.name_hint
        op.operands[op.operands.index(op.sum)] = zero
        Rewriter.replace_value_with_new_type(op.result, type)


def _accumulator(op: Op) -> Accumulator:
    if isinstance(op, num.AxpyOp):
        return cast(Accumulator, accumulator_of(scratch.memref_type(op.sums).element_type))
    return num.accumulator_type(op.sum)


def _factors(op: Op) -> tuple[SSAValue, SSAValue]:
    """What a kernel takes as weights and as vector: those of a distance in either order."""
    match op:
        case num.DotOp():
            return op.lhs, op.rhs
        case num.SparseDotOp():
            return op.values, op.vector
        case num.DistanceOp():
            return (op.lhs, op.rhs) if _in_flash(op.lhs) else (op.rhs, op.lhs)
        case num.AxpyOp():
            return op.vector, op.factor


def _in_flash(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and scratch.in_flash(scratch.memref_type(value))


def _bits(value: SSAValue) -> int:
    return 8 * element_format(value.type).dtype.itemsize


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


def _expand(op: Op) -> None:
    nest = LoopNest(op)
    match op:
        case num.DotOp():
            _replace(op, _dot(op, nest))
        case num.SparseDotOp():
            _replace(op, _sparse_dot(op, nest))
        case num.DistanceOp():
            _replace(op, _distance(op, nest))
        case num.AxpyOp():
            _axpy(op, nest)
            op.detach()
            op.erase()


def _replace(op: num.DotOp | num.SparseDotOp | num.DistanceOp, sum: SSAValue) -> None:
    sum.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(sum)
    op.detach()
    op.erase()


def _distance(op: num.DistanceOp, nest: LoopNest) -> SSAValue:
    def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        difference = num.SubOp(nest.load(op.lhs, [k]), nest.load(op.rhs, [k]), op.difference.type)
        nest.insert(difference)
        return [nest.insert(num.MacOp(sums[0], difference.result, difference.result))]

    return nest.fold(nest.index(num.run_length(op.lhs)), [op.sum], step)[0]


def _axpy(op: num.AxpyOp, nest: LoopNest) -> None:
    def step(indices: Indices) -> None:
        sum, weight = nest.load(op.sums, indices), nest.load(op.vector, indices)
        nest.store(nest.insert(num.MacOp(sum, weight, op.factor)), op.sums, indices)

    nest.over((num.run_length(op.sums),), step)


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
