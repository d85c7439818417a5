"""`tm_copy` copies bytes of any number between any addresses, and no others, on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.printed import WARNING_FLAGS

from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.measured_programs import INCLUDE

LENGTH = 48
HEADER = f"""#include <stdint.h>
#define figure_INPUT_LENGTH {LENGTH + 3}
#define figure_OUTPUT_LENGTH {LENGTH}
void figure_predict(const int8_t *X);
const int8_t *figure_scores(void);
"""
SOURCE = f"""#include "figure.h"
#include "tinyml/copy.h"
static int32_t from[{LENGTH} / 4 + 2], to[{LENGTH} / 4 + 2];
const int8_t *figure_scores(void) {{ return (const int8_t *)to; }}
void figure_predict(const int8_t *X)
{{
    int8_t *f = (int8_t *)from, *t = (int8_t *)to;
    for (int i = 0; i < {LENGTH}; i++) {{
        f[i] = X[3 + i];
        t[i] = 0;
    }}
    tm_copy(t + X[0], f + X[1], X[2]);
}}
"""
CASES = [(at, start, count) for at in range(4) for start in range(4) for count in (0, 1, 3, 4, 7, 16, 23, 41)]


@pytest.mark.parametrize("device", DEVICES)
def test_copies(device: str, tmp_path: Path):
    random = np.random.default_rng(1)
    data = random.integers(-128, 128, (len(CASES), LENGTH)).astype(np.int8)
    expected = np.zeros_like(data)
    for row, (at, start, count) in enumerate(CASES):
        expected[row, at : at + count] = data[row, start : start + count]
    (tmp_path / "figure.h").write_text(HEADER)
    (tmp_path / "figure.c").write_text(SOURCE)
    interface = Interface("figure", "int8_t", LENGTH + 3, "int8_t", LENGTH, has_label=False)
    runner = runner_for(device)
    build = runner.build(tmp_path, interface, tmp_path, "-O2", [*WARNING_FLAGS, *INCLUDE])
    inputs = np.concatenate([np.array(CASES, np.int8), data], 1)
    np.testing.assert_array_equal(runner.run(build, interface, inputs).scores, expected)
