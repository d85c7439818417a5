"""`tm_rank_s32` gives the bits of its numpy reference on every chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.printed import WARNING_FLAGS

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.programs.measured_programs import include_flags

COUNT = 32
HEADER = f"""\
#include <stdint.h>
#define figure_INPUT_LENGTH {COUNT}
#define figure_OUTPUT_LENGTH {COUNT}
void figure_predict(const int32_t *X);
const int16_t *figure_scores(void);
"""
SOURCE = """\
#include "figure.h"
#include "tinyml/rank.h"
#ifdef __AVR__
#define FLASH __attribute__((__progmem__))
#else
#define FLASH
#endif
static const int32_t table[] FLASH = {{{table}}};
static int16_t out[{count}];
const int16_t *figure_scores(void) {{ return out; }}
void figure_predict(const int32_t *X)
{{
    for (uint8_t i = 0; i < {count}; i++)
        out[i] = tm_rank_s32(table, X[i], {length});
}}
"""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("optimize", ["-Os", "-O3"])
@pytest.mark.parametrize("length", [1, 2, 6, 7, 8, 254, 255])
def test_ranks(device: str, optimize: str, length: int, tmp_path: Path):
    limit = 1 << 31
    random = np.random.default_rng(length)
    table = np.sort(random.choice(np.arange(-limit, limit, limit >> 12), length, False)).astype(np.int32)
    near = np.concatenate([table, table - 1, table + 1, [-limit, limit - 1, 0, -1]]).astype(table.dtype)
    x = random.choice(near, (8, COUNT))
    x[0, :2] = -limit, limit - 1
    (tmp_path / "figure.h").write_text(HEADER)
    text = ", ".join(map(str, table))
    (tmp_path / "figure.c").write_text(SOURCE.format(table=text, count=COUNT, length=length))
    interface = Interface("figure", "int32_t", COUNT, "int16_t", COUNT, has_label=False)
    runner = runner_for(device)
    build = runner.build(tmp_path, interface, tmp_path, optimize, [*WARNING_FLAGS, *include_flags(runner.chip)])
    expected = RUNTIME_FUNCTIONS["tm_rank_s32"].reference(table, x, np.int16(length))
    np.testing.assert_array_equal(runner.run(build, interface, x).scores, expected)
