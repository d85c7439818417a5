"""The program of a `num.lane_function` in the form that code generators use: its ops in order, and properties of its
values and accesses.

An iteration is a straight-line program on 32-bit integers. It may contain nested loops that carry values, such as a
loop over the window of a pool. Iterations are independent, so any number of them may run in parallel. A reduction may
combine the values of all iterations to a single element.
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

from tinyml.dialects.layouts.contents import LANES, Content
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.num.kernels.lane_functions import REGISTER, LaneFunctionOp, run_width
from tinyml.dialects.num.nests import NextOp, ReduceOp

Operand: TypeAlias = "SSAValue | int"
"""An operand of an op: the value of another op, or a constant."""

Interval: TypeAlias = tuple[int, int]

REQUANTISE, REQUANTISE_EVEN = "tm_requantize_s32", "tm_requantize_even_s32"
"""The runtime functions that requantise in lanes, with two roundings, or with one that rounds halves to even."""

REQUANTISING = REQUANTISE, REQUANTISE_EVEN
"""Both runtime functions that requantise in lanes."""

LEADING_ZEROS, RECIPROCAL = "tm_leading_zeros_s32", "tm_reciprocal_s32"
"""The other runtime functions that lanes support."""

_WORK: Mapping[str, int] = {REQUANTISE: 8, REQUANTISE_EVEN: 8, RECIPROCAL: 40}
"""The minimum number of scalar instructions of each call that needs more than one."""

CASTS = arith.ExtSIOp | arith.TruncIOp
"""Conversions, which need no instruction in 32-bit registers."""

GREATER, AT_LEAST = 4, 5
"""The predicates of `arith.cmpi` that lanes support: sgt and sge."""


class Element(NamedTuple):
    """The load of an element of a run. In each lane, the index of the element is the index of the lane plus an offset.

    run: the index of the run among the arguments of the function.
    offset: the offset, in elements.
    strides: for each enclosing loop, outermost first, the number of elements by which the index advances per iteration.
    """

    run: int
    offset: int
    strides: tuple[int, ...]


class Shared(NamedTuple):
    """The load of the only element of a run. All lanes use the same element."""

    run: int


class Entry(NamedTuple):
    """The load of an element of a table.

    run: the index of the table among the runs of the function.
    key: the index of the element, which is a computed value.
    length: the number of elements of the table.
    """

    run: int
    key: SSAValue
    length: int


class RowSum(NamedTuple):
    """For each lane, the dot product of a row and a vector, or the sum of their squared differences.

    rows: the index of the run that contains the rows.
    pitch: the distance between the starts of consecutive rows, in elements.
    vector: the index of the run that contains the vector.
    length: the number of elements of a row and of the vector.
    differs: true for squared differences, false for products.
    """

    rows: int
    pitch: int
    vector: int
    length: int
    differs: bool


class Join(NamedTuple):
    """A reduction over all lanes, which stores the sum, the greatest value, or the index of the greatest value.

    * kind: `sum`, `greatest` or `place` (the index).
    * start: the initial value, a constant or a shared element.
    * value: the value of a lane.
    * first, other: for `place`, the index of the first lane, and the result if no value exceeds the initial value.
    """

    kind: str
    start: Operand
    value: SSAValue
    first: int = 0
    other: int = 0


@dataclass(frozen=True, eq=False)
class LaneProgram(Content):
    """The body of a `num.lane_function`.

    * function: the lane function.
    * ops: the ops that lanes execute, in order. The ops of an inner loop follow its `num.reduce`. The last op stores
      the result, or reduces all lanes. Constants, indices, conversions and the terms of sums over rows are not listed.
      The `num.reduce` of a sum over a row is a single op.
    * accesses: for each load, the element that it accesses.
    * sums: for each sum over a row, its description.
    * join: the reduction of all lanes; None if there is none.
    * values: for each value that lanes compute, the value whose register contains it.
    * pitches: for each run, the number of elements between consecutive lines; 0 for a single line.
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
        """A digest of the content, as 16 hexadecimal digits. The digest does not depend on the names of values."""
        function = self.function.clone()
        for block in (block for op in function.walk() for region in op.regions for block in region.blocks):
            for value in (*block.args, *(result for op in block.ops for result in op.results)):
                value.name_hint = None
        function.properties["sym_name"] = LaneFunctionOp.name_of("")
        return sha256(str(function).encode()).hexdigest()[:16]

    @property
    def count(self) -> int:
        """The number of lanes of a line, one for each iteration along the axis of lanes."""
        return self.function.shape[-1] if self.join is None else len(cast(ReduceOp, self.ops[-1]).numbers)

    @property
    def lines(self) -> int:
        """The number of lines, that is, of iterations along the outer axis. Every line has `count` lanes."""
        return self.function.shape[0] if len(self.function.shape) > 1 else 1

    @cached_property
    def widths(self) -> Sequence[int]:
        """The width in bits of the elements of each run. The run for the result is last."""
        return tuple(map(run_width, self.function.runs))

    @property
    def calls(self) -> Sequence[str]:
        """The names of the runtime functions that the program calls, sorted."""
        return sorted({called(op) for op in self.ops if isinstance(op, func.CallOp)})

    def operand(self, value: SSAValue) -> Operand:
        """`value` without type conversions: a constant, or the value before the conversions."""
        known = const_evaluate_operand(value)
        return self.values[value] if known is None else known

    def operands(self, op: Operation) -> Sequence[Operand]:
        """The operands of an op, except shift amounts, constant factors and indices of elements.

        For an inner loop, the result is the initial values, and for its `num.next`, the values for the next iteration.
        For the reduction of all lanes, it is the initial value and the value of a lane. It is empty for a sum over a
        row.
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
            case func.CallOp() if self.factors(op, *REQUANTISING) is not None:
                return [self.operand(op.arguments[0])]
            case _:
                return [self.operand(value) for value in op.operands]

    def amount(self, op: arith.ShLIOp | arith.ShRSIOp) -> int:
        """The constant shift amount of a shift op, in bits."""
        return cast(int, self.operand(op.rhs))

    def factors(self, op: func.CallOp, *functions: str) -> tuple[int, int] | None:
        """The multiplier and the shift of a call that requantises, if both are constant; None for any other call.

        functions: the functions of `REQUANTISING` that are accepted; if there are none, only `REQUANTISE` is accepted.
        """
        if called(op) not in (functions or (REQUANTISE,)):
            return None
        multiplier, shift = map(self.operand, op.arguments[1:])
        return (multiplier, shift) if isinstance(multiplier, int) and isinstance(shift, int) else None

    def carried(self, op: ReduceOp | NextOp) -> Sequence[SSAValue]:
        """The values that an inner loop carries from one iteration to the next.

        op: the loop, or the `num.next` at its end.
        """
        return (op if isinstance(op, ReduceOp) else cast(ReduceOp, op.parent_op())).body.block.args[1:]

    def is_inner(self, op: Operation) -> TypeGuard[ReduceOp]:
        """True for an inner loop: a `num.reduce` that is neither a sum over a row nor the reduction of all lanes."""
        return isinstance(op, ReduceOp) and op not in self.sums and (self.join is None or op is not self.ops[-1])

    def inside(self, loop: Operation) -> Sequence[Operation]:
        """The ops of an inner loop, of which `num.next` is the last."""
        return [op for op in self.ops if loop in self.around(op)]

    def around(self, op: Operation) -> Sequence[ReduceOp]:
        """The inner loops that contain an op, the outermost first."""
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
        """The position of each op in program order.

        An inner loop occupies one position for each carried value, and then one position for its start. Its `num.next`
        occupies one position for each value for the next iteration, and then one position for the end of the loop. The
        result is the first of these positions.
        """
        places, place = dict[Operation, int](), 0
        for op in self.ops:
            places[op] = place
            place += 1 + (len(self.carried(op)) if isinstance(op, NextOp) or self.is_inner(op) else 0)
        return places

    def own_place(self, op: ReduceOp | NextOp) -> int:
        """The position, as in `places`, at which an inner loop starts or ends.

        op: the loop, which starts after the positions of its carried values, or its `num.next`, which ends it.
        """
        return self.places[op] + len(self.carried(op))

    def end_of(self, loop: ReduceOp) -> int:
        """The position in the program at which an inner loop ends."""
        return self.own_place(cast(NextOp, loop.body.block.last_op))

    @cached_property
    def defined(self) -> Mapping[SSAValue, int]:
        """For each value, the position in the program at which it is computed."""
        found = dict[SSAValue, int]()
        for op, place in self.places.items():
            if self.is_inner(op):
                found |= {value: place + at for at, value in enumerate(self.carried(op))}
            elif op.results:
                found[op.results[0]] = place
        return found

    @cached_property
    def uses(self) -> Mapping[SSAValue, Sequence[tuple[int, Operation]]]:
        """For each value, its uses as pairs (position, op).

        A comparison is listed as a use by the op that selects with it. The end of an iteration is listed as a use of
        the values that the loop carries.
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
        """A lower bound on the number of scalar instructions of a call. In each iteration, most ops count as one
        instruction, and a sum over a row as one instruction per product.
        """
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
        """For each run, the number of elements from its start up to the last element that the program accesses."""
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
        """For each run, the distance between the elements that consecutive lanes access, in elements; 0 if all lanes
        access one element.
        """
        advances = [0] * (len(self.widths) - 1)
        for access in self.accesses.values():
            if isinstance(access, Element):
                advances[access.run] = 1
        for sum_ in self.sums.values():
            advances[sum_.rows] = sum_.pitch
        return [*advances, 1 if self.join is None else 0]

    @cached_property
    def intervals(self) -> Mapping[SSAValue, Interval]:
        """The interval of each value, derived from the intervals of the operands. A value that an inner loop carries
        may be any number in a register. Conditions have no interval.
        """
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
            case func.CallOp(), [a, *_] if (factors := self.factors(op, *REQUANTISING)) is not None:
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
    """The name of the called function."""
    return op.callee.root_reference.data


def compared(op: arith.SelectOp) -> arith.CmpiOp:
    """The comparison that is the condition of a select op."""
    return cast(arith.CmpiOp, op.cond.owner)
