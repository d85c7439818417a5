"""`block-rows`: multiplies several rows of a matrix by a vector at once if the target has a kernel for several rows
(L3).

A kernel for several rows is called once and loads each element of the vector once for all of these rows. The sums of a
block are stored in small local arrays, one array for each sum of a row. The ops that precede and follow the products of
a row are unchanged, but they run in loops over the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import element_bytes, elements_of, memref_type, packed_bits
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import SumQuery
from tinyml.targets.registry import HOST, chip_of, compile_for, offers
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, Access, accesses, buffer_access, distance
from tinyml.transforms.ir.buffers import first_element, start_of
from tinyml.transforms.ir.indices import AffineSum
from tinyml.transforms.ir.loop_nest import LoopBuilder, local_array, needed
from tinyml.transforms.ir.memory_sums import BLOCK_SUMS
from tinyml.transforms.loops.kernels.tiles import obstacle_of_tile, usual_tile

TILES = Statistic("num-tiles", "Number of contractions that a tile computes")

ZEROS = 8
"""The most sums for which an array of zeros takes less flash than a loop that stores them."""


@dataclass(frozen=True)
class BlockRowsPass(ModulePass):
    """Split the rows of each `num.contract` into blocks, and call a kernel for each block.

    If a kernel also finishes the sums, the rows become a tile instead. If a row has several sums, kernels compute
    each sum. Contractions with several windows are unchanged, and so are rows without a suitable kernel.

    target: as for printing C.

    Raises `InputError` for an unknown target.
    """

    name = "block-rows"
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compile_for(op, self.target)
        # Kernels read initial values as they read RAM.
        one_space = chip_of(self.target).flash_attribute is None
        for function in defined_functions(op):
            # One array for all contractions: no two of them run at the same time.
            arrays: dict[tuple[Attribute, int, int], SSAValue] = {}
            found = tile_rows(function, self.target, num.DOT_ROWS, num.CHANNEL_DOTS)
            for rows in [rows for rows in found if rows.op.tile is None]:
                kinds = [(each.accumulator.type, rows.block, number) for number, each in enumerate(rows.sums)]
                for type, block, number in kinds:
                    if (type, block, number) not in arrays:
                        arrays[type, block, number] = array = local_array(function, type, block, "sums")
                        cast(Operation, array.owner).attributes[BLOCK_SUMS] = UnitAttr()
                rows.rewrite([arrays[kind] for kind in kinds], constant_zeros=one_space)


def tile_rows(function: FuncOp, target: str, *routines: str) -> list[_Rows]:
    """Set the tile of each contraction over rows if a kernel of the target also finishes the sums. Return the rows
    that kernels compute, in tiles or in blocks.

    routines: the routines that compute products of several rows; the target must have kernels for them.
    """
    untiled = [op for op in function.walk() if isinstance(op, num.ContractOp) and op.tile is None]
    found = [rows for op in untiled if (rows := _Rows.find(op, target, routines)) is not None]
    taken = {rows.op for rows in found}
    for op in untiled:
        if op not in taken:
            missed(op, "has neither tile nor blocks: it has several windows, or no kernel takes its rows")
    for rows in found:
        rows.op.tile = tile = usual_tile(rows.op, target)
        if tile is None:
            missed(rows.op, partial(_without_tile, rows))
        else:
            passed(rows.op, f"is computed by the tile {tile}")
            TILES.add(rows.op)
    return found


def _without_tile(rows: _Rows) -> str:
    return f"has no tile: {obstacle_of_tile(rows.op)}; {rows.block} rows are taken at once"


@dataclass
class _RowSum:
    """A sum of products in each row of a contraction.

    accumulator: the accumulator in which the kernels compute the sum.
    products: the products in order, each with its kernel.
    """

    sum: num.Sum
    accumulator: Accumulator
    products: list[tuple[num.ProductsOp, Kernel]]

    @property
    def rows(self) -> int:
        """The number of rows that one call of the kernels computes."""
        return self.products[0][1].rows

    @property
    def last(self) -> num.ProductsOp:
        """The op that adds the last products, so that its result is the complete sum."""
        return self.products[-1][0]

    @classmethod
    def find(cls, op: num.ContractOp, sum: num.Sum, target: str, routines: Sequence[str]) -> _RowSum | None:
        """Match a sum of a contraction that kernels can compute for several rows at once. None for any other sum.

        routines: as for `tile_rows`.
        """
        dense = [each for each, align in sum.terms if isinstance(each, num.ProductsOp) and align is None]
        if len(dense) < len(sum.terms) or not all(map(dense[-1].is_before_in_block, op.stores)):
            return None
        if not dense[-1].accumulator.INTEGER or _reads_earlier_rows(op, sum):
            return None
        accumulators = list(sum.accumulators(sum.start))
        widths = tuple(accumulator.bits for accumulator in accumulators)
        nests = [_nest_of(each, widths, op.rows, routines) for each in dense]
        offered = [[] if nest is None else [each.kernel for each in offers(target, nest)] for nest in nests]
        for accumulator in accumulators:
            kernels = [
                next((one for one in each if one.sum == accumulator.bits and one.rows <= op.rows), None)
                for each in offered
            ]
            found = [(each, kernel) for each, kernel in zip(dense, kernels, strict=True) if kernel is not None]
            same = {kernel.rows for _, kernel in found}
            if len(found) == len(dense) and len(same) == 1:
                return cls(sum, accumulator, found)
        return None

    def zeros(self, nest: LoopBuilder) -> SSAValue | None:
        """Insert a constant array of zeros with the initial values of a block, and return it. None if the sum does not
        start from zero or a block has more than `ZEROS` rows.
        """
        if not self.sum.starts_from_zero or self.rows > ZEROS:
            return None
        raws = np.zeros(self.rows, f"i{self.accumulator.bits // 8}")
        zeros = nest.insert(scratch.ConstantOp.of(raws, self.accumulator.type))
        zeros.name_hint = "zeros"
        return zeros

    def call(self, nest: LoopBuilder, first: SSAValue, begin: SSAValue, sums: SSAValue) -> None:
        """Insert the calls that compute a block of rows.

        first: the index of the first row.
        begin: the array that contains the initial values.
        sums: the array to which the sums are written.
        """
        for products, kernel in self.products:
            place = nest.times(first, products.row_pitch)
            matrix = nest.insert(scratch.SliceOp(products.weights, place, (self.rows * products.row_pitch,)))
            if products.channels is None:
                routine, window = num.DotRowsAttr(), products.vector
            else:
                reach = (products.length - 1) * products.stride + self.rows
                window = nest.insert(scratch.SliceOp(products.vector, first, (reach,)))
                routine = num.ChannelDotsAttr.of(products.stride)
            nest.put(num.CallOp(routine, [sums, begin, matrix, window], kernel.attribute))
            begin = sums

    @property
    def begins(self) -> tuple[Operation | Block, ...]:
        """The op that begins the sum, and those that convert it. Their results have the width of the accumulator."""
        return self.sum.start.owner, *self.sum.conversions

    def begin(self, nest: LoopBuilder, values: dict[SSAValue, SSAValue]) -> SSAValue:
        """The initial value of a row, in the width of the accumulator.

        values: the copies of values of the contraction. An op before the contraction is copied if its result is
            narrower than the accumulator.
        """
        start, op, copies = self.sum.start, self.sum.start.owner, dict(values)
        if isinstance(op, Operation) and start not in values and self.accumulator.type != start.type:
            nest.put(op.clone(value_mapper=copies))
            self.widen(op, copies)
        return copies.get(start, start)

    def widen(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """If `op` begins or converts the sum, widen its copy in `values` to the accumulator of the kernels."""
        if self.accumulator.type != self.sum.start.type and op in self.begins:
            before, type = op.results[0], num.accumulator_type(op.results[0]).widened(self.accumulator.bits).type
            # Another sum that begins with the same op has widened it.
            if values[before].type != type:
                values[before] = Rewriter.replace_value_with_new_type(values[before], type)


@dataclass
class _Rows:
    """The rows of a contraction whose sums kernels can compute in blocks."""

    op: num.ContractOp
    sums: Sequence[_RowSum]

    @property
    def block(self) -> int:
        """The number of rows that one call of the kernels computes."""
        return self.sums[0].rows

    @classmethod
    def find(cls, op: num.ContractOp, target: str, routines: Sequence[str]) -> _Rows | None:
        """Match the rows of a contraction if blocks of them can be computed at once. None for any other contraction.

        routines: as for `tile_rows`.
        """
        if len(op.shape) > 1 or not op.sums:
            return None
        body = op.body.block
        found = [each for sum in op.sums if (each := _RowSum.find(op, sum, target, routines)) is not None]
        if len(found) < len(op.sums) or len({each.rows for each in found}) > 1:
            return None
        # The copy of an op that begins several sums has one width.
        widths = {(begin, each.accumulator.type) for each in found for begin in each.begins if begin.parent is body}
        if len({begin for begin, _ in widths}) < len(widths):
            return None
        # All initial values are stored before any products are computed.
        starts = needed([sum.start.owner for sum in op.sums], op)
        return None if any(isinstance(each, num.ProductsOp) for each in starts) else cls(op, found)

    def rewrite(self, arrays: Sequence[SSAValue], *, constant_zeros: bool) -> None:
        """Compute the rows block by block, and the remaining rows in a loop.

        arrays: for each sum, an array for the sums of one block.
        constant_zeros: true if kernels can read the initial values from a constant.
        """
        nest, op = LoopBuilder(self.op), self.op
        rest = op.rows % self.block
        starts = [(constant_zeros and each.zeros(nest)) or array for each, array in zip(self.sums, arrays, strict=True)]
        stored = [(each, array) for each, array, start in zip(self.sums, arrays, starts, strict=True) if start is array]
        blocks = nest.index((op.rows - rest) // self.block)

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            first = nest.times(number, self.block)
            if stored:
                self._begin(nest, first, stored)
            for each, start, array in zip(self.sums, starts, arrays, strict=True):
                each.call(nest, first, start, array)
            self._finish(nest, first, arrays)
            return []

        nest.fold(blocks, [], body)
        if rest:
            from tinyml.transforms.ir.contraction_loops import expand_contraction

            expand_contraction(op, op.rows - rest)
        else:
            Rewriter.erase_op(op)

    def _begin(self, nest: LoopBuilder, first: SSAValue, stored: Sequence[tuple[_RowSum, SSAValue]]) -> None:
        """Insert a loop over the rows of a block that stores the initial values of sums in their arrays.

        first: the index of the block's first row.
        stored: the sums with their arrays.
        """

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {self.op.row: nest.add(first, number)}
            self._copy(nest, needed([each.sum.start.owner for each, _ in stored], self.op), values)
            for each, array in stored:
                nest.store(each.begin(nest, values), array, [number])
            return []

        nest.fold(nest.index(self.block), [], body)

    def _finish(self, nest: LoopBuilder, first: SSAValue, arrays: Sequence[SSAValue]) -> None:
        """Insert a loop over the rows of a block that finishes their sums.

        first: the index of the block's first row.
        arrays: for each sum, the array of the sums of the block.
        """

        def body(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {self.op.row: nest.add(first, number)}
            for each, array in zip(self.sums, arrays, strict=True):
                values[each.last.result] = nest.load(array, [number])
                values[each.last.result].name_hint = each.last.result.name_hint
            self._copy(nest, needed(self.op.stores, self.op, but=[each.last for each in self.sums]), values)
            return []

        nest.fold(nest.index(self.block), [], body)

    def _copy(self, nest: LoopBuilder, ops: Sequence[Operation], values: dict[SSAValue, SSAValue]) -> None:
        """Insert copies of ops. Their operands are replaced by the copies in `values`, to which the results of
        the new ops are added.
        """
        for op in ops:
            nest.put(op.clone(value_mapper=values))
            for each in self.sums:
                each.widen(op, values)


def _nest_of(op: num.ProductsOp, widths: tuple[int, ...], rows: int, routines: Sequence[str]) -> SumQuery | None:
    """The query to a chip for a kernel that computes the products of several rows. None if `routines` does not name the
    routine, if no kernel can compute these products, or if a loop is faster.

    widths: the possible widths of the sum's accumulator, in bits.
    rows: the number of rows.
    routines: as for `tile_rows`.
    """
    routine = num.DOT_ROWS if op.channels is None else num.CHANNEL_DOTS
    if routine not in routines:
        return None
    # A loop is faster for a single product per channel.
    if op.channels is not None and (op.length == 1 or op.filters is not None):
        return None
    formats = [element_format(factor.type) for factor in op.factors]
    types = [scratch.memref_type(factor) for factor in op.factors]
    if not all(format.coding is INTEGER_CODING for format in formats):
        return None
    bits = scratch.packed_bits(types[0])
    if scratch.in_flash(types[1]) or scratch.packed_bits(types[1]) is not None:
        return None
    if op.row_pitch != op.length + (0 if bits is None else -op.length % group_length(bits)):
        return None
    weights, vector = (8 * format.dtype.itemsize for format in formats)
    return SumQuery(routine, bits or weights, vector, widths, flash=scratch.in_flash(types[0]), rows=rows)


def _reads_earlier_rows(op: num.ContractOp, sum: num.Sum) -> bool:
    """Whether a sum may read a value that an earlier row stores.

    Blocks are then impossible, because a block computes all its sums before it stores results. All other values are
    read after the previous rows have been stored, with or without blocks.
    """
    early = {*needed([sum.start.owner], op), *(products for products, _ in sum.terms)}
    if (found := accesses(op.body.block)) is None:
        return True
    rows = [
        distance(store, read, op.body.block, trips=op.rows)
        for store, read in product(found, found)
        if store.writes and read.op in early and not _is_apart(store, read, op)
    ]
    return any(apart is None or 0 < apart < DISJOINT_DISTANCE for apart in rows)


def _is_apart(store: Access, read: Access, op: num.ContractOp) -> bool:
    """Whether an op reads runs of elements to which no row stores. The runs may be in the memory of the stored
    elements, as when a result takes the bytes of an operand that is read row by row.
    """
    if read.start is not None or store.start is None:
        return False
    index = op.body.block.args[0]
    for run in read.op.operands:
        if not isinstance(run.type, MemRefType) or store.is_apart(buffer_access(read.op, run)):
            continue
        width = 8 * element_bytes(memref_type(run))
        first = first_element(run).times(width).plus(AffineSum(8 * start_of(scratch.root(run)), {}))
        gap = store.start.plus(first, -1)
        reach = gap.factors.get(index, 0) * (op.rows - 1)
        low, high = gap.constant + min(reach, 0), gap.constant + max(reach, 0)
        if gap.factors.keys() - {index} or packed_bits(memref_type(run)) is not None:
            return False
        if low < width * elements_of(run) and high + store.width > 0:
            return False
    return True
