"""Products of sparse matrices, whose control is known when a program is compiled.

A loop over the rows of a compressed matrix counts entries and adds gaps between columns, all of which are constants.
The control is therefore executed here and replaced by tables: for each row, the addresses that its entries read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.dialects.rtl.ops import words_of
from tinyml.transforms.ir.indices import trips_of
from tinyml.transforms.rtl.scheduling.regions import is_pipelined, is_pure
from tinyml.transforms.rtl.unrolling.words import width_of

MOST_ENTRIES = 1 << 20
"""The maximum number of entries of a loop that is replaced."""


class _UnknownError(Exception):
    """A value that depends on more than constants."""


@dataclass
class EntryRows:
    """A loop over rows, in each of which an inner loop adds products of entries with elements of a vector.

    loads: those of an entry's term; pure: the ops that compute the term from them. after: the ops after the inner loop
    that are not control. place: the index of the sum among the carried values of the inner loop. rows: for each row and
    each nonzero entry, the addresses of its loads.
    """

    outer: scf.ForOp
    inner: scf.ForOp
    loads: Sequence[rtl.LoadOp]
    pure: Sequence[Operation]
    term: SSAValue
    after: Sequence[Operation]
    place: int
    rows: Sequence[Sequence[Sequence[int]]]

    @property
    def entries(self) -> int:
        return sum(map(len, self.rows))

    def words(self, elements: int) -> int:
        """The iterations if each processing element takes an entry of a row at a time; a row takes at least one."""
        return sum(max(1, -(-len(row) // elements)) for row in self.rows)

    @staticmethod
    def of(outer: scf.ForOp) -> EntryRows | None:
        """The product that a loop computes; None if it has another form."""
        inners = [op for op in outer.body.block.ops if op.regions]
        bounds = const_evaluate_operand(outer.lb), const_evaluate_operand(outer.step)
        if len(inners) != 1 or not trips_of(outer) or bounds != (0, 1) or any(r.first_use for r in outer.results):
            return None
        inner = inners[0]
        if not isinstance(inner, scf.ForOp) or not is_pipelined(inner) or trips_of(inner) is not None:
            return None
        if (found := _sum_of(inner)) is None or (after := _after(outer, inner, found[0])) is None:
            return None
        place, term = found
        ops = _computing([term], inner)
        loads = [op for op in ops if isinstance(op, rtl.LoadOp)]
        pure = [op for op in ops if op not in loads]
        if not all(map(is_pure, pure)) or _is_inside(inner.iter_args[place], outer):
            return None
        if (entry := _entry_of(term)) is None or entry not in loads:
            return None
        try:
            rows = _Control(outer, inner, place).rows(loads, loads.index(entry))
        except _UnknownError:
            return None
        return EntryRows(outer, inner, loads, pure, term, after, place, rows)


def _sum_of(inner: scf.ForOp) -> tuple[int, SSAValue] | None:
    """The index of the only carried value that is a sum of terms other than indices, and its term."""
    body, end = inner.body.block, inner.body.block.last_op
    assert end is not None
    found = [i for i, value in enumerate(body.args[1:]) if not isinstance(value.type, IndexType)]
    if len(found) != 1:
        return None
    carried, sum = body.args[1 + found[0]], end.operands[found[0]].owner
    if not isinstance(sum, arith.AddiOp) or carried not in sum.operands or carried.uses.get_length() != 1:
        return None
    return found[0], sum.rhs if sum.lhs is carried else sum.lhs


def _after(outer: scf.ForOp, inner: scf.ForOp, place: int) -> list[Operation] | None:
    """The ops after the inner loop on which stores depend; None if they read more than the sum and the row."""
    body = list(outer.body.block.ops)
    behind = body[body.index(inner) + 1 :]
    stores = [op for op in behind if isinstance(op, rtl.StoreOp)]
    needed = _computing([value for op in stores for value in op.operands], outer)
    kept = [op for op in behind if op in needed or op in stores]
    known = {inner.results[place], outer.body.block.args[0], *(result for op in kept for result in op.results)}
    inside = (value for op in kept for value in op.operands if _is_inside(value, outer))
    if not stores or not {*needed} <= {*kept, inner} or not all(value in known for value in inside):
        return None
    return kept if all(is_pure(op) or op in stores for op in kept) else None


def _is_inside(value: SSAValue, loop: scf.ForOp) -> bool:
    """True for an argument of a loop's body and for a result of an op in it."""
    body = loop.body.block
    return value.owner is body or (isinstance(value.owner, Operation) and value.owner.parent is body)


