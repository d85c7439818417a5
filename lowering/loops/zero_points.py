"""Offsets leave sums of products (L2 to L3): W (x - z) is W x and what each row of a constant W adds up to, times -z.

Then the raws of x are multiplied as they are, by the kernels for integers, and sums start from the rest. TensorFlow
Lite folds the zero point of an input into the bias like that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.coding import INTEGER_CODING
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.machine.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws


@dataclass(frozen=True)
class Start:
    """The start of sums: constants of a format, as wide as the result of the product."""

    format: NumberFormat
    raws: Raws


def start_without_offsets(
    pairs: Sequence[tuple[SSAValue, SSAValue]], initial: SSAValue | None, accumulator: Accumulator
) -> Start | None:
    """The start of a product's sums with which its factors need no offset; None where they have none, or where there
    is no such start."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    [(lhs, rhs), *others] = pairs
    if others or not accumulator.INTEGER or (rest := _rest(lhs, rhs)) is None:
        return None
    if initial is None:
        format = accumulator.start_format(tdsl.format_of(lhs))
        raws = rest
    elif isinstance(constant := initial.owner, scratch.ConstantOp):
        format = accumulator.start_format(tdsl.format_of(initial))
        raws = format.recode(NumpyMachine(), constant.raws, tdsl.format_of(initial)).astype("i8") + rest
    else:
        return None
    try:
        format.verify_raws(raws)
    except VerifyException:
        return None
    return Start(format, raws.astype(format.dtype))


def _rest(lhs: SSAValue, rhs: SSAValue) -> NDArray[np.int64] | None:
    """The amounts that the offset of one factor adds to the sums, (rows, 1) or (1, columns), if the other factor is a
    constant of integers."""
    for constant, other, axis in ((lhs, rhs, 1), (rhs, lhs, 0)):
        (_, offset), coding = tdsl.format_of(other).without_offset(), tdsl.format_of(constant).coding
        if offset and coding == INTEGER_CODING and isinstance(weights := constant.owner, scratch.ConstantOp):
            return -offset * weights.raws.astype("i8").sum(axis, keepdims=True)
    return None
