"""`tm_copy` copies any number of bytes between any addresses, and changes no other bytes, on every device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.runtime_functions import run_figure

LENGTH = 48
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


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_copies(device: str, tmp_path: Path):
    random = np.random.default_rng(1)
    data = random.integers(-128, 128, (len(CASES), LENGTH)).astype(np.int8)
    expected = np.zeros_like(data)
    for row, (at, start, count) in enumerate(CASES):
        expected[row, at : at + count] = data[row, start : start + count]
    inputs = np.concatenate([np.array(CASES, np.int8), data], 1)
    np.testing.assert_array_equal(run_figure(SOURCE, inputs, LENGTH, device, tmp_path, "-O2"), expected)
