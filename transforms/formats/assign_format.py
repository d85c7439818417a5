"""`assign-format`: converts a program on reals (L0) to number formats (L1), with scales from the profiled ranges.

The leaf values of forests, called votes, have 8 bits if 8 bits change no answer on the data by more than its step, and
otherwise the width of other constants.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
    is_type,
    listing_format,
    synthesised_bits,
)
from tinyml.dialects.formats.number_format import BY_SCORES, NumberFormat
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.model.program_data import load_program_data
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.format_options import check_scheme, record_given, scaling_rule
from tinyml.transforms.formats.assignment.saturation import with_saturation
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass, check_reals
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants, give_formats
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, Formats

if TYPE_CHECKING:
    from tinyml.runtime.evaluator.shared_evaluator import SharedProgram

VOTE_BITS = 8
"""The width to which votes of forests are narrowed."""


def _with_narrow_votes(evaluator: CandidateEvaluator, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
    """Reduce the votes of each forest to `VOTE_BITS` bits if no answer on the data then changes by more than its step,
    and return the new choices. The votes of a forest are unchanged if they may change later (`limit`).
    """
    assignment, chosen = evaluator.candidates.assignment, list(choices)
    forests = [op for op in evaluator.candidates.module.walk() if isinstance(op, tdsl.ForestOp) and op.limit is None]
    classes = {assignment.class_of[op.votes] for op in forests if op.votes in assignment.class_of}
    for index, (tensors, choice) in enumerate(zip(assignment.classes, choices, strict=True)):
        is_open = tensors in classes and tensors.is_constant and not choice.is_given
        if not is_open or choice.prototype.bits <= VOTE_BITS:
            continue
        try:
            narrow = type(choice.prototype).of_width(VOTE_BITS)
        except InputError:
            continue
        narrowed = [*chosen[:index], replace(choice, prototype=narrow), *chosen[index + 1 :]]
        if _same_answers(evaluator, choices, narrowed):
            chosen = narrowed
    return chosen


def _same_answers(
    evaluator: CandidateEvaluator, choices: Sequence[FormatChoice], others: Sequence[FormatChoice]
) -> bool:
    """Whether programs of two choices return the same classes on the data or, without a class, numbers that differ by
    at most one step of the first program's format. True if only the second choice results in a program.
    """
    programs: list[SharedProgram] = []
    for each in (others, choices):
        try:
            module = evaluator.candidates.program(tuple(evaluator.candidates.assignment.formats(each)))
        except InputError:
            return bool(programs)
        programs.append(evaluator.shared.prepare(module))
    second, first = programs
    for chunk in range(len(evaluator.shared.chunks)):
        ours, theirs = first.outputs(chunk), second.outputs(chunk)
        if ours.labels is not None and theirs.labels is not None:
            if not np.array_equal(ours.labels, theirs.labels):
                return False
            continue
        numbers = second.decoded(theirs)
        for format, raws, reals in zip(first.output_formats, ours.tensors, numbers, strict=True):
            if (np.abs(format.encode(reals).astype(np.int64) - raws.astype(np.int64)) > 1).any():
                return False
    return True


def weights_beside(ctx: Context, weights: str, format: str) -> NumberFormat:
    """The format for constants (`--weights`) in a program whose main format is `format` (`--format`).

    A format of synthesised numbers is returned without its numbers. Raises `InputError` for an unknown format, and if
    no product of both formats is defined.
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


MIN_ELEMENTS = 2
"""Constants with fewer elements have the main format."""


