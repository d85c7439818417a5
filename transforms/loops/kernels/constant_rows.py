"""Rows of constant matrices in contractions. Generated code can compute the sums of these rows instead of the
contraction (L3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import integers_of
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import MAX_RESULT, SUM_BITS, CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type
from tinyml.targets.registry import offers
from tinyml.transforms.ir.accesses import accesses, buffer_access
from tinyml.transforms.ir.buffers import constant_raws, overlap
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder, function_around, local_array, needed
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.tiles import code_of, row_starts, size_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ConstantRows:
    """A sum of a contraction with constant weights and constant initial values, which the contraction converts to a
    byte.

    rows: the weights. Each row spans a window from its first element to its last, with zeros in the gaps between
        runs.
    finish: the op that computes the byte.
    store: the store of the byte, if it is the only effect of the contraction, so that code can replace the whole
        contraction; None if the byte has other uses.
    """

    op: num.ContractOp
    sum: num.Sum
    rows: CodedRows
    finish: num.FinishOp
    store: memref.StoreOp | None

    @property
    def part(self) -> Operation:
        return self.finish if self.op.tile is None else self.op

    @property
    def choices(self) -> range:
        """The numbers of rows that may become code. For a tile, the only possible number is that of all rows."""
        return range(1 if self.op.tile is None else self.rows.rows, self.rows.rows + 1)

    def replace(self, target: str, count: int) -> None:
        """Compute the first `count` rows by code, window by window. A separate loop computes the remaining rows.

        If other ops of the contraction use the bytes, the code stores them in memory, and the contraction loads them.
        """
        op, nest, all_rows = self.op, LoopBuilder(self.op), count == self.rows.rows
        memory, *indices = self._intermediate() if self.store is None else [self.store.memref]
        self._call(target, count, memory, nest)
        if self.store is None:
            if not all_rows:
                self._rest(nest, count, memory, indices)
            Rewriter.replace_op(self.finish, memref.LoadOp.get(memory, indices))
            _remove_dead(op)
        elif all_rows:
            Rewriter.erase_op(op)
        else:
            if op.is_sparse:
                _remove_rows(self.sum.terms[0].products, count, nest)
            expand_contraction(op, count)

    def _intermediate(self) -> Sequence[SSAValue]:
        """Return the memory for the bytes of all rows, followed by the indices of a row in this memory.

        The memory is the buffer of the only store of the contraction, if this buffer contains unpacked elements in the
        format of the bytes and nothing else in the contraction may access the stored elements. Otherwise it is a local
        array.
        """
        op, storage = self.op, element_format(self.finish.result.type).type
        found = accesses(op.body.block)
        if found is not None and len(op.stores) == 1 and op.visits(store := op.stores[0]):
            type, written = memref_type(store.memref), buffer_access(store, store.memref)
            alone = all(each.op is store or each.is_apart(written) for each in found)
            if alone and type.element_type == storage and scratch.packed_bits(type) is None:
                return [store.memref, *store.indices]
        return [local_array(function_around(op), storage, self.rows.rows, "rows"), op.row]

    def _call(self, target: str, count: int, memory: SSAValue, nest: LoopBuilder) -> None:
        rows, element = self.rows.part(0, count), element_format(memory.type).type
        kernel = next(offers(target, rows)).kernel
        routine = num.CodedRowsAttr.of(rows.attribute, size_of(kernel))

        def window(indices: Indices) -> None:
            [number] = indices
            first = nest.times(number, count) if self.op.windows > 1 else number
            outputs = nest.insert(scratch.SliceOp(memory, first, (count,), element))
            terms = zip(self.sum.terms, rows.weights, strict=True)
            vectors = [self._window(products, number, weights.shape[1], nest) for (products, _), weights in terms]
            nest.put(num.CallOp(routine, [outputs, *vectors], code_of(kernel)))

        nest.over((self.op.windows,), window)

    def _window(self, products: num.Adding, number: SSAValue, reach: int, nest: LoopBuilder) -> SSAValue:
        if self.op.windows == 1 or not isinstance(products, num.ProductsOp):
            return products.factors[1]
        return nest.insert(scratch.SliceOp(products.vector, nest.times(number, products.spaces.step), (reach,)))

    def _rest(self, nest: LoopBuilder, count: int, memory: SSAValue, indices: Sequence[SSAValue]) -> None:
        def row(numbers: Indices) -> None:
            values: dict[SSAValue, SSAValue] = {self.op.row: numbers[0]}
            for op in needed([self.finish], self.op):
                nest.put(op.clone(value_mapper=values))
            nest.store(values[self.finish.result], memory, [values.get(index, index) for index in indices])

        expand_contraction(nest.contract([self.op.rows], row), count)


def constant_rows(module: ModuleOp) -> Sequence[ConstantRows]:
    found = [rows for function in defined_functions(module) for op in function.walk() for rows in _rows_of(op)]
    return sorted(found, key=lambda rows: rows.op.tile is not None)


def _rows_of(op: Operation) -> Iterator[ConstantRows]:
    if not isinstance(op, num.ContractOp) or op.lines > 1 or (op.windows > 1 and op.tile is None):
        return
    for sum in op.sums:
        if (finish := sum.finish) is None or (rows := _coded(op, sum, finish)) is None:
            continue
        store = op.store_of(sum)
        if store is not None and scratch.packed_bits(memref_type(store.memref)) is not None:
            # Code writes whole bytes, which are packed for the rows afterwards.
            store = None
        # A contraction with other uses would still traverse its sparse matrix.
        if store is not None or (op.tile is None and not op.is_sparse):
            yield ConstantRows(op, sum, rows, finish, store)


def _coded(op: num.ContractOp, sum: num.Sum, finish: num.FinishOp) -> CodedRows | None:
    right = finished_by_shift(accumulator_type(finish.sum), element_format(finish.result.type))
    if right is None or sum.conversions or (starts := _starts(op, sum)) is None:
        return None
    if op.is_sparse and max(len(op.sums), len(sum.terms)) > 1:
        return None
    weights = [_matrix(op, products) for products, _ in sum.terms]
    matrices = [matrix for matrix in weights if matrix is not None]
    aligns = [0 if align is None else _places(align) for _, align in sum.terms]
    # The start is in the units of the first products, the rounding bias in those of the last.
    first, left = aligns[0], np.sum(aligns[1:], dtype=int)
    if len(matrices) < len(weights) or left >= right:
        return None
    return CodedRows(matrices, [0, *aligns[1:]], (starts << first) + (1 << right - 1 - left), right)


def finished_by_shift(accumulator: Accumulator, format: NumberFormat) -> int | None:
    """The number of bits by which sums are shifted to the right before they saturate to bytes. None if sums are
    converted to bytes in another way.
    """
    if not accumulator.INTEGER or (numbers := integers_of(format)) is None or numbers.dtype.itemsize != 1:
        return None
    right = accumulator.shift(numbers) if numbers.raw_limits == (-MAX_RESULT, MAX_RESULT) else None
    return right if right is not None and right < SUM_BITS else None


def _starts(op: num.ContractOp, sum: num.Sum) -> Numbers | None:
    if sum.starts_from_zero:
        return np.zeros(op.rows, np.int64)
    start = row_starts(op, sum)
    return None if start is None else start.sums(accumulator_type(sum.start))


def _places(align: num.AlignOp) -> int:
    before, after = (accumulator_type(value) for value in (align.sum, align.result))
    assert isinstance(before, AccumulatorType)
    assert isinstance(after, AccumulatorType)
    return after.frac.data - before.frac.data


def _matrix(op: num.ContractOp, products: num.Adding) -> Numbers | None:
    """The weights of a contraction as a dense matrix, with one row for each row of results. None if they are not
    constant bytes, or if the vector is in flash or not of bytes. Also None for a contraction without a tile whose
    results may overwrite the vector.
    """
    weights, vector = products.factors
    if not (num.has_bytes(weights) and num.is_of_bytes(vector)) or scratch.in_flash(memref_type(vector)):
        return None
    # The windows of a tile are computed in order; its buffers have been placed for this order.
    if op.tile is None and any(overlap(scratch.root(vector), scratch.root(each.memref)) for each in op.stores):
        return None
    match products:
        case num.ProductsOp() if num.is_of_bytes(weights) and (raws := constant_raws(weights)) is not None:
            return _dense_matrix(products, raws.reshape(op.rows, -1))
        case num.SparseProductsOp() if scratch.in_flash(memref_type(weights)):
            return _sparse_matrix(products, op.rows)
        case _:
            return None


def _dense_matrix(products: num.ProductsOp, weights: Numbers) -> Numbers:
    (runs, pitch, _), rows = products.spaces, len(weights)
    parts = weights[:, : products.length].reshape(rows, runs, -1)
    spaced = np.zeros((rows, (runs - 1) * pitch + products.run), np.int64)
    for row in range(rows):
        for run in range(runs):
            # A run of pixels has an element of every channel.
            first = run * pitch + (row // products.filters_of_channel if products.channels is not None else 0)
            spaced[row, first : run * pitch + products.run : products.stride] = parts[row, run]
    return spaced


def _sparse_matrix(products: num.SparseProductsOp, count: int) -> Numbers:
    rows = compressed_rows(products)
    numbers = np.repeat(np.arange(count), rows.lengths)
    ends = np.cumsum(rows.lengths, dtype=np.int64)
    walked = np.cumsum(rows.gaps, dtype=np.int64)
    before = np.concatenate([[0], walked])[ends - rows.lengths]
    matrix = np.zeros((count, products.length), np.int64)
    # Entries that bridge a gap are zero.
    np.add.at(matrix, (numbers, walked - before[numbers]), rows.values.astype(np.int64))
    return matrix


def _remove_dead(op: num.ContractOp) -> None:
    for each in reversed(list(op.body.block.ops)):
        if is_trivially_dead(each):
            Rewriter.erase_op(each)


def _remove_rows(sparse: num.Adding, count: int, nest: LoopBuilder) -> None:
    """Remove the entries of the first `count` rows of a sparse matrix, so that these rows are empty."""
    rows = compressed_rows(sparse)
    first, lengths = int(rows.lengths[:count].sum(dtype=np.int64)), rows.lengths.copy()
    lengths[:count] = 0
    # Arrays have at least one element.
    parts = [np.resize(part[first:], max(len(part) - first, 1)) for part in (rows.values, rows.gaps)]
    for number, part in enumerate((*parts, lengths), 1):
        old, raws = sparse.operands[number], part.view(f"i{part.itemsize}")
        constant = nest.insert(scratch.ConstantOp.of(raws, memref_type(old).element_type))
        constant.name_hint = old.name_hint
        sparse.operands[number] = constant
