"""Macros of the C header for the units of sensors (`--input-unit`)."""

from __future__ import annotations

from tinyml.dialects import c
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.lowering.c.header_texts import SCALES
from tinyml.targets.c.text import spell_float


def unit_macros(name: str, text: str, elements: int) -> c.InlineOp:
    """The macro NAME_INPUT_UNIT, a string that names the unit of the input's integers. If all elements have one scale,
    the macros NAME_INPUT_SCALE and NAME_INPUT_ZERO follow.

    text: the unit or the units in the syntax of `--input-unit`.
    elements: the number of elements of the input.
    """
    macro, unit = f"{name}_INPUT", InputUnit.parse(text, elements)
    written = f'#define {macro}_UNIT "{unit.text}" /* the integers that the input takes */\n'
    if unit.is_uniform:
        first, *_ = unit.units
        scale, zero = first.scale, -first.offset / first.scale
        written += SCALES.format(macro=macro, part="", scale=spell_float(scale), zero=spell_float(zero))
    return c.InlineOp(f"{macro}_UNIT", written)
