"""`tm_rank_s32` returns the same bits as its numpy reference on every chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_cases
from programs.spread import spread_product

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

COUNT = 32
LENGTHS = (1, 2, 6, 7, 8, 254, 255)


@pytest.mark.long
@pytest.mark.parametrize(("device", "optimize"), spread_product(7, DEVICES, ["-Os", "-O3"]))
def test_ranks(device: str, optimize: str, tmp_path: Path):
    limit = 1 << 31
    definitions = '#include "tinyml/rank.h"\n'
    cases: list[tuple[str, np.ndarray]] = []
    expected: list[np.ndarray] = []
    for length in LENGTHS:
        random = np.random.default_rng(length)
        table = np.sort(random.choice(np.arange(-limit, limit, limit >> 12), length, False)).astype(np.int32)
        near = np.concatenate([table, table - 1, table + 1, [-limit, limit - 1, 0, -1]]).astype(table.dtype)
        x = random.choice(near, (8, COUNT))
        x[0, :2] = -limit, limit - 1
        definitions += f"static const int32_t table{length}[] FLASH = {{{', '.join(map(str, table))}}};\n"
        call = f"out[i] = tm_rank_s32(table{length}, X[i], {length});"
        cases.append((f"for (uint8_t i = 0; i < {COUNT}; i++) {call}", x))
        expected.append(RUNTIME_FUNCTIONS["tm_rank_s32"].reference(table, x, np.int16(length)))
    found = run_cases(cases, definitions, ("int16_t", COUNT), device, tmp_path, optimize)
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))
