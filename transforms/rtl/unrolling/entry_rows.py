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

    nest: the contraction.
    values, vector: the loads of an entry's value and of the vector element by which this value is multiplied.
    term: the value that the entry adds to the sum.
    computing: the ops that compute the term.
    rows: the nonzero entries of each row.
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
        return _words(self.values.memory)

    def words(self, elements: int) -> int:
        """The number of iterations if each of `elements` processing elements processes one entry of a row at a time.

        Every row takes at least one iteration.
        """
        return sum(max(1, -(-len(row) // elements)) for row in self.rows)

    @staticmethod
    def of(nest: num.ContractOp) -> EntryRows:
        """The rows of a contraction for which `adds_entries` is true. Its arrays must be in hardware memories."""
        [sum] = (op for op in nest.body.block.ops if isinstance(op, num.EntriesOp))
        term, (*ops, end) = _term_of(sum), sum.body.block.ops
        computing = [op for op in ops if op is not end.operands[0].owner]
        [values] = (use.operation for use in sum.body.block.args[1].uses)
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
    owner = cast("rtl.MemoryOp", memory.owner)
    assert owner.content is not None
    return words_of(owner.content, owner.result.type)


def adds_entries(nest: num.ContractOp) -> bool:
    """Whether a contraction on arrays adds products of the entries of a constant compressed matrix in one
    `num.entries`.

    All other ops in the contraction must be loads, arithmetic and stores.
    """
    sums = [op for op in nest.body.block.ops if isinstance(op, num.EntriesOp)]
    if len(sums) != 1 or sums[0].products is None:
        return False
    [values] = (use.operation for use in sums[0].body.block.args[1].uses)
    arrays = values.operands[0], sums[0].gaps, sums[0].lengths
    others = (op for op in nest.body.block.ops if op not in sums)
    plain = all(is_pure(op) or isinstance(op, memref.LoadOp | memref.StoreOp) for op in others)
    return plain and all(isinstance(array.owner, scratch.ConstantOp) for array in arrays)


def _term_of(op: num.EntriesOp) -> SSAValue:
    *_, end = op.body.block.ops
    sum = cast("arith.AddiOp", end.operands[0].owner)
    return sum.rhs if sum.lhs is op.body.block.args[0] else sum.lhs
