"""Descriptions of number formats, for the comments of generated code."""

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
from tinyml.dialects.formats.affine import affine_formula, checked_raws
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.lazy_numpy import np


@dataclass(frozen=True)
class Affine:
    """A format in which a raw represents the real unit * (raw - zero), for raws from low to high."""

    unit: float
    zero: int
    low: int
    high: int


def affine_format(ctx: Context, text: str) -> Affine | None:
    """The affine format that `text`, the text of a type, denotes; None for a format that is not affine, is wider than
    16 bits, or has the flag `AS_PUBLISHED`.
    """
    format = _spelled(ctx, text)
    if (
        format is None
        or format.AS_PUBLISHED
        or format.dtype.itemsize > 2
        or (formula := affine_formula(format)) is None
    ):
        return None
    unit, zero = formula
    # A real outside the range of all 16-bit formats.
    ends = format.encode(np.array([-unit, unit]) * (1 << 17))
    return Affine(unit, zero, int(ends[0]), int(ends[1]))


def describe_format(ctx: Context, text: str, otherwise: str = "") -> str:
    """A description of the format whose type has the text `text`, with a formula if the format maps raws to reals by an
    affine function. A text that denotes a float format, or no format, is returned unchanged.

    otherwise: text appended to the description of an integer format without a formula.
    """
    if (format := _spelled(ctx, text)) is None:
        return text
    if (formula := affine_formula(format)) is None:
        return text + otherwise
    unit, zero = formula
    mantissa, exponent = math.frexp(unit)
    spelled = f"2^{exponent - 1}" if mantissa == 0.5 else f"{unit:.17g}"
    raw = f"(raw {'-' if zero > 0 else '+'} {abs(zero)})" if zero else "raw"
    return f"{text}: real = {raw} * {spelled}"


def spelled_format(ctx: Context, text: str) -> NumberFormat | None:
    """Parse a number format from the text of its type. Returns None if the text is not the type of a number format."""
    try:
        return number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return None


def _spelled(ctx: Context, text: str) -> NumberFormat | None:
    format = spelled_format(ctx, text)
    return format if format is not None and format.dtype.kind == "i" else None


def outermost_raws(format: NumberFormat) -> tuple[int, int] | None:
    """The least and the greatest raw of a format.

    Returns None for floats, for formats with `AS_PUBLISHED`, and for formats in which every value of the storage type
    is a raw.
    """
    if format.dtype.kind != "i" or format.AS_PUBLISHED:
        return None
    info = np.iinfo(format.dtype)
    low, high = sorted(int(end) for end in format.ends())
    if info.bits == 8:
        # Raws need not be in the order of their reals: the bytes of a camera wrap around.
        raws = checked_raws(format)
        with np.errstate(all="ignore"):
            # A NaN in a format is one of its raws.
            numbers = raws[format.encode(np.nan_to_num(format.decode(raws), nan=np.nan)) == raws]
        low, high = int(numbers.min()), int(numbers.max())
    return None if (low, high) == (info.min, info.max) else (low, high)


def guarded_raws(format: NumberFormat) -> tuple[int, int] | None:
    """The least and the greatest raw of an 8-bit format without an affine formula, whose raws index tables; None for
    any other format, and if every 8-bit integer is a raw.
    """
    return outermost_raws(format) if format.dtype.itemsize == 1 and affine_formula(format) is None else None


def note_formats(function: func.FuncOp) -> None:
    """Record the formats of a function's arrays in attributes that become comments in the generated code."""

    def note(type: Attribute) -> dict[str, Attribute]:
        format = number_format(getattr(type, "element_type", None))
        return {} if format is None else {scratch.FORMAT: StringAttr(str(format.type))}

    def noted(types: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
        before = attributes.data if attributes is not None else [DictionaryAttr({})] * len(types)
        return ArrayAttr([DictionaryAttr({**old.data, **note(type)}) for type, old in zip(types, before, strict=True)])

    function.arg_attrs = noted(function.function_type.inputs.data, function.arg_attrs)
    function.res_attrs = noted(function.function_type.outputs.data, function.res_attrs)
    for op in function.walk():
        if isinstance(op, scratch.ConstantOp | scratch.ViewOp):
            op.attributes |= note(op.result.type)
