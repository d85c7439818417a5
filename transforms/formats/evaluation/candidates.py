"""Candidates: programs at L1 with any formats for the tensors of one program, made quickly enough for searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.accumulate_sums import AccumulateSumsPass
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.retype import check_reals, retype
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants
from tinyml.transforms.formats.fuse_distances import FuseDistancesPass

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals

Formats: TypeAlias = tuple[NumberFormat, ...]
"""A format for each class of tensors, in the order of `tensor_classes`."""

LEAVE_OUT_ROUNDINGS = (FuseDistancesPass(), AccumulateSumsPass())
"""The passes after `choose-accumulators` that change bits, by omitting roundings. All later ones preserve bits."""


class Candidates:
    """The candidates of one program.

    module: profiled, on reals; not changed. inputs: reals of shape (samples, elements) on which weights are rounded.
    scheme: of exp, tanh and sigmoid, as in `assign-format{functions=...}`. Raises the errors of `assign-format`.
    """

    def __init__(self, module: ModuleOp, inputs: Reals | None, scheme: str | None):
        self.module = module
        self.scheme = scheme
        from tinyml.runtime.evaluator.evaluator import predict_function

        self.function = predict_function(module)
        check_reals(self.function)
        self.assignment = FormatAssignment(self.function, inputs)
        self.constants = RoundedConstants(self.assignment)

    def in_formats(
        self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None
    ) -> tuple[ModuleOp, dict[SSAValue, SSAValue]]:
        """The program with formats but otherwise unchanged ops, and the tensor that replaced each tensor on reals.

        refined: as in `RoundedConstants.raws`.
        """
        from tinyml.runtime.evaluator.evaluator import predict_function

        copies: dict[SSAValue, SSAValue] = {}
        copy = self.module.clone(copies)
        of_values = self.assignment.formats_of_values(formats)
        retyped = retype(
            predict_function(copy),
            {copies[value]: format for value, format in of_values.items()},
            {copies[value]: raws for value, raws in self.constants.raws(formats, refined).items()},
            {copies[value]: format for value, format in self.assignment.compute_formats_of_values(formats).items()},
            self.scheme,
        )
        ChooseAccumulatorsPass().apply(Context(), copy)
        return copy, {value: retyped[copies[value]] for value in of_values}

    def program(self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None) -> ModuleOp:
        """The program with the bits that it will have on a device. refined: as in `in_formats`.

        Raises `InputError` if a sum of products fits no accumulator.
        """
        module, _ = self.in_formats(formats, refined)
        return leave_out_roundings(module)


def leave_out_roundings(module: ModuleOp) -> ModuleOp:
    """Rewrite a program with accumulators, in place, to give the bits that it will have on a device."""
    for rewrite in LEAVE_OUT_ROUNDINGS:
        rewrite.apply(Context(), module)
    return module
