"""`select-kernels`: turns sums of products and squares into calls of a target's kernels, or into loops (L3).

A kernel computes exact integer arithmetic, so that all bits of its result equal those of the loop that it replaces.
Kernels of the target are preferred to the generic loop. If a target has no kernel for a narrow accumulator, the sum is
widened to an accumulator for which the target has a kernel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import are_data
from tinyml.dialects.layouts.digits import Width
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.layouts.sparse_rows import COUNT_BYTES
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.remarks import Statistic, missed
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.kernel import LONGEST_IN_CHUNKS, Kernel
from tinyml.targets.nests import Offer, SumQuery
from tinyml.targets.registry import HOST, board, compile_for, kernel_of, offers
from tinyml.transforms.ir.buffers import buffer_reads, first_element
from tinyml.transforms.ir.contraction_loops import expand_contraction, open_entries
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.ir.sparse_layouts import best_rows, compressed_rows
from tinyml.transforms.loops.expand_nests import open_nest_around
from tinyml.transforms.loops.kernels.local_runs import LocalRuns
from tinyml.transforms.loops.kernels.run_codings import coding_of, decoded_format
from tinyml.transforms.loops.kernels.tiles import select_tile_kernels

REST_BYTES = 2
"""Additional bytes of flash of a call whose length is not a multiple of the chunk."""

KERNELS = Statistic("num-kernels", "Number of sums that a kernel computes")


@dataclass(frozen=True)
class SelectKernelsPass(ModulePass):
    """Set `kernel` on each dot product, distance and axpy for which the target has a kernel, and expand all others
    into loops.

    For an FPGA, the contraction of a compressed matrix is preserved with a `num.entries` inside. A `scratch.slide`
    records the rows of constants by which a sliding window is multiplied.

    target: as for printing C; it is recorded in the module (`tinyml.target`), where later passes read it.

    Raises `InputError` for an unknown target, and for a module that calls kernels of another target.
    """

    name = "select-kernels"
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)

        @cache
        def local() -> LocalRuns:
            return LocalRuns(board(self.target).ram)

        select_tile_kernels(op, self.target)
        if board(self.target).fabric is not None:
            _keep_for_hardware(op)
        for contraction in [contraction for contraction in op.walk() if isinstance(contraction, num.ContractOp)]:
            if not any(isinstance(inner, num.RowLoopOp) for inner in contraction.body.block.ops):
                expand_contraction(contraction)
        for call in list(op.walk()):
            if not isinstance(call, num.CallOp) or not isinstance(routine := call.routine, num.LoopRoutineAttr):
                continue
            offer = _chosen(call, self.target)
            if offer is not None and routine.BY_BLOCKS and not offer.decoded:
                offer = _with_free_decoding(call, offer, self.target, local)
            if routine.name == num.SPARSE_DOT and offer is not None:
                offer = _set_sparse_kernel(call, offer, self.target)
            elif offer is not None:
                call.kernel = offer.kernel.attribute
                if routine.BY_BLOCKS:
                    _in_blocks(call, offer, local)
            if offer is not None:
                KERNELS.add(call)
            else:
                missed(call, f"becomes a loop: the target has no kernel for {routine.name} of these operands")
                open_nest_around(call)
                _replace(call, routine.expand(call, LoopBuilder(call)))
        select_chunks(op, self.target)
        _remove_unread(op)


def _keep_for_hardware(module: ModuleOp) -> None:
    for op in list(module.walk()):
        match op:
            case num.ContractOp(products=[num.SparseProductsOp() as products]) if products.accumulator.IN_REGISTER:
                open_entries(products)
            case num.ContractOp(products=[num.ProductsOp(channels=None) as products]):
                _state_slide(op, products.weights, products.vector, products.row_pitch)
            case num.CallOp(routine=num.DotAttr()):
                weights, window = op.factors
                _state_slide(op, weights, window, scratch.elements_of(weights))
            case _:
                pass


def _state_slide(op: Operation, weights: SSAValue, vector: SSAValue, length: int) -> None:
    """Insert a `scratch.slide` before an op that multiplies a sliding window by constant rows of `length` elements.

    If the window has other uses, nothing is inserted.
    """
    window, constant = map(scratch.root, (vector, weights))
    uses = [use.operation for use in buffer_reads(window)]
    copies = [use for use in uses if isinstance(use, scratch.CopyRunOp) and use.step is not None]
    whole = scratch.elements_of(window) == length and first_element(weights).is_multiple(length)
    table = isinstance(constant.owner, scratch.ConstantOp) and _in_flash(weights) and _packed_bits(weights) is None
    if len(uses) == 2 and len(copies) == 1 and whole and table:
        LoopBuilder(op).put(scratch.SlideOp(vector, weights))


def _in_blocks(call: num.CallOp, offer: Offer, local: Callable[[], LocalRuns]) -> None:
    weights, vector = call.factors
    call.operands = [call.sum, weights, vector]
    if offer.decoded:
        _replace(call, local().decoded(call, offer))
    elif _packed_in_ram(vector):
        _replace(call, local().unpacked(call, offer.kernel.attribute))


def _chosen(op: num.CallOp, target: str) -> Offer | None:
    """The target's best kernel for a call. None if there is none, if sums are not integers, and for a strided dot
    product of a single element, which takes less time than a call. The accumulator of the sum is widened if the
    kernel requires it.

    A sum is widened only if there are kernels for all calls that add to it.
    """
    if not op.accumulator.INTEGER:
        return None
    if isinstance(op.routine, num.StridedDotAttr) and op.length == 1:
        # A product of a column and a single row: a call would take longer than the product itself.
        return None
    sum = num.Sum.of(op) if op.routine.ADDS else None
    widths = (op.accumulator.bits,) if sum is None else tuple(each.bits for each in sum.accumulators(op.sum))
    calls = [op]
    if sum is not None and len(widths) > 1:
        calls += [each for each, _ in sum.terms if isinstance(each, num.CallOp) and each is not op]
    nests = [_nest_of(call, widths) for call in calls if isinstance(call.routine, num.LoopRoutineAttr)]
    found = [[] if nest is None else [*offers(target, nest)] for nest in nests]
    for width in widths:
        fitting = [next((offer for offer in each if offer.kernel.sum == width), None) for each in found]
        if None not in fitting:
            if sum is not None:
                _widen(sum, width)
            return fitting[0]
    return next((offer for offer in found[0] if offer.kernel.sum == op.accumulator.bits), None)


def _with_free_decoding(op: num.CallOp, direct: Offer, target: str, local: Callable[[], LocalRuns]) -> Offer:
    """The best offer for a call whose runs are decoded to free bytes of the arena, if it takes less time than the offer
    `direct`; otherwise `direct`.
    """
    nest = _nest_of(op, (direct.kernel.sum,))
    if nest is None or not nest.decodable:
        return direct
    decoding = [offer for offer in offers(target, nest) if offer.decoded]
    return next((offer for offer in decoding if local().decodes_for_free(op, direct.kernel, offer)), direct)


def _nest_of(op: num.CallOp, widths: tuple[int, ...]) -> SumQuery | None:
    """The query to a chip for the kernels of a call. None if no kernel can read the operands.

    widths: the possible widths of the accumulator.
    """
    routine, (weights, vector) = op.routine, op.factors
    if _in_flash(vector) or not _begins_whole(weights):
        return None
    if _packed_in_ram(weights) and scratch.constant_root(weights) is None:
        return None
    sparse, packed = routine.name == num.SPARSE_DOT, _packed_in_ram(vector)
    by_blocks = isinstance(routine, num.LoopRoutineAttr) and routine.BY_BLOCKS
    if packed and (not (sparse or by_blocks) or not _begins_whole(vector)):
        return None
    # Kernels for sparse rows read packed elements themselves.
    fetches = sparse and packed
    if fetches and scratch.packed_offset(scratch.memref_type(vector)):
        return None
    dot = isinstance(routine, num.DotAttr)
    return SumQuery(
        routine.name,
        _packed_bits(weights) or _whole_bits(weights),
        (fetches and scratch.ram_bits(scratch.memref_type(vector))) or _whole_bits(vector),
        widths,
        (coding_of(weights), coding_of(vector)),
        _in_flash(weights),
        # The vector is decoded before the weights, which a kernel may decode itself.
        tuple(at for at, run in enumerate(op.factors) if dot and decoded_format(run) is not None),
    )


def _widen(sum: num.Sum, bits: int) -> None:
    before = num.accumulator_type(sum.start)
    if before.bits == bits:
        return
    start, type, [first, *_] = sum.start.owner, before.widened(bits).type, sum.links
    wide = num.StartOp(start.value, type) if isinstance(start, num.StartOp) else num.ZeroOp(type)
    LoopBuilder(first).insert(wide)
    wide.result.name_hint = sum.start.name_hint
    first.operands[0] = wide.result
    for link in sum.links:
        Rewriter.replace_value_with_new_type(link.result, num.accumulator_type(link.result).widened(bits).type)


def _in_flash(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and scratch.in_flash(scratch.memref_type(value))


def _packed_bits(value: SSAValue) -> Width | None:
    return scratch.packed_bits(scratch.memref_type(value)) if isinstance(value.type, MemRefType) else None


def _whole_bits(value: SSAValue) -> int:
    return 8 * element_format(value.type).dtype.itemsize


def _packed_in_ram(value: SSAValue) -> bool:
    return _packed_bits(value) is not None and not _in_flash(value)


def _begins_whole(weights: SSAValue) -> bool:
    bits = _packed_bits(weights)
    return bits is None or first_element(weights).is_multiple(group_length(bits))


def _set_sparse_kernel(op: num.CallOp, offer: Offer, target: str) -> Offer | None:
    """Set the best kernel for a sparse matrix among the kernels with the accumulator width of an offer. Return the
    offer, or None if no kernel can read the matrix.

    The kernel may read a byte stream instead of compressed rows.
    """
    nest = _nest_of(op, (offer.kernel.sum,))
    kernels = () if nest is None else [other.kernel for other in offers(target, nest)]
    if are_data(op):
        # The length of a stream depends on the entries.
        of_rows = [kernel for kernel in kernels if kernel.gaps == 0]
        op.kernel = of_rows[0].attribute if of_rows else None
        return offer if of_rows else None
    best = best_rows(kernels, compressed_rows(op), op.length)
    if best is None:
        return None
    if best.make_stream is None:
        op.kernel = best.kernel.attribute
        return offer
    nest, bytes = LoopBuilder(op), best.make_stream()
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
    if sum is not None:
        sum.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(sum)
    Rewriter.erase_op(op)


def _remove_unread(module: ModuleOp) -> None:
    for op in [op for op in module.walk() if isinstance(op, scratch.ConstantOp) and not op.result.uses]:
        Rewriter.erase_op(op)


def select_chunks(module: ModuleOp, target: str) -> None:
    """Replace kernels of dot products by kernels that sum in chunks, if the weights of all calls permit it.

    All calls of a kernel change together, so that a program contains only one of the two kernels. They change only
    if the chunked kernel needs no more flash.
    """
    calls: defaultdict[num.ListedKernelAttr, list[num.CallOp]] = defaultdict(list)
    for op in module.walk():
        if num.calls_dot(op) and isinstance(op.kernel, num.ListedKernelAttr):
            calls[op.kernel].append(op)
    for called, ops in calls.items():
        plain = kernel_of(called, target)
        # The calls of a module whose kernels have been chosen before may be chunked already.
        for kernel in _in_chunks(plain, target) if not plain.chunk else ():
            rests = sum(op.length % kernel.chunk > 0 for op in ops)
            larger = kernel.code + rests * REST_BYTES > plain.code
            if not larger and all(_fits_in_chunks(op, kernel) for op in ops):
                for op in ops:
                    op.kernel = kernel.attribute
                break


def _in_chunks(plain: Kernel, target: str) -> list[Kernel]:
    widths, sums = (plain.weights, plain.vector), (plain.sum,)
    nest = SumQuery(plain.op, *widths, sums, plain.codings, plain.flash, chunked=True)
    return [offer.kernel for offer in offers(target, nest)]


def _fits_in_chunks(op: num.CallOp, kernel: Kernel) -> bool:
    """Whether a chunked kernel can compute a dot product with constant weights. For any vector, 16 bits must represent
    the sum of products of each chunk of weights plus one byte. The weights must begin at a multiple of their length,
    which must not exceed `LONGEST_IN_CHUNKS`. False if the weights are run-time data.
    """
    run, length = op.factors[0], op.length
    if length > LONGEST_IN_CHUNKS or are_data(op) or not first_element(run).is_multiple(length):
        return False
    if (constant := scratch.constant_root(run)) is None or constant.raws.size % length:
        return False
    weights = np.abs(constant.raws.astype(np.int64).reshape(-1, length))
    missing = -length % kernel.chunk
    chunks = np.pad(weights, ((0, 0), (missing, 0))).reshape(-1, kernel.chunk).sum(1)
    return int(chunks.max()) * -limits(kernel.vector)[0] + limits(9)[1] <= limits(16)[1]
