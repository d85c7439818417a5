"""The rows of constant matrices in contractions and their operands (L3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects import memref
from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.layouts.coded_rows import LARGEST, SUM_BITS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.scratch import memref_type
from tinyml.targets.nests import Start
from tinyml.transforms.ir.buffers import overlap
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.finished_sums import visits_in_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

Link: TypeAlias = num.RowSumOp | num.AlignOp


def finished_by_shift(accumulator: Accumulator, format: NumberFormat) -> int | None:
    """The right shift amount that turns sums into bytes before saturation; None if sums are finished differently."""
    if not accumulator.INTEGER or not isinstance(format, ExactNumbers) or format.dtype.itemsize != 1:
        return None
    right = accumulator.shift(format) if format.raw_limits == (-LARGEST, LARGEST) else None
    return right if right is not None and right < SUM_BITS else None


def chain_of(finish: num.FinishOp) -> tuple[num.ZeroOp | num.StartOp, Sequence[Link]] | None:
    """The start of a sum and the ops that it passes through; None if other ops are involved."""
    links: list[Link] = []
    sum = finish.sum
    while isinstance(link := sum.owner, num.RowSumOp | num.AlignOp):
        if len(list(link.result.uses)) != 1:
            return None
        links.insert(0, link)
        sum = link.sum
    return (link, links) if isinstance(link, num.ZeroOp | num.StartOp) else None


def starts_of(start: num.ZeroOp | num.StartOp, op: num.ContractOp) -> Numbers | None:
    """The start values of all rows, if they are constants; None otherwise."""
    if isinstance(start, num.ZeroOp):
        return np.zeros(op.rows, np.int64)
    load = start.value.owner
    if not isinstance(load, memref.LoadOp) or not visits_in_order(load.memref, load.indices, op):
        return None
    constant, format = load.memref.owner, element_format(start.value.type)
    if not isinstance(constant, scratch.ConstantOp) or scratch.packed_bits(memref_type(constant.result)) is not None:
        return None
    if constant.loaded:
        return None
    return Start(format, constant.raws.reshape(-1)).sums(accumulator_type(start.result))


def places_of(align: num.AlignOp) -> int:
    """The amount by which a sum is shifted left."""
    before, after = (accumulator_type(value) for value in (align.sum, align.result))
    assert isinstance(before, AccumulatorType)
    assert isinstance(after, AccumulatorType)
    return after.frac.data - before.frac.data


def constant_rows(link: num.RowSumOp) -> Numbers | None:
    """The rows by which a contraction multiplies one vector, as a dense matrix; None if they are not constant."""
    weights, vector = link.factors
    if not (num.has_bytes(weights) and num.is_of_bytes(vector)) or scratch.in_flash(memref_type(vector)):
        return None
    if not _is_kept(vector, link.contraction):
        return None
    if isinstance(link, num.SparseProductsOp):
        return _sparse_matrix(link) if scratch.in_flash(memref_type(link.values)) else None
    return _dense_matrix(link) if isinstance(link, num.ProductsOp) else None


def _dense_matrix(link: num.ProductsOp) -> Numbers | None:
    run, start, rows = link.weights, 0, link.contraction.rows
    while isinstance(view := run.owner, scratch.SliceOp):
        if (offset := const_evaluate_operand(view.offset)) is None:
            return None
        start, run = start + offset, view.source
    if not isinstance(constant := run.owner, scratch.ConstantOp) or constant.loaded or not num.is_of_bytes(run):
        return None
    raws = constant.raws.reshape(-1).astype(np.int64)[start : start + rows * link.row_pitch]
    if raws.size != rows * link.row_pitch:
        return None
    dense = raws.reshape(rows, -1)
    if link.channels is None:
        return dense[:, : link.length]
    spread = np.zeros((rows, link.length, rows), np.int64)
    spread[range(rows), :, range(rows)] = dense[:, : link.length]
    return spread.reshape(rows, -1)


def _sparse_matrix(link: num.SparseProductsOp) -> Numbers:
    rows, count = compressed_rows(link), link.contraction.rows
    numbers = np.repeat(np.arange(count), rows.lengths)
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    walked = np.cumsum(rows.gaps, dtype=np.int64)
    before = np.concatenate([[0], walked])[ends - rows.lengths]
    matrix = np.zeros((count, link.length), np.int64)
    # Entries that bridge a gap are zero.
    np.add.at(matrix, (numbers, walked - before[numbers]), rows.values.astype(np.int64))
    return matrix


def _is_kept(source: SSAValue, op: num.ContractOp) -> bool:
    """True if a contraction does not write to a buffer."""
    effects = [each for each in op.walk() if each is not op and not is_side_effect_free(each)]
    stores = [each for each in effects if isinstance(each, memref.StoreOp)]
    others = [each for each in effects if each not in stores and not only_has_effect(each, MemoryEffectKind.READ)]
    written = [scratch.root(store.memref) for store in stores]
    return not others and not any(overlap(scratch.root(source), memory) for memory in written)