@dataclass(frozen=True)
class AssignFormatPass(ModulePass):
    """Assign a number format to every tensor of a profiled f32 program. Tensors that already have formats are
    unchanged.

    format: a dialect that defines a number format, or a builtin type. If the format is only for constants of many
        elements, all other tensors have the default format. A type, such as `!posit.p<16, 2>`, is that of every tensor:
        neither ranges nor sums change it.
    width: bits of each element; the format's usual width by default.
    weights: another format for all constants of several elements, `FORMAT`, `FORMAT:BITS` or a type. A format that is
        only for constants of many elements is used only for such constants. With `synthesised:BITS`, only the constants
        for which `synthesise-format` recorded a format (`tdsl.numbers`) have a format other than `format`. Recorded
        formats are used regardless of this option.
    widths: other widths, formats or types for single tensors, `NAME:BITS`, `NAME:FORMAT:BITS` or `NAME:TYPE`, by their
        names in the source (the names of `tensor_classes`).
    zooms: `NAME:N` for tensors whose scale suits a range 2^N times narrower than the profiled one; values outside this
        range saturate. A negative N widens the range.
    functions: the scheme of exp, tanh and sigmoid, one of the format's `SCHEMES`; by default the most suitable method.
    scale_by: the rule for the scales of tensors that are not constant; by default the format's rule. `scores` chooses
        the scales that change the scores least (`ScoreErrors`) and requires data. `greatest` derives the scales from
        the greatest values.
    data: .npz file with inputs `x`. On these inputs the weights of products are rounded so that the sums have small
        errors (`round_weights`). If all tensors of the program are f32, the weights are then refined so that the
        margins between the best scores have small errors (`refine_constants`). Without data, weights are rounded to
        nearest. With data and without `weights` and `widths`, votes of forests have 8 bits where 8 bits change no
        class on the data, and no number by more than a step. With data and without `zooms`, ranges of tensors whose
        numbers have unlike sizes are narrowed where fewer answers then change (`with_saturation`). With data,
        thresholds of forests are rounded so that most inputs reach the same child as on reals; without data, they are
        rounded down.

    Raises `InputError` for an unknown format, width, tensor or scheme, for formats without common products, and for
    missing data or data that do not match the program. It is also raised for a program that has no profile or no tensor
    of f32, for any op other than a cast between tensors of f32 and tensors with formats, and for `synthesised` weights
    in a program that has such casts.
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
            data = load_program_data(op, self.data)
        own = [spec.partition(":")[2] for spec in self.widths]
        record_given(ctx, op, [self.format, self.weights or "", *own])
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
        """The format of each class of tensors, in order, which the options and the ranges on the data determine.

        prototype: the main format.
        """
        assignment = evaluator.candidates.assignment
        choices = self.choices(ctx, assignment.classes, prototype)
        if self.weights is None and not self.widths:
            choices = _with_narrow_votes(evaluator, choices)
        if not self.zooms:
            choices = with_saturation(evaluator, choices)
        return tuple(assignment.formats(choices))

    def choices(self, ctx: Context, classes: Sequence[TensorClass], prototype: NumberFormat) -> list[FormatChoice]:
        """The format that the options request for each class of tensors, in order. Raises `InputError` as the pass
        does.

        prototype: the main format.
        """
        main = FormatChoice(prototype, is_given=is_type(self.format))
        weights = main
        # Constants without a list are too small for one.
        if self.weights is not None and not synthesised_bits(self.weights):
            weights = FormatChoice(weights_beside(ctx, self.weights, self.format), is_given=is_type(self.weights))
        if prototype.CONSTANTS_FROM is not None:
            main = FormatChoice(format_named(ctx, USUAL_FORMAT, None))
        least = weights.prototype.CONSTANTS_FROM or MIN_ELEMENTS

        def is_weight(tensors: TensorClass) -> bool:
            return tensors.is_constant and tensors.elements >= least and tensors.admits(weights.prototype)

        choices = {tensors.name: weights if is_weight(tensors) else main for tensors in classes}
        for tensors in classes:
            if (made := tensors.numbers) is not None:
                choices[tensors.name] = FormatChoice(made, is_made=True)
        for name, format in self._by_tensor(self.widths, "BITS", choices):
            usual = type(choices[name].prototype)
            prototype = usual.of_width(int(format)) if format.isdecimal() else format_spelled(ctx, format)
            choices[name] = FormatChoice(prototype, is_given=is_type(format))
        for name, zoom in self._by_tensor(self.zooms, "N", choices):
            if not re.fullmatch(r"-?\d{1,3}", zoom):
                raise InputError(f"expected {name}:N with an integer N, got '{name}:{zoom}'")
            choices[name] = replace(choices[name], zoom=int(zoom))
        return list(choices.values())

    @staticmethod
    def _by_tensor(specs: Sequence[str], what: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the tensor's name and the value of each option `NAME:VALUE`. Raises `InputError` for a
        malformed option or an unknown name.

        what: the name of the option.
        known: the names of tensors.
        """
        for spec in specs:
            name, _, value = spec.partition(":")
            if name not in known or not value:
                raise InputError(f"expected TENSOR:{what} with one of the tensors {', '.join(known)}, got '{spec}'")
            yield name, value
