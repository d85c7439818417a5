"""Loops whose iterations compute one element each: a `num.lane_function` in the order in which composers take its ops.

An iteration is a straight-line program on 32-bit integers, with nested loops that carry values, such as those over the
window of a pool. Iterations are independent, so that any number of them may run in parallel. Their results may be
reduced to a single element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import ClassVar, NamedTuple, cast

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.contents import LANES, CodeContent
from tinyml.dialects.machine.machine import limits

REGISTER = 32
"""The width of integers in bits."""

WIDTHS = (8, 16, 32)
"""The widths of elements in memory."""

SUMS = ("dot", "distance")
"""Sums over an iteration's own row and a vector, outside of nested loops."""

REDUCTIONS = ("sum", "greatest", "place")
"""Final steps with a single element as result."""

ENDS = ("store", *REDUCTIONS)

FUNCTIONS: Mapping[str, str] = {
    **dict.fromkeys(("requantise", "requantise_by"), "tm_requantize_s32"),
    "leading_zeros": "tm_leading_zeros_s32",
    "reciprocal": "tm_reciprocal_s32",
}
"""Runtime functions that compute steps."""

_WORK: Mapping[str, int] = {"requantise": 8, "requantise_by": 8, "reciprocal": 40}
"""The minimum instructions of plain code for steps with more than one."""


class Constant(NamedTuple):
    """A constant operand."""

    value: int


Operand = int | Constant
"""The number of the step that computed a value, or a constant."""

OPERANDS: Mapping[str, int] = {
    "load": 0,
    **dict.fromkeys(("add", "sub", "mul", "and", "min", "max", "at_least", "greater"), 2),
    "select": 3,
    **dict.fromkeys(("left", "right", "requantise", "leading_zeros", "reciprocal"), 1),
    **dict.fromkeys((*SUMS, "shared"), 0),
    **{"requantise_by": 3},
    **{"lookup": 1, "loop": 0, "carry": 1, "next": 2, "end": 0},
    "store": 1,
    **dict.fromkeys(REDUCTIONS, 2),
}
"""The number of operands of each kind of step."""

_NUMBERS: Mapping[str, int] = {
    **dict.fromkeys(("left", "right", "loop", "shared"), 1),
    **dict.fromkeys(("requantise", "lookup", "place"), 2),
    **dict.fromkeys(SUMS, 4),
}

CONDITIONS = ("at_least", "greater")
"""Comparisons, which are only allowed as the first operand of a selection."""


class Step(NamedTuple):
    """A step of an iteration; its value is named by its number.

    name: `add` to `max`, of two integers, which do not overflow; `left`, a shift modulo 2^32, and `right`, rounded
    down, by a number of bits; `requantise`, `tm_requantize_s32` by a multiplier and a shift, and `requantise_by`, by
    computed ones; `leading_zeros` and `reciprocal`, the functions of the runtime of these names; `select`, the second
    operand if a comparison is true, else the third. `load`: an element of a run at an offset from the iteration's
    element, with a stride for each loop around the step, in elements. `shared`: the only element of a run. `lookup`:
    the element of a table, a run of a length, at an index. `dot` and `distance`: the products, or squares of
    differences, of a row and a vector, summed; rows lie a pitch apart. Their numbers are the run of the rows, the
    pitch, the run of the vector, and the length. `loop` and `end` enclose steps that run a number of times. A `carry`
    before a loop is a copy of a value, which `next` replaces at the end of each of its iterations.

    The last step is a `store` of the element of the result, or reduces an initial value and the values of all
    iterations to the only element of the result: `sum`, `greatest`, or `place`, the number of the first iteration whose
    value is the greatest, or another number if none exceeds the start. The numbers of a `place` are that of the first
    iteration, and the other one.
    """

    name: str
    operands: tuple[Operand, ...] = ()
    numbers: tuple[int, ...] = ()


def misuses_conditions(step: Step, steps: Sequence[Step]) -> bool:
    """True if a step uses a comparison other than to select, or selects by another value. steps: the steps before
    it.
    """
    compared = [isinstance(one, int) and steps[one].name in CONDITIONS for one in step.operands]
    return compared != [step.name == "select" and at == 0 for at in range(len(compared))]


