"""The formats of a program's tensors, derived from a choice for each class of tensors and from the profile."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.retype import compute_formats
from tinyml.transforms.formats.assignment.steps import (
    ACCUMULATOR_BITS,
    SPARE_BITS,
    AccumulatorWidths,
    AssignmentSteps,
    range_of,
)
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass, tensor_classes
from tinyml.transforms.formats.constants.input_moments import InputMoments
from tinyml.transforms.ir.attributes import argument_attribute

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals


class FormatAssignment:
    """Formats for the classes of one profiled function on reals, for any number of choices; the IR is not changed.

    If a part of the function already has formats, `classes` only holds the tensors of the other part.

    An argument with `tdsl.input_format` is stored in that format. Its class is computed in it, too, unless the chosen
    format is of another family or narrower in memory: then casts are between the two.

    inputs: reals of shape (samples, elements) on which constants are rounded and fitted; without inputs all numbers of
    a constant have equal weight. Raises `InputError` for a tensor without a profile.
    """

    def __init__(self, function: func.FuncOp, inputs: Reals | None = None):
        self.function = function
        self.inputs = inputs
        self._fitted: dict[object, NumberFormat] = {}
        self.classes = tensor_classes(function)
        self.class_of = {value: tensors for tensors in self.classes for value in tensors.members}
        contractions = [op for op in function.walk() if isinstance(op, tdsl.ContractionOp) and tdsl.is_real(op.out)]
        self.accumulators = AccumulatorWidths(contractions)
        ops = [op for op in function.walk() if isinstance(op, tdsl.TensorOp) and op.out in self.class_of]
        self._bounding = [op for op in ops if op.addends or op.pairs]
        self.given = self._given()
        self._assigned: dict[tuple[FormatChoice, ...], list[NumberFormat]] = {}

    @cached_property
    def moments(self) -> InputMoments | None:
        """The moments by which constants are rounded, from an evaluation of all inputs; None without inputs."""
        return None if self.inputs is None else InputMoments(self.function, self.inputs)

    def formats(self, choices: Sequence[FormatChoice]) -> Sequence[NumberFormat]:
        """The formats of the classes, in order, for one choice per class.

        If a sum of products narrowly exceeds 32 bits, its operands are narrowed by fewer than `SPARE_BITS` bits each
        until it is proven to fit. Raises `InputError` if no format suits the initial value of a sum.
        """
        key = tuple(choices)
        if key not in self._assigned:
            chosen = dict(zip(self.classes, choices, strict=True))
            formats = {
                tensors: self.fitted(tensors, choice.format_for(*range_of(tensors, choice.prototype)))
                for tensors, choice in chosen.items()
            }
            for tensors, given in self.given.items():
                if _holds(formats[tensors], given):
                    formats[tensors] = given.computed if isinstance(given, ExactNumbers) else given
                    del chosen[tensors]
            steps = AssignmentSteps(self._bounding, self.class_of, self.accumulators, chosen, formats)
            self._assigned[key] = [steps.formats[tensors] for tensors in self.classes]
        return self._assigned[key]

    def formats_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        """The formats in which tensors are stored, given those of the classes in order."""
        pairs = zip(self.classes, formats, strict=True)
        return {value: self.given.get(tensors, format) for tensors, format in pairs for value in tensors.members}

    def compute_formats_of_values(self, formats: Sequence[NumberFormat]) -> dict[SSAValue, NumberFormat]:
        """The compute formats of tensors stored in a foreign family (`compute_formats`), or in a given format."""
        stored = dict(zip(self.classes, formats, strict=True))
        computed = compute_formats(stored)
        for op in self.accumulators.contractions if computed else ():
            factors = {self.class_of[value] for pair in op.pairs for value in pair} & computed.keys()
            for bits in range(SPARE_BITS):
                narrowed = {**computed, **{tensors: computed[tensors].narrowed(bits) for tensors in factors}}
                tried = {**stored, **narrowed}
                width = self.accumulators.bits(op, lambda value, tried=tried: tried[self.class_of[value]])
                if width is not None and width <= ACCUMULATOR_BITS:
                    computed = narrowed
                    break
        cast = {tensors: stored[tensors] for tensors, given in self.given.items() if stored[tensors] != given}
        return {value: format for tensors, format in {**cast, **computed}.items() for value in tensors.members}

    def _given(self) -> dict[TensorClass, NumberFormat]:
        """The format of the class of the argument, if it is given."""
        format = argument_attribute(self.function, tdsl.INPUT_FORMAT)
        given = None if format is None else number_format(format)
        if given is None:
            return {}
        return {self.class_of[argument]: given for argument in self.function.args if argument in self.class_of}

    def fitted(self, tensors: TensorClass, format: NumberFormat) -> NumberFormat:
        """The format of a class; for a constant, fitted to its numbers."""
        if not tensors.is_constant:
            return format
        key = tensors, format.type
        if key not in self._fitted:
            roots = list(dict.fromkeys(root for value in tensors.members if (root := tdsl.constant_root(value))))
            reals = [tdsl.format_of(root.result).decode(root.raws) for root in roots]
            [constant] = reals if len(reals) == 1 else [np.concatenate([part.ravel() for part in reals])]
            weighed = format.WEIGHS_NUMBERS and len(roots) == 1 and self.moments is not None
            importance = self.moments.mean_squares(roots[0]) if weighed and self.moments else None
            self._fitted[key] = format.fitted_to(constant, importance, rows=_has_rows(tensors))
        return self._fitted[key]


def _holds(format: NumberFormat, given: NumberFormat) -> bool:
    """True if a program that asks for a format may compute in the given one."""
    return format.FAMILY == given.FAMILY and not format.AS_PUBLISHED and format.dtype.itemsize >= given.dtype.itemsize


def _has_rows(tensors: TensorClass) -> bool:
    """True for a class of a single matrix or filter that is only used to multiply vectors by its rows."""
    [first, *others] = tensors.members
    users = [use.operation for use in first.uses]
    pairs = [pair for user in users if isinstance(user, tdsl.ContractionOp) for pair in user.pairs]
    return (
        not others
        and len(tdsl.shape_of(first)) >= 2
        and all(isinstance(user, tdsl.ContractionOp) and user.initial is not first for user in users)
        and all(rhs is not first for _, rhs in pairs)
        and bool(users)
    )
