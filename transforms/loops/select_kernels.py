"""`select-kernels`: turns sums of products and squares into calls of a target's kernels, or into loops (L3).

A kernel is exact integer arithmetic, so it computes the same bits as the loop that it replaces. Kernels of the target
are tried first, then the generic loop. Where a target has no kernel for a narrow accumulator, the sum is widened to an
accumulator for which there is a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import INTEGER, NumberFormat, element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.layouts.sparse_rows import COUNT_BYTES
from tinyml.dialects.locations import error_at
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import HOST, board, compile_for, kernels_for, kernels_of
from tinyml.transforms.ir.contraction_loops import expand_contraction, sum_of_products
from tinyml.transforms.ir.indices import is_multiple
from tinyml.transforms.ir.loop_nest import Indices, LoopNest
from tinyml.transforms.ir.sparse_layouts import best_rows, compressed_rows
from tinyml.transforms.loops.kernels.chunks import select_chunks
from tinyml.transforms.loops.kernels.decode_runs import BITS as DECODED_BITS
from tinyml.transforms.loops.kernels.decode_runs import DecodedRuns, coding_of, decoded_format
from tinyml.transforms.loops.kernels.tiles import select_tile_kernels
from tinyml.transforms.loops.kernels.unpack_runs import UnpackedRuns

_Link: TypeAlias = num.KernelSumOp | num.AlignOp | num.ShiftOp


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Sets `kernel` on each dot product, distance and axpy for which the target has a kernel, and expands the others.

    target: as for printing C; it is recorded in the module (`tinyml.target`), where later passes look it up. Raises
    `InputError` for an unknown target, and for a module with kernels of another one.
    """

    name = "select-kernels"
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        unpacked, decoded = UnpackedRuns(), DecodedRuns(board(self.target).ram)
        select_tile_kernels(op, self.target)
        for contraction in [contraction for contraction in op.walk() if isinstance(contraction, num.ContractOp)]:
            expand_contraction(contraction)
        for call in list(op.walk()):
            if isinstance(call, num.KernelOp) and not call.NEEDS_KERNEL:
                kernel = _matching(call, self.target)
                if isinstance(call, num.SparseDotOp) and kernel is not None:
                    kernel = _sparse_kernel(call, kernel, self.target)
                elif kernel is not None:
                    call.kernel = kernel.attribute
                    if isinstance(call, num.DistanceOp):
                        call.operands = [call.sum, *call.factors]
                    if isinstance(call, num.DotOp) and kernel.codings != tuple(map(coding_of, call.factors)):
                        _replace(call, decoded.sum(call, kernel))
                    elif isinstance(call, num.DotOp | num.DistanceOp) and _packed_in_ram(call.rhs):
                        _replace(call, unpacked.sum(call, kernel.attribute))
                if kernel is None:
                    _expand(call)
        select_chunks(op, kernels_of(self.target))
        _remove_unread(op)


def _matching(op: num.KernelOp, target: str) -> Kernel | None:
    """The target's kernel for an op, after widening the accumulator of its sum if the kernel requires that."""
    if not op.accumulator.INTEGER:
        return None
    if isinstance(op, num.StridedDotOp) and op.length == 1:
        # A product of a column and a row: a call would take longer than the product itself.
        return None
    chain = _chain(op) if isinstance(op, num.KernelSumOp) else []
    for width in _widths(op.accumulator) if chain else ():
        if all(_of_width(link, width, target) is not None for link in chain if _may_be_a_loop(link)):
            _widen(chain, width)
            return _of_width(op, width, target)
    return _of_width(op, op.accumulator.bits, target)


def _may_be_a_loop(op: _Link) -> TypeGuard[num.KernelSumOp]:
    return isinstance(op, num.KernelSumOp) and not op.NEEDS_KERNEL


