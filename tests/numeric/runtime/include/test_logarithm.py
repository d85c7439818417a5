"""`tm_log_s32` returns the same bits as its numpy reference on every chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_cases

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

COUNT = 32
STATEMENT = f"""\
for (uint8_t i = 0; i < {COUNT}; i++) {{
    const int32_t y = tm_log_s32(table, (int32_t)(((uint32_t)(uint16_t)X[2 * i + 1] << 16) | (uint16_t)X[2 * i]));
    out[2 * i] = (int16_t)y;
    out[2 * i + 1] = (int16_t)(y >> 16);
}}"""


@pytest.mark.long
@pytest.mark.parametrize("device", [*DEVICES, "avr35"])
def test_logarithms(device: str, tmp_path: Path):
    """`tm_log_s32` returns the integers of the numpy reference for powers of two, their neighbours, and random numbers
    of each bit length. They differ from the real logarithm by less than 2e-4.
    """
    powers = 1 << np.arange(31, dtype=np.int64)
    random = np.random.default_rng(1).integers(powers, 2 * powers)
    numbers = np.resize(np.concatenate([powers, powers[2:] - 1, 2 * powers - 1, random]), 4 * COUNT).astype(np.int32)
    table = np.rint(np.log(1 + np.arange(65) / 64) * 32768).astype(np.int16)
    definitions = '#include "tinyml/logarithm.h"\n'
    definitions += f"static const int16_t table[] FLASH = {{{', '.join(map(str, table))}}};\n"
    cases = [(STATEMENT, numbers.view(np.int16).reshape(-1, 2 * COUNT))]
    [found] = run_cases(cases, definitions, ("int16_t", 2 * COUNT), device, tmp_path, "-Os")
    expected = RUNTIME_FUNCTIONS["tm_log_s32"].reference(table, numbers)
    np.testing.assert_array_equal(np.ascontiguousarray(found).view(np.int32).reshape(-1), expected)
    assert np.abs(expected / 32768 - np.log(numbers)).max() < 2e-4
