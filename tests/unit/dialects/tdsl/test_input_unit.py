"""Units of sensors: the integers that they deliver, the reals that these represent, and the format for both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.sensor_units import UNITS, InputUnit, sensor_unit
from tinyml.tools.tinyml_opt import main as opt

ENDS = {
    "int8": (-128, 127),
    "int16": (-32768, 32767),
    "uint8": (0, 255),
    "uint8:1": (0, 1),
    "uint16": (0, 65535),
    "adc10": (0, 1023),
    "adc10:5": (0, 5),
    "adc12": (0, 4095),
    "adc12:3.3": (0, 3.3),
    "g16384": (-2, 2 - 2**-14),
    "g2048:9.80665": (-16 * 9.80665, (16 - 2**-11) * 9.80665),
    "dps131": (-32768 / 131, 32767 / 131),
    "dps16.4": (-32768 / 16.4, 32767 / 16.4),
    "q15": (-1, 1 - 2**-15),
    "q7": (-1, 1 - 2**-7),
    "0.25": (-8192, 8191.75),
    "0.5-3:s10": (-259, 252.5),
    "1e-3+2:u4": (2, 2.015),
    "2:uint8": (0, 510),
}
"""The reals of the least and of the greatest raw."""


def test_every_row_of_the_table_is_tried() -> None:
    tried = [text.partition(":")[0] for text in ENDS]
    assert [row.name for row in UNITS if all(row.number_in(name) is None for name in tried)] == []


@pytest.mark.parametrize("text", ENDS)
def test_raws_stand_for_reals(text: str) -> None:
    """In the format of a unit, with its scales and zeros of features, the raws are the sensor's integers, and represent
    their reals to single precision.
    """
    unit = sensor_unit(text)
    reals = np.array([[raw * unit.scale + unit.offset for raw in (unit.low, unit.high)]])
    np.testing.assert_allclose(reals[0], ENDS[text], rtol=1e-12)
    input = InputUnit.parse(text, 2)
    features = input.features(2)
    numbers = reals if features is None else features.of_features(reals)
    raws = input.format.encode(numbers).astype(np.int64)
    memory = 1 << 8 * input.format.dtype.itemsize
    np.testing.assert_array_equal(raws % memory, np.array([[unit.low, unit.high]]) % memory)
    back = input.format.decode(input.format.encode(numbers))
    np.testing.assert_allclose(back if features is None else features.features(back), reals, rtol=1e-6, atol=1e-6)
    assert input.format.raw_limits[0] <= raws.min()
    assert raws.max() <= input.format.raw_limits[1]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("int16", "!fixed.s<16, 0>"),
        ("g16384", "!fixed.s<16, 14>"),
        ("q15", "!fixed.s<16, 15>"),
        ("adc10", "!fixed.u<10, 0>"),
        ("adc10:5", "!fixed.u<10, 10>"),
        ("uint8", "!fixed.byte<8, 7>"),
        ("uint16", "!fixed.s<17, 0>"),
        ("3xg16384,3xdps131", "!fixed.s<16, 15>"),
        ("adc10,int8", "!fixed.s<11, 10>"),
    ],
)
def test_formats_hold_the_raws_of_all_elements(text: str, format: str) -> None:
    assert str(InputUnit.parse(text, 6).format) == format


def test_a_list_repeats_over_the_input() -> None:
    features = InputUnit.parse("2xint8,3:s4", 6).features(6)
    assert features is not None
    np.testing.assert_array_equal(features.scales, np.array([1, 1, 3, 1, 1, 3]) * 128)


@pytest.mark.parametrize(
    "text", ["", "adc11", "int8:3", "1:s17", "0:s8", "-1", "1e999", "g0", "x", "3x", "int8,", "1+:s8"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        InputUnit.parse(text, 6)


def test_a_list_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="are for 4 elements, and do not repeat to the 6 of the input"):
        InputUnit.parse("4xint8", 6)


def test_an_unknown_unit_of_a_program_is_one_located_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.mlir"
    interface = 'tdsl.interface = #tdsl.interface<input = <unit = "furlong">>'
    file.write_text(
        f"func.func @f(%X: tensor<2xf32>) -> tensor<2xf32> attributes {{{interface}}} {{\n"
        "  func.return %X : tensor<2xf32>\n}\n"
    )
    assert opt([str(file)]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"error: {file}:1:")
    assert ": unknown unit 'furlong'" in message
    assert message.count("\n") == 1