@dataclass(frozen=True)
class ElementLoop(CodeContent):
    """A loop over `count` iterations. widths: those of the elements of runs of memory in bits, those of the result
    last.

    lines: the number of repetitions of the iterations; each starts `pitches` elements further in each run. A single
    line has no pitches.
    """

    DECLARED_AS: ClassVar[str] = LANES

    count: int
    widths: tuple[int, ...]
    steps: tuple[Step, ...]
    lines: int = 1
    pitches: tuple[int, ...] = ()

    @cached_property
    def digest(self) -> str:
        """A digest of the content, 16 hexadecimal digits."""
        return sha256(repr(self).encode()).hexdigest()[:16]

    @property
    def functions(self) -> Sequence[str]:
        """The functions of the runtime that plain C calls."""
        return sorted({FUNCTIONS[step.name] for step in self.steps if step.name in FUNCTIONS})

    @property
    def work(self) -> int:
        """The minimum instructions of plain code: one for most steps, and for each product."""
        each = (
            prod(self.steps[loop].numbers[0] for loop in self.around(number))
            * (step.numbers[-1] if step.name in SUMS else _WORK.get(step.name, 1))
            for number, step in enumerate(self.steps)
        )
        return self.lines * self.count * sum(each)

    @cached_property
    def loops(self) -> Mapping[int, int]:
        """The index of the end of each loop, by that of its beginning."""
        ends, opened = dict[int, int](), list[int]()
        for number, step in enumerate(self.steps):
            if step.name == "loop":
                opened.append(number)
            elif step.name == "end":
                ends[opened.pop()] = number
        return ends

    def around(self, number: int) -> list[int]:
        """The loops around a step, the outermost first."""
        return sorted(first for first, end in self.loops.items() if first < number < end)

    @cached_property
    def reach(self) -> Sequence[int]:
        """The accessed elements of each run, from the first on."""
        reach = [0] * len(self.widths)
        for number, step in enumerate(self.steps):
            match step:
                case Step("load", _, (run, offset, *strides)):
                    trips = [self.steps[loop].numbers[0] - 1 for loop in self.around(number)]
                    last = offset + sum(stride * trip for stride, trip in zip(strides, trips, strict=True))
                    reach[run] = max(reach[run], last + self.count)
                case Step("lookup", _, (run, length)):
                    reach[run] = max(reach[run], length)
                case Step("shared", _, (run,)):
                    reach[run] = 1
                case Step("dot" | "distance", _, (rows, pitch, vector, length)):
                    reach[rows], reach[vector] = (self.count - 1) * pitch + length, max(reach[vector], length)
                case _:
                    pass
        pitches = self.pitches or [0] * len(reach)
        behind = [(self.lines - 1) * pitch for pitch in pitches]
        results = 1 if self.reduces else self.count
        return [last + further for last, further in zip([*reach[:-1], results], behind, strict=True)]

    @property
    def reduces(self) -> bool:
        """True if the result is a single element."""
        return len(self.steps) > 0 and self.steps[-1].name in REDUCTIONS

    @cached_property
    def unrolled(self) -> ElementLoop:
        """The loop with nested loops unrolled, and no element loaded twice."""
        values, steps, known = dict[int, Operand](), list[Step](), dict[Step, int]()

        def visit(first: int, end: int, trips: tuple[int, ...]) -> None:
            number = first
            while number < end:
                step = self.steps[number]
                operands = tuple(one if isinstance(one, Constant) else values[one] for one in step.operands)
                match step:
                    case Step("loop", _, (count,)):
                        for trip in range(count):
                            visit(number + 1, self.loops[number], (*trips, trip))
                        number = self.loops[number]
                    case Step("carry"):
                        values[number] = operands[0]
                    case Step("next"):
                        values[cast(int, step.operands[0])] = operands[1]
                    case Step("max" | "min") if operands[0] == operands[1]:
                        values[number] = operands[0]
                    case Step("add") if Constant(0) in operands:
                        values[number] = operands[operands[0] == Constant(0)]
                    case _:
                        numbers = step.numbers
                        if step.name == "load":
                            run, offset, *strides = numbers
                            numbers = run, offset + sum(s * trip for s, trip in zip(strides, trips, strict=True))
                        new = Step(step.name, operands, numbers)
                        if step.name != "load" or new not in known:
                            known[new] = len(steps)
                            steps.append(new)
                        values[number] = known[new]
                number += 1

        visit(0, len(self.steps), ())
        return replace(self, steps=tuple(steps))

    @cached_property
    def advances(self) -> Sequence[int]:
        """The distance of each run's elements between consecutive iterations; 0 if all iterations share them."""
        advances = [0] * (len(self.widths) - 1)
        for step in self.steps:
            if step.name in ("load", *SUMS):
                advances[step.numbers[0]] = step.numbers[1] if step.name in SUMS else 1
        return [*advances, 0 if self.reduces else 1]

    @cached_property
    def intervals(self) -> Sequence[tuple[int, int]]:
        """The interval of the value of each step, derived from those of its operands."""
        found: list[tuple[int, int]] = []
        for step in self.steps:
            ends = [(one.value, one.value) if isinstance(one, Constant) else found[one] for one in step.operands]
            found.append(_interval(step, ends, self.widths))
        return found

    @property
    def verified(self) -> ElementLoop:
        """The loop itself; raises `VerifyException` if its steps do not make a program."""
        if self.count < 1 or len(self.widths) < 1 or any(width not in WIDTHS for width in self.widths):
            raise VerifyException(f"{self.count} elements of runs of {self.widths} bits")
        pitches = len(self.widths) if self.lines > 1 else 0
        if (
            len(self.pitches) != pitches
            or min([self.lines - 1, *self.pitches]) < 0
            or (self.reduces and self.lines > 1)
        ):
            raise VerifyException(f"{self.lines} lines of {len(self.widths)} runs at pitches of {self.pitches}")
        scopes = [set[int]()]
        for number, step in enumerate(self.steps):
            known = set[int]().union(*scopes)
            numbers = len(scopes) + 1 if step.name == "load" else _NUMBERS.get(step.name, 0)
            wrong = step.name not in OPERANDS or len(step.operands) != OPERANDS[step.name]
            wrong |= len(step.numbers) != numbers or (step.name in ENDS) != (number == len(self.steps) - 1)
            wrong |= any(one not in known for one in step.operands if not isinstance(one, Constant))
            wrong = wrong or any(not 0 <= run < len(self.widths) - 1 for run in _runs_of(step))
            wrong |= step.name in SUMS and (len(scopes) > 1 or step.numbers[1] < 1 or step.numbers[3] < 1)
            wrong |= step.name == "end" and len(scopes) == 1
            wrong = wrong or (step.name == "shared" and self.lines > 1 and self.pitches[step.numbers[0]] != 0)
            wrong = wrong or (step.name in REDUCTIONS and not self._is_shared(step.operands[0]))
            wrong = wrong or misuses_conditions(step, self.steps)
            if step.name == "next" and not wrong:
                wrong = isinstance(carry := step.operands[0], Constant) or self.steps[carry].name != "carry"
            if wrong:
                raise VerifyException(f"step {number} cannot be taken: {step}")
            match step.name:
                case "loop":
                    scopes.append(set())
                case "end":
                    scopes.pop()
                case _:
                    scopes[-1].add(number)
        if len(scopes) != 1 or not self.steps:
            raise VerifyException("a loop has no end")
        if self._roles() is None:
            raise VerifyException("a run has elements, is a vector or a table, or has the rows of one step")
        return self

    def _is_shared(self, operand: Operand) -> bool:
        """True if all iterations have the same operand, a constant or a single element."""
        return isinstance(operand, Constant) or self.steps[operand].name == "shared"

    def _roles(self) -> Mapping[int, str] | None:
        """The use of each run; None if a run has several uses, or none."""
        roles = dict[int, str]()
        for number, step in enumerate(self.steps):
            for place, run in enumerate(_runs_of(step)):
                role = step.name if step.name not in SUMS else "vector" if place else f"rows of {number}"
                if roles.setdefault(run, role) != role:
                    return None
        return roles if len(roles) == len(self.widths) - 1 else None


