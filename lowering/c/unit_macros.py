"""Macros of the C header for the units of sensors (`--input-unit`)."""

from __future__ import annotations

from tinyml.dialects import c
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.lowering.c.header_texts import scale_macros


def unit_macros(name: str, text: str, elements: int) -> list[c.DefineOp]:
    """The macro NAME_INPUT_UNIT, a string that names the unit of the input's integers. If all elements have one scale,
    the macros NAME_INPUT_SCALE and NAME_INPUT_ZERO follow.

    text: the unit or the units in the syntax of `--input-unit`.
    elements: the number of elements of the input.
    """
    macro, unit = f"{name}_INPUT", InputUnit.parse(text, elements)
    found = [c.DefineOp(f"{macro}_UNIT", unit.text, "the integers that the input takes")]
    if unit.is_uniform:
        first, *_ = unit.units
        # The sum turns -0.0 into 0.0.
        found += scale_macros(macro, first.scale, -first.offset / first.scale + 0.0)
    return found
