"""Conversions between reals and raws of inputs and outputs: optional functions of the header."""

from __future__ import annotations

from tinyml.dialects import c
from tinyml.lowering.bits.format_notes import Affine
from tinyml.targets.c.text import spell_float

_INPUT = """\
/* The raw of the input that is nearest to a real number, halves away from zero. */
static inline {type} {name}(float real)
{{
    const float raw = real / {unit};
    if (!(raw > {least}))
        return {low};
    if (raw >= {most})
        return {high};
    return ({type})((int32_t)(raw < 0.0f ? raw - 0.5f : raw + 0.5f){plus});
}}
"""

_OUTPUT = """\
/* The real number that an element of {what} stands for. */
static inline float {name}({type} raw)
{{
    return {unit} * (float)((int32_t)raw{minus});
}}
"""


def input_conversion(name: str, type: str, format: Affine) -> c.InlineOp:
    """The function `NAME_raw`. type: the C type of the input's elements."""
    ends = (spell_float(float(end - format.zero)) for end in (format.low, format.high))
    least, most = ends
    text = _INPUT.format(
        name=f"{name}_raw",
        type=type,
        unit=spell_float(format.unit),
        least=least,
        most=most,
        low=format.low,
        high=format.high,
        plus=_added(format.zero),
    )
    return c.InlineOp(f"{name}_raw", text)


def output_conversion(name: str, what: str, type: str, format: Affine) -> c.InlineOp:
    """A function from raws of an output to reals. what: the output's name in the comment."""
    text = _OUTPUT.format(name=name, what=what, type=type, unit=spell_float(format.unit), minus=_added(-format.zero))
    return c.InlineOp(name, text)


def _added(number: int) -> str:
    return f" {'-' if number < 0 else '+'} {abs(number)}" if number else ""
