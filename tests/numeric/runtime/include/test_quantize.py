"""Floats are divided by a scale, or multiplied by a factor, with the bits of single precision: `tm_divide_...` and
`tm_multiply_...` multiply by an integer and compare exact products near halves.
"""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.c_library import c_library
from programs.devices import DEVICES, need_tools, roomy
from programs.runtime_functions import run_cases
from programs.spread import spread

from tinyml.dialects.formats.read_floats import divided, multiplied
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.targets.registry import board
from tinyml.tools.calibration.formats import CONVERTED_TYPES
from tinyml.tools.calibration.programs.float_conversions import LENGTH, measured_conversion

AVR = "uno"
"""The chip whose function is in assembly."""

F32 = np.float32
Floats = NDArray[np.float32]
NAMES = ("tm_divide_to_nearest_s9", "tm_divide_to_even_s9", "tm_multiply_to_even_s9", "tm_divide_to_nearest_s16")
LIMITS = {"s9": ((-128, 127), (0, 255), (-255, 0), (-142, 113), (-3, 4)), "s16": ((-32768, 32767), (-256, 300))}
SOURCE = '#include "tinyml/quantize.h"\n' + "".join(
    f"void each_{name}(const float *x, float unit, int32_t factor, int32_t low, int32_t high, int16_t *y, int32_t n)\n"
    f"{{ for (int32_t i = 0; i < n; i++) y[i] = {name}(x[i], unit, factor, (int16_t)low, (int16_t)high); }}\n"
    for name in NAMES
)


class Recorder(NumpyMachine):
    """A machine that keeps the last call of a runtime function."""

    name: str
    arguments: tuple[Any, ...]

    def call(self, function: str, *arguments: Any) -> Any:
        self.name, self.arguments = function, arguments
        return super().call(function, *arguments)


def limits_of(name: str) -> tuple[tuple[int, int], ...]:
    return LIMITS[name.rsplit("_", 1)[1]]


def call_of(name: str, unit: float, low: int, high: int) -> tuple[str, int]:
    """The function that the compiler calls for a scale or factor, and the integer that it passes."""
    machine, one = Recorder(), np.ones(1, F32)
    if "multiply" in name:
        multiplied(machine, one, unit, low, high)
    else:
        divided(machine, one, unit, low, high, to_even="even" in name)
    return machine.name, int(machine.arguments[2])


def single(real: Fraction) -> Fraction:
    """A positive real rounded to 24 bits, halves to even."""
    exponent = real.numerator.bit_length() - real.denominator.bit_length()
    exponent -= real < Fraction(2) ** exponent
    unit = Fraction(2) ** (exponent - 23)
    return round(real / unit) * unit


def exact(name: str, x: float, unit: float, low: int, high: int) -> int:
    """The result by exact fractions: one rounding to single precision, then one to an integer."""
    real = abs(Fraction(x) * Fraction(unit) if "multiply" in name else Fraction(x) / Fraction(unit))
    whole, rest = divmod(single(real), 1)
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and ("nearest" in name or whole % 2 == 1))
    return min(max((int(whole) + up) * (-1 if x < 0 else 1), low), high)


def near_halves(name: str, unit: float, high: int, random: np.random.Generator, count: int) -> Floats:
    """Floats whose results are next to halves: for each half, the nearest float and four on either side."""
    wholes = np.unique(np.concatenate([np.arange(min(high, 300)), random.integers(0, high + 2, count)]))
    halves = (wholes + 0.5) / unit if "multiply" in name else (wholes + 0.5) * unit
    bits = halves.astype(F32).view(np.int32)[:, None] + np.arange(-4, 5, dtype=np.int32)
    return bits.view(F32).ravel()


def patterns(random: np.random.Generator, name: str, unit: float, count: int) -> Floats:
    """Random bit patterns, numbers of the size of the results, zeros, subnormal numbers, infinities and NaN."""
    any = random.integers(0, 1 << 32, count, np.uint64).astype(np.uint32).view(F32)
    usual = random.uniform(-400, 400, count) * (1 / unit if "multiply" in name else unit)
    ends = np.array([0.0, -0.0, 1e-45, -1e-45, 1.1e-38, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, -np.nan], F32)
    return np.concatenate([ends, any, usual.astype(F32)])


def units(random: np.random.Generator, count: int) -> list[float]:
    """Scales with the least and greatest mantissas and exponents that the functions accept, then random ones."""
    ends = [1.0, 1 + 2.0**-23, 2 - 2.0**-23, 1.5, 1 + 2.0**-9 - 2.0**-23]
    mantissas = np.concatenate([ends, random.uniform(1, 2, count)]).astype(F32)
    exponents = np.concatenate([[-7, -100, 99, 0, -8], random.integers(-100, 100, count)])
    return [float(np.ldexp(*each)) for each in zip(mantissas, exponents, strict=True)]


