"""Products of sparse matrices whose rows are known when a program is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, cast

from xdsl.dialects import arith, memref
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import num, rtl, scratch
from tinyml.dialects.rtl.ops import words_of
from tinyml.transforms.rtl.scheduling.regions import is_pure


class Entry(NamedTuple):
    """A nonzero entry of a matrix: its index among all entries, and its column."""

    number: int
    column: int


@dataclass
class EntryRows:
    """A contraction that multiplies the rows of a compressed matrix by a vector.

    values, vector: the loads of an entry's value and of the vector element that is multiplied by this value. term: the
    value that the entry adds to the sum. computing: the ops that compute the term. rows: the nonzero entries of each
    row.
    """

    nest: num.ContractOp
    sum: num.EntriesOp
    values: rtl.LoadOp
    vector: rtl.LoadOp
    term: SSAValue
    computing: Sequence[Operation]
    rows: Sequence[Sequence[Entry]]

    @property
    def entries(self) -> int:
        return sum(map(len, self.rows))

    @property
    def content(self) -> list[int]:
        """The values of all entries as unsigned integers."""
        return _words(self.values.memory)

    def words(self, elements: int) -> int:
        """The number of iterations if each of `elements` processing elements takes one entry of a row at a time.

        Every row takes at least one iteration.
        """
        return sum(max(1, -(-len(row) // elements)) for row in self.rows)

    @staticmethod
    def of(nest: num.ContractOp) -> EntryRows:
        """The rows of a contraction for which `adds_entries` is true. Its arrays must be in memories."""
        [sum] = (op for op in nest.body.block.ops if isinstance(op, num.EntriesOp))
        term, (*ops, end) = _term_of(sum), sum.body.block.ops
        computing = [op for op in ops if op is not end.operands[0].owner]
        values = _entry_of(term, sum)
        [vector] = (op for op in ops if isinstance(op, rtl.LoadOp) and op is not values)
        assert isinstance(values, rtl.LoadOp)
        gaps, content = _words(sum.gaps), _words(values.memory)
        rows: list[list[Entry]] = []
        first = 0
        for length in _words(sum.lengths)[: nest.rows]:
            columns = accumulate(gaps[first : first + length])
            entries = (Entry(first + at, column) for at, column in enumerate(columns))
            rows.append([entry for entry in entries if content[entry.number]])
            first += length
        return EntryRows(nest, sum, values, vector, term, computing, rows)


def _words(memory: SSAValue) -> list[int]:
    """The words of a constant memory."""
    owner = cast("rtl.MemoryOp", memory.owner)
    assert owner.content is not None
    return words_of(owner.content, owner.result.type)


def adds_entries(nest: num.ContractOp) -> bool:
    """True if a contraction on arrays adds products of the entries of a compressed matrix in one `num.entries`.

    All other ops in the contraction must be loads, arithmetic and stores, and an entry of value 0 must add nothing.
    """
    sums = [op for op in nest.body.block.ops if isinstance(op, num.EntriesOp)]
    if len(sums) != 1 or not all(
        op in sums or is_pure(op) or isinstance(op, memref.LoadOp | memref.StoreOp) for op in nest.body.block.ops
    ):
        return False
    *ops, end = sums[0].body.block.ops
    sum, _, column = sums[0].body.block.args
    added = end.operands[0].owner
    if not isinstance(added, arith.AddiOp) or sum not in added.operands or sum.uses.get_length() != 1:
        return False
    loads = [op for op in ops if isinstance(op, memref.LoadOp)]
    values = _entry_of(_term_of(sums[0]), sums[0])
    if not isinstance(values, memref.LoadOp) or len(loads) != 2 or not all(is_pure(op) or op in loads for op in ops):
        return False
    [vector] = (load for load in loads if load is not values)
    extents = scratch.memref_type(vector.memref).get_shape()[1:]
    arrays = values.memref, sums[0].gaps, sums[0].lengths
    constants = all(isinstance(array.owner, scratch.ConstantOp) for array in arrays)
    return _index(vector) is column and set(extents) <= {1} and constants


def _term_of(op: num.EntriesOp) -> SSAValue:
    end = op.body.block.last_op
    assert end is not None
    added = end.operands[0].owner
    assert isinstance(added, arith.AddiOp)
    return added.rhs if added.lhs is op.body.block.args[0] else added.lhs


def _entry_of(term: SSAValue, op: num.EntriesOp) -> memref.LoadOp | rtl.LoadOp | None:
    """The load of an entry's value, if a term is a product with this value and is therefore 0 if the value is 0;
    otherwise None.
    """
    while isinstance(term.owner, arith.ExtSIOp | arith.ShRSIOp):
        term = term.owner.operands[0]
    if not isinstance(term.owner, arith.MuliOp):
        return None
    for factor in term.owner.operands:
        while isinstance(factor.owner, arith.ExtSIOp):
            factor = factor.owner.operands[0]
        if isinstance(load := factor.owner, memref.LoadOp | rtl.LoadOp) and _index(load) is op.body.block.args[1]:
            return load
    return None


def _index(load: memref.LoadOp | rtl.LoadOp) -> SSAValue:
    return load.address if isinstance(load, rtl.LoadOp) else load.indices[0]
