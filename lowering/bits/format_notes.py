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
    """A format of at most 16 bits in the syntax of types, if it is affine; None for published arithmetic."""
    format = _spelled(ctx, text)
    if format is None or format.AS_PUBLISHED or format.dtype.itemsize > 2 or (formula := _formula(format)) is None:
        return None
    unit, zero = formula
    # A real beyond the range of all 16-bit formats.
    ends = format.encode(np.array([-unit, unit]) * (1 << 17))
    if not np.array_equal(format.decode(ends), (ends.astype(np.float64) - zero) * unit):
        return None
    return Affine(unit, zero, int(ends[0]), int(ends[1]))


def describe_format(ctx: Context, text: str) -> str:
    """A description of a format, given in the syntax of types, with a formula if its reals are affine in the raws.

    Text that is not a type is returned unchanged.
    """
    format = _spelled(ctx, text)
    if format is None or (formula := _formula(format)) is None:
        return text
    unit, zero = formula
    mantissa, exponent = math.frexp(unit)
    spelled = f"2^{exponent - 1}" if mantissa == 0.5 else f"{unit:.17g}"
    raw = f"(raw {'-' if zero > 0 else '+'} {abs(zero)})" if zero else "raw"
    return f"{text}: real = {raw} * {spelled}"


def spelled_format(ctx: Context, text: str) -> NumberFormat | None:
    """The format that a text spells; None for any other text."""
    try:
        return number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return None


def _spelled(ctx: Context, text: str) -> NumberFormat | None:
    """The format of integer raws that a text spells."""
    format = spelled_format(ctx, text)
    return format if format is not None and format.dtype.kind == "i" else None


def _formula(format: NumberFormat) -> tuple[float, int] | None:
    """Unit and zero of a format whose reals are unit * (raw - zero), from the reals of the smallest raws."""
    raws = np.array([[-3, 0, 1, 2]], format.dtype)
    reals = format.decode(raws)
    # A format with several scales gives one row for each.
    if reals.shape != raws.shape or not 0 < (unit := float(reals[0, 2] - reals[0, 1])) < math.inf:
        return None
    zero = round(-reals[0, 1] / unit)
    return (unit, zero) if np.array_equal(reals, (raws - float(zero)) * unit) else None


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
