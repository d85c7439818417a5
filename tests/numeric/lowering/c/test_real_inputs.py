"""NAME_set stores the evaluator's raws, and NAME_score and NAME_is_anomaly return its reals and decisions, for every
format of an input.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.caller_programs import ELEMENTS, CalledPrograms, Caller, reals_near
from programs.devices import SMALL
from programs.number_formats import SORTS, assert_same_bits, extremes, raws_of
from programs.spread import spread

from tinyml.dialects.context import context
from tinyml.dialects.formats.bf16 import BF16_FORMAT
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.sensor_units import InputUnit
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import argument_reals, encode_inputs, feature_map
from tinyml.targets.registry import HOST
from tinyml.transforms.ir.real_numbers import lies_below, rounding_note

FORMATS = [
    Caller(sort.name.replace("-", "_").replace(".", "_"), sort.variants[-1])
    for sort in SORTS
    # Of published arithmetic, reals in files are cut off and wrap around.
    if not sort.variants[-1].AS_PUBLISHED
] + [
    Caller("posit_standard", PositType(16, 2)),
    *(
        Caller(f"skew_{k}", ZeroSkewType(8, s, k - 3, to_even=k % 2 > 0))
        for k, s in enumerate((0.1, 0.027037939, 0.3, 7.0))
    ),
]


def sensor(name: str, unit: str) -> Caller:
    """A caller's program whose input has the unit `unit` of a sensor."""
    parsed = InputUnit.parse(unit, ELEMENTS)
    fields = [f'unit = "{unit}"']
    if (features := parsed.features(ELEMENTS)) is not None:
        fields += [f"{key} = {list(value)}" for key, value in features.fields.items()]
    return Caller(name, parsed.format, ", ".join(fields), FixedType(16, 8))


SENSORS = [
    sensor("adc10", "adc10:5"),
    sensor("g16384", "g16384"),
    sensor("pixels", "uint8:255"),
    sensor("audio", "q15"),
    sensor("mixed", "2xg16384,2xdps131"),
    sensor("hundredths", "0.01-40:int16"),
]