def _of_width(op: num.KernelOp, width: int, target: str) -> Kernel | None:
    weights, vector = op.factors
    if _in_flash(vector) or not _begins_whole(weights) or (_packed_in_ram(weights) and not _is_constant(weights)):
        return None
    fetches = isinstance(op, num.SparseDotOp) and _packed_in_ram(vector)
    if fetches and _packed_offset(vector):
        return None
    if _packed_in_ram(vector) and not (
        isinstance(op, num.DotOp | num.DistanceOp | num.SparseDotOp) and _begins_whole(vector)
    ):
        return None
    codings = coding_of(weights), coding_of(vector)
    wanted = Kernel(
        "",
        _bits(weights),
        _bits(vector) if fetches else _whole_bits(vector),
        width,
        op=op.name,
        flash=_in_flash(weights),
        codings=codings,
    )
    coded = [] if not isinstance(op, num.DotOp) else [run for run in op.factors if decoded_format(run) is not None]
    # The vector is decoded before the weights, which a kernel may decode itself.
    for last in range(len(coded), -1, -1):
        decoded = coded[last:]
        if weights in decoded:
            wanted = replace(wanted, weights=DECODED_BITS, flash=False, codings=(INTEGER, wanted.codings[1]))
        if vector in decoded:
            wanted = replace(wanted, vector=DECODED_BITS, codings=(wanted.codings[0], INTEGER))
        if matches := kernels_for(target, wanted):
            return matches[0]
    return None


def _widths(accumulator: Accumulator) -> Iterator[int]:
    """Yield the width of an accumulator in bits, then the greater widths to which it can be widened."""
    yield (width := accumulator.bits)
    while (width := accumulator.widened(width + 1).bits) > accumulator.bits:
        accumulator = accumulator.widened(width)
        yield width


def _chain(op: _Link) -> list[_Link]:
    """The ops that a sum passes through, from its start to its finish; empty if the sum has other uses."""
    first = op
    while isinstance(first.sum.owner, _Link):
        first = first.sum.owner
    if not isinstance(first.sum.owner, num.ZeroOp | num.StartOp):
        return []
    chain = [first]
    while not all(isinstance(use.operation, num.FinishOp) for use in chain[-1].result.uses):
        users = [use.operation for use in chain[-1].result.uses]
        if len(users) != 1 or not isinstance(users[0], _Link):
            return []
        chain.append(users[0])
    return chain


def _widen(chain: Sequence[_Link], bits: int) -> None:
    """Move a sum to an accumulator of `bits` bits."""
    if not chain or num.accumulator_type(chain[0].sum).bits == bits:
        return
    start = chain[0].sum.owner
    type = num.accumulator_type(chain[0].sum).widened(bits).type
    wide = num.StartOp(start.value, type) if isinstance(start, num.StartOp) else num.ZeroOp(type)
    LoopNest(chain[0]).insert(wide)
    wide.result.name_hint = chain[0].sum.name_hint
    chain[0].operands[chain[0].operands.index(chain[0].sum)] = wide.result
    for link in chain:
        Rewriter.replace_value_with_new_type(link.result, num.accumulator_type(link.result).widened(bits).type)


def _format(value: SSAValue) -> NumberFormat:
    return element_format(value.type)


