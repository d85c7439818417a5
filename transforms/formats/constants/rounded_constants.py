"""The constants of a program in any formats that its tensors may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.assignment.retype import retype
from tinyml.transforms.formats.constants.round_weights import round_weights

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Raws
    from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment


class RoundedConstants:
    """The raws of a program's constants in any formats, each computed once.

    All are rounded to nearest if the assignment has no inputs.
    """

    def __init__(self, assignment: FormatAssignment):
        self.assignment = assignment
        self.index = {tensors: i for i, tensors in enumerate(assignment.classes)}
        constants = [op for op in assignment.function.walk() if isinstance(op, tdsl.ConstOp)]
        self.constants = [op for op in constants if op.result in assignment.class_of]
        self.known: dict[object, Raws] = {}

    def raws(self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None) -> dict[SSAValue, Raws]:
        """The raws of the constants by tensor, for given formats of the classes.

        refined: raws that replace those of some constants, by the constants' indices in the program.
        """

        def format_of(value: SSAValue) -> NumberFormat:
            return formats[self.index[self.assignment.class_of[value]]]

        refined = refined or {}
        return {
            op.result: refined[index] if index in refined else self._raws(op, format_of)
            for index, op in enumerate(self.constants)
        }

    def _raws(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Raws:
        format = format_of(constant.result)
        moments = self.assignment.moments and self.assignment.moments.of(constant, format_of)
        key = constant, format.type, id(moments)
        if key not in self.known:
            reals = tdsl.format_of(constant.result).decode(constant.raws)
            self.known[key] = format.encode(reals) if moments is None else round_weights(reals, format, moments)
        return self.known[key]


def give_formats(
    constants: RoundedConstants,
    formats: Sequence[NumberFormat],
    refined: Mapping[int, Raws] | None,
    scheme: str | None,
) -> None:
    """Give a program formats. refined: as in `RoundedConstants.raws`. scheme: of functions."""
    assignment = constants.assignment
    retype(
        assignment.function,
        assignment.formats_of_values(formats),
        constants.raws(formats, refined),
        assignment.compute_formats_of_values(formats),
        scheme,
    )
