"""The unit of a program's input: the sensor's integers that the caller supplies in place of reals.

`tdsl.input_unit` of the argument is the text of the option `--input-unit`, and `tdsl.input_format` the type of the
raws, which `assign-format` gives to the argument. Features have the scales and zeros of `FeatureMap`, unless the type
says it all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ShapedType, StringAttr
from xdsl.ir import Attribute, Operation

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import Holder, OwnAttribute, Value
from tinyml.dialects.tdsl.attributes import of_input
from tinyml.dialects.tdsl.feature_map import FeatureMap
from tinyml.dialects.tdsl.sensor_units import SensorUnit, sensor_unit

__all__ = ["INPUT_FORMAT", "INPUT_UNIT", "InputUnit"]


@dataclass(frozen=True)
class InputUnit:
    """The units of the elements of an input, repeated over its whole length. text: as the option spells it."""

    text: str
    units: Sequence[SensorUnit]

    @staticmethod
    def parse(text: str, elements: int | None) -> InputUnit:
        """The unit that a text spells for an input of some elements: `[COUNTx]UNIT`, or a list of these with commas.

        elements: None where they are not known yet.

        Raises `InputError` for an unknown unit, and for a list that does not repeat to the number of elements.
        """
        units: list[SensorUnit] = []
        for part in text.split(","):
            counted = re.fullmatch(r"(?:(\d{1,5})x)?(.+)", part.strip())
            if counted is None:
                raise InputError(f"expected a unit between the commas of '{text}'")
            units += [sensor_unit(counted[2])] * int(counted[1] or 1)
        if not units or (elements is not None and elements % len(units)):
            raise InputError(
                f"the units '{text}' are for {len(units)} elements, and do not repeat to the {elements} of the input"
            )
        return InputUnit(text, units)

    @property
    def is_uniform(self) -> bool:
        """True if all elements have the same unit."""
        return all(unit == self.units[0] for unit in self.units)

    @property
    def format(self) -> ExactNumbers:
        """The format of the raws, whose numbers lie between -1 and 1.

        If the unit is the same for all elements, without an offset, and its scale is a power of two, the numbers of the
        format are the reals themselves, unless the raws are bytes.
        """
        is_signed = any(unit.is_signed for unit in self.units)
        bits = max(unit.bits + (is_signed and not unit.is_signed) for unit in self.units)
        mantissa, exponent = math.frexp(self.units[0].scale)
        is_power = mantissa == 0.5 and not self.units[0].offset and self.is_uniform and 1 - exponent in FRACS
        return ExactNumbers.OF_SENSOR(bits, is_signed, 1 - exponent if is_power else None)

    def features(self, elements: int) -> FeatureMap | None:
        """The scales and zeros of the features; None if the numbers of the format are the features."""
        format = self.format
        finer, first = math.ldexp(1.0, format.scale), float(format.decode(np.zeros(1, format.dtype))[0])
        scales = np.array([unit.scale * finer for unit in self.units])
        zeros = np.array([unit.offset for unit in self.units]) - scales * first
        singles = (np.resize(part.astype(np.float32).astype(np.float64), elements) for part in (scales, zeros))
        map = FeatureMap(*singles)
        return None if (map.scales == 1).all() and not map.zeros.any() else map


def _is_unit(attribute: Attribute, holder: Holder | None) -> bool:
    """True for the text of a unit that repeats to the elements of an input; raises `InputError` for another text."""
    if not isinstance(attribute, StringAttr):
        return False
    value = holder.results[0] if isinstance(holder, Operation) else holder
    if value is not None and isinstance(value.type, ShapedType) and value.type.has_static_shape():
        InputUnit.parse(attribute.data, prod(value.type.get_shape()))
    return True


INPUT_UNIT = OwnAttribute(
    "tdsl.input_unit",
    of_input(Value("the text of a unit, for all elements", _is_unit)),
    "The unit of the sensor's integers that the caller supplies, as the option `--input-unit` spells it.",
)

INPUT_FORMAT = OwnAttribute(
    "tdsl.input_format",
    of_input(Value("a number format", lambda attribute, _: number_format(attribute) is not None)),
    "The number format of an argument on reals, whatever its range.",
)
