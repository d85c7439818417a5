"""`tm_rank_s16` and `tm_rank_s32` give the bits of their numpy twin on every chip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernels_avr import INCLUDE

from tinyml.dialects.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.runtime.interface import Interface
from tinyml.runtime.runner import runner_for
from tinyml.runtime.toolchain import WARNING_FLAGS

COUNT = 32
HEADER = f"""\
#include <stdint.h>
#define figure_INPUT_LENGTH {COUNT}
#define figure_OUTPUT_LENGTH {COUNT}
void figure_predict(const int{{width}}_t *X);
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
static const int{width}_t table[] FLASH = {{{table}}};
static int16_t out[{count}];
const int16_t *figure_scores(void) {{ return out; }}
void figure_predict(const int{width}_t *X)
{{
    for (uint8_t i = 0; i < {count}; i++)
        out[i] = tm_rank_s{width}(table, X[i], {steps});
}}
"""


@pytest.mark.parametrize("device", ["host", "simavr", "cortex-m0", "cortex-m4"])
@pytest.mark.parametrize("optimize", ["-Os", "-O3"])
@pytest.mark.parametrize(("width", "steps"), [(16, 1), (16, 2), (16, 8), (32, 3), (32, 8), (16, 10)])
def test_ranks(device: str, optimize: str, width: int, steps: int, tmp_path: Path):
    limit = 1 << (width - 1)
    random = np.random.default_rng(steps)
    table = np.sort(random.choice(np.arange(-limit, limit, limit >> 12), (1 << steps) - 1, False)).astype(
        f"i{width // 8}"
    )
    near = np.concatenate([table, table - 1, table + 1, [-limit, limit - 1, 0, -1]]).astype(table.dtype)
    x = random.choice(near, (8, COUNT))
    x[0, :2] = -limit, limit - 1
    (tmp_path / "figure.h").write_text(HEADER.format(width=width))
    text = ", ".join(map(str, table))
    (tmp_path / "figure.c").write_text(SOURCE.format(table=text, count=COUNT, width=width, steps=steps))
    interface = Interface("figure", f"int{width}_t", COUNT, "int16_t", COUNT, has_label=False)
    runner = runner_for(device)
    build = runner.build(tmp_path, interface, tmp_path, optimize, [*WARNING_FLAGS, f"-I{INCLUDE}"])
    expected = RUNTIME_FUNCTIONS[f"tm_rank_s{width}"].twin(table, x, np.int8(steps))
    np.testing.assert_array_equal(runner.run(build, interface, x).scores, expected)
