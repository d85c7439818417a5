"""`search-maxscale`: SeeDot's search for scales (section 5.3): one number for the whole program, tried out.

Scales are propagated from constants and the input through the program by the rules of figure 3, which divide wherever
an operation might overflow. A result that would get a scale below `maxscale` is divided by less: beyond some point
nothing overflows in practice what might in theory. Which maxscale is best is found by trying all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.format_assignment import Choice, FormatAssignment, room_of
from tinyml.transforms.formats.assignment.tensor_classes import TensorClass
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search, SearchPass


@dataclass(frozen=True)
class SearchMaxscalePass(SearchPass):
    """Tries every maxscale from 0 to width - 1 and takes the one that loses least, the greatest of equals.

    widths: that are tried, for all tensors alike; the usual one by default. In the arithmetic of `seedot` it is SeeDot
    as published; in another only the scales are SeeDot's. The metric is the accuracy, as there.
    """

    name = "search-maxscale"
    metric: str = "accuracy"
    widths: tuple[int, ...] = ()

    def search(self, search: Search) -> Found:
        search.evaluation.begin("maxscale")
        found = [explore_maxscale(search, prototype) for prototype in search.offered(self.widths)]
        choices, maxscale, _ = min(found, key=lambda one: one[2])
        return Found(choices, {one.name: f"maxscale {maxscale}" for one in search.classes})


def explore_maxscale(search: Search, prototype: NumberFormat) -> tuple[list[Choice], int, float]:
    """The candidate of one width that loses least, its maxscale and what it loses; the greatest maxscale of equals."""
    tried: list[list[Choice]] = []
    for maxscale in range(prototype.bits)[::-1]:
        scales = assign_scales(search.assignment, prototype, maxscale)
        tried.append([Choice(prototype, scales.zoom(one)) for one in search.classes])
    losses = search.losses(tried)
    best = losses.index(min(losses))
    return tried[best], prototype.bits - 1 - best, losses[best]


@dataclass(frozen=True)
class Rules:
    """The auxiliary functions of algorithm 1, for numbers of `width` bits (B) and a `maxscale` (P in script)."""

    width: int
    maxscale: int

    def get_p(self, magnitude: float) -> int:
        """GETP, but one less for a power of two, which would overflow: as GetScale of Shiftry's algorithm 10."""
        return self.width - 1 - (math.frexp(magnitude)[1] if magnitude else 0)

    def mul_scale(self, lhs: int, rhs: int) -> int:
        """MULSCALE: the scale of a product."""
        shifts = self.width
        scale = lhs + rhs - 2 * (shifts // 2)
        if scale < self.maxscale:
            shifts = max(self.width - (self.maxscale - scale), 0)
            scale = lhs + rhs - 2 * (shifts // 2)
        return scale

    def add_scale(self, scale: int) -> int:
        """ADDSCALE: the scale of a sum of two numbers of one scale."""
        return scale - 1 if scale - 1 >= self.maxscale else scale

    def tree_sum_scale(self, scale: int, length: int) -> int:
        """TREESUMSCALE: the scale of a sum of so many products."""
        shifts = (max(length, 1) - 1).bit_length()
        if scale - shifts < self.maxscale:
            shifts = max(shifts - (self.maxscale - (scale - shifts)), 0)
        return scale - shifts


class Scales:
    """The scales of the classes of a program's tensors. profiled: those that their ranges ask for."""

    def __init__(self, assignment: FormatAssignment, prototype: NumberFormat, rules: Rules):
        self.assignment = assignment
        self.rules = rules
        rooms = {one: room_of(one, prototype) for one in assignment.classes}
        self.profiled = {one: rules.get_p(max(map(abs, room))) for one, room in rooms.items()}
        self.assigned: dict[TensorClass, int] = {}

    def zoom(self, one: TensorClass) -> int:
        """How much finer than its range asks for."""
        return self.assigned.get(one, self.profiled[one]) - self.profiled[one]

    def of(self, value: SSAValue) -> int:
        one = self.assignment.class_of[value]
        return self.assigned.get(one, self.profiled[one])

    def assign(self, value: SSAValue, scale: int) -> None:
        """The scale of a result; of tensors that share it, the first that is computed decides."""
        self.assigned.setdefault(self.assignment.class_of[value], scale)


def assign_scales(assignment: FormatAssignment, prototype: NumberFormat, maxscale: int) -> Scales:
    """The scales of a program with one maxscale, by the rules of figure 3.

    What figure 3 has no rule for has the scale that its profile asks for: what loops carry, which is known before it is
    computed, and tanh and sigmoid.
    """
    rules = Rules(prototype.bits, maxscale)
    scales = Scales(assignment, prototype, rules)
    for op in assignment.function.walk():
        if isinstance(op, scf.ForOp):
            for value in (value for value in op.results if value in assignment.class_of):
                scales.assign(value, scales.of(value))
        elif isinstance(op, tdsl.TensorOp) and op.out in assignment.class_of:
            scales.assign(op.out, _scale(op, scales))
    return scales


def _scale(op: tdsl.TensorOp, scales: Scales) -> int:
    rules, operands = scales.rules, [scales.of(value) for value in op.inputs]
    match op:
        case tdsl.AddOp() | tdsl.SubOp():
            return rules.add_scale(min(operands))
        case tdsl.MulOp():
            return rules.mul_scale(operands[0], operands[1])
        case tdsl.MatmulOp() | tdsl.SpmvOp():
            return rules.tree_sum_scale(rules.mul_scale(operands[0], operands[1]), tdsl.shape_of(op.lhs)[1])
        case tdsl.ExpOp():
            # Both tables have the scale that their greatest entry allows (rule C-Exp).
            greatest = math.exp(min(scales.assignment.class_of[op.input].range[1], float(rules.width)))
            return rules.mul_scale(rules.get_p(greatest), rules.get_p(1.0))
        case tdsl.NegOp() | tdsl.ReluOp() | tdsl.Relu6Op():
            return operands[0]
        case _:
            return scales.of(op.out)
