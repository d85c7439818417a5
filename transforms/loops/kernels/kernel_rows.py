"""The rows of a contraction whose sums kernels compute, several rows in each call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import INTEGER_CODING, element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.scratch import element_bytes, elements_of, memref_type, packed_bits
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import SumQuery
from tinyml.targets.registry import offers
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, Access, accesses, buffer_access, distance
from tinyml.transforms.ir.buffers import first_element, start_of
from tinyml.transforms.ir.indices import AffineSum
from tinyml.transforms.ir.loop_nest import needed


@dataclass
class RowSum:
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
    def find(cls, op: num.ContractOp, sum: num.Sum, target: str, routines: Sequence[str]) -> RowSum | None:
        """Match a sum of a contraction that kernels can compute for several rows at once. None for any other sum.

        routines: as for `KernelRows.find`.
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

    @property
    def begins(self) -> tuple[Operation | Block, ...]:
        """The op that begins the sum, and those that convert it. Their results have the width of the accumulator."""
        return self.sum.start.owner, *self.sum.conversions


@dataclass
class KernelRows:
    """The rows of a contraction whose sums kernels can compute in blocks."""

    op: num.ContractOp
    sums: Sequence[RowSum]

    @property
    def block(self) -> int:
        return self.sums[0].rows

    @classmethod
    def find(cls, op: num.ContractOp, target: str, routines: Sequence[str]) -> KernelRows | None:
        """Match the rows of a contraction if blocks of them can be computed at once. None for any other contraction.

        routines: the routines that compute products of several rows; the target must have kernels for them.
        """
        if len(op.shape) > 1 or not op.sums:
            return None
        body = op.body.block
        found = [each for sum in op.sums if (each := RowSum.find(op, sum, target, routines)) is not None]
        if len(found) < len(op.sums) or len({each.rows for each in found}) > 1:
            return None
        # The copy of an op that begins several sums has one width.
        widths = {(begin, each.accumulator.type) for each in found for begin in each.begins if begin.parent is body}
        if len({begin for begin, _ in widths}) < len(widths):
            return None
        # All initial values are stored before any products are computed.
        starts = needed([sum.start.owner for sum in op.sums], op)
        return None if any(isinstance(each, num.ProductsOp) for each in starts) else cls(op, found)


def _nest_of(op: num.ProductsOp, widths: tuple[int, ...], rows: int, routines: Sequence[str]) -> SumQuery | None:
    """The query to a chip for a kernel that computes the products of several rows. None if `routines` does not name the
    routine, if no kernel can compute these products, or if a loop is faster.

    widths: the possible widths of the sum's accumulator, in bits.
    rows: the number of rows.
    routines: as for `KernelRows.find`.
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