def reals_of(caller: Caller) -> NDArray[np.float32]:
    """Reals at which the rounding of the program is critical. If the module scales its features, the inputs that it
    scales to these reals.
    """
    reals = reals_near(caller.format)
    features = feature_map(caller.module)
    if features is None:
        return reals
    columns = np.resize(reals, (-(-len(reals) // ELEMENTS), ELEMENTS))
    with np.errstate(over="ignore"):
        found = features.features(columns).astype(np.float32)
    return found[np.isfinite(found).all(1)].ravel()


def raws_for(caller: Caller) -> NDArray[Any]:
    """About 1,000 raws of the format of the scores, evenly spaced in its list of raws; all of them if there are
    fewer.
    """
    raws = raws_of(caller.scored)
    return raws[:: max(1, len(raws) // 1000)]


BEYOND = np.array([np.inf, -np.inf, np.nan, -np.nan], np.float32)


def check(programs: CalledPrograms) -> None:
    """Assert that the raws, the reals of the scores and the decisions of NAME_is_anomaly equal the evaluator's.
    Infinities and NaN must become what the comment of NAME_set states.
    """
    reals, raws = ([of(caller) for caller in programs.callers] for of in (reals_of, raws_for))
    random = np.random.default_rng(0)
    with np.errstate(over="ignore"):
        thresholds = [
            random.permutation(np.resize(caller.scored.decode(raw).astype(np.float32), len(raw))) * np.float32(0.999)
            for caller, raw in zip(programs.callers, raws, strict=True)
        ]
    set_to = [np.concatenate([np.repeat(BEYOND, ELEMENTS), x]) for x in reals]
    called = programs.call(set_to, raws, BEYOND, thresholds)
    for caller, x, words in zip(programs.callers, reals, called.elements, strict=True):
        elements = words.astype(caller.format.dtype)
        check_elements(caller, x, elements[len(BEYOND) * ELEMENTS :])
        check_beyond(caller, caller.format.decode(elements[: len(BEYOND) * ELEMENTS].reshape(-1, ELEMENTS)))
    for caller, raw, found in zip(programs.callers, raws, called.scores, strict=True):
        with np.errstate(over="ignore"):
            expected = caller.scored.decode(raw).astype(np.float32)
        assert_same_bits(found, expected, raw)
    for caller, raw, limits, found in zip(programs.callers, raws, thresholds, called.anomalies, strict=True):
        np.testing.assert_array_equal(found, lies_below(NumpyMachine(), raw, limits, caller.scored), caller.name)


def check_elements(caller: Caller, x: NDArray[np.float32], found: NDArray[Any]) -> None:
    """Assert that the raws that NAME_set stores equal the evaluator's.

    If the program divides by the units of features in single precision, a raw may differ by 1, provided that the
    quotient is near the midpoint of two numbers.
    """
    padded = np.resize(x, (-(-len(x) // ELEMENTS), ELEMENTS))
    expected = encode_inputs(caller.module, padded).ravel()[: len(x)]
    if "scales" in caller.interface:
        different = found != expected
        assert np.abs(found.astype(np.int64) - expected)[different].max(initial=0) <= 1, caller.name
        exact = argument_reals(caller.module, padded).ravel()[: len(x)][different]
        reach = np.spacing(np.float32(1)) * (16 + np.abs(exact))
        sides = [caller.format.encode(exact + side * reach) for side in (-1, 1)]
        assert (sides[0] != sides[1]).all(), f"{caller.name}: a number far from the middle of two"
    else:
        assert_same_bits(found, expected, x)


def check_beyond(caller: Caller, reals: NDArray[np.float64]) -> None:
    """Assert that the results for infinity, negative infinity, and NaN of both signs are those that the comment of
    NAME_set states.
    """
    note = rounding_note(caller.format)
    least, greatest = extremes(caller.format)
    if note.endswith("nfinities and NaN stay."):
        expected = [np.inf, -np.inf, np.nan, np.nan]
    elif "NaR" in note:
        expected = [np.nan] * 4
    else:
        nan = {"the least": least, "the greatest": greatest, "zero": 0.0}[note.split("NaN becomes ")[1].rstrip(".")]
        expected = [greatest, least, nan, nan]
    np.testing.assert_array_equal(reals, np.repeat(np.array(expected)[:, None], ELEMENTS, 1), err_msg=caller.name)


@pytest.mark.long(seconds=20)
def test_raws_and_reals_are_those_of_the_evaluator(tmp_path: Path) -> None:
    """For every format except those of published arithmetic, and for several units of sensors, the program on the host
    passes `check`, without undefined behaviour that a sanitizer finds.
    """
    check(CalledPrograms([*FORMATS, *SENSORS], HostRunner(sanitize=True), tmp_path))


@pytest.mark.parametrize(
    ("format", "note"),
    [
        (FixedType(8, 4), "the greatest or the least, as infinities are; NaN becomes the least."),
        (PositType(8, 0, -6, 1), "the greatest or the least, as infinities are; NaN becomes zero."),
        (PositType(16, 2), "infinities and NaN become the format's NaR, which is not a number."),
        (BF16_FORMAT, "out of range to the greatest or the least; infinities and NaN stay."),
        (F32_FORMAT, "Infinities and NaN stay."),
    ],
    ids=lambda value: str(value.type) if isinstance(value, NumberFormat) else "",
)
def test_the_comment_says_what_becomes_of_nan(format: NumberFormat, note: str, tmp_path: Path) -> None:
    assert rounding_note(format).endswith(note)
    Caller("noted", format).write(HOST, tmp_path)
    header = (tmp_path / "noted.h").read_text()
    comment = header.partition("void noted_set(")[0].rpartition("/*")[2]
    assert note in re.sub(r"\s*\n \*\s*", " ", comment)


@pytest.mark.long
@pytest.mark.parametrize("device", spread(SMALL, 1))
def test_devices_set_and_score_alike(device: str, tmp_path: Path) -> None:
    some = [("fixed", 8), ("fixed", 16), ("zeroskew", 8), ("posit", 8), ("posit", 16), ("bf16", None), ("f32", None)]
    formats = [format_named(context(), name, width).for_range(-3.0, 5.0) for name, width in some]
    callers = [Caller(f"caller_{number}", format) for number, format in enumerate(formats)]
    check(CalledPrograms([*callers, *SENSORS[::2]], device, tmp_path, 64))
