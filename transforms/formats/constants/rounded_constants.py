"""What a program's constants are in formats that its tensors might have."""

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
    """The raws of a program's constants in any formats, each worked out once.

    All are rounded to nearest where the assignment has no inputs.
    """

    def __init__(self, assignment: FormatAssignment):
        self.assignment = assignment
        self.place = {one: i for i, one in enumerate(assignment.classes)}
        self.constants = [op for op in assignment.function.walk() if isinstance(op, tdsl.ConstOp)]
        self.moments = assignment.moments
        self.known: dict[object, Raws] = {}

    def raws(self, formats: Sequence[NumberFormat], refined: Mapping[int, Raws] | None = None) -> dict[SSAValue, Raws]:
        """What the constants are where the classes have these formats.

        refined: the raws of some, by their places in the program, in place of those that are worked out.
        """

        def format_of(value: SSAValue) -> NumberFormat:
            return formats[self.place[self.assignment.class_of[value]]]

        refined = refined or {}
        return {
            op.result: refined[place] if place in refined else self._raws(op, format_of)
            for place, op in enumerate(self.constants)
        }

    def _raws(self, constant: tdsl.ConstOp, format_of: Callable[[SSAValue], NumberFormat]) -> Raws:
        format = format_of(constant.result)
        moments = None if self.moments is None else self.moments.of(constant, format_of)
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
    """Give the program of some constants formats. refined: as for `RoundedConstants.raws`; scheme: of functions."""
    assignment = constants.assignment
    retype(
        assignment.function,
        assignment.formats_of_values(formats),
        constants.raws(formats, refined),
        assignment.compute_formats_of_values(formats),
        scheme,
    )
