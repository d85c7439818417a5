"""`select-kernels`: turns sums of products and squares into calls of a target's kernels, or into loops (L3).

A kernel is exact integer arithmetic, so it computes the same bits as the loop that it replaces. Kernels of the target
are tried first, then the generic loop. Where a target has no kernel for a narrow accumulator, the sum is widened to an
accumulator for which there is a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard, cast

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.layouts.sparse_rows import COUNT_BYTES
from tinyml.targets.nests import Offer, SumNest
from tinyml.targets.registry import HOST, board, compile_for, offers
from tinyml.transforms.ir.contraction_loops import expand_contraction, open_entries
from tinyml.transforms.ir.indices import is_multiple
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.ir.sparse_layouts import best_rows, compressed_rows
from tinyml.transforms.loops.kernels.chunks import select_chunks
from tinyml.transforms.loops.kernels.decode_runs import DecodedRuns, coding_of, decoded_format
from tinyml.transforms.loops.kernels.tiles import select_tile_kernels
from tinyml.transforms.loops.kernels.unpack_runs import UnpackedRuns

_Link: TypeAlias = num.CallOp | num.AlignOp | num.ShiftOp


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Sets `kernel` on each dot product, distance and axpy for which the target has a kernel, and expands the others.

    For an FPGA the contraction of a compressed matrix stays, with a `num.entries` in it.

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
            if board(self.target).fabric is not None and list(map(type, contraction.sums)) == [num.SparseProductsOp]:
                # Hardware deals the entries out to processing elements, for which it keeps the rows as they are.
                open_entries(cast(num.SparseProductsOp, contraction.sums[0]))
            else:
                expand_contraction(contraction)
        for call in list(op.walk()):
            if not isinstance(call, num.CallOp) or not isinstance(routine := call.routine, num.LoopRoutineAttr):
                continue
            offer = _chosen(call, self.target)
            if isinstance(routine, num.SparseDotAttr) and offer is not None:
                offer = _set_sparse_kernel(call, offer, self.target)
            elif offer is not None:
                call.kernel = offer.kernel.attribute
                if routine.BY_BLOCKS:
                    _in_blocks(call, offer, unpacked, decoded)
            if offer is None:
                _replace(call, routine.expand(call, LoopNest(call)))
        select_chunks(op, self.target)
        _remove_unread(op)


def _in_blocks(call: num.CallOp, offer: Offer, unpacked: UnpackedRuns, decoded: DecodedRuns) -> None:
    """Order the runs as kernels take them, and decode or unpack those that the kernel cannot read, block by block."""
    weights, vector = call.factors
    call.operands = [call.sum, weights, vector]
    if offer.decoded:
        _replace(call, decoded.sum(call, offer))
    elif _packed_in_ram(vector):
        _replace(call, unpacked.sum(call, offer.kernel.attribute))


def _chosen(op: num.CallOp, target: str) -> Offer | None:
    """The target's best kernel for a call, after widening the accumulator of its sum if the kernel requires that.

    A sum is widened if there are kernels for all calls that add to it.
    """
    if not op.accumulator.INTEGER:
        return None
    if isinstance(op.routine, num.StridedDotAttr) and op.length == 1:
        # A product of a column and a row: a call would take longer than the product itself.
        return None
    chain = _chain(op) if op.routine.ADDS else []
    widths = tuple(_widths(op.accumulator)) if chain else (op.accumulator.bits,)
    calls = [op, *(link for link in chain if link is not op and _may_be_a_loop(link))]
    nests = [_nest_of(call, widths) for call in calls]
    found = [[] if nest is None else [*offers(target, nest)] for nest in nests]
    for width in widths:
        fitting = [next((offer for offer in each if offer.kernel.sum == width), None) for each in found]
        if None not in fitting:
            _widen(chain, width)
            return fitting[0]
    return next((offer for offer in found[0] if offer.kernel.sum == op.accumulator.bits), None)


def _may_be_a_loop(op: _Link) -> TypeGuard[num.CallOp]:
    return isinstance(op, num.CallOp) and isinstance(op.routine, num.LoopRoutineAttr)


def _nest_of(op: num.CallOp, widths: tuple[int, ...]) -> SumNest | None:
    """What a chip is asked for a call; None where no kernel can read the operands."""
    routine, (weights, vector) = op.routine, op.factors
    if _in_flash(vector) or not _begins_whole(weights) or (_packed_in_ram(weights) and not _is_constant(weights)):
        return None
    sparse, packed = isinstance(routine, num.SparseDotAttr), _packed_in_ram(vector)
    by_blocks = isinstance(routine, num.LoopRoutineAttr) and routine.BY_BLOCKS
    if packed and (not (sparse or by_blocks) or not _begins_whole(vector)):
        return None
    # Kernels for sparse rows read packed elements themselves.
    fetches = sparse and packed
    if fetches and _packed_offset(vector):
        return None
    dot = isinstance(routine, num.DotAttr)
    return SumNest(
        routine.name,
        _bits(weights),
        _bits(vector) if fetches else _whole_bits(vector),
        widths,
        (coding_of(weights), coding_of(vector)),
        _in_flash(weights),
        # The vector is decoded before the weights, which a kernel may decode itself.
        tuple(at for at, run in enumerate(op.factors) if dot and decoded_format(run) is not None),
    )


def _widths(accumulator: Accumulator) -> Iterator[int]:
    """Yield the width of an accumulator in bits, then the greater widths to which it can be widened."""
    yield (width := accumulator.bits)
    while (width := accumulator.widened(width + 1).bits) > accumulator.bits:
        accumulator = accumulator.widened(width)
        yield width


def _chain(op: _Link) -> list[_Link]:
    """The ops that a sum passes through, from its start to its finish; empty if the sum has other uses."""
    first = op
    while _is_link(before := first.sum.owner):
        first = before
    if not isinstance(first.sum.owner, num.ZeroOp | num.StartOp):
        return []
    chain = [first]
    while not all(isinstance(use.operation, num.FinishOp) for use in chain[-1].result.uses):
        users = [use.operation for use in chain[-1].result.uses]
        if len(users) != 1 or not _is_link(user := users[0]):
            return []
        chain.append(user)
    return chain


def _is_link(op: Operation | Block) -> TypeGuard[_Link]:
    return op.routine.ADDS if isinstance(op, num.CallOp) else isinstance(op, num.AlignOp | num.ShiftOp)


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


def _set_sparse_kernel(op: num.CallOp, offer: Offer, target: str) -> Offer | None:
    """Set the best kernel for the matrix among those with results equal to an offer's; it may read a byte stream.

    None if no kernel can read the matrix.
    """
    nest = _nest_of(op, (offer.kernel.sum,))
    kernels = () if nest is None else [other.kernel for other in offers(target, nest)]
    best = best_rows(kernels, compressed_rows(op), op.length)
    if best is None:
        return None
    if best.make_stream is None:
        op.kernel = best.kernel.attribute
        return offer
    nest, bytes = LoopNest(op), best.make_stream()
    sum, values, _, lengths, vector, number, at = op.arguments
    stream = scratch.ConstantOp.of(bytes.view("i1"), i8)
    stream.result.name_hint = f"{values.name_hint or 'sparse'}_rows"
    nest.insert(stream)
    constant = cast(scratch.ConstantOp, lengths.owner)
    counted = best.lengths.view(constant.raws.dtype)
    constant.value = scratch.ConstantOp.of(counted, scratch.memref_type(lengths).element_type).value
    start = nest.add(nest.times(at, best.unit), nest.times(number, COUNT_BYTES))
    row = nest.insert(scratch.SliceOp(stream.result, start, bytes.shape))
    _replace(op, nest.insert(num.CallOp(num.PackedDotAttr(), [sum, row, vector], best.kernel.attribute)))
    return offer


def _replace(op: num.CallOp, sum: SSAValue | None) -> None:
    """Replace a call by the value that it computes, or by what has been inserted before it."""
    if sum is not None:
        sum.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(sum)
    Rewriter.erase_op(op)


def _remove_unread(module: ModuleOp) -> None:
    """Remove constants whose only reader now reads a packed copy."""
    for op in [op for op in module.walk() if isinstance(op, scratch.ConstantOp) and not op.result.uses]:
        Rewriter.erase_op(op)
