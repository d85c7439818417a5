"""Contractions over constant rows, and calls of generated code that replace rows (L3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num import accumulator_type
from tinyml.dialects.scratch import memref_type
from tinyml.targets.registry import offers
from tinyml.transforms.ir.contraction_loops import expand_contraction
from tinyml.transforms.ir.loop_nest import Indices, LoopNest, function_around, local_array, needed
from tinyml.transforms.ir.sparse_layouts import compressed_rows
from tinyml.transforms.loops.kernels.constant_rows import (
    chain_of,
    constant_rows,
    finished_by_shift,
    places_of,
    starts_of,
)
from tinyml.transforms.loops.kernels.finished_sums import visits_in_order
from tinyml.transforms.loops.kernels.tiles import code_of, size_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ContractedRows:
    """A contraction that reduces each row of constant weights to a byte.

    finish: the op that gives the byte. vectors: the operand of each matrix. store: the only effect of the contraction,
    which code can replace; None if the byte has other uses. sparse: the products with a sparse matrix whose entries the
    contraction traverses.
    """

    op: num.ContractOp
    finish: num.FinishOp
    rows: CodedRows
    vectors: Sequence[SSAValue]
    store: memref.StoreOp | None
    sparse: num.SparseProductsOp | None

    @property
    def part(self) -> num.FinishOp:
        """The op that needs the rows."""
        return self.finish

    @property
    def choices(self) -> range:
        """The numbers of rows that can become code."""
        return range(1, self.rows.rows + 1)

    def replace(self, target: str, count: int) -> None:
        """Compute the first `count` rows by code.

        If the contraction uses its bytes further, they are loaded from an array, which a loop completes if some rows
        are not code.
        """
        rows = self.rows.part(0, count)
        nest = LoopNest(self.op)
        if self.store is None:
            storage = element_format(self.finish.result.type)
            array = local_array(function_around(self.op), storage.type, self.rows.rows, "rows")
            outputs = nest.insert(scratch.SliceOp(array, nest.index(0), (count,), storage.type))
        else:
            stored = self.store.memref
            element = memref_type(stored).element_type
            outputs = nest.insert(scratch.SliceOp(stored, nest.index(0), (count,), element))
        nest.put(call_of_code(target, rows, outputs, self.vectors))
        if self.store is None:
            array = scratch.root(outputs)
            if count < self.rows.rows:
                self._rest(nest, array, count)
            load = memref.LoadOp.get(array, [self.op.row])
            Rewriter.replace_op(self.finish, load)
            _remove_dead(self.op)
        elif count == self.rows.rows:
            Rewriter.erase_op(self.op)
        else:
            if self.sparse is not None:
                _remove_rows(self.sparse, count, nest)
            expand_contraction(self.op, count)

    def _rest(self, nest: LoopNest, array: SSAValue, count: int) -> None:
        """Insert a loop that computes the rows starting at index `count` and stores their bytes in an array."""

        def row(indices: Indices) -> None:
            values: dict[SSAValue, SSAValue] = {self.op.row: indices[0]}
            for op in needed([self.finish], self.op):
                nest.put(op.clone(value_mapper=values))
            nest.store(values[self.finish.result], array, indices)

        expand_contraction(nest.contract(self.op.shape, row), count)


def call_of_code(target: str, rows: CodedRows, outputs: SSAValue, vectors: Sequence[SSAValue]) -> num.CallOp:
    """The call of generated code for rows, whose name has a digest of them."""
    kernel = next(offers(target, rows)).kernel
    routine = num.CodedRowsAttr.of(rows.attribute, size_of(kernel))
    return num.CallOp(routine, [outputs, *vectors], code_of(kernel))


def contracted_rows(module: ModuleOp) -> Iterator[ContractedRows]:
    """Yield the contractions of a module whose rows can become code, in program order."""
    for function in defined_functions(module):
        for op in [op for op in function.walk() if isinstance(op, num.ContractOp) and op.tile is None]:
            finishes = [each for each in op.body.block.ops if isinstance(each, num.FinishOp)]
            candidates = (_rows_of(op, finish) for finish in finishes)
            yield from (rows for rows in candidates if rows is not None)


def _rows_of(op: num.ContractOp, finish: num.FinishOp) -> ContractedRows | None:
    """The rows that `finish` reduces to bytes; None if they are not constant, or sums are not finished by a shift."""
    right = finished_by_shift(accumulator_type(finish.sum), element_format(finish.result.type))
    chain = chain_of(finish)
    if len(op.shape) > 1 or right is None or chain is None:
        return None
    start, links = chain
    if (starts := starts_of(start, op)) is None:
        return None
    weights: list[Numbers] = []
    vectors: list[SSAValue] = []
    aligns: list[int] = []
    places = 0
    for link in links:
        if isinstance(link, num.AlignOp):
            places += places_of(link)
        elif (matrix := constant_rows(link)) is None:
            return None
        else:
            weights.append(matrix)
            vectors.append(link.factors[1])
            aligns.append(places)
            places = 0
    # The start is in the units of the first products, the rounding bias in those of the last.
    left = sum(aligns[1:])
    if not weights or places or left >= right:
        return None
    starts = (starts << aligns[0]) + (1 << right - 1 - left)
    rows = CodedRows(weights, [0, *aligns[1:]], starts, right)
    store, sparse = _only_store(op, finish), links[0] if isinstance(links[0], num.SparseProductsOp) else None
    # A contraction with further uses would still traverse its sparse matrix.
    if op.is_sparse and (store is None or sparse is None or len(links) != 1):
        return None
    return ContractedRows(op, finish, rows, vectors, store, sparse)


def _only_store(op: num.ContractOp, finish: num.FinishOp) -> memref.StoreOp | None:
    """The store of a row's byte if it is the only effect of the contraction; None otherwise."""
    stores = [each for each in op.body.block.ops if isinstance(each, memref.StoreOp)]
    uses = [use.operation for use in finish.result.uses]
    if len(stores) != 1 or uses != stores or any(each.regions for each in op.body.block.ops):
        return None
    [store] = stores
    if scratch.packed_bits(memref_type(store.memref)) is not None:
        return None
    return store if visits_in_order(store.memref, store.indices, op) else None


def _remove_dead(op: num.ContractOp) -> None:
    """Remove the ops of a contraction whose results are unused."""
    for each in reversed(list(op.body.block.ops)):
        if is_trivially_dead(each):
            Rewriter.erase_op(each)


def _remove_rows(sparse: num.SparseProductsOp, count: int, nest: LoopNest) -> None:
    """Remove the entries of the first `count` rows of a sparse matrix, which leaves these rows empty."""
    rows = compressed_rows(sparse)
    first, lengths = int(rows.lengths[:count].sum(dtype=np.int64)), rows.lengths.copy()
    lengths[:count] = 0
    # Arrays have at least one element.
    parts = [np.resize(part[first:], max(len(part) - first, 1)) for part in (rows.values, rows.gaps)]
    for old, new in zip((sparse.values, sparse.gaps, sparse.lengths), (*parts, lengths), strict=True):
        raws = new.view(f"i{new.itemsize}")
        constant = nest.insert(scratch.ConstantOp.of(raws, memref_type(old).element_type))
        constant.name_hint = old.name_hint
        sparse.operands[list(sparse.operands).index(old)] = constant
