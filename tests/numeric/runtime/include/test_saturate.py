"""`tm_saturate_s32`, `tm_saturate_u32` and `tm_requantize_s32` return the same bits as their numpy references on every
chip. If its factors are constants, requantisation is compiled to different instructions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_cases
from programs.spread import spread_product

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

COUNT = 32
SATURATED = [("s32", bits) for bits in (2, 8, 16, 31)] + [("u32", bits) for bits in (1, 8, 15, 31)]
FACTORS = [
    (multiplier, shift)
    for multiplier in (0, 12345, (1 << 30) - 1, 1 << 30, 1518500250, (1 << 31) - 1)
    for shift in (-31, -9, -1, 0, 3)
]
DEFINITIONS = '#include "tinyml/saturate.h"\n#include "tinyml/requantize.h"\nstatic volatile int32_t factor;\n'


@pytest.mark.long
@pytest.mark.parametrize(("device", "optimize"), spread_product(3, DEVICES, ["-Os", "-O3"]))
def test_limits_and_factors(device: str, optimize: str, tmp_path: Path):
    most = (1 << 31) - 1
    random = np.random.default_rng(0)
    edges = [0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, most, -most - 1]
    halves = random.integers(-(1 << 20), 1 << 20, 3 * COUNT - len(edges))
    x = np.concatenate([edges, halves, random.integers(-most - 1, most, COUNT)]).astype(np.int32).reshape(-1, COUNT)
    cases: list[tuple[str, np.ndarray]] = []
    expected: list[np.ndarray] = []
    for sign, bits in SATURATED:
        cases.append((f"for (uint8_t i = 0; i < {COUNT}; i++) out[i] = tm_saturate_{sign}(X[i], {bits});", x))
        expected.append(RUNTIME_FUNCTIONS[f"tm_saturate_{sign}"].reference(x, np.int8(bits)))
    for multiplier, shift in FACTORS:
        for known in (f"{multiplier}", "(int32_t)factor"):
            set = "" if known == str(multiplier) else f"factor = {multiplier}; "
            call = f"out[i] = tm_requantize_s32(X[i], {known}, {shift});"
            cases.append((f"{set}for (uint8_t i = 0; i < {COUNT}; i++) {call}", x))
            shifts = np.full_like(x, shift, np.int8)
            expected.append(RUNTIME_FUNCTIONS["tm_requantize_s32"].reference(x, np.int32(multiplier), shifts))
    found = run_cases(cases, DEFINITIONS, ("int32_t", COUNT), device, tmp_path, optimize)
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))