def _runs_of(step: Step) -> Sequence[int]:
    """The runs that a step reads: elements, a table, or rows and a vector."""
    match step:
        case Step("load" | "shared" | "lookup", _, (run, *_)):
            return [run]
        case Step("dot" | "distance", _, (rows, _, vector, _)):
            return [rows, vector]
        case _:
            return []


def _interval(step: Step, ends: Sequence[tuple[int, int]], widths: Sequence[int]) -> tuple[int, int]:
    whole = limits(REGISTER)
    corners: list[int]
    match step.name, [list(one) for one in ends]:
        case "load" | "shared" | "lookup", _:
            return limits(widths[step.numbers[0]])
        case "add", [a, b]:
            corners = [a[0] + b[0], a[1] + b[1]]
        case "sub", [a, b]:
            corners = [a[0] - b[1], a[1] - b[0]]
        case "mul", [a, b]:
            corners = [x * y for x in a for y in b]
        case "min", [a, b]:
            corners = [min(x, y) for x, y in zip(a, b, strict=True)]
        case "max", [a, b]:
            corners = [max(x, y) for x, y in zip(a, b, strict=True)]
        case "select", [_, a, b]:
            corners = [*a, *b]
        case "leading_zeros", _:
            corners = [0, REGISTER]
        case "reciprocal", _:
            corners = [0, whole[1]]
        case "left", [a]:
            corners = [x << step.numbers[0] for x in a]
        case "right", [a]:
            corners = [x >> step.numbers[0] for x in a]
        case "requantise", [a]:
            multiplier, shift = step.numbers
            corners = [(x << max(shift, 0)) * multiplier >> 31 + max(-shift, 0) for x in a]
            corners = [corners[0], corners[1] + 1]
        case _:
            return whole
    low, high = min(corners), max(corners)
    return (low, high) if whole[0] <= low and high <= whole[1] else whole
