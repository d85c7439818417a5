"""Number formats in words, for the comments of generated code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tinyml.dialects import scratch
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.lazy_numpy import np


@dataclass(frozen=True)
class Affine:
    """A format whose reals are unit * (raw - zero), for raws from low to high."""

    unit: float
    zero: int
    low: int
    high: int

    @property
    def is_binary(self) -> bool:
        """True for fixed point: a unit that is a power of two, without a zero point."""
        return self.zero == 0 and math.frexp(self.unit)[0] == 0.5


def affine_format(ctx: Context, text: str) -> Affine | None:
    """A format of at most 16 bits in the syntax of types, if it is affine."""
    try:
        format = number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return None
    if format is None or format.dtype.kind != "i" or format.dtype.itemsize > 2:
        return None
    low, high = (int(format.encode(np.array(end)).ravel()[0]) for end in (-np.inf, np.inf))
    line = _line(format, [low, 0, 1, high]) if high > low else None
    return None if line is None else Affine(*line, low, high)


def _line(format: NumberFormat, raws: Sequence[int]) -> tuple[float, int] | None:
    """The unit and the zero of a format whose reals are unit * (raw - zero) for raws with 0 and 1 in the middle.

    None for other formats, and for one whose reals depend on the row.
    """
    reals = [format.decode(np.array([raw], format.dtype)) for raw in raws]
    if any(real.size != 1 for real in reals):
        return None
    reals = np.array([float(real.item()) for real in reals])
    unit = float(reals[2] - reals[1])
    if not 0 < unit < math.inf:
        return None
    zero = round(-reals[1] / unit)
    return (unit, zero) if np.array_equal(reals, (np.array(raws) - float(zero)) * unit) else None


def describe_format(ctx: Context, text: str) -> str:
    """A description of a format, given in the syntax of types, with a formula if its reals are affine in the raws.

    Text that is no type is returned unchanged.
    """
    try:
        format = number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return text
    if format is None or format.dtype.kind != "i":
        return text
    if (line := _line(format, [-3, 0, 1, 2])) is None:
        return text
    unit, zero = line
    mantissa, exponent = math.frexp(unit)
    spelled = f"2^{exponent - 1}" if mantissa == 0.5 else f"{unit:.17g}"
    raw = f"(raw {'-' if zero > 0 else '+'} {abs(zero)})" if zero else "raw"
    return f"{text}: real = {raw} * {spelled}"


def note_formats(function: func.FuncOp) -> None:
    """Record the formats of arrays for comments in the generated code."""

    def note(type: Attribute) -> dict[str, Attribute]:
        format = number_format(getattr(type, "element_type", None))
        return {} if format is None else {scratch.FORMAT: StringAttr(str(format.type))}

    def noted(types: Sequence[Attribute], given: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
        before = given.data if given is not None else [DictionaryAttr({})] * len(types)
        return ArrayAttr([DictionaryAttr({**old.data, **note(type)}) for type, old in zip(types, before, strict=True)])

    function.arg_attrs = noted(function.function_type.inputs.data, function.arg_attrs)
    function.res_attrs = noted(function.function_type.outputs.data, function.res_attrs)
    for op in function.walk():
        if isinstance(op, scratch.ConstantOp | scratch.ViewOp):
            op.attributes |= note(op.result.type)
