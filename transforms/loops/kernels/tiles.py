"""Kernels for tiles, and the calls of these kernels that replace contractions (L3).

A tile is a block of weight rows by windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, i8
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedTile
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import Offer, RowSums, Start, TileQuery
from tinyml.targets.registry import known_kernel, offers, table_entries
from tinyml.targets.tiles import Tile, TileCoder, TileFamily, tile_of
from tinyml.transforms.ir.buffers import constant_raws
from tinyml.transforms.ir.indices import executions
from tinyml.transforms.ir.loop_nest import LoopBuilder

if TYPE_CHECKING:
    from tinyml.dialects.layouts.coded_rows import CodedTile
    from tinyml.targets.nests import Bytes


MAX_BYTES = 2
"""The most bytes of a factor of a tile."""


def select_tile_kernels(module: ModuleOp, target: str) -> None:
    """Replace contractions that have a tile by calls of the tile's kernel.

    Contractions whose weights are packed or were loaded into RAM are unchanged.

    Raises the errors of `call_of_tile`.
    """
    for function in defined_functions(module):
        for op in [op for op in function.walk() if isinstance(op, num.ContractOp)]:
            if (call := call_of_tile(op, target)) is not None:
                call.replace(op)


def usual_tile(op: num.ContractOp, target: str) -> num.TileKernelAttr | num.CodeKernelAttr | None:
    """The tile of the best kernel that a target has for a contraction. None if it has no kernel.

    Kernels that only `spend-flash` may choose are not considered.
    """
    return next((call.attribute for call in calls_of_tile(op, target)), None)


@dataclass(frozen=True)
class TileCall:
    """The calls of a kernel that compute a contraction.

    times: the number of calls; each call computes some of the tile's lines.
    data: the stream of weights in flash, or for a kernel that contains its data, this data.
    """

    kernel: Kernel
    data: Bytes | CodedTile
    times: int

    @property
    def attribute(self) -> num.TileKernelAttr | num.CodeKernelAttr:
        """The tile attribute of the contraction that these calls replace."""
        return code_of(self.kernel) if isinstance(self.data, CodedTile) else tile_of(self.kernel)

    @property
    def time(self) -> float:
        return self.times * (0.0 if self.kernel.composed is None else self.kernel.composed.costs[""])

    @cached_property
    def content(self) -> bytes:
        """The bytes of the weight stream in flash. Calls of the same kernel with equal bytes can use one stream."""
        return b"" if isinstance(self.data, CodedTile) else self.data.tobytes()

    def replace(self, op: num.ContractOp) -> None:
        """Replace a contraction by calls of the kernel, which read the windows and store the results as the contraction
        does.
        """
        [products], [store], nest = op.products, op.stores, LoopBuilder(op)
        assert isinstance(products, num.ProductsOp)
        results = prod(op.shape) // self.times
        stream = None
        if not isinstance(self.data, CodedTile):
            stream = nest.insert(scratch.ConstantOp.of(self.data, i8))
        if stream is not None:
            stream.name_hint = products.weights.name_hint
        for number in range(self.times):
            outputs = nest.insert(scratch.SliceOp(store.memref, nest.index(number * results), (results,)))
            windows = products.vector
            if self.times > 1:
                tile = Tile.of(tile_of(self.kernel))
                first = nest.index(number * tile.lines * products.spaces.pitch)
                windows = nest.insert(scratch.SliceOp(windows, first, (tile.elements,)))
            if isinstance(self.data, CodedTile):
                routine = num.CodedTileAttr.of(self.data.attribute, size_of(self.kernel))
                nest.put(num.CallOp(routine, [outputs, windows], self.kernel.attribute))
            elif stream is not None:
                routine = num.TilesAttr.of(results * products.length)
                nest.put(num.CallOp(routine, [outputs, stream, windows], self.kernel.attribute))
        _erase(op)


def _erase(op: num.ContractOp) -> None:
    read = [value for each in op.body.block.ops for value in each.operands if isinstance(value.owner, scratch.SliceOp)]
    Rewriter.erase_op(op)
    for value in dict.fromkeys(read):
        while isinstance(view := value.owner, scratch.SliceOp) and not value.uses:
            value = view.source
            Rewriter.erase_op(view)


def code_of(kernel: Kernel) -> num.CodeKernelAttr:
    """The attribute that identifies a kernel that contains its constants."""
    assert isinstance(kernel.attribute, num.CodeKernelAttr)
    return kernel.attribute


def size_of(kernel: Kernel) -> num.CodeSize:
    """The time of a call to a composed kernel, and its sizes in bytes: of a call, of its code and of its stack."""
    composed = kernel.composed
    assert composed is not None
    return num.CodeSize(round(composed.costs[""]), kernel.code, composed.call, composed.stack)


def is_bought(tile: num.TileKernelAttr | num.CodeKernelAttr | None, target: str) -> bool:
    """Whether only `spend-flash` chooses a tile, because its kernel contains the weights or reads more bytes than
    there are weights.
    """
    if tile is None or isinstance(tile, num.CodeKernelAttr):
        return tile is not None
    kernel = known_kernel(tile, target)
    return kernel is not None and kernel.large


def call_of_tile(op: num.ContractOp, target: str) -> TileCall | None:
    """The calls of the kernel for a contraction's tile. None without a tile, or if the kernel cannot finish such sums.

    Raises `InputError` if the target has no kernels of the family or generator that the tile names, or if the sums of
    the contraction require a kernel other than the one that the tile names.
    """
    if (tile := op.tile) is None or (nest := _nest_of(op, by=tile)) is None:
        return None
    if (offer := next(offers(target, nest), None)) is None:
        name = tile.coder.data if isinstance(tile, num.CodeKernelAttr) else tile.family.data
        if name not in [entry.name for kind in (TileFamily, TileCoder) for entry in table_entries(target, kind)]:
            raise InputError(f"the target '{target}' has no kernel {tile}")
        return None
    call = _call(op, offer)
    if call.attribute != op.tile:
        raise error_at(op, f"the kernel of these sums is {call.attribute}, got {op.tile}")
    return call


def calls_of_tile(op: num.ContractOp, target: str, *, large: bool = False) -> Iterator[TileCall]:
    """Yield the calls of every kernel that can compute a contraction over windows. One call computes all or some
    lines of windows.

    large: as in `TileQuery`.
    """
    if (nest := _nest_of(op, large=large)) is not None:
        yield from (_call(op, offer) for offer in offers(target, nest))


class _NoTile(Exception):
    """Raised if no tile kernel can compute a contraction. The message states the reason."""


def _nest_of(op: num.ContractOp, *, large: bool = False, by: num.KernelAttr | None = None) -> TileQuery | None:
    try:
        return _query(op, large=large, by=by)
    except _NoTile:
        return None


def obstacle_of_tile(op: num.ContractOp) -> str:
    """The reason, for messages, why the target has no kernel for a contraction's tile."""
    try:
        _query(op)
    except _NoTile as error:
        return str(error)
    return "the target has no kernel for a tile of these sums"


