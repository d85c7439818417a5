"""`assign-format`: from reals (L0) to formats (L1); each tensor gets the scale that its profiled range requires.

Votes of forests get 8 bits, or the width of other constants where the data show that it takes more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import (
    USUAL_FORMAT,
    format_named,
    format_spelled,
    formats,
    listing_format,
    synthesised_bits,
)
from tinyml.dialects.formats.number_format import BY_SCORES, NumberFormat
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.tensor_classes import (
    FormatChoice,
    TensorClass,
    check_reals,
    check_scheme,
    scaling_rule,
)
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants, give_formats
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask, Formats

VOTE_BITS = 8
"""The width to which votes of forests are narrowed."""

REGRESSION_LOSS = 0.01
"""The mean squared error, in percent of the variance, that narrow votes may add to a regressor's."""


def _with_narrow_votes(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
    """The choices with votes narrowed, unless more answers then differ from those on reals."""
    assignment, chosen = evaluator.candidates.assignment, list(choices)
    forests = [op for op in evaluator.candidates.module.walk() if tdsl.is_forest(op)]
    classes = {assignment.class_of[op.votes] for op in forests if op.votes in assignment.class_of}
    for index, (tensors, choice) in enumerate(zip(assignment.classes, choices, strict=True)):
        if tensors not in classes or not tensors.is_constant or choice.prototype.bits <= VOTE_BITS:
            continue
        try:
            narrow = type(choice.prototype).of_width(VOTE_BITS)
        except InputError:
            continue
        narrowed = [*chosen[:index], replace(choice, prototype=narrow), *chosen[index + 1 :]]
        allowed = REGRESSION_LOSS if evaluator.reference.is_regressor else 0.0
        if _loss(evaluator, narrowed) <= _loss(evaluator, chosen) + allowed:
            chosen = narrowed
    return chosen


def _loss(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> float:
    """The percentage of answers that differ from those on reals."""
    formats = tuple(evaluator.candidates.assignment.formats(choices))
    outcome = evaluator.outcome(EvaluationTask(formats, "disagreement", math.inf))
    return evaluator.reference.loss(outcome, "disagreement")


def weights_beside(ctx: Context, weights: str, format: str) -> NumberFormat:
    """The format of weights beside another one, both as texts; for synthesised lists, a format without a list.

    Raises `InputError` for an unknown format, and if no product of both is defined.
    """
    main = format_named(ctx, format, None)
    found = listing_format(main, bits) if (bits := synthesised_bits(weights)) else format_spelled(ctx, weights)
    if found.FAMILY == main.FAMILY:
        return found
    beside, instead = (
        ", ".join(name for name, other in formats().items() if other.FAMILY == one.FAMILY) for one in (main, found)
    )
    raise InputError(
        f"--format {format} has no products with --weights {weights}: it takes weights in {beside}, "
        f"and --weights {weights} goes with --format {instead}"
    )


LEAST_ELEMENTS = 2
"""Constants with fewer elements have the main format."""


@dataclass(frozen=True)
class AssignFormatPass(ModulePass):
    """Assign a format to every tensor of a profiled f32 program; tensors with formats are unchanged.

    format: a dialect that defines a number format, or a builtin type. width: bits of each element; the format's usual
    width by default. weights: another format for all constants of several elements, `FORMAT` or `FORMAT:BITS`; if that
    format is only for constants, small constants and computed tensors have the main or else the usual format; with
    `synthesised:BITS`, all tensors have the main format except constants with a synthesised format (`tdsl.numbers`),
    which is always used. widths: other widths or formats for single tensors, `NAME:BITS` or `NAME:FORMAT:BITS`, by
    their names in the source (those of `tensor_classes`). zooms: `NAME:N` for tensors whose scale suits a range 2^N
    times narrower than the profiled one, outside of which values saturate; wider for a negative N. functions: the
    scheme of exp, tanh and sigmoid, one of the format's `SCHEMES`; by default the most suitable method. scale_by:
    `scores` to choose the scales of tensors that are not constant for the least change of the scores (`ScoreErrors`),
    which requires data; `greatest` to follow their greatest values; by default the format's rule. data: .npz file with
    inputs `x`, on which the weights of products are rounded so that their sums are right (`round_weights`), and then so
    that the margins between the best scores are (`refine_constants`), the latter only if the whole program is of f32;
    without it they are rounded to nearest. With data and without `weights` and `widths`, votes of forests have 8 bits
    where these suffice on the data. Raises `InputError` for an unknown format, width, tensor or scheme, for data that
    do not fit, for a program that has no profile or no tensor of f32, and for any op but a cast between tensors of f32
    and others.
    """

    name = "assign-format"
    format: str = USUAL_FORMAT
    width: int | None = None
    weights: str | None = None
    widths: tuple[str, ...] = ()
    zooms: tuple[str, ...] = ()
    functions: str | None = None
    scale_by: str | None = None
    data: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        prototype = format_named(ctx, self.format, self.width)
        check_scheme(prototype, self.format, self.functions)
        rule = scaling_rule(prototype, self.format, self.scale_by)
        if rule == BY_SCORES and self.data is None:
            raise InputError(f"choosing scales by {BY_SCORES} needs data: add data=FILE")
        mixed, data = tdsl.is_mixed(op), None
        if mixed and synthesised_bits(self.weights):
            raise InputError(
                "lists of numbers are synthesised only for programs on reals, and a part of this program has formats"
            )
        if self.data is not None:
            from tinyml.runtime.model.program_data import load_program_data

            data = load_program_data(op, self.data)
        if data is not None and not mixed:
            evaluator = CandidateEvaluator(op, data, self.functions, rule)
            formats = self.profiled_formats(ctx, evaluator, prototype)
            give_formats(
                evaluator.candidates.constants, formats, refine_constants(evaluator, tuple(formats)), self.functions
            )
            return
        for function in defined_functions(op):
            check_reals(function, mixed=mixed)
            assignment = FormatAssignment(function, None if data is None else data.x.astype("f8"))
            formats = assignment.formats(self.choices(ctx, assignment.classes, prototype))
            give_formats(RoundedConstants(assignment), formats, None, self.functions)

    def profiled_formats(self, ctx: Context, evaluator: CandidateEvaluator, prototype: NumberFormat) -> Formats:
        """The format of each class of tensors of a program with data. prototype: as for `choices`."""
        assignment = evaluator.candidates.assignment
        choices = self.choices(ctx, assignment.classes, prototype)
        if self.weights is None and not self.widths:
            choices = _with_narrow_votes(evaluator, choices)
        return tuple(assignment.formats(choices))

    def choices(self, ctx: Context, classes: Sequence[TensorClass], prototype: NumberFormat) -> list[FormatChoice]:
        """The choice for each class of tensors. prototype: the main format; raises `InputError` as the pass does."""
        weights = prototype if self.weights is None else weights_beside(ctx, self.weights, self.format)
        if synthesised_bits(self.weights):
            # Constants without a list are too small for one.
            weights = prototype
        if prototype.CONSTANTS_FROM is not None:
            prototype = format_named(ctx, USUAL_FORMAT, None)
        least = weights.CONSTANTS_FROM or LEAST_ELEMENTS
        choices = {
            tensors.name: FormatChoice(weights if tensors.is_constant and tensors.elements >= least else prototype)
            for tensors in classes
        }
        for tensors in classes:
            if (made := tensors.numbers) is not None:
                choices[tensors.name] = FormatChoice(made, is_made=True)
        for name, format in self._by_tensor(self.widths, "BITS", choices):
            usual = type(choices[name].prototype)
            choices[name] = FormatChoice(
                usual.of_width(int(format)) if format.isdecimal() else format_spelled(ctx, format)
            )
        for name, zoom in self._by_tensor(self.zooms, "N", choices):
            if not re.fullmatch(r"-?\d{1,3}", zoom):
                raise InputError(f"expected {name}:N with an integer N, got '{name}:{zoom}'")
            choices[name] = replace(choices[name], zoom=int(zoom))
        return list(choices.values())

    @staticmethod
    def _by_tensor(specs: Sequence[str], what: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
        """Split `NAME:VALUE`; raises `InputError` for another spelling or name."""
        for spec in specs:
            name, _, value = spec.partition(":")
            if name not in known or not value:
                raise InputError(f"expected TENSOR:{what} with one of the tensors {', '.join(known)}, got '{spec}'")
            yield name, value
