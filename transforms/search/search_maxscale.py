"""`search-maxscale`: SeeDot's exhaustive search for scales (section 5.3), which derives all scales from one number.

Scales are propagated from constants and the input through the program by the rules of figure 3. These rules divide
wherever an operation might overflow. Overflows that are possible in theory rarely occur in practice. If the rules would
give a result a scale below the number `maxscale`, the result is therefore divided by less. The best maxscale is found
by evaluating all values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment, range_of
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Feasibility, Search
from tinyml.transforms.search.engine.search_options import metric_option, widths_option
from tinyml.transforms.search.engine.search_pass import LimitedPass, at_widths


def explore_maxscale(search: Search, prototype: NumberFormat) -> tuple[list[FormatChoice], int, float]:
    """Return the candidate with the least loss among all maxscales, its maxscale and its loss. Ties go to the
    largest maxscale.

    prototype: the format, which determines the width.
    """
    candidates: list[list[FormatChoice]] = []
    for maxscale in range(prototype.bits)[::-1]:
        scales = assign_scales(search.assignment, prototype, maxscale)
        candidates.append([replace(search.choice(prototype), zoom=scales.zoom(tensors)) for tensors in search.classes])
    losses = search.losses(candidates)
    best = losses.index(min(losses))
    return candidates[best], prototype.bits - 1 - best, losses[best]


@dataclass(frozen=True)
class Rules:
    """The auxiliary functions of algorithm 1, for numbers of `width` bits (B in the paper) and a `maxscale` (script
    P in the paper).
    """

    width: int
    maxscale: int

    def get_p(self, magnitude: float) -> int:
        """GETP: the scale for a magnitude. It is reduced by one for a power of two, which would otherwise overflow.

        It equals GetScale of Shiftry's algorithm 10.
        """
        return self.width - 1 - (math.frexp(magnitude)[1] if magnitude else 0)

    def mul_scale(self, lhs: int, rhs: int) -> int:
        """MULSCALE: the scale of a product of numbers with the scales `lhs` and `rhs`."""
        shifts = self.width
        scale = lhs + rhs - 2 * (shifts // 2)
        if scale < self.maxscale:
            shifts = max(self.width - (self.maxscale - scale), 0)
            scale = lhs + rhs - 2 * (shifts // 2)
        return scale

    def add_scale(self, scale: int) -> int:
        return scale - 1 if scale - 1 >= self.maxscale else scale

    def tree_sum_scale(self, scale: int, length: int) -> int:
        """TREESUMSCALE: the scale of a sum of `length` products that have the scale `scale`."""
        shifts = (max(length, 1) - 1).bit_length()
        if scale - shifts < self.maxscale:
            shifts = max(shifts - (self.maxscale - (scale - shifts)), 0)
        return scale - shifts


class Scales:
    """The scales of a program's classes of tensors.

    rules: the rules for one maxscale.
    profiled: the scales that suit the profiled ranges.
    """

    def __init__(self, assignment: FormatAssignment, prototype: NumberFormat, rules: Rules):
        self.assignment = assignment
        self.rules = rules
        ranges = {tensors: range_of(tensors, prototype) for tensors in assignment.classes}
        self.profiled = {tensors: rules.get_p(max(map(abs, bounds))) for tensors, bounds in ranges.items()}
        self.assigned: dict[TensorClass, int] = {}

    def zoom(self, tensors: TensorClass) -> int:
        return self.assigned.get(tensors, self.profiled[tensors]) - self.profiled[tensors]

    def of(self, value: SSAValue) -> int:
        """The scale that has been assigned to the class of a tensor."""
        tensors = self.assignment.class_of[value]
        return self.assigned.get(tensors, self.profiled[tensors])

    def assign(self, value: SSAValue, scale: int) -> None:
        """Set the scale of a result, unless a tensor of its class that is computed earlier has set the scale."""
        self.assigned.setdefault(self.assignment.class_of[value], scale)


def assign_scales(assignment: FormatAssignment, prototype: NumberFormat, maxscale: int) -> Scales:
    """The scales of a program for one maxscale, by the rules of figure 3.

    Tensors without a rule in figure 3 have the scale of their profile. They are iter_args of loops, which are read
    before they are computed, and the results of tanh and sigmoid.

    prototype: the format, which determines the width.
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
            # Both tables have the scale that their greatest entry permits (rule C-Exp).
            greatest = math.exp(min(scales.assignment.class_of[op.input].range[1], float(rules.width)))
            return rules.mul_scale(rules.get_p(greatest), rules.get_p(1.0))
        case tdsl.NegOp() | tdsl.ReluOp() | tdsl.Relu6Op():
            return operands[0]
        case _:
            return scales.of(op.out)


@dataclass(frozen=True)
class SearchMaxscalePass(LimitedPass):
    """Evaluate every maxscale from 0 to width - 1, and use the maxscale with the least loss. Ties go to the greatest
    maxscale.

    With the format `seedot`, both the scales and the arithmetic are SeeDot's, as published; with any other format, only
    the scales are SeeDot's. The default metric is accuracy, as in the paper.

    ram, flash: limits as in `LimitedPass`, which restrict the width; none by default.
    target: as for `select-kernels`.
    widths: the widths to evaluate, each for all tensors; by default the format's usual width.

    Raises `InputError` if no width is within the limits.
    """

    name = "search-maxscale"
    PAPER: ClassVar[str] = "SeeDot"
    metric: str = metric_option("accuracy")
    widths: tuple[int, ...] = widths_option()

    def search(self, search: Search) -> SearchResult:
        if search.is_given:
            raise InputError(f"search-maxscale chooses scales, and {search.prototype.type} has one: name a family")
        search.evaluation.begin("maxscale")
        offered = search.offered(self.widths)
        results = [explore_maxscale(search, prototype) for prototype in offered]
        feasibility = Feasibility(search, self.limits)
        least, *_ = min(results, key=lambda result: result[0][0].prototype.bits)

        def best() -> SearchResult:
            fitting = [result for result in results if not self.limits.on_cost or feasibility.fits(result[0])]
            if not fitting:
                raise feasibility.refusal([*(choices for choices, *_ in results), least], at_widths(offered))
            choices, maxscale, _ = min(fitting, key=lambda result: result[2])
            return SearchResult(choices, {tensors.name: f"maxscale {maxscale}" for tensors in search.classes})

        return feasibility.first_feasible(best, least)