def _computing(values: Sequence[SSAValue], loop: scf.ForOp) -> list[Operation]:
    """The ops of a loop's body that compute values, in order, starting at loads and results of loops."""
    found: set[Operation] = set()
    queue = [*values]
    while queue:
        owner = queue.pop().owner
        if isinstance(owner, Operation) and owner.parent is loop.body.block and owner not in found:
            found.add(owner)
            queue += () if isinstance(owner, rtl.LoadOp) or owner.regions else owner.operands
    return [op for op in loop.body.block.ops if op in found]


def _entry_of(term: SSAValue) -> rtl.LoadOp | None:
    """The load of the constant factor of a term, which is 0 where the constant is; None for a term without one."""
    while isinstance(term.owner, arith.ExtSIOp | arith.ShRSIOp):
        term = term.owner.operands[0]
    if not isinstance(term.owner, arith.MuliOp):
        return None
    for factor in term.owner.operands:
        while isinstance(factor.owner, arith.ExtSIOp):
            factor = factor.owner.operands[0]
        load = factor.owner
        if isinstance(load, rtl.LoadOp) and content_of(load) is not None:
            return load
    return None


def content_of(load: rtl.LoadOp) -> list[int] | None:
    """The words of the memory that a load reads, if they are constant elements of its width."""
    memory = load.memory.owner
    if not isinstance(memory, rtl.MemoryOp) or memory.content is None:
        return None
    return (
        words_of(memory.content, memory.result.type) if width_of(load.result) == memory.result.type.width.data else None
    )


class _Control:
    """The control of a nest of two loops, executed on integers."""

    def __init__(self, outer: scf.ForOp, inner: scf.ForOp, sum: int):
        self.outer = outer
        self.inner = inner
        self.kept = [i for i in range(len(inner.iter_args)) if i != sum]
        self.values: dict[SSAValue, int] = {}
        self.contents: dict[SSAValue, list[int] | None] = {}

    def rows(self, loads: Sequence[rtl.LoadOp], entry: int) -> list[list[tuple[int, ...]]]:
        """The addresses of loads in each iteration in which the load with that index gives a nonzero value."""
        body, inside = self.outer.body.block, self.inner.body.block
        assert body.last_op is not None
        assert inside.last_op is not None
        rows: list[list[tuple[int, ...]]] = []
        carried = [self.of(value) for value in self.outer.iter_args]
        for row in range(trips_of(self.outer) or 0):
            self.values = dict(zip(body.args, [row, *carried], strict=True))
            outside = dict(self.values)
            trips = self.of(self.inner.ub) - self.of(self.inner.lb)
            if sum(map(len, rows)) + trips > MOST_ENTRIES or self.of(self.inner.step) != 1:
                raise _UnknownError
            here = [self.of(self.inner.iter_args[i]) for i in self.kept]
            rows.append([])
            for trip in range(trips):
                self.values = {**outside, inside.args[0]: trip}
                self.values |= zip((inside.args[1 + i] for i in self.kept), here, strict=True)
                addresses = tuple(self.of(load.address) for load in loads)
                if self.of(loads[entry].result):
                    rows[-1].append(addresses)
                here = [self.of(inside.last_op.operands[i]) for i in self.kept]
            self.values = outside | dict(zip((self.inner.results[i] for i in self.kept), here, strict=True))
            carried = [self.of(value) for value in body.last_op.operands]
        return rows

    def of(self, value: SSAValue) -> int:
        """A value of the current iteration; raises `_UnknownError` if it is not constant."""
        if value not in self.values:
            self.values[value] = self._computed(value)
        return self.values[value]

    def _computed(self, value: SSAValue) -> int:
        if (constant := const_evaluate_operand(value)) is not None:
            return constant
        match value.owner:
            case arith.AddiOp() as op if isinstance(value.type, IndexType):
                return self.of(op.lhs) + self.of(op.rhs)
            case arith.ExtUIOp() as op:
                width = cast("IntegerType[int, Any]", op.input.type).width.data
                return self.of(op.input) % (1 << width)
            case arith.IndexCastOp() as op:
                return self.of(op.input)
            case rtl.LoadOp() as op:
                if op.memory not in self.contents:
                    self.contents[op.memory] = content_of(op)
                if (content := self.contents[op.memory]) is None:
                    raise _UnknownError
                return content[self.of(op.address)]
            case _:
                raise _UnknownError