def _in_flash(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and scratch.in_flash(scratch.memref_type(value))


def _packed_in_ram(value: SSAValue) -> bool:
    """True for values packed in RAM, which are unpacked first unless they are constants."""
    packed = isinstance(value.type, MemRefType) and scratch.packed_bits(scratch.memref_type(value)) is not None
    return packed and not _in_flash(value)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(scratch.root(value).owner, scratch.ConstantOp)


def _begins_whole(weights: SSAValue) -> bool:
    """True if a run of packed elements begins at a group boundary, as kernels require."""
    if not isinstance(weights.type, MemRefType) or (bits := scratch.packed_bits(scratch.memref_type(weights))) is None:
        return True
    length = group_length(bits)
    while isinstance(view := weights.owner, scratch.SliceOp):
        if not is_multiple(view.offset, length):
            return False
        weights = view.source
    return True


def _bits(value: SSAValue) -> int:
    packed = scratch.packed_bits(scratch.memref_type(value)) if isinstance(value.type, MemRefType) else None
    return packed or _whole_bits(value)


def _packed_offset(value: SSAValue) -> int:
    return scratch.packed_offset(scratch.memref_type(value))


def _whole_bits(value: SSAValue) -> int:
    return 8 * _format(value).dtype.itemsize


def _sparse_kernel(op: num.SparseDotOp, kernel: Kernel, target: str) -> Kernel | None:
    """Set the best kernel for the matrix among those of equal results; it may read a byte stream."""
    best = best_rows(kernels_for(target, kernel.wanted), compressed_rows(op), op.length)
    if best is None:
        return None
    if best.make_stream is None:
        op.kernel = best.kernel.attribute
        return best.kernel
    nest, bytes = LoopNest(op), best.make_stream()
    stream = scratch.ConstantOp.of(bytes.view("i1"), i8)
    stream.result.name_hint = f"{op.values.name_hint or 'sparse'}_rows"
    nest.insert(stream)
    lengths = cast(scratch.ConstantOp, op.lengths.owner)
    counted = best.lengths.view(lengths.raws.dtype)
    lengths.value = scratch.ConstantOp.of(counted, scratch.memref_type(op.lengths).element_type).value
    start = nest.add(nest.times(op.at, best.unit), nest.times(op.row, COUNT_BYTES))
    row = nest.insert(scratch.SliceOp(stream.result, start, bytes.shape))
    _replace(op, nest.insert(num.PackedDotOp(op.sum, row, op.vector, best.kernel.attribute)))
    return best.kernel


def _expand(op: num.KernelOp) -> None:
    nest = LoopNest(op)
    match op:
        case num.DotOp():
            _replace(op, _dot(op, 1, nest))
        case num.StridedDotOp():
            _replace(op, _dot(op, op.stride.value.data, nest))
        case num.SparseDotOp():
            _replace(op, _sparse_dot(op, nest))
        case num.DistanceOp():
            _replace(op, _distance(op, nest))
        case num.AxpyOp():
            _axpy(op, nest)
            Rewriter.erase_op(op)
        case _:
            raise error_at(op, f"{op.name} is not supported yet: it has no loop")


def _replace(op: num.KernelSumOp, sum: SSAValue) -> None:
    sum.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(sum)
    Rewriter.erase_op(op)


def _distance(op: num.DistanceOp, nest: LoopNest) -> SSAValue:
    def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        difference = num.SubOp(nest.load(op.lhs, [k]), nest.load(op.rhs, [k]), op.difference.type)
        nest.insert(difference)
        return [nest.insert(num.MacOp(sums[0], difference.result, difference.result))]

    return nest.fold(nest.index(op.length), [op.sum], step)[0]


def _axpy(op: num.AxpyOp, nest: LoopNest) -> None:
    def step(indices: Indices) -> None:
        sum, weight = nest.load(op.sums, indices), nest.load(op.vector, indices)
        nest.store(nest.insert(num.MacOp(sum, weight, op.factor)), op.sums, indices)

    nest.over((op.length,), step)


def _dot(op: num.DotOp | num.StridedDotOp, stride: int, nest: LoopNest) -> SSAValue:
    def mac(sum: SSAValue, k: SSAValue) -> SSAValue:
        return nest.insert(num.MacOp(sum, nest.load(op.lhs, [k]), nest.load(op.rhs, [nest.times(k, stride)])))

    return sum_of_products(nest, op.sum, op.length, mac)


def _sparse_dot(op: num.SparseDotOp, nest: LoopNest) -> SSAValue:
    def step(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        sum, column, at = carried
        column = nest.add(column, nest.unsigned(nest.load(op.gaps, [at])))
        product = num.MacOp(sum, nest.load(op.values, [at]), nest.load(op.vector, [column]))
        return [nest.insert(product), column, nest.add(at, nest.index(1))]

    length = nest.unsigned(nest.load(op.lengths, [op.row]))
    return nest.fold(length, [op.sum, nest.index(0), op.at], step)[0]


def _remove_unread(module: ModuleOp) -> None:
    """Remove constants whose only reader now reads a packed copy."""
    for op in [op for op in module.walk() if isinstance(op, scratch.ConstantOp) and not op.result.uses]:
        Rewriter.erase_op(op)
