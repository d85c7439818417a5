"""Units of sensors: the integers that a sensor emits, and the reals of the training data that they represent.

A real is `raw * scale + offset`. A row of `UNITS` defines a unit or a family of units. `UNIT_FORM` is the syntax of any
other unit. The field `unit` of a program's input (`InputInterface`) is the text of the option `--input-unit`. The field
`format` of the input is the type of the raws, which `assign-format` assigns to the argument. The scales and zeros of
the features are those of a `FeatureMap`, unless the type alone determines the reals.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.inputs import FeatureMap

UNIT_FORM = "SCALE[+OFFSET][:TYPE]"
"""The general form of a unit; TYPE is `s` or `u` and 2 to 16 bits, or `int8`, `uint8`, `int16`, `uint16`."""

GENERAL_TYPE = "int16"


@dataclass(frozen=True)
class SensorUnit:
    """A unit of a sensor: its integers from `low` to `high` represent the reals `raw * scale + offset`.

    Raises `InputError` for a scale that is zero, negative or not finite, and for an offset that is not finite.
    """

    low: int
    high: int
    scale: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.scale < math.inf and math.isfinite(self.offset)):
            raise InputError(f"a unit needs a finite scale above 0 and a finite offset, got {self.scale} {self.offset}")

    @property
    def is_signed(self) -> bool:
        return self.low < 0

    @property
    def bits(self) -> int:
        """The number of bits of a raw, including a sign for signed raws."""
        return max(self.high.bit_length(), (-1 - self.low).bit_length()) + self.is_signed


@dataclass(frozen=True)
class UnitRow:
    """A unit, or a family of units, of the table `UNITS`.

    * name: the name in the syntax of `--input-unit`, where N is a placeholder for a number.
    * bits, signed: the width and the signedness of the raws.
    * scale: a function that returns the scale. Its arguments are the number in the name (1 for a name without a number)
      and the parameter after the colon (None if omitted).
    * raws: a description of the raws, for the documentation.
    * parameter: a description of the parameter, for the documentation; "" for a unit without a parameter.
    * trained: a description of the default training data, for the documentation.
    """

    name: str
    bits: int
    signed: bool
    scale: Callable[[float, float | None], float]
    raws: str
    trained: str
    parameter: str = ""

    def number_in(self, name: str) -> float | None:
        """The number in `name`, or 1 for a unit without a number; None if `name` is the name of another unit."""
        found = re.fullmatch(re.escape(self.name).replace("N", r"(\d+(?:\.\d+)?)"), name)
        return None if found is None else float(found[1]) if found.groups() else 1.0

    def unit(self, number: float, parameter: float | None) -> SensorUnit:
        return SensorUnit(*_limits(self.bits, signed=self.signed), self.scale(number, parameter))


def _one(number: float, parameter: float | None) -> float:
    """The scale 1, for models that were trained on the integers themselves."""
    return 1.0


def _fraction(bits: int) -> Callable[[float, float | None], float]:
    return lambda number, parameter: 2.0**-bits


def _whole(bits: int) -> Callable[[float, float | None], float]:
    """A function that returns the scale at which the greatest unsigned raw of `bits` bits represents the parameter of
    the unit. Without a parameter, it returns the scale 1.
    """
    return lambda number, full: 1.0 if full is None else full / ((1 << bits) - 1)


def _per(number: float, unit: float | None) -> float:
    """The scale at which `number` raws represent one physical unit.

    unit: the real that represents one physical unit in the training data; 1 if None.
    """
    return (1.0 if unit is None else unit) / number if number else math.inf


_FULL_SCALE = "the real number that the greatest raw represents, such as the reference voltage"

UNITS = (
    UnitRow("int8", 8, True, _one, "-128 to 127", "the raws"),
    UnitRow("int16", 16, True, _one, "-32768 to 32767", "the raws"),
    UnitRow("uint8", 8, False, _whole(8), "0 to 255, such as a camera's pixels", "the raws", _FULL_SCALE),
    UnitRow("uint16", 16, False, _whole(16), "0 to 65535", "the raws", _FULL_SCALE),
    UnitRow("adc10", 10, False, _whole(10), "0 to 1023, as `analogRead` returns them", "the raws", _FULL_SCALE),
    UnitRow("adc12", 12, False, _whole(12), "0 to 4095", "the raws", _FULL_SCALE),
    UnitRow(
        "gN", 16, True, _per, "int16; the raw N is 1 g", "g", "the real number that represents 1 g, such as 9.80665"
    ),
    UnitRow(
        "dpsN",
        16,
        True,
        _per,
        "int16; the raw N is 1 degree per second",
        "degrees per second",
        "the real number that 1 degree per second represents",
    ),
    UnitRow("q15", 16, True, _fraction(15), "audio samples of 16 bits", "-1 to 1"),
    UnitRow("q7", 8, True, _fraction(7), "audio samples of 8 bits", "-1 to 1"),
)
"""The named units."""

_NUMBER = r"[0-9.]+(?:[eE][+-]?\d+)?"
_GENERAL = re.compile(rf"({_NUMBER})([+-]{_NUMBER})?(?::(\w+))?")
_TYPE = re.compile(r"(?:(int|uint)(8|16)|([su])([2-9]|1[0-6]))")


def sensor_unit(text: str) -> SensorUnit:
    """The unit that `text` specifies. The text is a name from `UNITS`, with a colon and a parameter if the unit
    accepts one, or has the form `UNIT_FORM`.

    Raises `InputError` for any other text.
    """
    name, colon, given = text.partition(":")
    for row in UNITS:
        if (number := row.number_in(name)) is None:
            continue
        if colon and not row.parameter:
            raise InputError(f"the unit '{name}' has no parameter, got '{text}'")
        return row.unit(number, _real(given, text) if colon else None)
    if (general := _GENERAL.fullmatch(text)) is not None:
        scale, offset, type = general.groups()
        limits = _limits_of_type(type or GENERAL_TYPE, text)
        return SensorUnit(*limits, _real(scale, text), _real(offset or "0", text))
    names = [row.name for row in UNITS]
    end = did_you_mean(name, names) or f": one of {', '.join(names)}, or {UNIT_FORM}"
    raise InputError(f"unknown unit '{text}'{end}")


def _real(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise InputError(f"expected a number in the unit '{text}', got '{number}'") from None


def _limits(bits: int, *, signed: bool) -> tuple[int, int]:
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _limits_of_type(type: str, text: str) -> tuple[int, int]:
    if (found := _TYPE.fullmatch(type)) is None:
        raise InputError(f"'{type}' in the unit '{text}' is not an integer type, such as s2 to s16, u2 to u16 or int16")
    kind, width, letter, bits = found.groups()
    return _limits(int(width or bits), signed=(kind or letter) in ("int", "s"))


@dataclass(frozen=True)
class InputUnit:
    """The units of the elements of an input. The list of units is repeated until all elements have a unit.

    text: the units in the syntax of the option `--input-unit`.
    units: the list of units.
    """

    text: str
    units: Sequence[SensorUnit]

    @staticmethod
    def parse(text: str, elements: int | None) -> InputUnit:
        """Parse the units of an input and return them. `text` is `[COUNTx]UNIT`, or a comma-separated list of such
        items.

        elements: the number of elements of the input; None if it is not known yet.

        Raises `InputError` for an unknown unit, and for a list whose length does not divide `elements`.
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
        return all(unit == self.units[0] for unit in self.units)

    @property
    def format(self) -> ExactNumbers:
        """The format of the raws.

        Its numbers are the reals of the training data if all elements have the same unit, if this unit has no offset
        and a power of two within the range of `FRACS` as scale, and if raws are not unsigned bytes. Otherwise its
        numbers are between -1 and 1.
        """
        is_signed = any(unit.is_signed for unit in self.units)
        bits = max(unit.bits + (is_signed and not unit.is_signed) for unit in self.units)
        mantissa, exponent = math.frexp(self.units[0].scale)
        is_power = mantissa == 0.5 and not self.units[0].offset and self.is_uniform and 1 - exponent in FRACS
        return ExactNumbers.OF_SENSOR(bits, is_signed, 1 - exponent if is_power else None)

    def features(self, elements: int) -> FeatureMap | None:
        """The scales and zeros by which features are computed from elements; None if the numbers of the format are the
        features.
        """
        format = self.format
        finer, first = math.ldexp(1.0, format.scale), float(format.decode(np.zeros(1, format.dtype))[0])
        scales = np.array([unit.scale * finer for unit in self.units])
        zeros = np.array([unit.offset for unit in self.units]) - scales * first
        singles = (np.resize(part.astype(np.float32).astype(np.float64), elements) for part in (scales, zeros))
        map = FeatureMap(*singles)
        return None if (map.scales == 1).all() and not map.zeros.any() else map
