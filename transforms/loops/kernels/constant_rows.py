"""Products of the rows of constant matrices, of which each iteration of a loop takes one (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects import arith, memref, scf
from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.layouts.coded_rows import LARGEST, SUM_BITS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.scratch import memref_type
from tinyml.transforms.ir.buffers.loop_accesses import affine, overlap
from tinyml.transforms.ir.loop_nest import LoopNest
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.finished_rows import is_outside, visits_in_order
from tinyml.transforms.loops.kernels.tiles import started

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

ProductOp: TypeAlias = num.DotOp | num.StridedDotOp | num.SparseDotOp
Link: TypeAlias = ProductOp | num.AlignOp


@dataclass(frozen=True)
class RowVector:
    """The elements that rows meet: `length` of a source, from `base` + `start` on."""

    source: SSAValue
    base: SSAValue | None
    start: int
    length: int

    def inserted(self, nest: LoopNest) -> SSAValue:
        """A view of the elements."""
        if self.base is None:
            offset = nest.index(self.start)
        else:
            offset = nest.add(self.base, nest.index(self.start)) if self.start else self.base
        return nest.insert(scratch.SliceOp(self.source, offset, (self.length,), memref_type(self.source).element_type))


@dataclass(frozen=True)
class ConstantRows:
    """A matrix, of which an iteration takes the row of its number, and what its rows meet."""

    matrix: Numbers
    vector: RowVector


def finished_by_shift(accumulator: Accumulator, format: NumberFormat) -> int | None:
    """The places by which sums are shifted to the right before they are limited to bytes; None for other ends."""
    if not accumulator.INTEGER or not isinstance(format, ExactNumbers) or format.dtype.itemsize != 1:
        return None
    right = accumulator.shift(format) if format.raw_limits == (-LARGEST, LARGEST) else None
    return right if right is not None and right < SUM_BITS else None


def chain_of(finish: num.FinishOp) -> tuple[num.ZeroOp | num.StartOp, Sequence[Link]] | None:
    """What a sum begins with, and the ops that it passes through; None if there are others."""
    links: list[Link] = []
    sum = finish.sum
    while isinstance(link := sum.owner, Link):
        if len(list(link.result.uses)) != 1:
            return None
        links.insert(0, link)
        sum = link.sum
    return (link, links) if isinstance(link, num.ZeroOp | num.StartOp) else None


def starts_of(start: num.ZeroOp | num.StartOp, loop: scf.ForOp, count: int) -> Numbers | None:
    """The starts of all rows, if they are constants."""
    if isinstance(start, num.ZeroOp):
        return np.zeros(count, np.int64)
    load = start.value.owner
    if not isinstance(load, memref.LoadOp) or not visits_in_order(load.memref, load.indices, loop, count):
        return None
    constant, format = load.memref.owner, element_format(start.value.type)
    if not isinstance(constant, scratch.ConstantOp) or scratch.packed_bits(memref_type(constant.result)) is not None:
        return None
    return started(constant.raws.reshape(-1), format, accumulator_type(start.result))


def places_of(align: num.AlignOp) -> int:
    """The places by which a sum is shifted to the left."""
    before, after = (accumulator_type(value) for value in (align.sum, align.result))
    assert isinstance(before, AccumulatorType)
    assert isinstance(after, AccumulatorType)
    return after.frac.data - before.frac.data


def constant_rows(link: ProductOp, loop: scf.ForOp, count: int) -> ConstantRows | None:
    """The rows that a product takes in the iterations of a loop; None if they are no constants."""
    weights, vector = link.factors
    if not (num.has_bytes(weights) and num.is_of_bytes(vector)) or scratch.in_flash(memref_type(vector)):
        return None
    place = _place_of(vector, loop)
    if place is None or not _is_kept(place[0], loop):
        return None
    source, base, start, slope = place
    if isinstance(link, num.SparseDotOp):
        dense = _sparse_matrix(link, loop, count) if slope == 0 else None
    else:
        dense = _dense_matrix(link, loop, count)
    if dense is None:
        return None
    stride = link.stride.value.data if isinstance(link, num.StridedDotOp) else 1
    reach = (count - 1) * slope + (dense.shape[1] - 1) * stride + 1
    spread = np.zeros((count, reach), np.int64)
    for row, numbers in enumerate(dense):
        spread[row, row * slope : row * slope + (len(numbers) - 1) * stride + 1 : stride] = numbers
    return ConstantRows(spread, RowVector(source, base, start, reach))


def _place_of(vector: SSAValue, loop: scf.ForOp) -> tuple[SSAValue, SSAValue | None, int, int] | None:
    """Where the vector of an iteration begins: a source, a base, a start, and what each iteration adds.

    None if it begins elsewhere.
    """
    if is_outside(vector, loop):
        return vector, None, 0, 0
    view, index = vector.owner, loop.body.block.args[0]
    if not isinstance(view, scratch.SliceOp) or not is_outside(view.source, loop):
        return None
    if (form := affine(view.offset, index)) is not None:
        return view.source, None, form[1], form[0]
    if is_outside(view.offset, loop):
        return view.source, view.offset, 0, 0
    if isinstance(sum := view.offset.owner, arith.AddiOp):
        for base, rest in ((sum.lhs, sum.rhs), (sum.rhs, sum.lhs)):
            if is_outside(base, loop) and (form := affine(rest, index)) is not None:
                return view.source, base, form[1], form[0]
    return None


def _dense_matrix(link: num.DotOp | num.StridedDotOp, loop: scf.ForOp, count: int) -> Numbers | None:
    run, slope, start = link.lhs, 0, 0
    while isinstance(view := run.owner, scratch.SliceOp):
        if (form := affine(view.offset, loop.body.block.args[0])) is None:
            return None
        slope, start, run = slope + form[0], start + form[1], view.source
    if not isinstance(constant := run.owner, scratch.ConstantOp) or slope < link.length or not num.is_of_bytes(run):
        return None
    raws = constant.raws.reshape(-1).astype(np.int64)
    places = start + slope * np.arange(count)[:, None] + np.arange(link.length)
    return raws[places] if places[-1, -1] < len(raws) else None


def _sparse_matrix(link: num.SparseDotOp, loop: scf.ForOp, count: int) -> Numbers | None:
    index = loop.body.block.args[0]
    if link.row is not index or len(loop.iter_args) != 1 or link.at is not loop.body.block.args[1]:
        return None
    rows = compressed_rows(link)
    if len(rows.lengths) != count:
        return None
    numbers = np.repeat(np.arange(count), rows.lengths)
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    walked = np.cumsum(rows.gaps, dtype=np.int64)
    before = np.concatenate([[0], walked])[ends - rows.lengths]
    matrix = np.zeros((count, link.length), np.int64)
    # Entries that bridge a gap are zero.
    np.add.at(matrix, (numbers, walked - before[numbers]), rows.values.astype(np.int64))
    return matrix


def _is_kept(source: SSAValue, loop: scf.ForOp) -> bool:
    """Does a loop leave a buffer as it is?"""
    effects = [op for op in loop.walk() if op is not loop and not is_side_effect_free(op)]
    stores = [op for op in effects if isinstance(op, memref.StoreOp)]
    others = [op for op in effects if op not in stores and not only_has_effect(op, MemoryEffectKind.READ)]
    written = [scratch.root(store.memref) for store in stores]
    return not others and not any(overlap(scratch.root(source), memory) for memory in written)