def expected(name: str, x: Floats, unit: float, low: int, high: int) -> NDArray[np.int16]:
    ends = np.array(low, np.int16), np.array(high, np.int16)
    return RUNTIME_FUNCTIONS[name].reference(x, F32(unit), np.int32(0), *ends)


@pytest.mark.long(seconds=8)
@pytest.mark.parametrize("name", NAMES)
def test_every_near_tie_of_many_scales(name: str, tmp_path: Path):
    library, random = c_library(tmp_path, SOURCE), np.random.default_rng(1)
    for number, unit in enumerate(units(random, 400)):
        low, high = limits_of(name)[number % len(limits_of(name))]
        near = near_halves(name, unit, max(high, -low), random, 200)
        x = np.concatenate([near, -near, patterns(random, name, unit, 1000)])
        called, factor = call_of(name, unit, *limits_of(name)[0])
        assert called == name
        y = np.empty(len(x), np.int16)
        arguments = ctypes.c_float(unit), ctypes.c_int32(factor), ctypes.c_int32(low), ctypes.c_int32(high)
        library[f"each_{name}"](ctypes.c_void_p(x.ctypes.data), *arguments, ctypes.c_void_p(y.ctypes.data), len(x))
        np.testing.assert_array_equal(y, expected(name, x, unit, low, high), err_msg=f"{unit.hex()} {low} {high}")


@given(st.sampled_from(NAMES), st.floats(1, 2, width=32, exclude_max=True), st.integers(-100, 99), st.data())
def test_the_references_are_exact(name: str, mantissa: float, exponent: int, data: st.DataObject):
    unit, (low, high) = math.ldexp(mantissa, exponent), limits_of(name)[0]
    half = data.draw(st.integers(0, high + 1)) + 0.5
    nearest = F32(half / unit if "multiply" in name else half * unit)
    bits = int(nearest.view(np.int32)) + data.draw(st.integers(-4, 4))
    x = data.draw(st.sampled_from([-1, 1])) * np.array([bits], np.int32).view(F32)
    assert expected(name, x, unit, low, high).tolist() == [exact(name, float(x[0]), unit, low, high)]


@pytest.mark.long(seconds=6)
@pytest.mark.parametrize("device", sorted({AVR, *spread(DEVICES, 4)}))
def test_on_every_chip(device: str, tmp_path: Path):
    random = np.random.default_rng(2)
    cases = [
        (name, unit, *limits_of(name)[number % 2], call_of(name, unit, *limits_of(name)[0])[1])
        for name in NAMES
        for number, unit in enumerate((float(F32(0.023529412)), *units(random, 1)[1:]))
    ]
    rows: list[Floats] = []
    for name, unit, low, high, _ in cases:
        near = random.choice(near_halves(name, unit, max(high, -low), random, 30), 60)
        rows.append(np.concatenate([near, -near, patterns(random, name, unit, 12)]))
    programs = [
        (
            "union { int32_t bits; float value; } y;\n    y.bits = *X;\n"
            f"    out[0] = {name}(y.value, {unit.hex()}f, {factor}, {low + 1} - 1, {high});\n",
            x.view(np.int32).reshape(-1, 1),
        )
        for (name, unit, low, high, factor), x in zip(cases, rows, strict=True)
    ]
    scores = run_cases(programs, '#include "tinyml/quantize.h"', ("int16_t", 1), roomy(device), tmp_path)
    for (name, unit, low, high, _), x, y in zip(cases, rows, scores, strict=True):
        np.testing.assert_array_equal(y[:, 0], expected(name, x, unit, low, high), err_msg=f"{name} {unit.hex()}")


@pytest.mark.parametrize(
    ("scale", "limit", "called"),
    [
        (2.0**-100, 255, "tm_divide_to_nearest_s9"),
        (2.0**100, 255, "tm_divide_to_nearest_s9"),
        (2.0**-101, 255, "tm_f32_to_nearest"),
        (2.0**101, 255, "tm_f32_to_nearest"),
        (2.0**-126, 255, "tm_f32_to_nearest"),
        (0.1, 256, "tm_divide_to_nearest_s16"),
    ],
)
def test_the_function_of_a_scale(scale: float, limit: int, called: str):
    machine = Recorder()
    divided(machine, np.ones(1, F32), scale, -limit, limit)
    assert machine.name == called


@pytest.mark.long(seconds=4)
@pytest.mark.parametrize(("name", "limit"), [("riscv", 70), ("cortex-m0", 70), ("uno", 120)])
def test_the_time_to_read_a_float(name: str, limit: int):
    """The most instructions, or on an Uno cycles, for a float. With divisions, they are 362, 706 and 1,017."""
    need_tools(name)
    target = board(board(name).larger or name)
    formats = [("affine", 8, None), ("affine", 16, None), *(("affine", 8, type) for type in CONVERTED_TYPES)]
    times = {each: measured_conversion(target, *each)[1] / LENGTH for each in formats}
    assert max(times.values()) <= limit
