"""Loops over rows whose products are with constants: the rows, and calls of code that take their place (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.scratch import memref_type
from tinyml.targets.kernel import RowCoder
from tinyml.transforms.ir.loop_nest import LoopNest, function_around, local_array, needed
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.constant_rows import (
    RowVector,
    chain_of,
    constant_rows,
    finished_by_shift,
    places_of,
    starts_of,
)
from tinyml.transforms.loops.kernels.finished_rows import is_outside, visits_in_order
from tinyml.transforms.loops.kernels.tiles import code_of, size_of

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
    vectors: Sequence[RowVector]
    store: memref.StoreOp | None
    sparse: num.SparseDotOp | None

    @property
    def part(self) -> num.FinishOp:
        """The op that needs the rows."""
        return self.finish

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
        vectors = [vector.inserted(nest) for vector in self.vectors]
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
    number = sum(isinstance(call, num.CodedRowsOp) for call in module.walk())
    kernel = coder.kernel(str(number), rows)
    assert kernel is not None
    return num.CodedRowsOp(outputs, vectors, rows, code_of(kernel), size_of(kernel))


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
    chain = chain_of(finish)
    if first != 0 or step != 1 or not count or right is None or chain is None:
        return None
    start, links = chain
    if (starts := starts_of(start, loop, count)) is None:
        return None
    weights: list[Numbers] = []
    vectors: list[RowVector] = []
    aligns: list[int] = []
    places = 0
    for link in links:
        if isinstance(link, num.AlignOp):
            places += places_of(link)
        elif (product := constant_rows(link, loop, count)) is None:
            return None
        else:
            weights.append(product.matrix)
            vectors.append(product.vector)
            aligns.append(places)
            places = 0
    # The start is in the units of the first products, half of the last place in those of the last ones.
    left = sum(aligns[1:])
    if not weights or places or left >= right:
        return None
    starts = (starts << aligns[0]) + (1 << right - 1 - left)
    rows = CodedRows(weights, [0, *aligns[1:]], starts, right)
    store, sparse = _only_store(loop, finish, count), links[0] if isinstance(links[0], num.SparseDotOp) else None
    # A loop that goes on would still walk through its sparse matrix.
    if loop.iter_args and (store is None or sparse is None or len(links) != 1):
        return None
    return RowLoop(loop, finish, rows, vectors, store, sparse)


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
