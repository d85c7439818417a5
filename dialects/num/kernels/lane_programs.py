"""A `num.lane_function` as composers of code read it: its ops in order, and facts about their values and accesses.

An iteration is a straight-line program on integers of 32 bits, with nested loops that carry values, such as those over
the window of a pool. Iterations are independent, so that any number of them may run in parallel. Their values may be
joined to a single element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import ClassVar, NamedTuple, TypeAlias, TypeGuard, cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.layouts.contents import LANES, CodeContent
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.num.kernels.lane_functions import REGISTER, LaneFunctionOp, run_width
from tinyml.dialects.num.nests import NextOp, ReduceOp

Operand: TypeAlias = "SSAValue | int"
"""What an op reads: the value of another op, or a constant."""

Interval: TypeAlias = tuple[int, int]

REQUANTISE, LEADING_ZEROS, RECIPROCAL = "tm_requantize_s32", "tm_leading_zeros_s32", "tm_reciprocal_s32"
"""The functions of the runtime that lanes have."""

_WORK: Mapping[str, int] = {REQUANTISE: 8, RECIPROCAL: 40}
"""The minimum instructions of plain code for calls with more than one."""

CASTS = arith.ExtSIOp | arith.TruncIOp
"""Conversions, which take no instruction in registers of 32 bits."""

GREATER, AT_LEAST = 4, 5
"""The predicates of `arith.cmpi` that lanes have: sgt and sge."""


class Element(NamedTuple):
    """The load of an element of a run, at an offset from that of the lane.

    strides: the elements by which it advances in each iteration of the loops around, the outermost first.
    """

    run: int
    offset: int
    strides: tuple[int, ...]


class Shared(NamedTuple):
    """The load of the only element of a run, which all lanes share."""

    run: int


class Entry(NamedTuple):
    """The load of an element of a table, a run of a length, whose index is a value."""

    run: int
    key: SSAValue
    length: int


class RowSum(NamedTuple):
    """A sum of products of a row of each lane and a vector, or of the squares of their differences.

    rows, vector: their runs. Rows lie a pitch of elements apart.
    """

    rows: int
    pitch: int
    vector: int
    length: int
    differs: bool


class Join(NamedTuple):
    """A reduction of all lanes, whose result is stored: the `sum`, the `greatest`, or its `place`.

    start: before the first lane, a constant or a shared element. value: of a lane. first, other: for a place, the
    number of the first lane, and the result where no value exceeds the start.
    """

    kind: str
    start: Operand
    value: SSAValue
    first: int = 0
    other: int = 0


@dataclass(frozen=True, eq=False)
class LaneProgram(CodeContent):
    """The body of a function of lanes.

    ops: those that lanes execute, in order, with those of inner loops behind their `num.reduce`; the last one stores,
    or joins all lanes. Constants, indices and conversions are not among them, nor are the terms of sums over rows,
    whose `num.reduce` is one op. accesses: of loads. sums: of the sums over rows. join: of the last op. values: each
    value that lanes compute, or another that is the same in a register. pitches: the elements between the lines of each
    run, 0 for a single line.
    """

    DECLARED_AS: ClassVar[str] = LANES

    function: LaneFunctionOp
    ops: Sequence[Operation]
    accesses: Mapping[Operation, Element | Shared | Entry]
    sums: Mapping[Operation, RowSum]
    join: Join | None
    values: Mapping[SSAValue, SSAValue]
    pitches: Sequence[int]

    @cached_property
    def digest(self) -> str:
        """A digest of the content, 16 hexadecimal digits, whatever the names of its values."""
        function = self.function.clone()
        for block in (block for op in function.walk() for region in op.regions for block in region.blocks):
            for value in (*block.args, *(result for op in block.ops for result in op.results)):
                value.name_hint = None
        function.properties["sym_name"] = LaneFunctionOp.name_of("")
        return sha256(str(function).encode()).hexdigest()[:16]

    @property
    def count(self) -> int:
        """The number of lanes."""
        return self.function.shape[-1] if self.join is None else len(cast(ReduceOp, self.ops[-1]).numbers)

    @property
    def lines(self) -> int:
        """The number of lines, each of which has all lanes."""
        return self.function.shape[0] if len(self.function.shape) > 1 else 1

    @cached_property
    def widths(self) -> Sequence[int]:
        """The bits of the elements of each run, that of the result last."""
        return tuple(map(run_width, self.function.runs))

    @property
    def calls(self) -> Sequence[str]:
        """The functions of the runtime that are called."""
        return sorted({called(op) for op in self.ops if isinstance(op, func.CallOp)})

    def operand(self, value: SSAValue) -> Operand:
        """A value that an op reads, through conversions."""
        known = const_evaluate_operand(value)
        return self.values[value] if known is None else known

    def operands(self, op: Operation) -> Sequence[Operand]:
        """What an op reads, without the amounts of shifts, constant factors and indices of elements.

        Of an inner loop these are the starts, and of its `num.next` the following values.
        """
        match op:
            case memref.LoadOp():
                return [access.key] if isinstance(access := self.accesses[op], Entry) else []
            case memref.StoreOp():
                return [self.operand(op.value)]
            case ReduceOp() if op in self.sums:
                return []
            case ReduceOp() if op is self.ops[-1] and self.join is not None:
                return [self.join.start, self.join.value]
            case arith.ShLIOp() | arith.ShRSIOp():
                return [self.operand(op.lhs)]
            case func.CallOp() if self.factors(op) is not None:
                return [self.operand(op.arguments[0])]
            case _:
                return [self.operand(value) for value in op.operands]

    def amount(self, op: arith.ShLIOp | arith.ShRSIOp) -> int:
        """The bits by which an op shifts."""
        return cast(int, self.operand(op.rhs))

    def factors(self, op: func.CallOp) -> tuple[int, int] | None:
        """The constant multiplier and shift of a requantisation; None for another call."""
        if called(op) != REQUANTISE:
            return None
        multiplier, shift = map(self.operand, op.arguments[1:])
        return (multiplier, shift) if isinstance(multiplier, int) and isinstance(shift, int) else None

    def carried(self, op: ReduceOp | NextOp) -> Sequence[SSAValue]:
        """The values that an inner loop carries."""
        return (op if isinstance(op, ReduceOp) else cast(ReduceOp, op.parent_op())).body.block.args[1:]

    def is_inner(self, op: Operation) -> TypeGuard[ReduceOp]:
        """True for a loop inside of a lane."""
        return isinstance(op, ReduceOp) and op not in self.sums and (self.join is None or op is not self.ops[-1])

    def inside(self, loop: Operation) -> Sequence[Operation]:
        """The ops of an inner loop, its `num.next` last."""
        return [op for op in self.ops if loop in self.around(op)]

    def around(self, op: Operation) -> Sequence[ReduceOp]:
        """The inner loops around an op, the outermost first."""
        return self._around[op]

    @cached_property
    def _around(self) -> Mapping[Operation, Sequence[ReduceOp]]:
        found = dict[Operation, Sequence[ReduceOp]]()
        for op in self.ops:
            outer = op.parent_op()
            before = found.get(outer, ()) if outer is not None else ()
            found[op] = [*before, outer] if isinstance(outer, ReduceOp) and outer in found else before
        return found

    @cached_property
    def places(self) -> Mapping[Operation, int]:
        """The place of each op in order. A loop takes one for each value that it carries, and then its own; its
        `num.next` takes one for each following value, and then that of the loop's end.
        """
        places, place = dict[Operation, int](), 0
        for op in self.ops:
            places[op] = place
            place += 1 + (len(self.carried(op)) if isinstance(op, NextOp) or self.is_inner(op) else 0)
        return places

    def own_place(self, op: ReduceOp | NextOp) -> int:
        """The place where an inner loop begins, behind those of the values that it carries, or ends."""
        return self.places[op] + len(self.carried(op))

    def end_of(self, loop: ReduceOp) -> int:
        """The place where an inner loop ends."""
        return self.own_place(cast(NextOp, loop.body.block.last_op))

    @cached_property
    def defined(self) -> Mapping[SSAValue, int]:
        """The place that computes each value."""
        found = dict[SSAValue, int]()
        for op, place in self.places.items():
            if self.is_inner(op):
                found |= {value: place + at for at, value in enumerate(self.carried(op))}
            elif op.results:
                found[op.results[0]] = place
        return found

    @cached_property
    def uses(self) -> Mapping[SSAValue, Sequence[tuple[int, Operation]]]:
        """The places that read each value, with their ops. A comparison is computed where it selects.

        The end of an iteration reads what a loop has carried, too.
        """
        found: dict[SSAValue, list[tuple[int, Operation]]] = {value: [] for value in self.defined}
        for op in self.ops:
            if isinstance(op, arith.CmpiOp):
                continue
            read: list[tuple[int, Operand]]
            if self.is_inner(op) or isinstance(op, NextOp):
                read = [(self.places[op] + at, value) for at, value in enumerate(self.operands(op))]
                if isinstance(op, NextOp):
                    read += [(self.places[op] + at, value) for at, value in enumerate(self.carried(op))]
            else:
                read = [(self.places[op], value) for value in self.operands(op)]
                if isinstance(op, arith.SelectOp):
                    read += [(self.places[op], value) for value in self.operands(compared(op))]
            for place, value in sorted(set(read), key=lambda each: each[0]):
                if not isinstance(value, int):
                    found[value].append((place, op))
        return found

    @property
    def work(self) -> int:
        """The minimum instructions of plain code: one for most ops, and for each product."""
        total = 0
        for op in self.ops:
            trips = prod(len(loop.numbers) for loop in self.around(op))
            match op:
                case NextOp():
                    total += trips * len(op.values)
                case ReduceOp() if op in self.sums:
                    total += trips * self.sums[op].length
                case ReduceOp() if self.is_inner(op):
                    total += trips * (len(op.starts) + 2)
                case func.CallOp():
                    total += trips * _WORK.get(called(op), 1)
                case _:
                    total += trips
        return self.lines * self.count * total

    @cached_property
    def reach(self) -> Sequence[int]:
        """The accessed elements of each run, from the first on."""
        reach = [0] * len(self.widths)
        for op, access in self.accesses.items():
            match access:
                case Element(run, offset, strides):
                    trips = [len(loop.numbers) - 1 for loop in self.around(op)]
                    last = offset + sum(stride * trip for stride, trip in zip(strides, trips, strict=True))
                    reach[run] = max(reach[run], last + self.count)
                case Shared(run):
                    reach[run] = 1
                case Entry(run, _, length):
                    reach[run] = max(reach[run], length)
        for sum_ in self.sums.values():
            reach[sum_.rows] = (self.count - 1) * sum_.pitch + sum_.length
            reach[sum_.vector] = max(reach[sum_.vector], sum_.length)
        reach[-1] = self.count if self.join is None else 1
        return [last + (self.lines - 1) * pitch for last, pitch in zip(reach, self.pitches, strict=True)]

    @cached_property
    def advances(self) -> Sequence[int]:
        """The distance of each run's elements between consecutive lanes; 0 if all lanes share them."""
        advances = [0] * (len(self.widths) - 1)
        for access in self.accesses.values():
            if isinstance(access, Element):
                advances[access.run] = 1
        for sum_ in self.sums.values():
            advances[sum_.rows] = sum_.pitch
        return [*advances, 1 if self.join is None else 0]

    @cached_property
    def intervals(self) -> Mapping[SSAValue, Interval]:
        """The interval of each value that is no condition, derived from those of the operands."""
        found = dict[SSAValue, Interval]()
        for op in self.ops:
            if self.is_inner(op):
                found |= dict.fromkeys(self.carried(op), limits(REGISTER))
            elif op.results and op.results[0].type != i1 and op is not self.ops[-1]:
                ends = [
                    (value, value) if isinstance(value, int) else found.get(value, (0, 1))
                    for value in self.operands(op)
                ]
                found[op.results[0]] = self._interval(op, ends)
        return found

    def _interval(self, op: Operation, ends: Sequence[Interval]) -> Interval:
        whole = limits(REGISTER)
        corners: list[int]
        match op, ends:
            case memref.LoadOp(), _:
                return limits(self.widths[self.accesses[op].run])
            case arith.AddiOp(), [a, b]:
                corners = [a[0] + b[0], a[1] + b[1]]
            case arith.SubiOp(), [a, b]:
                corners = [a[0] - b[1], a[1] - b[0]]
            case arith.MuliOp(), [a, b]:
                corners = [x * y for x in a for y in b]
            case arith.MinSIOp(), [a, b]:
                corners = [min(x, y) for x, y in zip(a, b, strict=True)]
            case arith.MaxSIOp(), [a, b]:
                corners = [max(x, y) for x, y in zip(a, b, strict=True)]
            case arith.SelectOp(), [_, a, b]:
                corners = [*a, *b]
            case arith.ShLIOp(), [a]:
                corners = [x << self.amount(op) for x in a]
            case arith.ShRSIOp(), [a]:
                corners = [x >> self.amount(op) for x in a]
            case func.CallOp(), [a, *_] if (factors := self.factors(op)) is not None:
                multiplier, shift = factors
                corners = [(x << max(shift, 0)) * multiplier >> 31 + max(-shift, 0) for x in a]
                corners = [corners[0], corners[1] + 1]
            case func.CallOp(), _ if called(op) in (LEADING_ZEROS, RECIPROCAL):
                corners = [0, REGISTER if called(op) == LEADING_ZEROS else whole[1]]
            case _:
                return whole
        low, high = min(corners), max(corners)
        return (low, high) if whole[0] <= low and high <= whole[1] else whole


def called(op: func.CallOp) -> str:
    """The name of the function that an op calls."""
    return op.callee.root_reference.data


def compared(op: arith.SelectOp) -> arith.CmpiOp:
    """The comparison by which an op selects."""
    return cast(arith.CmpiOp, op.cond.owner)
