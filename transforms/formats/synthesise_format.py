"""`synthesise-format`: synthesises number formats for the constants of a model, each defined by a list of the numbers
that it represents (L0).

Lists come from two sources. `number_lists` minimises weighted errors, once for each of several powers to which the
weights are raised. A list format can also fit a list to each constant without these weights.

The data are divided into two halves if each has at least `MIN_HALF_SAMPLES` samples. Constants are rounded and refined
on one half, and the candidates are compared by the margins of the program on the other half. The halves are
contiguous, because samples may be ordered in time.

One power is chosen for all constants first, then other powers for single constants. The result is recorded on each
constant as `tdsl.numbers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named, listing_format
from tinyml.dialects.formats.number_format import NumberFormat, Reals
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.formats.assignment.format_assignment import range_of
from tinyml.transforms.formats.assignment.format_options import scaling_rule
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.constants.number_lists import EXTRA_BITS, POWERS, NumberLists, weighted_reals
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, evaluate_program

if TYPE_CHECKING:
    from tinyml.runtime.model.data import Data

MIN_SAVED_LOSS = 0.01
"""The minimum share of the loss that another list for one constant must save."""

MIN_HALF_SAMPLES = 16
"""Data of fewer samples in each half are not divided."""


@dataclass(frozen=True)
class SynthesiseFormatPass(ModulePass):
    """Synthesise a list of numbers for each large constant of a profiled program on reals. Apart from these lists,
    the program is unchanged.

    data: .npz file with inputs `x`.
    bits: the bits of a code.
    integer_bits: the maximum bits of the integers that codes represent, including the sign; `bits` + 6 by default.
        They determine the width of products and sums, and so the cost of decoding.
    shared: whether all constants have one list, each with a separate power of two.
    format, width, functions, scale_by: the options of `assign-format`, for all other tensors.

    Raises `InputError` for a width without a list format, for `integer_bits` below `bits` or above 16, and in
    the same cases as `assign-format`.
    """

    name = "synthesise-format"
    data: str
    bits: int = 4
    integer_bits: int | None = None
    shared: bool = False
    format: str = USUAL_FORMAT
    width: int | None = None
    functions: str | None = None
    scale_by: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = format_named(ctx, self.format, self.width)
        integer_bits = self.bits + EXTRA_BITS if self.integer_bits is None else self.integer_bits
        if not self.bits <= integer_bits <= 16:
            raise InputError(f"integers of a list of {self.bits} bits have from {self.bits} to 16, got {integer_bits}")
        lists = NumberLists(listing_format(main, self.bits), integer_bits)
        synthesis = _Synthesis(op, load_program_data(op, self.data), lists, main, self)
        for constant, format in synthesis.made().items():
            constant.attributes[tdsl.NUMBERS] = format.type


class _Synthesis:
    """The search for the number lists of a program's constants.

    lists: the search for the list of one constant.
    main: the format of all tensors without a list.
    """

    def __init__(
        self, module: ModuleOp, data: Data, lists: NumberLists, main: NumberFormat, options: SynthesiseFormatPass
    ):
        self.module, self.lists, self.main, self.options = module, lists, main, options
        rule = scaling_rule(main, options.format, options.scale_by)
        self.whole = CandidateEvaluator(module, data, options.functions, rule)
        assignment = self.whole.candidates.assignment
        least = lists.prototype.CONSTANTS_FROM or 0
        self.constants = {
            index: tensors.roots[0]
            for index, tensors in enumerate(assignment.classes)
            if tensors.is_constant and tensors.elements >= least and len(tensors.roots) == 1
        }
        half = len(data) // 2
        parts = [slice(None, half), slice(half, None)] if half >= MIN_HALF_SAMPLES else [slice(None)]
        self.parts = [CandidateEvaluator(module, data.part(part), options.functions, rule) for part in parts]

    def made(self) -> dict[tdsl.ConstOp, NumberFormat]:
        """For each constant, the list with which the program has the least loss. Empty if no candidate has a program.

        All lists use the same power of the weights. Without `shared`, a single constant may have a different power if
        this saves the share `MIN_SAVED_LOSS` of the loss.
        """
        if not self.constants:
            return {}
        tried = [self._lists(power) for power in self._powers]
        losses = [self._loss(lists) for lists in tried]
        if math.isinf(least := min(losses)):
            return {}
        best = tried[losses.index(least)]
        for index in self.constants if not self.options.shared else ():
            changed = [{**best, index: lists[index]} for lists in tried if lists[index] != best[index]]
            losses = [self._loss(lists) for lists in changed]
            if min(losses, default=math.inf) < (1 - MIN_SAVED_LOSS) * least:
                least = min(losses)
                best = changed[losses.index(least)]
        return {self.constants[index]: format for index, format in best.items()}

    @property
    def _powers(self) -> Sequence[float | None]:
        own = not self.options.shared and self.options.integer_bits is None
        return [None, *POWERS] if own else POWERS

    def _lists(self, power: float | None) -> dict[int, NumberFormat]:
        assignment, prototype = self.whole.candidates.assignment, self.lists.prototype
        if power is None:
            classes = {index: assignment.classes[index] for index in self.constants}
            return {
                index: assignment.fitted(
                    tensors, FormatChoice(prototype), prototype.for_range(*range_of(tensors, prototype))
                )
                for index, tensors in classes.items()
            }
        weighted = [(reals, weights**power) for reals, weights in self._weighted]
        if self.options.shared:
            formats = self.lists.made_for_all(weighted)
        else:
            formats = [self.lists.made_for(*each) for each in weighted]
        return dict(zip(self.constants, formats, strict=True))

    @cached_property
    def _weighted(self) -> list[tuple[Reals, Reals]]:
        return [weighted_reals(self.whole, constant) for constant in self.constants.values()]

    def _loss(self, lists: Mapping[int, NumberFormat]) -> float:
        turned = [*self.parts[1:], self.parts[0]]
        return fmean(self._loss_on(lists, known, other) for known, other in zip(self.parts, turned, strict=True))

    def _loss_on(
        self, lists: Mapping[int, NumberFormat], known: CandidateEvaluator, other: CandidateEvaluator
    ) -> float:
        choices = [FormatChoice(self.main)] * len(known.candidates.assignment.classes)
        for index, format in lists.items():
            choices[index] = FormatChoice(format, is_made=True)
        formats = tuple(known.candidates.assignment.formats(choices))
        metric = "disagreement" if other.reference.scores is None else "margin"
        try:
            program = known.candidates.program(formats, refine_constants(known, formats))
        except InputError:
            return math.inf
        outcome = evaluate_program(program, other.reference, other.shared, metric, math.inf)
        return other.reference.loss(outcome, metric)
