"""Descriptions of number formats, for the comments of generated code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tinyml.dialects import scratch
from tinyml.dialects.formats.number_format import NumberFormat, Raws, number_format
from tinyml.dialects.lazy_numpy import np


@dataclass(frozen=True)
class Affine:
    """A format whose reals are unit * (raw - zero), for raws from low to high."""

    unit: float
    zero: int
    low: int
    high: int


def affine_format(ctx: Context, text: str) -> Affine | None:
    """The affine format of at most 16 bits that a type spells; None for other formats and for published arithmetic."""
    format = _spelled(ctx, text)
    if format is None or format.AS_PUBLISHED or format.dtype.itemsize > 2 or (formula := _formula(format)) is None:
        return None
    unit, zero = formula
    # A real beyond the range of all 16-bit formats.
    ends = format.encode(np.array([-unit, unit]) * (1 << 17))
    return Affine(unit, zero, int(ends[0]), int(ends[1]))


def describe_format(ctx: Context, text: str, otherwise: str = "") -> str:
    """Describe a format, given in the syntax of types, with a formula if its reals are affine in the raws.

    otherwise: the end of the description of a format of integer raws without a formula. Floats, and text that is not a
    type, are returned unchanged.
    """
    if (format := _spelled(ctx, text)) is None:
        return text
    if (formula := _formula(format)) is None:
        return text + otherwise
    unit, zero = formula
    mantissa, exponent = math.frexp(unit)
    spelled = f"2^{exponent - 1}" if mantissa == 0.5 else f"{unit:.17g}"
    raw = f"(raw {'-' if zero > 0 else '+'} {abs(zero)})" if zero else "raw"
    return f"{text}: real = {raw} * {spelled}"


def spelled_format(ctx: Context, text: str) -> NumberFormat | None:
    """The format that a text spells; None if it spells none."""
    try:
        return number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return None


def _spelled(ctx: Context, text: str) -> NumberFormat | None:
    """The format of integer raws that a text spells."""
    format = spelled_format(ctx, text)
    return format if format is not None and format.dtype.kind == "i" else None


def outermost_raws(format: NumberFormat) -> tuple[int, int] | None:
    """The least and the greatest raw of a format; None if its storage holds none beyond them, and for floats."""
    if format.dtype.kind != "i" or format.AS_PUBLISHED:
        return None
    info = np.iinfo(format.dtype)
    low, high = sorted(int(end) for end in format.ends())
    if info.bits == 8:
        # Raws need not be in the order of their reals: the bytes of a camera wrap around.
        raws = _raws(format)
        with np.errstate(all="ignore"):
            numbers = raws[format.encode(np.nan_to_num(format.decode(raws))) == raws]
        low, high = int(numbers.min()), int(numbers.max())
    return None if (low, high) == (info.min, info.max) else (low, high)


def guarded_raws(format: NumberFormat) -> tuple[int, int] | None:
    """`outermost_raws` of an 8-bit format without a formula, whose raws are indices into tables; None for any other."""
    return outermost_raws(format) if format.dtype.itemsize == 1 and _formula(format) is None else None


@lru_cache(maxsize=256)
def _formula(format: NumberFormat) -> tuple[float, int] | None:
    """Unit and zero of a format whose reals are unit * (raw - zero); None if some raw has another real.

    The formula of the smallest raws is checked on all raws of up to 16 bits, or around each power of two of wider ones.
    """
    smallest = np.array([[0, 1]], format.dtype)
    reals = format.decode(smallest)
    # A format with several scales gives one row for each.
    if reals.shape != smallest.shape or not 0 < (unit := float(reals[0, 1] - reals[0, 0])) < math.inf:
        return None
    zero = round(-reals[0, 0] / unit)
    raws = _raws(format)
    with np.errstate(all="ignore"):
        reals = format.decode(raws)
        # Raws to which no real rounds, such as NaR, are not numbers.
        numbers = np.isfinite(reals) & (format.encode(np.nan_to_num(reals)) == raws)
        return (unit, zero) if ((raws.astype(np.float64) - zero) * unit == reals)[numbers].all() else None


def _raws(format: NumberFormat) -> Raws:
    """All raws of a format of at most 16 bits; the raws around each power of two of a wider format."""
    info = np.iinfo(format.dtype)
    if info.bits <= 16:
        return np.arange(info.min, info.max + 1).astype(format.dtype)
    powers = np.left_shift(1, np.arange(info.bits - 1), dtype=np.int64)
    around = (powers[:, None] + np.arange(-3, 4)).ravel()
    raws = np.concatenate([around, -around])
    return raws[(raws >= info.min) & (raws <= info.max)].astype(format.dtype)


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
