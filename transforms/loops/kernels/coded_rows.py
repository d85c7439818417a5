"""Loops over rows whose products are with constants: the rows, and calls of code that take their place (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.coding import INTEGER_CODING
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import LARGEST, CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.scratch import memref_type
from tinyml.targets.kernel import RowCoder
from tinyml.targets.tiles import SHIFTED_BITS
from tinyml.transforms.ir.loop_accesses import affine, overlap
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array, needed
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.finished_rows import is_outside, visits_in_order
from tinyml.transforms.loops.kernels.tiles import started

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class RowLoop:
    """A loop of which each iteration makes a byte of the products of a row of constant matrices.

    finish: that byte. vectors: what the rows of each matrix meet. store: the only effect of the loop, which then
    vanishes; None if the loop has others, and goes on with the byte. sparse: the product of a sparse matrix through
    which the loop walks.
    """

    loop: scf.ForOp
    finish: num.FinishOp
    rows: CodedRows
    vectors: Sequence[SSAValue]
    store: memref.StoreOp | None
    sparse: num.SparseDotOp | None

    @property
    def choices(self) -> range:
        """How many rows can become code."""
        return range(1, self.rows.rows + 1)

    def replace(self, coder: RowCoder, count: int) -> None:
        """Let code compute the first so many rows.

        A loop that goes on finds its bytes in an array, which another loop completes if not all rows are code.
        """
        rows = self.rows.part(0, count)
        nest = LoopNest(self.loop)
        vectors = [_outside(vector, self.loop, nest) for vector in self.vectors]
        if self.store is None:
            storage = element_format(self.finish.result.type)
            array = local_array(function_around(self.loop), storage.type, self.rows.rows, "rows")
            outputs = nest.insert(scratch.SliceOp(array, nest.index(0), (count,), storage.type))
        else:
            target = self.store.memref
            element = memref_type(target).element_type
            outputs = nest.insert(scratch.SliceOp(target, nest.index(0), (count,), element))
        nest.put(call_of_code(self.loop, coder, rows, outputs, vectors))
        if self.store is None:
            array = scratch.root(outputs)
            if count < self.rows.rows:
                self._rest(nest, array, count)
            load = memref.LoadOp.get(array, [self.loop.body.block.args[0]])
            Rewriter.replace_op(self.finish, load)
        elif count == self.rows.rows:
            Rewriter.erase_op(self.loop)
        else:
            self.loop.operands[0] = nest.index(count)
            if self.sparse is not None:
                _remove_rows(self.loop, self.sparse, count, nest)

    def _rest(self, nest: LoopNest, array: SSAValue, count: int) -> None:
        """A loop over the rows from a number on, which stores their bytes in an array."""
        body = self.loop.body.block

        def row(index: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            values: dict[SSAValue, SSAValue] = {body.args[0]: index}
            for op in needed([self.finish], self.loop):
                nest.put(op.clone(value_mapper=values))
            nest.store(values[self.finish.result], array, [index])
            return []

        nest.fold(self.loop.ub, [], row, start=count)


def call_of_code(
    at: Operation, coder: RowCoder, rows: CodedRows, outputs: SSAValue, vectors: Sequence[SSAValue]
) -> num.CodedRowsOp:
    """A call of code for rows, whose name no other one in the module of an op has."""
    module = function_around(at).parent_op()
    assert module is not None
    symbol = f"{coder.prefix}{sum(isinstance(call, num.CodedRowsOp) for call in module.walk())}"
    kernel = coder.composed(symbol, rows)
    assert kernel is not None
    composed = kernel.composed
    assert composed is not None
    size = num.CodeSize(round(composed.costs[""]), kernel.code, composed.call, composed.stack)
    return num.CodedRowsOp(outputs, vectors, rows, symbol, size)


def row_loops(module: ModuleOp) -> Iterator[RowLoop]:
    """The loops of a module whose rows can become code, in order."""
    for function in defined_functions(module):
        for loop in [op for op in function.walk() if isinstance(op, scf.ForOp)]:
            finishes = [op for op in loop.body.block.ops if isinstance(op, num.FinishOp)]
            candidates = (_rows_of(loop, finish) for finish in finishes)
            yield from (rows for rows in candidates if rows is not None)


def _rows_of(loop: scf.ForOp, finish: num.FinishOp) -> RowLoop | None:
    """The rows that end in a byte; None if they are not those of constants, or no shift finishes their sums."""
    first, count, step = (const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step))
    right = finished_by_shift(accumulator_type(finish.sum), element_format(finish.result.type))
    chain = _chain(finish)
    if first != 0 or step != 1 or not count or right is None or chain is None:
        return None
    start, links = chain
    if (starts := _starts(start, loop, count)) is None:
        return None
    weights: list[Numbers] = []
    aligns: list[int] = []
    places = 0
    for link in links:
        if isinstance(link, num.AlignOp):
            places += _places(link)
        elif (matrix := _matrix(link, loop, count)) is None or not _is_kept(_vector(link), loop):
            return None
        else:
            weights.append(matrix)
            aligns.append(places)
            places = 0
    # The start is in the units of the first products, half of the last place in those of the last ones.
    left = sum(aligns[1:])
    if not weights or places or left >= right:
        return None
    starts = (starts << aligns[0]) + (1 << right - 1 - left)
    rows = CodedRows(weights, [0, *aligns[1:]], starts, right)
    vectors = [_vector(link) for link in links if not isinstance(link, num.AlignOp)]
    store, sparse = _only_store(loop, finish, count), links[0] if isinstance(links[0], num.SparseDotOp) else None
    # A loop that goes on would still walk through its sparse matrix.
    if loop.iter_args and (store is None or sparse is None or len(links) != 1):
        return None
    return RowLoop(loop, finish, rows, vectors, store, sparse)


def _vector(link: num.DotOp | num.SparseDotOp) -> SSAValue:
    return link.factors[1]


def finished_by_shift(accumulator: Accumulator, format: NumberFormat) -> int | None:
    """The places by which sums are shifted to the right before they are limited to bytes; None for other ends."""
    if not accumulator.INTEGER or not isinstance(format, ExactNumbers) or format.dtype.itemsize != 1:
        return None
    right = accumulator.shift(format) if format.raw_limits == (-LARGEST, LARGEST) else None
    return right if right is not None and right < SHIFTED_BITS else None


def _chain(
    finish: num.FinishOp,
) -> tuple[num.ZeroOp | num.StartOp, Sequence[num.DotOp | num.SparseDotOp | num.AlignOp]] | None:
    """What a sum begins with, and the ops that it passes through; None if there are others."""
    links: list[num.DotOp | num.SparseDotOp | num.AlignOp] = []
    sum = finish.sum
    while isinstance(link := sum.owner, num.DotOp | num.SparseDotOp | num.AlignOp):
        if len(list(link.result.uses)) != 1:
            return None
        links.insert(0, link)
        sum = link.sum
    return (link, links) if isinstance(link, num.ZeroOp | num.StartOp) else None


def _starts(start: num.ZeroOp | num.StartOp, loop: scf.ForOp, count: int) -> Numbers | None:
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


def _places(align: num.AlignOp) -> int:
    """The places by which a sum is shifted to the left."""
    before, after = (accumulator_type(value) for value in (align.sum, align.result))
    assert isinstance(before, AccumulatorType)
    assert isinstance(after, AccumulatorType)
    return after.frac.data - before.frac.data


def _matrix(link: num.DotOp | num.SparseDotOp, loop: scf.ForOp, count: int) -> Numbers | None:
    """The constant matrix of which an iteration takes the row of its number; None if there is none."""
    index = loop.body.block.args[0]
    if not all(map(_has_bytes, link.factors)):
        return None
    if isinstance(link, num.SparseDotOp):
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
    run, slope, start = link.lhs, 0, 0
    while isinstance(view := run.owner, scratch.SliceOp):
        if (form := affine(view.offset, index)) is None:
            return None
        slope, start, run = slope + form[0], start + form[1], view.source
    if not isinstance(constant := run.owner, scratch.ConstantOp) or slope != link.length:
        return None
    if scratch.packed_bits(memref_type(run)) is not None:
        return None
    raws = constant.raws.reshape(-1)[start : start + count * slope]
    return raws.astype(np.int64).reshape(count, slope)


def _has_bytes(run: SSAValue) -> bool:
    format = element_format(run.type)
    return format.coding is INTEGER_CODING and format.dtype.itemsize == 1


def is_of_bytes(run: SSAValue) -> bool:
    """Are the elements of a run integers of one byte, each in a byte of its own?"""
    return _has_bytes(run) and scratch.packed_bits(memref_type(run)) is None


def _is_kept(vector: SSAValue, loop: scf.ForOp) -> bool:
    """Is a vector of bytes in working memory the same for all iterations?"""
    type = memref_type(vector)
    if scratch.in_flash(type) or scratch.packed_bits(type) is not None:
        return False
    view = vector.owner
    outside = is_outside(vector, loop) or (
        isinstance(view, scratch.SliceOp) and all(is_outside(operand, loop) for operand in view.operands)
    )
    effects = [op for op in loop.walk() if op is not loop and not is_side_effect_free(op)]
    stores = [op for op in effects if isinstance(op, memref.StoreOp)]
    others = [op for op in effects if op not in stores and not only_has_effect(op, MemoryEffectKind.READ)]
    written = [scratch.root(store.memref) for store in stores]
    return outside and not others and not any(overlap(scratch.root(vector), memory) for memory in written)


def _only_store(loop: scf.ForOp, finish: num.FinishOp, count: int) -> memref.StoreOp | None:
    """The store of a row's byte, if a loop does nothing else."""
    stores = [op for op in loop.body.block.ops if isinstance(op, memref.StoreOp)]
    uses = [use.operation for use in finish.result.uses]
    if len(stores) != 1 or uses != stores or any(op.regions for op in loop.body.block.ops):
        return None
    [store] = stores
    written = memref_type(store.memref)
    if scratch.packed_bits(written) is not None or any(result.uses for result in loop.results):
        return None
    in_order = visits_in_order(store.memref, store.indices, loop, count) and is_outside(store.memref, loop)
    return store if in_order else None


def _remove_rows(loop: scf.ForOp, sparse: num.SparseDotOp, count: int, nest: LoopNest) -> None:
    """Leave out the entries of the first rows of a sparse matrix that a loop walks through: these rows become empty."""
    rows = compressed_rows(sparse)
    first, lengths = int(rows.lengths[:count].sum(dtype=np.int64)), rows.lengths.copy()
    lengths[:count] = 0
    # An array has an element at least.
    parts = [np.resize(part[first:], max(len(part) - first, 1)) for part in (rows.values, rows.gaps)]
    for old, new in zip((sparse.values, sparse.gaps, sparse.lengths), (*parts, lengths), strict=True):
        raws = new.view(f"i{new.itemsize}")
        constant = nest.insert(scratch.ConstantOp.of(raws, memref_type(old).element_type))
        constant.name_hint = old.name_hint
        for use in [use for use in old.uses if loop.is_ancestor(use.operation)]:
            use.operation.operands[use.index] = constant


def _outside(vector: SSAValue, loop: scf.ForOp, nest: LoopNest) -> SSAValue:
    """A vector in front of a loop."""
    if is_outside(vector, loop):
        return vector
    view = vector.owner
    assert isinstance(view, scratch.SliceOp)
    return nest.insert(view.clone())
