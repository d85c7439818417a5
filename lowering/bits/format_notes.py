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
from tinyml.dialects.formats.number_format import number_format
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
    raws = np.array([low, 0, 1, high], format.dtype)
    rows = format.decode(raws[None])
    reals = rows[0]
    if len(rows) > 1 or not high > low:
        return None
    unit = float(reals[2] - reals[1])
    if not 0 < unit < math.inf:
        return None
    zero = round(-reals[1] / unit)
    return Affine(unit, zero, low, high) if np.array_equal(reals, (raws - float(zero)) * unit) else None


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
    raws = np.array([-3, 0, 1, 2], format.dtype)
    rows = format.decode(raws[None])
    reals = rows[0]
    if len(rows) > 1 or not 0 < (unit := float(reals[2] - reals[1])) < math.inf:
        return text
    zero = round(-reals[1] / unit)
    if not np.array_equal(reals, (raws - float(zero)) * unit):
        return text
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