def _query(op: num.ContractOp, *, large: bool = False, by: num.KernelAttr | None = None) -> TileQuery:
    """The query to a chip for the kernels of a contraction. Raises `_NoTile`.

    Tile kernels compute one sum of products of integers of 8 or 16 bits that are constant or in RAM. The sum must start
    from a constant for each row and be stored as an integer. `_row_sums` of window_tiles predicts these sums at L1.

    large, by: as in `TileQuery`.
    """
    match op.sums:
        case [num.Sum(terms=[(num.ProductsOp() as products, None)]) as sum] if products.row_pitch == products.length:
            start, store, weights = row_starts(op, sum), op.store_of(sum), constant_raws(products.weights)
        case _:
            raise _NoTile("it has several sums, or rows that are not contiguous")
    if start is None or not all(isinstance(each, num.LevelOp) and each.row is op.row for each in sum.conversions):
        raise _NoTile("its sums do not start from constants of the rows")
    if store is None or weights is None:
        raise _NoTile("its weights are not constants, or more than the rounded sum is stored")
    result, by_row = memref_type(store.memref), weights.reshape(op.rows, -1)
    if not all(map(_has_integers, products.factors)) or scratch.in_flash(memref_type(products.vector)):
        raise _NoTile("its factors are not integers of 8 or 16 bits in RAM and such constants")
    if scratch.packed_bits(result) is not None:
        raise _NoTile("its result is packed in bits")
    channels, filters = products.channels is not None, products.filters_of_channel
    widths = [8 * element_format(factor.type).dtype.itemsize for factor in products.factors]
    factors = widths[0], widths[1]
    sums = RowSums(channels, by_row, start, products.accumulator, element_format(result), filters, factors)
    times = executions(op)
    return TileQuery(sums, products.run, products.spaces, op.windows, op.lines, large=large, by=by, times=times)


def _has_integers(run: SSAValue) -> bool:
    format = element_format(run.type)
    is_packed = scratch.packed_bits(memref_type(run)) is not None
    return format.coding is INTEGER_CODING and format.dtype.itemsize <= MAX_BYTES and not is_packed


def row_starts(op: num.ContractOp, sum: num.Sum) -> Start | None:
    """The initial values of the sums of all rows, in order. None if they are not constant."""
    if (load := sum.start_load) is None or not op.visits(load) or (raws := constant_raws(load.memref)) is None:
        return None
    return Start(element_format(load.memref.type), raws)


def _call(op: num.ContractOp, offer: Offer) -> TileCall:
    assert offer.data is not None
    return TileCall(offer.kernel, offer.data(), op.lines // offer.lines)
